# The rules of guarantee(): what a label rests on.

#' What made the fit, read from its weights and censoring, never from a name
#' that the user could have set
#' @noRd
mechanism_of <- function(fit) {
  weights <- fit$privacy_weights
  scheme <- if (is.null(weights)) "none" else attr(weights, "scheme")
  weighted <- switch(scheme,
    none = "unweighted",
    lipschitz = "lw",
    reweighted = paste0(
      switch(attr(weights, "arguments")$of, lipschitz = "lw", "weighted"),
      "_final"
    ),
    "weighted"
  )
  # Weights that are all 1 change nothing
  if (!is.null(weights) && all(as.double(weights) == 1)) {
    weighted <- if (is.null(fit$censor)) "unweighted" else weighted
  }
  if (is.null(fit$censor)) weighted else paste0("censored_", weighted)
}

verdict_of <- function(fit, mechanism, assignment) {
  verdict <- function(label, ...) list(label = label, reasons = c(...))
  weights <- fit$privacy_weights
  public_weights <- is.null(weights) ||
    identical(attr(weights, "source"), "public")
  if (!isTRUE(fit$converged)) {
    return(verdict("none", paste(
      "The fit has not converged, so that its draws are not those of the",
      "pseudo posterior."
    )))
  }
  if (identical(assignment, "posterior")) {
    return(verdict("none", paste(
      "Clusters were drawn from their posterior given each confidential",
      "value: it is read a second time, outside the mechanism."
    )))
  }
  if (mechanism == "unweighted") {
    return(verdict("none", paste(
      "The likelihood is neither weighted nor clipped, so that nothing bounds",
      "what one record does to the draws."
    )))
  }
  if (is.null(fit$censor) && !is.finite(fit$bound$overall)) {
    return(verdict("none", "The Lipschitz bound is infinite."))
  }
  if (!is.null(fit$censor) && public_weights && fit$quantile >= 1) {
    return(verdict(
      "strict",
      paste(
        "Each record's contribution is clipped to a public interval and",
        "depends on that record and on public inputs only."
      ),
      paste(
        "The sampler's error is not certified: the draws are those of a",
        "Markov chain, not exact."
      )
    ))
  }
  verdict("asymptotic", asymptotic_reasons(fit, public_weights))
}

asymptotic_reasons <- function(fit, public_weights) {
  source <- attr(fit$privacy_weights, "source")
  c(
    if (identical(source, "user")) {
      "The weights were given by hand: their origin is not known."
    } else if (!public_weights) {
      paste(
        "The weights are made from this file: one record moves the weights of",
        "all others, which the claim leaves out."
      )
    },
    if (fit$quantile < 1) {
      "Which draws were dropped depends on the file."
    },
    paste(
      "An audit of Lipschitz weights on exact posteriors (beta model,",
      "N = 2,000) found add/remove-one losses of 7.9 on average and 19 at",
      "worst where the claim was 5.2."
    )
  )
}

#' Claimed or proven epsilon of one parameter draw, add/remove-one
#' @noRd
epsilon_of <- function(fit) {
  if (is.null(fit$censor)) {
    2 * fit$bound$overall
  } else {
    fit$censor$upper - fit$censor$lower
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

#' What the label rests on and the user has stated
#' @return (named character)
#' @noRd
public_inputs_of <- function(fit) {
  arguments <- attr(fit$privacy_weights, "arguments")
  c(
    response = paste0(fit$bound$unit, " (the unit of the bound)"),
    predictors = "values as published; N",
    model = format(fit$family),
    prior = format(fit$prior),
    if (!is.null(arguments$map)) {
      c(weights = sprintf(
        "map %s, scale %s, shift %s", arguments$map, format(arguments$scale),
        format(arguments$shift)
      ))
    },
    if (fit$quantile < 1) {
      c("draw quantile" = format(fit$quantile))
    },
    if (!is.null(fit$censor)) {
      c(interval = sprintf(
        "[%s, %s]", format(fit$censor$lower), format(fit$censor$upper)
      ))
    }
  )
}
