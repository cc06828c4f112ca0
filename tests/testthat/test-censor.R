crude <- list("(Intercept)" = 10.8, sigma = 1)

small_censored <- function(rule, ..., draws = 1500) {
  suppressWarnings(
    fit_synthesizer(
      log(income) ~ age + earner, privacy_data(), gaussian(),
      prior = prior_normal(1, c(10.8, 2.5)), censor = rule, chains = 2,
      warmup = 300, draws = draws, seed = 1, threads = 1,
      control = sampler_control(sampler = "nuts"), ...
    ),
    classes = "pseudosynth_warning_convergence"
  )
}

test_that("the interval has the width that epsilon buys", {
  rule <- censor(3)
  expect_equal(c(rule$lower, rule$upper), c(-1.5, 1.5))
  rule <- censor(3, neighbours = "replace")
  expect_equal(c(rule$lower, rule$upper), c(-0.75, 0.75))
  rule <- censor(3, interval = "negative")
  expect_equal(c(rule$lower, rule$upper), c(-3, 0))
  rule <- censor(lower = -4, upper = -1)
  expect_equal(rule$epsilon, 3)
  expect_equal(censor(2, lower = -3)$upper, -1)
  expect_equal(censor(lower = 0, upper = 1, neighbours = "replace")$epsilon, 2)
})

test_that("the family decides the interval without a reference", {
  never_positive <- poisson_family()
  rule <- resolve_censor(censor(3), never_positive)
  expect_equal(c(rule$lower, rule$upper), c(-3, 0))
  half <- resolve_censor(censor(3, neighbours = "replace"), never_positive)
  expect_equal(c(half$lower, half$upper), c(-1.5, 0))
  symmetric <- resolve_censor(censor(3, interval = "symmetric"), never_positive)
  expect_equal(c(symmetric$lower, symmetric$upper), c(-1.5, 1.5))
  centred <- resolve_censor(
    censor(3, reference = crude, window = 2), never_positive
  )
  expect_equal(c(centred$lower, centred$upper), c(-1.5, 1.5))
  normal <- resolve_censor(censor(3), gaussian_family())
  expect_equal(c(normal$lower, normal$upper), c(-1.5, 1.5))
  # Once fixed, a rule stays
  expect_identical(resolve_censor(rule, never_positive), rule)
})

test_that("the window gives the public weight", {
  alpha <- function(...) {
    resolve_censor(censor(..., reference = crude), gaussian_family())$alpha
  }
  expect_equal(alpha(1, window = 2), 1 / 4)
  expect_equal(alpha(1, window = 2, neighbours = "replace"), 1 / 8)
  expect_equal(alpha(10, window = 2), 1)
  expect_equal(alpha(1), 1 / 8)
  expect_null(resolve_censor(censor(1), gaussian_family())$alpha)
  expect_error(
    resolve_censor(censor(1, reference = crude), neg_binomial()),
    class = "pseudosynth_error_input"
  )
})

test_that("a centred fit clips alpha times the log ratio to the reference", {
  fit <- small_censored(censor(1, reference = crude))
  y <- log(privacy_data()$income)
  expect_equal(fit$censor$window, 4)
  expect_equal(unique(fit$spec$alpha), 1 / 8)
  expect_equal(
    fit$spec$censor$centre, dnorm(y, 10.8, 1, log = TRUE) / 8,
    tolerance = 1e-12
  )
  ratio <- log_lik(fit) / 8 - rep(fit$spec$censor$centre, each = 3000)
  clipped <- pmin(pmax(ratio, -0.5), 0.5)
  bound <- apply(abs(clipped), 2, max)
  expect_equal(fit$bound$record, bound, tolerance = 1e-10)
  expect_lte(fit$bound$overall, 0.5)
  expect_identical(guarantee(fit)$label, "strict")
})

test_that("slopes and weights enter the centre", {
  reference <- c(crude, list("earner2 earners" = 0.5))
  columns <- colnames(unweighted_fit()$draws)
  slope <- setdiff(columns, c("(Intercept)", "sigma"))[1]
  names(reference)[3] <- slope
  weights <- rep(c(0, 0.5, 1), 50)
  fit <- small_censored(
    censor(1, reference = reference, window = 4),
    privacy_weights = weights, draws = by_night(1500, 50)
  )
  draw <- stats::setNames(rep(0, length(columns)), columns)
  draw[names(reference)] <- unlist(reference)
  f <- as.vector(log_lik_(
    unweighted_fit()$spec, matrix(draw, 1)
  ))
  expect_equal(fit$spec$alpha, weights / 8)
  expect_equal(fit$spec$censor$centre, weights / 8 * f, tolerance = 1e-12)
})

test_that("a fit on other data serves by its posterior mean alone", {
  history <- fit_synthesizer(
    log(income) ~ age + earner, privacy_data(400)[151:400, ], gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 5
  )
  rule <- censor(1, reference = history)
  expect_identical(rule$reference$origin, "history")
  expect_equal(rule$reference$values, colMeans(history$draws))
  secret <- privacy_data(400)$income[151:400]
  expect_equal(count_held(rule, log(secret[secret > 1])), 0)
  expect_equal(count_held(rule, history$draws[1:50, "sigma"]), 0)
  fit <- small_censored(rule, draws = by_night(1500, 50))
  draw <- matrix(colMeans(history$draws), 1)
  expect_equal(
    fit$spec$censor$centre, as.vector(log_lik_(unweighted_fit()$spec, draw)) / 8
  )
})

test_that("numeric predictors keep the scaling of the reference", {
  data <- simulated()
  other <- simulated(80)[61:80, ]
  other <- rbind(other, transform(data[1:30, ], y = y + 0.1, x = x + 20))
  history <- quick_fit(data = other, prior = prior_normal())
  fit <- quick_fit(
    prior = prior_normal(), censor = censor(2, reference = history),
    draws = 100, warmup = 300, control = sampler_control(sampler = "nuts")
  ) |> suppressWarnings()
  z <- (data$x - mean(other$x)) / sd(other$x)
  b <- colMeans(history$draws)
  eta <- b[["(Intercept)"]] + b[["groupb"]] * (data$group == "b") +
    b[["groupc"]] * (data$group == "c") + b[["x"]] * z
  expect_equal(
    fit$spec$censor$centre, dnorm(data$y, eta, b[["sigma"]], TRUE) / 4
  )
})

test_that("a reference of the wrong model or of the file itself is refused", {
  refused <- function(reference, class = "pseudosynth_error_input") {
    expect_error(
      small_censored(censor(1, reference = reference, window = 4), draws = 50),
      class = class
    )
  }
  refused(list("(Intercept)" = 10.8))
  refused(list(sigma = 1, slope = 2))
  refused(list(sigma = -1))
  refused(quick_fit())
  refused(quick_fit(log(income) ~ age, privacy_data(60)))
  refused(quick_fit(income ~ age + earner, privacy_data(60)))
  refused(unweighted_fit(), "pseudosynth_error_privacy")
  # Shuffling the records does not help
  shuffled <- quick_fit(
    log(income) ~ age + earner, privacy_data()[150:1, ],
    prior = prior_normal()
  )
  refused(shuffled, "pseudosynth_error_privacy")
})

test_that("bad rules are refused", {
  bad <- function(...) {
    expect_error(censor(...), class = "pseudosynth_error_input")
  }
  bad()
  for (epsilon in list(0, -1, Inf, NaN, NA, "1", c(1, 2), TRUE)) {
    bad(epsilon)
  }
  for (window in list(0, -2, Inf, "2", c(1, 2))) {
    bad(1, reference = crude, window = window)
  }
  for (reference in list(methods::getClass("numeric"), quote(f(x)), sum)) {
    bad(1, reference = reference)
  }
  bad(1, window = 2)
  bad(lower = 1, upper = 1)
  bad(lower = 2, upper = 1)
  bad(lower = -1)
  bad(5, lower = -1, upper = 1)
  bad(1, neighbours = "both")
  bad(1, interval = "wide")
  for (reference in list(
    3, "x", list(1, 2), list(sigma = "a"), list(sigma = NA_real_),
    list(sigma = 1, sigma = 2), data.frame(sigma = 1), list(sigma = 1:2)
  )) {
    bad(1, reference = reference)
  }
  expect_error(
    quick_fit(censor = list(lower = -1, upper = 1)),
    class = "pseudosynth_error_input"
  )
})

test_that("an improper prior is refused", {
  improper <- prior_normal()
  improper$scale <- Inf
  expect_error(
    quick_fit(prior = improper, censor = censor(1)), "finite",
    class = "pseudosynth_error_input"
  )
})

test_that("update() sets and removes a rule", {
  # By day of one predictor: clipped chains of more take long to start
  before <- by_night(
    unweighted_fit(),
    quick_fit(log(income) ~ earner, privacy_data(), prior = prior_normal())
  )
  fit <- update(
    before, warmup = by_night(200, 100), draws = by_night(1000, 100),
    censor = censor(2), seed = 1, control = sampler_control(sampler = "nuts")
  ) |>
    suppressWarnings()
  expect_equal(fit$spec$censor$lower, -1)
  expect_equal(fit$spec$alpha, rep(1, 150))
  again <- update(fit, seed = 1) |> suppressWarnings()
  expect_equal(again$spec$censor, fit$spec$censor)
  expect_null(
    suppressWarnings(update(fit, censor = NULL, seed = 1))$spec$censor
  )
})

test_that("rules print in full", {
  expect_output(print(censor(1)), "add-remove 1.00, replace 2.00")
  rule <- resolve_censor(censor(1, reference = crude), gaussian_family())
  expect_output(print(rule), "sigma = 1")
  expect_output(print(rule), "0.125, public")
  expect_match(format(rule), "window 4")
})

test_that("NUTS, which goes by gradients, has the grid's law under a clip", {
  skip_on_cran()
  withr::local_seed(1)
  z <- stats::rnorm(40, 0.3, 0.15)
  draws <- by_night(2000, 1000)
  cases <- list(
    list(stats::plogis(z), beta_response(c(0, 1)), 1),
    list(z, stats::gaussian(), 0.5), list(z, student_t(3), 0.5),
    list(stats::rpois(40, exp(1 + z)), stats::poisson(), 2),
    list(stats::rpois(40, exp(2 * z)), neg_binomial(), 2),
    list(ifelse(z > 0.2, "yes", "no"), bernoulli(), 0.5)
  )
  for (case in by_night(cases, cases[c(1, 3, 5, 6)])) {
    drawn <- lapply(c("grid", "nuts"), function(sampler) {
      fit_synthesizer(y ~ 1, data.frame(y = case[[1]]), case[[2]],
        prior = prior_normal(intercept = c(0, 1)), censor = censor(case[[3]]),
        chains = 4, warmup = by_night(1000, 300), draws = draws, seed = 3,
        control = sampler_control(sampler, progress = FALSE)
      )$draws
    })
    for (j in seq_len(ncol(drawn[[1]]))) {
      distance <- suppressWarnings(
        stats::ks.test(drawn[[1]][, j], drawn[[2]][, j])$statistic
      )
      expect_lt(distance, by_night(0.06, 0.08), label = format(case[[2]]))
    }
  }
})
