# The label of a file release, and of the sets that are drawn from it.

#' @param n_records (count) Of what is drawn from it, for synthetic data.
#' @noRd
release_label.file_release <- function(x, what = "the noisy tables and sums",
                                       m = 1, n_records = public_size(x),
                                       reproducible = x$reproducible,
                                       combine = NULL) {
  intact <- is_sealed(x)
  verdict <- if (intact) file_verdict(x) else edited_verdict("file release")
  new_privacy_guarantee(
    verdict, mechanism = "file", title = "file release", what = what,
    paid = if (intact) x$charges else no_charges(), m = m,
    # Of an edited release no field is to be relied on
    n_records = if (intact) as.integer(n_records) else NA_integer_,
    unit = if (intact) file_unit_text(x) else "a record",
    public_inputs = if (intact) file_inputs(x, combine) else character(),
    reproducible = isTRUE(reproducible), public = TRUE,
    failure = if (intact) x$delta else 0
  )
}

#' The number of records where it was not released with noise; that of members
#' always is
#' @noRd
public_size <- function(x) {
  noisy <- is_size_secret(x) || !is.null(x$members)
  if (noisy) NA_integer_ else round(x$block$n)
}

is_size_secret <- function(x) {
  x$neighbours == "add-remove" && length(x$published) == 0
}

#' What is stated of members
#' @noRd
members_inputs <- function(x) {
  c(
    if (!is.null(x$members)) members_text(x$members),
    tables = if (!is.null(x$members$tables)) tables_text(x$members)
  )
}

file_unit_text <- function(x) {
  if (!is.null(x$members)) {
    paste("one", whole_unit(x))
  } else if (is.null(x$unit$column)) {
    "a record"
  } else {
    sprintf(
      "all records of one %s, at most %d", x$unit$column, x$unit$records
    )
  }
}

file_verdict <- function(x) {
  list(label = "strict", reasons = c(
    paste(
      if (is.null(x$members)) {
        "Each record adds a vector of whole numbers to every table. The cost"
      } else {
        paste(
          "Each", record_word(x), "is one wide record, which adds a vector of",
          "whole numbers to every table. The cost"
        )
      },
      "counts the vector's length (its Euclidean norm). The noise is exact",
      "discrete Gaussian noise."
    ),
    if (length(x$amounts) > 0) {
      paste(
        "Every amount is measured by sums. A record adds its clipped score, a",
        "whole number, times a vector of whole numbers. This vector depends on",
        "the record's own columns and on released numbers. It is checked to be",
        "no longer than a public limit."
      )
    },
    if (any(vapply(x$amounts, is_of_members, NA))) {
      paste(
        "For an amount of members a household adds the mean of what those with",
        "a value would add alone, and of how near these are to each other. It",
        "moves these sums no farther than one member can."
      )
    },
    if (!all(vapply(x$amounts, function(one) is.null(one$links), NA))) {
      paste(
        "For two linked amounts, or one amount in two waves, a record also",
        "adds how near its normal scores are by the noisy margins: a whole",
        "number of at most a public size."
      )
    },
    paste(
      "Sets are drawn only from what was released and from published columns,",
      "at no additional privacy cost."
    )
  ))
}

file_inputs <- function(x, combine = NULL) {
  protected <- setdiff(names(persons_of(x)$schema), x$published)
  names <- vapply(x$amounts, `[[`, "", "name")
  in_plain_figures(c(
    if (!is.null(combine)) c(sets = combine_words[[combine]]),
    unit = file_unit_text(x),
    if (!is.null(x$members)) members_inputs(x),
    pooled = if (!is.null(x$members)) pooled_text(x$members),
    codebook = "names, types, levels, bounds and codes of all columns",
    confirmed_text(x$confirmed),
    protected = paste(
      c(
        toString(protected),
        if (is.na(public_size(x))) "the number of records"
      ),
      collapse = "; and "
    ),
    published = public_columns(x),
    tables = sprintf(
      "%s, all pairs of %s%s", counted(nrow(x$tables), "table"),
      counted(length(x$levels), "column"),
      if (any(x$block$noise$order > 2)) ", and those that were stated" else ""
    ),
    if (length(names) > 0) {
      c(amounts = paste(sprintf(
        "%s (%s, %s scale)", names,
        vapply(x$amounts, function(one) format(one$family), ""),
        vapply(x$amounts, `[[`, "", "transform")
      ), collapse = "; "))
    },
    if (length(x$rules) > 0) c(rules = paste(x$rules, collapse = "; ")),
    if (!is.null(x$survey_weights)) {
      c("survey weights" = survey_weights_input(x))
    }
  ))
}

#' What the guarantee counts a survey weight as
#' @noRd
survey_weights_input <- function(x) {
  paste0(
    x$survey_weights, if (x$survey_weights %in% x$published) ", published",
    "; a weight counts as an attribute of its own record, even if it was ",
    "computed from the whole sample"
  )
}

#' What is public besides the codebook
#' @noRd
public_columns <- function(x) {
  all <- c(x$published, if (!is_size_secret(x)) {
    if (is.null(x$members)) {
      "the number of records"
    } else {
      sprintf("the number of %ss", record_word(x))
    }
  })
  if (length(all) > 0) toString(all) else "none"
}

# Printing ---------------------------------------------------------------------

#' @export
format.file_release <- function(x, ...) {
  one_line(x, counted(length(x$schema), "column"), ", ", format(guarantee(x)))
}

print_lines.file_release <- function(x) {
  label <- guarantee(x)
  n <- length(x$published)
  c(
    sprintf(
      "File release: %s, %s", counted(length(x$schema), "column"),
      if (n > 0) paste(n, "published") else "all protected"
    ),
    wrap_line(paste("label:", format(label))),
    field_lines(c(
      records = paste0(
        format_count(round(x$block$n)),
        if (!is.null(x$members)) paste0(" ", record_word(x), "s"),
        if (is_size_secret(x)) {
          sprintf(
            ", noisy: two standard errors are %s",
            format_figure(2 * sqrt(size_variance(x$block)), 2)
          )
        }
      ),
      tables = if (nrow(x$tables) > 0) {
        sprintf(
          "%s measured, noise of a centred cell %s to %s records",
          format_count(nrow(x$tables)), format_figure(min(x$tables$sd), 2),
          format_figure(max(x$tables$sd), 2)
        )
      },
      amounts = if (length(x$amounts) > 0) {
        paste(vapply(x$amounts, amount_text, ""), collapse = "; ")
      },
      means = means_text(x$means),
      derived = derived_text(x),
      rules = if (nrow(x$proposed) > 0) {
        paste0(
          nrow(x$proposed), " proposed by the noisy tables, none applied: ",
          "see x$proposed"
        )
      },
      unit = file_unit_text(x), weights = x$survey_weights
    )),
    "  synthesize(x) draws files, guarantee(x) is the whole label"
  )
}

#' Which columns are drawn as functions of another, or `NULL`
#' @noRd
derived_text <- function(x) {
  names <- names(x$levels)
  if (length(x$block$derived) > 0) {
    paste(vapply(x$block$derived, function(one) {
      paste(names[one$column], "from", names[one$from])
    }, ""), collapse = "; ")
  }
}

#' What was measured of an amount
#' @noRd
amount_text <- function(amount) {
  tables <- length(amount$tables$columns)
  paste0(
    amount$name, ": margin of ", length(amount$margin$noisy), " bins, ",
    length(amount$coefficients), " coefficients",
    if (tables > 0) paste0(", ", counted(tables, "table")),
    if (!is.null(amount$links)) {
      paste0(", ", counted(length(amount$links$with), "link"))
    }
  )
}
