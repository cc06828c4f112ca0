# Files like the confidential one: its predictors, with responses drawn anew
# from a fit. A study looks at them and releases none: they need no public ends.

#' Responses drawn from the fit, on the modelled scale: a column a database
#' @noRd
local_values <- function(fit, replicates, seed) {
  rows <- random_rows(
    nrow(fit$draws), replicates, seed_words(seed, "database draws")
  )
  synthesize_(
    newdata_spec(fit, fit$data), fit$draws[rows, , drop = FALSE],
    seed_words(seed, "databases"), 0L
  )
}

drawn_records <- function(fit, values) {
  data <- fit$data
  data[[fit$response$variable]] <- response_inverse(fit$response, values)
  spec <- fit$spec
  # Not rounded: a rounded income of 0 has no logarithm
  spec$y <- values
  list(data = data, spec = spec)
}
