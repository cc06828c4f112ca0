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

print_lines.file_plan <- function(x) {
  table <- x$table
  n <- table(factor(table$role, plan_roles))
  n <- n[n > 0]
  draft <- unconfirmed(x$codebook)
  bytes <- if (!is.null(x$stored)) bytes_of_record(x)
  shown <- data.frame(
    column = table$column, type = table$type, role = table$role,
    becomes = plan_steps(table)
  )
  c(
    format(x), format_table(shown),
    field_lines(c(
      columns = paste(n, names(n), collapse = ", "),
      protects = if (length(x$published) > 0) {
        "all columns that are not published"
      } else {
        "all columns, and the number of records"
      },
      unit = if (is.null(x$unit)) {
        "one record"
      } else if (!is.null(x$members)) {
        whole_unit(x)
      } else {
        sprintf(
          "%s, at most %s", x$unit$column, counted(x$unit$records, "record")
        )
      },
      if (!is.null(x$members)) members_text(x$members),
      pooled = if (!is.null(x$members)) pooled_text(x$members),
      tables = if (!is.null(x$members$tables)) tables_text(x$members),
      records = if (!is.null(x$stored)) {
        "in files of this session, not in memory"
      },
      sets = if (length(bytes) > 0) {
        sprintf(
          "%s bytes a record as CSV files: %s records take %s GB",
          format(signif(bytes, 2)), format_count(1e8),
          format(signif(bytes / 10, 2))
        )
      },
      "left out" = if (isTRUE(x$members$beyond > 0)) {
        counted(x$members$beyond, "member")
      },
      weights = if (!is.null(x$survey_weights)) {
        paste0(
          x$survey_weights,
          if (!x$survey_weights %in% x$published) ", drawn last"
        )
      },
      rules = if (length(rule_texts(x)) > 0) {
        paste(rule_texts(x), collapse = "; ")
      },
      outside = if (length(x$outside) > 0) outside_text(x),
      dropped = if (length(x$left_out) > 0) toString(x$left_out),
      codebook = if (length(draft) > 0) {
        paste(
          "a draft, which no strict release accepts; not confirmed:",
          toString(draft)
        )
      } else {
        "confirmed"
      }
    )),
    if (length(draft) == 0) {
      "  file_release(x, epsilon) releases it under one guarantee"
    },
    confidential_line("Holds the file")
  )
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
