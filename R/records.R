# Records: whatever has one element or one row for each of them, cut and joined
# together; and marks that tell files apart.

#' Where the core's specification holds what belongs to one record each
#'
#' The one list of it: what is named here is cut, joined, handed to other
#' records and left out of a frozen model with all the rest.
#' @noRd
record_places <- list(
  y = "y", alpha = "alpha", survey = "survey", codes = "codes",
  numeric = "numeric", offset = "offset", centre = c("censor", "centre")
)

#' Records
#'
#' @param parts (named list) Vectors, matrices and data frames with one element
#'   or row for each record; `NULL` for what the records do not have.
#' @return (`records`) A list of them.
#' @noRd
new_records <- function(parts) {
  parts <- Filter(Negate(is.null), parts)
  if (length(unique(vapply(parts, NROW, 1L))) > 1) {
    # A defect of the package, never the user's; the call may hold records
    stop("All parts of `records` must have the same number of records.",
      call. = FALSE
    )
  }
  structure(parts, class = "records")
}

#' Some of the records
#' @param i (integer) Which.
#' @noRd
take_records <- function(records, i) {
  cut <- function(x) if (is.null(dim(x))) x[i] else x[i, , drop = FALSE]
  new_records(lapply(unclass(records), cut))
}

#' The records of several files one after the other
#' @param files (list of `records`) With the same parts.
#' @noRd
join_records <- function(files) {
  new_records(lapply(stats::setNames(nm = names(files[[1]])), function(part) {
    values <- lapply(files, `[[`, part)
    if (is.null(dim(values[[1]]))) {
      unlist(values, use.names = FALSE)
    } else {
      do.call(rbind, values)
    }
  }))
}

#' The records of a specification, and what else there is of each
#' @noRd
records_of_spec <- function(spec, others = NULL) {
  new_records(c(others, lapply(record_places, function(place) {
    Reduce(function(x, name) x[[name]], place, spec)
  })))
}

#' The records of a fit: of its specification, its data and its weights
#' @noRd
records_of_fit <- function(fit) {
  weights <- fit$privacy_weights
  records_of_spec(fit$spec, list(
    data = fit$data, weights = if (!is.null(weights)) bare_numbers(weights)
  ))
}

#' A specification of a model without any records: neither weighted nor censored
#' @noRd
spec_of_model <- function(spec) {
  spec[setdiff(names(spec), vapply(record_places, `[`, "", 1))]
}

#' The specification of a model for some records
#' @param spec (list) Of the model; records that it holds give way to these.
#'   What these do not have is left out: without centres nothing is censored.
#' @noRd
spec_of_records <- function(spec, records) {
  for (part in names(record_places)) {
    place <- record_places[[part]]
    if (is.null(records[[part]])) place <- place[1]
    spec[[place]] <- records[[part]]
  }
  # The core looks for it
  if (is.null(spec$censor)) spec["censor"] <- list(NULL)
  spec
}

#' A mark for each column, to tell other records from these
#' @param data (data frame)
#' @param columns (character) Columns that the weights were computed from, the
#'   response first.
#' @return (named character) Confidential.
#' @noRd
record_marks <- function(data, columns) {
  columns <- intersect(columns, names(data))
  vapply(data[columns], values_hash, "")
}

#' A mark of a file's responses, whatever their order
#' @noRd
file_mark <- function(data, variable) values_mark(data[[variable]])

#' Does a fit know its records, so that sets can be drawn?
#' @noRd
knows_records <- function(x) {
  inherits(x, "synthesizer") ||
    inherits(x, "external_fit") && is.data.frame(unclass(x)$data)
}

#' The mark of the file that weights were made from
#'
#' Not known of a fit that was edited: its draws may be those of another file
#' than the one that it holds.
#' @noRd
history_mark <- function(fit) {
  if (inherits(fit, c("synthesizer", "external_fit")) && !is_sealed(fit)) {
    return(NA_character_)
  }
  if (knows_records(fit)) {
    file_mark(fit$data, fit$response$name)
  } else if (inherits(fit, "file_synthesizer")) {
    fit$records_mark
  } else if (inherits(fit, "external_fit")) {
    data <- fit$log_lik$data
    if (!is.null(data)) rlang::hash(as.list(data))
  }
}

#' Marks of the records of a fit
#' @noRd
model_marks <- function(fit) {
  if (knows_records(fit)) {
    record_marks(fit$data, c(model_columns(fit), fit$survey$column))
  } else if (inherits(fit, "file_synthesizer")) {
    fit$column_marks
  }
}

#' What weights from a fit were made from
#' @return (list) `from`, `records`.
#' @noRd
made_of <- function(fit) {
  list(from = history_mark(fit), records = model_marks(fit))
}

#' The fit that a job draws from
#' @noRd
final_fit <- function(x) {
  fits <- x$internal$fits
  fits[[length(fits)]]
}

#' The same where it must know its records
#' @noRd
fit_of_records <- function(x, arg) {
  check_class(
    final_fit(x), "synthesizer",
    "A score release has no record weights and no record bounds.", arg = arg
  )
}

n_records <- function(fit) length(fit$spec$y)

#' @rdname pseudosynth_result
#' @importFrom stats nobs
#' @method nobs pseudosynth_result
#' @export
nobs.pseudosynth_result <- function(object, ...) {
  parts <- unclass(object)
  # A job has the records of its sets; those of a fit are in its specification
  n <- unclass(parts[["synthetic"]])[["n_records"]] %||%
    parts[["n_records"]] %||%
    if (!is.null(parts[["spec"]])) n_records(parts)
  refuse_if(
    is.null(n), "There is no number of records for {describe_type(object)}.",
    arg = "object"
  )
  n
}

n_draws <- function(fit) nrow(fit$draws)

n_chains <- function(fit) length(unique(fit$chain))

#' The privacy weights as plain numbers, 1 where there are none
#'
#' Without the factor of a censoring rule's reference, which is the rule's.
#' @return (double, N)
#' @noRd
alpha_of <- function(fit) {
  weights <- fit$privacy_weights
  if (is.null(weights)) rep(1, n_records(fit)) else bare_numbers(weights)
}

#' Records that take part: with weight 0 a record tells the fit nothing
#' @noRd
active_records <- function(fit) which(alpha_of(fit) > 0)

#' Cut whatever has one row or element per draw, leave the rest
#' @noRd
keep_rows <- function(x, kept, n) {
  if (is.matrix(x) && nrow(x) == n) {
    x[kept, , drop = FALSE]
  } else if (is.atomic(x) && is.null(dim(x)) && length(x) == n) {
    x[kept]
  } else {
    x
  }
}

format_audit_model <- function(model) {
  sprintf("%s, %s", deparse1(model$formula), format(model$family))
}

# Which records weights are for: marks of their columns against those of a file.

#' Refuse weights that were made for other records
#'
#' Weights that depend on a record's own value would else depend on another
#' file. Predictors that `data` does not have cannot be compared.
#' @noRd
check_weights_records <- function(weights, data, arg = "privacy_weights") {
  marks <- attr(weights, "records")
  response <- names(marks)[1]
  refuse_if(
    !is.null(response) && !response %in% names(data),
    "{.arg {arg}} must be made for the model's own response.",
    x = "They were made for the column {.val {response}}, which is not in
         the model's data.",
    arg = arg, class = "pseudosynth_error_frozen_variables"
  )
  known <- intersect(names(marks), names(data))
  differ <- known[record_marks(data, known) != marks[known]]
  refuse_privacy(
    length(differ) > 0,
    "{.arg {arg}} must be made for these records, in this order.",
    x = "The {cli::qty(length(differ))}column{?s} {.val {differ}}
         {?holds/hold} other values than when the weights were made.",
    i = "Make the weights again from this file, or get frozen ones by
         {.code predict(rule, data)}.",
    arg = arg, class = "pseudosynth_error_other_records"
  )
  invisible(weights)
}
