# A mechanism is what a whole job does: which weights or clip, which fits in
# which order, how epsilon is spent. Each has a file of its own with
#
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
#' @param kind (string) `"censored"`: the likelihood is censored, epsilon is met
#'   exactly and part of it may buy a margin; `"weighted"`: an epsilon is solved
#'   for; `"no claim"`: none is claimed; `"histogram"`: a margin alone;
#'   `"scores"`: noisy sums, paid once for all sets; `"no data"`: nothing of the
#'   file, epsilon 0.
#' @param does (string) One line of the help page's table.
#' @param label (string) The label of what it releases.
#' @param colour (string) In figures.
#' @param scheme (weighting scheme or `NULL`) Of the weights that its fits are
#'   made with. Labels read names off fits: those of the scheme are the
#'   mechanism's.
#' @param name,short (strings) As typed, `"lw_final"`; in figures.
#' @param title (string) In words, as labels print it.
#' @param aliases (character) Other words of the papers, in lower case.
#' @param needs (named string) Why the job must have an epsilon or a margin,
#'   named `epsilon` or `margin`, where the kind does not say it already.
#' @param settings (named list) The settings and their defaults; needed()
#'   stands for a default that there cannot be.
#' @param checks (named list of functions) How a setting is checked, where
#'   `argument_rules` does not know its name.
#' @param settle (function of the object that a user holds) Checks settings that
#'   rest on one another; gives the object back.
#' @param from_unweighted (flag) Does it start from the unweighted fit, which a
#'   comparison makes once?
#' @param files (flag) Does [fit_file()] offer it? Others read one response, or
#'   release numbers.
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
mechanism_definition <- function(kind, does, label, colour, scheme = NULL,
                                 name = scheme$word,
                                 title = title_of_fit(
                                   scheme$title, kind == "censored"
                                 ),
                                 short = scheme$short,
                                 aliases = character(), needs = character(),
                                 settings = list(), checks = list(),
                                 settle = identity, from_unweighted = FALSE,
                                 files = FALSE, prepare = identity,
                                 split = split_equally,
                                 stages = NULL, release = NULL, grid = stages) {
  stopifnot(
    kind %in% mechanism_kinds,
    names(settings) %in% c(names(argument_rules), names(checks))
  )
  mget(names(formals()))
}

#' The place of a setting that has no default
#' @param why (string) What it decides, or how to state it.
#' @noRd
needed <- function(why) structure(why, class = "needed_setting")

# Settings that mechanisms share -----------------------------------------------

lipschitz_settings <- list(scale = 1, shift = 0, map = "linear")

ball_settings <- list(
  radius = needed(radius_choice), relative = TRUE, known = NULL
)

search_settings <- list(quantile = 1, tolerance = 0.02, max_refits = 10)

count_settings <- c(ball_settings, list(scale = 1, shift = 0), search_settings)

reference_needed <- needed(
  "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}."
)

# A radius is a share or a length
settle_balls <- function(mechanism) {
  s <- mechanism$settings
  check_radius(s$radius, s$relative, zero = TRUE)
  mechanism
}

settle_window <- function(mechanism) {
  check_window(mechanism$settings$window, mechanism$settings$reference)
  mechanism
}

# Looked up when it is called: files load in the order of their names
reference_check <- list(reference = function(x) as_reference(x))

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
#' @param given (named list) Settings of the user; others have their defaults.
#' @noRd
new_mechanism <- function(definition, given = list()) {
  settings <- definition$settings
  settings[names(given)] <- given
  settings <- Map(function(x, name) {
    if (inherits(definition$settings[[name]], "needed_setting")) {
      check_given(
        if (!inherits(x, "needed_setting")) x, definition$name,
        unclass(definition$settings[[name]]), name
      )
    }
    own <- definition$checks[[name]]
    if (is.null(own)) check_argument(x, arg = name) else own(x)
  }, settings, names(settings))
  definition$settle(new_result(
    "privacy_mechanism",
    name = definition$name, title = definition$title, short = definition$short,
    kind = definition$kind, label = definition$label, settings = settings
  ))
}

#' The names of the settings that a mechanism takes
#' @noRd
settings_of <- function(definition) as.character(names(definition$settings))

#' Refuse a setting that was left out
#' @noRd
check_given <- function(x, mechanism, why, arg) {
  refuse_if(
    is.null(x), "The mechanism {.val {mechanism}} needs {.arg {arg}}.", i = why,
    arg = arg
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
