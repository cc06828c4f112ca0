# Sets that are written to a table of a database while they are drawn.

#' The table that a set is to be written to
#'
#' A database's own checks of its columns stay in force.
#' @param into (table of dplyr)
#' @param columns (character) Of the set.
#' @return (list) `con`, `id` (its name, as DBI takes it) and `name` (as the
#'   database quotes it).
#' @noRd
table_target <- function(into, columns) {
  check_installed(c("DBI", "dbplyr"), arg = "into")
  con <- dbplyr::remote_con(into)
  refuse_if(
    !isTRUE(or_else(DBI::dbIsValid(con))),
    "The connection of {.arg into} must be open.", x = "It is closed.",
    i = "Open another by {.fn DBI::dbConnect}.", arg = "into"
  )
  query <- into$lazy_query
  path <- if (inherits(query, "lazy_base_remote_query")) {
    tryCatch(table_path(query$x, con), pseudosynth_error = function(e) NULL)
  }
  refuse_if(
    is.null(path), "{.arg into} must name a table.",
    x = "It has steps, or is a query.",
    i = "Name a table, as in {.code tbl(con, \"synthetic\")}.", arg = "into"
  )
  # What a table lacks, and what it has in addition
  own <- as.character(query$vars)
  lacks <- setdiff(columns, own)
  more <- setdiff(own, columns)
  refuse_if(
    length(c(lacks, more)) > 0,
    "{.arg into} must be a table with the columns of the set.",
    x = if (length(lacks) > 0) "It lacks {.val {lacks}}.",
    x = if (length(more) > 0) "The set has no {.val {more}}.",
    i = "Create one with {.fn DBI::dbCreateTable}, from a small set.",
    arg = "into"
  )
  id <- if (length(path) == 1) path else do.call(DBI::Id, as.list(path))
  list(
    con = con, id = id, name = as.character(DBI::dbQuoteIdentifier(con, id))
  )
}

#' Draw a set part by part into a table, as one transaction
#'
#' @param plan (list) See plan_sets().
#' @param target (list) See table_target().
#' @return (`written_sets`)
#' @noRd
write_to_table <- function(x, plan, target) {
  con <- target$con
  n <- plan$rows$n
  refuse_if(
    !isTRUE(or_else(DBI::dbBegin(con))),
    "The connection of {.arg into} must be able to start a transaction of its
     own.",
    i = "It may be in one: end it by {.fn DBI::dbCommit}, or open another
         connection.", arg = "into"
  )
  done <- FALSE
  on.exit(if (!done) or_else(DBI::dbRollback(con)))
  rows <- function() {
    # Whole numbers of 64 bits would need a package to be read
    query <- paste("SELECT 1.0 * COUNT(*) AS n FROM", target$name)
    as.double(DBI::dbGetQuery(con, query)$n)
  }
  there <- rows()
  refuse_if(
    there > 0, "{.arg into} must be an empty table.",
    x = "It has {counted(there, 'row')}.",
    i = "What is there is never overwritten.", arg = "into"
  )
  parts <- set_parts(1, n)
  for (i in seq_len(nrow(parts))) {
    tell_long_step(paste("Part", i, "of", nrow(parts)), n)
    part <- draw_part(x, parts$records[i], i, plan$asked$seed)
    part <- database_rows(part, con)
    writing(target$name, DBI::dbAppendTable(con, target$id, part))
  }
  # A trigger or a rule of the database may keep records away
  refuse_if(
    rows() != n, "{.arg into} must take all records as they are.",
    x = "It took another number of records.",
    i = "Nothing was left there. Does the table have a trigger?", arg = "into"
  )
  writing(target$name, DBI::dbCommit(con))
  done <- TRUE
  new_written_sets(
    target$name, data.frame(set = 1L, records = n),
    publish_guarantee(plan$label), plan
  )
}

#' A set's columns as databases take them: text, numbers, dates and flags
#' @noRd
database_rows <- function(set, con) {
  # It has no type for dates: they are text that sorts
  texts <- inherits(con, "SQLiteConnection")
  columns <- lapply(set, function(x) {
    if (is.factor(x)) {
      as.character(x)
    } else if (inherits(x, "Date")) {
      if (texts) format(x, "%Y-%m-%d") else x
    } else {
      attributes(x) <- NULL
      x
    }
  })
  list2DF(columns, nrow(set))
}
