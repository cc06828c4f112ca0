small_histogram <- function(epsilon = 1, ..., seed = 1) {
  perturbed_histogram(
    log(income) ~ 1, privacy_data(),
    bounds = c(10, 2e6), epsilon = epsilon, ..., seed = seed
  )
}

test_that("counts are those of the clamped values plus whole noise", {
  data <- privacy_data()
  y <- log(pmin(pmax(data$income, 10), 2e6))
  breaks <- seq(log(10), log(2e6), length.out = 61)
  truth <- as.vector(table(cut(y, breaks, include.lowest = TRUE)))
  clear <- small_histogram(1e6)
  expect_equal(clear$counts, truth)
  expect_equal(clear$breaks, breaks)
  noisy <- small_histogram(1)
  expect_true(all(noisy$counts == floor(noisy$counts) & noisy$counts >= 0))
  expect_false(identical(noisy$counts, clear$counts))
})

test_that("the noise has the scale of the neighbour relation", {
  # Counts so large that none becomes negative
  x <- rep(c(0.5, 1.5), each = 1e4)
  spread <- function(...) {
    counts <- vapply(1:200, function(seed) {
      perturbed_histogram(
        x,
        bounds = c(0, 2), bins = 2, epsilon = 0.1, ..., seed = seed
      )$counts
    }, numeric(2))
    mean(abs(counts - 1e4))
  }
  # The mean absolute value of discrete Laplace noise is close to its scale
  expect_equal(spread(), 10, tolerance = 0.2)
  expect_equal(spread(neighbours = "replace"), 20, tolerance = 0.2)
  expect_equal(spread(noise = "continuous"), 10, tolerance = 0.2)
})

test_that("values outside the bounds are clamped, not dropped", {
  clear <- perturbed_histogram(
    c(-5, 0.5, 7, 1e9),
    bounds = c(0, 10), bins = 5, epsilon = 1e6
  )
  expect_equal(clear$counts, c(2, 0, 0, 1, 1))
})

test_that("stated breaks are taken in the response's own unit", {
  clear <- perturbed_histogram(
    log(income) ~ 1, data.frame(income = c(5, 50, 500, 5000)),
    bins = c(1, 10, 100, 10000), epsilon = 1e6
  )
  expect_equal(clear$counts, c(1, 1, 2))
  expect_equal(clear$breaks, log(c(1, 10, 100, 10000)))
})

test_that("quantiles invert the histogram, uniform within bins", {
  clear <- perturbed_histogram(
    c(0.5, 0.5, 0.5, 2.5),
    bounds = c(0, 3), bins = 3, epsilon = 1e6
  )
  expect_equal(
    histogram_quantile(clear, c(0, 0.375, 0.7, 0.875, 1)),
    c(0, 0.5, 0.7 / 0.75, 2.5, 3),
    tolerance = 1e-12
  )
  empty <- clear
  empty$counts <- rep(0, 3)
  expect_equal(histogram_quantile(empty, c(0.25, 0.5)), c(0.75, 1.5))
})

test_that("calibration keeps ranks and gives the histogram's margin", {
  x <- withr::with_seed(1, stats::rnorm(2000))
  clear <- perturbed_histogram(
    stats::qexp(stats::ppoints(5000)),
    bounds = c(0, 12), bins = 200, epsilon = 1e6
  )
  out <- quantile_of_rank(clear, x, withr::with_seed(2, stats::runif(2000)))
  expect_identical(order(out), order(x))
  expect_lt(
    max(abs(sort(out)[1:1900] - stats::qexp(stats::ppoints(2000))[1:1900])),
    0.07
  )
  # Equal values do not stay equal, and none comes first by its place
  tied <- quantile_of_rank(clear, rep(1, 2000), withr::with_seed(
    3, stats::runif(2000)
  ))
  expect_lt(abs(stats::cor(tied, seq_along(tied))), 0.1)
  expect_equal(sort(tied), sort(out))
})

test_that("projected counts keep the total and lose the noise of empty bins", {
  expect_equal(project_counts(c(5, 3, 0, 0)), c(5, 3, 0, 0))
  expect_equal(project_counts(c(6, 4, 1, -1)), c(17, 11, 2, 0) / 3)
  expect_equal(project_counts(c(-1, -2)), c(0, 0))
  withr::with_seed(5, {
    truth <- c(rep(0, 30), stats::rpois(30, 100))
    for (draw in 1:20) {
      noisy <- truth + round(stats::rnorm(60, 0, 20))
      projected <- project_counts(noisy)
      expect_true(all(projected >= 0))
      expect_equal(sum(projected), sum(noisy))
      expect_lt(sum((projected - truth)^2), sum((noisy - truth)^2))
    }
  })
})

test_that("a margin gives a fit's synthetic values its distribution", {
  fit <- unweighted_fit()
  margin <- small_histogram(1e6)
  syn <- synthesize(fit, m = 2, margin = margin, seed = 3)
  plain <- synthesize(fit, m = 2, seed = 3)
  for (j in 1:2) {
    y <- log(syn[[j]]$income)
    expect_lt(max(abs(
      stats::ecdf(y)(margin$breaks) -
        c(0, cumsum(margin$counts)) / sum(margin$counts)
    )), 1 / 150 + 1e-9)
    expect_gt(
      stats::cor(y, log(plain[[j]]$income), method = "spearman"), 0.999
    )
  }
  expect_identical(syn, synthesize(fit, m = 2, margin = margin, seed = 3))
})

test_that("the margin is paid once, each set anew", {
  fit <- censored(unweighted_fit(), 0.8)
  syn <- synthesize(fit, m = 3, margin = small_histogram(0.2))
  label <- guarantee(syn)
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$total[["add-remove"]], 0.2 + 3 * 0.8)
  expect_equal(label$epsilon$total[["replace"]], 0.4 + 3 * 1.6)
  expect_match(label$public_inputs[["margin"]], "60 bins")
  replace <- small_histogram(0.2, neighbours = "replace")
  label <- guarantee(synthesize(fit, m = 1, margin = replace))
  expect_equal(label$epsilon$total[["add-remove"]], 0.1 + 0.8)
  expect_equal(label$epsilon$total[["replace"]], 0.2 + 1.6)
  leaky <- small_histogram(0.2, noise = "continuous")
  expect_identical(
    guarantee(synthesize(fit, m = 1, margin = leaky))$label, "none"
  )
})

test_that("a margin of another response or scale is refused", {
  bad <- perturbed_histogram(
    income ~ 1, privacy_data(),
    bounds = c(10, 2e6), epsilon = 1
  )
  for (margin in list(bad, 3, "x")) {
    expect_error(
      synthesize(unweighted_fit(), margin = margin),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("a histogram is a release of its own", {
  histogram <- small_histogram(0.5)
  label <- guarantee(histogram)
  expect_identical(label$label, "strict")
  expect_equal(
    label$epsilon$total, c(replace = 1, "add-remove" = 0.5)
  )
  expect_output(print(label), "spent once")
  syn <- synthesize(histogram, m = 4, seed = 2)
  expect_s3_class(syn, "synthetic_data")
  expect_equal(guarantee(syn)$epsilon$total, label$epsilon$total)
  expect_equal(syn$n_records, sum(histogram$counts))
  y <- unlist(lapply(syn, function(set) log(set$income)))
  expect_true(all(y >= log(9.5) & y <= log(2e6)))
  shares <- tabulate(findInterval(y, histogram$breaks, all.inside = TRUE), 60)
  expect_gt(
    suppressWarnings(stats::chisq.test(
      shares[histogram$counts > 0],
      p = histogram_shares(histogram)[histogram$counts > 0]
    )$p.value), 1e-6
  )
  aligned <- synthesize(histogram, newdata = privacy_data()["age"], seed = 1)
  expect_named(aligned[[1]], c("income", "age"))
  expect_equal(aligned$n_records, 150)
  # Without the package of their class, and without what it refuses
  labelled <- privacy_data()[c("income", "age")]
  labelled$age <- structure(as.double(labelled$age),
    labels = c(old = 60), class = c("haven_labelled", "vctrs_vctr", "double")
  )
  expect_named(
    synthesize(histogram, newdata = labelled, seed = 1)[[1]],
    c("income", "age")
  )
  expect_error(
    synthesize(histogram, margin = histogram),
    class = "pseudosynth_error_input"
  )
})

test_that("floating-point noise is for reproduction only", {
  leaky <- small_histogram(noise = "continuous")
  expect_identical(guarantee(leaky)$label, "none")
  expect_output(print(guarantee(leaky)), "reproduce the papers")
  expect_identical(guarantee(synthesize(leaky))$label, "none")
})

test_that("without a seed nothing is reproducible, with one it is marked", {
  first <- small_histogram(seed = NULL)
  expect_false(identical(first$counts, small_histogram(seed = NULL)$counts))
  expect_false(guarantee(first)$reproducible)
  expect_identical(small_histogram(seed = 4), small_histogram(seed = 4))
  expect_true(guarantee(small_histogram(seed = 4))$reproducible)
  expect_true(guarantee(synthesize(small_histogram(seed = 4)))$reproducible)
  withr::with_seed(1, {
    before <- .Random.seed
    small_histogram(seed = NULL)
    expect_identical(.Random.seed, before)
  })
})

test_that("nothing but noisy counts is in a histogram", {
  data <- planted()
  histogram <- perturbed_histogram(
    log(y) ~ 1, data,
    bounds = c(1, 1e9), epsilon = 1
  )
  for (object in list(histogram, guarantee(histogram), synthesize(histogram))) {
    expect_equal(count_held(object, c(data$y, log(data$y))), 0)
    expect_false(holds_environment(object))
  }
})

test_that("bounds from the data and other bad input are refused", {
  x <- privacy_data()$income
  bad <- function(..., class = "pseudosynth_error_input") {
    expect_error(perturbed_histogram(...), class = class)
  }
  bad(x, epsilon = 1)
  bad(x, bounds = range(x), epsilon = 1)
  bad(x, bins = seq(min(x), max(x), length.out = 10), epsilon = 1)
  for (bounds in list(1, c(2, 1), c(1, NA), c(1, Inf), c("a", "b"), NULL)) {
    bad(x, bounds = bounds, epsilon = 1)
  }
  for (epsilon in list(0, -1, Inf, NA, "1", 1e-7)) {
    bad(x, bounds = c(0, 1e6), epsilon = epsilon)
  }
  for (bins in list(1, 0, 2.5, "Sturges", c(3, 2, 1), c(1, NA, 3))) {
    bad(x, bounds = c(0, 1e6), bins = bins, epsilon = 1)
  }
  bad(log(income) ~ 1, privacy_data(), bounds = c(0, 1e6), epsilon = 1)
  bad(log(income) ~ 1, bounds = c(1, 1e6), epsilon = 1)
  bad(c(1, NA), bounds = c(0, 2), epsilon = 1)
  bad("a", bounds = c(0, 2), epsilon = 1)
  bad(x, privacy_data(), bounds = c(0, 1e6), epsilon = 1)
  bad(x, bounds = c(0, 1e6), epsilon = 1, noise = "none")
})

test_that("histograms print and plot", {
  histogram <- small_histogram(0.5)
  expect_output(print(histogram), "60 bins")
  expect_output(print(histogram), "exact discrete Laplace")
  figure <- autoplot(histogram)
  expect_s3_class(figure, "ggplot")
  expect_no_error(ggplot2::ggplot_build(figure))
})

test_that("records outside of the bounds are counted aloud", {
  expect_message(
    perturbed_histogram(c(1:30, 900), bounds = c(0, 100), epsilon = 1),
    "1 record lies outside `bounds`"
  )
})
