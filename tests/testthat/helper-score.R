# What the tests of score releases share.

ce_positive <- function(n = 600) {
  ce <- subset(ce_income, income > 0, c("income", "age", "education", "earner"))
  droplevels(ce[seq_len(n), ])
}

score_reference <- list("(Intercept)" = 10.8, sigma = 1)

ce_release <- function(data = ce_positive(), ..., reference = score_reference) {
  suppressWarnings(
    suppressMessages(
      score_release(log(income) ~ ., data, reference = reference, ...)
    ),
    classes = "pseudosynth_warning_budget"
  )
}

# Design rows of numbers, each of one record.
plain_rows <- function(x) {
  parts <- list(
    n_columns = ncol(x), intercept = FALSE, codes = matrix(0L, nrow(x), 0),
    n_levels = integer(), factor_column = integer(), numeric = x,
    numeric_column = seq_len(ncol(x)) - 1L
  )
  distinct_rows(parts)
}

# A file whose spread differs by group, which no linear predictor knows
spread_file <- function(n = 3000) {
  withr::local_seed(21)
  data <- data.frame(
    g = factor(sample(c("a", "b"), n, TRUE)), x = stats::rnorm(n),
    h = factor(sample(c("u", "v", "w"), n, TRUE))
  )
  data$y <- 2 + 0.5 * (data$h == "v") + 0.3 * data$x +
    ifelse(data$g == "a", 0.3, 1.2) * stats::rnorm(n)
  data
}

spread_release <- function(data = spread_file(), epsilon = 5, ...) {
  suppressWarnings(suppressMessages(score_release(y ~ ., data, student_t(3),
    epsilon = epsilon, reference = list("(Intercept)" = 2, sigma = 1),
    bounds = c(-20, 20), ...
  )))
}
