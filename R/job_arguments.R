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
#' @param given (list) What stands in `...`; one that is `NULL` is as if it were
#'   left out.
#' @param definitions (list) The mechanisms of the call that are not objects.
#' @param also (character) Further names that the call takes.
#' @return (list) `settings`, `margin`, `fit` and `also`: lists of arguments.
#' @noRd
sort_arguments <- function(given, definitions, call, also = character()) {
  check_argument_names(given, call)
  given <- Filter(Negate(is.null), given)
  settings <- unlist(lapply(definitions, settings_of))
  known <- c(settings, margin_arguments, fit_arguments(), also)
  strange <- setdiff(names(given), known)
  if (length(strange) > 0) {
    abort_not_taken(strange, definitions, unique(known), call)
  }
  take <- function(names) given[intersect(names(given), names)]
  list(
    settings = take(settings), margin = take(margin_arguments),
    fit = take(fit_arguments()), also = take(also)
  )
}

check_argument_names <- function(given, call) {
  names <- names(given) %||% character(length(given))
  if (!all(nzchar(names))) {
    n <- sum(!nzchar(names))
    abort_input(
      c(
        "Arguments in {.arg ...} must be named.",
        x = "{n} of them {?is/are} not."
      ),
      arg = "...", call = call
    )
  }
  twice <- unique(names[duplicated(names)])
  if (length(twice) > 0) {
    abort_input(
      "The argument{?s} {.arg {twice}} must be given once.",
      arg = twice[1], call = call
    )
  }
}

abort_not_taken <- function(strange, definitions, known, call) {
  told <- vapply(strange, why_not_taken, "", known = known)
  takes <- vapply(definitions, function(definition) {
    own <- settings_of(definition)
    cli::format_inline(
      "The mechanism {.val {definition$name}} takes ",
      if (length(own) > 0) "{.arg {own}}." else "no settings of its own."
    )
  }, "")
  abort_input(
    c(
      "{cli::qty(length(strange))}Argument{?s} that nothing here takes:
       {.arg {strange}}.",
      stats::setNames(cli_escape(told), rep("x", length(told))),
      stats::setNames(cli_escape(takes), rep("i", length(takes))),
      i = if (length(takes) == 0) {
        "Settings of a mechanism object are stated where it is made."
      }
    ),
    arg = strange[1], call = call
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
  if (name %in% names(paper_arguments)) {
    ours <- paper_arguments[[name]]
    cli::format_inline("The papers' {.arg {name}} is called {.arg {ours}}.")
  } else if (length(takers) > 0) {
    cli::format_inline("{.arg {name}} is taken by {.val {takers}}.")
  } else if (name %in% c("privacy_weights", "censor")) {
    cli::format_inline("{.arg {name}} is what the mechanism makes.")
  } else if (length(meant) > 0) {
    cli::format_inline(
      "{.arg {name}} is not known. Did you mean {.arg {meant}}?"
    )
  } else {
    cli::format_inline("{.arg {name}} is not known.")
  }
}

# Mechanisms as they are given -------------------------------------------------

#' A mechanism as the user names it, or as an object
#'
#' @param parts (character) See mechanisms_with().
#' @return A `privacy_mechanism`, or a definition that is still to get its
#'   settings.
#' @noRd
choose_mechanism <- function(x, parts, arg, call) {
  if (!rlang::is_missing(x) && inherits(x, "privacy_mechanism")) {
    return(x)
  }
  find_mechanism(rlang::maybe_missing(x), parts, arg, call)
}

#' Those that are still to get settings
#' @noRd
open_mechanisms <- function(chosen) {
  Filter(Negate(function(x) inherits(x, "privacy_mechanism")), chosen)
}

#' A definition with those of the settings that it takes
#' @noRd
with_settings <- function(chosen, settings, call) {
  if (inherits(chosen, "privacy_mechanism")) {
    return(chosen)
  }
  own <- intersect(names(settings), settings_of(chosen))
  blame(do.call(chosen$make, settings[own], quote = TRUE), call)
}
