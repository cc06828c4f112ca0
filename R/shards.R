#' A file that lies in several tables
#'
#' Names the tables that hold one file between them, such as one for each year
#' or each region. [score_release()], [file_plan()] and [fit_file()] take them
#' as `data`. Each database adds the whole sums of its own records, and R adds
#' the parts: at the same seed the release is that of the whole file, number for
#' number.
#'
#' @param ... Two or more tables of databases, such as
#'   `dplyr::tbl(con, "persons_2023")`, on one connection or on several, of one
#'   kind of database or of several; or paths of CSV files or of Parquet files.
#'   All parts have the same columns. A column holds the same kind of values in
#'   all parts: numbers, text, or true and false. A part may have no record, or
#'   no value of a column. A data frame must be written to a table first.
#' @return A `file_shards`: a list of the parts.
#' @section Each record in one part:
#' The guarantee counts on one row for each record. The same table given twice
#' is refused: under another filter, over another connection, or as a partition
#' of another part. What cannot be seen is a copy under another name, or a hard
#' link to a file. Nor can a record be seen that moves from one part to another
#' while the release is made: each connection shows its parts as they were when
#' its first query ran, but two connections start one after the other. Let
#' nobody write to the tables meanwhile.
#' @section Checks of the whole:
#' What reveals the response of the whole file need not reveal it within a part:
#' if each part is an income class, the class is constant in its part. So R
#' checks the parts together. It divides the response into some hundred classes
#' and counts the records of each combination of the predictors in each class.
#' Classes that decide a check are divided further. Where classes leave a check
#' open, R assumes that the response is revealed. It therefore also refuses a
#' stated number that is within a class of the mean, a quartile or another
#' statistic. And it refuses a predictor, such as an expected amount, most of
#' whose values are within a class of the means or medians of their groups. In
#' these cases release the file from one table.
#' @section Error types:
#' `pseudosynth_error_input`: fewer than two parts, or a part that is neither a
#' table nor paths of files. Where the parts are read,
#' `pseudosynth_error_rows`: a part that is given twice;
#' `pseudosynth_error_engine`: parts of other columns or types.
#' @seealso [score_release()], [file_plan()], [release_queries()]
#' @examplesIf rlang::is_installed(c("RSQLite", "dbplyr"))
#' con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
#' RSQLite::initExtension(con, "math")
#' persons <- subset(ce_income, income > 0, c("income", "earner"))
#' persons$earner <- as.character(persons$earner)
#' DBI::dbWriteTable(con, "first", persons[1:2000, ])
#' DBI::dbWriteTable(con, "second", persons[-(1:2000), ])
#' parts <- shards(dplyr::tbl(con, "first"), dplyr::tbl(con, "second"))
#' score_release(log(income) ~ earner, parts,
#'   epsilon = 1, reference = list("(Intercept)" = 10.8, sigma = 1),
#'   bounds = c(10, 2e6)
#' )
#' DBI::dbDisconnect(con)
#' @export
shards <- function(...) {
  new_result("file_shards", parts = check_parts(list(...), "..."))
}

print_lines.file_shards <- function(x) {
  sprintf(
    "A file in %s: %s", counted(length(x$parts), "part"),
    toString(vapply(x$parts, function(part) {
      if (is.character(part)) {
        counted(length(part), "file")
      } else {
        paste("a table of", dialect_of(part)$called)
      }
    }, ""))
  )
}
