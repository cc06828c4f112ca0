# What is known of the records behind a fit, and marks that tell files apart.

#' A mark for each column, to tell other records from these
#' @param data (data frame)
#' @param columns (character) Columns that the weights were computed from, the
#'   response first.
#' @return (named character) Confidential.
#' @noRd
record_marks <- function(data, columns) {
  columns <- intersect(columns, names(data))
  vapply(data[columns], function(x) {
    rlang::hash(if (is.numeric(x)) as.double(x) else as.character(x))
  }, "")
}

#' A mark of a file's responses, whatever their order
#' @noRd
file_mark <- function(data, variable) {
  y <- data[[variable]]
  rlang::hash(sort(
    if (is.numeric(y)) as.double(y) else as.character(y),
    method = "radix"
  ))
}

#' The mark of the file that weights were made from
#' @noRd
history_mark <- function(fit) {
  if (inherits(fit, "synthesizer")) {
    file_mark(fit$data, fit$response$variable)
  } else if (inherits(fit, "external_fit")) {
    data <- fit$log_lik$data
    if (!is.null(data)) rlang::hash(as.list(data))
  }
}

#' Marks of the records of a fit
#' @noRd
model_marks <- function(fit) {
  if (inherits(fit, "synthesizer")) {
    record_marks(
      fit$data, c(fit$response$variable, fit$design$variables)
    )
  }
}

n_records <- function(fit) {
  length(fit$spec$y)
}

n_draws <- function(fit) {
  nrow(fit$draws)
}

n_chains <- function(fit) {
  length(unique(fit$chain))
}

#' The privacy weights as plain numbers, 1 where there are none
#' @return (double, N)
#' @noRd
alpha_of <- function(fit) {
  fit$spec$alpha
}

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
