# Three amounts: of all records, of a tenth, of one in a hundred
sparse_plan <- function(n = 400, columns = 1:4, ...) {
  data <- withr::with_seed(5, {
    some <- function(share) {
      ifelse(seq_len(n) %% (1 / share) == 1, stats::rlnorm(n, 5, 1), 0)
    }
    data.frame(
      all = stats::rlnorm(n, 5, 1), some = some(0.1), few = some(0.01),
      g = sample(c("a", "b", "c"), n, TRUE)
    )
  })
  book <- data.frame(
    column = names(data), type = c(rep("amount", 3), "category"),
    levels = c("", "", "", "a|b|c"), lower = c(1e-3, 0, 0, NA),
    upper = c(rep(1e5, 3), NA), zero = c(FALSE, TRUE, TRUE, FALSE),
    transform = c(rep("log", 3), NA), digits = c(rep("any", 3), NA)
  )
  file_plan(data[columns], book[columns, ], ...)
}

test_that("amounts that few records have get less, and all get all there is", {
  sizes <- c(1000, 400, 90, 1, -3)
  weights <- amount_weights(sizes, 1000)
  expect_equal(sum(weights), 1)
  expect_false(is.unsorted(rev(weights)))
  expect_equal(weights[1:3] / weights[1], sqrt(sizes[1:3] / 1000))
  # None gets less than the noise was looked at for
  expect_equal(weights[5] / weights[1], least_amount_weight)
  expect_identical(amount_weights(1e5, 1000), 1)
  release <- file_release(sparse_plan(), 2, seed = 1)
  spent <- vapply(release$amounts, function(amount) {
    sum(vapply(amount$steps, function(step) step$rho[[1]], 0))
  }, 0)
  expect_gt(spent[["all"]], 2 * spent[["some"]])
  expect_gte(spent[["some"]], spent[["few"]])
})

test_that("no division of what amounts have costs more than is charged", {
  withr::local_seed(1)
  plan <- with_published_bins(sparse_plan())
  specs <- column_specs(plan$codebook)
  names <- protected_amounts(plan)
  mu <- 0.7
  delta <- 1e-6
  for (neighbours in relation_names) {
    budget <- plan_amounts(plan, names, mu, neighbours, delta)
    charged <- budget$cost[["noisy sums of 3 amounts"]]
    expect_equal(2 * charged$rho[[neighbours]], mu^2)
    # Whatever the bins of earlier amounts turn out to be
    divisions <- c(
      list(c(1, 0, 0), c(0, 0, 1)),
      replicate(5, {
        x <- stats::rexp(3)
        list(x / sum(x))
      })
    )
    for (k in seq_along(divisions)) {
      weights <- divisions[[k]]
      bins <- rep_len(earlier_bins, length(divisions))[k]
      costs <- lapply(which(weights > 0), function(k) {
        amount <- amount_model(specs[[k]])
        earlier <- rep(bins + 1L, k - 1)
        levels <- predictor_levels(
          amount, plan$levels, stats::setNames(earlier, names[seq_len(k - 1)])
        )
        levels <- levels[levels > 1]
        plan_amount(
          mu * sqrt(weights[k]), neighbours, delta,
          amount$planned_bins, list(levels), rep(TRUE, length(levels)), k - 1
        )$cost
      })
      rho <- Reduce(`+`, lapply(costs, `[[`, "rho"))
      expect_true(all(rho <= charged$rho * (1 + 1e-9)))
      expect_equal(2 * rho[[neighbours]], mu^2)
      expect_lte(sum(vapply(costs, `[[`, 0, "gap")), charged$gap)
    }
  }
})

test_that("a divided release keeps what its label says", {
  plan <- sparse_plan(200, by_night(1:4, c(1, 3, 4)))
  for (neighbours in by_night(relation_names, "add-remove")) {
    release <- suppressWarnings(
      file_release(plan, 3, neighbours = neighbours, seed = 2),
      classes = "pseudosynth_warning_budget"
    )
    audit <- audit_guarantee(
      release, plan, 300, replays = by_night(3, 1), seed = 3
    )
    expect_true(all(audit$worst$exact <= audit$worst$claimed * (1 + 1e-9)))
    expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
  }
})

test_that("noise must not be too wide for the least that an amount may get", {
  plan <- with_published_bins(sparse_plan())
  names <- protected_amounts(plan)
  fits <- function(mu, names) {
    tryCatch(
      {
        plan_amounts(plan, names, mu, "add-remove", 1e-6)
        TRUE
      },
      pseudosynth_error_input = function(error) FALSE
    )
  }
  # From the ninth on all are too small
  sizes <- 2^-(0:by_night(60, 15))
  alone <- vapply(sizes, fits, TRUE, names[1])
  together <- vapply(sizes, fits, TRUE, names)
  expect_true(alone[1] && together[1] && !alone[length(sizes)])
  expect_lt(sum(together), sum(alone))
})

test_that("the block has as much of the budget as its columns weigh", {
  share_of_block <- function(columns) {
    plan <- with_published_bins(sparse_plan(200, columns))
    spending <- plan_file_release(plan, NULL, 1, 1e-6, "add-remove")
    rho <- spending$charges$rho_add_remove
    amounts <- grepl("noisy sums", spending$charges$what)
    round(1 - sum(rho[amounts]) / sum(rho), 6)
  }
  # A category and an amount; an amount with zeros is two columns of the block
  expect_equal(share_of_block(c(1, 4)), 0.333333)
  expect_equal(share_of_block(c(1, 2, 4)), 0.333333)
  expect_equal(share_of_block(c(1, 2)), 0.3)
})

test_that("the block of members or waves has more, up to a limit of its own", {
  withr::local_seed(1)
  persons <- data.frame(
    id = rep(1:60, each = 3), year = rep(1:3, 60),
    sex = rep(sample(c("f", "m"), 60, TRUE), each = 3),
    status = sample(letters[1:4], 180, TRUE),
    class = sample(letters[5:9], 180, TRUE),
    health = sample(LETTERS[1:3], 180, TRUE),
    pay = round(stats::rlnorm(180, 7))
  )
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(persons), id = "id",
    year = list(type = "ordered", levels = 1:3),
    pay = list(type = "amount", lower = 1, upper = 1e5, zero = FALSE)
  )))
  share <- function(members, book) {
    plan <- suppressMessages(
      file_plan(persons, book, unit = "id", members = members)
    )
    spending <- plan_file_release(plan, list(), 1, 1e-6, "add-remove")
    of <- spending$block$mu^2
    c(block = of / spending$mu^2, columns = length(plan$levels))
  }
  homes <- share(members(~year, 3, household = "sex"), book)
  waves <- share(waves("year", constant = "sex", complete = TRUE), book)
  # Members' amount weighs a column, and each wave's two
  for (one in list(list(homes, 1, 0.85), list(waves, 6, 0.7))) {
    columns <- one[[1]][["columns"]]
    expect_equal(
      one[[1]][["block"]], min(one[[3]], columns / (columns + one[[2]]))
    )
  }
})
