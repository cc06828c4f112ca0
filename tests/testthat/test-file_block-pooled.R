# Slots of a household: one of its own columns, and two of each member
pooled_case <- function(slots = 3, room = slots + 2) {
  at <- function(first) as.integer(first + seq_len(slots))
  age <- lapply(seq_len(slots), function(k) c(1:3, if (k > 1) NA))
  sex <- lapply(seq_len(slots), function(k) c(1:2, if (k > 1) NA))
  levels <- c(2L, 3L, rep(4L, slots - 1), 2L, rep(3L, slots - 1))
  of <- function(names, axes) {
    list(
      names = names, levels = c(region = 2L, age = 3L, sex = 2L)[names],
      columns = lapply(seq_len(slots), function(k) {
        vapply(axes, function(x) x$columns[k], 1L)
      }),
      level = lapply(seq_len(slots), function(k) {
        lapply(axes, function(x) x$level[[k]])
      }),
      room = room
    )
  }
  region <- list(columns = rep(1L, slots), level = rep(list(1:2), slots))
  age <- list(columns = at(1), level = age)
  sex <- list(columns = at(1 + slots), level = sex)
  tables <- lapply(list(
    of("age", list(age)), of(c("region", "age"), list(region, age)),
    of(c("age", "sex"), list(age, sex))
  ), function(one) {
    one$levels <- unname(one$levels)
    one
  })
  list(levels = levels, pooled = tables, slots = slots)
}

# Every household there can be: a member has both columns, and one before it
all_homes <- function(case) {
  codes <- whole_domain(case$levels)
  k <- case$slots
  absent <- vapply(seq_len(k)[-1], function(slot) {
    (codes[, 1 + slot] == 4) + (codes[, 1 + k + slot] == 3)
  }, numeric(nrow(codes)))
  whole <- rowSums(absent == 1) == 0
  ordered <- apply(absent, 1, function(x) all(diff(x) >= 0))
  codes[whole & ordered, ]
}

pooled_noise_of <- function(case, mu = 0.5, neighbours = "add-remove") {
  plan <- list(
    pooled = case$pooled, squared_pooled = mu^2, neighbours = neighbours,
    sigma = 16
  )
  own <- plan_pooled(plan)
  whole_noise(own$lengths, pooled_variance(own), own$sigma)
}

# What one household adds in whole, member by member
naive_home <- function(code, one) {
  whole <- numeric(prod(one$levels))
  for (k in seq_along(one$columns)) {
    level <- mapply(function(j, level) level[code[j]],
      one$columns[[k]], one$level[[k]]
    )
    if (anyNA(level)) next
    parts <- Map(function(l, v) l * (seq_len(l) == v) - 1, one$levels, level)
    whole <- whole + as.vector(Reduce(outer, parts))
  }
  whole
}

# In how many parts it counts
naive_share <- function(whole, one) {
  most <- parts_of_home^2 * one$room * prod(one$levels - 1)
  each <- 0:parts_of_home
  max(each[each^2 * sum(whole^2) / prod(one$levels) <= most])
}

test_that("no household moves pooled tables farther than is paid for", {
  for (room in c(2, 5)) {
    case <- pooled_case(room = room)
    codes <- all_homes(case)
    noise <- pooled_noise_of(case)
    x <- pooled_measurement(case$pooled, noise)
    bound <- x$bound("gaussian")
    for (t in seq_along(case$pooled)) {
      one <- case$pooled[[t]]
      v <- x$vectors(codes, t)
      homes <- t(apply(codes, 1, naive_home, one))
      share <- apply(homes, 1, naive_share, one)
      expect_identical(v, noise$factor[t] * share * homes)
      expect_true(all(rowSums(v^2) <= bound[[t]][["add-remove"]]^2))
      # Who differs counts in full, many alike in part
      expect_identical(max(share), as.integer(parts_of_home))
      expect_lt(min(share), parts_of_home)
      expect_gt(min(share), parts_of_home * sqrt(room) / case$slots - 1)
      expect_equal(max(rowSums(v^2)) / bound[[t]][["add-remove"]]^2, 1,
        tolerance = 0.1
      )
    }
    # All together, dropped or replaced
    other <- codes[rev(seq_len(nrow(codes))), ]
    squares <- lapply(list(NULL, other), function(other) {
      Reduce(`+`, lapply(seq_along(case$pooled), function(t) {
        v <- x$vectors(codes, t)
        if (!is.null(other)) v <- v - x$vectors(other, t)
        rowSums((v / noise$scale[t])^2)
      }))
    })
    expect_equal(x$moves(codes, NULL, noise), squares[[1]])
    expect_equal(x$moves(codes, other, noise), squares[[2]])
    cost <- own_cost(x)$rho
    expect_true(all(squares[[1]] / 2 <= cost[["add-remove"]]))
    expect_true(all(squares[[2]] / 2 <= cost[["replace"]]))
    expect_lte(cost[["add-remove"]], 0.5^2 / 2 * (1 + 1e-9))
    # Counts are the sum of what each adds
    expect_identical(
      x$sums(x$counts(codes)),
      lapply(seq_along(case$pooled), function(t) colSums(x$vectors(codes, t)))
    )
  }
  replaced <- pooled_measurement(
    case$pooled, pooled_noise_of(case, neighbours = "replace")
  )
  expect_lte(own_cost(replaced)$rho[["replace"]], 0.5^2 / 2 * (1 + 1e-9))
})

test_that("tables that do not hold together are refused", {
  case <- pooled_case()
  codes <- all_homes(case)
  wrong <- case$pooled[[2]]
  wrong$level[[1]][[2]][1] <- 4L
  expect_error(pooled_counts(list(wrong), codes), "not there")
  wrong <- case$pooled[[2]]
  wrong$columns[[1]][1] <- 99L
  expect_error(pooled_counts(list(wrong), codes), "not there")
  codes[1, 2] <- 0L
  expect_error(pooled_counts(case$pooled, codes), "no level")
})

test_that("what large households share is as common as in the file", {
  data <- withr::with_seed(4, {
    size <- sample(1:4, 700, TRUE, c(0.35, 0.3, 0.1, 0.25))
    home <- rep(seq_along(size), size)
    foreign <- (runif(700) < ifelse(size == 4, 0.7, 0.05))[home]
    data.frame(home, foreign, work = sample(c(TRUE, FALSE), length(home), TRUE))
  })
  book <- confirm_codebook(edit_codebook(draft_codebook(data), home = "id"))
  plan <- file_plan(
    data, book,
    unit = "home", members = members(~work, slots = 4)
  )
  share <- function(file) {
    mean(file$foreign[ave(file$home, file$home, FUN = length) == 4])
  }
  off <- function() {
    share(synthesize(home_release(plan, 10, seed = 1), seed = 1)[[1]]) -
      share(data)
  }
  expect_lt(abs(off()), 0.012)
  # The bound alone makes it rarer
  local_replaced("pooled_cut", function(release, pooled) {
    lapply(pooled, function(one) numeric(prod(one$levels)))
  })
  expect_lt(off(), -0.02)
})

test_that("a household of any composition moves what it pays for, alone", {
  plan <- home_plan(home_persons(60), home_members(2))
  release <- home_release(plan, 1, seed = 1)
  pairs <- by_night(80, 8)
  found <- replayed_homes(release, plan, every_home(2, pairs), pairs,
    members = home_members(2)
  )
  expect_true(all(found$over == "" & found$differs == ""))
  expect_lte(max(found$ratio), 1 + 1e-6)
  # An audit has the same vectors, and misses none of its charges
  expect_true(what_of_block[["pooled"]] %in% release$charges$what)
  audit <- audit_guarantee(release, plan, rows = 200, replays = 0, seed = 1)
  expect_true(all(audit$worst$exact <= audit$worst$claimed * (1 + 1e-9)))
  shown <- as.data.frame(record_vectors(release, plan, 1))
  expect_true("members: region x age" %in% shown$part)
})
