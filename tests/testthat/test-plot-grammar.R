
test_that("levels in an order are joined with their neighbours", {
  names <- c(
    "under 10", paste(1:14 * 10, "to", 2:15 * 10), "150 and more", "missing"
  )
  shares <- matrix(rep(c(2:15, 1, 1, 3), 2), ncol = 2) / 100
  found <- joined_levels(c(names, "other"), rbind(shares, 0), 1:16)
  expect_identical(nrow(found$shares), most_rows)
  expect_equal(colSums(found$shares), colSums(shares))
  expect_identical(sum(found$size), 17L)
  expect_identical(rownames(found$shares)[c(1, 10, 11)], c(
    "under 30", "130 and more", "missing"
  ))
  plain <- joined_levels(c(names, "other"), rbind(shares, 0))
  expect_identical(rownames(plain$shares)[most_rows], "7 others")
})
