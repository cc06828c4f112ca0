test_that("public constants code a predictor in place of the file's own", {
  data <- simulated()
  design <- new_design(y ~ group + x, data, "y", scaling = list(x = c(45, 15)))
  expect_equal(design_parts(design, data)$numeric[, 1], (data$x - 45) / 15)
  # The same coding for another file
  other <- new_design(
    y ~ group + x, data[1:20, ], "y",
    scaling = list(x = c(45, 15))
  )
  expect_identical(
    design_parts(other, data[1:20, ])$numeric[, 1],
    design_parts(design, data)$numeric[1:20, 1]
  )
  # A term goes by its name; without a term to take it up nothing is centred
  log_x <- new_design(y ~ log(x), data, "y", scaling = list("log(x)" = c(3, 2)))
  expect_equal(design_parts(log_x, data)$numeric[, 1], (log(data$x) - 3) / 2)
  through_0 <- new_design(y ~ 0 + x, data, "y", scaling = list(x = c(45, 15)))
  expect_equal(design_parts(through_0, data)$numeric[, 1], data$x / 15)
})

test_that("the file's own mean and sd, given as constants, change nothing", {
  data <- simulated()
  own <- list(x = c(mean(data$x), sd(data$x)))
  expect_identical(
    quick_fit(
      data = data, scaling = own,
      response = public_response(confirmed = own$x)
    )$draws, quick_fit(data = data)$draws
  )
})

test_that("other constants give the same predictions on other coefficients", {
  data <- simulated(200)
  wide <- prior_normal(50, c(2, 100))
  own <- quick_fit(data = data, prior = wide, draws = 2000)
  public <- quick_fit(
    data = data, prior = wide, draws = 2000, scaling = list(x = c(30, 5))
  )
  mean_of <- function(fit) {
    drop(dense_design(fit$spec) %*% colMeans(fit$draws)[1:4])
  }
  # Posterior sd of a mean is about 0.5 / sqrt(200 / 4), 2,000 draws
  expect_lt(max(abs(mean_of(own) - mean_of(public))), 0.02)
  expect_equal(
    mean(public$draws[, "x"]) / 5, mean(own$draws[, "x"]) / sd(data$x),
    tolerance = 0.05
  )
  expect_false(isTRUE(all.equal(own$draws[, "x"], public$draws[, "x"])))
})

test_that("scaling that is no list of constants of predictors is refused", {
  refused <- function(pattern, scaling, formula = y ~ group + x) {
    error <- tryCatch(
      quick_fit(formula, simulated(), scaling = scaling),
      error = identity
    )
    expect_s3_class(error, "pseudosynth_error_input")
    expect_identical(error$arg, "scaling")
    expect_match(gsub("\\s+", " ", conditionMessage(error)), pattern)
  }
  refused("is not among them.*numeric predictors are \"x\"", list(z = c(0, 1)))
  refused("\"group\" is not among them", list(group = c(0, 1)))
  refused("is not among them", list(x = c(0, 1)), y ~ poly(x, 2))
  for (bad in list(c(0, 0), c(0, -1), 1, c(0, NA), c("0", "1"), c(0, 1, 2))) {
    refused("something else for \"x\"", list(x = bad))
  }
  refused("a numeric vector", c(x = 1))
  refused("an object of class", methods::getClass("numeric"))
  refused("distinct names", list(c(0, 1)))
  refused("distinct names", list(x = c(0, 1), x = c(0, 2)))
})

test_that("public constants make the design the same whatever the records", {
  data <- simulated()
  data$hours <- seq(10, 50, length.out = nrow(data))
  formula <- hours ~ y * group + log(y + 9) + (y > 2)
  scaling <- list(y = c(2, 1), "log(y + 9)" = c(2, 0.5))
  design <- function() new_design(formula, data, "hours", scaling)
  first <- design()
  data$y <- rev(data$y) * 3
  for (part in c("centre", "scale", "levels")) {
    expect_identical(design()[[part]], first[[part]])
  }
  expect_identical(first$scale$y, 1)
})
