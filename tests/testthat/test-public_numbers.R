# The proposals of a clipped fit's problems, as arguments
proposed <- function(fit, what = "prior|censor") {
  line <- grep("public knowledge", fit$problems, value = TRUE)
  pattern <- sprintf("`(%s) = [^`]*`", what)
  code <- regmatches(line, gregexpr(pattern, line))[[1]]
  eval(parse(text = sprintf("list(%s)", toString(gsub("`", "", code)))))
}

test_that("what a clipped fit proposes when it fails can be run, and works", {
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
  cases <- list(
    list(yes ~ a + b + c, bernoulli()),
    list(count ~ a + b + c, poisson()),
    list(count ~ a + b + c, neg_binomial()),
    list(share ~ a + b + c, beta_response(c(0, 1))),
    list(log(income) ~ a + b + c, gaussian()),
    list(log(income) ~ a + b + c, student_t(3))
  )
  for (case in by_night(cases, cases[c(1, 5)])) {
    fit_with <- function(censor, ...) {
      suppressWarnings(fit_synthesizer(
        case[[1]], data, case[[2]],
        censor = censor, seed = 1, threads = 1, ...
      ), classes = "pseudosynth_warning_convergence")
    }
    failed <- fit_with(censor(1), chains = 1, warmup = 10, draws = 20)
    expect_false(failed$converged)
    public <- proposed(failed)
    expect_named(public, c("censor", "prior"))
    expect_identical(public$censor$epsilon, 1)
    for (fit in list(
      fit_with(public$censor), fit_with(public$censor, prior = public$prior)
    )) {
      expect_true(fit$converged)
      expect_identical(guarantee(fit)$label, "strict")
      expect_length(fit$problems, 0)
    }
  }
})

test_that("only what a fit lacks is proposed", {
  fit <- function(...) {
    suppressWarnings(fit_synthesizer(
      log(income) ~ age, privacy_data(), gaussian(),
      chains = 1, warmup = 10, draws = 20, seed = 1, threads = 1, ...
    ), classes = "pseudosynth_warning_convergence")
  }
  reference <- list("(Intercept)" = 10.8, sigma = 1)
  prior <- prior_normal(1, c(10.8, 2.5))
  centred <- censor(1, reference = reference)
  expect_named(proposed(fit(censor = censor(1), prior = prior)), "censor")
  expect_named(proposed(fit(censor = centred)), "prior")
  both <- fit(censor = centred, prior = prior)
  expect_false(both$converged)
  expect_no_match(both$problems, "public knowledge")
  for (neighbours in c("add-remove", "replace")) {
    rule <- censor(1, neighbours)
    again <- proposed(fit(censor = rule))$censor
    expect_identical(again$neighbours, neighbours)
    expect_identical(again$upper - again$lower, rule$upper - rule$lower)
  }
  expect_no_match(fit()$problems, "public knowledge")
})

test_that("the proposal works for 39 coefficients, in a fit and in a job", {
  skip_on_cran()
  skip_unless_nightly()
  income <- subset(ce_income, income > 0)
  richer <- transform(income, income = income > 50000)
  cases <- list(
    list(log(income) ~ ., income, gaussian(), c(1000, 1e6)),
    list(log(income) ~ ., income, student_t(3), c(1000, 1e6)),
    list(income ~ ., richer, bernoulli(), NULL)
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
    public <- proposed(failed)
    expect_named(public, "censor")
    expect_true(fit_with(censor = public$censor)$converged)
    again <- proposed(failed, "mechanism")
    expect_identical(again$mechanism, "centred")
    job <- do.call(pseudo_posterior, c(
      list(case[[1]], case[[2]], case[[3]],
        epsilon = 1, seed = 1, threads = 1, control = short,
        bounds = case[[4]]
      ),
      again
    ))
    expect_true(job$internal$fits[[1]]$converged)
  }
})
