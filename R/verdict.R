# The verdict: strict, asymptotic or none. In this one place, from facts of how
# a fit was made and from what its weights depend on, never from a name, from
# the weights' values or from a flag that the user could set.

#' @param fit (`synthesizer` or `external_fit`)
#' @param dependency (list) Of the fit's weights, see dependency().
#' @param assignment (string) How a mixture's clusters are drawn.
#' @return (list) `label` (`"strict"`, `"asymptotic"` or `"none"`), `reasons`.
#' @noRd
verdict_of <- function(fit, dependency, assignment = "prior") {
  nothing <- why_nothing_holds(fit, dependency, assignment)
  if (!is.null(nothing)) {
    return(list(label = "none", reasons = nothing))
  }
  missing <- why_not_strict(fit, dependency)
  if (length(missing) == 0) {
    return(list(label = "strict", reasons = why_strict(fit, dependency)))
  }
  list(
    label = "asymptotic",
    reasons = c(
      missing, if (dependency$kind %in% c("other records", "unknown")) {
        audit_reason(!is.null(fit$censor))
      }
    )
  )
}

#' What nobody knows any more how it was made has no label
#' @param what (string) What was edited.
#' @noRd
edited_verdict <- function(what) {
  list(label = "none", reasons = sprintf(
    "The %s was edited, or made by an older version of the package.", what
  ))
}

#' Why not even the papers' claim can be made, or `NULL`
#' @noRd
why_nothing_holds <- function(fit, dependency, assignment) {
  if (isTRUE(fit$part_of_file)) {
    unwrapped("This is one regression of a file. It reveals the columns that
       come before its own. Only the fit of the whole file has a label.")
  } else if (!isTRUE(fit$converged)) {
    unwrapped("The fit has not converged: its draws are not those of the pseudo
       posterior.")
  } else if (gates_are_lower(fit$control)) {
    lowered_reason(
      lowest_gates, "what a label needs",
      "the draws may not be those of the pseudo posterior."
    )
  } else if (identical(assignment, "posterior")) {
    unwrapped("Clusters were drawn given each confidential value: it is read a
       second time, outside the mechanism.")
  } else if (!is.null(fit$censor)) {
    NULL
  } else if (is.null(fit$privacy_weights)) {
    unwrapped("The likelihood is neither weighted nor censored: nothing limits
       the influence of one record on the draws.")
  } else if (!dependency$claims) {
    unwrapped("The weights do not bound a record's contribution: no epsilon is
       claimed for them.")
  } else if (!is.finite(fit$bound$overall)) {
    "The Lipschitz bound is infinite."
  }
}

# A fit that passes these and no more is a poor one; one that was only asked to
# pass less may be anywhere.
lowest_gates <- list(max_rhat = 1.1, min_ess = 50, max_divergent = 0.1)

#' Would a fit far from its target have passed?
#' @param control (list, or `NULL` for a model fitted elsewhere)
#' @param than (list) Gates, see `default_gates()`.
#' @noRd
gates_are_lower <- function(control, than = lowest_gates) {
  !is.null(control) && !identical(control$sampler, "grid") && (
    control$max_rhat > than$max_rhat || control$min_ess < than$min_ess ||
      control$max_divergent > than$max_divergent
  )
}

#' All that a strict label lacks
#' @return (character) Empty for a strict one.
#' @noRd
why_not_strict <- function(fit, dependency) {
  censored <- !is.null(fit$censor)
  c(
    if (dependency$kind == "unknown") {
      "The weights were given by hand: their origin is not known."
    } else if (dependency$kind == "bounded" && censored) {
      # The bound of a floor compares clip(a h) with clip(a' h): both must
      # shrink towards 0
      if (fit$censor$lower > 0 || fit$censor$upper < 0) {
        "Weights with a floor need an interval that contains 0."
      }
    } else if (dependency$kind != "own record") {
      unwrapped("The weights are made from this file: one record changes the
         weights of others, which the claim ignores.")
    },
    if (!censored) {
      "The likelihood is not censored: epsilon is twice a maximum over draws."
    },
    if (gates_are_lower(fit$control, default_gates(fit$spec$family))) {
      lowered_reason(
        default_gates(fit$spec$family), "the defaults",
        "fits far from their pseudo posterior may pass."
      )
    },
    if (fit$quantile < 1 || (fit$dropped %||% 0) > 0) {
      "Which draws were dropped depends on the file."
    },
    if (censored && !prior_is_proper(fit$prior)) {
      "The prior is not proper."
    },
    if (censored && !response_is_public(fit$response)) unstated_levels_reason,
    if (isFALSE(fit$survey$stated)) own_mean_reason,
    if (!is.null(fit$way)) elsewhere_reason
  )
}

elsewhere_reason <- unwrapped("The model was fitted elsewhere: how its
   likelihood was weighted, what its prior holds and how sets are drawn from it
   is stated, not known.")

unstated_levels_reason <- unwrapped("The levels of the response were read from
   the file: state them as `response = public_response(levels = )`.")

own_mean_reason <- unwrapped("Survey weights are divided by their own mean,
   which one record changes: state a public number, as in `survey_weights =
   c(weight = 1250)`.")

#' @param below,so (strings) What the gates were set below, and what follows.
#' @noRd
lowered_reason <- function(gates, below, so) {
  sprintf(
    unwrapped("The convergence checks were set below %s (R-hat at most %s, %s
       effective draws, a share of %s divergent): %s"),
    below, format_exact(gates$max_rhat), gates$min_ess,
    format_exact(gates$max_divergent), so
  )
}

why_strict <- function(fit, dependency) {
  factor <- dependency$factor
  c(
    if (dependency$kind == "own record") {
      unwrapped("Each record's contribution is censored to a public interval and
         depends on that record and on public inputs only.")
    } else {
      sprintf(
        unwrapped("Each record's contribution is censored to a public interval.
           One record changes the weights of others a little; to cover that, the
           width is multiplied by %s (add-remove) and %s (replace)."),
        format_exact(factor[["add-remove"]]), format_exact(factor[["replace"]])
      )
    },
    if (nrow(dependency$charges) > 0) {
      unwrapped("The weights are computed from strict releases of this file,
         each charged once.")
    },
    if (!is.null(fit$survey)) {
      unwrapped("A survey weight is a part of its record, divided by a public
         number: what is censored is the product.")
    },
    history_reason(fit, dependency),
    if (identical(fit$control$sampler, "grid")) {
      unwrapped("The draws are independent, from a grid over all parameters: no
         Markov chain is involved. The grid's approximation error is not
         certified.")
    } else {
      unwrapped("The sampler's error is not certified: the draws come from a
         Markov chain and are not exact.")
    }
  )
}

#' Public and confidential histories are told apart: the latter is not free
#' @noRd
history_reason <- function(fit, dependency) {
  weights <- dependency$history == "confidential"
  reference <- identical(fit$censor$reference$origin, "history")
  what <- c(if (weights) "weights", if (reference) "reference")
  text_if(
    weights || reference,
    unwrapped("Strict for this file only: the %s come%s from an earlier file,
       stated to have no records in common with this one. That file needs a
       label of its own."),
    paste(what, collapse = " and the "), if (weights) "" else "s"
  )
}

audit_reason <- function(censored) {
  if (censored) {
    unwrapped("An audit of censoring with weights recomputed from each file, on
       exact posteriors (beta model), found add-remove losses of 81 (N = 100)
       and 774 (two clusters and an outlier, N = 200) for a claim of 5.")
  } else {
    unwrapped("An audit of Lipschitz weights on exact posteriors (beta model, N
       = 2,000) found add-remove losses of 7.9 on average and 19 at worst for a
       claim of 5.2.")
  }
}
