# What the exact audit takes as a mechanism: a job's, a function of the user's,
# or what made a fit. A job's stages and a scheme's weights are made by the same
# functions as with draws, from fits whose bounds are those of posteriors on the
# grid. Internal.

#' The mechanism of a job
#' @param job See assign_mechanism().
#' @noRd
job_mechanism <- function(job) {
  definition <- definition_of(job$mechanism)
  list(
    name = definition$name, epsilon = job$epsilon,
    from_file = definition$from_unweighted,
    margin_epsilon = width_of_epsilon(job$budget$margin %||% 0, job$neighbours),
    make = function(file) {
      job$model$data <- file$data
      job$fit_with <- function(weights, censor) grid_fit(file, weights, censor)
      fits <- suppressMessages(definition$grid(job))
      fits[[length(fits)]]
    }
  )
}

#' The mechanism that made a fit
#'
#' What was paid once, such as the first stage of two-stage weights or a
#' histogram, is taken as spent in full.
#' @param margin_epsilon (number) Of the histogram, add-remove.
#' @noRd
fit_mechanism <- function(fit, margin_epsilon) {
  list(
    name = mechanism_of(fit), epsilon = fit$censor$epsilon,
    from_file = dependency_of(fit$privacy_weights)$kind != "own record",
    margin_epsilon = margin_epsilon,
    make = function(file) {
      if (!is.null(fit$privacy_weights)) {
        fit$privacy_weights <- replay_node(
          node_of(fit$privacy_weights), file["data"],
          function(weights, stage) grid_fit(file, weights)
        )
      }
      fit
    }
  )
}

#' What a mechanism has made of the file, on a grid
#'
#' Weights made from the file are made anew on every neighbour; those that
#' depend on the record alone are the same there.
#'
#' @param mechanism (list) `name`, `epsilon`, `margin_epsilon` (add-remove),
#'   `from_file` (flag: does it start from the unweighted fit?) and `make`
#'   (function of a file, gives a fit with `privacy_weights`, `censor` and
#'   `first`). One with a `rule` stays as it is.
#' @return (list) The mechanism with `rule` (function of a file, gives what
#'   plain_rule() does), `own_value` (flag: is the rule the same for all
#'   databases?), `width` of the clip (`NULL` without one), `factor`, added to
#'   what the width costs, `one_off`: epsilon (add-remove) of what is paid once,
#'   and `first`: the first stage whose draw the weights depend on, if any.
#' @noRd
settled <- function(mechanism, problem, grid) {
  if (!is.null(mechanism$rule)) {
    return(mechanism)
  }
  make <- mechanism$make
  made <- make(file_on_grid(problem, grid, 0))
  node <- if (!is.null(made$privacy_weights)) node_of(made$privacy_weights)
  dependency <- dependency_of(node)
  censor <- made$censor
  own_value <- dependency$kind == "own record"
  # Survey weights over the mean of the file are others on each neighbour
  same_exponents <- !isFALSE(problem$model$survey$stated)
  mechanism$rule <- function(file) {
    alpha <- if (is.null(node)) {
      1
    } else if (own_value) {
      rule_values(node, file$grid$data)
    } else {
      by_type(make(file)$privacy_weights, file)
    }
    clip_rule(file$grid, problem$model, file$raised * alpha, censor)
  }
  factor <- dependency$factor[["add-remove"]] - 1
  c(mechanism, list(
    own_value = own_value && same_exponents,
    width = if (!is.null(censor)) censor$upper - censor$lower,
    factor = if (is.null(censor)) 0 else factor, first = made$first,
    one_off = mechanism$margin_epsilon + (made$first$epsilon %||% 0) +
      total_charges(dependency$charges)$epsilon[["add-remove"]],
    censor = censor
  ))
}

#' Weights of the types under a clip
#' @return (list) `alpha` (V), `centre` (V), `lower`, `upper`.
#' @noRd
clip_rule <- function(grid, model, alpha, censor) {
  if (is.null(censor)) {
    return(plain_rule(grid, alpha))
  }
  model$data <- grid$data
  spec <- weighted_spec(
    grid$spec, model, rep_len(as.double(alpha), ncol(grid$f)), censor
  )
  plain_rule(
    grid, spec$alpha, spec$censor$lower, spec$censor$upper, spec$censor$centre
  )
}

#' The clip of a first stage, which has no weights
#' @noRd
first_rule <- function(problem, grid, mechanism) {
  clip_rule(grid, problem$model, 1, mechanism$first$censor)
}

#' A neighbour on a grid; 0 is the file
#' @return (list) See grid_fit().
#' @noRd
file_on_grid <- function(problem, grid, j) {
  data <- problem$model$data
  type <- problem$file_type
  if (j > 0) {
    record <- problem$files$record[j]
    if (is.na(problem$to[j])) {
      data <- data[-record, , drop = FALSE]
      type <- type[-record]
    } else {
      data[record, ] <- problem$replaced[match(j, problem$changed), ]
      type[record] <- problem$to[j]
    }
  }
  list(
    grid = grid, counts = as.double(tabulate(type, problem$n_types)),
    data = data, type = type, model = problem$model,
    raised = raised_by(problem$model$survey, data)
  )
}

#' The factor of all survey weights of a file that is not the grid's
#' @noRd
raised_by <- function(survey, data) {
  if (is.null(survey)) {
    return(1)
  }
  own <- survey_of_file(survey, data)$scale
  refuse_if(
    !(own > 0),
    "Every neighbouring file must have a survey weight above 0.",
    x = "This file has none left once one of its records is removed.",
    i = "State the number that weights are divided by, as in
         {.code survey_weights = c(weight = 1250)}.", arg = "survey_weights"
  )
  survey$scale / own
}

database_rule <- function(problem, grid, mechanism, j) {
  mechanism$rule(file_on_grid(problem, grid, j))
}

#' A mechanism that the user has programmed
#'
#' @param mechanism (function) Of a data frame; gives `weights` (N), `lower`,
#'   `upper` and, if centred, `centre` (N).
#' @noRd
function_mechanism <- function(mechanism, epsilon) {
  force(mechanism)
  rule <- function(file) {
    made <- mechanism(file$data)
    n <- nrow(file$data)
    part <- function(name, default) {
      value <- made[[name]] %||% default
      refuse_if(
        !is.numeric(value) || !length(value) %in% c(1L, n) || anyNA(value),
        "{.arg mechanism} must return a list with numeric {.val weights}, one
         per record, and with both {.val lower} and {.val upper} or neither.",
        arg = "mechanism"
      )
      as.double(value)
    }
    plain_rule(
      file$grid, file$raised * by_type(part("weights", 1), file),
      part("lower", -Inf)[1], part("upper", Inf)[1],
      by_type(part("centre", 0), file)
    )
  }
  list(
    name = "a function", epsilon = epsilon, from_file = TRUE, rule = rule,
    own_value = FALSE, width = epsilon, factor = 0, one_off = 0
  )
}
