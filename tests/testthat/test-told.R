# What is said at the prompt: sets that differ from their file, values of
# which no model has a posterior, formulas that are written out.

skewed_file <- function() {
  withr::with_seed(1, {
    x <- sample(1:20, 600, TRUE)
    z <- ifelse(
      stats::runif(600) < 0.4, 0, exp(10 + 0.1 * x + stats::rnorm(600) * 0.8)
    )
    data.frame(x, z)
  })
}

test_that("synthesize() of a fit and release() say how sets differ", {
  data <- skewed_file()
  fit <- quick_fit(log1p(z) ~ x, data, stats::gaussian(),
    prior = prior_normal()
  )
  expect_message(
    synthesize(fit, m = 2, seed = 1), "The mean of the sets is",
    class = "pseudosynth_message_remarks"
  )
  # Two bins to a billion
  sets <- synthesize(
    perturbed_histogram(z ~ 1, data, c(0, 1e9), bins = 2, epsilon = 1),
    newdata = data["x"]
  )
  expect_message(
    release(sets, withr::local_tempfile(), data = data, public = "x"),
    "The mean of the sets is",
    class = "pseudosynth_message_remarks"
  )
  # Other records are not compared with the file's
  expect_no_message(
    synthesize(fit, newdata = data[1:50, ], seed = 1),
    class = "pseudosynth_message_remarks"
  )
  honest <- data.frame(
    x = data$x, y = 20 + withr::with_seed(2, stats::rnorm(600))
  )
  fit <- quick_fit(y ~ x, honest, stats::gaussian(), prior = prior_normal())
  expect_no_message(
    synthesize(fit, m = 2, seed = 1), class = "pseudosynth_message_remarks"
  )
})

test_that("`.` of a regression stands for the same columns in file and sets", {
  data <- withr::with_seed(4, data.frame(
    x = sample(1:9, 300, TRUE), extra = stats::rnorm(300)
  ))
  data$y <- exp(2 + 0.2 * data$x + data$extra)
  set <- data[c("y", "x")]
  found <- utility(set, data, "y", regression = log(y) ~ .)
  own <- summary(stats::lm(log(y) ~ x, data))$r.squared
  expect_equal(found$models$r_squared_file[1], own)
  expect_equal(found$table$r_squared, own)
  expect_equal(found$table$overlap, 1)
  expect_no_warning(
    without <- utility(set, data, "y", regression = log(y) ~ . - extra)
  )
  expect_equal(without$models$r_squared_file[1], own)
  expect_error(
    utility(set, data, "y", regression = log(y) ~ . + extra), "extra",
    class = "pseudosynth_error_input"
  )
  compared <- suppressMessages(compare(
    log(y) ~ . - extra, data, stats::gaussian(),
    mechanisms = "unweighted", m = 2, chains = 2, warmup = 200, draws = 500,
    prior = prior_normal(), seed = 1
  ))
  expect_equal(compared$confidential, own)
})

test_that("a formula's point is written out with its offsets and intercept", {
  written <- function(formula, columns, ...) {
    deparse1(without_dot(formula, columns, ...))
  }
  columns <- c("y", "a", "b c")
  expect_identical(written(y ~ ., columns), "y ~ a + `b c`")
  expect_identical(written(log(y) ~ . - 1, columns), "log(y) ~ a + `b c` - 1")
  expect_identical(written(y ~ a, columns), "y ~ a")
  expect_identical(written(y ~ ., "y"), "y ~ 1")
  expect_identical(
    written(y ~ . + offset(log(a)), columns),
    "y ~ a + `b c` + offset(log(a))"
  )
  expect_identical(written(y ~ .^2, columns), "y ~ a + `b c` + a:`b c`")
  expect_identical(
    written(y ~ . - id, columns, c(columns, "id")), "y ~ a + `b c`"
  )
})

test_that("standard deviations off by a factor of two are remarked", {
  y <- withr::with_seed(3, exp(3 + stats::rnorm(800)))
  far <- replace(y, 1:6, 1200)
  ratio <- stats::sd(far) / stats::sd(y)
  expect_gt(ratio, 2)
  expect_match(remark_sd(y, list(far)), "standard deviation")
  expect_match(remark_sd(far, list(y)), "standard deviation")
  expect_null(remark_sd(y, list(y)))
  # A constant file has a remark on its shared value
  expect_null(remark_sd(rep(2, 9), list(1:9)))
})

test_that("remarks name what they found", {
  y <- 11:30
  expect_match(
    remark_range(y, c(rep(1, 50), 11:60)),
    "50.0% of .* below the file's smallest, 30.0% above .* 2[.]0 times"
  )
  expect_no_match(remark_range(y, c(rep(1, 50), 11:30)), "times as far")
  # One record's own value is none that records share
  expect_null(remark_shared(c(1.25, 2:15), 101:115))
  expect_match(remark_shared(c(0, 0, 0, 1:12), 1:15), "20.0% of")
})

test_that("many levels are told to score releases in their own time", {
  expect_message(
    tell_many_levels(list(k = seq_len(1000)), 1e5, time_of_score_levels),
    "a release takes about 80 seconds",
    class = "pseudosynth_message_many_levels"
  )
  expect_match(time_of_levels(1000), "about 10 minutes")
  expect_match(time_of_score_levels(20), "about 1 second ")
})

test_that("a level without a name is refused, with its records", {
  data <- data.frame(
    y = withr::with_seed(1, stats::rnorm(30)),
    p = addNA(factor(rep(c("a", "b", NA), 10)))
  )
  error <- expect_error(
    fit_synthesizer(y ~ p, data, stats::gaussian()), "10 of 30 records",
    class = "pseudosynth_error_input"
  )
  expect_identical(error$rows, seq(3L, 30L, 3L))
  expect_error(
    score_release(y ~ p, data, stats::gaussian(),
      epsilon = 1, reference = list("(Intercept)" = 0, sigma = 1)
    ),
    "must have names",
    class = "pseudosynth_error_input"
  )
})

test_that("draws that are no numbers are an error", {
  draws <- matrix(1, 9, 2)
  expect_null(check_finite_draws(draws))
  draws[2:3, 1] <- c(NaN, Inf)
  expect_error(
    check_finite_draws(draws), "2 of 9",
    class = "pseudosynth_error_sampler"
  )
  # Squares beyond what R can hold
  data <- data.frame(y = 1:60)
  data$x <- data$y * 1e-300
  expect_error(
    fit_synthesizer(y ~ x, data, stats::gaussian()), "must be a positive",
    class = "pseudosynth_error_input"
  )
})

test_that("a t density around ties is said to have no bound", {
  data <- withr::with_seed(6, data.frame(
    x = sample(1:9, 300, TRUE),
    hours = ifelse(
      stats::runif(300) < 0.85, 40, round(stats::rnorm(300, 40, 9))
    )
  ))
  told <- function(df) {
    fit <- suppressWarnings(fit_synthesizer(hours ~ x, data, student_t(df),
      chains = 2, warmup = 100, draws = 100, seed = 1
    ))
    fit$problems
  }
  expect_match(told(3), "Above 75.0%, a t density with df = 3", all = FALSE)
  expect_no_match(paste(told(30), collapse = " "), "t density")
})

test_that("rows of sets, other formulas and files in a figure are answered", {
  fit <- unweighted_fit()
  sets <- small_job()$synthetic
  given <- "pseudosynth_error_input"
  expect_error(sets[1:2, ], "is a set", class = given)
  expect_length(sets[1], 1)
  expect_error(plot(sets, privacy_data()), "utility", class = given)
  expect_error(update(fit, . ~ . + x), "fit_synthesizer", class = given)
})
