test_that("what a clipped fit names when it fails works", {
  skip_unless_nightly()
  data <- withr::with_seed(5, {
    x <- matrix(stats::rnorm(450), 150, dimnames = list(NULL, c("a", "b", "c")))
    eta <- 0.6 * x[, 1] - 0.3
    data.frame(
      yes = stats::rbinom(150, 1, stats::plogis(eta)),
      count = stats::rnbinom(150, size = 3, mu = exp(eta)),
      share = stats::plogis(eta + stats::rnorm(150)),
      income = exp(10.5 + eta + stats::rnorm(150, sd = 0.7)), x
    )
  })
  amounts <- list("(Intercept)" = 10.8, sigma = 1)
  cases <- list(
    list(yes ~ a + b + c, bernoulli(), list("(Intercept)" = 0)),
    list(count ~ a + b + c, poisson(), list("(Intercept)" = 0)),
    list(
      count ~ a + b + c, neg_binomial(), list("(Intercept)" = 0, size = 4)
    ),
    list(
      share ~ a + b + c, beta_response(c(0, 1)),
      list("(Intercept)" = 0, precision = 5)
    ),
    list(log(income) ~ a + b + c, gaussian(), amounts, c(10.8, 2.5)),
    list(log(income) ~ a + b + c, student_t(3), amounts, c(10.8, 2.5))
  )
  for (case in cases) {
    fit_with <- function(censor, ...) {
      suppressWarnings(fit_synthesizer(
        case[[1]], data, case[[2]],
        censor = censor, seed = 1, threads = 1, ...
      ), classes = "pseudosynth_warning_convergence")
    }
    failed <- fit_with(censor(1), chains = 1, warmup = 10, draws = 20)
    expect_false(failed$converged)
    expect_match(failed$problems, "`reference` .*or `prior_", all = FALSE)
    centred <- censor(1, reference = case[[3]], window = 2)
    prior <- prior_normal(1, if (length(case) > 3) case[[4]] else c(0, 2))
    for (fit in list(fit_with(centred), fit_with(centred, prior = prior))) {
      expect_true(fit$converged)
      expect_identical(guarantee(fit)$label, "strict")
      expect_length(fit$problems, 0)
    }
  }
})

test_that("only what a fit lacks is named", {
  remedies <- function(...) {
    fit <- suppressWarnings(fit_synthesizer(
      log(income) ~ age, privacy_data(), gaussian(),
      chains = 1, warmup = 10, draws = 20, seed = 1, threads = 1, ...
    ), classes = "pseudosynth_warning_convergence")
    expect_false(fit$converged)
    grep("Public knowledge", fit$problems, value = TRUE)
  }
  prior <- prior_normal(1, c(10.8, 2.5))
  centred <- censor(1, reference = list("(Intercept)" = 10.8, sigma = 1))
  both <- remedies(censor = censor(1))
  expect_match(both, "`reference`")
  expect_match(both, "`prior_normal()`", fixed = TRUE)
  expect_no_match(both, "[0-9]")
  expect_no_match(remedies(censor = censor(1), prior = prior), "prior_normal")
  expect_no_match(remedies(censor = centred), "reference")
  expect_length(remedies(censor = centred, prior = prior), 0)
  expect_length(remedies(), 0)
})

test_that("a reference works for 39 coefficients, in a fit and in a job", {
  skip_on_cran()
  skip_unless_nightly()
  income <- subset(ce_income, income > 0)
  richer <- transform(income, income = income > 50000)
  amounts <- list("(Intercept)" = 10.8, sigma = 1)
  cases <- list(
    list(log(income) ~ ., income, gaussian(), c(1000, 1e6), amounts),
    list(log(income) ~ ., income, student_t(3), c(1000, 1e6), amounts),
    list(income ~ ., richer, bernoulli(), NULL, list("(Intercept)" = 0))
  )
  short <- sampler_control(progress = FALSE)
  for (case in cases) {
    fit_with <- function(...) {
      suppressWarnings(fit_synthesizer(
        case[[1]], case[[2]], case[[3]],
        seed = 1, threads = 1, ...
      ), classes = "pseudosynth_warning_convergence")
    }
    failed <- fit_with(
      censor = censor(1, interval = "symmetric"),
      chains = 1, warmup = 10, draws = 20
    )
    expect_false(failed$converged)
    expect_no_match(failed$problems, "prior_normal")
    window <- if (!is.null(case[[4]])) NULL else 2
    centred <- censor(1, reference = case[[5]], window = window)
    expect_true(fit_with(censor = centred)$converged)
    job <- pseudo_posterior(
      case[[1]], case[[2]], case[[3]],
      epsilon = 1, seed = 1, threads = 1, control = short,
      bounds = case[[4]], mechanism = "centred", reference = case[[5]],
      window = window
    )
    expect_true(job$internal$fits[[1]]$converged)
  }
})
