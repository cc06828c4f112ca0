# Made inside a function that holds the file, as every user's are
sentinel_kinds <- function() {
  list(
    continuous = list(y ~ x, gaussian(), function(n) rnorm(n, 50, 9)),
    log = list(log(y) ~ x, gaussian(), function(n) exp(rnorm(n, 3))),
    count = list(y ~ x, poisson(), function(n) rpois(n, 3)),
    large_count = list(y ~ x, neg_binomial(), function(n) rpois(n, 900)),
    binary = list(y ~ x, bernoulli(), function(n) rbinom(n, 1, 0.4)),
    flag = list(y ~ x, bernoulli(), function(n) runif(n) < 0.4),
    two_levels = list(y ~ x, bernoulli(), function(n) {
      factor(sample(c("no", "yes"), n, TRUE))
    }),
    categorical = list(y ~ x, categorical(), function(n) {
      factor(sample(c("u", "v", "w"), n, TRUE))
    }),
    proportion = list(y ~ x, beta_response(c(0, 1)), function(n) rbeta(n, 2, 3))
  )
}

# What of the file is found in an object as saveRDS() writes it
held <- function(object, file) {
  bytes <- serialize(object, NULL, xdr = FALSE)
  text <- rawToChar(bytes[bytes != 0])
  names <- grepl("SENTINEL", text, fixed = TRUE, useBytes = TRUE)
  values <- writeBin(file$spare, raw())
  numbers <- vapply(1:5, function(i) {
    length(grepRaw(values[8 * (i - 1) + 1:8], bytes, fixed = TRUE)) > 0
  }, NA)
  names || any(numbers)
}

# A figure of every public class, a print, and models of the sets
public_results <- function(formula, family, values, prefix = NULL) {
  n <- 150
  file <- data.frame(
    name = sprintf("SENTINEL%03d", seq_len(n)), spare = rnorm(n, 5e5, 1e4)
  )
  file$y <- values(n)
  file$x <- rnorm(n)
  fit <- suppressWarnings(fit_synthesizer(formula, file, family,
    prior = prior_normal(), chains = 1, warmup = 50, draws = 50, seed = 1
  ))
  sets <- suppressMessages(suppressWarnings(
    synthesize(fit, 3, allow_unconverged = TRUE)
  ))
  models <- with(sets, lm(as.numeric(y) ~ x))
  pooled <- suppressWarnings(pool(models))
  list(
    file = file, sets = sets,
    results = list(
      sets, plot(sets), autoplot(sets, prefix = prefix), plot(sets, prefix),
      models, pooled, plot(pooled), autoplot(pooled), summary(sets),
      format(sets), as.data.frame(sets), generics::tidy(pooled),
      with(sets, lm(as.numeric(y) ~ poly(x, 2)))
    )
  )
}

test_that("figures and results that may leave hold nothing of the file", {
  skip_if_not_installed("generics")
  withr::local_seed(4)
  for (kind in names(sentinel_kinds())) {
    case <- sentinel_kinds()[[kind]]
    found <- public_results(case[[1]], case[[2]], case[[3]])
    leaks <- vapply(found$results, held, NA, file = found$file)
    expect_identical(which(leaks), integer(), label = kind)
    # No figure holds a set in the order of the file
    set <- found$sets[[1]]$y
    if (is.double(set)) {
      run <- writeBin(set[1:3], raw())
      figures <- Filter(function(x) inherits(x, "ggplot"), found$results)
      for (figure in figures) {
        bytes <- serialize(figure, NULL, xdr = FALSE)
        expect_length(grepRaw(run, bytes, fixed = TRUE), 0)
      }
    }
  }
})

test_that("figures of releases, histograms and labels hold nothing of the file", {
  figures <- function() {
    file <- data.frame(
      name = sprintf("SENTINEL%03d", 1:300), spare = rnorm(300, 5e5, 1e4)
    )
    file$x <- rnorm(300)
    file$y <- exp(3 + 0.3 * file$x + rnorm(300))
    release <- suppressWarnings(score_release(
      log(y) ~ x, file, gaussian(),
      epsilon = 2, reference = list("(Intercept)" = 3, sigma = 1),
      bounds = c(0.1, 5000)
    ))
    histogram <- perturbed_histogram(
      log(y) ~ 1, file,
      bounds = c(0.1, 5000), epsilon = 1
    )
    list(
      file = file, results = list(
        plot(release), autoplot(release, "margin"), plot(histogram),
        autoplot(guarantee(release)), plot(guarantee(histogram, public = TRUE)),
        release, histogram, summary(release),
        plot(synthesize(release, 2, newdata = file["x"])),
        plot(synthesize(histogram, 2))
      )
    )
  }
  withr::local_seed(5)
  found <- figures()
  leaks <- vapply(found$results, held, NA, file = found$file)
  expect_identical(which(leaks), integer())
})

test_that("sets without a guarantee are not called for release", {
  withr::local_seed(6)
  found <- public_results(y ~ x, gaussian(), function(n) rnorm(n, 50, 9))
  text <- utils::capture.output(print(found$sets))
  expect_no_match(text, "sets for release")
  expect_match(text, "not for release", all = FALSE)
  expect_match(plot(found$sets)$labels$caption, "not for release")
})
