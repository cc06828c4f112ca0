# What weights rest on, so that freeze() can apply it to other records: a list
# with `kind` and what that kind needs. It holds draws, extremes of bounds or
# responses of the file, never more, and is as confidential as the weights.
#
# Each leaf has `history`, a mark of the file that it was made from.
#
# kind          fields                                   alpha of a record
# "constant"    alpha                                    alpha
# "lipschitz"   model, range, map, scale, shift          map of its bound
# "count"       variable, values, pattern, radius, ..    share in its ball
# "two_stage"   model (one draw), lower, upper           of |f| at that draw
# "reweighted"  of, model, overall, k                    clamp(k alpha D / D_i)
# "truncated"   of, model, epsilon                       0 where D_i > epsilon/2
# "scaled"      of, scale, shift                         clamp(scale alpha + ..)
# "combined"    of (list)                                product

#' The weights of other records
#' @param data (data frame) Records with response and predictors.
#' @return (numeric, one per row)
#' @noRd
basis_weights <- function(basis, data, call) {
  switch(basis$kind,
    constant = rep(basis$alpha, nrow(data)),
    lipschitz = lipschitz_rule(
      basis, model_bound(basis$model, data, call = call)
    ),
    count = count_rule(
      basis,
      response_values(data, basis$variable, basis$response_levels, call = call),
      known_codes(basis, data, call)
    ),
    two_stage = two_stage_rule(
      basis, model_bound(basis$model, data, call = call)
    ),
    reweighted = {
      alpha <- basis_weights(basis$of, data, call)
      delta <- model_bound(basis$model, data, alpha, call)
      reweighted_rule(alpha, delta, basis$overall, basis$k)
    },
    truncated = {
      alpha <- basis_weights(basis$of, data, call)
      delta <- model_bound(basis$model, data, alpha, call)
      truncated_rule(alpha, delta, basis$epsilon)
    },
    scaled = clamp(
      basis$scale * basis_weights(basis$of, data, call) + basis$shift
    ),
    combined = Reduce(`*`, lapply(basis$of, basis_weights, data, call))
  )
}

#' The columns that a basis reads
#' @return (list) `response` (character), `predictors` (character).
#' @noRd
basis_columns <- function(basis) {
  inner <- if (basis$kind == "combined") basis$of else list(basis$of)
  parts <- lapply(Filter(length, inner), basis_columns)
  list(
    response = unique(c(
      basis$variable, basis$model$response$variable,
      unlist(lapply(parts, `[[`, "response"))
    )),
    predictors = unique(c(
      basis$known, basis$model$design$variables, basis$model$columns,
      unlist(lapply(parts, `[[`, "predictors"))
    ))
  )
}

#' Was the rule made from this very file?
#'
#' Then its weights depend on all records of the file, and nothing is frozen.
#' @noRd
is_own_history <- function(basis, data) {
  columns <- basis_columns(basis)
  marks <- c(
    vapply(columns$response, function(name) file_mark(data, name), ""),
    rlang::hash(as.list(data[columns$predictors]))
  )
  any(marks %in% basis_histories(basis))
}

basis_histories <- function(basis) {
  inner <- if (basis$kind == "combined") basis$of else list(basis$of)
  c(basis$history, unlist(lapply(Filter(length, inner), basis_histories)))
}

#' Patterns of other records in the file of a count rule
#' @noRd
known_codes <- function(basis, data, call) {
  for (name in basis$known) {
    check_predictor(data[[name]], name, call)
    old <- basis$levels[[name]]
    new <- setdiff(unique(as.character(data[[name]])), old)
    if (!is.null(old) && length(new) > 0) {
      n_levels <- length(new)
      abort_input(
        c(
          "Column {.val {name}} must have the levels it had.",
          x = "It has {n_levels} other level{?s}."
        ),
        call = call
      )
    }
  }
  match_pattern(data, basis$pattern$table)
}
