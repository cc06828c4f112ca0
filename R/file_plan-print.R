# A plan as text: the codebook's statements and counts of columns, never a value
# of a record.

#' @export
format.file_plan <- function(x, ...) {
  one_line(x, records_text(x), ", ", counted(nrow(x$table), "column"))
}

#' How many records a plan has, or households, or persons
#' @noRd
records_text <- function(plan) {
  counted(plan$n_records, record_word(plan))
}

#' Bytes that a record takes in a CSV file of sets, as some of the plan's do
#' @return (number or `NULL`, where they are gone)
#' @noRd
bytes_of_record <- function(plan) {
  n <- min(1000, plan$n_records)
  # Beside the records, where nobody else reads
  path <- file.path(plan$stored$folder, "some.csv")
  on.exit(unlink(path))
  or_else({
    some <- stored_chunk(plan, 0, n)
    amounts <- mget(names(plan$amounts), some$amounts)
    write_csv(decode_records(plan, some$codes, amounts), path)
    file.size(path) / n
  })
}

#' What a record of a plan or a release is
#' @noRd
record_word <- function(x) {
  if (is.null(x$members)) "record" else part_words(x$members)[["one"]]
}

#' @noRd
whole_unit <- function(x) {
  parts <- part_words(x$members)[["parts"]]
  sprintf("%s, with all its %s", x$unit$column, parts)
}

#' Which values a level or a bound stands for, and of how many records
#' @noRd
outside_text <- function(x) {
  # Members' columns are those of the file
  specs <- column_specs(persons_of(x)$codebook)[names(x$outside)]
  stands <- vapply(specs, function(spec) {
    if (is_amount(spec)) "the bound" else spec$outside
  }, "")
  paste(sprintf(
    "%s of %s as %s", vapply(x$outside, counted, "", "record"), names(specs),
    stands
  ), collapse = "; ")
}

plan_roles <- c(
  "protected", "published", "survey weight", "published survey weight",
  "constant", "left out"
)

#' What becomes of each column, in words
#' @noRd
plan_steps <- function(table) {
  amount <- kinds_of(table$type, "valued")
  text <- ifelse(table$amount, paste0(
    ifelse(table$levels > 1, paste(table$levels, "parts, "), ""),
    ifelse(table$transform == "identity", "", paste0(table$transform, " ")),
    "values by ", table$family
  ), paste(table$levels, ifelse(amount, "parts", "levels")))
  text[table$role == "constant"] <- "the one level there is"
  text[table$role == "left out"] <- "not in any set"
  text
}
