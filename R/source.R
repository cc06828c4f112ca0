# Sources of sets: what synthesize() draws from. A source says in a file of its
# own what it takes, what it costs and how it draws; the loop over all of them
# is in synthesize.R.

#' A kind of source (internal constructor)
#'
#' `asked` is what synthesize() was asked for, checked: `m`, `newdata`,
#' `margin`, `assignment`, `seed`, `bounds`, `uncertainty`,
#' `allow_unconverged`. `rows` is what `rows()` gave.
#'
#' @param refuses (named list) By argument of synthesize() that the source does
#'   not take: the bullets of the error.
#' @param check (function(x, asked)) Further checks of the source itself.
#' @param rows (function(x, asked)) What sets have beside what is drawn: `data`
#'   (data frame, `NULL` for none), `n` (count), `columns` (character, of a set,
#'   in order), `tibble` (flag) and whatever draw() needs of it. Refuses columns
#'   that tell the response.
#' @param secret (function(x)) The confidential response, `NULL` where the
#'   source knows none.
#' @param label (function(x, asked, rows)) The agency's label of the sets.
#' @param draw (function(x, asked, rows)) `values` (matrix, n x m, modelled
#'   scale); `margin` whose bins they are drawn from, or `NULL`; `combine`, see
#'   combine_words.
#' @noRd
new_source <- function(rows, label, draw, refuses = list(),
                       check = function(x, asked) NULL,
                       secret = function(x) NULL) {
  list(
    rows = rows, label = label, draw = draw, refuses = refuses, check = check,
    secret = secret
  )
}

for_mixtures <- c(
  "{.code assignment = \"posterior\"} only applies to mixtures.",
  x = "{.arg fit} is not a mixture.", i = "Leave {.arg assignment} out."
)

#' Refuse what a source does not take
#' @param given (named list) What is not asked for is `NULL`.
#' @noRd
check_taken <- function(source, given) {
  given$assignment <- if (given$assignment != "prior") given$assignment
  given$uncertainty <- if (given$uncertainty) TRUE
  for (arg in names(Filter(Negate(is.null), given[names(source$refuses)]))) {
    abort_input(source$refuses[[arg]], arg = arg)
  }
}

#' The rows of sources that hold no record: those of `newdata`
#'
#' The source knows no response. Where one stands in `newdata`, columns beside
#' it must not tell it.
#' @param columns (character) Of a set.
#' @param response (string) The column that is drawn.
#' @param ... Whatever draw() needs of them.
#' @noRd
rows_of_newdata <- function(newdata, columns, response, ...) {
  y <- newdata[[response]]
  if (!is.null(y)) check_not_copied(y, newdata[setdiff(columns, response)])
  list(
    data = newdata, n = nrow(newdata), columns = columns,
    tibble = is_tibble(newdata), ...
  )
}

#' The label of sets from a noisy release: its charges, whatever is drawn
#' @noRd
label_of_release_sets <- function(x, asked, rows) {
  release_label(
    x, what = "synthetic data", m = asked$m, n_records = as.integer(rows$n),
    reproducible = x$reproducible || is_seeded(asked$seed),
    published = rows$columns[-1], bounds = asked$bounds,
    combine = score_rules(asked)
  )
}

#' By which rules sets of a release are combined
#' @noRd
score_rules <- function(asked) if (asked$uncertainty) "rubin" else "none"
