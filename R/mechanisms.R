# The one list of mechanisms, in the order of the help page. A new one is its
# own file, a line here and a case in test-conformance-mechanisms.R.

#' Mechanisms: what a whole job does
#'
#' Makes a mechanism with its settings for [pseudo_posterior()], [fit_file()],
#' [compare()], or [audit_guarantee()] of a formula. Give it as their
#' `mechanism`. Or give the mechanism's name, such as `"lw"`, and its settings
#' among the job's arguments. The papers' names, such as `"LW"`, `"CW_final"` or
#' `"Weighted-e"`, also work.
#'
#' `r mechanism_table()`
#'
#' The column `label` shows what [guarantee()] states if all its other
#' conditions hold. Count weights with a floor (`shift` above 0) can have a
#' strict label, but the cost is multiplied by the factors of [count_weights()].
#' For this, call [count_weights()] and [censor()] step by step.
#'
#' `"score"` samples nothing from a posterior: see [score_release()]. Its
#' epsilon holds at the public `delta` and is spent once for any m. It ignores
#' chains and draws.
#'
#' [compare()] also takes `"perturbed_histogram"`, `"topcode"` (setting: `top`)
#' and `"reference"` (setting: `reference`), which fit nothing.
#'
#' @section Settings:
#' The table shows each setting with its default. A setting without one must be
#' given.
#' * `scale`, `shift`, `map`: of the weights, see [lipschitz_weights()] and
#'   [count_weights()].
#' * `radius`, `relative`, `known`: of the balls, see [count_weights()] and
#'   [identification_risk()].
#' * `risk_sets` (count): number of synthetic sets from which risks are
#'   computed.
#' * `k`: the re-weighting constant, see [reweight()].
#' * `quantile` (number in (0, 1]): draws above this quantile of the draw bounds
#'   are dropped at every stage, see [truncate_draws()]. 1 keeps all draws.
#'   Censored mechanisms always keep all draws, because which ones are dropped
#'   would depend on the file.
#' * `tolerance`, `max_refits`: of the searches for `epsilon` and for `k`.
#'   `tolerance` is the accepted distance from the target, as a share of it.
#'   `max_refits` is the largest number of refits.
#' * `reference`, `window`: the centre of the interval, see [censor()]. In
#'   `"two_stage"` they apply to both stages, which rarely converge without a
#'   reference. With a reference, the default prior of the fit is
#'   `prior_normal(1, c(b, 2.5))`, where b is the public reference's intercept.
#'   For `"score"` see [score_release()].
#' * `rule` (`weight_rule`): see [freeze()].
#' * `weight_range` (two numbers): the public numbers `lo` and `hi` of
#'   [two_stage_weights()].
#' * `first_share` (number in (0, 1)): the share of epsilon spent on the first
#'   stage.
#' * `delta`, `clip`, `spread`, `table_share`: see [score_release()]. The
#'   margin's share applies to what the tables leave.
#' * `step_shares` (two positive numbers): how the two steps of `"score"` share
#'   the budget that tables and margin leave, in mu squared.
#'
#' @section Epsilon:
#' Censored mechanisms meet the job's epsilon exactly. The margin histogram
#' takes its share first, see [margin_histogram()]. Of the epsilon that
#' remains, the first stage of `"two_stage"` takes `first_share`. The
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
#' @param name (string) The name of the mechanism, see the table.
#' @param ... Its settings, by name.
#'
#' @return A `privacy_mechanism`: a list with `name`, `title`, `short` (in
#'   figures), `kind`, `label` and `settings`.
#'
#' @section Error types:
#' `pseudosynth_error_input`: no mechanism has this name, or a setting is
#' missing, unknown or out of range.
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55).
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy. Hu, Williams and Savitsky,
#' Mechanisms for global differential privacy under Bayesian data synthesis.
#' Hu and Savitsky, Risk-weighted pseudo posterior.
#' @seealso [pseudo_posterior()], [margin_histogram()]
#' @examples
#' mechanism("lw", scale = 0.5)
#' mechanism("centred", reference = list("(Intercept)" = 10.8, sigma = 1))
#' @aliases mechanisms
#' @export
mechanism <- function(name, ...) {
  definition <- find_mechanism(
    rlang::maybe_missing(name), c("stages", "release", "grid"), "name"
  )
  own <- settings_of(definition)
  new_mechanism(definition, taken_arguments(
    given_dots(...), list(definition), own
  ))
}

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
  x <- as_text(x)
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

# Mechanisms as they are given -------------------------------------------------

#' A mechanism as the user names it, or as an object
#'
#' @param parts (character) See mechanisms_with().
#' @return A `privacy_mechanism`, or a definition that is still to get its
#'   settings.
#' @noRd
choose_mechanism <- function(x, parts, arg) {
  if (rlang::is_missing(x) || !inherits(x, "privacy_mechanism")) {
    return(find_mechanism(rlang::maybe_missing(x), parts, arg))
  }
  # A word that is refused where it cannot be used
  usable <- x$name %in% names(mechanisms_with(parts))
  if (usable) x else find_mechanism(x$name, parts, arg)
}

#' Those that are still to get settings
#' @noRd
open_mechanisms <- function(chosen) {
  Filter(Negate(function(x) inherits(x, "privacy_mechanism")), chosen)
}

#' A definition with those of the settings that it takes
#' @noRd
with_settings <- function(chosen, settings) {
  if (inherits(chosen, "privacy_mechanism")) {
    return(chosen)
  }
  own <- intersect(names(settings), settings_of(chosen))
  new_mechanism(chosen, settings[own])
}

# Arguments of jobs ------------------------------------------------------------

# What stands in `...` of a job: settings of its mechanism, the margin's
# histogram in short, arguments of the fit. Whatever else is refused by name,
# and its value is never printed: it may be a column of the file.

margin_arguments <- c("bounds", "bins", "margin_share")

#' What a job passes on to its fits: all but what it states or makes itself
#' @noRd
fit_arguments <- function() {
  setdiff(names(formals(fit_synthesizer)), c(
    "formula", "data", "family", "privacy_weights", "censor", "seed", "..."
  ))
}

#' Sort arguments by who takes them
#'
#' @inheritParams taken_arguments
#' @param also (character) Further names that the call takes.
#' @return (list) `settings`, `margin`, `fit` and `also`: lists of arguments.
#' @noRd
sort_arguments <- function(given, definitions, also = character()) {
  settings <- unlist(lapply(definitions, settings_of))
  given <- taken_arguments(given, definitions, unique(c(
    settings, margin_arguments, fit_arguments(), also
  )))
  take <- function(names) given[intersect(names(given), names)]
  list(
    settings = take(settings), margin = take(margin_arguments),
    fit = take(fit_arguments()), also = take(also)
  )
}

#' Arguments that a call takes; all others are refused by name
#'
#' @param given (list) What stands in `...`; one that is `NULL` is as if it were
#'   left out.
#' @param definitions (list) The mechanisms of the call that are not objects.
#' @param known (character) What the call takes.
#' @noRd
taken_arguments <- function(given, definitions, known) {
  names <- names(given) %||% character(length(given))
  n <- sum(!nzchar(names))
  refuse_if(
    n > 0, "Arguments in {.arg ...} must be named.",
    x = "{n} of them {?is/are} not.", arg = "..."
  )
  twice <- unique(names[duplicated(names)])
  refuse_if(
    length(twice) > 0, "The argument{?s} {.arg {twice}} must be given once.",
    arg = twice[1]
  )
  given <- Filter(Negate(is.null), given)
  strange <- setdiff(names(given), known)
  if (length(strange) > 0) abort_not_taken(strange, definitions, known)
  given
}

abort_not_taken <- function(strange, definitions, known) {
  told <- vapply(strange, why_not_taken, "", known = known)
  takes <- vapply(definitions, function(definition) {
    own <- settings_of(definition)
    cli::format_inline(
      "The mechanism {.val {definition$name}} takes ",
      if (length(own) > 0) "{.arg {own}}." else "no settings of its own."
    )
  }, "")
  abort_input(
    "{cli::qty(length(strange))}Unused argument{?s}: {.arg {strange}}.",
    x_bullets(told),
    stats::setNames(cli_escape(takes), rep("i", length(takes))),
    i = if (length(takes) == 0) {
      "State settings where you make the mechanism object."
    },
    arg = strange[1]
  )
}

#' One line on an argument that is not taken
#' @param known (character) What the call takes.
#' @noRd
why_not_taken <- function(name, known) {
  takers <- names(Filter(function(definition) {
    name %in% settings_of(definition)
  }, mechanisms_with(c("stages", "release"))))
  meant <- nearest_word(name, known)
  why <- if (name %in% names(paper_arguments)) {
    "What the papers call {.arg {name}} is {.arg {paper_arguments[[name]]}}."
  } else if (length(takers) > 0) {
    "{.arg {name}} is an argument of {.val {takers}}."
  } else if (name %in% c("privacy_weights", "censor")) {
    "{.arg {name}} is made by the mechanism."
  } else if (name %in% names(foreign_arguments)) {
    paste("{.arg {name}} is not known here.", foreign_arguments[[name]])
  } else {
    "{.arg {name}} is not known."
  }
  guess <- if (endsWith(why, "known.") && length(meant) > 0) {
    " Did you mean {.arg {meant}}?"
  }
  cli::format_inline(paste0(why, guess))
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
    sprintf(
      "| `\"%s\"` | %s | %s | %s |", definition$name, definition$does,
      definition$label, paste(settings_text(definition), collapse = ", ")
    )
  }, "")
  paste(c(
    "| mechanism | what it does | label | settings |", "|---|---|---|---|", rows
  ), collapse = "\n")
}

settings_text <- function(definition) {
  defaults <- definition$settings
  values <- vapply(defaults, function(x) {
    if (inherits(x, "needed_setting")) "" else paste(" =", deparse1(x))
  }, "")
  sprintf("`%s%s`", names(defaults), values)
}
