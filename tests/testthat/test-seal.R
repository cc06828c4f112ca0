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

test_that("a long vector is sealed whole, without a copy of it", {
  whole <- as.double(seq_len(2.5e5))
  expect_identical(stable_hash(whole), stable_hash(whole + 0))
  for (at in c(1, 1e5, 1e5 + 1, 2.5e5)) {
    edited <- whole
    edited[at] <- -1
    expect_false(identical(stable_hash(edited), stable_hash(whole)))
  }
  expect_false(identical(
    stable_hash(whole), stable_hash(as.integer(whole))
  ))
  levels <- c("a", "b")
  one <- factor(rep(levels, 1e5), levels)
  other <- factor(rep(levels, 1e5), levels, labels = c("a", "c"))
  expect_false(identical(stable_hash(one), stable_hash(other)))
  expect_identical(stable_hash(seq_len(2e5)), stable_hash(c(1:1e5, 100001:2e5)))
})
