#' A file that lies in several tables
#'
#' Names the tables that hold one file between them, such as one for each year
#' or each region. [score_release()], [file_plan()] and [fit_file()] take them
#' as `data`. Each database computes the sums of its own records, and R adds
#' them up. At the same seed the release is the same as for the whole file,
#' number for number.
#'
#' @param ... Two or more tables of databases, such as
#'   `dplyr::tbl(con, "persons_2023")`, on one or several connections, in one or
#'   several kinds of database. Parts may also be paths of CSV or Parquet files.
#'   All parts have the same columns. A column holds the same kind of values in
#'   all parts: numbers, text, or true and false. A part may have no records, or
#'   no values in a column. A data frame must be written to a table first.
#' @return A `file_shards`: a list of the parts.
#' @section Each record in one part:
#' The guarantee relies on one row per record. A table that is given twice is
#' refused, even under another filter, over another connection, or as a
#' partition of another part. A copy under another name, or a hard link to a
#' file, cannot be detected. Nor can a record that moves from one part to
#' another while the release is made. Each connection shows its parts as they
#' were when its first query ran, but two connections start one after the other.
#' Make sure that nobody writes to the tables meanwhile.
#' @section Checks of the whole:
#' A predictor that reveals the response in the whole file need not reveal it
#' within a part. So R adds up the parts' counts and checks the whole, see
#' [guarantee()]. One question cannot be put to parts: where in the gap between
#' two records a stated number lies. A number of more than three significant
#' digits that lies in the same gap as a usual quantile of the file is therefore
#' refused unless it is confirmed.
#' @section Error types:
#' `pseudosynth_error_input`: fewer than two parts, or a part that is neither a
#' table nor paths of files. When the parts are read, `pseudosynth_error_rows`:
#' a part that is given twice; `pseudosynth_error_engine`: parts whose columns
#' or types differ.
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
        paste("a table of", backend_of(part)$called)
      }
    }, ""))
  )
}
