test_that("coefficients are those of lm() and glm(), beside the file's", {
  file <- ce_income[1:300, c("income", "age", "earner")]
  sets <- list(ce_income[301:600, ], ce_income[601:900, ])
  found <- file_models(
    list(money = income ~ age, works = earner ~ .), file, sets, NULL
  )
  expect_named(found, c("models", "coefficients"))
  money <- stats::lm(income ~ age, file)
  second <- stats::lm(income ~ age, sets[[2]])
  own <- found$coefficients
  rows <- own[own$model == "money" & own$set == 2, ]
  expect_equal(rows$estimate, unname(stats::coef(second)))
  expect_equal(rows$file, unname(stats::coef(money)))
  expect_equal(
    unname(as.matrix(rows[c("conf.low", "conf.high")])),
    unname(stats::confint(second))
  )
  expect_equal(
    unname(as.matrix(rows[c("file_low", "file_high")])),
    unname(stats::confint(money))
  )
  error <- summary(money)$coefficients[, 2]
  expect_equal(
    rows$std_difference, unname((rows$estimate - rows$file) / error)
  )
  expect_equal(
    found$models$overlap[found$models$model == "money" & found$models$set == 2],
    mean(row_overlaps(stats::confint(money), stats::confint(second)))
  )
  row <- found$models[found$models$model == "money" & found$models$set == 2, ]
  expect_equal(row$r_squared, summary(second)$r.squared)
  expect_equal(row$r_squared_file, summary(money)$r.squared)
  logit <- stats::glm(earner ~ income + age, stats::binomial(), sets[[1]])
  rows <- own[own$model == "works" & own$set == 1, ]
  expect_equal(rows$estimate, unname(stats::coef(logit)[rows$term]))
  expect_true(all(is.na(found$models$r_squared[found$models$model == "works"])))
})

test_that("standardized differences are those of synthpop", {
  found <- utility(
    peer_sets(), peer_file(),
    regression = earner ~ sex + age + marital
  )$coefficients
  mean <- tapply(found$std_difference, found$term, mean)
  known <- peer_figures()$std_difference
  expect_equal(c(mean)[names(known)], known)
  skip_if_not_installed("synthpop")
  expect_equal(peer_script()$std_difference, known)
})

test_that("survey weights are those of the fits", {
  file <- cbind(ce_income[1:200, ], w = rep(1:4, 50))
  set <- cbind(ce_income[201:400, ], w = rep(4:1, 50))
  found <- file_models(
    check_models(list(income ~ age, earner ~ age)), file, list(set), "w"
  )$coefficients
  expect_identical(unique(found$model), c("income ~ age", "earner ~ age"))
  linear <- stats::lm(income ~ age, set, weights = w)
  binary <- suppressWarnings(
    stats::glm(earner ~ age, stats::quasibinomial(), set, weights = w)
  )
  expect_equal(found$estimate, unname(c(coef(linear), coef(binary))))
  expect_equal(found$std.error, unname(c(
    summary(linear)$coefficients[, 2], summary(binary)$coefficients[, 2]
  )))
})

test_that("models that cannot be are refused", {
  sets <- peer_sets()
  file <- peer_file()
  for (model in list(
    "earner ~ age", ~age, region ~ age, earner ~ nothing, list(earner ~ age, 3)
  )) {
    expect_error(
      utility(sets, file, regression = model),
      class = "pseudosynth_error_input"
    )
  }
  expect_null(utility(sets, file)$models)
  expect_error(
    plot(utility(sets, file), "coefficients"),
    class = "pseudosynth_error_input"
  )
})
