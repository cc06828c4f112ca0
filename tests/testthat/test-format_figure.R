test_that("figures have three digits and thousands are separated", {
  expect_identical(
    format_figure(c(0, 1, 12.345, 1234.5, 0.01234, Inf, NA, -1.234e-100)),
    c("0", "1.00", "12.3", "1,230", "0.0123", "Inf", "-", "-1.23e-100")
  )
  expect_identical(format_count(5478L), "5,478")
})

test_that("table columns are aligned", {
  lines <- format_table(data.frame(a = c("x", "long"), b = c(1, 22)))
  expect_length(lines, 3)
  expect_identical(lines[2], "x     1.00")
  expect_identical(lines[3], "long  22.0")
})
