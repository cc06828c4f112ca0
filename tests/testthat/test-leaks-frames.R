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

# sets: values that must not be there at all; ordered: columns that must not be
# there in their order, whatever the type
expect_alone <- function(object, what, sets = NULL, ordered = list()) {
  bytes <- serialize(object, NULL, xdr = TRUE)
  doubles <- c(exp(1) * 1000 + 1:50 / 7, sets)
  in_order <- vapply(ordered, function(y) {
    code <- as.integer(if (is.character(y)) factor(y) else y)[1:40]
    any(vapply(list(code, as.double(code)), function(run) {
      length(grepRaw(writeBin(run, raw(), endian = "big"), bytes,
        fixed = TRUE
      )) > 0
    }, NA))
  }, NA)
  expect_identical(
    c(
      length(grepRaw("SENTINEL", bytes, fixed = TRUE)),
      length(found_doubles(bytes, doubles)), sum(in_order)
    ), c(0L, 0L, 0L),
    label = what
  )
}

test_that("a column in its order is found, as whole numbers and as doubles", {
  y <- withr::with_seed(1, rpois(80, 4))
  for (held in list(y, as.double(y), factor(letters[y + 1]))) {
    hidden <- function() held
    expect_failure(expect_alone(hidden, "it", ordered = list(held)))
  }
  expect_alone(list(sort(y), rev(y)), "it", ordered = list(y))
})

test_that("figures of sets hold no frame and no record, for every response", {
  cases <- framed_responses()
  # By day one of each kind of numbers and classes
  few <- c("log", "count", "many", "two", "levels", "proportion")
  for (kind in by_night(names(cases), few)) {
    case <- cases[[kind]]
    synthetic <- synthesize(short_fit(case), 2, allow_unconverged = TRUE) |>
      suppressWarnings() |>
      suppressMessages()
    columns <- lapply(as.list(synthetic), `[[`, "y")
    y <- unlist(columns)
    values <- if (is.double(y)) y[y != round(y)]
    whole <- if (is.null(values) || length(values) == 0) {
      c(columns, list(case$data$y))
    }
    figures <- in_a_frame(function(secret) {
      list(plot(synthetic), autoplot(synthetic), autoplot(synthetic, "E"))
    })
    for (figure in figures) {
      expect_alone(figure, kind, values, as.list(whole))
    }
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
    scores <- suppressWarnings(suppressMessages(score_release(
      log(y) ~ x, data,
      epsilon = 5, reference = reference, bounds = c(10, 1e6),
      scaling = list(x = c(0, 1))
    )), classes = "pseudosynth_warning_budget")
    list(
      plot(histogram), plot(scores), plot(scores, "margin"),
      plot(guarantee(scores))
    )
  })
  for (i in seq_along(made)) {
    expect_alone(made[[i]], paste("figure", i), case$data$y)
  }
})

test_that("what is said of histograms, scores and sets holds no frame", {
  references <- list(
    log = list("(Intercept)" = 9, sigma = 1), count = list("(Intercept)" = 1),
    binary = list("(Intercept)" = 0), levels = NULL
  )
  for (kind in names(references)) {
    case <- framed_responses()[[kind]]
    data <- case$data
    numbers <- is.numeric(data$y) && kind != "binary"
    made <- in_a_frame(function(secret) {
      scores <- suppressWarnings(suppressMessages(score_release(
        case$formula, data, case$family,
        epsilon = 5, reference = references[[kind]],
        bounds = if (numbers) c(if (kind == "log") 10 else 0, 1e6),
        scaling = list(x = c(0, 1)),
        response = if (kind == "levels") {
          public_response(levels = c("a", "b", "c"))
        }
      )))
      sets <- suppressWarnings(suppressMessages(
        synthesize(scores, 2, data["x"])
      ))
      histogram <- if (numbers) {
        suppressMessages(perturbed_histogram(
          stats::update(case$formula, . ~ 1), data,
          bounds = c(if (kind == "log") 10 else -1, 1e6), epsilon = 1
        ))
      }
      c(
        list(scores, plot(scores), guarantee(scores), guarantee(sets)),
        list(plot(sets), as.list(guarantee(scores)), summary(sets)),
        if (numbers) list(histogram, plot(histogram), guarantee(histogram)),
        list(
          capture.output(print(scores), print(sets), print(guarantee(sets))),
          generics::tidy(guarantee(scores)), generics::glance(guarantee(sets)),
          generics::glance(sets), as.data.frame(guarantee(sets))
        )
      )
    })
    for (i in seq_along(made)) {
      expect_alone(
        made[[i]], paste(kind, i),
        if (is.double(data$y)) data$y[data$y != round(data$y)], list(data$y)
      )
    }
  }
})

test_that("generators, their sets and what is released hold no frame", {
  skip_if_not_installed("jsonlite")
  objects <- leak_objects()
  data <- objects$data
  made <- in_a_frame(function(secret) {
    generator <- as_generator(objects$clipped)
    sets <- synthesize(generator, 1, data[names(data) != "y"])
    list(
      generator, sets, plot(sets), guarantee(generator), guarantee(sets),
      capture.output(print(generator), print(sets)),
      generics::glance(sets), to_json(guarantee(sets)),
      plot(guarantee(sets)), with(sets, stats::lm(y ~ group))
    )
  })
  for (i in seq_along(made)) {
    expect_alone(made[[i]], paste("object", i), data$y[data$y != round(data$y)])
  }
})
