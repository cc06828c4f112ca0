input_error <- "pseudosynth_error_input"

test_that("base R's families are accepted as object, function and name", {
  for (given in list(gaussian(), gaussian, "gaussian")) {
    family <- as_synth_family(given)
    expect_s3_class(family, "synth_family")
    expect_identical(family$likelihood, "gaussian")
    expect_identical(family$K, 1L)
  }
  for (given in list(poisson(), poisson, "poisson", stats::poisson)) {
    family <- as_synth_family(given)
    expect_identical(family$likelihood, "poisson")
    expect_identical(family$kind, "count")
  }
  for (given in list(binomial(), binomial, "binomial", bernoulli)) {
    expect_identical(as_synth_family(given), bernoulli())
  }
})

test_that("nothing of the stats package is masked", {
  shared <- intersect(
    getNamespaceExports("pseudosynth"), getNamespaceExports("stats")
  )
  expect_identical(shared, character())
})

test_that("our families are accepted as object, function and name", {
  expect_true(as_synth_family(lognormal)$log_response)
  expect_true(as_synth_family("lognormal")$log_response)
  expect_identical(as_synth_family(normal_mixture)$K, 10L)
  expect_identical(as_synth_family(normal_mixture(3))$K, 3L)
  expect_identical(as_synth_family(normal_mixture(3))$sigma_floor, 0.3)
  expect_identical(as_synth_family(student_t)$df, 3)
  expect_identical(as_synth_family("neg_binomial"), neg_binomial())
})

test_that("other families and links are refused, with what to use instead", {
  expect_refused(as_synth_family(gaussian("log")), "identity link")
  expect_refused(as_synth_family(poisson("sqrt")), "must have the log link")
  expect_refused(as_synth_family(binomial("probit")), "must have the logit")
  expect_refused(as_synth_family(Gamma()), "pseudosynth::lognormal\\(\\)")
  expect_refused(
    as_synth_family(quasipoisson()), "pseudosynth::neg_binomial\\(\\)"
  )
  expect_refused(as_synth_family(inverse.gaussian()), "of another package")
  expect_refused(as_synth_family("cauchy"), "must be one of")
  expect_refused(as_synth_family(1), "must be a family")
  expect_refused(as_synth_family(mean), "must be a family")
})

test_that("a family whose bounds are missing is refused under every form", {
  for (given in list(beta_response, "beta_response")) {
    expect_refused(as_synth_family(given), "`bounds` must be given")
  }
})

test_that("normal_mixture() refuses a bad K and a floor of 0", {
  expect_error(normal_mixture(0), class = input_error)
  expect_error(normal_mixture(1.5), class = input_error)
  expect_error(normal_mixture(2, sigma_floor = 0), class = input_error)
  expect_error(normal_mixture(2, sigma_floor = Inf), class = input_error)
})

test_that("a family prints as the user writes it", {
  expect_identical(format(lognormal()), "lognormal()")
  expect_identical(
    format(normal_mixture(5)), "normal_mixture(K = 5, sigma_floor = 0.3)"
  )
  expect_identical(format(student_t(4)), "student_t(df = 4)")
  expect_identical(
    format(beta_response(c(0, 600000))),
    "beta_response(bounds = c(0, 600000))"
  )
  expect_identical(format(as_synth_family("poisson")), "poisson()")
  expect_output(print(normal_mixture(5)), "5 normal regressions")
  expect_output(print(lognormal()), "log of the response")
  expect_output(print(student_t(4)), "4 degrees of freedom")
  expect_output(print(neg_binomial()), "mean + mean^2/size",
    fixed = TRUE
  )
  expect_output(print(beta_response(c(0, 6e5))), "public bounds 0 and 600000")
  expect_output(print(bernoulli()), "probability inverse-logit\\(x'b\\)")
})

test_that("every family names its extra parameters and their priors", {
  expect_identical(names(student_t()$extras), "sigma")
  expect_identical(names(neg_binomial()$extras), "size")
  expect_identical(names(beta_response(0:1)$extras), "precision")
  expect_length(bernoulli()$extras, 0)
  expect_length(as_synth_family("poisson")$extras, 0)
  expect_match(neg_binomial()$extras, "half-Cauchy(0, 5)", fixed = TRUE)
  expect_match(beta_response(0:1)$extras, "Pareto(0.1, 1.5)", fixed = TRUE)
})
