# What holds a file that is not a data frame: tables of databases, or parts of a
# file in several places. A release asks an engine for the combinations of its
# published columns and for whole sums over records, and for no record.

#' A file in several parts
#'
#' Names the parts of one file, each a table of a database or a data frame, for
#' [score_release()]. Every part adds its own whole sums, and R adds the parts.
#' The release is the same as that of the whole file.
#'
#' @param ... Tables of databases, such as `dplyr::tbl(con, "persons")`, and
#'   data frames. All have the same columns, those of the formula of the same
#'   types. Each record is in one part only: the same table or data frame twice
#'   is refused, also with other filters, over another connection, or as the
#'   partition of another part; a copy under another name is not known again.
#' @return A `file_shards`: a list of the parts.
#' @section Error types:
#' `pseudosynth_error_input`: a part that is neither a table nor a data frame.
#' [score_release()] refuses parts that are the same
#' (`pseudosynth_error_rows`).
#' @seealso [score_release()], [release_queries()]
#' @examples
#' positive <- subset(ce_income, income > 0, c("income", "age", "earner"))
#' positive$earner <- as.character(positive$earner)
#' parts <- shards(positive[1:2000, ], positive[-(1:2000), ])
#' score_release(log(income) ~ earner, parts, epsilon = 1,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6)
#' )
#' @export
shards <- function(...) {
  parts <- list(...)
  good <- vapply(parts, function(x) is.data.frame(x) || is_table(x), NA)
  refuse_if(
    length(parts) == 0 || !all(good),
    "{.arg ...} must be tables of databases or data frames.",
    x = if (any(!good)) "One is {describe_type(parts[[which(!good)[1]]])}.",
    i = "For instance {.code shards(tbl(con1, \"a\"), tbl(con2, \"b\"))}.",
    arg = "..."
  )
  new_result("file_shards", parts = parts)
}

print_lines.file_shards <- function(x) {
  sprintf(
    "A file in %s: %s", counted(length(x$parts), "part"),
    toString(vapply(x$parts, describe_part, ""))
  )
}

describe_part <- function(x) {
  if (is.data.frame(x)) {
    sprintf("a data frame of %s records", format_count(nrow(x)))
  } else {
    sprintf("a table of %s", dialect_of(x)$called)
  }
}

#' Is it a table of a database, as dplyr has them?
#' @noRd
is_table <- function(x) inherits(x, c("tbl_sql", "tbl_lazy"))

is_engine <- function(x) is_table(x) || inherits(x, "file_shards")

#' Run code on the engines of a file, all as they are at one moment
#'
#' @param f (function of a list of engines) An engine is a list:
#'   * `all_columns()`: names;
#'   * `types(names)`: for each column a vector of its type, of length 0; `NULL`
#'     where no value tells it;
#'   * `cells(types)`: the combinations of the values of columns of these types:
#'     `values` (list of columns) and `n` (records of each);
#'   * `for_response(response, type, cells)`: further functions, of a response:
#'     `check(stated, terms)` refuses what check_table() and
#'     check_table_copies() do; `outside(bounds)` counts records;
#'     `whole(at, clip)` gives `inside` and `q`, see sql_whole(), and
#'     `tally(breaks)` lists `cell` (place in `cells`), `bin` and `n`;
#'   * `parts` (strings) and `log`: see found_tables() and asker().
#' @noRd
with_engines <- function(data, f) {
  parts <- if (is_table(data)) list(data) else data$parts
  tables <- vapply(parts, is_table, NA)
  sources <- lapply(parts[tables], table_source)
  # One transaction for all tables of a connection
  connections <- unique(lapply(sources, `[[`, "con"))
  of <- match(lapply(sources, `[[`, "con"), connections)
  begun <- list()
  on.exit(for (con in begun) runs(con, "ROLLBACK"))
  engines <- vector("list", length(parts))
  engines[!tables] <- lapply(parts[!tables], frame_engine)
  for (i in seq_along(connections)) {
    con <- connections[[i]]
    own <- sources[of == i]
    dialect <- own[[1]]$dialect
    begin_reading(con, dialect)
    begun <- c(begun, list(con))
    # What looks for a table is none of the release's queries
    ask <- asker(con, dialect, new.env(parent = emptyenv()))
    found <- found_tables(own, dialect, ask, sprintf("connection %d", i))
    engines[which(tables)[of == i]] <- Map(table_engine, own, found)
  }
  check_parts_differ(parts, engines)
  f(engines)
}

#' Refuse a part that is given twice: its records would count twice
#' @noRd
check_parts_differ <- function(parts, engines) {
  marks <- unlist(lapply(engines, `[[`, "parts"))
  frames <- Filter(is.data.frame, parts)
  same <- vapply(seq_along(frames), function(i) {
    any(vapply(frames[seq_len(i - 1)], identical, NA, frames[[i]]))
  }, NA)
  refuse_if(
    anyDuplicated(marks) > 0 || any(same),
    "Each record must be in one part of {.arg data} only.",
    x = "Two parts are the same {if (any(same)) 'data frame' else 'table, or one
         is a part of the other'}.",
    i = "Several conditions on one table are one condition: join them by
         {.code |}.", arg = "data", class = "pseudosynth_error_rows"
  )
}
