# Sets that are written while they are drawn: of more records than memory holds.

# Formats of a part's files
part_formats <- c("csv", "parquet")

#' Refuse what cannot be drawn in parts
#' @param asked (list) See new_source().
#' @param format (string) One of part_formats.
#' @noRd
check_into <- function(into, x, asked, format) {
  refuse_if(
    !inherits(x, "file_release"),
    "{.arg into} only applies to a {.cls file_release}.",
    x = "{.arg fit} is {describe_type(x)}.",
    i = "Write other sets with {.fn release}.", arg = "into"
  )
  check_argument(asked$m, arg = "m")
  refuse_if(
    isTRUE(asked$uncertainty),
    "{.arg into} does not apply with {.code uncertainty = TRUE}.",
    x = "Each of these sets is one draw of the whole file.", arg = "into"
  )
  if (!is_remote_table(into)) {
    check_path(into, "into")
    check_part_format(format, x)
    return(check_target(into, "Existing content"))
  }
  refuse_if(
    format != "csv", "{.arg format} only applies to a folder.",
    x = "{.arg into} is a table.", arg = "format"
  )
  refuse_if(
    !is.null(x$members$tables), "{.arg into} must be a folder.",
    x = "The sets have two tables, and one takes one of them.",
    i = "Each has its own files in a folder.", arg = "into"
  )
  refuse_if(
    asked$m > 1, "{.arg m} must be 1: a table takes one set.",
    x = "It is {asked$m}.", i = "Use a table of its own for each set.",
    arg = "m"
  )
}

#' Refuse a format that cannot hold what sets of a release have
#' @noRd
check_part_format <- function(format, x) {
  if (format == "parquet") {
    return(check_installed("nanoparquet", "format"))
  }
  lossy <- names(Filter(function(spec) {
    "" %in% spec$levels && spec$missing
  }, column_specs(book_of_sets(x))))
  refuse_if(
    length(lossy) > 0, "{.arg into} cannot be a folder of CSV files.",
    x = "{.val {lossy}}: {gaps_of_text}.",
    i = "Write Parquet files, by {.code format = \"parquet\"}, or into a table
         of a database.",
    arg = "into", columns = lossy
  )
}

#' Draw sets part by part into a folder of files
#'
#' @param plan (list) See plan_sets().
#' @param format (string) One of part_formats.
#' @return (`written_sets`)
#' @noRd
write_drawn <- function(x, plan, into, format) {
  label <- publish_guarantee(plan$label)
  tables <- x$members$tables
  records <- list()
  folder <- folder_of_sets(into, x, plan, format)
  parts <- write_folder(into, function(folder) {
    kept <- kept_parts(folder, plan$asked$seed)
    put <- function(file, write, what) {
      writing(into, write(what, file.path(folder, file)))
    }
    if (is.null(tables)) {
      put("codebook.csv", write_codebook, book_of_sets(x))
    } else {
      writing(into, write_book_tables(book_of_sets(x), tables, folder))
    }
    put("label.txt", writeLines, enc2utf8(print_lines(label)))
    parts <- draw_parts(x, plan, function(part, file) {
      files <- files_of_part(file, names(tables), format)
      paths <- file.path(folder, files)
      note <- writing(into, if (is.data.frame(part)) {
        write_part(part, x$members, format, paths)
      } else {
        Map(write_bytes, part$content, paths)
        part[c("records", "of_tables")]
      })
      put(note_of_part(file), function(what, path) saveRDS(what, path), c(
        note, list(files = files, hashes = rlang::hash_file(paths))
      ))
    }, kept = kept, sent = part_sender(x$members, format))
    for (file in parts$file) {
      records[[file]] <<- read_finished(folder, file)$of_tables
    }
    # The words last: without them no note is believed
    unlink(file.path(folder, note_of_part(parts$file)))
    unlink(file.path(folder, words_of_parts))
    parts
  }, folder)
  parts <- rows_of_files(parts, names(tables), records, format)
  new_written_sets(normalizePath(into), parts, label, plan)
}

#' Write a part's tables
#' @param paths (character) A file for each.
#' @return (list) `records` of the part, and `of_tables`, of each.
#' @noRd
write_part <- function(part, members, format, paths) {
  write <- switch(format, csv = write_csv, parquet = write_parquet)
  both <- if (is.null(members$tables)) list(part) else in_tables(part, members)
  Map(write, both, paths)
  list(records = nrow(part), of_tables = vapply(both, nrow, 1L))
}

#' What makes of a part what a worker sends: its files, which are far smaller
#'
#' A worker that cannot write them, for want of room or of a package, sends the
#' part.
#' @return (function of a part) A list: see write_part(), and `content` (of each
#'   file, see read_bytes()); or the part.
#' @noRd
part_sender <- function(members, format) {
  force(members)
  force(format)
  function(part) {
    paths <- tempfile(rep("part", max(1, length(members$tables))))
    on.exit(unlink(paths))
    or_else({
      note <- write_part(part, members, format, paths)
      c(note, list(content = lapply(paths, read_bytes)))
    }, part)
  }
}

# What a run that was killed has left ------------------------------------------

#' Where sets are written to until they are complete
#'
#' A killed run leaves its folder. Who writes the same sets to the same place
#' goes on in it. Its name says whose it is: who renames it has it alone.
#' @return (string) A folder of that run, or of a new name.
#' @noRd
folder_of_sets <- function(into, x, plan, format) {
  key <- key_of_sets(c(basename(into), format), x, plan)
  start <- sprintf(".release-%s-", key)
  folder <- tempfile(
    paste0(start, gsub(" ", "~", process_name()), "~"), dirname(into)
  )
  left <- Filter(function(name) {
    owner <- sub("~[^~]*$", "", substring(name, nchar(start) + 1))
    startsWith(name, start) && isFALSE(is_running(gsub("~", " ", owner)))
  }, dir(dirname(into), all.files = TRUE))
  left <- file.path(dirname(into), left)
  # Of several the one with most parts
  for (own in left[order(-lengths(lapply(left, dir)))]) {
    taken <- !dir.exists(folder) && suppressWarnings(file.rename(own, folder))
    if (!taken) unlink(own, recursive = TRUE)
  }
  folder
}

words_of_parts <- "words.rds"

note_of_part <- function(file) paste0(file, ".rds")

#' @return (list or `NULL`: not finished, or no longer as it was)
#' @noRd
read_finished <- function(folder, file) {
  path <- file.path(folder, note_of_part(file))
  note <- if (file.exists(path)) or_else(readRDS(path))
  files <- file.path(folder, or_else(note$files))
  whole <- length(files) > 0 && all(file.exists(files)) &&
    identical(rlang::hash_file(files), note$hashes)
  if (whole) note
}

#' What is kept of the parts that were finished before: nothing else stays
#'
#' @return (list) See draw_parts().
#' @noRd
kept_parts <- function(folder, seed) {
  path <- file.path(folder, words_of_parts)
  words <- if (file.exists(path)) or_else(readRDS(path))
  stays <- character()
  if (are_words(words)) {
    parts <- sub("[.]rds$", "", setdiff(dir(folder, "[.]rds$"), words_of_parts))
    whole <- lapply(parts, function(part) read_finished(folder, part)$files)
    notes <- note_of_part(parts[lengths(whole) > 0])
    stays <- c(words_of_parts, notes, unlist(whole))
  }
  others <- setdiff(dir(folder, all.files = TRUE, no.. = TRUE), stays)
  unlink(file.path(folder, others), recursive = TRUE)
  if (length(stays) == 0) {
    words <- words_of_files(seed)
    writing(folder, saveRDS(words, path))
  }
  list(
    words = words,
    records = function(file) read_finished(folder, file)$records
  )
}

#' The names of the files of a part, one for each of its tables
#' @param tables (character or `NULL`, of sets of one table)
#' @noRd
files_of_part <- function(file, tables, format) {
  if (!is.null(tables)) file <- paste(file, tables, sep = "-")
  paste(file, format, sep = ".")
}

#' A row for each file
#' @param records (named list) By part: those of each table.
#' @noRd
rows_of_files <- function(parts, tables, records, format) {
  if (is.null(tables)) {
    parts$file <- files_of_part(parts$file, NULL, format)
    return(parts)
  }
  each <- rep(seq_len(nrow(parts)), each = length(tables))
  table <- rep(tables, nrow(parts))
  data.frame(
    set = parts$set[each], table = table,
    file = files_of_part(parts$file[each], table, format),
    records = unlist(records[parts$file], use.names = FALSE)
  )
}

#' @param into (string) A folder's path, or the name of a table.
#' @param table (data frame) A row for each file, or for the set in a table.
#' @noRd
new_written_sets <- function(into, table, label, plan) {
  first <- table[table$set == 1, ]
  # Of two tables the last is that of persons
  persons <- if (is.null(first$table)) {
    rep(TRUE, nrow(first))
  } else {
    first$table == utils::tail(first$table, 1)
  }
  seal(new_result(
    "written_sets",
    into = into, table = table, guarantee = label,
    m = plan$asked$m, n_records = sum(first$records[persons])
  ))
}

#' @rdname guarantee
#' @export
guarantee.written_sets <- function(x, m = x$m, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  held_label(x, "written sets", m, public)
}

print_lines.written_sets <- function(x) {
  c(
    sprintf(
      "Synthetic data, written: %s of %s records", counted(x$m, "set"),
      format_count(x$n_records)
    ),
    field_lines(c(
      if (is.null(x$table$file)) {
        c(table = x$into)
      } else {
        c(folder = x$into, files = paste(
          counted(nrow(x$table), paste(
            if (endsWith(x$table$file[1], "csv")) "CSV" else "Parquet", "file"
          )), if (is.null(x$table$table)) {
            "codebook.csv and label.txt"
          } else {
            "a codebook of each table and label.txt"
          }, sep = ", "
        ))
      },
      label = format(x$guarantee)
    )),
    if (is.null(x$table$file)) {
      "  guarantee(x) is the label that goes with the table"
    } else {
      "  as.data.frame(x) has the names of the files"
    }
  )
}
