# A release of two records whose noise is known, and the file
tiny_release <- function(..., data = data.frame(y = c(1, 2))) {
  suppressWarnings(
    score_release(
      y ~ 1, data, gaussian(),
      reference = list("(Intercept)" = 0, sigma = 1), ...
    ),
    classes = "pseudosynth_warning"
  )
}

test_that("the exact law of worst neighbours is nearly all that is claimed", {
  ce <- ce_positive(600)
  cases <- list(
    list(tiny_release(epsilon = 1), data.frame(y = c(1, 2))),
    list(
      tiny_release(epsilon = 2, bounds = c(-10, 10)), data.frame(y = c(1, 2))
    ),
    list(ce_release(ce, epsilon = 1, bounds = c(10, 2e6)), ce),
    list(
      ce_release(ce, epsilon = 1, bounds = c(10, 2e6), neighbours = "replace"),
      ce
    )
  )
  for (case in cases) {
    audit <- audit_guarantee(case[[1]], case[[2]], replicates = 0)
    expect_true(all(audit$worst$exact <= audit$worst$claimed))
    expect_true(all(audit$worst$exact >= 0.95 * audit$worst$claimed))
    expect_null(audit$curve)
  }
})

test_that("the law of every family is nearly all that is claimed", {
  make <- function(y, family, reference, ...) {
    # So many that the second step is near the truth
    data <- data.frame(y = rep(y, 1000))
    release <- score_release(y ~ 1, data, family,
      reference = reference, epsilon = 1, ...
    )
    audit_guarantee(release, data, replicates = 0)$worst
  }
  # Means so large that 0 lies beyond the clip, too
  found <- list(
    make(c(30, 40), stats::poisson(), list("(Intercept)" = 3.5)),
    make(c(30, 40), neg_binomial(), list("(Intercept)" = 3.5, size = 20)),
    make(c(30, 40), neg_binomial(), list("(Intercept)" = 3.5, size = 20),
      bounds = c(0, 1000)
    ),
    make(
      c(0.3, 0.6), beta_response(c(0, 1)),
      list("(Intercept)" = 0, precision = 9)
    ),
    make(0:1, bernoulli(), list("(Intercept)" = 0))
  )
  for (worst in found) {
    expect_true(all(worst$exact <= worst$claimed))
    expect_true(all(worst$exact >= 0.95 * worst$claimed))
  }
  # Means near 0: half of what is claimed cannot be reached, and none is passed
  low <- make(c(0, 1), neg_binomial(), list("(Intercept)" = -2, size = 1))
  expect_true(all(low$exact <= low$claimed))
})

test_that("no pair of responses is told apart better than claimed", {
  ce <- ce_positive(300)
  release <- ce_release(ce, epsilon = 1, bounds = c(10, 2e6))
  claimed <- audit_guarantee(release, ce, replicates = 0)$worst$claimed
  file <- audit_file(release, ce)
  withr::local_seed(1)
  for (i in 1:40) {
    file$extremes <- stats::rnorm(2, 10, 3)
    local_fault(audit_file = function(x, data) file)
    found <- audit_guarantee(release, ce, replicates = 0)$worst$exact
    expect_true(all(found <= claimed))
  }
})

test_that("many runs show 95% of mu and never more than is claimed", {
  skip_on_cran()
  runs <- by_night(1e6, 3e5)
  release <- tiny_release(epsilon = 3, neighbours = "replace")
  audit <- audit_guarantee(
    release, data.frame(y = c(1, 2)),
    replicates = runs, seed = 1
  )
  worst <- audit$worst
  expect_gt(worst$found[2], 0.95 * worst$claimed[2])
  expect_true(all(worst$found <= worst$claimed))
  # The whole tradeoff curve: no test does better than mu allows
  for (neighbours in worst$neighbours) {
    curve <- audit$curve[audit$curve$neighbours == neighbours, ]
    mu <- worst$claimed[worst$neighbours == neighbours]
    allowed <- stats::pnorm(stats::qnorm(1 - curve$false_positive) - mu)
    expect_true(all(curve$false_negative > allowed - 5 * sqrt(0.25 / runs)))
  }
  expect_output(print(audit), "lower bound")
  expect_match(format(audit), "mu 0\\.\\d+ found")
})

test_that("half the noise would be found", {
  release <- tiny_release(epsilon = 3, neighbours = "replace")
  found <- measurements_of(release, data.frame(y = c(1, 2)))
  worst <- worst_pair(found$pairs(2, 1:2)$replace, found$measurements)
  pair <- worst$parts
  claimed <- sqrt(worst$moved)
  weak <- lapply(pair, function(part) {
    part$scale <- floor(part$scale / 2)
    part
  })
  expect_gt(sampled_law(weak, 2e4, 0.95, 1)$bound, 1.5 * claimed)
})

test_that("Laplace noise is audited by its epsilon", {
  file <- data.frame(y = c(1, 2))
  audit <- audit_guarantee(
    tiny_release(epsilon = 1, delta = 0, bounds = c(-10, 10)), file
  )
  expect_identical(audit$unit, "epsilon")
  expect_true(all(audit$worst$exact <= audit$worst$claimed))
  expect_true(all(audit$worst$exact >= 0.85 * audit$worst$claimed))
  expect_true(all(is.na(audit$worst$found)))
})

test_that("a histogram is audited by its own vectors", {
  y <- withr::with_seed(2, stats::rnorm(200))
  for (neighbours in relation_names) {
    release <- perturbed_histogram(y,
      bounds = c(-2, 2), bins = 7, epsilon = 0.5, neighbours = neighbours
    )
    audit <- audit_guarantee(release, y)
    expect_equal(audit$worst$exact, audit$worst$claimed)
    expect_identical(audit$unit, "epsilon")
    expect_output(print(audit), "Audit of a perturbed histogram")
  }
  counts <- perturbed_histogram(c(1, 5, 9), bounds = c(0, 10), epsilon = 1)
  expect_error(
    audit_guarantee(counts, numeric()), "numbers that the histogram",
    class = "pseudosynth_error_input"
  )
})

test_that("a release that was edited is not audited", {
  release <- tiny_release(epsilon = 1)
  release$steps[[2]]$scale <- 1
  expect_error(
    audit_guarantee(release, data.frame(y = c(1, 2))),
    class = "pseudosynth_error_edited"
  )
})
