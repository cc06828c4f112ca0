# Our objects in one line: what format() gives and the cells of data frames
# show.

#' @export
format.pseudo_posterior <- function(x, ...) {
  one_line(
    x, only_column(x$synthetic)$name, ", ", x$mechanism, ", ",
    counted(x$m, "set"), " of ", counted(x$synthetic$n_records, "record")
  )
}

#' @export
format.synthetic_data <- function(x, ...) {
  one_line(
    x, if (has_many_columns(x)) {
      counted(nrow(x$columns), "column")
    } else {
      x$columns$name
    }, ", ", counted(x$m, "set"), " of ", counted(x$n_records, "record")
  )
}

#' @export
format.synthetic_fits <- function(x, ...) {
  one_line(x, counted(length(x), "result"))
}

#' @export
format.external_fit <- function(x, ...) {
  one_line(
    x, x$name, ", N = ", format_count(n_records(x)), ", S = ",
    format_count(n_draws(x))
  )
}

#' @export
format.lipschitz_bound <- function(x, ...) {
  one_line(
    x, "Lipschitz bound ", format_figure(x$overall), ", density of ", x$unit
  )
}

#' @export
format.identification_risk <- function(x, ...) {
  one_line(
    x, x$variable, ", mean ", format_figure(x$overall[["mean_risk"]]), ", ",
    counted(x$m, "set")
  )
}

#' @export
format.pooled_estimates <- function(x, ...) {
  one_line(x, counted(nrow(x$table), "term"), " of ", counted(x$m, "set"))
}

#' @export
format.privacy_ledger <- function(x, ...) {
  one_line(x, "epsilon ", format_exact(x$epsilon))
}

#' @export
format.sampler_control <- function(x, ...) one_line(x, x$sampler)

# Results that are tables, in R Markdown documents: a table of the page in place
# of the console's lines, with what the lines say beside it.

#' Tables of results in R Markdown documents
#'
#' Shows a result as a table in the knitted document. This applies to a chunk
#' that ends with a comparison, measures of utility or pooled estimates.
#' `print()` shows the lines of the console instead. For a whole chunk, the
#' chunk option `render = knitr::normal_print` does the same.
#'
#' @param x Any result of the package. Only results of [compare()], [utility()]
#'   and [pool()] become tables; all others print as in the console.
#' @param ... Not used.
#' @return Text that knitr puts into the document unchanged. If the result is
#'   confidential, so is this text, and it says so.
#' @examplesIf requireNamespace("knitr", quietly = TRUE)
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' knitr::knit_print(utility(top, data))
#' @name knit-tables
#' @exportS3Method knitr::knit_print
knit_print.pseudosynth_result <- function(x, ...) {
  knit_parts(x) %||% knitr::normal_print(x)
}

#' A result as a table of the page; `NULL` if it prints as in the console
#' @noRd
knit_parts <- function(x) UseMethod("knit_parts")

knit_parts.pseudosynth_result <- function(x) NULL

knit_parts.mechanism_comparison <- function(x) {
  knit_tables(
    comparison_headline(x), comparison_shown(x),
    c(
      r_squared_note(x), problem_lines(x$table),
      if (any(is.finite(x$table$mean_ratio))) ratios_note, claims_note
    )
  )
}

knit_parts.utility <- function(x) {
  knit_tables(utility_headline(x), utility_shown(x), utility_notes(x))
}

knit_parts.pooled_estimates <- function(x) {
  # Of synthetic sets alone
  knit_tables(pooled_headline(x), pooled_shown(x), confidential = FALSE)
}

r_squared_note <- function(x) {
  found <- x$confidential
  if (is.list(found)) found <- found$r_squared
  if (!is.null(found)) sprintf("R2 of the file %s.", format_figure(found))
}

#' @param tables (data frame or list of data frames) The first has the caption.
#' @param notes (character) Lines below.
#' @noRd
knit_tables <- function(caption, tables, notes = NULL, confidential = TRUE) {
  if (is.data.frame(tables)) tables <- list(tables)
  parts <- Map(function(table, caption) {
    # Three significant digits of each, as the console has them
    cells <- as.data.frame(format_cells(table), optional = TRUE)
    c(knitr::kable(
      cells, align = ifelse(vapply(table, is.numeric, TRUE), "r", "l"),
      col.names = names(table), caption = caption, row.names = FALSE
    ), "")
  }, tables, c(list(caption), rep(list(NULL), length(tables) - 1)))
  notes <- c(notes, if (confidential) paste0("*", confidential_line(), "*"))
  knitr::asis_output(paste(
    c("", unlist(parts), paste(notes, collapse = "\\\n"), ""), collapse = "\n"
  ))
}
