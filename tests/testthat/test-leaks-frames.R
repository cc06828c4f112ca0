# A figure, print or result made inside a function that holds the file: nothing
# of the frame leaves with it, nor the sets in the order of the file.

framed_responses <- function() {
  withr::with_seed(5, {
    n <- 80
    x <- round(rnorm(n), 2)
    list(
      continuous = list(y ~ x, rnorm(n, 5), gaussian()),
      log = list(log(y) ~ x, exp(rnorm(n, 9)), gaussian()),
      count = list(y ~ x, rpois(n, 4), poisson()),
      many = list(y ~ x, rpois(n, 4000), poisson()),
      binary = list(y ~ x, rbinom(n, 1, 0.4), bernoulli()),
      logical = list(y ~ x, runif(n) < 0.4, bernoulli()),
      two = list(
        y ~ x, factor(sample(c("no", "yes"), n, TRUE)), bernoulli()
      ),
      levels = list(
        y ~ x, factor(sample(c("a", "b", "c"), n, TRUE)), categorical()
      ),
      proportion = list(y ~ x, rbeta(n, 3, 5), beta_response(c(0, 1)))
    ) |> lapply(function(case) {
      list(
        formula = case[[1]], data = data.frame(y = case[[2]], x = x),
        family = case[[3]]
      )
    })
  })
}

short_fit <- function(case) {
  suppressWarnings(suppressMessages(fit_synthesizer(
    case$formula, case$data, case$family,
    prior = prior_normal(), chains = 2, warmup = 50, draws = 50, seed = 1
  )))
}

# Runs `make` where a frame holds sentinels, text and doubles
in_a_frame <- function(make) {
  secret <- data.frame(
    name = sprintf("SENTINEL%03d", 1:50), amount = exp(1) * 1000 + 1:50 / 7
  )
  make(secret)
}

expect_alone <- function(object, what, sets = NULL) {
  bytes <- serialize(object, NULL, xdr = TRUE)
  doubles <- c(exp(1) * 1000 + 1:50 / 7, sets)
  expect_identical(
    c(
      length(grepRaw("SENTINEL", bytes, fixed = TRUE)),
      length(found_doubles(bytes, doubles))
    ), c(0L, 0L),
    label = what
  )
}

test_that("figures of sets hold no frame and no record, for every response", {
  cases <- framed_responses()
  for (kind in names(cases)) {
    case <- cases[[kind]]
    synthetic <- synthesize(short_fit(case), 2, allow_unconverged = TRUE) |>
      suppressWarnings() |>
      suppressMessages()
    y <- unlist(lapply(as.list(synthetic), `[[`, "y"))
    values <- if (is.double(y)) y[y != round(y)]
    figures <- in_a_frame(function(secret) {
      list(plot(synthetic), autoplot(synthetic), autoplot(synthetic, "E"))
    })
    for (figure in figures) expect_alone(figure, kind, values)
    expect_no_error(ggplot2::ggplot_build(figures[[1]]))
  }
})

test_that("models of sets and their figures hold no frame", {
  case <- framed_responses()$continuous
  synthetic <- suppressWarnings(suppressMessages(
    synthesize(short_fit(case), 2, allow_unconverged = TRUE)
  ))
  made <- in_a_frame(function(secret) {
    weight <- rep(1:2, 40)
    power <- 2
    double_of <- function(z) z * power
    fits <- with(synthetic, lm(y ~ double_of(x), weights = weight))
    named <- with(synthetic, lm(stats::as.formula("y ~ x")))
    list(
      fits, named, pool(fits), plot(pool(fits)), autoplot(pool(named)),
      with(synthetic, mean(y)), summary(synthetic), as.data.frame(synthetic),
      guarantee(synthetic)
    )
  })
  for (i in seq_along(made)) expect_alone(made[[i]], paste("object", i))
  expect_named(stats::coef(made[[1]][[1]]), c("(Intercept)", "double_of(x)"))
  expect_length(stats::predict(made[[1]][[1]], data.frame(x = 1:3)), 3)
})

test_that("figures of histograms, score releases and labels hold no frame", {
  case <- framed_responses()$log
  made <- in_a_frame(function(secret) {
    data <- case$data
    reference <- list("(Intercept)" = 9, sigma = 1)
    histogram <- perturbed_histogram(
      log(y) ~ 1, data,
      bounds = c(10, 1e6), epsilon = 1
    )
    scores <- suppressMessages(score_release(
      log(y) ~ x, data,
      epsilon = 5, reference = reference, bounds = c(10, 1e6),
      scaling = list(x = c(0, 1))
    ))
    list(
      plot(histogram), plot(scores), plot(scores, "margin"),
      plot(guarantee(scores))
    )
  })
  for (i in seq_along(made)) {
    expect_alone(made[[i]], paste("figure", i), case$data$y)
  }
})
