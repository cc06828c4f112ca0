# Whether records of one file are found in another, by hashes of records: a
# weight rule and a reference keep those of the file that they were made from.

#' Hashes of the records of a file
#'
#' Of 52 bits each, so that they fit in doubles, and sorted, so that they do not
#' tell whose they are. The salt is a hash of the file: tables that others have
#' made beforehand are of no use.
#' @param columns (list) The columns that were read.
#' @return (list) `columns` (their names), `salt`, `rows` (see met_hashes()),
#'   `form` (count: which hash). As confidential as what it is stored with.
#' @noRd
row_hashes <- function(columns) {
  columns <- lapply(columns, hashed_column)
  salt <- stable_hash(unname(columns))
  list(
    columns = names(columns), salt = salt,
    rows = met_hashes(hash_rows(columns, salt)), form = row_hash_form
  )
}

#' Which hashes there are, and how many records have each
#' @param hashes (double) One per record.
#' @return (list) `hash` (double, sorted), `n` (integer, one for each, or 1).
#' @noRd
met_hashes <- function(hashes) {
  runs <- sorted_runs_(sort(hashes, method = "radix"))
  give_back_memory(length(hashes), full = FALSE)
  alone <- length(runs$n) == length(hashes)
  list(hash = runs$value, n = if (alone) 1L else runs$n)
}

#' A factor is hashed as its text is, and not written out as text before
#' @noRd
hashed_column <- function(x) if (is.factor(x)) x else pattern_value(x)

# Hashes of another form find no record of the file in the file itself
row_hash_form <- 3L

#' @return (double) One per record; equal for equal records.
#' @noRd
hash_rows <- function(columns, salt) {
  row_hashes_(unname(columns), salt, length(columns[[1]]))
}

#' Have two files so many records in common that they are one?
#'
#' Files of one population share values by chance: of whole numbers or of yes
#' and no nearly all. The share expected is that of the records of one file
#' whose values another record of the same file has (Good and Turing). So `data`
#' counts as the history where more than half of the records of either are found
#' in the other, and more than chance explains by three standard errors: a
#' history may be a small part of the file. Where values tell nothing, it still
#' does where the two differ in at most sqrt(N) / 10 records: of other records,
#' not even two files of yes and no do more often than one in twenty.
#' @param data (data frame)
#' @param history (list or `NULL`) See `row_hashes()`.
#' @return (flag) `FALSE` also where nothing is known of the history's records,
#'   or `data` has not the columns to tell.
#' @noRd
is_same_file <- function(data, history) {
  if (is.null(history) || !all(history$columns %in% names(data))) {
    return(FALSE)
  }
  refuse_privacy(
    !identical(history[["form"]], row_hash_form),
    "The records behind this weight rule or reference cannot be compared.",
    x = "It was saved by an earlier version of the package.",
    i = "Make it again from its file."
  )
  columns <- lapply(data[history$columns], hashed_column)
  rows <- counted_hashes(met_hashes(hash_rows(columns, history$salt)))
  old <- counted_hashes(history$rows)
  if (is_mostly_in(rows, old) || is_mostly_in(old, rows)) {
    return(TRUE)
  }
  types <- unique(c(rows$hash, old$hash))
  count <- function(met) {
    replace(numeric(length(types)), match(met$hash, types), met$n)
  }
  # A history may hold the file several times over
  times <- max(1, round(sum(old$n) / sum(rows$n)))
  sum(abs(times * count(rows) - count(old))) <= ceiling(sqrt(sum(rows$n)) / 10)
}

counted_hashes <- function(met) {
  list(hash = met$hash, n = rep_len(met$n, length(met$hash)))
}

#' Are more records of a file found in another than chance explains?
#' @param rows,others (list) See met_hashes().
#' @noRd
is_mostly_in <- function(rows, others) {
  shared <- sum(others$n[others$n > 1]) / sum(others$n)
  error <- sqrt(shared * (1 - shared) * (1 / sum(rows$n) + 1 / sum(others$n)))
  found <- sum(rows$n[rows$hash %in% others$hash]) / sum(rows$n)
  found > max(1 / 2, shared + 3 * error)
}
