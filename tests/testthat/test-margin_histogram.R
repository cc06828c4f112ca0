test_that("a margin is stated by bounds and bins, or by breaks", {
  margin <- margin_histogram(c(10, 2e6), bins = 30, share = 0.3)
  expect_identical(margin$bounds, c(10, 2e6))
  expect_identical(margin$bins, 30L)
  expect_output(print(margin), "30 bins on [10, 2,000,000], 0.3 of epsilon",
    fixed = TRUE
  )
  breaks <- margin_histogram(bins = c(1, 10, 100))
  expect_null(breaks$bounds)
  expect_output(print(breaks), "2 stated bins")
})

test_that("bins of a class of its own and bytes are refused as such", {
  labelled <- structure(
    1:2, labels = c(one = 1L), class = c("haven_labelled", "vctrs_vctr")
  )
  input_error <- "pseudosynth_error_input"
  expect_error(margin_histogram(bins = labelled), class = input_error)
  bytes <- `Encoding<-`("\xff\xfe", "bytes")
  expect_error(censor(2, reference = bytes), class = input_error)
})

test_that("what is out of range is refused", {
  bad <- function(arg, ...) {
    error <- expect_error(
      margin_histogram(...),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, arg)
  }
  bad("bounds")
  bad("bounds", c(3, 1))
  bad("bounds", "a")
  bad("bins", c(1, 2), bins = 1)
  bad("bins", bins = c(1, 3, 2))
  bad("bins", bins = c(1, 3, Inf))
  bad("share", c(1, 2), share = 1)
  bad("share", c(1, 2), share = 0)
})

test_that("a margin by an object is the margin by its arguments", {
  run <- function(...) {
    suppressMessages(pseudo_posterior(
      log(income) ~ age, privacy_data(), gaussian(),
      mechanism = "centred", epsilon = 8,
      reference = list("(Intercept)" = 10.8, sigma = 1), ...,
      chains = 2, warmup = 300, draws = 800, seed = 2, threads = 1
    ))
  }
  long <- run(margin = margin_histogram(c(10, 2e6), bins = 20, share = 0.3))
  short <- run(bounds = c(10, 2e6), bins = 20, margin_share = 0.3)
  expect_identical(long$synthetic, short$synthetic)
  expect_equal(long$internal$margin$epsilon, 2.4)
  # Breaks take the place of bounds
  breaks <- run(bins = c(10, 1e4, 3e4, 1e5, 2e6))
  expect_equal(breaks$internal$margin$bounds, c(10, 2e6))
  expect_length(breaks$internal$margin$counts, 4)
})
