income_file <- function(n = 200, seed = 1) {
  withr::with_seed(seed, data.frame(
    income = exp(rnorm(n, 10)), age = sample(c("old", "young"), n, TRUE),
    w = runif(n, 1, 3)
  ))
}

test_that("estimates are those of the files, the file agrees with itself", {
  data <- income_file()
  set <- income_file(seed = 2)
  withr::local_seed(3)
  found <- resample_statistics(
    list(set, data), data, c("mean", "median", "sd", "total", "90%"),
    variable = "income", replicates = 50
  )
  table <- found$table
  expect_equal(nrow(table), 10)
  of <- function(f) c(f(data$income), (f(set$income) + f(data$income)) / 2)
  expect_equal(table$estimate[table$statistic == "mean"], of(mean))
  expect_equal(table$estimate[table$statistic == "sd"], of(sd))
  expect_equal(
    table$estimate[table$statistic == "90%"],
    of(function(y) quantile(y, 0.9, names = FALSE))
  )
  own <- table[table$release == "confidential", ]
  expect_equal(own$overlap, rep(1, 5))
  expect_equal(own$distance, rep(0, 5))
})

test_that("the resampling error is that of theory", {
  data <- income_file(400)
  withr::local_seed(4)
  found <- resample_statistics(
    data, data, "mean",
    variable = "income", replicates = 2000
  )
  error <- sd(data$income) / sqrt(400)
  draws <- found$draws$value[found$draws$release == "confidential"]
  expect_equal(sd(draws), error, tolerance = 0.1)
  expect_equal(mean(draws), mean(data$income), tolerance = 0.01)
})

test_that("the barycentre is the mean of the quantile functions", {
  each <- list(
    list(estimate = c(a = 1), draws = cbind(c(1, 2, 6))),
    list(estimate = c(a = 3), draws = cbind(c(3, 3, 4)))
  )
  found <- barycentre(each)
  expect_equal(found$estimate, c(a = 2))
  expect_equal(found$draws[, 1], c(2, 2.5, 5))
  # of equal normals it is that normal, not a mixture of two
  withr::local_seed(5)
  a <- sort(rnorm(4000, -3))
  b <- sort(rnorm(4000, 3))
  mixed <- barycentre(list(
    list(estimate = c(x = 0), draws = cbind(a)),
    list(estimate = c(x = 0), draws = cbind(b))
  ))
  expect_equal(sd(mixed$draws), 1, tolerance = 0.05)
})

test_that("functions, several numbers and survey weights", {
  data <- income_file()
  withr::local_seed(6)
  found <- resample_statistics(
    data, data,
    list(beta = function(d) coef(lm(log(income) ~ age, d)), top = "99%"),
    variable = "income", replicates = 20
  )
  expect_equal(
    unique(found$table$statistic), c("(Intercept)", "ageyoung", "top")
  )
  weighted <- resample_statistics(
    data, data, c("mean", "median", "total", "sd"),
    variable = "income", replicates = 20, survey_weights = "w"
  )$table
  own <- weighted[weighted$release == "confidential", ]
  expect_equal(own$estimate[1], weighted.mean(data$income, data$w))
  expect_equal(own$estimate[3], sum(data$income * data$w))
  # equal weights change nothing but ties of a quantile
  expect_equal(
    weighted_quantile(c(5, 1, 3), c(1, 1, 1), 0.5), 3
  )
  expect_equal(weighted_quantile(c(5, 1, 3), c(1, 9, 1), 0.5), 1)
})

test_that("jobs know their file; several releases are compared", {
  job <- list(
    a = synthesize(unweighted_fit(), 2, seed = 1),
    b = synthesize(unweighted_fit(), 2, seed = 2)
  )
  withr::local_seed(7)
  found <- resample_statistics(job, privacy_data(), "median", replicates = 20)
  expect_equal(found$table$release, c("confidential", "a", "b"))
  expect_equal(found$variable, "income")
  expect_s3_class(autoplot(found), "ggplot")
  expect_output(print(found), "not for release")
})

test_that("what cannot be computed is an error without values", {
  data <- income_file()
  call <- function(...) {
    resample_statistics(data, data, variable = "income", replicates = 5, ...)
  }
  bad <- list(
    function() call("mode"), function() call("101%"), function() call(list()),
    function() call(1), function() call(function(d) "a"),
    function() call(function(d) numeric()),
    function() call(function(d) stop("secret ", d$income[1])),
    function() call("mean", survey_weights = "none"),
    function() call("mean", level = 2),
    function() call("mean", unknown = 1),
    function() resample_statistics(data, NULL, variable = "income"),
    function() resample_statistics(list(data, 1), data, variable = "income"),
    function() resample_statistics(list(a = data, data), data),
    function() resample_statistics(data, data),
    function() resample_statistics(data, data, variable = "none"),
    function() {
      resample_statistics(
        list(data[1:100, ]), data, function(d) d$income,
        variable = "income", replicates = 5
      )
    }
  )
  for (f in bad) {
    error <- expect_error(f(), class = "pseudosynth_error_input")
    expect_false(grepl("secret", conditionMessage(error)))
  }
})

test_that("two statistics of one name are refused, not mixed", {
  data <- income_file()
  for (twice in list(
    c("mean", "mean"), list(a = "mean", a = "median"),
    list(function(d) 1, function(d) 2),
    list(a = "mean", function(d) c(a = 1, b = 2))
  )) {
    error <- expect_error(
      resample_statistics(
        data, data, twice,
        variable = "income", replicates = 5
      ),
      class = "pseudosynth_error_input"
    )
    expect_match(
      conditionMessage(error), "\"(a|mean|statistic)\" appears more than once"
    )
  }
})

test_that("a statistic that fails is named, and where it failed", {
  data <- income_file()
  for (at in list(
    c(1, "on the file"), c(2, "on a resample of the file"),
    c(7, "on set 1 of LW"), c(13, "on set 2 of LW"),
    c(14, "on a resample of set 2 of LW")
  )) {
    calls <- 0
    fails <- function(d) {
      calls <<- calls + 1
      if (calls == as.numeric(at[1])) stop("secret ", d$income[1])
      1
    }
    error <- expect_error(
      resample_statistics(
        list(LW = list(data, data)), data, list(slope = fails),
        variable = "income", replicates = 5
      ),
      class = "pseudosynth_error_input"
    )
    expect_match(
      conditionMessage(error), paste0("\"slope\" failed ", at[2], "."),
      fixed = TRUE
    )
    expect_no_match(conditionMessage(error), "secret")
  }
})

test_that("survey weights that sets do not have are explained", {
  data <- income_file()
  error <- expect_error(
    resample_statistics(
      data[c("income", "age")], data, "sd",
      variable = "income", survey_weights = "w"
    ),
    class = "pseudosynth_error_input"
  )
  expect_identical(error$arg, "survey_weights")
  expect_match(conditionMessage(error), "predictor in the formula")
  found <- resample_statistics(
    data, data, "sd",
    variable = "income", replicates = 5, survey_weights = "w"
  )
  wide <- cov.wt(data["income"], data$w, method = "ML")$cov
  expect_equal(found$table$estimate[1], sqrt(wide[[1]]))
})
