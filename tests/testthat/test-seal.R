test_that("an object of another format is as if it were edited", {
  histogram <- function() {
    perturbed_histogram(
      y ~ 1, data.frame(y = c(1, 2, 5, 7)), bounds = c(0, 10), epsilon = 1
    )
  }
  old <- NULL
  expect_identical(guarantee(histogram())$label, "strict")
  local({
    local_replaced("seal_format", 1)
    old <<- histogram()
  })
  expect_identical(guarantee(old)$label, "none")
})
