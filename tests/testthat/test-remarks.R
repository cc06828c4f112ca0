test_that("collinear predictors are named, and their fit still runs", {
  data <- simulated()
  data$twice <- 2 * data$x + 1
  fit <- quick_fit(y ~ x + group + twice, data, prior = prior_normal())
  expect_true(fit$converged)
  expect_identical(fit$design$aliased, "twice")
  expect_match(
    fit$remarks,
    "Predictors are collinear \\(`twice`\\): only the prior separates"
  )
  expect_length(fit$problems, 0)
  expect_output(print(fit), "collinear")
})

aliased_columns <- function(spec, columns) columns[aliased_columns_(spec)]

test_that("columns that only resemble each other are not collinear", {
  data <- simulated(400)
  data$near <- data$x + withr::with_seed(1, stats::rnorm(400, 0, 0.01))
  spec <- quick_fit(y ~ x + near + group, data, draws = 20,
    control = sampler_control(min_ess = 1, max_rhat = 10)
  )$spec
  expect_identical(
    aliased_columns(spec, c("(Intercept)", "x", "near", "b", "c")), character()
  )
})

test_that("aliased columns are those of a rank-revealing decomposition", {
  data <- simulated()
  data$same <- data$group
  data$sum <- data$x + (data$group == "b")
  design <- new_design(y ~ group + x + same + sum, data, "y")
  spec <- design_parts(design, data)
  spec$y <- data$y
  spec$alpha <- rep(1, nrow(data))
  expect_identical(
    aliased_columns(spec, design$columns), c("sameb", "samec", "sum")
  )
})

test_that("the largest factor may stand anywhere among collinear columns", {
  data <- withr::with_seed(3, {
    big <- factor(sample(letters[1:12], 80, TRUE), letters[1:13])
    data.frame(
      y = rnorm(80), big = big, x = rnorm(80),
      half = factor(as.integer(big) %% 2), w = (big %in% c("b", "c")) + 0,
      own = (seq_len(80) %% 7 == 0) + 0
    )
  })
  data$z <- 2 * data$x + (data$big == "d")
  # By the definition, the largest factor first: does the column raise the rank
  # of those before?
  by_rank <- function(x, spec) {
    largest <- which.max(spec$n_levels)
    own <- if (length(largest) > 0) {
      spec$factor_column[largest] + seq_len(spec$n_levels[largest] - 1)
    }
    order <- c(own, setdiff(seq_len(ncol(x)), own))
    names <- colnames(x)
    x <- x[, order, drop = FALSE]
    rank <- vapply(seq_len(ncol(x)), function(j) {
      qr(x[, seq_len(j), drop = FALSE])$rank
    }, 1L)
    names[sort(order[diff(c(0L, rank)) == 0 & colSums(x^2) > 0])]
  }
  for (formula in list(
    y ~ big + half, y ~ half + big, y ~ x + z + big + half, y ~ w + big + own,
    y ~ half + x + big + z + w, y ~ big - 1 + half, y ~ half - 1 + w + big,
    y ~ big * own + half, y ~ x, y ~ x + z + w, y ~ w + own + half
  )) {
    design <- new_design(formula, data, "y")
    spec <- design_parts(design, data)
    spec$y <- data$y
    spec$alpha <- rep(1, 80)
    x <- dense_design(spec)
    colnames(x) <- design$columns
    expect_identical(
      aliased_columns(spec, design$columns), by_rank(x, spec),
      info = deparse(formula)
    )
  }
})

test_that("columns are swept panel by panel as one by one", {
  aliased <- function(x) {
    aliased_columns_(list(
      n_columns = ncol(x), intercept = FALSE, codes = matrix(0L, nrow(x), 0),
      n_levels = integer(), factor_column = integer(), numeric = x,
      numeric_column = seq_len(ncol(x)) - 1L
    ))
  }
  for (size in c(1, 2, 64, 65, 150)) {
    x <- withr::with_seed(size, matrix(stats::rnorm(200 * size), 200))
    expect_identical(aliased(x), integer())
    if (size < 64) next
    x[, 40] <- x[, 3] - 2 * x[, 7]
    x[, 12] <- 0
    x[, size] <- 3 * x[, size - 1]
    if (size > 100) x[, 130] <- x[, 70] + x[, 20]
    gone <- c(40, size, if (size > 100) 130)
    expect_identical(aliased(x), sort(as.integer(gone)))
  }
})

test_that("thousands of levels take no cube of them", {
  data <- withr::with_seed(4, data.frame(
    y = rnorm(9000), level = factor(sample(3000, 9000, TRUE)), x = rnorm(9000)
  ))
  data$odd <- as.integer(data$level) %% 2
  design <- new_design(y ~ level + odd + x, data, "y")
  spec <- design_parts(design, data)
  spec$y <- data$y
  spec$alpha <- rep(1, 9000)
  expect_identical(aliased_columns(spec, design$columns), "odd")
})

test_that("a level that no record has is named", {
  data <- simulated()
  data$group <- factor(data$group, c("a", "b", "c", "d"))
  fit <- quick_fit(y ~ group, data)
  expect_match(fit$remarks, "No record with positive weight has `groupd`")
  expect_length(fit$design$aliased, 0)
})

test_that("a fit without anything to remark has no remarks", {
  expect_identical(quick_fit()$remarks, character())
  expect_false(any(grepl("Remarks", capture.output(print(quick_fit())))))
})

test_that("a prior in another unit than the response's is remarked on", {
  withr::local_seed(1)
  data <- data.frame(x = rnorm(200))
  data$y <- 60000 + 8000 * data$x + rnorm(200, sd = 30000)
  quiet <- sampler_control(min_ess = 1, max_rhat = 10)
  wrong <- "prior is for another unit"
  fit <- function(prior) {
    quick_fit(y ~ x, data, prior = prior, draws = 50, control = quiet)
  }
  expect_match(fit(prior_normal())$remarks, wrong)
  expect_match(fit(prior_hierarchical())$remarks, wrong)
  expect_length(fit(prior_normal(20000, c(50000, 50000)))$remarks, 0)
  data$y <- data$y / 30000
  expect_length(fit(prior_normal())$remarks, 0)
})

test_that("a log amount with t errors has no mean unless bounded", {
  data <- simulated()
  data$y <- exp(data$y)
  quiet <- sampler_control(min_ess = 1, max_rhat = 10)
  fit <- function(family, response = NULL) {
    fit_synthesizer(
      log(y) ~ x, data, family,
      chains = 1, warmup = 50, draws = 50, response = response,
      control = quiet
    )$remarks
  }
  expect_match(fit(student_t(3)), "Synthetic y has no finite mean")
  expect_length(fit(student_t(3), public_response(bounds = c(1e-6, 1e6))), 0)
  expect_length(fit(gaussian()), 0)
})

test_that("what has no mean is not drawn without stated ends", {
  data <- simulated()
  data$y <- exp(data$y)
  none <- "pseudosynth_error_no_mean"
  job <- function(formula, family, ...) {
    suppressWarnings(suppressMessages(pseudo_posterior(
      formula, data, family,
      mechanism = "unweighted", prior = prior_normal(), chains = 1,
      warmup = 50, draws = 50, allow_unconverged = TRUE, ...
    )))
  }
  logs <- list(log(y) ~ x, log1p(y) ~ x, asinh(y) ~ x, asinh(y / 10) ~ x)
  for (formula in logs) {
    error <- expect_error(job(formula, student_t(3)), class = none)
    expect_match(conditionMessage(error), "bounds = c(", fixed = TRUE)
    # Nothing was fitted
    expect_null(error$fits)
  }
  for (formula in by_night(logs, logs[c(1, 4)])) {
    bounded <- job(
      formula, student_t(3),
      response = public_response(bounds = c(0.01, 1000))
    )
    expect_lte(max(bounded$synthetic[[1]]$y), 1000)
    bounded <- job(formula, student_t(3), bounds = c(0.01, 1000))
    expect_lte(max(bounded$synthetic[[1]]$y), 1000)
    expect_s3_class(job(formula, gaussian()), "pseudo_posterior")
  }
  expect_error(job(sqrt(y) ~ x, student_t(2)), class = none)
  expect_error(job(y ~ x, student_t(1)), class = none)
  expect_s3_class(job(sqrt(y) ~ x, student_t(2.5)), "pseudo_posterior")
  expect_s3_class(job(y ~ x, student_t(1.5)), "pseudo_posterior")
  fit <- suppressWarnings(fit_synthesizer(log(y) ~ x, data, student_t(3),
    prior = prior_normal(), chains = 1, warmup = 50, draws = 50
  ))
  expect_error(synthesize(fit, allow_unconverged = TRUE), class = none)
  expect_error(as_generator(fit, allow_unconverged = TRUE), class = none)
  ends <- suppressMessages(synthesize(
    fit,
    allow_unconverged = TRUE, bounds = c(0.01, 1000)
  ))
  expect_lte(max(ends[[1]]$y), 1000)
  release <- suppressWarnings(score_release(log(y) ~ x, data, student_t(3),
    epsilon = 5, reference = list(sigma = 1)
  ))
  expect_error(synthesize(release, 1, data), class = none)
})

test_that("a job says what an analyst would find in its sets alone", {
  remark_mean_of <- getFromNamespace("remark_mean", "pseudosynth")
  withr::local_seed(8)
  n <- 2000
  data <- data.frame(x = stats::rnorm(n))
  data$y <- 10 + data$x + stats::rt(n, 2)
  data$y[data$y < 0] <- 0.1
  job <- function(formula, family, data, mechanism = "unweighted", ...) {
    suppressWarnings(suppressMessages(pseudo_posterior(
      formula, data, family,
      mechanism = mechanism, prior = prior_normal(1, c(10, 5)), chains = 2,
      warmup = 200, draws = 500, seed = 1, ...
    )))
  }
  # Re-weighted normal errors: the tails are held back
  found <- job(y ~ x, gaussian(), data, "lw")
  expect_match(found$remarks, "R2 of the model's regression", all = FALSE)
  expect_output(print(found), "remark: R2")
  expect_output(print(summary(found)), "remark: R2")
  # Negative values where the file has none
  skewed <- data.frame(x = data$x, y = exp(stats::rnorm(n)))
  expect_match(
    job(y ~ x, gaussian(), skewed)$remarks, "negative; the file has none",
    all = FALSE
  )
  # Two clusters in the log, taken for one wide one
  clusters <- data.frame(x = data$x, y = exp(rep(c(0, 5), n / 2)))
  expect_match(
    job(log(y) ~ x, gaussian(), clusters)$remarks, "The mean of the sets is",
    all = FALSE
  )
  # A skewed file's mean is no less wrong for being hard to estimate
  few <- list(y = c(rep(1, 99), 500))
  expect_match(remark_mean_of(few$y, list(rep(1, 100))), "83.3% off")
  expect_match(remark_mean(c(0, 0), list(c(0, 1))), "is far off: it is 0.50")
  # One set among several
  expect_match(
    remark_mean_of(rep(4, 9), list(rep(4, 9), rep(6, 9))), "it is 6.00 in one"
  )
  expect_match(
    remark_mean_of(rep(4, 9), list(rep(4, 9), rep(4.9, 9))), "11.3% off"
  )
  expect_null(remark_mean_of(rep(4, 9), list(rep(4, 9))))
  expect_match(remark_mean_of(rep(4, 9), list(rep(Inf, 9))), "Inf")
  # A share of 0 says nothing
  expect_null(remark_mean_of(c(-1, 1.1), list(c(-1, 1.4))))
  # Ends that are stated are not asked for again
  ends <- job(log(y) ~ x, student_t(3), skewed, bounds = c(0.001, 1000))
  expect_no_match(ends$remarks, "no finite mean")
  # None where all is well
  well <- data.frame(x = data$x, y = 10 + data$x + stats::rnorm(n))
  expect_length(job(y ~ x, gaussian(), well)$remarks, 0)
  # Sets that leave carry none of it
  expect_no_match(
    paste(utils::capture.output(print(found$synthetic)), collapse = " "),
    "remark"
  )
})

test_that("weights that erase an answer are remarked on, with the shares", {
  withr::local_seed(2)
  data <- data.frame(y = rep(0:1, c(160, 40)), x = rnorm(200))
  quiet <- sampler_control(min_ess = 1, max_rhat = 10)
  fit <- function(alpha) {
    fit_synthesizer(
      y ~ x, data, bernoulli(),
      privacy_weights = alpha, chains = 1, warmup = 50, draws = 50,
      control = quiet
    )$remarks
  }
  expect_match(
    fit(ifelse(data$y == 1, 0.1, 1)),
    "20.0% of the records have it, but only 2.44%"
  )
  expect_length(fit(rep(0.5, 200)), 0)
  data$y <- 1 - data$y
  expect_match(fit(ifelse(data$y == 0, 0.1, 1)), "20.0%")
})

test_that("how far the farthest value lies is said in words that hold", {
  expect_match(remark_farthest(3.14159), "one is 3.1 times as far from 0 as")
  expect_match(remark_farthest(1.1), "one is 1.1 times as far")
  for (far in c(1.004, 1.09, Inf)) {
    expect_match(remark_farthest(far), "one is farther from 0 than any value")
  }
  expect_null(remark_farthest(1))
  expect_null(remark_farthest(0.5))
})

test_that("sets of files with other sizes and values beyond the file's", {
  set.seed(3)
  data <- data.frame(y = round(100 * runif(400)), g = rep(c("a", "b"), 200))
  book <- codebook(data.frame(
    column = c("y", "g"), type = c("count", "category"),
    levels = c("", "a|b"), lower = c(0, NA), upper = c(1000, NA)
  ))
  sets <- synthesize(suppressMessages(suppressWarnings(
    file_release(file_plan(data, book), 10, seed = 1)
  )), seed = 1)
  expect_null(remarks_of_files(sets, data, NULL))
  off <- unclass(sets)
  off$sets[[1]] <- off$sets[[1]][1:200, ]
  off$n_records <- 200
  off$sets[[1]]$y[1:20] <- 900
  said <- remarks_of_files(off, data, NULL)
  expect_match(said[1], "0.5.* times as many records")
  expect_match(said[2], "11.5% of `y`", fixed = TRUE)
})
