# A fit of a model elsewhere as an object of the package: measured, judged by
# its chains, printed. The first fit and every refit are made here.

#' A fit of a model elsewhere, measured and judged
#'
#' @param model (list) See external_model().
#' @param way (list) What the user has said of fits: `refit`, `predict`,
#'   `log_lik`, `weighted`, `seeded`, `chains`, `converged`, `f` (the
#'   log-likelihood where it is a function) and `unit`.
#' @param fit What was fitted: of `f` its draws.
#' @param weights As the user gave them.
#' @param seed (seed) That the user gave for this fit.
#' @param expected (count or `NULL`) Records that a refit must have.
#' @noRd
new_external_fit <- function(model, way, fit, weights, seed = NULL,
                             expected = NULL) {
  source <- if (is.null(way$f)) {
    as_log_lik_matrix(fit, way$chains, way$log_lik, model$data)
  } else {
    list(kind = "function", f = way$f, data = model$records, draws = fit)
  }
  columns <- external_columns(source)
  n <- columns$n
  refuse_if(
    !is.null(expected) && n != expected, "A refit must have the same records.",
    x = "The log-likelihood had {expected}, and the refit has {n}.",
    arg = "object", class = "pseudosynth_error_records"
  )
  refuse_if(
    is.data.frame(model$data) && nrow(model$data) != n,
    "The log-likelihood must have one column for each record of {.arg data}.",
    x = "It has {n}, and {.arg data} has {nrow(model$data)} record{?s}.",
    i = "Leave out of {.arg data} what the model leaves out, such as records
         with missing values.",
    arg = "data", class = "pseudosynth_error_records"
  )
  weights <- as_privacy_weights(weights, n, arg = "privacy_weights")
  if (!is.null(weights) && !is.null(model$data)) {
    check_weights_records(weights, model$data)
  }
  alpha <- if (is.null(weights)) rep(1, n) else bare_numbers(weights)
  check_weights_taken(fit, alpha, first = is.null(expected))
  bound <- bound_of_columns(
    columns, 1, way$unit, alpha, multiplied = way$weighted
  )
  n_draws <- length(bound$draw)
  y <- if (is.null(model$data)) {
    rep(NA_real_, n)
  } else {
    record_values(model$response, model$data)
  }
  made <- new_result(
    "external_fit",
    fit = fit, log_lik = source, bound = bound, privacy_weights = weights,
    censor = NULL, way = way[setdiff(names(way), "f")],
    # Records and draws are counted in these, as in a synthesizer. The core
    # reads none of it
    spec = list(y = y, alpha = alpha, data = model$data),
    # Which rows of the fit's draws they are
    draws = matrix(seq_len(n_draws), n_draws),
    chains = source$chains %||% way$chains, converged = way$converged,
    problems = character(), diagnostics = NULL, dropped = 0L, quantile = 1,
    typical = typical_log_lik(columns, alpha),
    seed_given = is_seeded(seed) || !isFALSE(way$seeded) ||
      (!is.null(weights) && is_reproducible(node_of(weights))),
    seconds = list()
  )
  made[names(model)] <- model
  made$id <- if (is_seeded(seed)) {
    hashed_id(made$typical, given_seed(seed))
  } else {
    new_charge_id(seed)
  }
  seal(judge_external(made, columns))
}

external_columns <- function(source) {
  if (source$kind == "matrix") {
    return(matrix_columns(source$values))
  }
  data <- source$data %||% rlang::missing_arg()
  function_columns(source$f, rlang::maybe_missing(data), source$draws)
}

#' Convergence of an external fit, where its chains are known
#' @noRd
judge_external <- function(fit, columns) {
  n_draws <- length(fit$bound$draw)
  chains <- fit$chains
  if (is.null(chains) || n_draws %% chains != 0 || n_draws / chains < 8) {
    if (is.na(fit$converged)) {
      fit$problems <- "Its convergence is not known."
    } else if (!fit$converged) {
      fit$problems <- "You stated that it has not converged."
    }
    return(fit)
  }
  total <- 0
  worst <- 1
  for (i in seq_len(columns$n)) {
    if (fit$spec$alpha[i] == 0) next
    f <- columns$at(i)
    # Infinite at some draw: it has an infinite bound, and no variance
    if (!all(is.finite(f))) next
    # Both measures are the same of f + b, and large numbers lose digits
    f <- f - mean(f)
    total <- total + (if (fit$way$weighted) 1 else fit$spec$alpha[i]) * f
    rhat <- posterior::rhat_basic(matrix(f, ncol = chains))
    worst <- max(worst, if (is.finite(rhat)) rhat else 1)
  }
  total <- matrix(total, ncol = chains)
  constant <- length(unique(as.vector(total))) == 1
  fit$diagnostics <- c(
    rhat = if (constant) 1 else posterior::rhat(total),
    ess_bulk = if (constant) n_draws else posterior::ess_bulk(total),
    worst_record_rhat = worst
  )
  rhat <- fit$diagnostics[["rhat"]]
  ess <- fit$diagnostics[["ess_bulk"]]
  fit$problems <- as.character(c(
    text_if(
      !isTRUE(rhat < 1.01), "R-hat of the log-likelihood is %s (limit 1.01).",
      format_rhat(rhat)
    ),
    text_if(
      !isTRUE(ess >= 400), "Bulk ESS of the log-likelihood is %s (limit 400).",
      format_count(round(ess))
    ),
    text_if(
      worst > 1.05, "R-hat of one record's log-likelihood is %s (limit 1.05).",
      format_rhat(worst)
    )
  ))
  fit$converged <- length(fit$problems) == 0 && !isFALSE(fit$converged)
  fit
}

#' @rdname lipschitz
#' @export
lipschitz.external_fit <- function(x, quantile = 1, ...) {
  check_no_dots(..., hint = "See {.fn external_fit}.")
  check_argument(quantile)
  if (quantile >= x$quantile) {
    return(x$bound)
  }
  refuse_if(
    is.null(unclass(x)$log_lik), "{.arg quantile} must be 1 for a whole file.",
    x = "Each regression has its own draws, and no draw covers all columns.",
    arg = "quantile"
  )
  bound_of_columns(
    external_columns(x$log_lik), quantile, x$bound$unit, x$spec$alpha,
    multiplied = x$way$weighted, dropped = x$dropped
  )
}

#' The median log-likelihood of each record, as it is given
#' @noRd
typical_log_lik <- function(columns, alpha) {
  vapply(seq_len(columns$n), function(i) {
    if (alpha[i] == 0) {
      values <- columns$at(i)
      # 0 times an infinite log-likelihood is missing
      return(if (anyNA(values)) 0 else stats::median(values))
    }
    stats::median(columns$at(i))
  }, 0)
}

# Printing -------------------------------------------------------------------

#' @export
format.external_model <- function(x, ...) x$name

#' @export
format.external_prior <- function(x, ...) "as in the model fitted elsewhere"

print_lines.external_fit <- function(x) {
  convergence <- if (isTRUE(x$converged)) {
    paste0("yes", if (is.null(x$diagnostics)) ", as stated by the user")
  } else {
    paste("NO:", paste(x$problems, collapse = " "))
  }
  fields <- c(
    Model = x$name,
    Sets = if (!is.null(x$response)) {
      sprintf(
        "of %s; published: %s", response_label(x$response),
        if (length(x$design$variables) > 0) {
          toString(x$design$variables)
        } else {
          "nothing"
        }
      )
    },
    Records = paste("N =", format_count(n_records(x))),
    Draws = paste0(
      "S = ", format_count(n_draws(x)),
      text_if(
        x$dropped > 0, "; %s dropped by truncation", format_count(x$dropped)
      )
    ),
    Weights = describe_weights(x),
    Bound = describe_bound(x$bound),
    Converged = convergence, Seed = describe_seed(x),
    Guarantee = format(guarantee(x))
  )
  c(
    "<external_fit>  CONFIDENTIAL: for the agency only, not for release.",
    field_lines(fields)
  )
}

describe_seed <- function(fit) {
  if (is.na(fit$way$seeded)) {
    "not known whether one is fixed: state it by `seeded`, or refit"
  } else if (fit$way$seeded) {
    "the refit fixes one: reproducible, so never release what is made from it"
  } else if (fit$seed_given) {
    "given: reproducible, so never release what is made from it"
  }
}
