#' Risk and utility over a grid of settings
#'
#' Runs [pseudo_posterior()] for each row of a grid and puts the epsilon that is
#' claimed or proven beside what is kept. Rows are as in
#' [compare_mechanisms()]: for one released set, averaged over `sets` releases.
#'
#' @inheritParams compare_mechanisms
#' @param grid (data frame) One row for each run. Columns are named after
#'   arguments of [pseudo_posterior()]: `mechanism` (required), `epsilon`,
#'   `neighbours`, `bounds`, `bins`, `margin_share`, and settings of the
#'   mechanisms such as `scale` or `window`. A setting counts in the rows whose
#'   mechanism takes it; `NA` is not stated.
#' @param ... Arguments of [pseudo_posterior()] and [fit_synthesizer()] that are
#'   the same for all rows.
#' @return A `risk_utility_map`: a list with `table` (data frame: the grid's
#'   columns and those of [compare_mechanisms()]), `settings` (names of the
#'   grid's columns), `sets`, `variable`, `interrupted` (flag: the table then
#'   holds the rows that were finished). Confidential.
#' @section Error types: As [compare_mechanisms()].
#' @inheritSection compare_mechanisms Many cores
#' @section Privacy:
#' Settings chosen by looking at this map are chosen from the file: make it on a
#' historical or public file where the label is to be strict.
#' @seealso [compare_mechanisms()]
#' @examples
#' \donttest{
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' grid <- expand.grid(
#'   mechanism = "centred", epsilon = c(2, 4), window = c(2, 4)
#' )
#' map <- risk_utility(log(income) ~ ., ce, student_t(3), grid,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   sets = 5, chains = 2, draws = 1500
#' )
#' map
#' }
#' @export
risk_utility <- function(formula, data, family = normal_mixture(), grid, ...,
                         sets = 20, groups = NULL, regression = NULL,
                         risk_radius = NULL, risk_known = NULL, file = NULL,
                         seed = NULL) {
  sets <- check_count(sets, min = 1)
  check_rows_file(file, seed)
  if (missing(grid)) {
    abort_input(
      "{.arg grid} must be given: a data frame, one row a run.",
      arg = "grid"
    )
  }
  grid <- check_grid(grid)
  chosen <- lapply(
    grid$mechanism, choose_mechanism, c("stages", "release"), "mechanism"
  )
  also <- c("margin", "support", "neighbours", "allow_unconverged")
  given <- sort_arguments(list(...), chosen, also)
  # Every column must be taken by a mechanism of the grid
  columns <- setdiff(names(grid), c("mechanism", "epsilon"))
  varied <- sort_arguments(as.list(grid[columns]), chosen, "neighbours")
  job <- comparison_job(formula, data, family, given, seed)
  measure <- comparison_measure(
    job, groups, regression, risk_radius, risk_known
  )
  jobs <- lapply(seq_len(nrow(grid)), function(i) {
    grid_job(job, chosen[[i]], given, grid_row(grid, i))
  })
  margins <- c(given$margin, given$also["margin"], varied$margin)
  check_margin_taken(jobs, length(Filter(Negate(is.null), margins)) > 0)
  found <- run_comparison(
    jobs, sets, measure,
    measured = list(groups, regression, risk_radius, risk_known), file
  )
  rows <- Map(function(i, row) {
    cbind(grid[i, , drop = FALSE], row[setdiff(
      names(row), c("mechanism", "asked")
    )])
  }, found$numbers, found$rows)
  structure(
    list(
      table = do.call(rbind, rows), settings = names(grid), sets = sets,
      variable = measure$variable, interrupted = found$interrupted
    ),
    class = c("risk_utility_map", "pseudosynth_result")
  )
}

check_grid <- function(grid) {
  check_data_frame(grid)
  grid[] <- lapply(grid, function(x) if (is.factor(x)) as.character(x) else x)
  fitted <- intersect(names(grid), fit_arguments())
  if (!"mechanism" %in% names(grid) || length(fitted) > 0) {
    abort_input(
      "The columns of {.arg grid} must be {.code mechanism} and other
       arguments of {.fn pseudo_posterior}.",
      x = if (length(fitted) > 0) {
        "{cli::qty(length(fitted))}{.val {fitted}} {?is/are} the same for all
         rows: give {?it/them} in {.arg ...}."
      },
      arg = "grid"
    )
  }
  grid
}

#' What a row states; NA is not stated
#' @noRd
grid_row <- function(grid, i) {
  row <- lapply(grid, `[[`, i)
  Filter(function(x) !(is.atomic(x) && length(x) == 1 && is.na(x)), row)
}

#' The job of a row: its settings take the place of those for all rows
#' @noRd
grid_job <- function(job, chosen, given, row) {
  put <- function(x, names) {
    own <- intersect(names(row), names)
    x[own] <- row[own]
    x
  }
  job$neighbours <- check_choice(
    row$neighbours %||% job$neighbours, c("add-remove", "replace"),
    arg = "neighbours"
  )
  mechanism <- with_settings(chosen, put(given$settings, settings_of(chosen)))
  margin <- resolve_margin(
    given$also$margin, put(given$margin, margin_arguments)
  )
  assign_mechanism(
    job, mechanism, row$epsilon,
    margin = if (chosen$kind %in% c("clipped", "noise", "sums")) margin,
    support = given$also$support %||% margin_ends(margin)
  )
}

#' The columns of a map that are shown: those with a figure
#' @noRd
map_shown <- function(x) {
  figures <- c(
    "label", "add_remove", "replace", "ecdf_max", "mean_ratio", "q95_ratio",
    "shares", "groups", "r_squared", "overlap", "risk"
  )
  # Tables of other versions may lack some
  figures <- intersect(figures, names(x$table))
  shown <- x$table[c(x$settings, figures)]
  shown[!vapply(shown, function(column) all(is.na(column)), TRUE)]
}

print_lines.risk_utility_map <- function(x) {
  c(
    releases_headline("Risk and utility", x),
    paste0("  ", format_table(map_shown(x))),
    remark_lines(row_remarks(x$table)),
    paste0("  ", confidential_line())
  )
}
