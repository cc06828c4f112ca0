# The file as a score release asks for it: in memory, or in a database, where it
# is a model of the combinations of published columns and sums over records.

#' A model and its file, of what an engine holds
#'
#' @param engine (list) See new_engine().
#' @param settings (list) See score_settings().
#' @param ... As of score_release().
#' @return (list) `model`, see new_model(), whose `data` are the combinations;
#'   `file`, see engine_file(); `sums`, see response_sums().
#' @noRd
open_score_file <- function(engine, formula, family, settings, prior,
                            stated_prior, response, scaling) {
  names <- engine$all_columns()
  columns <- as.data.frame(stats::setNames(
    rep(list(logical()), length(names)), names
  ), check.names = FALSE, optional = TRUE)
  variable <- parse_response(formula, columns, family)$name
  check_right_side(formula, columns, variable)
  check_row_wise(formula)
  terms <- used_terms(stats::delete.response(formula_terms(formula, columns)))
  predictors <- setdiff(
    intersect(all.vars(attr(terms, "variables")), names), variable
  )
  types <- engine$types(c(variable, predictors))
  dates <- names(types)[vapply(types, inherits, NA, "Date")]
  if (length(dates) > 0) refuse_type(dates[1], "dates")
  columns[names(types)] <- types
  described <- described_response(formula, columns, family, response)
  check_engine_labels(described)
  check_response_is_public(described)
  check_scale_of_engines(described)
  cells <- engine$cells(predictors)
  check_cells(cells)
  model <- model_of_cells(
    formula, cells, names, family, prior, described, scaling
  )
  sums <- engine$for_response(described, cells)
  file <- engine_file(model, cells, sums, engine)
  sums$check()
  check_stated_numbers(list(
    own = list(
      bounds = c(settings$bounds, described$limits, described$bounds),
      formula = formula_numbers(formula, names)
    ),
    modelled = stated_centres(settings$reference, stated_prior, family)
  ), described, sums$facts)
  if (!has_labels(described)) {
    check_own_scale(
      sums$facts("own"), stated_digits(described), described$confirmed,
      described$name
    )
  }
  check_cells_beside(model, cells, sums$tally, settings$reference$values)
  list(model = model, file = file, sums = sums)
}

#' Refuse predictors that copy the response, and say what nearly tells it
#'
#' In classes of the response between public numbers: no query has a number of
#' the file in it.
#' @param tally (function of breaks) See new_engine().
#' @param reference (list or `NULL`) The public reference.
#' @noRd
check_cells_beside <- function(model, cells, tally, reference) {
  terms <- computed_terms(model$spec, model$design)
  columns <- c(cells$values, terms)
  if (length(columns) == 0) {
    return(invisible())
  }
  response <- model$response
  breaks <- public_classes(response, reference)
  found <- tally(breaks)
  # Of numbers the middle of a class stands for it: what is near is so in the
  # response's own unit
  value <- seq_len(length(breaks) + 1)
  if (!has_labels(response) && response$kind != "binary") {
    inner <- (breaks[-1] + breaks[-length(breaks)]) / 2
    ends <- range(breaks) + c(-1, 1) * diff(breaks)[1] / 2
    value <- own_unit(response, c(ends[1], inner, ends[2]))
  }
  beside <- told_beside(
    published_forms(lapply(columns, `[`, found$cell)),
    as.double(value[found$bin]), found$n, function(x) {
      if (is.character(x) && !has_labels(response)) {
        return(x)
      }
      z <- suppressWarnings(response_forward(response, x))
      as.double(value[findInterval(z, breaks) + 1])
    }
  )
  refuse_copied(beside)
  tell_near(beside)
}

#' Breaks between classes of a response, from public numbers alone
#'
#' Of a continuous one a hundredth of the reference's scale wide.
#' @return (double) On the modelled scale.
#' @noRd
public_classes <- function(response, reference) {
  # A coefficient that is left out is 0; a scale that is left out, or a name of
  # no parameter, is refused with the model
  stated <- function(values, name, default) {
    if (name %in% names(values)) values[[name]] else default
  }
  switch(response$kind,
    binary = , categorical = {
      if (is.null(response$levels)) 0.5 else level_breaks(response)
    },
    count = c(seq(0.5, 999.5), 1000 * 1.02^(0:1500)),
    proportion = seq(0.001, 0.999, 0.001),
    stated(reference, "(Intercept)", 0) + stated(reference, "sigma", 1) *
      seq(-8, 8, 0.01)
  )
}

#' Refuse terms that look at more than a record: their values need all of them
#' @noRd
check_row_wise <- function(formula) {
  allowed <- c(row_wise_functions, ":", "%in%")
  other <- setdiff(check_functions(formula[[3]]), allowed)
  refuse_if(
    length(other) > 0,
    "For a database, {.arg formula} must compute each term from one record
     alone.",
    x = "It uses {.fn {other}}.",
    i = "Write powers as {.code I(age^2)}, or make the column in the database.",
    arg = "formula"
  )
}

#' Refuse a scale that engines compute each in their own last digit
#' @noRd
check_scale_of_engines <- function(response) {
  scales <- c("identity", "log", "sqrt")
  refuse_if(
    !response$transform %in% scales,
    "In a database the response is modelled as {.code y}, {.code log(y)} or
     {.code sqrt(y)}.",
    x = "It is {.code {response_label(response)}}.",
    i = "Make a column of it in the database, and model that.",
    arg = "formula"
  )
}

#' Refuse labels for numbers, and numbers where there must be labels
#' @noRd
check_engine_labels <- function(response) {
  if (!has_labels(response)) {
    refuse_if(
      response$type %in% c("character", "logical"),
      "The response {.val {response$name}} must be a column of numbers.",
      x = "It is {if (response$type == 'character') 'text' else
           'true and false'}.", arg = "data"
    )
    return(invisible())
  }
  text <- response$type == "character"
  stated <- length(response$levels)
  refuse_if(
    !text && (stated > 0 || response$kind == "categorical"),
    "{.code levels = } must only be given for a column of text.",
    x = "{.val {response$name}} is a column of type {.val {response$type}}.",
    arg = "response"
  )
  binary <- response$kind == "binary"
  refuse_if(
    stated > 0 && (if (binary) stated != 2 else stated < 2),
    "{.code levels = } must name {if (binary) 'two' else 'two or more'}
     levels.",
    x = "It names {stated}.", arg = "response"
  )
}

#' Refuse too few records, and predictors that a design cannot take
#' @param cells (list) See new_engine().
#' @noRd
check_cells <- function(cells) {
  n <- sum(cells$n)
  refuse_if(
    n < 2, "{.arg data} must have at least two records.", x = "It has {n}.",
    arg = "data"
  )
  for (name in names(cells$values)) {
    check_cell_values(cells$values[[name]], name, cells$n)
  }
}

#' Refuse values of a predictor that a design cannot take, counted by records
#' @noRd
check_cell_values <- function(x, name, n) {
  refuse <- function(wrong, must, is) {
    refuse_if(
      any(wrong), "Column {.val {name}} must {must}.",
      x = "It is {is} for {format_count(sum(n[wrong]))} of
           {format_count(sum(n))} records.",
      i = "Leave these records out by {.fn filter}, or correct the column in
           the database.", arg = "data"
    )
  }
  refuse(is.na(x), "have no missing values", "missing")
  if (is.character(x)) {
    refuse(!in_known_encoding(x), "be text in a known encoding", "not valid")
  } else {
    refuse(!is.finite(x), "be finite", "infinite")
  }
  most <- max(20, sum(n) %/% 2)
  refuse_if(
    length(unique(x)) > most,
    "A predictor must have at most {format_count(most)} different values: half
     as many as there are records, or 20.",
    x = "{.val {name}} has {format_count(length(unique(x)))} in
         {format_count(sum(n))} records.",
    i = "Put it into groups in the database, or read the file into a data
         frame.", arg = "data", class = "pseudosynth_error_engine"
  )
}

#' A model of combinations in place of records
#' @noRd
model_of_cells <- function(formula, cells, names, family, prior, response,
                           scaling) {
  # A formula may name further columns, to leave them out
  values <- rep(list(FALSE), length(names))
  names(values) <- names
  values[names(cells$values)] <- cells$values
  data <- as.data.frame(
    lapply(values, rep_len, length(cells$n)), optional = TRUE
  )
  names(data) <- names
  design <- new_design(
    formula, data, response$name, scaling, cells$n, response$confirmed
  )
  check_score_design(design)
  tell_many_levels(design$levels, sum(cells$n), time_of_score_levels)
  assembled_model(
    formula, data, family, prior, response, design,
    # None is looked at
    y = rep(if (is.null(response$bounds)) 0 else 0.5, length(cells$n))
  )
}

#' What a score release asks of a file, see score_file()
#'
#' @param cells (list) The combinations, see new_engine().
#' @param sums (list) See response_sums().
#' @return (list) See score_file(), whose sums are asked for once only;
#'   `at(frame, lowest)` (what sql_whole() needs of each combination) and
#'   `paid()`, which says that errors come after the payment.
#' @noRd
engine_file <- function(model, cells, sums, engine) {
  spec <- model$spec
  rows <- distinct_rows(spec)
  row <- rows$row
  rows$count <- sums_by_code(cells$n, row, length(rows$count))
  rows$row <- NULL
  coding <- table_coding(model$design, model$data, cells$n)
  codes <- table_codes(coding, model$data)
  at_cells <- function(frame, lowest) {
    data.frame(
      centre = frame$centre[row], spread = frame$spread[row],
      lowest = if (length(lowest) > 1) lowest[row] else lowest
    )
  }
  kept <- list()
  once <- function(asked, f) {
    key <- rlang::hash(asked)
    if (is.null(kept[[key]])) kept[[key]] <<- f()
    kept[[key]]
  }
  tally <- function(breaks) once(breaks, function() sums$tally(breaks))
  c(list(n = as.integer(sum(cells$n)), spec = spec), rows, list(
    coding = coding,
    outside = function(bounds) as.double(sums$outside(bounds)),
    at = at_cells,
    paid = function() engine$log$paid <- TRUE,
    whole = function(frame, clip, lowest) {
      found <- once(list(frame, clip, lowest), function() {
        sums$whole(at_cells(frame, lowest), clip)
      })
      list(
        row = row, q = found$q, inside = found$inside, most = max(cells$n)
      )
    },
    margin = function(breaks) {
      found <- tally(breaks[-c(1, length(breaks))])
      sums_by_code(found$n, found$bin, length(breaks) - 1)
    },
    levels = function() {
      found <- tally(level_breaks(model$response))
      list(row = row[found$cell], level = found$bin - 1, count = found$n)
    },
    coded = function() coded_cells(row, codes, cells$n),
    tables = function(plan, breaks) {
      found <- tally(breaks)
      told <- cbind(
        codes[found$cell, plan$told, drop = FALSE], found$bin
      )
      lapply(plan$tables, function(columns) {
        levels <- plan$levels[columns]
        cell <- cell_number(told[, columns, drop = FALSE], levels) + 1
        sums_by_code(found$n, cell, prod(levels))
      })
    }
  ))
}

# A file in memory -------------------------------------------------------------

#' The file as the sums need it: equal design rows once, and what is added up
#'
#' Whatever holds the records says the same of them; see engine_file() for those
#' that a database holds. `row` is the design row of each item, which is a
#' record here.
#' @return (list) `n`, `spec`, distinct_rows(), and functions:
#'   * `outside(bounds)`: how many records lie outside of them;
#'   * `whole(frame, clip, lowest)`: whole scores, see whole_scores();
#'   * `margin(breaks)`: how many records each bin holds;
#'   * `levels()`: `row`, `level` (from 0) and `count` (`NULL`: 1) of items;
#'   * `coded()`: the predictors in tables, see coded_cells();
#'   * `tables(plan, breaks)`: counts of the tables of a plan.
#' @noRd
score_file <- function(model) {
  spec <- model$spec
  check_not_copied(
    spec$y, model$data[setdiff(names(model$data), model$response$name)]
  )
  check_design_not_copied(spec, model$design)
  y <- spec$y
  rows <- distinct_rows(spec)
  coding <- table_coding(model$design, model$data)
  codes <- NULL
  # Only where a release has tables
  codes_once <- function() {
    if (is.null(codes)) codes <<- table_codes(coding, model$data)
    codes
  }
  c(list(n = length(y), spec = spec), rows, list(
    coding = coding,
    outside = function(bounds) {
      own <- as.double(model$data[[model$response$name]])
      sum(own < bounds[1] | own > bounds[2])
    },
    whole = whole_of_records(y, rows$row),
    margin = function(breaks) bin_counts(y, breaks),
    levels = function() list(row = rows$row, level = y),
    coded = function() coded_cells(rows$row, codes_once()),
    tables = function(plan, breaks) {
      bin <- findInterval(y, breaks) + 1L
      told <- codes_once()[, plan$told, drop = FALSE]
      block_counts(cbind(told, bin), plan)
    }
  ))
}

#' Whole scores of records in memory, added up by design row
#' @return (function) See score_file().
#' @noRd
whole_of_records <- function(y, row) {
  size <- tabulate(row)
  function(frame, clip, lowest) {
    sums <- whole_sums_(
      y, row, frame$centre, frame$spread, clip, lowest, score_steps
    )
    c(list(row = seq_along(size), most = max(size)), sums)
  }
}
