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
