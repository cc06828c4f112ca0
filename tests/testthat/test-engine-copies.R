# Predictors that tell the response are refused in a database where they are in
# memory: the same columns, one by one, in both.

test_that("a predictor that tells the response is refused as in memory", {
  d <- telling()
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  columns <- c(
    "rounded", "text", "rank", "class", "less", "nearly", "mean", "mean_text",
    "mean_log", "median", "median_2", "held", "held_text", "low", "high"
  )
  # By day one of each kind: text, classes, exceptions, sums, other values
  few <- c("text", "class", "nearly", "mean_log", "median", "held_text", "low")
  for (column in by_night(columns, few)) {
    formula <- stats::reformulate(c(column, "flag"), quote(log(income)))
    refused_copy(formula, d)
    refused_copy(formula, table)
  }
  # What has nothing to do with it
  d$other <- withr::with_seed(1, sample(d$rounded))
  d$label <- paste0("l", withr::with_seed(2, sample(1:40, nrow(d), TRUE)))
  d$amount <- sprintf(
    "%d EUR", withr::with_seed(3, sample(1:60, nrow(d), TRUE))
  )
  con <- sqlite(persons = d)
  columns <- c("other", "amount", "label", "`the \"age\"`")
  for (column in by_night(columns, columns[1:2])) {
    formula <- stats::reformulate(column, quote(log(income)))
    expect_same_release(
      released(formula, dplyr::tbl(con, "persons")), released(formula, d)
    )
  }
})

test_that("a computed term that tells the response is refused as in memory", {
  d <- engine_persons(1500)
  # Two halves, of which neither tells
  d$part <- withr::with_seed(4, sample(0:40, nrow(d), TRUE))
  d$rest <- round(d$income / 1000) - d$part
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  for (formula in list(
    log(income) ~ I(part + rest), log(income) ~ flag + I(2 * (rest + part)^2)
  )) {
    refused_copy(formula, d)
    refused_copy(formula, table)
  }
})

test_that("classes of two or more responses are told, and no others", {
  d <- engine_persons(1500)
  d$copy <- ifelse(d$works == 1, "x", "y")
  d$among <- paste0(d$copy, d$group)
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  for (formula in list(works ~ copy, works ~ among)) {
    expect_copy(works_of(formula, d))
    expect_copy(works_of(formula, table))
  }
  d$state <- paste0(match(d$status, unique(d$status)), d$flag)
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  expect_copy(status_of(status ~ state, d))
  expect_copy(status_of(status ~ state, table))
  expect_same_release(
    works_of(works ~ group, table), works_of(works ~ group, d)
  )
})

test_that("predictors that tell the response together are refused", {
  d <- engine_persons(1500)
  # Of neither alone: 0 and 1 as often in all of its groups
  d$works <- (as.integer(d$flag == "yes") + d$visits) %% 2L
  d$odd <- d$visits %% 2L
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  expect_error(
    released(works ~ flag + odd, table, family = bernoulli(), bounds = NULL,
      reference = list("(Intercept)" = 0)
    ), "jointly", class = "pseudosynth_error_copied_response"
  )
  # A response that does not vary tells nothing
  d$works <- 0L
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  none <- function(data) {
    released(works ~ flag + odd, data, family = bernoulli(), bounds = NULL,
      reference = list("(Intercept)" = 0)
    )
  }
  expect_same_release(none(table), none(d))
})

test_that("constants of a formula and stated numbers must not be the data's", {
  d <- engine_persons(1500)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  # Each of six digits, which a single one may have
  once <- setdiff(d$income, d$income[duplicated(d$income)])
  own <- once[signif(once, 6) == once][1:24]
  terms <- paste(own, collapse = " + ")
  formula <- stats::as.formula(
    sprintf("log(income) ~ I(`the \"age\"` + %s)", terms)
  )
  for (data in list(d, table)) {
    error <- expect_error(
      released(formula, data), class = "pseudosynth_error_privacy"
    )
    expect_match(conditionMessage(error), "formula")
  }
  y <- log(d$income)
  stated <- c(
    mean(y), stats::median(y), stats::quantile(y, c(0.25, 0.75)), range(y),
    stats::sd(y), stats::mad(y), stats::IQR(y), stats::IQR(y) / 1.349,
    2.5 * stats::sd(y), 2.5 * stats::mad(y), log(mean(y)),
    log(stats::median(y)),
    y[17]
  )
  # By day one of each kind
  few <- stated[c(1, 3, 6, 8, 11, 13, 15)]
  for (number in by_night(stated, few)) {
    for (data in list(d, table)) {
      expect_error(
        released(log(income) ~ flag, data,
          reference = list("(Intercept)" = number, sigma = 1)
        ), class = "pseudosynth_error_public_ends"
      )
    }
  }
  expect_same_release(
    released(log(income) ~ flag, table,
      reference = list("(Intercept)" = 10.812345678, sigma = 1)
    ),
    released(log(income) ~ flag, d,
      reference = list("(Intercept)" = 10.812345678, sigma = 1)
    )
  )
})
