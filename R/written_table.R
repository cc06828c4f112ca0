# Sets that are written to a table of a database while they are drawn.

#' The table that a set is to be written to
#'
#' A database's own checks of its columns stay in force.
#' @param into (table of dplyr)
#' @param columns (character) Of the set.
#' @return (list) `con`, `id` (its name, as DBI takes it), `name` (as the
#'   database quotes it), `path` (its name, after the schema's if one is given),
#'   `columns` and `backend`.
#' @noRd
table_target <- function(into, columns) {
  check_installed(c("DBI", "dbplyr"), arg = "into")
  con <- dbplyr::remote_con(into)
  check_open(con, "into")
  query <- into$lazy_query
  path <- if (inherits(query, "lazy_base_remote_query")) {
    tryCatch(table_path(query$x, con), pseudosynth_error = function(e) NULL)
  }
  refuse_if(
    is.null(path), "{.arg into} must name a table.",
    x = "It has further steps, or is a query.",
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
  backend <- backend_of(into, "into")
  check_plain_target(con, backend, path)
  # Before version 1.2, DBI takes named parts alone
  parts <- utils::tail(c("catalog", "schema", "table"), length(path))
  id <- if (length(path) == 1) {
    path
  } else {
    do.call(DBI::Id, stats::setNames(as.list(path), parts))
  }
  list(
    con = con, id = id, name = as.character(DBI::dbQuoteIdentifier(con, id)),
    path = path, columns = columns, backend = backend
  )
}

#' Refuse a table that does more with a row than to keep it
#'
#' A view, a trigger or a rule may send rows elsewhere, or change them after the
#' first part was looked at; a policy hides rows that are there.
#' @param path (character) See table_path().
#' @noRd
check_plain_target <- function(con, backend, path) {
  refuse <- function(wrong, is) {
    refuse_if(
      wrong, "{.arg into} must be a table that keeps rows as they are written.",
      x = "{.val {paste(path, collapse = '.')}} {is}.",
      i = "Create a table with {.fn DBI::dbCreateTable}, from a small set.",
      arg = "into", class = "pseudosynth_error_target"
    )
  }
  found <- or_else(backend$target(path, backend, function(query) {
    asked(con, query)
  }))
  refuse(is.null(found), "is not among the tables of the database")
  refuse(!found$table, "is no table of its own")
  refuse(isTRUE(found$triggers > 0), "has a trigger")
  refuse(isTRUE(found$rules > 0), "has a rule")
  refuse(
    isTRUE(found$policies), "has row-level security policies for this role"
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
  refuse_inside(!isTRUE(or_else(DBI::dbBegin(con))), "into")
  done <- FALSE
  on.exit(if (!done) or_else(DBI::dbRollback(con)))
  rows <- function() {
    # Whole numbers of 64 bits would need a package to be read
    query <- paste("SELECT 1.0 * COUNT(*) AS n FROM", target$name)
    as.double(DBI::dbGetQuery(con, query)$n)
  }
  # A trigger or a rule of the database may keep records away
  check_rows <- function(n) {
    refuse_if(
      rows() != n, "{.arg into} must keep all records that are written to it.",
      x = "It does not have as many rows as were written.",
      i = "Nothing was kept in the table. Does the table have a trigger?",
      arg = "into"
    )
  }
  there <- rows()
  refuse_if(
    there > 0, "{.arg into} must be an empty table.",
    x = "It has {counted(there, 'row')}.",
    i = "Existing rows are never overwritten.", arg = "into"
  )
  first <- TRUE
  texts <- target$backend$texts(target)
  parts <- draw_parts(x, plan, function(part, file) {
    writing(target$name, DBI::dbAppendTable(
      con, target$id, database_rows(part, target$backend, texts)
    ), ask = "Does the table refuse values, by their type or a constraint?")
    if (first) {
      check_rows(nrow(part))
      check_kept(database_rows(part, target$backend), target)
    }
    first <<- FALSE
    # Rows lie as they came: here, in the order of parts
  }, workers = FALSE)
  n <- sum(parts$records)
  check_rows(n)
  writing(target$name, DBI::dbCommit(con))
  done <- TRUE
  new_written_sets(
    target$name, data.frame(set = 1L, records = n),
    publish_guarantee(plan$label), plan
  )
}

#' Refuse a table whose columns change values: "01" in a column of numbers is 1
#'
#' The first part tells it: its texts with their counts, and all its numbers. A
#' column of fewer decimals, or of single precision, has others.
#' @noRd
check_kept <- function(part, target) {
  con <- target$con
  ask <- function(what, name, grouped = "") {
    name <- as.character(DBI::dbQuoteIdentifier(con, name))
    DBI::dbGetQuery(con, paste(
      "SELECT", gsub("{x}", name, what, fixed = TRUE), "FROM", target$name,
      gsub("{x}", name, grouped, fixed = TRUE)
    ))
  }
  kept <- vapply(names(part), function(name) {
    own <- part[[name]]
    if (is.character(own)) {
      found <- ask("{x} AS v, 1.0 * COUNT(*) AS n", name, "GROUP BY {x}")
      counts <- table(factor(own, exclude = NULL), useNA = "ifany")
      same <- match(names(counts), found$v)
      return(is.character(found$v) && nrow(found) == length(counts) &&
        all(found$n[same] == counts) %in% TRUE)
    }
    # A database knows dates and flags, or refuses them
    if (!is.numeric(own) || is_time(own)) {
      return(TRUE)
    }
    # Whole numbers of 64 bits would need a package to be read
    found <- sort(ask("CAST({x} AS DOUBLE PRECISION) AS v", name)$v)
    own <- sort(as.double(own))
    length(found) == length(own) &&
      all(abs(found - own) <= 1e-14 * abs(own)) %in% TRUE
  }, NA)
  changed <- names(part)[!kept]
  refuse_if(
    length(changed) > 0, "The columns of {.arg into} must keep values as they
    are.",
    x = "{.val {changed}} {?does/do} not.",
    i = "Text needs a column of text, and numbers need a column of numbers with
         enough decimals. Nothing was left in the table.", arg = "into"
  )
}

#' A set's columns as databases take them: text, numbers, dates and flags
#'
#' A number of two decimals, such as 22473.62, is a double next to it. As text
#' it is that number in every column of decimals.
#' @param texts (character) Columns whose numbers are sent as text.
#' @noRd
database_rows <- function(set, backend, texts = character()) {
  columns <- Map(function(x, text) {
    if (is.factor(x)) {
      as.character(x)
    } else if (is_time(x)) {
      # As text they sort, too
      if (backend$dates) x else time_forms(x)[[1]]
    } else {
      x <- plain_column(x)
      if (is.double(x) && text) decimal_text(x) else x
    }
  }, set, names(set) %in% texts)
  list2DF(columns, nrow(set))
}

#' Numbers as text without an exponent, where they are whole
#' @noRd
decimal_text <- function(x) {
  whole <- !is.na(x) & x %% 1 == 0
  text <- shortest_text(x)
  text[whole] <- sprintf("%.0f", x[whole])
  text[is.na(x)] <- NA
  text
}
