# The records of a plan that memory need not hold: columns of level numbers and
# of values in files of this session's own, which are read in chunks. All that a
# release measures is then of the records that the plan was made of, as of one
# moment, however often it reads them.

# Records of a database or of files that a plan keeps in memory, at most
records_in_memory <- 2e6

#' Where a plan of so many records leaves them, if memory is not to have them
#'
#' A release holds its published columns: memory must have room for them.
#' @param levels (named list) Of the block's columns.
#' @param amounts (character)
#' @return (list or `NULL`, in memory) See new_store(): level numbers by name,
#'   values, and hashes of the units.
#' @noRd
store_of_plan <- function(n, levels, amounts, unit, publish) {
  if (n <= most_in_memory()) {
    return(NULL)
  }
  check_records_fit(
    n, length(intersect(names(levels), publish)),
    length(intersect(amounts, publish)), "`publish`"
  )
  size <- lengths(levels)
  new_store(c(
    stats::setNames(
      ifelse(size < 2^8, 1, ifelse(size < 2^16, 2, 4)), code_key(names(levels))
    ),
    stats::setNames(rep(8, length(amounts)), value_key(amounts)),
    stats::setNames(rep(8, length(unit)), rep(unit_key, length(unit)))
  ))
}

most_in_memory <- function() {
  most <- getOption("pseudosynth.records_in_memory") %||% records_in_memory
  check_that(
    is.numeric(most) && length(most) == 1 && !is.na(most) && most >= 0, most,
    "{.code options(pseudosynth.records_in_memory = )} must be a number of
     records.", arg = "pseudosynth.records_in_memory"
  )
  most
}

#' Refuse records that memory does not hold, where all of them are needed
#' @param n,columns,amounts (counts)
#' @param by (string) What needs them.
#' @noRd
check_records_fit <- function(n, columns, amounts, by, arg = "data") {
  # What is made of them takes as much again
  bytes <- 2 * as.double(n) * (4 * columns + 12 * amounts)
  check_memory(bytes, sprintf("The records, all of which %s needs,", by), arg)
}

#' Columns of numbers in files, still without any number
#'
#' The files are removed with the object, or at the end of the session.
#' @param bytes (named integer) Of a number of each column: up to 4 of whole
#'   numbers from 0, 8 of others.
#' @return (list) `folder`, `bytes` and `open` (environment: it removes them).
#' @noRd
new_store <- function(bytes) {
  folder <- tempfile("pseudosynth-plan-")
  if (!dir.create(folder, showWarnings = FALSE, mode = "0700")) {
    abort_write(folder)
  }
  open <- new.env(parent = emptyenv())
  open$folder <- folder
  open$process <- Sys.getpid()
  reg.finalizer(open, function(open) {
    # A fork has a copy of it
    if (open$process == Sys.getpid()) unlink(open$folder, recursive = TRUE)
  }, onexit = TRUE)
  list(folder = folder, bytes = bytes, open = open)
}

code_key <- function(names) sprintf("level of %s", names)

value_key <- function(names) sprintf("value of %s", names)

unit_key <- "unit"

path_in_store <- function(store, key) {
  file.path(store$folder, match(key, names(store$bytes)))
}

#' Add numbers of further records to a column
#' @noRd
store_numbers <- function(store, key, x) {
  path <- path_in_store(store, key)
  bytes <- store$bytes[[key]]
  writing(store$folder, {
    before <- if (file.exists(path)) file.size(path) else 0
    connection <- file(path, "ab")
    tryCatch(
      writeBin(if (bytes == 8) as.double(x) else x, connection, size = bytes),
      finally = close(connection)
    )
    # A full disk shows here only
    if (file.size(path) != before + bytes * length(x)) {
      stop("The file is incomplete.")
    }
  })
}

#' What read_records() keeps of a column of a chunk, once its records are stored
#' @param own (list) See read_column().
#' @param n (count) Records of the chunk.
#' @noRd
store_column <- function(store, name, own, n) {
  if (!is.null(own$codes) && code_key(name) %in% names(store$bytes)) {
    store_numbers(store, code_key(name), own$codes)
  }
  if (!is.null(own$records)) {
    values <- rep(NA_real_, n)
    values[own$records] <- own$values
    store_numbers(store, value_key(name), values)
  }
  if (!is.null(own$unit)) {
    store_numbers(store, unit_key, unit_hashes(own$unit))
  }
  own[setdiff(names(own), c("codes", "records", "values", "unit"))]
}

#' Numbers of some records that follow one another
#' @param before (number) How many records come before these.
#' @noRd
stored_numbers <- function(store, key, before, n) {
  bytes <- store$bytes[[key]]
  x <- or_else({
    connection <- file(path_in_store(store, key), "rb")
    on.exit(close(connection))
    seek(connection, before * bytes)
    if (bytes == 1) {
      # readBin() takes ten times as long to make integers of them
      as.integer(readBin(connection, "raw", n))
    } else {
      readBin(connection, "double", n)
    }
  })
  refuse_lost_records(length(x) != n)
  x
}

#' Refuse records that are not there any more, or are others
#' @noRd
refuse_lost_records <- function(lost) {
  refuse_if(
    lost, "The records of a plan must be where it left them.",
    x = "They lie in files of the session that made the plan. These were removed
         or changed, or this is another session.",
    i = "Make the plan again by {.fn file_plan}.",
    arg = "plan", class = "pseudosynth_error_records"
  )
}

#' A store that is full: what is read of it later is what was written
#' @noRd
closed_store <- function(store) {
  store$hash <- hash_of_store(store)
  store
}

hash_of_store <- function(store) {
  or_else(unname(
    rlang::hash_file(path_in_store(store, names(store$bytes)))
  ), "")
}

#' Call a function with each chunk of a plan's records
#'
#' A chunk reads what is asked of it, and no more.
#' @param f (function of an environment) See plan_records().
#' @noRd
read_stored <- function(plan, f) {
  # Numbers take less room than what a database sends, and a chunk its time
  values <- 3 * chunk_values
  rows <- max(least_rows, ceiling(values / max(1, length(plan$levels))))
  show <- finished_bar("Records read", plan$n_records)
  started <- proc.time()[["elapsed"]]
  for (before in seq(0, plan$n_records - 1, rows)) {
    n <- min(rows, plan$n_records - before)
    f(stored_chunk(plan, before, n))
    show(before + n)
  }
  # See seconds_of_release()
  passes <- plan$stored$passes
  if (!is.null(passes)) {
    passes$seconds <- passes$seconds + proc.time()[["elapsed"]] - started
  }
}

stored_chunk <- function(plan, before, n) {
  chunk <- list2env(
    list(before = before, n = n, bins = new.env(), scores = new.env()),
    parent = emptyenv()
  )
  delayedAssign("codes", stored_codes(plan, before, n), assign.env = chunk)
  chunk$amounts <- new.env()
  for (name in names(plan$amounts)) {
    chunk_column(chunk, "amounts", name, function(chunk, name) {
      values <- stored_numbers(plan$stored, value_key(name), before, n)
      records <- which(!is.na(values))
      list(records = records, values = values[records])
    })
  }
  chunk
}

#' A column of a chunk that is read when it is asked for
#' @param what (string) Which of its environments has it.
#' @param read (function of a chunk and a name)
#' @noRd
chunk_column <- function(chunk, what, name, read) {
  force(name)
  delayedAssign(name, read(chunk, name), assign.env = chunk[[what]])
}

#' Level numbers of a chunk; none but levels, whatever has become of the files
#' @noRd
stored_codes <- function(plan, before, n) {
  names <- names(plan$levels)
  stores <- lapply(names, function(name) plan$binned[[name]] %||% plan$stored)
  keys <- code_key(names)
  codes <- stored_codes_(
    as.character(Map(path_in_store, stores, keys)),
    vapply(seq_along(keys), function(k) {
      as.integer(stores[[k]]$bytes[[keys[k]]])
    }, 0L),
    lengths(plan$levels), before, as.integer(n), default_threads()
  )
  refuse_lost_records(is.null(codes))
  dimnames(codes) <- list(NULL, names)
  codes
}

#' A plan with a further column of level numbers, beside its records
#' @noRd
stored_with_codes <- function(plan, column, levels, codes) {
  store <- new_store(stats::setNames(4, code_key(column)))
  store_numbers(store, code_key(column), codes)
  plan$levels[[column]] <- levels
  plan$binned[[column]] <- store
  plan$codes <- matrix(
    0L, 0, length(plan$levels), dimnames = list(NULL, names(plan$levels))
  )
  plan
}

# Units ------------------------------------------------------------------------

#' What tells units apart; by chance two may have the same
#' @return (double) `NA` of a record without one.
#' @noRd
unit_hashes <- function(values) {
  hashes <- hash_rows(list(hashed_column(values)), "")
  hashes[is.na(values)] <- NA
  hashes
}

#' Units whose records are on disk, see file_unit()
#'
#' Hashes are counted, no more of them at a time than memory is to have records.
#' What they say of a unit that is too large is looked at again, in the file.
#' @param file (list) See with_file().
#' @noRd
stored_unit <- function(stored, file, unit, specs) {
  if (is.null(unit)) {
    return(NULL)
  }
  most <- specs[[unit]]$records
  hashes <- function(f) {
    for (before in seq(0, file$n - 1, chunk_values)) {
      n <- min(chunk_values, file$n - before)
      own <- stored_numbers(stored, unit_key, before, n)
      f(list(hash = own, before = before))
    }
  }
  rows <- function(is_one) {
    over_chunks(hashes, function(own) which(is_one(own$hash)) + own$before, c)
  }
  refuse_no_unit(rows(is.na), unit)
  parts <- ceiling(file$n / max(1e5, min(most_in_memory(), records_in_memory)))
  large <- unlist(lapply(seq_len(parts) - 1, function(part) {
    met <- met_hashes(over_chunks(hashes, function(own) {
      own$hash[own$hash %% parts == part]
    }, c))
    met$hash[met$n > most]
  }))
  if (length(large) > 0) {
    met <- over_chunks(function(f) file$chunks(unit, f), function(own) {
      values <- column_values(own[[1]])
      values[unit_hashes(values) %in% large]
    }, c)
    size <- tabulate(match(met, unique(met)))
    large <- unique(met)[size > most]
    refuse_large_units(length(large), rows(function(hash) {
      hash %in% unit_hashes(large)
    }), unit, most)
  }
  list(column = unit, records = most, index = integer())
}

refuse_no_unit <- function(rows, unit) {
  refuse_if(
    length(rows) > 0, "Every record must belong to a unit.",
    x = "{.val {unit}} is missing for {length(rows)} record{?s}.",
    arg = "unit", rows = rows
  )
}

refuse_large_units <- function(large, rows, unit, most) {
  refuse_if(
    large > 0,
    "A unit of {.val {unit}} must have at most {most} record{?s}: the codebook
    says so.",
    x = "{large} unit{?s} {?has/have} more.", arg = "unit", rows = rows
  )
}

# In memory all the same -------------------------------------------------------

#' Values of an amount, see over_chunks()
#' @noRd
stored_values <- function(plan, name) {
  function(f) {
    read_stored(plan, function(own) f(own$amounts[[name]]$values))
  }
}

#' A plan with its records in memory, for what looks at all of them together
#' @param by (string) What needs them.
#' @noRd
in_memory <- function(plan, by) {
  if (is.null(plan$stored)) {
    return(plan)
  }
  n <- plan$n_records
  check_records_fit(
    n, length(plan$levels), length(plan$amounts), by, arg = "plan"
  )
  check_stored(plan)
  plan$codes <- stored_codes(plan, 0, n)
  plan$amounts <- mget(names(plan$amounts), stored_chunk(plan, 0, n)$amounts)
  if (!is.null(plan$unit)) {
    hashes <- stored_numbers(plan$stored, unit_key, 0, n)
    plan$unit$index <- match(hashes, unique(hashes))
  }
  plan$stored <- NULL
  seal(plan)
}

#' Refuse a plan whose records are not those that it was made of
#' @noRd
check_stored <- function(plan) {
  refuse_lost_records(!identical(hash_of_store(plan$stored), plan$stored$hash))
}
