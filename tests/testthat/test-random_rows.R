test_that("rows are distinct, in range and depend on the seed alone", {
  rows <- random_rows(50, 50, c(1, 2))
  expect_setequal(rows, 1:50)
  expect_identical(random_rows(50, 7, c(1, 2)), rows[1:7])
  expect_false(identical(random_rows(50, 7, c(1, 3)), rows[1:7]))
  expect_identical(random_rows(1, 1, c(0, 0)), 1L)
})

test_that("every row is as likely as any other", {
  first <- vapply(1:4000, function(s) random_rows(8, 2, c(0, s))[2], 1L)
  # chi-square with 7 degrees of freedom exceeds 30 once in 10,000 times
  expect_lt(sum((table(first) - 500)^2 / 500), 30)
})

test_that("the generator gives the published sequence of MRG32k3a", {
  # L'Ecuyer's recursion in exact integers (R's own generator of that name)
  withr::local_preserve_seed()
  RNGkind("L'Ecuyer-CMRG")
  set.seed(1)
  state <- .Random.seed[2:7]
  state <- ifelse(state < 0, state + 2^32, as.double(state))
  stream <- uniform_stream(c(0, 0))
  environment(stream)$a <- state[1:3]
  environment(stream)$b <- state[4:6]
  ours <- vapply(1:20, function(i) stream(), 0)
  expect_equal(ours, stats::runif(20), tolerance = 1e-8)
})
