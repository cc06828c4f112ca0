# A mechanism is what a whole job does: which weights or clip, which fits in
# which order, how epsilon is spent. Each has a file of its own with
#
#   mechanism_<name>()    the user's constructor, which checks its settings
#   definition_<name>()   what it is, see mechanism_definition()
#   stages_<name>()       the fits that it makes of a job, where it makes any
#
# and is a line of the list in mechanisms.R. The object that a user holds keeps
# names and settings alone: a saved one meets the definition of the day.

mechanism_kinds <- c(
  "censored", "weighted", "no claim", "histogram", "scores", "no data"
)

#' What a mechanism is
#'
#' @param name (string) As typed, `"lw_final"`.
#' @param kind (string) `"censored"`: the likelihood is censored, epsilon is met
#'   exactly and part of it may buy a margin; `"weighted"`: an epsilon is solved
#'   for; `"no claim"`: none is claimed; `"histogram"`: a margin alone;
#'   `"scores"`: noisy sums, paid once for all sets; `"no data"`: nothing of the
#'   file, epsilon 0.
#' @param does (string) One line of the help page's table.
#' @param label (string) The label of what it releases.
#' @param short,colour (strings) In figures.
#' @param title (string) In words, as labels print it.
#' @param aliases (character) Other words of the papers, in lower case.
#' @param needs (named string) Why the job must have an epsilon or a margin,
#'   named `epsilon` or `margin`, where the kind does not say it already.
#' @param make (function or `NULL`) The constructor; its arguments are the
#'   mechanism's settings.
#' @param from_unweighted (flag) Does it start from the unweighted fit, which a
#'   comparison makes once?
#' @param prepare (function of a job or `NULL`) Checks what only the file can
#'   tell, before anything is fitted; gives the job back.
#' @param split (function of a job and of what the margin leaves) How the rest
#'   of epsilon is spent: a list of `first` and `draw`.
#' @param stages (function of a job or `NULL`) Gives the fits by stage, the last
#'   one to be released from. `NULL`: [pseudo_posterior()] does not offer it.
#' @param release (function of a job and the number of sets, or `NULL`) For
#'   comparisons, where there is nothing to fit: gives `sets` and their `label`.
#' @param grid (function of a job or `NULL`) As `stages`, for fits on the grid
#'   of an exact audit, see grid_fit(). `NULL`: the exact audit does not offer
#'   it.
#' @noRd
mechanism_definition <- function(name, kind, does, label, title, short, colour,
                                 aliases = character(), needs = character(),
                                 make = NULL, from_unweighted = FALSE,
                                 prepare = identity, split = split_equally,
                                 stages = NULL, release = NULL, grid = stages) {
  stopifnot(kind %in% mechanism_kinds)
  mget(names(formals()))
}

#' The same share for each of m draws
#' @noRd
split_equally <- function(job, rest) list(first = 0, draw = rest / job$m)

#' A check of a job that gives the job back
#' @noRd
checked_by <- function(check) {
  function(job) {
    check(job)
    job
  }
}

#' A mechanism with its settings
#' @param settings (list) Checked.
#' @noRd
new_mechanism <- function(definition, settings = list()) {
  own <- definition[c("name", "title", "short", "kind", "label")]
  do.call(new_result, c("privacy_mechanism", own, list(settings = settings)))
}

#' The settings that a mechanism takes
#' @noRd
settings_of <- function(definition) {
  setdiff(names(formals(definition$make)), "...")
}

#' Refuse a setting that was left out
#' @param x The setting, [rlang::maybe_missing()].
#' @noRd
check_given <- function(x, mechanism, why, arg = rlang::caller_arg(x)) {
  refuse_if(
    rlang::is_missing(x) || is.null(x),
    "The mechanism {.val {mechanism}} needs {.arg {arg}}.", i = why, arg = arg
  )
}

# Settings that mechanisms share -----------------------------------------------

#' The balls of count weights and of risks
#' @noRd
ball_settings <- function(radius, relative, known, mechanism) {
  check_given(
    rlang::maybe_missing(radius), mechanism,
    "It says which values count as close, which is a policy choice: 0.2 is 20%
     of the true value; with {.code relative = FALSE} it is in the response's
     unit.",
    arg = "radius"
  )
  check_radius(radius, relative, zero = mechanism != "risk")
  refuse_if(
    !is.null(known) && (!is.character(known) || anyNA(known)),
    "{.arg known} must be names of columns.",
    x = "It is {describe_type(known)}.", arg = "known"
  )
  list(radius = radius, relative = relative, known = known)
}

#' The search for weights that reach an epsilon
#' @noRd
search_settings <- function(quantile, tolerance, max_refits) {
  check_quantile(quantile)
  check_search(tolerance, max_refits)
  list(quantile = quantile, tolerance = tolerance, max_refits = max_refits)
}

#' What the likelihood ratio is taken to
#' @noRd
reference_settings <- function(reference, window) {
  check_window(window, reference)
  list(reference = as_reference(reference), window = window)
}

# Printing ---------------------------------------------------------------------

#' @export
format.privacy_mechanism <- function(x, ...) {
  sprintf("mechanism \"%s\": %s", x$name, x$title)
}

print_lines.privacy_mechanism <- function(x) {
  given <- Filter(Negate(is.null), x$settings)
  values <- vapply(given, function(value) {
    if (is.character(value)) toString(value) else toString(format(value))
  }, "")
  c(
    capitalize(format(x)), sprintf("  label: %s", x$label),
    if (length(values) > 0) {
      wrap_line(paste(names(values), "=", values, collapse = ", "))
    }
  )
}
