#' Risk and utility over a grid of settings
#'
#' Runs [pseudo_posterior()] for each row of a grid and puts the epsilon that is
#' claimed or proven beside what is kept. Rows are as in
#' [compare_mechanisms()]: for one released set, averaged over `sets` releases.
#'
#' @inheritParams compare_mechanisms
#' @param grid (data frame) One row for each run. Columns are named after
#'   arguments of [pseudo_posterior()]: `mechanism` (required), and such as
#'   `epsilon`, `scale`, `shift`, `window`, `margin_share`.
#' @param ... Arguments of [pseudo_posterior()] and [fit_synthesizer()] that are
#'   the same for all rows.
#' @return A `risk_utility_map`: a list with `table` (data frame: the grid's
#'   columns and those of [compare_mechanisms()]), `settings` (names of the
#'   grid's columns), `sets`, `variable`, `interrupted` (flag: the table then
#'   holds the rows that were finished). Confidential.
#' @section Error types: As [compare_mechanisms()].
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
                         seed = NULL) {
  check_data_frame(grid)
  sets <- check_count(sets, min = 1)
  check_seed(seed)
  job <- comparison_job(formula, data, family, list(...), seed)
  settings <- names(grid)
  check_grid(grid, names(job))
  measure <- comparison_measure(job, groups, regression)
  grid[] <- lapply(grid, function(x) if (is.factor(x)) as.character(x) else x)
  for (i in seq_len(nrow(grid))) {
    row <- grid_row(job, grid, i)
    check_job(
      case_job(row$job, row$mechanism, row$epsilon, clipped_mechanisms),
      rlang::current_env()
    )
  }
  if (any(grid$mechanism %in% c("unweighted", needs_unweighted))) {
    job[["first"]] <- first_fit(job)
  }
  found <- finished_rows(nrow(grid), function(i) {
    row <- grid_row(job, grid, i)
    found <- comparison_row(
      row$job, row$mechanism, row$epsilon, sets, measure, clipped_mechanisms,
      NULL
    )
    cbind(grid[i, , drop = FALSE], found[setdiff(
      names(found), c("mechanism", "asked")
    )])
  }, "a mechanism")
  structure(
    list(
      table = do.call(rbind, found$rows), settings = settings, sets = sets,
      variable = measure$variable, interrupted = found$interrupted
    ),
    class = "risk_utility_map"
  )
}

#' One row of the grid: its mechanism, its epsilon, the job with its settings
#' @noRd
grid_row <- function(job, grid, i) {
  row <- as.list(grid[i, , drop = FALSE])
  own <- setdiff(names(grid), c("mechanism", "epsilon"))
  job[own] <- row[own]
  list(
    job = job, mechanism = row$mechanism, epsilon = row$epsilon %||% NA_real_
  )
}

check_grid <- function(grid, known, call = rlang::caller_env()) {
  unknown <- setdiff(names(grid), c(known, "mechanism", "epsilon"))
  if (!"mechanism" %in% names(grid) || length(unknown) > 0) {
    abort_input(
      c(
        "The columns of {.arg grid} must be {.code mechanism} and other
         arguments of {.fn pseudo_posterior}.",
        x = if (length(unknown) > 0) {
          "{cli::qty(length(unknown))}{.val {unknown}} {?is/are} none."
        }
      ),
      arg = "grid", call = call
    )
  }
  for (mechanism in unique(as.character(grid$mechanism))) {
    check_mechanism(mechanism, call = call)
  }
}

#' @export
print.risk_utility_map <- function(x, ...) {
  figures <- c(
    "label", "add_remove", "replace", "ecdf_max", "groups", "r_squared",
    "overlap"
  )
  shown <- x$table[c(x$settings, figures)]
  empty <- vapply(shown, function(column) all(is.na(column)), TRUE)
  cat(
    releases_headline("Risk and utility", x),
    paste0("  ", format_table(shown[!empty])),
    paste0("  ", confidential_line()),
    sep = "\n"
  )
  invisible(x)
}

#' @export
as.data.frame.risk_utility_map <- function(x, ...) {
  x$table
}

#' Figure of a risk-utility map
#'
#' @param object,x (risk_utility_map) See [risk_utility()].
#' @param measure (string) `"ecdf_max"`, the default, `"ecdf_mean_squared"`,
#'   `"groups"`, `"r_squared"` or `"overlap"`.
#' @param ... Not used.
#' @return A ggplot object: the measure against the epsilon of one set, claimed
#'   or proven (add/remove-one). `plot()` draws it and returns it invisibly.
#' @name plot.risk_utility_map
NULL

#' @rdname plot.risk_utility_map
#' @method autoplot risk_utility_map
#' @export
autoplot.risk_utility_map <- function(object, measure = "ecdf_max", ...) {
  titles <- c(
    ecdf_max = "Largest ECDF difference",
    ecdf_mean_squared = "Mean squared ECDF difference",
    groups = "Error of group means", r_squared = "R-squared",
    overlap = "Overlap of intervals"
  )
  measure <- check_choice(measure, names(titles))
  table <- object$table
  frame <- data.frame(
    epsilon = table$add_remove, value = table[[measure]],
    mechanism = stage_title(table$mechanism),
    setting = setting_text(table[setdiff(
      object$settings, c("mechanism", "epsilon")
    )])
  )
  frame <- frame[!is.na(frame$epsilon) & !is.na(frame$value), ]
  frame$line <- paste(frame$mechanism, frame$setting)
  lines <- unique(frame$line)
  ggplot2::ggplot(
    frame,
    ggplot2::aes(x = .data$epsilon, y = .data$value, colour = .data$line)
  ) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 2.4) +
    ggplot2::scale_x_log10() +
    ggplot2::scale_y_continuous(limits = c(0, NA)) +
    ggplot2::scale_colour_manual(
      values = stats::setNames(rep_len(chain_colours, length(lines)), lines)
    ) +
    ggplot2::labs(
      title = sprintf("Risk and utility on %s", object$variable),
      x = "Epsilon of one set, add/remove-one (log scale)",
      y = titles[[measure]], caption = confidential_caption
    ) +
    theme_pseudosynth()
}

setting_text <- function(settings) {
  if (ncol(settings) == 0) {
    return(rep("", nrow(settings)))
  }
  parts <- Map(function(name, x) {
    paste(name, if (is.numeric(x)) format(x, trim = TRUE) else x)
  }, names(settings), settings)
  do.call(paste, c(parts, sep = ", "))
}

#' @rdname plot.risk_utility_map
#' @export
plot.risk_utility_map <- function(x, measure = "ecdf_max", ...) {
  draw_figure(autoplot.risk_utility_map(x, measure, ...))
}
