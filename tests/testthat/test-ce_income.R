test_that("ce_income holds the 6,208 consumer units of month 10", {
  expect_s3_class(ce_income, "data.frame")
  expect_identical(dim(ce_income), c(6208L, 10L))
  expect_false(anyNA(ce_income))
})

test_that("income is in whole dollars with its zeros and losses kept", {
  income <- ce_income$income
  expect_type(income, "integer")
  expect_identical(sum(income == 0), 725L)
  expect_identical(sum(income < 0), 5L)
  expect_identical(min(income), -45000L)
  expect_identical(sum(income > 0), 5478L)
})

test_that("incomes are heaped as documented", {
  income <- ce_income$income
  expect_length(unique(income), 3224)
  counts <- table(income[income > 0])
  expect_identical(max(counts), 56L)
  expect_identical(names(which.max(counts)), "24000")
})

test_that("suppressed region and population size are levels of their own", {
  expect_identical(sum(ce_income$region == "not published"), 105L)
  expect_identical(sum(ce_income$population == "not published"), 21L)
})

test_that("every predictor is a factor with the documented classes", {
  predictors <- ce_income[-1]
  expect_true(all(vapply(predictors, is.factor, logical(1))))
  expect_identical(
    vapply(predictors, nlevels, integer(1)),
    c(
      sex = 2L, age = 5L, education = 8L, region = 5L, urban = 2L,
      marital = 5L, population = 6L, family_size = 11L, earner = 2L
    )
  )
  used <- vapply(predictors, function(x) all(table(x) > 0), logical(1))
  expect_true(all(used))
})

test_that("ce_income holds no identifier", {
  expect_named(ce_income, c("income", names(ce_columns)[-1]))
  distinct <- vapply(ce_income, function(x) length(unique(x)), integer(1))
  expect_lt(max(distinct), nrow(ce_income))
  expect_identical(rownames(ce_income), as.character(seq_len(6208)))
})

test_that("the counts of the source's codes have kept their meaning", {
  expect_identical(
    as.vector(table(ce_income$marital)),
    c(3053L, 537L, 974L, 183L, 1461L)
  )
  expect_identical(as.vector(table(ce_income$sex)), c(3406L, 2802L))
  expect_identical(as.vector(table(ce_income$earner)), c(1617L, 4591L))
})
