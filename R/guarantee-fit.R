# The label of a fit and of what is drawn from it: the verdict, the charges and
# the public inputs put together, once.

#' @param m (count) Parameter draws.
#' @param what (string) `"parameter draws"` or `"synthetic data"`.
#' @param assignment (string) How a mixture's clusters are drawn.
#' @param reproducible (flag) Was a seed given besides those of the fit, its
#'   weights and the margin?
#' @param margin (list or `NULL`) See margin_part().
#' @param support (two numbers or `NULL`) Of the released values.
#' @param draws_id (string) The identity of the draws. By default that of the
#'   fit, whose draws are yet to be taken.
#' @noRd
label_of_fit <- function(fit, m, what = "parameter draws",
                         assignment = "prior", reproducible = FALSE,
                         margin = NULL, draws_id = fit$id, support = NULL) {
  dependency <- tested_dependency(fit$privacy_weights, fit$data)
  verdict <- if (is_sealed(fit)) {
    verdict_of(fit, dependency, assignment)
  } else {
    edited_verdict("fit")
  }
  verdict <- with_margin(verdict, margin)
  new_privacy_guarantee(
    verdict,
    mechanism = mechanism_of(fit), title = describe_mechanism(fit),
    what = what,
    draws = charge(
      draws_id, "parameter draw", epsilon_of(fit, verdict, dependency),
      times = m
    ),
    paid = join_charges(dependency$charges, margin$charges),
    m = m,
    fit = fit$id,
    n_records = length(fit$bound$record),
    n_draws = nrow(fit$draws),
    draw_quantile = fit$quantile,
    delta = fit$bound$overall,
    oscillation = max(fit$bound$oscillation),
    unit = fit$bound$unit,
    public_inputs = public_inputs_of(
      fit, verdict$label == "strict", margin, support
    ),
    empirical = empirical_notes(fit, verdict$label),
    converged = isTRUE(fit$converged),
    reproducible = reproducible || isTRUE(fit$seed_given) ||
      dependency$reproducible || isTRUE(margin$reproducible)
  )
}

#' A margin keeps a label only where its own noise is exact
#' @noRd
with_margin <- function(verdict, margin) {
  if (is.null(margin)) {
    return(verdict)
  }
  if (margin$label == "none" || verdict$label == "none") {
    parts <- Filter(function(x) x$label == "none", list(verdict, margin))
    return(list(
      label = "none", reasons = unlist(lapply(parts, `[[`, "reasons"))
    ))
  }
  verdict$reasons <- c(verdict$reasons, paste(
    "The margin is a perturbed histogram of this file, paid for once; the map",
    "to it is post-processing."
  ))
  verdict
}

#' Claimed or proven epsilon of one parameter draw, by relation
#' @noRd
epsilon_of <- function(fit, verdict, dependency) {
  if (verdict$label == "none") {
    by_relation(NA_real_)
  } else if (is.null(fit$censor)) {
    by_relation(2 * fit$bound$overall)
  } else {
    (fit$censor$upper - fit$censor$lower) * dependency$factor
  }
}

# Names ------------------------------------------------------------------------

# What clips is called as the mechanism that makes it, see ?mechanisms
clipped_words <- c(
  unweighted = "censor_uw", lw = "censor_w", cw = "censor_cw",
  two_stage = "two_stage", frozen = "frozen", public_scalar = "public_scalar"
)

#' What made the fit, in a word: read from its weights' scheme and its censoring
#'
#' The word of a mechanism where one makes such fits. Weights that a mechanism
#' uses with a clip only are `"frozen_weights"` without it.
#' @noRd
mechanism_of <- function(fit) {
  weights <- fit$privacy_weights
  word <- if (is.null(weights)) "unweighted" else scheme_word(weights)
  if (is.null(fit$censor)) {
    return(if (word %in% clipped_words) paste0(word, "_weights") else word)
  }
  if (!is.null(fit$censor$reference) && word != "two_stage") {
    return(if (is.null(weights)) "centred" else paste0("centred_", word))
  }
  if (word %in% names(clipped_words)) {
    clipped_words[[word]]
  } else {
    paste0("censor_", word)
  }
}

#' The same in words
#' @noRd
describe_mechanism <- function(fit) {
  clipped <- if (is.null(fit$censor)) {
    NULL
  } else if (is.null(fit$censor$reference)) {
    "clipped likelihood"
  } else {
    "clipped likelihood ratio to a reference"
  }
  weights <- if (!is.null(fit$privacy_weights)) {
    scheme_title(fit$privacy_weights)
  }
  if (is.null(clipped) && is.null(weights)) {
    return("unweighted posterior")
  }
  paste(c(clipped, weights), collapse = ", ")
}

# What it rests on -------------------------------------------------------------

empirical_notes <- function(fit, label) {
  if (label == "strict") {
    return(meeting_notes(fit$met))
  }
  n_draws <- nrow(fit$draws)
  paste0(
    "Delta is a maximum over S = ", format_count(n_draws), " draws, not a ",
    "supremum: one more draw exceeds it with probability 1/",
    format_count(n_draws + 1), "."
  )
}

#' What was measured of the sampler, which certifies nothing
#' @param met (list or `NULL`) See measure_meeting().
#' @noRd
meeting_notes <- function(met) {
  if (is.null(met)) {
    return(character())
  }
  c(
    if (is.na(met$distance)) {
      "One chain: nothing was measured of the sampler's error."
    } else {
      sprintf(
        paste(
          "The sampler: draws of each of %s chains are within Kolmogorov",
          "distance %s of those of the others."
        ),
        format_count(met$chains), format_figure(met$distance, 2)
      )
    },
    if (met$pairs > 0) {
      sprintf(
        paste(
          "The sampler: %s of %s coupled pairs of chains from independent",
          "draws of the prior met within warmup, the last after %s sweeps%s."
        ),
        format_count(met$pairs - met$apart), format_count(met$pairs),
        format_count(met$latest),
        if (met$apart == 0) {
          ", after which their estimated bound on total variation is 0"
        } else {
          ""
        }
      )
    }
  )
}

#' What the label rests on and the user has stated
#' @return (named character)
#' @noRd
public_inputs_of <- function(fit, strict, margin = NULL, support = NULL) {
  response <- fit$response
  if (strict) response <- released_response(response)
  response <- with_support(response, support)
  in_plain_figures(c(
    response = paste0(fit$bound$unit, " (the unit of the bound)"),
    values = rounding_text(response),
    predictors = if (is.null(fit$design)) {
      "as in the model fitted elsewhere; N"
    } else {
      published_text(fit$design$variables)
    },
    model = format(fit$family),
    prior = format(fit$prior),
    scheme_inputs(fit$privacy_weights),
    if (fit$quantile < 1) {
      c("draw quantile" = format_exact(fit$quantile))
    },
    censor_inputs(fit$censor),
    if (!is.null(fit$censor) && !is.null(fit$control)) {
      c("sampling plan" = plan_text(fit$control))
    },
    if (!is.null(margin)) {
      c(margin = margin$text)
    }
  ))
}

#' What was run, which no record decided
#' @noRd
plan_text <- function(control) {
  if (control$sampler == "grid") {
    return(sprintf(
      "%s independent draws, run once",
      format_count(control$chains * control$draws)
    ))
  }
  sprintf(
    "%s sampler, %s chains, %s warm-up, %s draws each, thin %s, run once",
    control$sampler, format_count(control$chains), format_count(control$warmup),
    format_count(control$draws), format_count(control$thin)
  )
}

#' @param columns (character) Published beside what is synthetic.
#' @noRd
published_text <- function(columns) {
  if (length(columns) == 0) {
    return("none; N")
  }
  paste0(toString(columns), ": values as published; N")
}

censor_inputs <- function(censor) {
  if (is.null(censor)) {
    return(NULL)
  }
  c(
    interval = sprintf(
      "[%s, %s]", format_exact(censor$lower), format_exact(censor$upper)
    ),
    if (!is.null(censor$reference)) {
      c(
        reference = format(censor$reference),
        window = sprintf(
          "%s, so that every weight is multiplied by %s",
          format_exact(censor$window), format_exact(censor$alpha)
        )
      )
    }
  )
}
