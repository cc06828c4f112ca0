# A fit with the draws that a test needs.
pretend <- function(values, chains = 2, ...) {
  fit <- quick_fit()
  fit$draws <- values
  fit$chain <- rep(seq_len(chains), each = nrow(values) / chains)
  fit$monitor <- matrix(
    values[, 1],
    dimnames = list(NULL, "log_lik")
  )
  fit$control <- utils::modifyList(fit$control, list(...))
  diagnose(fit)
}

noise <- function(n = 1000) {
  withr::with_seed(1, {
    cbind(a = stats::rnorm(n), b = stats::rnorm(n))
  })
}

test_that("diagnostics are posterior's", {
  values <- noise()
  table <- diagnose_columns(values, rep(1:4, each = 250))
  a <- matrix(values[, "a"], ncol = 4)
  expect_identical(table$variable, c("a", "b"))
  expect_equal(table$rhat[1], posterior::rhat(a), tolerance = 1e-10)
  expect_equal(table$ess_bulk[1], posterior::ess_bulk(a), tolerance = 1e-10)
  expect_equal(table$ess_tail[1], posterior::ess_tail(a), tolerance = 1e-10)
})

test_that("independent draws pass", {
  fit <- pretend(noise())
  expect_true(fit$converged)
  expect_identical(fit$problems, character())
})

test_that("chains that disagree fail by R-hat, in words", {
  values <- noise()
  values[1:500, "b"] <- values[1:500, "b"] + 3
  fit <- pretend(values)
  expect_false(fit$converged)
  expect_match(fit$problems[1], "R-hat reaches")
  expect_match(fit$problems[1], "`b`", fixed = TRUE)
  expect_match(fit$problems[1], "the chains disagree")
})

test_that("too few independent draws fail by ESS", {
  fit <- pretend(noise(200))
  expect_false(fit$converged)
  expect_match(fit$problems, "Bulk ESS falls to", all = FALSE)
  expect_true(pretend(noise(200), min_ess = 100)$converged)
})

test_that("draws that do not move fail", {
  values <- noise()
  values[, "b"] <- 1
  fit <- pretend(values)
  expect_false(fit$converged)
  expect_match(fit$problems, "did not move", all = FALSE)
})

test_that("many divergent draws fail, a few are a remark", {
  fit <- pretend(noise())
  fit$sampler$divergent <- rep(c(TRUE, FALSE), c(100, 900))
  judged <- judge(fit)
  expect_false(judged$converged)
  expect_match(judged$problems, "100 of 1,000 draws diverged", all = FALSE)
  fit$sampler$divergent <- rep(c(TRUE, FALSE), c(3, 997))
  judged <- judge(fit)
  expect_true(judged$converged)
  expect_match(judged$problems, "adapt_delta")
})

test_that("an interrupted run has not converged", {
  fit <- quick_fit()
  fit$interrupted <- TRUE
  judged <- judge(fit)
  expect_false(judged$converged)
  expect_match(judged$problems, "interrupted")
})

test_that("the worst record's figures are those of the exact log-likelihood", {
  fit <- quick_mixture()
  row <- subset(fit$diagnostics, variable == "log_lik[worst record]")
  exact <- diagnose_columns(
    `colnames<-`(log_lik(fit), seq_len(nobs(fit))), fit$chain
  )
  # The screen ranks by raw figures, so that the exact worst may be missed
  # only by a record that is hardly worse.
  expect_lt(abs(row$rhat - max(exact$rhat)), 0.01)
  expect_lte(row$rhat, max(exact$rhat))
  expect_lt(abs(row$ess_bulk / min(exact$ess_bulk) - 1), 0.1)
})

test_that("a fit with problems warns with a class, a good one is silent", {
  expect_no_warning(quick_fit())
  expect_warning(
    quick_fit(draws = 20),
    class = "pseudosynth_warning_convergence"
  )
})

test_that("later stages refuse a fit that has not converged", {
  fit <- quick_fit()
  expect_invisible(check_converged(fit))
  fit$converged <- FALSE
  fit$problems <- "R-hat reaches {2}."
  expect_error(check_converged(fit), class = "pseudosynth_error_privacy")
  expect_error(check_converged(fit), "{2}", fixed = TRUE)
  expect_identical(check_converged(fit, allow = TRUE), fit)
})

test_that("the largest share of equal values is that of sums by value", {
  withr::local_seed(3)
  for (y in list(stats::rpois(50, 2), stats::rnorm(20), rep(3, 4), 1)) {
    weight <- stats::runif(length(y)) * (stats::runif(length(y)) < 0.7)
    weight[1] <- 1
    expect_equal(
      largest_tie(y, weight), max(rowsum(weight, y)) / sum(weight),
      tolerance = 1e-12
    )
  }
})
