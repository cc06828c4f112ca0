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
  c(named_table(con, path), list(columns = columns, backend = backend))
}

#' A table as DBI and as queries name it
#' @param path (character) See table_path().
#' @noRd
named_table <- function(con, path) {
  # Before version 1.2, DBI takes named parts alone
  parts <- utils::tail(c("catalog", "schema", "table"), length(path))
  id <- if (length(path) == 1) {
    path
  } else {
    do.call(DBI::Id, stats::setNames(as.list(path), parts))
  }
  list(
    con = con, id = id, name = as.character(DBI::dbQuoteIdentifier(con, id)),
    path = path
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

#' Draw a set part by part into a table
#'
#' A set of one part is one transaction. Parts of a larger one wait beside the
#' table, see open_stage(), and are moved into it together.
#' @param plan (list) See plan_sets().
#' @param target (list) See table_target().
#' @return (`written_sets`)
#' @noRd
write_to_table <- function(x, plan, target) {
  several <- nrow(set_parts(1, plan$rows$n)) > 1
  stage <- transacted(target, {
    there <- count_rows(target)
    refuse_if(
      there > 0, "{.arg into} must be an empty table.",
      x = "It has {counted(there, 'row')}.",
      i = "Existing rows are never overwritten.", arg = "into"
    )
    if (several) open_stage(target, key_of_sets(target$path, x, plan), plan)
  }, ask = sprintf(
    "A set of more than %s records needs a role that may create tables there.",
    format_count(part_records)
  ))
  finished <- stage$finished %||% 0
  moved <- FALSE
  if (several) on.exit(if (!moved) leave_stage(stage, finished))
  texts <- target$backend$texts(target)
  take <- function(part, file) {
    rows <- database_rows(part, target$backend, texts)
    # What the table refuses or changes shows before more parts are drawn
    if (finished == 0) {
      transacted(target, {
        fill_table(target, rows)
        check_kept(database_rows(part, target$backend), target)
      }, keep = !several)
    }
    if (several) {
      transacted(target, {
        note_part(stage, file, nrow(part))
        DBI::dbAppendTable(stage$con, stage$rows$id, rows)
      }, ask = full_or_shared)
    }
    finished <<- finished + 1
  }
  # Rows lie as they came: here, in the order of parts
  parts <- if (several) {
    draw_parts(x, plan, take, workers = FALSE, kept = stage$kept)
  } else {
    draw_parts(x, plan, take, workers = FALSE)
  }
  if (several) {
    tell_long_step("Moving the parts into the table", sum(parts$records))
    ask <- paste("Does a constraint refuse values?", full_or_shared)
    transacted(
      target, move_parts(stage, target, sum(parts$records)), ask = ask
    )
  }
  moved <- TRUE
  new_written_sets(
    target$name, data.frame(set = 1L, records = sum(parts$records)),
    publish_guarantee(plan$label), plan
  )
}

full_or_shared <-
  "Is the disk full? Does another process write the same set?"

#' Run code as one transaction, whose errors are those of writing
#' @param keep (flag) `FALSE`: whatever it does is taken back.
#' @param ask (string) See writing().
#' @noRd
transacted <- function(target, code, keep = TRUE, ask = "Does the table refuse
                         values, by their type or a constraint?") {
  con <- target$con
  refuse_inside(!isTRUE(or_else(DBI::dbBegin(con))), "into")
  done <- FALSE
  on.exit(if (!done) or_else(DBI::dbRollback(con)))
  writing(target$name, {
    value <- code
    # Either both or neither: what was kept is known to be
    if (keep) {
      suspendInterrupts({
        DBI::dbCommit(con)
        done <- TRUE
      })
    }
  }, ask = ask)
  value
}

#' @return (double) Whole numbers of 64 bits would need a package to be read.
#' @noRd
count_rows <- function(table) {
  query <- paste("SELECT 1.0 * COUNT(*) AS n FROM", table$name)
  as.double(DBI::dbGetQuery(table$con, query)$n)
}

#' Put rows into a table that is empty, and nowhere else
#' @param rows (data frame or string) These, or a query's.
#' @param n (count)
#' @noRd
fill_table <- function(target, rows, n = nrow(rows)) {
  if (is.data.frame(rows)) {
    DBI::dbAppendTable(target$con, target$id, rows)
  } else {
    DBI::dbExecute(target$con, rows)
  }
  # A trigger or a rule of the database may keep records away
  refuse_if(
    count_rows(target) != n,
    "{.arg into} must keep all records that are written to it.",
    x = "It does not have as many rows as were written.",
    i = "Nothing was kept in the table. Does the table have a trigger, or does
         somebody else write to it?",
    arg = "into"
  )
}

# Parts of a set that is not complete ------------------------------------------

#' The tables in which parts wait until all of them are there
#'
#' One has their rows, in the order of parts, and one a note on each: a part and
#' its note come in one transaction. The first note is on the set: its key and
#' its words. What an earlier run has left goes on if it is of the same set.
#' @param key (string) See key_of_sets().
#' @return (list) `rows` and `notes` (see named_table()), `kept` (see
#'   draw_parts()), `finished` (count) and `con`.
#' @noRd
open_stage <- function(target, key, plan) {
  beside <- function(what) {
    # Without digits, of which messages would show two
    mark <- chartr("0-9", "g-p", substring(stable_hash(target$path), 1, 12))
    name <- sprintf("pseudosynth_%s_%s", what, mark)
    named_table(target$con, c(utils::head(target$path, -1), name))
  }
  stage <- list(
    con = target$con, rows = beside("parts"), notes = beside("notes")
  )
  ask <- function(query) asked(target$con, query)
  left <- vapply(stage[c("rows", "notes")], function(table) {
    !is.null(target$backend$target(table$path, target$backend, ask))
  }, NA)
  if (!any(left)) {
    make_stage(stage, target, c(key, sprintf(
      "%.0f", unlist(words_of_files(plan$asked$seed))
    )))
  }
  notes <- if (left[["notes"]] || !any(left)) {
    or_else(ask(paste("SELECT file, records, note FROM", stage$notes$name)))
  }
  of_set <- notes$file %in% ""
  said <- strsplit(paste(notes$note[of_set], collapse = ""), " ")[[1]]
  words <- lapply(list(block = 2:3, amounts = 4:5), function(at) {
    or_else(as.double(said[at]))
  })
  notes <- notes[!of_set, ]
  refuse_if(
    !identical(said[1], key) || !are_words(words) ||
      !identical(or_else(count_rows(stage$rows)), sum(notes$records)),
    "Nothing else must wait to be moved into {.arg into}.",
    x = "{stage$rows$name} has parts of a set that was not finished: of another
         release, {.arg n}, {.arg seed} or version of the package. Or its rows
         were changed.",
    i = "Finish that set by the call that began it, or remove what is left:
         {.code DROP TABLE {stage$rows$name}} and
         {.code DROP TABLE {stage$notes$name}}.",
    arg = "into", class = "pseudosynth_error_target"
  )
  stage$finished <- nrow(notes)
  stage$kept <- list(words = words, records = function(file) {
    if (file %in% notes$file) notes$records[match(file, notes$file)]
  })
  stage
}

#' @param note (character) On the set.
#' @noRd
make_stage <- function(stage, target, note) {
  DBI::dbExecute(stage$con, sprintf(
    "CREATE TABLE %s AS SELECT * FROM %s WHERE 1 = 0", stage$rows$name,
    target$name
  ))
  # Of two processes that write the same part one fails
  DBI::dbExecute(stage$con, sprintf(
    "CREATE TABLE %s (file VARCHAR(99) PRIMARY KEY, records DOUBLE PRECISION,
     note VARCHAR(999))", stage$notes$name
  ))
  note_part(stage, "", 0, paste(note, collapse = " "))
}

#' @param file (string) Names the part; `""`: the set.
#' @noRd
note_part <- function(stage, file, records, note = NA_character_) {
  DBI::dbAppendTable(stage$con, stage$notes$id, data.frame(
    file = file, records = as.double(records), note = note
  ))
}

#' All parts go into the table together, and nothing of them stays beside it
#' @param n (number) Of their records.
#' @noRd
move_parts <- function(stage, target, n) {
  # Who removes the notes moves the rows: no second process does
  DBI::dbExecute(stage$con, paste("DROP TABLE", stage$notes$name))
  columns <- toString(DBI::dbQuoteIdentifier(stage$con, target$columns))
  fill_table(target, sprintf(
    "INSERT INTO %s (%s) SELECT %s FROM %s", target$name, columns, columns,
    stage$rows$name
  ), n)
  DBI::dbExecute(stage$con, paste("DROP TABLE", stage$rows$name))
}

#' What becomes of parts that are not moved: the same call goes on with them
#' @param finished (count) Of parts, as far as this process knows.
#' @noRd
leave_stage <- function(stage, finished) {
  # The database may know of more: those of another process stay
  finished <- or_else(count_rows(stage$notes) - 1, finished)
  if (finished == 0) {
    for (table in stage[c("rows", "notes")]) {
      or_else(DBI::dbExecute(stage$con, paste("DROP TABLE", table$name)))
    }
    return(invisible())
  }
  tell_of(
    "kept", "{finished} finished part{?s} of the set {?is/are} kept in
    {stage$rows$name}: the same call goes on with the others.",
    i = "To give them up, drop that table and {stage$notes$name}."
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
