input_error <- "pseudosynth_error_input"

test_that("the default prior is shared for mixtures, hierarchical otherwise", {
  expect_identical(resolve_prior(NULL, normal_mixture(2))$kind, "shared")
  expect_identical(resolve_prior(NULL, lognormal())$kind, "hierarchical")
})

test_that("prior_shared() is refused outside a mixture", {
  expect_error(
    resolve_prior(prior_shared(), lognormal()),
    class = input_error
  )
  expect_error(resolve_prior("normal", lognormal()), class = input_error)
})

test_that("prior numbers are checked", {
  expect_error(prior_hierarchical(lkj = 0), class = input_error)
  expect_error(prior_hierarchical(df = -1), class = input_error)
  expect_error(prior_normal(scale = 0), class = input_error)
  expect_error(prior_normal(intercept = 1), class = input_error)
  expect_error(prior_normal(intercept = c(1, 0)), class = input_error)
  expect_error(prior_shared(slope = c(0, NA)), class = input_error)
})

test_that("the intercept's numbers go to the intercept's column only", {
  spec <- prior_spec(prior_normal(2, c(10, 3)), c(TRUE, FALSE, FALSE))
  expect_identical(spec$location, c(10, 0, 0))
  expect_identical(spec$scale, c(3, 2, 2))
  spec <- prior_spec(
    prior_shared(0.5, intercept = c(10, 3), slope = c(1, 2)), c(TRUE, FALSE)
  )
  expect_identical(spec$location, c(10, 1))
  expect_identical(spec$m_scale, c(3, 2))
  expect_identical(spec$scale, 0.5)
})

test_that("without an intercept the first factor's levels take its prior", {
  data <- simulated()
  design <- new_design(y ~ 0 + group + x, data, "y")
  expect_identical(design$is_level, c(TRUE, TRUE, TRUE, FALSE))
})

test_that("no prior depends on the response", {
  data <- simulated()
  far <- transform(data, y = 1000 * y + 5)
  spec_of <- function(data) {
    model_spec(list(
      data = data, design = new_design(y ~ group + x, data, "y"),
      response = new_response(y ~ 1, data),
      family = as_synth_family("gaussian"), prior = prior_normal()
    ))
  }
  expect_identical(spec_of(data)$prior, spec_of(far)$prior)
})

test_that("priors print what they are", {
  expect_output(print(prior_hierarchical(lkj = 6)), "LKJ(6)", fixed = TRUE)
  expect_output(print(prior_shared()), "N(0, 20^2)", fixed = TRUE)
  expect_identical(
    format(prior_normal(1, c(10.8, 2.5))),
    "prior_normal(scale = 1, intercept = c(10.8, 2.5))"
  )
})

test_that("prior_summary() names every prior of a fit", {
  priors <- prior_summary(quick_fit())
  expect_identical(priors$coefficients, prior_hierarchical())
  expect_identical(names(priors$extras), "sigma")
  expect_output(print(priors), "half-t(3, 0, 1)", fixed = TRUE)
  priors <- prior_summary(quick_mixture())
  expect_match(priors$extras[["sigma"]], ">= 0.3")
  expect_match(priors$extras[["pi"]], "Dirichlet")
})
