# Whether records of one file are found in another, by hashes of records: a
# weight rule and a reference keep those of the file that they were made from.

#' Hashes of the records of a file
#'
#' Of 52 bits each, so that they fit in doubles, and sorted, so that they do not
#' tell whose they are. The salt is a hash of the file: tables that others have
#' made beforehand are of no use.
#' @param columns (list) The columns that were read.
#' @return (list) `columns` (their names), `salt`, `rows` (double), `form`
#'   (count: which hash). As confidential as what it is stored with.
#' @noRd
row_hashes <- function(columns) {
  columns <- lapply(columns, hashed_column)
  salt <- stable_hash(unname(columns))
  list(
    columns = names(columns), salt = salt,
    rows = sort(hash_rows(columns, salt)), form = row_hash_form
  )
}

#' A factor is hashed as its text is, and not written out as text before
#' @noRd
hashed_column <- function(x) if (is.factor(x)) x else pattern_value(x)

# Hashes of another form find no record of the file in the file itself
row_hash_form <- 2L

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
  rows <- hash_rows(lapply(data[history$columns], hashed_column), history$salt)
  old <- history$rows
  if (is_mostly_in(rows, old) || is_mostly_in(old, rows)) {
    return(TRUE)
  }
  types <- unique(c(rows, old))
  count <- function(x) tabulate(match(x, types), length(types))
  # A history may hold the file several times over
  times <- max(1, round(length(old) / length(rows)))
  sum(abs(times * count(rows) - count(old))) <= ceiling(sqrt(length(rows)) / 10)
}

#' Are more records of a file found in another than chance explains?
#' @param rows,others (double) Hashes of their records.
#' @noRd
is_mostly_in <- function(rows, others) {
  shared <- mean(others %in% others[duplicated(others)])
  error <- sqrt(shared * (1 - shared) * (1 / length(rows) + 1 / length(others)))
  mean(rows %in% others) > max(1 / 2, shared + 3 * error)
}
