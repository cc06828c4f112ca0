#' Synthetic data sets with their public label
#'
#' Holds what [synthesize()] returns: m data frames with the columns of the
#' model. The response is synthetic. Of the predictors, values, names and levels
#' are published, but no other attributes. Unused levels are kept, and levels
#' keep their order. A
#' set is a tibble if the data were one, a data frame otherwise;
#' `as.data.frame()` gives data frames.
#'
#' @param x,object A `synthetic_data` object.
#' @param i (count) `x[[2]]` is the second set, `x[2:3]` a list of two. Take a
#'   column from a set, as in `x[[1]]$income`; `x$income` is an error.
#' @param n (whole number) Rows of `as.data.frame(x)`, as in [head()].
#' @param table (string or `NULL`) Which of two linked tables, see [members()].
#'   Default `NULL`: one table, of persons with the columns of their household.
#' @param set (count, `"all"` or `NULL`) Which set. `"all"` stacks all sets,
#'   with the number of the set in a first column `set` (`synthetic_set` if the
#'   file has a column `set`). `NULL`, the default: all sets if there are
#'   several, so that `write.csv(x)` writes all of them.
#' @param ... Not used.
#'
#' @return A list with
#'   * `sets`: m data frames of N rows;
#'   * `guarantee`: the public version of the label, see [guarantee()];
#'   * `columns` (data frame): one row per synthesized column, with `name`;
#'     `transform` (string): the scale on which it was modelled, such as
#'     `"log"`; `kind` (string): `"continuous"`, `"count"`, `"proportion"`,
#'     `"binary"` or `"categorical"`; `bounds` (two numbers or `NULL`): as
#'     stated to [synthesize()]; `ends` (two numbers, or `NULL` for categories):
#'     smallest and largest value that can be released; `confirmed`: see
#'     [public_response()]; `moved` (m counts): how many values of each set lay
#'     beyond the stated bounds or R's integers and were moved to the ends;
#'   * `m`, `n_records` (counts);
#'   * `made_by`: package, version, `assignment`, `reproducible`, and `combine`
#'     (string): the rules by which [pool()] combines estimates from the sets:
#'     `"reiter"`, `"rubin"`, or `"none"` if they cannot be combined;
#'   * `survey_weights` (string or `NULL`): the column of survey weights in sets
#'     of a whole file, see [survey_design()]; `totals` (list or `NULL`): the
#'     public totals to which [rake_weights()] raked them;
#'   * `codebook` and `means` (of a [file_release()] only): the agency's
#'     [codebook()] for the columns of a set, and how uncertain their means are;
#'   * `unit` (string or `NULL`): of sets with households (see [members()]), the
#'     column that numbers them. The numbers are new: 1 is no household of the
#'     file, and no household of another set. `n_records` counts the persons of
#'     the first set. Members of a household stay together in every form. Of
#'     panels `waves` (string) is the column of waves, see [waves()];
#'   * `tables` (named list or `NULL`): the columns of each of two linked
#'     tables. A set is then a list of these tables.
#'
#'   `length(x)` is m; `lapply(x, f)` and `as.list(x)` go over the sets. R's
#'   `for`, `Map()`, `do.call()` and purrr's `map()` would go over the elements
#'   listed above: give them `as.list(x)`. `summary()` gives the statistics of
#'   the synthetic column, one row per set. For a column with two values or
#'   levels these are the shares of the values.
#'
#'   The rows of the sets are in random order, the same in all sets. Only sets
#'   with the label `"none"` keep the order of the file. `as.data.frame(x)` is
#'   the form for release: the rows of each set are in a random order of their
#'   own, drawn anew from the operating system's entropy at every call.
#'
#' @section Privacy:
#' The object holds no confidential value: no fit, draws, weights, bounds, seed,
#' formula, call or environment. Nor does the place of a row tell anything: if
#' the file is sorted by income, it would tell a record's rank. Measures of risk
#' find the record of a row by its published columns. Records that are equal in
#' all of these may have each other's row, which is as likely as their own.
#' @seealso [synthesize()], [guarantee()], [release()]
#' @name synthetic_data
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' syn <- synthesize(fit, m = 3)
#' summary(syn)
#' # For release
#' head(as.data.frame(syn, set = 2))
#' sapply(syn, function(set) median(set$income))
#' for (set in as.list(syn)) print(median(set$income))
NULL

#' Sets of published columns and a synthetic one
#'
#' Everything is built anew from values that may leave the agency; nothing of
#' the fit is carried along.
#'
#' @param values (matrix, n x m) Synthetic response on the modelled scale.
#' @param response (`synth_response`) Way back to the variable's unit and type.
#' @param rows (list) `data`, `columns` and `tibble`, see new_source().
#' @param label (`privacy_guarantee`) Only its public version is kept.
#' @param bounds (two numbers or `NULL`) As it was stated; `response` knows it.
#' @param margin (list or `NULL`) Whose bins the values are drawn from, see
#'   rounded_number().
#' @param combine (string) See combine_words.
#' @param order (function of sets and names) See mixed_sets().
#' @noRd
build_synthetic_sets <- function(values, response, rows, label, assignment,
                                 bounds = NULL, margin = NULL,
                                 combine = "reiter",
                                 order = function(sets, names) sets) {
  name <- response$name
  frame <- lapply(rows$data[setdiff(rows$columns, name)], publish_column)
  numbers <- lapply(seq_len(ncol(values)), function(j) {
    released_numbers(response, values, j, margin)
  })
  moved <- vapply(numbers, `[[`, 0L, "moved")
  tell_moved(moved, length(values), response)
  sets <- lapply(numbers, function(own) {
    column <- as_response_type(response, own$y)
    structure(
      c(frame, stats::setNames(list(column), name))[rows$columns],
      names = rows$columns, row.names = .set_row_names(nrow(values)),
      class = frame_class(rows$tibble)
    )
  })
  new_synthetic_data(
    order(sets, name), synthesized_columns(response, bounds, moved), label,
    assignment, combine
  )
}

#' @param sets (list of data frames)
#' @param columns (data frame) See synthesized_columns().
#' @param survey_weights (string or `NULL`) Their column.
#' @param codebook (`codebook` or `NULL`) Of whole files.
#' @param means (data frame or `NULL`) See released_means().
#' @param unit,waves (strings or `NULL`) The columns that number households, and
#'   that have the waves of panels.
#' @param tables (named list of character or `NULL`) The columns of two linked
#'   tables.
#' @noRd
new_synthetic_data <- function(sets, columns, label, assignment, combine,
                               survey_weights = NULL, codebook = NULL,
                               means = NULL, unit = NULL, tables = NULL,
                               waves = NULL) {
  synthetic <- new_result(
    "synthetic_data",
    sets = sets, guarantee = publish_guarantee(label), columns = columns,
    m = length(sets), n_records = nrow(sets[[1]]),
    made_by = list(
      package = "pseudosynth", version = own_version(),
      assignment = assignment, reproducible = label$reproducible,
      combine = combine
    )
  )
  synthetic$survey_weights <- survey_weights
  synthetic$codebook <- codebook
  synthetic$means <- means
  synthetic$unit <- unit
  synthetic$tables <- tables
  synthetic$waves <- waves
  seal(synthetic)
}

#' The table of synthesized columns: a row each
#' @noRd
synthesized_columns <- function(response, bounds, moved) {
  columns <- data.frame(
    name = response$name, transform = response$transform,
    kind = response$kind
  )
  columns$bounds <- list(bounds)
  columns$ends <- list(if (!has_labels(response)) response_range(response))
  columns$confirmed <- list(response$confirmed)
  columns$moved <- list(moved)
  columns
}

# By which rules results are combined, and why. No figure and no name: the scan
# looks for the file's values in what is written.
combine_words <- c(
  reiter = unwrapped("each set was drawn from a parameter draw of its own:
     combine estimates from several sets by the rules for partially synthetic
     data"),
  rubin = unwrapped("the sets differ by what the release leaves unknown about
     the file: combine estimates from several sets by the rules for multiple
     imputation"),
  none = unwrapped("all sets have the same best-fitting values in different
     rows: use one set, and do not combine estimates from several")
)

#' Say what was moved to the ends: a warning where nobody had stated them
#' @noRd
tell_moved <- function(moved, n_values, response) {
  n <- sum(moved)
  if (n == 0) {
    return(invisible())
  }
  share <- sprintf("%s of %s", format_count(n), format_count(n_values))
  if (is.null(response$limits)) {
    warn_of(
      "bounds",
      "{share} synthetic values lay beyond the largest number of their type and
       were replaced by it.",
      i = "State {.code bounds = c(lo, hi)} in {.fn synthesize}: the smallest
           and the largest possible value, from public knowledge."
    )
  } else {
    ends <- vapply(response$limits, format_exact, "")
    tell_of(
      "bounds",
      "{share} synthetic values lay beyond the stated {ends[1]} to {ends[2]} and
       were moved to these ends."
    )
  }
}

#' Columns of the release, in the order of the data
#' @noRd
published_columns <- function(fit, data) {
  # Of the synthesized columns the fit draws its response alone
  used <- model_columns(fit)
  order <- intersect(names(data), used)
  # newdata need not hold the response: it then comes first
  c(setdiff(used, order), order)
}

#' A predictor column without anything but its values
#'
#' Attributes go. All levels of a factor are published, those that no record has
#' too, in their order: see plain_factor().
#' @noRd
publish_column <- function(x) {
  if (is.factor(x)) {
    x <- plain_factor(x)
    # A level without a name is none
    named <- which(!is.na(attr(x, "levels")))
    # As they are: no copy
    return(if (length(named) < nlevels(x)) with_levels(x, named) else x)
  }
  # A fresh copy: attributes and deferred conversions stay behind
  plain <- as.vector(unclass(x))
  plain <- switch(typeof(plain),
    double = plain + 0, integer = plain + 0L, character = paste0(plain, ""),
    plain
  )
  attributes(plain) <- NULL
  plain
}

# The label ------------------------------------------------------------------

#' @rdname guarantee
#' @export
#' @order 2
guarantee.synthetic_data <- function(x, m = x$m, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  held_label(x, "synthetic data", m, public)
}

#' The label that something holds: none once either was edited
#' @param what (string) What holds it.
#' @noRd
held_label <- function(x, what, m, public) {
  check_sets_drawn(m, x$m)
  check_public_only(public)
  if (is_sealed(x)) intact_label(x$guarantee) else void_label(x$guarantee, what)
}

#' The label of what was drawn is that of all of it
#' @noRd
check_sets_drawn <- function(m, drawn) {
  m <- check_argument(m)
  refuse_if(
    m != drawn, "The label of synthetic data covers all their sets.",
    x = "{.arg m} is {m}, but there {cli::qty(drawn)}{?is/are} {drawn}
         set{?s}.", arg = "m"
  )
}

# Sets and elements of synthetic data, and the form in which sets leave the
# agency.

#' @rdname synthetic_data
#' @export
`[[.synthetic_data` <- function(x, i, ...) {
  check_present(i)
  if (is.character(i)) {
    return(element_of(x, check_string(i)))
  }
  i <- check_count(i, min = 1)
  check_set_number(i, x)
  in_tables(x$sets[[i]], x)
}

#' @export
`[[<-.synthetic_data` <- function(x, i, value) {
  refuse_if(
    is.numeric(i),
    "Sets are not replaced: their label says how they were made.",
    i = "{.code as.list(x)} gives data frames of your own.", arg = "i"
  )
  NextMethod()
}

check_set_number <- function(i, x) {
  refuse_if(
    i > length(x$sets), "There is no set {i}.",
    x = "The synthetic data hold {length(x$sets)} set{?s}.", arg = "i"
  )
}

check_table <- function(table, x) {
  check_string(table)
  refuse_if(
    !table %in% names(x$tables),
    "{.arg table} must be a table of the file.",
    x = if (is.null(x$tables)) {
      "It was one table."
    } else {
      "Its tables are {.val {names(x$tables)}}."
    }, arg = "table"
  )
}

#' @rdname synthetic_data
#' @export
`[.synthetic_data` <- function(x, i, ...) {
  check_no_dots(
    ..., hint = "{.code x[[1]]} is a set: its rows are {.code x[[1]][1:9, ]}."
  )
  lapply(unclass(x)$sets[i], in_tables, unclass(x))
}

#' @rdname synthetic_data
#' @importFrom utils head
#' @export
head.synthetic_data <- function(x, n = 6L, ...) {
  utils::head(as.data.frame(x), n, ...)
}

#' @rdname synthetic_data
#' @importFrom utils tail
#' @export
tail.synthetic_data <- function(x, n = 6L, ...) {
  utils::tail(as.data.frame(x), n, ...)
}

#' @export
length.synthetic_data <- function(x) length(unclass(x)$sets)

#' @export
as.list.synthetic_data <- function(x, ...) {
  sets <- if (is.null(x$tables)) x$sets else lapply(x$sets, in_tables, x)
  structure(sets, unit = x$unit)
}

#' @rdname synthetic_data
#' @export
as.data.frame.synthetic_data <- function(x, ..., set = NULL, table = NULL) {
  set <- set %||% if (x$m > 1) "all" else 1
  if (!is.null(table)) check_table(table, x)
  leaving <- function(set) {
    set <- leaving_form(set, x$unit)
    plain_frame(if (is.null(table)) set else in_tables(set, x)[[table]])
  }
  if (!identical(set, "all")) {
    set <- check_count(set, min = 1)
    check_set_number(set, x)
    return(leaving(x$sets[[set]]))
  }
  caller <- sys.function(sys.parent())
  if (identical(caller, stats::model.frame.default)) warn_stacked(x$m)
  sets <- lapply(x$sets, leaving)
  stacked <- plain_frame(stacked_sets(sets))
  number <- data.frame(rep(seq_len(x$m), vapply(sets, nrow, 1L)))
  cbind(stats::setNames(number, set_column(names(stacked))), stacked)
}

#' @importFrom ggplot2 fortify
#' @method fortify synthetic_data
#' @export
fortify.synthetic_data <- function(model, data, ...) as.data.frame(model)

#' Say that a model, or a table, was given all sets for one file
#' @noRd
warn_stacked <- function(m) {
  warn_of(
    "stacked", "All {m} sets are taken for one file.",
    x = "Counts are {m} times as large, and standard errors of a model are too
         small.",
    i = "{.code with(x, lm(..))} fits a model to each set, and {.fn pool}
         combines them."
  )
}

#' A name for the number of the set that no column has and every format takes
#' @noRd
set_column <- function(columns) {
  choices <- c("set", "synthetic_set", paste0("set_", seq_along(columns)))
  choices[!choices %in% tolower(columns)][1]
}

#' A set as it may leave: the place of a row tells nothing about the file's
#'
#' The order is the operating system's entropy, whatever seed the set has.
#' @param set (data frame) Of `synthetic_data`, whose columns are values alone.
#' @param unit (string or `NULL`) The column whose members stay together.
#' @noRd
leaving_form <- function(set, unit = NULL) {
  number <- if (is.null(unit)) seq_len(nrow(set)) else set[[unit]]
  n <- max(0L, number)
  place <- order(random_rows(n, n, seed_words(NULL)))
  set_rows_of(set, order(place[number]))
}

#' Sets whose published rows are no longer in the order of the file
#'
#' Wherever they go: if the file is sorted by the response, the place of a row
#' tells its rank. All sets have the same new order.
#' @param names (character) Of the synthesized columns.
#' @noRd
mixed_sets <- function(sets, names, seed) {
  n <- nrow(sets[[1]])
  if (length(setdiff(names(sets[[1]]), names)) == 0) {
    return(sets)
  }
  rows <- random_rows(n, n, seed_words(seed, "order"))
  lapply(sets, set_rows_of, rows)
}

#' Sets one below the other
#'
#' Some classes lose their attributes where their package is not loaded. Those
#' of a column are the same in all sets.
#' @return (data frame)
#' @noRd
stacked_sets <- function(sets) {
  first <- sets[[1]]
  columns <- lapply(stats::setNames(nm = names(first)), function(name) {
    values <- unlist(lapply(sets, function(set) unclass(set[[name]])))
    attributes(values) <- attributes(first[[name]])
    values
  })
  structure(
    columns, class = class(first),
    row.names = .set_row_names(sum(vapply(sets, nrow, 1L)))
  )
}

# What is shown of synthetic data: nothing of a record of the file.

print_lines.synthetic_data <- function(x) {
  names <- x$columns$name
  published <- setdiff(names(x$sets[[1]]), names)
  n_moved <- sum(unlist(x$columns$moved))
  label <- guarantee(x)
  nothing <- label$label == "none"
  c(
    sprintf(
      "Synthetic data: %s of %s records, %s synthetic",
      counted(x$m, "set"), format_count(x$n_records),
      if (has_many_columns(x)) counted(length(names), "column") else names
    ),
    if (has_many_columns(x)) wrap_line(paste("synthetic:", toString(names))),
    if (length(published) > 0 || !has_many_columns(x)) {
      wrap_line(paste("published as they are:", toString(published)))
    },
    if (n_moved > 0) {
      sprintf("  moved to the ends: %s values", format_count(n_moved))
    },
    if (!is.null(x$unit)) households_line(x),
    if (!is.null(x$tables)) wrap_line(paste("tables:", tables_text(x))),
    weights_line(x),
    wrap_line(paste("label:", format(label))),
    paste0(
      "  as.data.frame(x) is ", if (x$m == 1) "the set" else "all sets",
      # Sets without a guarantee, or edited ones, are as the file is
      if (!nothing) " for release", ", guarantee(x) the whole label"
    ),
    if (nothing) "  Without a guarantee: not for release"
  )
}

#' How many households sets have
#' @noRd
households_line <- function(x) {
  n <- vapply(x$sets, function(set) max(set[[x$unit]]), 1L)
  wrap_line(sprintf(
    "%ss: %s, numbered anew in %s: %s",
    if (is.null(x$waves)) "household" else "person", x$unit,
    if (x$m == 1) "the set" else "each set",
    paste(unique(format_count(range(n))), collapse = " to ")
  ))
}

#' Which column has the survey weights, and what they sum to by statement
#' @noRd
weights_line <- function(x) {
  if (!is.null(x$survey_weights)) {
    raked <- if (!is.null(x$totals)) {
      paste(", raked to public totals of", totals_of(x$totals))
    }
    wrap_line(paste0("survey weights: ", x$survey_weights, raked))
  }
}

#' Which columns totals are of, in words
#' @noRd
totals_of <- function(totals) {
  toString(vapply(totals, function(x) {
    paste(setdiff(names(x), "total"), collapse = " x ")
  }, ""))
}

#' @rdname synthetic_data
#' @export
summary.synthetic_data <- function(object, ...) {
  column <- only_column(object)
  drawn <- drawn_values(object)
  # Of a rare value one set may have none
  values <- if (has_labels(column)) possible_values(unlist(drawn))
  rows <- lapply(drawn, function(y) {
    shown <- if (has_labels(column)) {
      value_shares(y, values)
    } else {
      y <- as.double(y)
      q <- stats::quantile(y, c(0.05, 0.25, 0.5, 0.75, 0.95))
      names(q)[3] <- "median"
      c(mean = mean(y), sd = stats::sd(y), q)
    }
    as.data.frame(as.list(shown), optional = TRUE)
  })
  new_result(
    "summary_synthetic_data",
    table = cbind(set = seq_along(rows), do.call(rbind, rows)),
    variable = column$name, n_records = object$n_records,
    guarantee = guarantee(object)
  )
}

print_lines.summary_synthetic_data <- function(x) {
  c(
    sprintf(
      "Synthetic %s, %s records per set", x$variable, format_count(x$n_records)
    ),
    paste0("  ", format_table(x$table)), print_lines(x$guarantee)
  )
}
