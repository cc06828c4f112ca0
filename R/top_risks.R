#' List the records at highest risk
#'
#' Returns the papers' table of the records with the largest risk, with their
#' confidential values if `data` is given.
#'
#' @param x An [identification_risk()] or [risk()].
#' @param n (count) Number of records. Default 10.
#' @param data (data frame or `NULL`) The confidential records in the same
#'   order. Their known columns and the variable are shown beside the risks.
#'   `NULL`, the default: only row numbers.
#' @param ... Must be empty.
#' @return A data frame, highest risk first, with `row`, the columns of `data`
#'   and the columns of `x$record`. It is confidential.
#' @section Error types: `pseudosynth_error_input`: `data` with other columns or
#'   another number of rows.
#' @references Hu and Savitsky, Risk-weighted pseudo posterior, table of the top
#'   ten records.
#' @seealso [identification_risk()], [risk()]
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' risk <- identification_risk(top, data, "age", radius = 0.2)
#' top_risks(risk, 5, data)
#' @export
top_risks <- function(x, n = 10, data = NULL, ...) {
  check_no_dots(..., hint = "See {.fn top_risks}.")
  check_present(x)
  n <- check_argument(n)
  check_that(
    inherits(x, c("identification_risk", "risk")), x,
    "{.arg x} must be an {.cls identification_risk} or a
     {.cls risk}."
  )
  risk <- x$record[[1]]
  rows <- utils::head(order(-risk, seq_along(risk)), n)
  shown <- data.frame(row = rows)
  if (!is.null(data)) {
    check_data_frame(data)
    refuse_if(
      nrow(data) != x$n_records,
      "{.arg data} must have the records whose risks were computed.",
      x = "It has {nrow(data)} row{?s}, but there are {x$n_records} risk{?s}.",
      arg = "data"
    )
    columns <- c(x$known, x$variable)
    check_columns(columns, data, "data")
    shown <- cbind(shown, as.data.frame(data)[rows, columns, drop = FALSE])
  }
  shown <- cbind(shown, x$record[rows, , drop = FALSE])
  rownames(shown) <- NULL
  shown
}
