# Clipped likelihoods of few parameters: plateaus, clones and modes far apart,
# which chains got lost in while they agreed with each other.

# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

clipped_fit_of <- function(formula, data, family, epsilon, prior = NULL,
                           seed = 1, ...) {
  suppressWarnings(fit_synthesizer(
    formula, data, family,
    prior = prior, censor = censor(epsilon), chains = 4, warmup = 1,
    draws = 1000, seed = seed, threads = 1, ...
  ), classes = "pseudosynth_warning_convergence")
}

grid_files <- function(each = by_night(60, 20)) {
  withr::with_seed(5, list(
    clones = list(y ~ 1, data.frame(y = rep(c(0.5, 0.52), c(120, 80))),
      beta_response(c(0, 1)), 0.3
    ),
    "one far" = list(
      y ~ 1, data.frame(y = rep(c(0.5, 0.52, 0.9995), c(120, 79, 1))),
      beta_response(c(0, 1)), 0.3
    ),
    "two modes" = list(
      y ~ 1, data.frame(y = rep(c(-1, 1, 6), c(each, each, 1))), gaussian(), 5,
      prior_normal(1, c(0, 2))
    ),
    heaps = list(
      y ~ 1, data.frame(y = round(rnorm(300))), student_t(3), 1,
      prior_normal(1, c(0, 2))
    ),
    counts = list(
      y ~ 1, data.frame(y = rep(c(3, 30, 500), c(50, 50, 1))),
      neg_binomial(), 1, prior_normal(1, c(0, 2))
    ),
    "yes/no" = list(
      y ~ x, data.frame(y = rep(0:1, c(80, 20)), x = rnorm(100)),
      bernoulli(), 1, prior_normal(1, c(0, 2))
    )
  ))
}

grid_fit <- function(name) {
  remember(paste("grid", name), do.call(clipped_fit_of, grid_files()[[name]]))
}

test_that("clipped models of few parameters are drawn from their posterior", {
  few <- c("two modes", "counts")
  for (name in by_night(names(grid_files()), few)) {
    fit <- grid_fit(name)
    expect_identical(fit$control$sampler, "grid")
    expect_true(fit$converged)
    # The 99.9% point of the distance of 4,000 independent draws is .031
    expect_lt(distance_to_dense(fit, dense_posterior(fit)), 0.035)
  }
})

test_that("chains lost in clones gave an event .31 that has .0153", {
  event <- function(name) {
    fit <- grid_fit(name)
    u <- log(fit$draws[, 2] - 0.1)
    mean(abs(fit$draws[, 1] - 0.03) < 0.174 & u > 0.901 & u < 0.941)
  }
  error <- sqrt(0.0153 / 4000)
  expect_lt(abs(event("clones") - 0.0153), 4 * error)
  expect_lt(abs(event("one far") - 0.0153), 4 * error)
})

test_that("the grid agrees with the chains where these are right", {
  data <- simulated(60)
  on <- function(sampler, seed) {
    clipped_fit_of(
      y ~ 1, data, student_t(3), 10, prior_normal(1, c(0, 2)), seed,
      privacy_weights = public_scalar(0.7), control = sampler_control(sampler)
    )
  }
  grid <- on("grid", 1)
  chains <- suppressWarnings(update(grid,
    warmup = 500, seed = 2, control = sampler_control("surrogate")
  ))
  z <- (colMeans(grid$draws) - colMeans(chains$draws)) /
    apply(chains$draws, 2, sd) * sqrt(300)
  expect_lt(max(abs(z)), 4)
  expect_lte(grid$bound$overall, 5)
})

test_that("the hierarchical prior of one coefficient is integrated out", {
  fit <- clipped_fit_of(
    y ~ 1, simulated(40), student_t(3), 2, prior_hierarchical()
  )
  expect_identical(fit$control$sampler, "grid")
  expect_identical(colnames(fit$hyper), "tau[(Intercept)]")
  expect_lt(distance_to_dense(fit, dense_posterior(fit)), 0.035)
})

test_that("a label from the grid speaks of no Markov chain", {
  label <- guarantee(grid_fit("one far"))
  expect_identical(label$label, "strict")
  expect_match(label$reasons, "no Markov", all = FALSE)
  expect_no_match(label$reasons, "sampler's error is not certified")
})

test_that("draws of the grid are those of its seed, at any number of threads", {
  file <- grid_files()$counts
  one <- grid_fit("counts")
  expect_identical(do.call(clipped_fit_of, file)$draws, one$draws)
  again <- lapply(1:2, function(n) update(one, seed = 2, threads = n)$draws)
  expect_identical(again[[1]], again[[2]])
})

test_that("the grid is refused where there are more parameters", {
  expect_error(
    clipped_fit_of(y ~ group + x, simulated(60), gaussian(), 1,
      prior_normal(1, c(0, 2)),
      control = sampler_control("grid")
    ),
    class = "pseudosynth_error_input"
  )
  expect_error(
    clipped_fit_of(y ~ x, simulated(60), student_t(3), 1, prior_hierarchical(),
      control = sampler_control("grid")
    ),
    class = "pseudosynth_error_input"
  )
})

test_that("a grid that leaves mass unresolved is no converged fit", {
  fit <- grid_fit("clones")
  fit$sampler$grid[["unresolved"]] <- 0.2
  fit <- diagnose(fit)
  expect_false(fit$converged)
  expect_match(fit$problems, "unresolved", all = FALSE)
})

test_that("plateaus of clones on a wide scale are found and weighed", {
  files <- list(
    list(
      y = c(rep(0, 100), rep(1000, 100), 500),
      prior = prior_normal(1, c(0, 1500)), epsilon = c(1, 5)
    ),
    list(
      y = c(rep(50000, 199), 80000), prior = prior_normal(1, c(50000, 50000)),
      epsilon = 1
    ),
    list(
      y = c(rep(0, 150), rep(1000, 49), 5000),
      prior = prior_normal(1, c(0, 1500)), epsilon = 0.3
    )
  )
  # The last one's plateaus, of fewer records that count for more
  few <- list(list(
    y = c(rep(0, 30), rep(1000, 10), 5000), prior = files[[3]]$prior,
    epsilon = 1.5
  ))
  for (file in by_night(files, few)) {
    for (epsilon in file$epsilon) {
      fit <- fit_synthesizer(
        y ~ 1, data.frame(y = file$y), student_t(3),
        prior = file$prior, censor = censor(epsilon), seed = 1, chains = 2,
        draws = 1500, control = sampler_control(progress = FALSE)
      )
      expect_true(fit$converged)
      truth <- posterior_around(
        fit, unique(file$y), file$prior$intercept[2]
      )
      expect_lt(distance_around(fit, truth), 0.05)
    }
  }
})

test_that("clipped models of three parameters weigh two sharp modes", {
  withr::local_seed(1)
  y <- c(rnorm(100, -3, 0.05), rnorm(100, 3, 0.05))
  z <- seq(-1, 1, length.out = 200)
  fit <- fit_synthesizer(
    y ~ z, data.frame(y, z), gaussian(),
    censor = censor(2), prior = prior_normal(2, c(0, 5)),
    response = public_response(digits = NA), seed = 1,
    control = sampler_control(progress = FALSE)
  )
  expect_true(fit$converged)
  expect_identical(fit$control$sampler, "surrogate")
  # importance sampling, uniform boxes and local grids say .46 to .49
  share <- mean(fit$draws[, 1] > 0)
  expect_gt(share, 0.38)
  expect_lt(share, 0.57)
})

test_that("a clip so wide that the grid overflows is refused, in words", {
  fit <- suppressWarnings(
    fit_synthesizer(
      y ~ 1, data.frame(y = c(0.2, 0.4, 0.7)), gaussian(),
      prior = prior_normal(1, c(0, 2)), censor = censor(1e300), draws = 100,
      seed = 1, threads = 1
    ),
    classes = "pseudosynth_warning_convergence"
  )
  expect_false(fit$converged)
  expect_match(fit$problems, "The grid leaves an unknown share", all = FALSE)
  expect_identical(guarantee(fit)$label, "none")
})

test_that("the grid reaches as far as parameters do together", {
  # A predictor far from 0: along its own axis the intercept reaches a tenth of
  # what it does together with the slope
  data <- withr::with_seed(3, {
    x <- stats::rnorm(60, 10, 0.3)
    data.frame(y = stats::rpois(60, exp(0.3 + 0.05 * x)), x)
  })
  fit <- fit_synthesizer(
    y ~ x, data, poisson(), prior_normal(0.3, c(4, 1)),
    scaling = list(x = c(0, 1)), seed = 1,
    control = sampler_control("grid", progress = FALSE)
  )
  expect_true(fit$converged)
  # Quadrature over the linear predictor at the middle, and the slope
  middle <- mean(data$x)
  fitted <- stats::glm(y ~ x, stats::poisson(), data)
  at <- sum(stats::coef(fitted) * c(1, middle))
  points <- expand.grid(
    at = at + seq(-6, 6, length.out = 121) / sqrt(sum(data$y)),
    b = stats::coef(fitted)[[2]] + seq(-8, 8, length.out = 321) *
      sqrt(stats::vcov(fitted)[2, 2])
  )
  points$a <- points$at - points$b * middle
  prior <- fit$spec$prior
  log_prior <- function(x, j) {
    stats::dnorm(x, prior$location[j], prior$scale[j], log = TRUE)
  }
  f <- points$a * sum(data$y) + points$b * sum(data$y * data$x) -
    rowSums(exp(points$a + outer(points$b, data$x))) +
    log_prior(points$a, 1) + log_prior(points$b, 2)
  w <- exp(f - max(f)) / sum(exp(f - max(f)))
  for (j in 1:2) {
    x <- points[[c("a", "b")[j]]]
    sd <- sqrt(sum(w * x^2) - sum(w * x)^2)
    # Of 4,000 independent draws the sd has a standard error of .011
    expect_lt(abs(stats::sd(fit$draws[, j]) / sd - 1), 0.04)
    expect_lt(abs(mean(fit$draws[, j]) - sum(w * x)) / sd, 0.06)
  }
})
