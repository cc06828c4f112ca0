# Exact audits of whole files under one weight a record.

skip_on_cran()

two_book <- function() {
  codebook(data.frame(
    column = c("group", "yes"), type = c("category", "logical"),
    levels = c("a|b", NA)
  ))
}

# All records but the last are equal, in both of two amounts
clones <- function(n = 60) {
  data.frame(x = rep(c(1, 4), c(n - 1, 1)), y = rep(c(1, -4), c(n - 1, 1)))
}

amounts_book <- function() {
  codebook(data.frame(
    column = c("x", "y"), type = "amount", lower = -5, upper = 5,
    family = "gaussian", digits = 1
  ))
}

mixed <- function(n = 12) {
  data.frame(
    group = factor(rep(c("a", "b", "a"), length.out = n), c("a", "b")),
    yes = rep(c(TRUE, TRUE, FALSE, FALSE), length.out = n)
  )
}

fitted <- function(data, mechanism, ..., book = two_book()) {
  suppressWarnings(suppressMessages(fit_file(
    file_plan(data, book), mechanism, ..., draws = 600, seed = 1
  )))
}

# Shared by tests that only read them
clones_fit <- function() {
  remember("joint_clones", fitted(clones(), "censor_uw",
    epsilon = 2, predictors = list(y = character()), book = amounts_book()
  ))
}

weighted_mixed <- function() {
  remember("joint_mixed", fitted(mixed(), "lw"))
}

quick_audit <- function(fit, ..., replacements = 16, cells = 2500) {
  audit_guarantee(fit, replacements = replacements, cells = cells, ...)
}

test_that("what is censored keeps its epsilon, by the whole record", {
  fit <- clones_fit()
  audit <- quick_audit(fit)
  expect_identical(audit$claimed, "epsilon")
  expect_equal(audit$worst$claim, c(2, 4))
  expect_true(all(audit$losses$loss <= audit$losses$claim * (1 + 1e-9)))
  expect_true(all(audit$losses$delta == 0))
  # Clones come near it: the claim is no larger than it has to be
  expect_gt(audit$worst$ratio[2], 0.6)
  expect_output(print(audit), "a file of x, y, N = 60")
  expect_s3_class(plot(audit), "ggplot")
})

test_that("a file that spends epsilon on each column is found out", {
  fit <- clones_fit()
  # As if every column had the interval of a whole record
  for (name in names(fit$models)) {
    fit$models[[name]]$value$fit$censor$lower <- -1
    fit$models[[name]]$value$fit$censor$upper <- 1
  }
  expect_error(quick_audit(fit), class = "pseudosynth_error_edited")
  planted <- seal(fit)
  worst <- quick_audit(planted, cells = by_night(20000, 8000))$worst
  expect_equal(worst$claim, c(2, 4))
  expect_gt(worst$ratio[2], 1.2)
  expect_gt(worst$delta[2], 0)
})

test_that("losses are those of all cells of the product of two grids", {
  fit <- fitted(mixed(), "censor_uw", epsilon = 3)
  near <- joint_neighbours(fit, NULL, 8)
  audited <- joint_grids(fit, near, 400)
  # Below what is lost, so that delta is not 0
  claim <- 0.2
  alpha <- rep(1, audited$n_types)
  logs <- function(type) {
    lapply(audited$grids, function(own) {
      log_normalized(joint_posterior(own, audited, type, alpha))
    })
  }
  deltas <- 0
  for (j in seq_len(nrow(near$table))) {
    p <- logs(audited$type)
    q <- logs(joint_types(near, audited, j))
    pairs <- Map(function(p, q, own) {
      list(p = p, q = q, bulk = seq_along(p), peak = 0)
    }, p, q, audited$grids)
    found <- product_loss(pairs, claim, TRUE)
    both_p <- as.vector(outer(p[[1]], p[[2]], `+`))
    both_q <- as.vector(outer(q[[1]], q[[2]], `+`))
    expect_equal(found$loss, max(abs(both_p - both_q)))
    one <- sum(pmax(0, exp(both_p) - exp(claim + both_q)))
    two <- sum(pmax(0, exp(both_q) - exp(claim + both_p)))
    expect_equal(found$delta, max(one, two), tolerance = 1e-6)
    deltas <- max(deltas, found$delta)
  }
  expect_gt(deltas, 0.001)
})

test_that("parts of an amount are audited with its values", {
  n <- 12
  data <- data.frame(
    pay = rep(c(0, 1.5, -2, NA), length.out = n),
    yes = rep(c(TRUE, FALSE, TRUE), length.out = n)
  )
  book <- codebook(data.frame(
    column = c("pay", "yes"), type = c("amount", "logical"),
    lower = c(-5, NA), upper = c(5, NA), missing = c(TRUE, FALSE),
    zero = c(TRUE, NA), family = c("gaussian", NA), digits = c(1, NA)
  ))
  fit <- fitted(data, "censor_uw",
    epsilon = 6, predictors = list(yes = character()), book = book
  )
  # Two questions of the part, the values, and yes or no
  shares <- vapply(all_regressions(fit$models), `[[`, 1, "share")
  expect_equal(shares, c(1 / 4, 1 / 4, 1 / 2, 1))
  audit <- quick_audit(fit)
  expect_true(all(audit$losses$loss <= audit$losses$claim * (1 + 1e-9)))
  expect_true(any(grepl("^(NA|0),", audit$losses$value)))
  expect_gt(max(audit$losses$loss), 1)
})

test_that("weights are made again on every neighbour from the summed bounds", {
  fit <- weighted_mixed()
  audit <- quick_audit(fit)
  expect_identical(audit$claimed, "2 x bound")
  expect_true(all(is.infinite(audit$worst$loss)))
  expect_true(all(is.finite(audit$losses$loss_bulk)))
  near <- joint_neighbours(fit, NULL, 8)
  audited <- joint_grids(fit, near, 2500)
  # Exact bounds are those of so many draws, but for chance
  exact <- joint_grid_fit(audited, audited$type)
  drawn <- fit$stage_bounds$unweighted$bound$record
  expect_lt(max(abs(exact$bound$record / drawn - 1)), 0.35)
  expect_equal(
    order(unique(round(exact$bound$record, 6))),
    order(unique(drawn)[!duplicated(audited$type)])
  )
  # Without the first record, by hand
  type <- audited$type[-1]
  total <- numeric(length(type))
  for (own in audited$grids) {
    f <- own$grid$f
    mass <- own$grid$log_prior + rowSums(f[, type])
    bulk <- grid_bulk(own$grid, mass)
    total <- total + apply(abs(f[bulk, type]), 2, max)
  }
  alpha <- 1 - (total - min(total)) / (max(total) - min(total))
  expect_equal(as.double(joint_weights(fit, audited, type)), alpha)
})

test_that("other files are refused", {
  fit <- weighted_mixed()
  expect_error(quick_audit(fit, cake = 1), "cake")
  edited <- fit
  edited$bound$overall <- 1
  expect_error(quick_audit(edited), class = "pseudosynth_error_edited")
  data <- mixed(40)
  data$more <- factor(rep(c("x", "y", "z", "w"), 10))
  book <- codebook(data.frame(
    column = c("group", "yes", "more"),
    type = c("category", "logical", "category"),
    levels = c("a|b", NA, "w|x|y|z")
  ))
  wide <- fitted(data, "lw", order = c("more", "group"), book = book)
  expect_error(quick_audit(wide), "at most three parameters")
  skip_if_not_installed("rpart")
  trees <- suppressWarnings(fit_file(mixed()))
  expect_error(quick_audit(trees), "under a mechanism")
})
