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

#' A mechanism with its settings, the arguments of the constructor that calls
#' @param settings (list) Each is checked as its name says.
#' @noRd
new_mechanism <- function(definition,
                          settings = mget(settings_of(definition), env),
                          env = parent.frame()) {
  own <- definition[c("name", "title", "short", "kind", "label")]
  for (name in intersect(names(definition$needs), names(settings))) {
    check_given(
      if (!identical(settings[[name]], rlang::missing_arg())) settings[[name]],
      definition$name, definition$needs[[name]], name
    )
  }
  settings <- Map(function(x, name) {
    check <- setting_checks[[name]]
    if (is.null(check)) x else check(x)
  }, settings, names(settings))
  do.call(new_result, c("privacy_mechanism", own, list(settings = settings)))
}

# Settings that mechanisms share; others are checked by their constructor, or by
# the job, which has the file.
setting_checks <- list(
  k = function(x) check_k(x),
  known = function(x) {
    check_that(
      is.null(x) || is.character(x) && !anyNA(x), x,
      "{.arg known} must be names of columns.", arg = "known"
    )
    x
  },
  scale = function(x) check_number(x, min = 0, arg = "scale"),
  shift = function(x) check_number(x, arg = "shift"),
  map = function(x) {
    check_choice(x, c("linear", "inverse", "softmax", "logistic"), arg = "map")
  },
  quantile = function(x) check_quantile(x),
  tolerance = function(x) check_number(x, above = 0, arg = "tolerance"),
  max_refits = function(x) check_count(x, min = 1, arg = "max_refits"),
  risk_sets = function(x) check_count(x, min = 1, arg = "risk_sets"),
  reference = function(x) as_reference(x),
  rule = function(x) check_class(x, "weight_rule", arg = "rule"),
  top = function(x) check_number(x, arg = "top"),
  weight_range = function(x) check_weight_range(x),
  first_share = function(x) {
    check_number(x, above = 0, below = 1, arg = "first_share")
  }
)

reference_needed <- c(
  reference = "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}."
)

#' The settings that a mechanism takes
#' @noRd
settings_of <- function(definition) {
  setdiff(as.character(names(formals(definition$make))), "...")
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
