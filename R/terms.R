# Which variables a formula's terms use.

#' The terms of a formula on a file
#' @param data (data frame) For its column names only.
#' @return (terms)
#' @noRd
formula_terms <- function(formula, data) {
  tryCatch(
    stats::terms(formula, data = data[0, , drop = FALSE]),
    error = function(e) {
      abort_input(
        "{.arg formula} must be a formula that R can read.",
        x = "{conditionMessage(e)}",
        i = "Name columns of {.arg data}, such as
             {.code income ~ age + region}.",
        arg = "formula"
      )
    }
  )
}

#' Terms without variables that no term uses: `. - id` does not read `id`
#'
#' An offset is in no term, and stays.
#' @param terms (terms) Without a response.
#' @noRd
used_terms <- function(terms) {
  table <- attr(terms, "factors")
  offset <- attr(terms, "offset")
  used <- seq_along(attr(terms, "variables"))[-1] %in% (offset + 1L)
  if (length(table) > 0) {
    used <- used | rowSums(table) > 0
    attr(terms, "factors") <- table[used, , drop = FALSE]
  }
  attr(terms, "variables") <- attr(terms, "variables")[c(TRUE, used)]
  if (length(offset) > 0) attr(terms, "offset") <- match(offset, which(used))
  terms
}

#' A formula whose `.` is written out
#'
#' lm() takes `.` for all other columns of what it is given: of a file and of
#' sets that have fewer columns these are two models.
#' @param columns (character) What `.` stands for, the response among them.
#' @param known (character) Columns that the formula may take out of it.
#' @noRd
without_dot <- function(formula, columns, known = columns) {
  if (!"." %in% all.vars(formula[[3]])) {
    return(formula)
  }
  columns <- union(columns, intersect(all.vars(formula), known))
  frame <- as.data.frame(
    stats::setNames(rep(list(0), length(columns)), columns), optional = TRUE
  )
  terms <- stats::terms(formula, data = frame)
  offsets <- as.list(attr(terms, "variables"))[attr(terms, "offset") + 1]
  labels <- c(attr(terms, "term.labels"), vapply(offsets, deparse1, ""))
  stats::reformulate(
    if (length(labels) > 0) labels else "1", formula[[2]],
    attr(terms, "intercept") == 1, environment(formula)
  )
}

# The variables of each term, in the formula's order.
term_variables <- function(terms) {
  table <- variable_table(terms)
  lapply(seq_along(attr(terms, "term.labels")), function(t) {
    rownames(table)[table[, t] > 0]
  })
}

# Which variable is in which term, under the names of the model frame: terms
# write a column `x y` with its backticks, the frame without.
variable_table <- function(terms) {
  table <- attr(terms, "factors")
  variables <- as.list(attr(terms, "variables"))[-1]
  column <- vapply(variables, is.symbol, TRUE)
  if (any(column)) {
    rownames(table)[column] <- vapply(variables[column], as.character, "")
  }
  table
}

# What happens to each column of a file: the response is modelled and replaced,
# the columns of the right side are published as they are, others are not read.

#' The columns that a formula publishes, in their order
#' @param data (data frame) For its column names only.
#' @noRd
columns_published_by <- function(formula, data) {
  terms <- stats::delete.response(formula_terms(formula, data))
  intersect(names(data), all.vars(attr(used_terms(terms), "variables")))
}

#' The columns of a model that a set has, the response first
#' @param model (list) With `response` and `design`.
#' @noRd
model_columns <- function(model) c(model$response$name, model$design$variables)

#' The columns of a model's file, a tibble if the file was one
#' @noRd
as_given <- function(data, model) {
  if (!is.null(data)) structure(data, class = frame_class(model$tibble))
}

#' The columns of a file that a model reads, in the order of the file
#' @noRd
used_columns <- function(data, model) {
  used <- c(model_columns(model), model$survey$column)
  as.data.frame(data)[intersect(names(data), used)]
}
