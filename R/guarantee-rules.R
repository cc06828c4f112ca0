# The rules of guarantee(): what a label rests on. Everything is read from how
# the object was made, never from a name or a flag that the user could set.

#' The weights' short name, in the papers' words
#' @return (string) `"unweighted"` where there are none or all are 1.
#' @noRd
weights_name <- function(weights) {
  if (is.null(weights)) {
    return("unweighted")
  }
  # Weights that are all 1 change nothing
  if (all(as.double(weights) == 1)) {
    return("unweighted")
  }
  arguments <- attr(weights, "arguments")
  short <- function(scheme) {
    switch(scheme %||% "user",
      lipschitz = "lw", count = "cw", risk = "risk", scalar = "scalar",
      truncated = "weighted_e", combined = "combined", frozen = "frozen",
      two_stage = "two_stage", public_scalar = "public_scalar",
      scaled = short(arguments$of),
      "weighted"
    )
  }
  scheme <- attr(weights, "scheme")
  if (identical(scheme, "reweighted")) {
    paste0(short(arguments$of), "_final")
  } else {
    short(scheme)
  }
}

#' What made the fit, read from its weights and censoring
#' @noRd
mechanism_of <- function(fit) {
  name <- weights_name(fit$privacy_weights)
  if (is.null(fit$censor)) {
    name
  } else if (is.null(fit$censor$reference)) {
    paste0("censored_", name)
  } else {
    paste0("centred_", name)
  }
}

# Weights ----------------------------------------------------------------------

#' On what the weights depend, and what that does to the width of an interval
#'
#' `own`: on the record and public or paid inputs only, so that the loss is the
#' width w for add/remove-one and 2 w for replace-one. `floor`: on other records
#' too, but boundedly: count weights with a floor, whose loss is at most
#' w (1 + c/g) and w (2 + c/g). `file`, `user`: no bound is known.
#'
#' @return (list) `kind`, `factor` (by relation), `one_off` (by relation).
#' @noRd
weights_rule <- function(weights) {
  rule <- function(kind, factor = by_relation(1), one_off = by_relation(0)) {
    list(kind = kind, factor = factor, one_off = one_off)
  }
  if (is.null(weights)) {
    return(rule("own"))
  }
  arguments <- attr(weights, "arguments")
  scheme <- attr(weights, "scheme")
  source <- attr(weights, "source")
  # A scale that was solved for a target is itself a function of the file
  counted <- identical(scheme, "count") && is.null(arguments$target)
  switch(source %||% "user",
    public = rule("own"),
    frozen = rule("own"),
    paid = {
      epsilon <- arguments$epsilon0
      if (is_positive(epsilon)) {
        rule("own", one_off = by_relation(
          epsilon, arguments$epsilon0_replace %||% (2 * epsilon)
        ))
      } else {
        rule("file")
      }
    },
    file = {
      c <- arguments$scale
      g <- arguments$shift
      if (counted && is_positive(g) && is.numeric(c) && c >= 0) {
        rule("floor", factor = by_relation(1 + c / g, 2 + c / g))
      } else {
        rule("file")
      }
    },
    rule("user")
  )
}

#' A clip that holds for weights that change with other records
#'
#' The bound of count weights compares clip(a h) with clip(a' h): both must
#' shrink towards 0, which has to lie in the interval.
#' @noRd
interval_holds_zero <- function(censor) {
  censor$lower <= 0 && censor$upper >= 0
}

# Verdict ----------------------------------------------------------------------

verdict_of <- function(fit, mechanism, assignment = "prior") {
  verdict <- function(label, ...) list(label = label, reasons = c(...))
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
  if (is.null(fit$censor)) {
    if (mechanism == "unweighted") {
      return(verdict("none", paste(
        "The likelihood is neither weighted nor clipped, so that nothing",
        "bounds what one record does to the draws."
      )))
    }
    if (mechanism == "risk") {
      return(verdict("none", paste(
        "Risk weights bound no record's contribution: no epsilon is claimed",
        "for them."
      )))
    }
    if (!is.finite(fit$bound$overall)) {
      return(verdict("none", "The Lipschitz bound is infinite."))
    }
  }
  strict <- strict_reasons(fit)
  if (!is.null(strict)) {
    return(verdict("strict", strict))
  }
  verdict("asymptotic", asymptotic_reasons(fit))
}

#' Why a fit is strict, `NULL` if it is not
#' @noRd
strict_reasons <- function(fit) {
  rule <- weights_rule(fit$privacy_weights)
  proven <- rule$kind == "own" ||
    (rule$kind == "floor" && interval_holds_zero(fit$censor))
  whole <- fit$quantile >= 1 && (fit$dropped %||% 0) == 0
  if (is.null(fit$censor) || !proven || !whole || !prior_is_proper(fit$prior)) {
    return(NULL)
  }
  c(
    if (rule$kind == "own") {
      paste(
        "Each record's contribution is clipped to a public interval and",
        "depends on that record and on public inputs only."
      )
    } else {
      sprintf(
        paste(
          "Each record's contribution is clipped to a public interval; count",
          "weights with a floor g change so little with one record that the",
          "width is multiplied by %s (add/remove-one) and %s (replace-one)."
        ),
        format_figure(rule$factor[[1]]), format_figure(rule$factor[[2]])
      )
    },
    if (any(rule$one_off > 0)) {
      paste(
        "The weights rest on one strict parameter draw of this file, which is",
        "paid for once."
      )
    },
    history_reason(fit),
    paste(
      "The sampler's error is not certified: the draws are those of a",
      "Markov chain, not exact."
    )
  )
}

#' Public and confidential histories are told apart: the latter is not free
#' @noRd
history_reason <- function(fit) {
  arguments <- attr(fit$privacy_weights, "arguments")
  source <- attr(fit$privacy_weights, "source")
  rule <- (identical(source, "frozen") || !is.null(arguments$history)) &&
    !identical(arguments$history, "public")
  reference <- identical(fit$censor$reference$origin, "history") ||
    identical(arguments$reference, "history")
  if (rule || reference) {
    what <- c(if (rule) "frozen weights", if (reference) "reference")
    sprintf(
      paste(
        "Strict for this file only: the %s come%s from a history of other",
        "records, which needs a label of its own."
      ),
      paste(what, collapse = " and the "),
      if (rule) "" else "s"
    )
  }
}

asymptotic_reasons <- function(fit) {
  rule <- weights_rule(fit$privacy_weights)
  censored <- !is.null(fit$censor)
  c(
    switch(rule$kind,
      user = "The weights were given by hand: their origin is not known.",
      file = paste(
        "The weights are made from this file: one record moves the weights of",
        "all others, which the claim leaves out."
      ),
      floor = if (!censored) {
        paste(
          "The weights are made from this file: one record moves the weights",
          "of others, which the claim leaves out."
        )
      } else {
        "The interval does not hold 0, which the bound of count weights needs."
      },
      own = if (!censored) {
        "The likelihood is not clipped: 2 Delta is a maximum over the draws."
      }
    ),
    if (fit$quantile < 1 || (fit$dropped %||% 0) > 0) {
      "Which draws were dropped depends on the file."
    },
    if (rule$kind %in% c("file", "user")) audit_reason(censored)
  )
}

audit_reason <- function(censored) {
  if (censored) {
    paste(
      "An audit of clipping with weights recomputed from each file, on exact",
      "posteriors (beta model), found add/remove-one losses of 81 (N = 100)",
      "and 774 (two clusters and an outlier, N = 200) where the claim was 5."
    )
  } else {
    paste(
      "An audit of Lipschitz weights on exact posteriors (beta model,",
      "N = 2,000) found add/remove-one losses of 7.9 on average and 19 at",
      "worst where the claim was 5.2."
    )
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
      weights_rule(fit$privacy_weights)$factor
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
    weights_inputs(fit$privacy_weights),
    if (fit$quantile < 1) {
      c("draw quantile" = format(fit$quantile))
    },
    censor_inputs(fit$censor),
    if (!is.null(margin)) {
      c(margin = format(margin))
    }
  )
}

#' Public numbers of the weights' scheme: none that was computed from the file
#' @noRd
weights_inputs <- function(weights) {
  if (is.null(weights)) {
    return(NULL)
  }
  arguments <- attr(weights, "arguments")
  if (!is.null(arguments$target)) {
    return(c(weights = "their scale was solved from this file: not public"))
  }
  stated <- switch(attr(weights, "scheme") %||% "user",
    lipschitz = c("map", "scale", "shift"),
    count = c("radius", "relative", "known", "scale", "shift"),
    public_scalar = "alpha",
    two_stage = c("epsilon0", "lower", "upper", "scaled_by", "shifted_by"),
    # A scale may have been solved from the history
    frozen = c(
      "rule", "history",
      if (identical(arguments$history, "public")) c("scaled_by", "shifted_by")
    ),
    scaled = c("of", "scaled_by", "shifted_by"),
    combined = c("of", "epsilon0", "history"),
    risk = c("radius", "relative", "known"),
    reweighted = "of",
    character()
  )
  stated <- intersect(stated, names(arguments))
  text <- vapply(arguments[stated], function(value) {
    paste(format(value), collapse = " ")
  }, "")
  text <- paste(stated, text, collapse = ", ")
  if (nzchar(text)) c(weights = text)
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
