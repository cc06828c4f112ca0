# What the exact audit takes as a mechanism: one of the list by its name, a
# function of the user's, or what made a fit. Internal. See mechanism_on_grid()
# for what it consists of. The last two have in place of weights and a clip a
# `rule`: function(grid, counts, database) -> a list as plain_rule() gives it.

#' @param settings (list) What [audit_guarantee()] was given in `...`.
#' @noRd
grid_mechanism <- function(name, epsilon, settings) {
  mechanism_on_grid(find_mechanism(name, "grid"), epsilon, settings)
}

#' What a mechanism makes of a database
#' @return (list) `alpha` (V), `centre` (V), `lower`, `upper`.
#' @noRd
grid_rule <- function(grid, mechanism = NULL, counts = NULL, database = NULL) {
  if (is.null(mechanism)) {
    return(plain_rule(grid, 1))
  }
  if (!is.null(mechanism$rule)) {
    return(mechanism$rule(grid, counts, database))
  }
  alpha <- mechanism$public_alpha * mechanism$weights(grid, counts, database)
  centre <- if (mechanism$centred) alpha * grid$reference_f else 0
  plain_rule(grid, alpha, mechanism$lower, mechanism$upper, centre)
}

# Mechanisms of fits and of functions ------------------------------------------

#' A mechanism that the user has programmed
#'
#' @param mechanism (function) Of a data frame; gives `weights` (N), `lower`,
#'   `upper` and, if centred, `centre` (N).
#' @noRd
function_mechanism <- function(mechanism, epsilon) {
  force(mechanism)
  rule <- function(grid, counts, database) {
    found <- database()
    made <- mechanism(found$data)
    n <- nrow(found$data)
    part <- function(name, default) {
      value <- made[[name]] %||% default
      if (!is.numeric(value) || !length(value) %in% c(1L, n) || anyNA(value)) {
        abort_input(
          "{.arg mechanism} must give a list with numeric {.val weights}, one a
           record, and {.val lower}, {.val upper} or neither.",
          arg = "mechanism"
        )
      }
      as.double(value)
    }
    by_type <- function(value) {
      value <- rep_len(value, n)
      first <- match(seq_len(ncol(grid$f)), found$type)
      of_type <- value[first]
      if (any(abs(value - of_type[found$type]) > 1e-9)) {
        abort_input(
          "{.arg mechanism} must treat equal records alike.",
          arg = "mechanism"
        )
      }
      of_type[is.na(first)] <- 0
      of_type
    }
    plain_rule(
      grid, by_type(part("weights", 1)), part("lower", -Inf)[1],
      part("upper", Inf)[1], by_type(part("centre", 0))
    )
  }
  list(
    name = "a function", rule = rule, own_value = FALSE, epsilon = epsilon,
    width = epsilon, factor = 0, one_off = 0, settings = list()
  )
}

#' The mechanism that made a fit
#'
#' Each scheme says what it makes of a database: weights made from the file are
#' made anew, those that depend on the record alone come from their definition.
#' What was paid once, such as the first stage of two-stage weights or a
#' histogram, is taken as spent in full.
#' @param margin_epsilon (number) Of the histogram, add/remove-one.
#' @noRd
fit_mechanism <- function(fit, margin_epsilon) {
  weights <- fit$privacy_weights
  censor <- fit$censor
  node <- if (!is.null(weights)) node_of(weights)
  dependency <- dependency_of(node)
  rule <- function(grid, counts, database) {
    alpha <- if (is.null(node)) {
      1
    } else {
      grid_values(node, grid, counts, database)
    }
    if (is.null(censor)) {
      return(plain_rule(grid, alpha))
    }
    model <- unclass(fit)[c("family", "prior", "response", "design")]
    model$data <- grid$data
    spec <- weighted_spec(
      grid$spec, model, rep_len(alpha, ncol(grid$f)), censor
    )
    plain_rule(
      grid, spec$alpha, spec$censor$lower, spec$censor$upper,
      spec$censor$centre
    )
  }
  paid <- total_charges(dependency$charges)$epsilon[["add/remove-one"]]
  list(
    name = mechanism_of(fit), rule = rule, own_value = dependency$kind == "own",
    width = if (!is.null(censor)) censor$upper - censor$lower,
    factor = dependency$factor[["add/remove-one"]] - 1,
    one_off = margin_epsilon + paid, epsilon = censor$epsilon,
    settings = grid_settings
  )
}
