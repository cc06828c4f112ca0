# The class `synthesizer`: what fit_synthesizer() returns. It is confidential:
# every print says so.

# Accessors ------------------------------------------------------------------

#' @importFrom stats formula
#' @method formula synthesizer
#' @export
formula.synthesizer <- function(x, ...) x$formula

#' @importFrom stats family
#' @method family synthesizer
#' @export
family.synthesizer <- function(object, ...) object$family

#' Print and summarise a synthesizer
#'
#' `print()` shows the model, the number of records and draws, the weights, the
#' Lipschitz bound, the convergence checks and a one-line label. `summary()`
#' adds a table of posterior summaries of the parameters. For a mixture, whose
#' components exchange places between draws, the table has the weighted
#' log-likelihood and predictive quantiles on the modelled scale instead.
#' Its quantiles are of draws. For a fit with privacy weights, a censoring rule
#' or survey weights they are not intervals, see *Intervals* in
#' [fit_synthesizer()].
#' Neither shows a value of a record, but both are computed from the file: never
#' release them.
#'
#' @param x,object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param ... Not used.
#' @param row.names,optional Not used; required by the generic.
#' @return `summary()` returns a `summary.synthesizer`: a list with `header`
#'   (character), `table` (data frame: `variable`, `mean`, `sd`, `q5`, `median`,
#'   `q95`, `rhat`, `ess_bulk`, `ess_tail`; `NA` where a quantity is constant)
#'   and `problems` (character). `as.data.frame()` returns the draws, one row
#'   per draw, with `.chain`, `.iteration` and `.draw`. `formula()`, `nobs()`
#'   and `family()` work as usual.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 1000, seed = 1
#' )
#' summary(fit)
#' nobs(fit)
#' @name synthesizer
NULL

# Printing -------------------------------------------------------------------

#' @export
format.synthesizer <- function(x, ...) {
  sprintf(
    "<synthesizer> %s, %s, N = %s, S = %s",
    deparse1(x$formula), format(x$family),
    format_count(n_records(x)), format_count(n_draws(x))
  )
}

print_lines.synthesizer <- function(x) {
  fields <- c(
    Model = sprintf("%s, %s", deparse1(x$formula), format(x$family)),
    Prior = format(x$prior),
    Records = sprintf(
      "N = %s, P = %s", format_count(n_records(x)),
      counted(x$spec$n_columns, "column")
    ),
    Draws = describe_draws(x), Sampler = describe_sampler(x),
    Weights = describe_weights(x), Survey = describe_survey(x),
    Bound = describe_bound(x$bound),
    Converged = describe_convergence(x),
    Remarks = if (length(x$remarks) > 0) paste(x$remarks, collapse = " "),
    Guarantee = format(guarantee(x))
  )
  c(
    "<synthesizer>  CONFIDENTIAL: for the agency only, not for release.",
    field_lines(fields),
    if (x$seed_given) {
      "Made with a seed: reproducible, so never release anything made from it."
    }
  )
}

describe_draws <- function(fit) {
  paste0(
    sprintf(
      "S = %s from %s after %s warmup each, %s s", format_count(n_draws(fit)),
      counted(n_chains(fit), "chain"), format_count(fit$control$warmup),
      format_figure(fit$seconds$sampling, 2)
    ),
    if (fit$dropped > 0) {
      sprintf("; %s dropped by truncation", format_count(fit$dropped))
    }
  )
}

describe_sampler <- function(fit) {
  control <- fit$control
  record <- fit$sampler
  # Of accepted moves of the augmentation sampler, by kind
  shares <- record$acceptance[!is.na(record$acceptance)]
  parts <- c(
    control$sampler,
    text_if(
      !is.null(fit$sweeps), "%s proposals per draw, as pairs of chains told",
      paste(unique(range(fit$sweeps)), collapse = " to ")
    ),
    text_if(
      control$thin > 1, "%d %s per draw", control$thin,
      if (control$sampler == "surrogate") "proposals" else "sweeps"
    ),
    if (control$sampler != "gibbs" && length(record$accept_stat) > 0) {
      sprintf("acceptance %s", format_figure(mean(record$accept_stat), 2))
    },
    if (length(shares) > 0) {
      paste("accepted:", toString(
        paste(names(shares), format_figure(shares, 2))
      ))
    },
    if (control$sampler == "nuts") {
      c(
        sprintf("tree depth up to %d", max(record$treedepth)),
        sprintf("%s divergent", format_count(sum(record$divergent)))
      )
    }
  )
  paste(parts, collapse = ", ")
}

describe_weights <- function(fit) {
  if (is.null(fit$privacy_weights)) {
    return("none: every record has weight 1")
  }
  alpha <- alpha_of(fit)
  sprintf(
    "%s, mean %s, %s of weight 0", summary(fit$privacy_weights)$title,
    format_figure(mean(alpha)), format_count(sum(alpha == 0))
  )
}

describe_survey <- function(fit) {
  exponents <- fit$spec$survey
  text_if(
    !is.null(exponents), "%s over %s, exponents up to %s", fit$survey$column,
    if (fit$survey$stated) format_figure(fit$survey$scale) else "its mean",
    format_figure(max(exponents))
  )
}

describe_bound <- function(bound) {
  sprintf(
    "Lipschitz bound %s, twice that %s (density of %s)",
    format_figure(bound$overall), format_figure(2 * bound$overall), bound$unit
  )
}

describe_convergence <- function(fit) {
  table <- fit$diagnostics
  figures <- sprintf(
    "largest R-hat %s, smallest bulk ESS %s over %d quantities",
    format_rhat(max(table$rhat)), format_count(round(min(table$ess_bulk))),
    nrow(table)
  )
  if (fit$converged) {
    paste0("yes: ", paste(c(figures, fit$problems), collapse = "; "))
  } else {
    paste0("NO: ", paste(fit$problems, collapse = " "))
  }
}

# Summary --------------------------------------------------------------------

#' @rdname synthesizer
#' @export
summary.synthesizer <- function(object, ...) {
  values <- if (is_mixture(object$family)) object$monitor else object$draws
  table <- data.frame(
    variable = colnames(values), mean = colMeans(values),
    sd = apply(values, 2, stats::sd),
    t(apply(values, 2, stats::quantile, c(0.05, 0.5, 0.95), names = FALSE))
  )
  names(table)[4:6] <- c("q5", "median", "q95")
  found <- match(table$variable, object$diagnostics$variable)
  table <- cbind(
    table, object$diagnostics[found, c("rhat", "ess_bulk", "ess_tail")]
  )
  rownames(table) <- NULL
  new_result(
    "summary.synthesizer",
    header = print_lines(object), table = table, problems = object$problems,
    converged = object$converged
  )
}

print_lines.summary.synthesizer <- function(x) {
  table <- x$table
  shown <- data.frame(
    table[c("variable", "mean", "sd", "q5", "median", "q95")],
    rhat = sub("NA", "-", format_rhat(table$rhat)),
    lapply(table[c("ess_bulk", "ess_tail")], function(x) as.integer(round(x))),
    check.names = FALSE
  )
  c(x$header, "", format_table(shown))
}

#' @rdname synthesizer
#' @export
as.data.frame.synthesizer <- function(x,
                                      row.names = NULL, # nolint
                                      optional = FALSE,
                                      ...) {
  as.data.frame(as_draws_df.synthesizer(x, ...))
}
