expect_reproduces <- function(weights, data) {
  predicted <- predict(freeze(weights), data)
  testthat::expect_identical(as.numeric(predicted), as.numeric(weights))
  testthat::expect_identical(attr(predicted, "scheme"), "frozen")
  # Of their own file nothing is frozen
  testthat::expect_identical(dependency_of(predicted)$kind, "other records")
}

test_that("a rule gives the weights of its own file back, to the last bit", {
  data <- privacy_data()
  fit <- unweighted_fit()
  for (map in c("linear", "inverse", "softmax", "logistic")) {
    for (quantile in c(1, 0.9)) {
      expect_reproduces(
        lipschitz_weights(fit, 0.8, 0.1, map, quantile), data
      )
    }
  }
  count <- count_weights(fit, radius = 0.2, known = "age", shift = 0.1)
  expect_reproduces(count, data)
  expect_reproduces(lw_fit()$privacy_weights, data)
  expect_reproduces(lw_final_fit()$privacy_weights, data)
  truncated <- truncate_weights(lw_fit(), 1.8 * lw_fit()$bound$overall)
  expect_true(sum(truncated == 0) > sum(lw_fit()$privacy_weights == 0))
  expect_reproduces(truncated, data)
  expect_reproduces(scale_weights(lw_fit()$privacy_weights, 0.5, 0.2), data)
  expect_reproduces(combine_weights(count, lw_fit()$privacy_weights), data)
})

test_that("mixtures and other families can be frozen", {
  data <- simulated()
  data$n <- as.integer(round(exp(data$y)))
  fits <- list(
    quick_mixture(data = data), quick_fit(n ~ group, data, poisson())
  )
  for (fit in fits) {
    w <- lipschitz_weights(fit, allow_unconverged = TRUE)
    expect_reproduces(w, data)
    expect_identical(
      as.numeric(predict(freeze(w), data[c(7, 3), ])), as.numeric(w)[c(7, 3)]
    )
  }
})

test_that("no record moves the frozen weight of another one", {
  current <- current_data()
  rules <- list(
    freeze(lipschitz_weights(unweighted_fit())),
    freeze(lw_final_fit()$privacy_weights),
    freeze(count_weights(unweighted_fit(), radius = 0.2, known = "age"))
  )
  for (rule in rules) {
    all <- as.numeric(predict(rule, current))
    expect_gt(length(unique(all)), 5)
    for (i in c(1, 60, 120)) {
      expect_identical(as.numeric(predict(rule, current[-i, ])), all[-i])
      changed <- current
      changed$income[i] <- 1
      expect_identical(as.numeric(predict(rule, changed))[-i], all[-i])
      expect_false(as.numeric(predict(rule, changed))[i] == all[i])
    }
  }
})

test_that("frozen Lipschitz weights follow the history's extremes", {
  fit <- unweighted_fit()
  current <- current_data()
  rule <- freeze(lipschitz_weights(fit, scale = 0.8, shift = 0.1))
  spec <- newdata_spec(fit, current)
  spec$y <- log(current$income)
  delta <- apply(abs(log_lik_(spec, fit$draws)), 2, max)
  own <- fit$bound$record
  risk <- (delta - min(own)) / (max(own) - min(own))
  expected <- 0.8 * (1 - pmin(pmax(risk, 0), 1)) + 0.1
  expect_equal(as.numeric(predict(rule, current)), expected)
  # The floor holds for a record beyond anything the history has
  current$income[1] <- 1
  expect_equal(as.numeric(predict(rule, current))[1], 0.1)
})

test_that("frozen count weights look into the history's balls", {
  history <- data.frame(y = c(1, 2, 3, 10, 11), g = c("a", "a", "a", "b", "b"))
  rule <- freeze(count_weights("y", history, 0.5, FALSE, "g"))
  current <- data.frame(y = c(2.5, 10, 2, 10.5), g = c("a", "a", "c", "b"))
  # 2.5 sees 2 and 3 of three; 10 sees none; no record has the pattern c
  expect_equal(as.numeric(predict(rule, current)), c(2 / 3, 0, 0, 1))
})

test_that("frozen weights know rule, history and source", {
  w <- lipschitz_weights(unweighted_fit())
  rule <- freeze(w)
  expect_s3_class(rule, "weight_rule")
  expect_identical(rule$history, "confidential")
  expect_identical(rule$response, "income")
  expect_setequal(rule$predictors, c("age", "earner"))
  frozen <- predict(rule, current_data())
  expect_identical(dependency_of(frozen)$kind, "own record")
  arguments <- attr(frozen, "arguments")
  expect_identical(arguments$rule, "lipschitz")
  expect_identical(arguments$history, "confidential")
  public <- freeze(w, history = "public")
  arguments <- attr(predict(public, current_data()), "arguments")
  expect_identical(arguments$history, "public")
  expect_identical(
    as.numeric(predict(freeze(frozen), current_data())), as.numeric(frozen)
  )
  expect_output(print(rule), "need their own")
  expect_output(print(public), "states to be public")
})

test_that("a censored fit with frozen weights is strict, of its own file not", {
  current <- current_data()
  rule <- freeze(lipschitz_weights(unweighted_fit()), history = "public")
  rule_fit <- function(data, weights) {
    fit_synthesizer(
      log(income) ~ age + earner, data, gaussian(),
      prior = prior_normal(intercept = c(10.8, 2.5)),
      privacy_weights = weights, chains = 2, warmup = 300, draws = 1000,
      censor = censor(
        2,
        reference = list("(Intercept)" = 10.8, sigma = 1)
      ), seed = 4
    )
  }
  strict <- rule_fit(current, predict(rule, current))
  expect_identical(guarantee(strict)$label, "strict")
  own <- rule_fit(privacy_data(), predict(rule, privacy_data()))
  expect_identical(guarantee(own)$label, "asymptotic")
  # The same file in another order is the same file
  turned <- privacy_data()[150:1, ]
  expect_identical(dependency_of(predict(rule, turned))$kind, "other records")
})

test_that("weights of other records and other responses are refused", {
  current <- current_data()
  w <- predict(freeze(lipschitz_weights(unweighted_fit())), current)
  other <- current
  other$income[3] <- other$income[3] + 1
  expect_error(
    quick_fit(log(income) ~ age, other, privacy_weights = w),
    class = "pseudosynth_error_other_records"
  )
  expect_error(
    quick_fit(log(income) ~ age, current[120:1, ], privacy_weights = w),
    class = "pseudosynth_error_other_records"
  )
  current$salary <- current$income
  expect_error(
    quick_fit(
      log(salary) ~ age, current[c("salary", "age")],
      privacy_weights = w
    ),
    class = "pseudosynth_error_frozen_variables"
  )
})

test_that("a rule on other variables, kinds or levels is a classed error", {
  current <- current_data()
  lipschitz <- freeze(lipschitz_weights(unweighted_fit()))
  count <- freeze(count_weights(unweighted_fit(), radius = 0.2, known = "age"))
  for (rule in list(lipschitz, count)) {
    refuse <- function(newdata) {
      expect_error(
        predict(rule, newdata),
        class = "pseudosynth_error_frozen_variables"
      )
    }
    refuse(current[setdiff(names(current), "age")])
    refuse(current[setdiff(names(current), "income")])
    refuse(transform(current, age = factor("from another planet")))
    refuse(transform(current, income = as.character(income)))
    refuse(transform(current, income = NA_real_))
    expect_error(predict(rule, 1), class = "pseudosynth_error_input")
  }
  refuse <- function(newdata) {
    expect_error(
      predict(lipschitz, newdata),
      class = "pseudosynth_error_frozen_variables"
    )
  }
  refuse(transform(current, income = -income))
  refuse(transform(current, age = as.numeric(age)))
})

test_that("what has no rule is not frozen", {
  fit <- unweighted_fit()
  expect_error(
    freeze(lipschitz_weights(fit$bound)),
    class = "pseudosynth_error_not_freezable"
  )
  by_hand <- as_privacy_weights(rep(c(0.5, 1), 75), 150)
  expect_error(freeze(by_hand), class = "pseudosynth_error_not_freezable")
  expect_error(
    freeze(combine_weights(by_hand, lipschitz_weights(fit))),
    class = "pseudosynth_error_not_freezable"
  )
  expect_error(freeze(runif(5)), class = "pseudosynth_error_input")
})

test_that("synthetic data and labels carry nothing of a rule", {
  fit <- lw_fit()
  secret <- unweighted_fit()$draws[7, 2]
  expect_true(holds_value(fit$privacy_weights, secret))
  expect_false(holds_value(synthesize(fit, 2, seed = 1), secret))
  expect_false(holds_value(guarantee(fit), secret))
  expect_false(holds_value(as.numeric(fit$privacy_weights), secret))
  expect_false(holds_value(summary(fit$privacy_weights), secret))
})
