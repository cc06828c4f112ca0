# The rules of guarantee(): what a label rests on. Everything is read from how
# the object was made, never from a name or a flag that the user could set.

#' What made the fit, read from its weights and censoring
#' @noRd
mechanism_of <- function(fit) {
  name <- scheme_word(fit$privacy_weights)
  if (is.null(fit$censor)) {
    name
  } else if (is.null(fit$censor$reference)) {
    paste0("censored_", name)
  } else {
    paste0("centred_", name)
  }
}

# Figures ----------------------------------------------------------------------

#' Claimed or proven epsilon of one parameter draw, by relation
#' @noRd
epsilon_of <- function(fit) {
  if (is.null(fit$censor)) {
    by_relation(2 * fit$bound$overall)
  } else {
    (fit$censor$upper - fit$censor$lower) *
      dependency_of(fit$privacy_weights)$factor
  }
}

empirical_notes <- function(fit, label) {
  if (label == "strict") {
    return(character())
  }
  n_draws <- nrow(fit$draws)
  paste0(
    "Delta is a maximum over S = ", format_count(n_draws), " draws, not a ",
    "supremum: one more draw exceeds it with probability 1/",
    format_count(n_draws + 1), "."
  )
}

# Public inputs ----------------------------------------------------------------

#' What the label rests on and the user has stated
#' @return (named character)
#' @noRd
public_inputs_of <- function(fit, margin = NULL) {
  c(
    response = paste0(fit$bound$unit, " (the unit of the bound)"),
    values = rounding_text(fit$response),
    predictors = "values as published; N",
    model = format(fit$family),
    prior = format(fit$prior),
    scheme_inputs(fit$privacy_weights),
    if (fit$quantile < 1) {
      c("draw quantile" = format(fit$quantile))
    },
    censor_inputs(fit$censor),
    if (!is.null(margin)) {
      c(margin = format(margin))
    }
  )
}

censor_inputs <- function(censor) {
  if (is.null(censor)) {
    return(NULL)
  }
  c(
    interval = sprintf("[%s, %s]", format(censor$lower), format(censor$upper)),
    if (!is.null(censor$reference)) {
      c(
        reference = format(censor$reference),
        window = sprintf(
          "%s, so that every weight is multiplied by %s",
          format(censor$window), format_figure(censor$alpha)
        )
      )
    }
  )
}
