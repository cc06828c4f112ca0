# What a plan says before anything is spent: what it holds, and of records on
# disk how long a release takes and how much room sets need.

print_lines.file_plan <- function(x) {
  table <- x$table
  n <- table(factor(table$role, plan_roles))
  n <- n[n > 0]
  draft <- unconfirmed(x$codebook)
  bytes <- if (!is.null(x$stored)) bytes_of_record(x)
  seconds <- if (!is.null(x$stored)) seconds_of_release(x)
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
      release = if (length(seconds) > 0) {
        sprintf(
          "about %s, as %s records say", format_time(seconds),
          format_count(min(timed_records, x$n_records))
        )
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

# Records of a plan that a release is timed with
timed_records <- 5e4

# Passes over the records of later amounts, whose predictors are more, take
# longer than those of the first
later_amounts <- 2

#' How long a release of records on disk takes, as one of some of them says
#'
#' Of one amount alone, since each takes about as long; nobody sees it. What it
#' took is told by the plan, which is confidential, and by no message of a
#' release: it depends on the number of records.
#' @return (number or `NULL`, where the records are gone) Seconds; found once.
#' @noRd
seconds_of_release <- function(plan) {
  found <- plan$stored$open
  if (is.null(found$seconds)) {
    some <- plan
    some$n_records <- min(timed_records, plan$n_records)
    some$stored$passes <- passes <- list2env(list(seconds = 0))
    seconds <- or_else(suppressMessages(system.time({
      spending <- plan_file_release(some, list(), 1, 1e-6, "add-remove")
      amounts <- max(1, length(spending$amounts$each))
      spending$amounts$each <- utils::head(spending$amounts$each, 1)
      release_file_plan(some, spending, 1, 1e-6, "add-remove", seed = 1)
    })[["elapsed"]]))
    if (!is.null(seconds)) {
      times <- later_amounts * plan$n_records / some$n_records
      found$seconds <- amounts * (seconds + (times - 1) * passes$seconds)
    }
  }
  found$seconds
}
