#' What synthetic data reveal about a person's sensitive value
#'
#' Measures how well an intruder can guess the sensitive value of a person in
#' the file. The intruder knows some of the person's published columns and looks
#' at the synthetic records with the same values (the same pattern). If all of
#' these records have one sensitive value, the intruder takes it as the person's
#' value. Otherwise the intruder may draw one of the records at random. For
#' comparison, the same is computed for the file itself and for guesses from the
#' variable's overall shares.
#'
#' Let pattern q of the known columns have \eqn{d_q} records in the file and
#' \eqn{s_q} in a set, \eqn{d_{tq}} and \eqn{s_{tq}} of them with value t. Each
#' measure is a share of the N records of the file:
#'
#' | column | share of the file's records | in synthpop |
#' |---|---|---|
#' | `unique_file` | whose pattern is unique in the file | UiO |
#' | `unique_in_set` | unique in the file, and the set has the pattern | UiOiS |
#' | `unique_both` | unique in the file and in the set | repU |
#' | `in_set` | whose pattern the set has | iS |
#' | `disclosive_file` | whose pattern has one value in the file | Dorig |
#' | `disclosive_set` | whose pattern has one value in the set | DiS |
#' | `disclosive_right` | the same, and it is the record's own value | DiSCO |
#' | `disclosive_both` | the same, and it has one value in the file | DiSDiO |
#' | `attribution` | guessed by a draw from the set's records | DCAP |
#' | `attribution_file` | guessed by a draw from the file's records | CAPd |
#' | `attribution_margin` | guessed from the variable's shares | baseCAPd |
#'
#' In symbols, `attribution` is \eqn{\sum_{t, q} d_{tq} s_{tq} / s_q / N}.
#' synthpop's TCAP is `disclosive_right / disclosive_set`. Its UiS, Dsyn and
#' CAPs describe the set alone: they are `unique_file`, `disclosive_file` and
#' `attribution_file` of `attribute_risk(set, set, known)`. synthpop reports all
#' of them as percentages.
#'
#' A high `disclosive_right`, or an `attribution` well above
#' `attribution_margin`, does not by itself show a breach. It can also come from
#' relations between columns, which synthetic data are meant to show. An
#' `attribution` close to `attribution_file` suggests that values were copied.
#'
#' @inheritParams identification_risk
#' @param synthetic The release: [`synthetic_data`][synthetic_data], a
#'   `pseudo_posterior`, a data frame or a list of data frames. Rows may be in
#'   any order.
#' @param known (character) The columns that the intruder knows, at least one.
#'   They must be published columns. In sets of whole files, they may be any
#'   columns other than `variable`. [file_risk()] measures all columns of a file
#'   at once.
#' @param variable (string or `NULL`) The synthetic column. Default `NULL`: the
#'   one that `synthetic` names. It must be given if `synthetic` names none, and
#'   for sets of whole files.
#' @param intervals (count) If a numeric variable has more distinct values than
#'   this, it is cut into at most this many intervals at quantiles of the file.
#'   The intruder can then learn only the interval. Default 20. synthpop groups
#'   numbers only if its `ngroups_target` asks for it.
#' @param object An `attribute_risk`.
#'
#' @return An `attribute_risk`: a list with
#'   * `set` (data frame, m rows): `set` and the columns above;
#'   * `overall` (named numeric): their means over the sets;
#'   * `record` (data frame, N rows): `attribution` (the chance that a draw
#'     gives the record's value) and `disclosed` (the share of sets in which all
#'     records of the pattern have that value), both averaged over sets; and
#'     `pattern_size` (how many records of the file have the pattern);
#'   * `m`, `n_records`, `known`, `variable`, `intervals` (count, or `NA` if the
#'     values were not grouped).
#'
#'   It is confidential. `top_risks()` lists the records at highest risk.
#' @section Error types:
#' `pseudosynth_error_input`: a column is missing in the file or in a set, the
#' variable itself is among the known columns, or values are missing. In whole
#' files, a missing value or a code is treated like any other value, not as an
#' error.
#' @references Raab, Nowok and Dibben (2024), Practical privacy metrics for
#'   synthetic data. Taub, Elliot, Pampaka and Smith (2018), Differential
#'   correct attribution probability for synthetic data.
#' @seealso [identification_risk()], [replicated_uniques()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' risk <- attribute_risk(
#'   synthesize(fit, m = 3), ce, known = c("age", "earner"), intervals = 5
#' )
#' risk
#' top_risks(risk, 5)
#' @export
attribute_risk <- function(synthetic, data = NULL, known, variable = NULL,
                           intervals = 20, ...) {
  check_present(synthetic)
  check_no_dots(..., hint = "See {.fn attribute_risk}.")
  intervals <- check_count(intervals, min = 2)
  data <- confidential_file(data, synthetic)
  sets <- release_sets(synthetic, data, variable)
  variable <- synthetic_variable(synthetic, variable, whole = TRUE)
  check_columns(variable, data, "data")
  refuse_if(
    missing(known) || is.null(known),
    "{.arg known} must name at least one published column.",
    i = "It states what the intruder knows about a person, such as
         {.code c(\"age\", \"region\")}.",
    arg = "known"
  )
  whole <- are_files(synthetic)
  known <- if (whole) {
    check_file_known(known, names(sets[[1]]), variable)
  } else {
    check_known(known, data, variable)
  }
  cut <- if (whole) {
    spec <- column_specs(synthetic$codebook)[[variable]]
    file_classes(spec, data[[variable]], intervals)
  } else {
    value_classes(data[[variable]], intervals)
  }
  values <- cut(data[[variable]], variable, "data")
  drawn <- lapply(sets, function(set) {
    check_columns(c(known, variable), set, "synthetic")
    refuse_if(
      # How many records a file has may be what is protected
      !whole && nrow(set) != nrow(data),
      "Each set must have as many records as the file.",
      x = "A set has {nrow(set)}, the file {nrow(data)}.",
      i = "Give the sets that were drawn for the whole file.", arg = "synthetic"
    )
    cut(set[[variable]], variable, "synthetic")
  })
  pattern <- known_pattern(data, known)
  found <- attribute_shares(
    pattern$code, values, lapply(sets, match_pattern, pattern$table), drawn
  )
  table <- do.call(rbind, lapply(found, `[[`, "shares"))
  new_result(
    "attribute_risk",
    set = data.frame(set = seq_along(sets), table), overall = colMeans(table),
    record = data.frame(
      attribution = mean_over(found, "attribution"),
      disclosed = mean_over(found, "disclosed"),
      pattern_size = pattern$size[pattern$code + 1L]
    ),
    m = length(sets), n_records = nrow(data), known = known,
    variable = variable, intervals = attr(cut, "intervals")
  )
}

#' Which columns of whole files are known: others than the variable
#' @noRd
check_file_known <- function(known, columns, variable) {
  check_names(known, columns)
  refuse_if(
    variable %in% known, "The variable must not be among the {.arg known}
     columns.", arg = "known"
  )
  unique(known)
}

# Cells ------------------------------------------------------------------------

#' Shares of attribute_risk() of one column
#'
#' @param pattern (integer) Of the records of the file, from 0.
#' @param values (character) Classes of the variable in the file.
#' @param patterns,drawn (lists) The same of each set; pattern -1 is one that
#'   the file has not.
#' @return (list) See attribute_of_set().
#' @noRd
attribute_shares <- function(pattern, values, patterns, drawn) {
  # A set may have values that the file has not, and they differ, too
  levels <- unique(c(values, unlist(drawn)))
  cells <- function(pattern, values) {
    value <- match(values, levels)
    cell <- as.double(pattern) * (length(levels) + 1) + value
    list(
      pattern = pattern, cell = cell, value = value, size = count_same(pattern),
      cell_size = count_same(cell)
    )
  }
  file <- cells(pattern, values)
  Map(function(pattern, values) {
    attribute_of_set(file, cells(pattern, values))
  }, patterns, drawn)
}

#' Classes of a column of whole files
#'
#' Missing is a value, and so are zero and each code of an amount; its other
#' values are told apart as value_classes() does.
#' @return (function of a column, its name and the argument) Text.
#' @noRd
file_classes <- function(spec, y, intervals) {
  if (!is_amount(spec)) {
    return(structure(
      function(x, name, arg) paste0("=", as_text(column_values(x))),
      intervals = NA_integer_
    ))
  }
  parts <- amount_parts(spec)
  apart <- function(x) is.na(x) | part_of(x, parts) %in% which(!parts$valued)
  y <- amount_numbers(y, spec)
  cut <- value_classes(y[!apart(y)], intervals)
  structure(
    function(x, name, arg) {
      x <- amount_numbers(x, spec)
      class <- paste0("=", as_text(x))
      valued <- !apart(x)
      class[valued] <- cut(x[valued], name, arg)
      class
    },
    intervals = attr(cut, "intervals")
  )
}

#' How values are told apart: as they are, or by intervals of the file
#' @return (function of a column, its name and the argument) Text.
#' @noRd
value_classes <- function(y, intervals) {
  breaks <- if (is.numeric(y) && length(unique(y)) > intervals) {
    shares <- seq_len(intervals - 1) / intervals
    unique(stats::quantile(y, shares, names = FALSE, na.rm = TRUE, type = 1))
  }
  structure(
    function(x, name, arg) {
      check_finite_column(x, name)
      if (is.null(breaks)) {
        return(as.character(x))
      }
      refuse_if(
        !is.numeric(x),
        "{.val {name}} must be numeric in {.arg {arg}}, as it is in the file.",
        x = "It is {describe_type(x)}.", arg = arg
      )
      as.character(findInterval(x, breaks, left.open = TRUE))
    },
    intervals = if (is.null(breaks)) NA_integer_ else length(breaks) + 1L
  )
}

count_same <- function(x) {
  code <- match(x, x)
  tabulate(code, length(x))[code]
}

#' The counts of one set as the records of the file see them
#' @noRd
attribute_of_set <- function(file, set) {
  n <- length(file$pattern)
  at <- match(file$pattern, set$pattern)
  size <- set$size[at]
  own <- set$cell_size[match(file$cell, set$cell)]
  size[is.na(size)] <- own[is.na(own)] <- 0
  # One value in the pattern: a cell that is all of it
  one_value <- size > 0 & (set$size == set$cell_size)[at]
  right <- one_value & own == size
  one_in_file <- file$size == file$cell_size
  attribution <- ifelse(size > 0, own / pmax(size, 1), 0)
  margin <- tabulate(file$value) / n
  list(
    attribution = attribution, disclosed = as.double(right),
    shares = data.frame(
      unique_file = mean(file$size == 1),
      unique_in_set = mean(file$size == 1 & size > 0),
      unique_both = mean(file$size == 1 & size == 1), in_set = mean(size > 0),
      disclosive_file = mean(one_in_file), disclosive_set = mean(one_value),
      disclosive_right = mean(right),
      disclosive_both = mean(right & one_in_file),
      attribution = mean(attribution),
      attribution_file = mean(file$cell_size / file$size),
      attribution_margin = sum(margin^2)
    )
  )
}

mean_over <- function(found, name) {
  Reduce(`+`, lapply(found, `[[`, name)) / length(found)
}

# Methods ----------------------------------------------------------------------

print_lines.attribute_risk <- function(x) {
  shares <- function(format, ...) {
    do.call(sprintf, c(list(format), format_share(x$overall[c(...)])))
  }
  grouped <- sprintf("one of %d intervals", x$intervals)
  c(
    sprintf(
      "Attribute risk of %s: N = %s records, %s", x$variable,
      format_count(x$n_records), counted(x$m, "set")
    ),
    wrap_line(sprintf(
      "known: %s; value: %s", toString(x$known),
      if (is.na(x$intervals)) "not grouped" else grouped
    )),
    shares(
      "  guessed right: %s of records (from the file: %s, from its margin: %s)",
      "attribution", "attribution_file", "attribution_margin"
    ),
    shares(
      "  all records of the pattern have the right value: %s (in the file: %s)",
      "disclosive_right", "disclosive_file"
    ),
    shares(
      "  unique pattern: %s in the file, %s in file and set", "unique_file",
      "unique_both"
    ),
    paste0("  ", confidential_line())
  )
}

#' @rdname attribute_risk
#' @export
summary.attribute_risk <- function(object, ...) object$set
