test_that("print() says that the fit is confidential and how it was made", {
  fit <- quick_fit()
  text <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(text, "CONFIDENTIAL")
  expect_match(text, "not for release")
  expect_match(text, "y ~ group + x, gaussian()", fixed = TRUE)
  expect_match(text, "N = 60")
  expect_match(text, "S = 1,000 from 2 chains")
  expect_match(text, "every record has weight 1")
  expect_match(text, "Lipschitz bound ")
  expect_match(text, "Converged  yes")
  expect_match(text, "Guarantee  none")
})

test_that("print() and summary() show no data value", {
  data <- simulated()
  data$y <- round(data$y, 2) + 7e5 + 0.123
  data$y[5] <- 765432.123
  fit <- suppressWarnings(quick_fit(y ~ group, data))
  text <- c(
    capture.output(print(fit)), capture.output(print(summary(fit))),
    format(fit)
  )
  expect_no_match(paste(text, collapse = "\n"), "7[0-9]{5}[.][0-9]{2}")
  expect_no_match(paste(text, collapse = "\n"), "765,?432")
})

test_that("a fit that has not converged says so in its print", {
  fit <- quick_fit()
  fit$converged <- FALSE
  fit$problems <- "R-hat reaches 2."
  expect_output(print(fit), "NO: R-hat reaches 2")
})

test_that("summary() agrees with posterior's own summaries", {
  fit <- quick_fit()
  table <- summary(fit)$table
  expected <- posterior::summarise_draws(as_draws(fit))
  expect_identical(table$variable, expected$variable)
  for (column in c("mean", "sd", "median", "rhat", "ess_bulk", "ess_tail")) {
    expect_equal(table[[column]], as.numeric(expected[[column]]))
  }
  expect_output(print(summary(fit)), "sigma")
})

test_that("a mixture is summarised by quantities free of labels", {
  table <- summary(quick_mixture())$table
  expect_identical(
    table$variable,
    c("log_lik", "q1", "q5", "q25", "q50", "q75", "q95", "q99")
  )
  expect_false(is.unsorted(table$mean[-1]))
})

test_that("the usual accessors work", {
  fit <- quick_fit()
  expect_identical(nobs(fit), 60L)
  expect_identical(deparse(formula(fit)), "y ~ group + x")
  expect_identical(family(fit), as_synth_family("gaussian"))
  frame <- as.data.frame(fit)
  expect_identical(nrow(frame), 1000L)
  expect_true(all(c("sigma", ".chain", ".draw") %in% names(frame)))
})

test_that("the fit's formula does not drag an environment along", {
  make <- function() {
    confidential <- "planted sentinel"
    quick_fit(y ~ group)
  }
  formula <- make()$formula
  expect_false(exists("confidential", environment(formula)))
})
