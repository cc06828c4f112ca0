
test_that("columns with the labels of a survey are the numbers they hold", {
  data <- data.frame(
    income = c(1.5, 2.5, 3.5, 4.5), size = c(1, 2, 2, 3), region = c(1, 1, 2, 2)
  )
  labelled <- data
  labelled$size <- structure(
    data$size,
    labels = c(one = 1, two = 2),
    class = c("haven_labelled", "vctrs_vctr", "double")
  )
  keys <- c("size", "region")
  expect_identical(
    replicated_uniques(data, labelled, keys = keys),
    replicated_uniques(data, data, keys = keys)
  )
  expect_identical(without_labels(labelled), data)
})
