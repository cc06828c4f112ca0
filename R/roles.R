# What happens to each column of a file: "synthesized" columns are modelled and
# replaced, "published" ones leave the agency as they are, "unused" ones are not
# read. Several formulas over one file may synthesize several columns; one that
# is synthesized by one formula is never published by another.

#' The role of every column
#'
#' @param formulas (formula or list of formulas) Models of columns of `data`.
#' @param data (data frame) For its column names only.
#' @return (named character) By column of `data`, in its order.
#' @noRd
column_roles <- function(formulas, data, call = rlang::caller_env()) {
  if (inherits(formulas, "formula")) {
    formulas <- list(formulas)
  }
  left <- unlist(lapply(formulas, function(formula) all.vars(formula[[2]])))
  right <- unlist(lapply(formulas, function(formula) {
    terms <- formula_terms(formula, data, call)
    all.vars(attr(used_terms(stats::delete.response(terms)), "variables"))
  }))
  roles <- stats::setNames(rep("unused", length(data)), names(data))
  roles[intersect(right, names(data))] <- "published"
  roles[intersect(left, names(data))] <- "synthesized"
  roles
}

#' The roles of the columns of a model
#' @param model (list) With `response` and `design`.
#' @return (named character) The synthesized columns first.
#' @noRd
model_roles <- function(model) {
  design <- model$design
  predictors <- stats::setNames(
    rep("published", length(design$variables)), design$variables
  )
  predictors[names(design$unpublished)] <- design$unpublished
  c(stats::setNames("synthesized", model$response$variable), predictors)
}

#' The columns that have one of some roles
#' @noRd
in_role <- function(roles, role) {
  names(roles)[roles %in% role]
}

#' The columns of a model's file, a tibble if the file was one
#' @noRd
as_given <- function(data, model) {
  if (!is.null(data)) structure(data, class = frame_class(model$tibble))
}

#' The columns of a file that a model reads, in the order of the file
#' @noRd
used_columns <- function(data, model) {
  as.data.frame(data)[intersect(names(data), names(model_roles(model)))]
}
