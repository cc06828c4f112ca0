input_error <- "pseudosynth_error_input"

# Of seed 1, once for all tests that only read them
first_fit <- function() remember("first fit", quick_fit())
first_mixture <- function() remember("first mixture", quick_mixture())

test_that("a fit has the draws, names and parts it promises", {
  fit <- first_fit()
  expect_s3_class(fit, "synthesizer")
  expect_identical(
    colnames(fit$draws), c("(Intercept)", "groupb", "groupc", "x", "sigma")
  )
  expect_identical(dim(fit$draws), c(1000L, 5L))
  expect_identical(fit$chain, rep(1:2, each = 500))
  expect_identical(guarantee(fit)$mechanism, "unweighted")
  expect_true(fit$converged)
  expect_length(fit$problems, 0)
  expect_s3_class(fit$bound, "lipschitz_bound")
})

test_that("a mixture's parameters are named by component", {
  fit <- quick_mixture(y ~ group)
  expect_identical(colnames(fit$draws), c(
    "b[1,(Intercept)]", "b[2,(Intercept)]", "b[1,groupb]", "b[2,groupb]",
    "b[1,groupc]", "b[2,groupc]", "pi[1]", "pi[2]", "sigma[1]", "sigma[2]"
  ))
  expect_equal(
    unname(rowSums(fit$draws[, c("pi[1]", "pi[2]")])), rep(1, n_draws(fit))
  )
  expect_true(all(fit$draws[, c("sigma[1]", "sigma[2]")] >= 0.3))
})

test_that("the normal model finds the least squares fit", {
  data <- simulated(400)
  fit <- quick_fit(data = data)
  data$x <- as.numeric(scale(data$x))
  ols <- coef(lm(y ~ group + x, data))
  means <- colMeans(fit$draws[, names(ols)])
  # The prior pulls by far less than a standard error of 0.03.
  expect_lt(max(abs(means - ols)), 0.05)
})

test_that("the same seed gives the same draws, another seed others", {
  draws <- quick_fit(seed = 3)$draws
  expect_identical(quick_fit(seed = 3)$draws, draws)
  expect_false(identical(draws, quick_fit(seed = 4)$draws))
  expect_identical(quick_mixture()$draws, first_mixture()$draws)
  # Both halves of a 53-bit seed count.
  expect_false(
    identical(draws, quick_fit(seed = 2^32 + 3)$draws)
  )
})

test_that("1 and 2 threads give identical fits", {
  for (pair in list(
    list(first_fit(), quick_fit(threads = 2)),
    list(first_mixture(), quick_mixture(threads = 2))
  )) {
    one <- pair[[1]]
    two <- pair[[2]]
    expect_identical(two$draws, one$draws)
    expect_identical(two$monitor, one$monitor)
    expect_identical(two$bound, one$bound)
    expect_identical(two$diagnostics, one$diagnostics)
  }
})

test_that("weights that are all 1 give the unweighted draws", {
  n <- nrow(simulated())
  ones <- rep(1, n)
  expect_identical(quick_fit(privacy_weights = ones)$draws, first_fit()$draws)
  expect_identical(
    quick_mixture(privacy_weights = ones)$draws, first_mixture()$draws
  )
})

test_that("weight 0 equals dropping the record", {
  data <- simulated()
  data$x <- rep(c(1, 2), length.out = nrow(data))
  out <- c(3, 4, 50)
  data$y[out] <- 100
  weights <- replace(rep(1, nrow(data)), out, 0)
  for (fit in list(quick_fit, quick_mixture)) {
    zero <- fit(y ~ group, data, privacy_weights = weights)
    dropped <- fit(y ~ group, data[-out, ])
    expect_equal(zero$draws, dropped$draws, tolerance = 1e-8)
    expect_identical(zero$bound$record[out], c(0, 0, 0))
    expect_equal(zero$bound$record[-out], dropped$bound$record)
  }
})

test_that("the prior is recovered when all weights are 0", {
  n <- nrow(simulated())
  fit <- quick_fit(
    prior = prior_normal(2, c(10, 3)), privacy_weights = rep(0, n),
    draws = 2000
  )
  draws <- as_draws_array(fit)
  expect_true(fit$converged)
  # 5 Monte Carlo standard errors of a mean and of a standard deviation.
  near <- function(name, mean, sd) {
    x <- posterior::extract_variable_matrix(draws, name)
    expect_lt(abs(mean(x) - mean), 5 * posterior::mcse_mean(x))
    expect_lt(abs(sd(x) - sd), 5 * posterior::mcse_sd(x))
  }
  near("(Intercept)", 10, 3)
  near("groupb", 0, 2)
  near("x", 0, 2)
  # sigma ~ half-t(3, 0, 1): its median is the 75% point of t(3).
  expect_lt(abs(mean(fit$draws[, "sigma"] < qt(0.75, 3)) - 0.5), 0.06)
  expect_identical(fit$bound$overall, 0)
})

test_that("arguments are never looked up in the data", {
  data <- transform(
    simulated(),
    chains = 9, draws = 9, seed = 9, privacy_weights = 0.5, family = "poisson"
  )
  expect_identical(quick_fit(data = data)$draws, first_fit()$draws)
})

test_that("seed NULL takes the system's entropy and leaves .Random.seed", {
  withr::local_options(tests.entropy = TRUE)
  withr::local_seed(1)
  before <- .Random.seed
  first <- quick_fit(seed = NULL)
  second <- quick_fit(seed = NULL)
  expect_true(identical(.Random.seed, before))
  rm(".Random.seed", envir = globalenv())
  quick_fit(seed = NULL)
  expect_false(exists(".Random.seed", globalenv(), inherits = FALSE))
  expect_false(identical(first$draws, second$draws))
  expect_false(first$seed_given)
  expect_true(first_fit()$seed_given)
})

test_that("the sampler is chosen by the model", {
  expect_identical(first_fit()$control$sampler, "gibbs")
  expect_identical(first_mixture()$control$sampler, "augmentation")
  spec <- first_mixture()$spec
  spec$prior$kind <- "hierarchical"
  expect_identical(choose_sampler("auto", spec), "nuts")
  expect_error(choose_sampler("gibbs", spec), class = input_error)
})

test_that("NUTS and Gibbs agree on the normal model", {
  prior <- prior_normal(1, c(2, 2))
  gibbs <- quick_fit(prior = prior, draws = 1000)
  nuts <- quick_fit(
    prior = prior, draws = 1000,
    control = sampler_control("nuts", progress = FALSE)
  )
  for (name in colnames(gibbs$draws)) {
    a <- posterior::extract_variable_matrix(as_draws_array(gibbs), name)
    b <- posterior::extract_variable_matrix(as_draws_array(nuts), name)
    mcse <- sqrt(posterior::mcse_mean(a)^2 + posterior::mcse_mean(b)^2)
    expect_lt(abs(mean(a) - mean(b)), 5 * mcse)
  }
})

test_that("lognormal() is gaussian() on the log", {
  data <- transform(simulated(), y = exp(y))
  expect_identical(
    quick_fit(y ~ group, data, lognormal())$draws,
    quick_fit(log(y) ~ group, data)$draws
  )
})

test_that("tibble-like classes and row names do not matter", {
  data <- simulated()
  odd <- data
  rownames(odd) <- paste0("id", seq_len(nrow(odd)))
  class(odd) <- c("tbl_df", "tbl", "data.frame")
  expect_identical(quick_fit(data = odd)$draws, first_fit()$draws)
})

test_that("a fit reloads from a file", {
  fit <- first_fit()
  path <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, path)
  again <- readRDS(path)
  expect_identical(again$draws, fit$draws)
  expect_identical(
    update(again, seed = 2)$draws, update(fit, seed = 2)$draws
  )
})

test_that("after an interrupt every chain keeps as many draws", {
  cut <- function(n_rows, completed) {
    result <- list(
      draws = cbind(seq_len(n_rows)), hyper = NULL,
      monitor = cbind(seq_len(n_rows)),
      sampler = list(divergent = seq_len(n_rows), stepsize = c(1, 1)),
      interrupted = TRUE, completed = completed
    )
    finished_part(result, list(chains = 2L))
  }
  trimmed <- cut(17, c(9, 8))
  expect_identical(trimmed$draws[, 1], c(1:8, 10:17))
  expect_identical(trimmed$sampler$divergent, c(1:8, 10:17))
  expect_identical(trimmed$sampler$stepsize, c(1, 1))
  padded <- cut(20, c(9, 8))
  expect_identical(padded$draws[, 1], c(1:8, 11:18))
  expect_error(cut(5, c(4, 1)), class = "pseudosynth_error_sampler")
})

test_that("the mixture's prior is recovered when all weights are 0", {
  n <- nrow(simulated())
  fit <- quick_mixture(
    y ~ group,
    prior = prior_normal(2, c(10, 3)), privacy_weights = rep(0, n),
    draws = by_night(2000, 1000)
  )
  draws <- as_draws_array(fit)
  # 5 Monte Carlo standard errors.
  near <- function(name, mean, sd) {
    x <- posterior::extract_variable_matrix(draws, name)
    expect_lt(abs(mean(x) - mean), 5 * posterior::mcse_mean(x))
    expect_lt(abs(sd(x) - sd), 5 * posterior::mcse_sd(x))
  }
  near("b[1,(Intercept)]", 10, 3)
  near("b[2,groupb]", 0, 2)
  # sigma ~ half-t(3, 0, 1) above its floor of 0.3.
  sigma <- posterior::extract_variable_matrix(draws, "sigma[1]")
  median <- qt((pt(0.3, 3) + 1) / 2, 3)
  below <- sigma < median
  expect_lt(abs(mean(below) - 0.5), 5 * posterior::mcse_mean(below + 0))
  expect_identical(fit$bound$overall, 0)
})

test_that("after Ctrl-C no more draws are kept than are judged in a second", {
  skip_on_cran()
  skip_on_os("windows")
  kept <- withr::local_tempfile(fileext = ".rds")
  script <- withr::local_tempfile(lines = c(
    sprintf(".libPaths(%s)", deparse1(.libPaths())),
    "library(pseudosynth)",
    "data <- data.frame(y = rnorm(2e4), x = rnorm(2e4))",
    "system(sprintf('(sleep 4; kill -INT %d) &', Sys.getpid()))",
    "fit <- suppressWarnings(fit_synthesizer(y ~ x, data, student_t(3),",
    "  chains = 1, warmup = 30, draws = 100000",
    "))",
    sprintf("saveRDS(fit, %s)", deparse(kept))
  ))
  system2(file.path(R.home("bin"), "Rscript"), script, stderr = FALSE)
  fit <- readRDS(kept)
  expect_true(fit$interrupted)
  expect_false(fit$converged)
  expect_lte(nrow(fit$draws) * 2e4, 2e7)
  expect_gte(nrow(fit$draws), 8)
})

test_that("weights made for other records, or in another order, are refused", {
  data <- privacy_data()
  weights <- lipschitz_weights(unweighted_fit())
  for (other in list(data[rev(seq_len(nrow(data))), ], data.frame(
    income = data$income * 2, data[-1]
  ))) {
    expect_error(
      fit_synthesizer(log(income) ~ age + earner, other, gaussian(),
        privacy_weights = weights, prior = prior_normal()
      ),
      class = "pseudosynth_error_other_records"
    )
  }
})

test_that("draws under one weight of a quarter spread twice as far", {
  data <- simulated(400)
  spread <- function(...) {
    draws <- quick_fit(y ~ x, data, ..., draws = 1500)$draws
    apply(draws, 2, sd)
  }
  ratio <- spread(privacy_weights = 0.25) / spread()
  expect_equal(unname(ratio), rep(2, 3), tolerance = 0.12)
})
