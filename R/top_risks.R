#' The records at highest risk
#'
#' The table that the papers show of the records with the largest identification
#' risk, with the confidential values beside the risk.
#'
#' @param x An [identification_risk()] or [attribute_risk()].
#' @param n (count) How many records. Default 10.
#' @param data (data frame or `NULL`) The confidential records in the same
#'   order; their known columns and the variable are shown beside the risks.
#'   `NULL`, the default: the row numbers alone.
#' @param ... Must be empty.
#' @return A data frame, by falling risk: `row`, the columns of `data`, the
#'   columns of `x$record`. Confidential.
#' @section Error types: `pseudosynth_error_input`: `data` with other columns or
#'   another number of rows.
#' @references Hu and Savitsky, Risk-weighted pseudo posterior, table of the top
#'   ten records.
#' @seealso [identification_risk()], [attribute_risk()]
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' risk <- identification_risk(top, data, "age", radius = 0.2)
#' top_risks(risk, 5, data)
#' @export
top_risks <- function(x, n = 10, data = NULL, ...) {
  check_no_dots(..., hint = "See {.fn top_risks}.")
  check_present(x)
  n <- check_count(n, min = 1)
  refuse_if(
    !inherits(x, c("identification_risk", "attribute_risk")),
    "{.arg x} must be an {.cls identification_risk} or an
     {.cls attribute_risk}.",
    x = "It is {describe_type(x)}.",
    arg = "x"
  )
  risk <- x$record[[1]]
  rows <- utils::head(order(-risk, seq_along(risk)), n)
  shown <- data.frame(row = rows)
  if (!is.null(data)) {
    check_data_frame(data)
    if (nrow(data) != x$n_records) {
      n_data <- nrow(data)
      abort_input(
        "{.arg data} must be the records that the risks are of.",
        x = "It has {n_data} row{?s}, there are {x$n_records} risk{?s}.",
        arg = "data"
      )
    }
    columns <- c(x$known, x$variable)
    check_columns(columns, data, "data")
    shown <- cbind(shown, as.data.frame(data)[rows, columns, drop = FALSE])
  }
  shown <- cbind(shown, x$record[rows, , drop = FALSE])
  rownames(shown) <- NULL
  shown
}
