# What a release says of its means, before anything is published.

# As many as users have, see setup-sweeps.R
local_replaced("margins_of_error", 30)

# A rare, skewed count, an amount and levels that are numbers
visits_file <- function(n = 1500) {
  withr::with_seed(11, {
    data <- data.frame(
      visits = ifelse(runif(n) < 0.85, 0, round(exp(rnorm(n, 1, 1.1)))),
      wage = round(exp(rnorm(n, 3, 0.4)), 2),
      children = pmin(rpois(n, 0.6), 5),
      sex = factor(sample(c("m", "f"), n, TRUE))
    )
    data$visits <- as.integer(pmin(data$visits, 190))
    data
  })
}

visits_book <- function() {
  codebook(data.frame(
    column = c("visits", "wage", "children", "sex"),
    type = c("count", "amount", "ordered", "category"),
    levels = c("", "", "0|1|2|3|4|5", "m|f"),
    lower = c("0", "1", "", ""), upper = c("200", "500", "", ""),
    digits = c("", "2", "", ""), zero = c(TRUE, FALSE, FALSE, FALSE),
    transform = c("identity", "log", "", ""), confirmed = TRUE
  ))
}

visits_release <- function(epsilon = 1, seed = 1, ...) {
  suppressWarnings(file_release(
    file_plan(visits_file(), visits_book()), epsilon, seed = seed, ...
  ))
}

test_that("a release says which means its noise leaves open", {
  expect_message(
    made <- visits_release(seed = 2), "the mean of `visits` by [0-9]+%",
    class = "pseudosynth_message_means"
  )
  expect_identical(made$means$column, c("visits", "wage", "children"))
  share <- mean_uncertainty(made$means)
  expect_gt(share[["visits"]], 0.1)
  expect_lt(share[["wage"]], 0.1)
  expect_output(print(made), "uncertain: the mean of `visits` by")
  # A fixed function of the release
  expect_identical(released_means(unclass(made)), made$means)
  # Sets bring it along; published columns are exact
  expect_identical(synthesize(made, seed = 1)$means, made$means)
  published <- suppressMessages(suppressWarnings(file_release(
    file_plan(visits_file(), visits_book(), publish = c("visits", "children")),
    1, seed = 1
  )))
  expect_identical(published$means$column, "wage")
  # More budget, less error
  expect_lt(
    mean_uncertainty(suppressMessages(visits_release(10))$means)[["children"]],
    share[["children"]] / 2
  )
})

test_that("means of sets are within what is said of them", {
  data <- visits_file()
  seeds <- by_night(1:40, 1:6)
  off <- unlist(lapply(seeds, function(seed) {
    made <- suppressMessages(visits_release(seed = seed))
    set <- synthesize(made, seed = seed)[[1]]
    found <- vapply(made$means$column, function(name) {
      mean(as.numeric(as.character(set[[name]])))
    }, 0)
    truth <- vapply(made$means$column, function(name) mean(data[[name]]), 0)
    (found - truth) / made$means$error
  }))
  # Of 18 one is beyond two in two runs of three, of 120 six
  expect_lte(mean(abs(off) > 2), by_night(0.1, 0.17))
  # Nor are errors made safe by being huge
  expect_gt(stats::quantile(abs(off), 0.75), 0.15)
})

test_that("a mean of levels knows its noise and what sets add", {
  made <- suppressMessages(visits_release(seed = 3))
  block <- made$block
  own <- match("children", names(made$levels))
  l <- length(made$levels[[own]])
  counts <- block$residuals[[residual_place(block, own)]] + block$n / l
  value <- 0:5
  linear <- sum(counts * value) / sum(counts)
  drawn <- block$margins[[own]]
  set <- sum(drawn * value) / sum(drawn)
  found <- made$means[made$means$column == "children", ]
  expect_equal(found$mean, set)
  expect_gt(found$error, abs(set - linear))
})

test_that("means of levels are nearer than noisy ones, within their errors", {
  file <- c(3602, 588, 137, 54, 11, 7, 2, 1, 2, 1, 1, 0, 0)
  l <- length(file)
  n <- sum(file)
  mean_of <- function(counts) sum(counts * (seq_len(l) - 1)) / sum(counts)
  block <- list(
    levels = l, published = FALSE, tables = list(1L), n = n, rules = list(),
    noise = data.frame(variance = 100, order = 1), numbers = list(seq_len(l))
  )
  made <- withr::with_seed(1, replicate(80, {
    noise <- stats::rnorm(l, sd = 10)
    noisy <- file + noise - mean(noise)
    block$residuals <- list(noisy - n / l)
    block$margins <- list(level_counts(block, 1, noisy, n, list()))
    drawn <- mean_of(block$margins[[1]])
    expect_equal(sum(block$margins[[1]]), n)
    c(
      drawn, sqrt(moved_by_noise(block, 1, mean_of) +
        (drawn - mean_of(noisy))^2),
      mean_of(noisy), mean_of(project_counts(noisy))
    )
  }))
  off <- made - mean_of(file)
  far <- sqrt(rowMeans(off^2))
  # 6% and 11% of the mean; without a falling tail sets have 11% too much
  expect_lt(far[1], 0.75 * min(far[3:4]))
  expect_lt(mean(off[1, ]), 0.5 * mean(off[4, ]))
  expect_lte(mean(abs(off[1, ]) > 2 * made[2, ]), 0.08)
})

test_that("means of members and of waves are over all of them", {
  homes <- home_persons(400)
  homes$rooms <- withr::with_seed(1, sample(1:6, nrow(homes), TRUE, 6:1))
  homes$pay <- withr::with_seed(2, round(exp(stats::rnorm(nrow(homes), 8))))
  homes$pay[homes$age == "0-19"] <- NA
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(homes), home = "id",
    pay = list(type = "amount", lower = 1, upper = 1e5, transform = "log"),
    rooms = list(type = "ordered", levels = 1:6)
  )))
  plan <- suppressMessages(
    file_plan(homes, book, unit = "home", members = home_members(4))
  )
  expect_message(
    made <- suppressWarnings(file_release(plan, 2, seed = 1)),
    "the mean of `pay` by", class = "pseudosynth_message_means"
  )
  expect_setequal(made$means$column, c("work", "rooms", "pay"))
  set <- synthesize(made, n = 4000, seed = 1)[[1]]
  found <- c(
    work = mean(set$work), rooms = mean(as.integer(as.character(set$rooms))),
    pay = mean(set$pay, na.rm = TRUE)
  )[made$means$column]
  # As sets have them, but for their own chance; who is not there counts nothing
  expect_true(all(abs(made$means$mean - found) < 0.4 * made$means$error))
  truth <- c(
    work = mean(homes$work), rooms = mean(homes$rooms),
    pay = mean(homes$pay, na.rm = TRUE)
  )
  off <- abs(made$means$mean - truth[made$means$column])
  expect_true(all(off < 3 * made$means$error))
  panel <- panel_persons()
  made <- suppressWarnings(suppressMessages(
    file_release(panel_plan(panel), 5, seed = 1)
  ))
  expect_true(all(made$means$column %in% names(panel)))
  expect_gt(nrow(made$means), 0)
})

test_that("utility() has means of levels that are numbers", {
  data <- visits_file()
  sets <- synthesize(suppressMessages(visits_release(10)), seed = 2)
  found <- utility(sets, data)
  own <- found$statistics[found$statistics$column == "children" &
    found$statistics$statistic == "mean", ]
  expect_equal(own$file, mean(data$children))
  expect_equal(own$value, mean(sets[[1]]$children))
  shifted <- sets
  shifted$sets[[1]]$children <- pmin(sets[[1]]$children + 1L, 5L)
  expect_output(
    print(utility(seal(shifted), data)), "The mean of `children` is .* off"
  )
})

test_that("a mean is off by 5%, or by two standard errors", {
  expect_true(is_off(106, 100, 10))
  expect_false(is_off(104, 100, 10))
  expect_true(is_off(102, 100, 0.9))
  expect_false(is_off(1, 0.1, 1, near_zero = TRUE))
  expect_true(is_off(NaN, 1, 1))
  y <- rep(c(1, 3), 50)
  expect_null(remarks_of_values(y, list(rev(y))))
  expect_match(remarks_of_values(y, list(y + 0.12)), "6.00% off", all = FALSE)
  # Of several sets the mean, but one that is far off alone
  expect_null(remark_mean(y, list(y - 0.3, y + 0.3)))
  expect_match(remark_mean(y, list(y - 0.8, y + 0.8)), "in one set")
})

test_that("a group far out that noise hides may be there", {
  # Of 1,500 values 97% are 10; noise leaves next to nothing of the others
  data <- withr::with_seed(102, data.frame(
    y = ifelse(runif(1500) < 0.97, 10, round(9000 + runif(1500) * 900)),
    g = factor(sample(c("a", "b"), 1500, TRUE))
  ))
  book <- codebook(data.frame(
    column = c("y", "g"), type = c("amount", "category"),
    levels = c("", "a|b"), lower = c("1", ""), upper = c("100000", ""),
    digits = c("0", ""), transform = c("log", "")
  ))
  expect_message(
    release <- suppressWarnings(file_release(file_plan(data, book), 2,
      seed = 2
    )),
    class = "pseudosynth_message_means"
  )
  expect_lt(abs(release$means$mean - mean(data$y)), 2 * release$means$error)
})

test_that("no mean of levels is more uncertain than its range is wide", {
  data <- data.frame(month = c(1:6, 12, 12), sex = rep(c("f", "m"), 4))
  book <- codebook(data.frame(
    column = names(data), type = c("ordered", "category"),
    levels = c(paste(1:12, collapse = "|"), "f|m")
  ))
  plan <- file_plan(data, book)
  for (seed in 1:3) {
    made <- suppressMessages(suppressWarnings(
      file_release(plan, 0.01, seed = seed)
    ))
    expect_true(all(made$means$error <= 11 | is.infinite(made$means$error)))
  }
})

test_that("sets have the means of levels that the release states", {
  n <- 3000
  data <- withr::with_seed(1, data.frame(
    visits = pmin(stats::rgeom(n, 0.25), 30L),
    region = sample(letters[1:4], n, TRUE)
  ))
  book <- codebook(data.frame(
    column = names(data), type = c("ordered", "category"),
    levels = c(paste(0:30, collapse = "|"), "a|b|c|d")
  ))
  plan <- file_plan(data, book)
  found <- vapply(1:6, function(seed) {
    made <- suppressMessages(suppressWarnings(
      file_release(plan, 1, seed = seed)
    ))
    set <- synthesize(made, seed = seed)[[1]]
    c(
      mean(as.integer(as.character(set$visits))) - made$means$mean,
      made$means$error, made$means$mean - mean(data$visits)
    )
  }, c(0, 0, 0))
  # By pairs alone sets had half a visit too many, five errors
  expect_lt(abs(mean(found[1, ])), 0.5 * mean(found[2, ]))
  expect_true(all(abs(found[1, ]) < found[2, ]))
  expect_true(all(abs(found[1, ] + found[3, ]) < 3 * found[2, ]))
})

test_that("few members' amounts are like those of all members", {
  homes <- home_persons(1500)
  homes$pay <- withr::with_seed(3, round(exp(stats::rnorm(nrow(homes), 9.5))))
  # Of the fourth member hardly anybody has one
  fourth <- sequence(rle(homes$home)$lengths) == 4
  homes$pay[fourth & seq_len(nrow(homes)) %% 8 > 0] <- NA
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(homes), home = "id",
    pay = list(type = "amount", lower = 1, upper = 1e6, transform = "log")
  )))
  plan <- suppressMessages(
    file_plan(homes, book, unit = "home", members = home_members(4))
  )
  off <- vapply(1:4, function(seed) {
    made <- suppressWarnings(suppressMessages(
      file_release(plan, 2, seed = seed)
    ))
    set <- synthesize(made, n = 4000, seed = seed)[[1]]
    last <- sequence(rle(set$home)$lengths) == 4
    stats::median(log(set$pay[last]), na.rm = TRUE) - 9.5
  }, 0)
  # A factor of 1.5; by their own noise alone, of 8 to 100
  expect_true(all(abs(off) < log(1.5)))
})

test_that("a wave of many values of its own is not drawn as the one before", {
  n <- 400
  data <- withr::with_seed(1, data.frame(
    person = rep(seq_len(n), 2), year = rep(2001:2002, each = n),
    y = exp(c(stats::rnorm(n, 3, 0.1), stats::rnorm(n, 12, 0.1)))
  ))
  book <- codebook(data.frame(
    column = names(data), type = c("id", "category", "amount"),
    levels = c("", "2001|2002", ""), lower = c("", "", "1"),
    upper = c("", "", "1e6"), digits = c("", "", "any"),
    transform = c("", "", "log")
  ))
  plan <- file_plan(
    data, book, unit = "person", members = waves("year", complete = TRUE)
  )
  for (seed in 1:3) {
    release <- suppressMessages(file_release(plan, 1, seed = seed))
    set <- synthesize(release, seed = seed)[[1]]
    low <- stats::quantile(set$y[set$year == 2002], c(0.1, 0.9))
    expect_true(all(abs(log(low) - 12 + c(0.128, -0.128)) < 0.1))
  }
})

test_that("how far noise moves the number of records is said", {
  data <- data.frame(g = rep(c("a", "b"), 40))
  plan <- file_plan(data, codebook(data.frame(
    column = "g", type = "category", levels = "a|b"
  )))
  expect_message(
    small <- suppressWarnings(file_release(plan, 0.5, seed = 1)),
    "the number of records, with all totals, by",
    class = "pseudosynth_message_means"
  )
  error <- 2 * sqrt(size_variance(small$block))
  shown <- paste(utils::capture.output(print(small)), collapse = " ")
  expect_match(shown, paste("noisy: two standard errors are", format_figure(
    error, 2
  )))
  large <- file_plan(data[rep(1:80, 500), , drop = FALSE], plan$codebook)
  expect_no_message(
    file_release(large, 1, seed = 1), class = "pseudosynth_message_means"
  )
})

test_that("the share of a flag is told as a mean is, and so are its errors", {
  n <- 200
  data <- withr::with_seed(5, data.frame(
    rare = stats::rbinom(n, 1, 0.06), often = stats::runif(n) < 0.4,
    score = as.integer(sample(0:9, n, TRUE))
  ))
  book <- confirm_codebook(suppressMessages(draft_codebook(data)))
  plan <- suppressMessages(file_plan(data, book))
  beyond <- 0
  for (seed in 1:10) {
    expect_message(
      made <- suppressWarnings(file_release(plan, 1, seed = seed)),
      "the mean of `rare` by", class = "pseudosynth_message_means"
    )
    expect_identical(made$means$column, names(data))
    set <- synthesize(made, seed = seed)
    off <- abs(colMeans(set[[1]][1:2]) - colMeans(data[1:2]))
    beyond <- beyond + sum(off > 2 * made$means$error[1:2])
    # Beside the file: all that are off by more than 5% and two errors
    said <- remarks_of_files(
      set, data, means_beside(set, data)
    )
    far <- off > 0.05 * colMeans(data[1:2])
    for (name in names(far)[far]) {
      expect_match(said, sprintf("`%s`", name), fixed = TRUE, all = FALSE)
    }
  }
  expect_lte(beyond, 3)
})

test_that("flags of members have a share over all of them", {
  persons <- withr::with_seed(4, data.frame(
    home = rep(1:300, each = 2), region = rep(c("n", "s"), each = 300),
    age = rep(c("adult", "adult", "adult", "child"), 150),
    work = stats::runif(600) < 0.4
  ))
  book <- confirm_codebook(suppressMessages(
    edit_codebook(draft_codebook(persons), home = "id")
  ))
  plan <- suppressMessages(file_plan(
    persons, book, unit = "home",
    members = members(~age, slots = 2, household = "region")
  ))
  made <- suppressMessages(suppressWarnings(file_release(plan, 3, seed = 1)))
  expect_identical(made$means$column, "work")
  set <- synthesize(made, seed = 1)[[1]]
  expect_lt(abs(made$means$mean - mean(set$work)), 2 * made$means$error)
  expect_lt(abs(made$means$mean - mean(persons$work)), 3 * made$means$error)
})

test_that("levels beside FALSE and TRUE make no flag", {
  data <- data.frame(k = rep(c("FALSE", "TRUE", "5"), 40), g = c("a", "b"))
  book <- codebook(data.frame(
    column = c("k", "g"), type = "category", levels = c("FALSE|TRUE|5", "a|b")
  ))
  made <- suppressMessages(file_release(file_plan(data, book), 5, seed = 1))
  expect_identical(nrow(made$means), 0L)
  expect_null(means_beside(synthesize(made, seed = 1), data))
})

test_that("means of members say what the bound of pooled tables hides", {
  persons <- withr::with_seed(4, {
    size <- sample(1:6, 1500, TRUE, c(0.3, 0.25, 0.15, 0.1, 0.1, 0.1))
    home <- rep(seq_along(size), size)
    # All of a household are alike, the more often the larger it is
    flag <- stats::runif(1500) < c(0.1, 0.2, 0.4, 0.7, 0.8, 0.9)[size]
    data.frame(home = sprintf("h%04d", home), rank = sequence(size),
      flag = rep(flag, size)
    )
  })
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(persons), home = "id",
    rank = list(type = "ordered", levels = 1:6)
  )))
  plan <- suppressMessages(
    file_plan(persons, book, unit = "home", members = members(~rank, 6))
  )
  off <- vapply(seq_len(by_night(12, 4)), function(seed) {
    means <- suppressMessages(suppressWarnings(
      file_release(plan, 2, seed = seed)
    ))$means
    own <- means[means$column == "flag", ]
    (own$mean - mean(persons$flag)) / own$error
  }, 0)
  expect_lt(max(abs(off)), 2)
})
