# The one list of mechanisms, in the order of the help page. A new one is its
# own file, a line here and a case in test-conformance-mechanisms.R.

#' Mechanisms: what a whole job does
#'
#' Each function below makes a mechanism for [pseudo_posterior()], [compare()],
#' or [audit_guarantee()] of a formula. Give it as their `mechanism`, with its
#' settings, such as `mechanism_lw(scale = 0.5)`. Or give the mechanism's name,
#' such as `"lw"`, and its settings among the job's arguments. The papers'
#' names, such as `"LW"`, `"CW_final"` or `"Weighted-e"`, also work.
#'
#' `r mechanism_table()`
#'
#' The column `label` shows what [guarantee()] states if all its other
#' conditions hold. Count weights with a floor (`shift` above 0) can have a
#' strict label, but the cost is multiplied by the factors of [count_weights()].
#' For this, call [count_weights()] and [censor()] step by step.
#'
#' `mechanism_score()` samples nothing from a posterior: see [score_release()].
#' Its epsilon holds at the public `delta` and is spent once for any m. It
#' ignores chains and draws.
#'
#' @section Epsilon:
#' Censored mechanisms meet the job's epsilon exactly. The margin histogram
#' takes its share first, see [margin_histogram()]. Of the epsilon that
#' remains, the first stage of `mechanism_two_stage()` takes `first_share`. The
#' m parameter draws share the rest.
#'
#' The other mechanisms labelled asymptotic claim \eqn{2 \Delta} for a parameter
#' draw. Their weights are scaled by repeated refits, each started from the
#' last, until the claim lies within `tolerance` of the target. If the target
#' lies above their claim, the weights are shifted up instead. If even unit
#' weights claim less than the target, it counts as reached, and the label
#' states what is claimed. A target that cannot be reached is an error that
#' names the nearest one that can.
#'
#' @param scale,shift,map Settings of the weights, see [lipschitz_weights()] and
#'   [count_weights()].
#' @param radius,relative,known Settings of the balls, see [count_weights()] and
#'   [identification_risk()]. `radius` has no default.
#' @param risk_sets (count) Number of synthetic sets from which risks are
#'   computed. Default 20.
#' @param k The re-weighting constant, see [reweight()]. Default `"auto"`.
#' @param quantile (number in (0, 1]) Draws above this quantile of the draw
#'   bounds are dropped at every stage, see [truncate_draws()]. Default 1: all
#'   draws are kept. Censored mechanisms always keep all draws, because which
#'   ones are dropped would depend on the file.
#' @param tolerance,max_refits Settings of the searches for `epsilon` and for
#'   `k`. `tolerance` is the accepted distance from the target, as a share of
#'   it. `max_refits` is the largest number of refits. Defaults 0.02 and 10.
#' @param reference,window They set the centre of the interval, see [censor()].
#'   In `mechanism_two_stage()` they apply to both stages, which rarely converge
#'   without a reference. With a reference, the default prior of the fit is
#'   `prior_normal(1, c(b, 2.5))`, where b is the public reference's intercept.
#'   For `mechanism_score()` see [score_release()].
#' @param rule (`weight_rule`) See [freeze()].
#' @param weight_range (two numbers) The public numbers `lo` and `hi` of
#'   [two_stage_weights()].
#' @param first_share (number in (0, 1)) The share of epsilon spent on the first
#'   stage. Default 0.2.
#' @param delta,clip,spread See [score_release()].
#' @param step_shares (two positive numbers) How the two steps of
#'   `mechanism_score()` share the budget that tables and margin leave, in mu
#'   squared. Default `c(0.17, 0.83)`.
#' @param table_share See [score_release()]. The margin's share applies to what
#'   the tables leave.
#'
#' @param ... Must be empty.
#'
#' @return A `privacy_mechanism`: a list with `name`, `title`, `short` (in
#'   figures), `kind`, `label` and `settings`.
#'
#' @section Error types:
#' `pseudosynth_error_input`: a setting that is missing or out of range.
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55).
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy. Hu, Williams and Savitsky,
#' Mechanisms for global differential privacy under Bayesian data synthesis.
#' Hu and Savitsky, Risk-weighted pseudo posterior.
#' @seealso [pseudo_posterior()], [margin_histogram()]
#' @examples
#' mechanism_lw(scale = 0.5)
#' mechanism_centred(list("(Intercept)" = 10.8, sigma = 1))
#' @name mechanisms
NULL

#' @return (named list) See mechanism_definition().
#' @noRd
mechanisms <- function() {
  all <- list(
    definition_centred(), definition_censor_uw(), definition_frozen(),
    definition_two_stage(), definition_score(), definition_censor_w(),
    definition_lw(), definition_lw_final(), definition_cw(),
    definition_cw_final(), definition_weighted_e(), definition_scalar(),
    definition_risk(), definition_unweighted(),
    # For comparisons only
    definition_perturbed_histogram(), definition_topcode(),
    definition_reference()
  )
  stats::setNames(all, vapply(all, `[[`, "", "name"))
}

#' Those that have a part
#' @param parts (character) `"stages"`, `"release"` or `"grid"`; any of them.
#' @noRd
mechanisms_with <- function(parts) {
  Filter(function(definition) {
    any(!vapply(definition[parts], is.null, TRUE))
  }, mechanisms())
}

#' The definition of a mechanism that a user holds
#' @noRd
definition_of <- function(mechanism) mechanisms()[[mechanism$name]]

# Finding one by its name ------------------------------------------------------

#' @param x What the user gave: a name, in our words or in the papers'.
#' @param parts (character) See mechanisms_with().
#' @return A definition.
#' @noRd
find_mechanism <- function(x, parts, arg = "mechanism") {
  offered <- mechanisms_with(parts)
  choices <- names(offered)
  refuse_if(
    rlang::is_missing(x),
    "{.arg {arg}} must be given, because it decides what is promised.",
    i = "Choose one of {.or {.val {choices}}}.", arg = arg
  )
  check_string(x, arg = arg)
  x <- iconv(as_text(x), "UTF-8", "UTF-8", sub = "?")
  for (definition in offered) {
    words <- definition[c("name", "short", "aliases")]
    if (plain_word(x) %in% plain_word(unlist(words))) {
      return(definition)
    }
  }
  labelled <- names(Filter(function(d) d$label == plain_word(x), offered))
  near <- nearest_word(x, choices)
  abort_input(
    "{.arg {arg}} must be one of {.or {.val {choices}}}.",
    x = if (length(labelled) > 0) {
      "{.val {x}} is a label. For this label, choose {.or {.val {labelled}}}."
    } else {
      "It is {.val {x}}."
    },
    i = if (length(near) > 0) "Did you mean {.val {near}}?", arg = arg
  )
}

#' "Weighted-e" and "weighted_e" are one word
#' @noRd
plain_word <- function(x) gsub("[^a-z0-9]+", "_", tolower(x))

#' The word that was meant, if one is near
#' @noRd
nearest_word <- function(x, words) {
  distance <- utils::adist(tolower(x), words)
  near <- words[distance == min(distance) & distance <= 0.4 * nchar(x)]
  utils::head(near, 1)
}

# In figures -------------------------------------------------------------------

#' Colours by all words for a mechanism
#' @noRd
mechanism_colours <- function() {
  words <- lapply(mechanisms(), function(definition) {
    plain_word(unlist(definition[c("name", "short", "aliases")]))
  })
  colours <- vapply(mechanisms(), `[[`, "", "colour")
  stats::setNames(rep(colours, lengths(words)), unlist(words))
}

#' Short names of mechanisms and of stages, which bear a mechanism's name; any
#' @noRd
mechanism_shorts <- function(names) {
  known <- vapply(mechanisms(), `[[`, "", "short")
  unname(ifelse(names %in% names(known), known[names], names))
}

# The help page ----------------------------------------------------------------

#' The table of `?mechanisms`, in markdown
#' @noRd
mechanism_table <- function() {
  rows <- vapply(mechanisms_with("stages"), function(definition) {
    own <- settings_of(definition)
    sprintf(
      "| `mechanism_%s()` | %s | %s | %s |", definition$name, definition$does,
      definition$label,
      if (length(own) > 0) paste0("`", own, "`", collapse = ", ") else ""
    )
  }, "")
  paste(c(
    "| mechanism | what it does | label | settings |", "|---|---|---|---|", rows
  ), collapse = "\n")
}
