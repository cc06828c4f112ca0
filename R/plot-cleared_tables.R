# The figure of cleared tables: which relations they have.

#' Plot cleared tables
#'
#' Draws a tile for each pair of columns that share a table. Tiles on the
#' diagonal are for single columns. The number in a tile is the percentage of
#' cells that are empty or withheld. If a pair has no tile, sets do not keep the
#' relation of its two columns.
#' @param object (`cleared_tables`) See [cleared_tables()].
#' @param ... Must be empty.
#' @return A ggplot object.
#' @seealso [cleared_tables()]
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "income")]
#' plan <- file_plan(people, draft_codebook(people))
#' plot(cleared_tables(plan, list(c("age", "income"), c("sex", "marital"))))
#' @name plot.cleared_tables
#' @method autoplot cleared_tables
#' @export
autoplot.cleared_tables <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn cleared_tables}.")
  names <- names(object$levels)
  cells <- do.call(rbind, lapply(object$tables, function(frame) {
    own <- columns_of_cells(frame)
    lost <- mean(counts_of_cells(frame) %in% c(NA, 0))
    pairs <- expand.grid(second = own, first = own, stringsAsFactors = FALSE)
    alone <- pairs$first == pairs$second
    data.frame(pairs[alone == (length(own) == 1), ], value = lost)
  }))
  # Of several tables the smallest, which come first
  cells <- cells[!duplicated(cells[c("first", "second")]), ]
  matrix_figure(
    cells, names, cells$value, "Relations in cleared tables",
    sprintf("%% of cells empty or withheld; counts %s", counts_text(object)),
    text = sprintf("%.0f", 100 * cells$value)
  )
}
