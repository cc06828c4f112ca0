# What an engine must do as stated, tried before anything rests on it.

#' Try what the release rests on, on numbers and text that are nobody's
#' @param log (flag) Is the logarithm needed?
#' @return (list) The dialect, with the engine's name for the natural logarithm.
#' @noRd
probed_dialect <- function(engine, log) {
  dialect <- engine$dialect
  number <- function(x) sql_value(dialect, as.double(x))
  text <- function(x, y) {
    sprintf("CASE %s WHEN %s THEN 1 ELSE 0 END", trimws(paste(
      sql_value(dialect, x), dialect$collate
    )), sql_value(dialect, y))
  }
  points <- c(-1.5, -0.25, 0, 2.5, 1023.75)
  floors <- sql_floor(
    dialect, sprintf("(%s + %s)", number(points), number(0.5))
  )
  probe <- sql_query(
    dialect, c(
      sprintf("%s AS f%d", sql_double(dialect, floors), seq_along(floors)),
      sprintf("%s AS a", text("a", "A")), sprintf("%s AS b", text("a ", "a")),
      sprintf("CASE WHEN v > 0 THEN 1 ELSE 0 END AS c")
    ), "s", with = c(s = "SELECT NULLIF(1, 1) AS v")
  )
  found <- unlist(engine$ask(probe))
  expected <- c(floor(points + 0.5), 0, 0, 0)
  if (!identical(as.double(found), expected)) {
    abort_query(dialect, "round, compare text and treat NULL as expected")
  }
  if (!log) {
    return(dialect)
  }
  points <- c(0.5, 2, 10, 12345.678)
  for (name in unique(c(dialect$ln, "LN", "LOG"))) {
    values <- tryCatch(
      unlist(engine$ask(sql_query(dialect, sprintf(
        "%s(%s) AS l%d", name, number(points), seq_along(points)
      ), "(SELECT 1 AS one) s"))),
      pseudosynth_error_engine = function(e) NULL
    )
    right <- length(values) == length(points) &&
      all(abs(as.double(values) / log(points) - 1) < 1e-14)
    if (isTRUE(right)) {
      dialect$ln <- name
      return(dialect)
    }
  }
  abort_query(
    dialect, "compute natural logarithms",
    i = if (dialect$called == "SQLite") {
      "Load its functions: {.code RSQLite::initExtension(con, \"math\")}."
    }
  )
}
