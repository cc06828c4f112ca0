# The names that broom's users know, for the results that have a table: tidy()
# is a row for each term, record, set or run, glance() one row of the whole,
# augment() the confidential records with what was found of each.

#' Tables of results for users of broom
#'
#' `tidy()`, `glance()` and `augment()` of the packages generics and broom. All
#' are data frames, and confidential wherever the object is.
#'
#' @param x A result: of `tidy()` any that has a table; of `glance()` a
#'   `synthesizer`, a [pseudo_posterior()] job, a [lipschitz()] bound, an
#'   [identification_risk()], an [attribute_risk()], a [utility()]; of
#'   `augment()` a `synthesizer` or a job, whose last fit is taken.
#' @param row.names,optional Not used; there for the generic.
#' @param ... Not used.
#' @return `tidy()`: of a fit a row for each quantity of its `summary()`
#'   with `term`, `estimate` (mean), `std.error` (standard
#'   deviation), `conf.low`, `conf.high` (5% and 95%), `rhat`, `ess_bulk`,
#'   `ess_tail`; of a job its stages; of a bound a row for each record; of all
#'   others what `as.data.frame()` gives. `glance()`: one row. `augment()`: the
#'   columns of the model with `.weight`, `.bound` and `.oscillation` of each
#'   record.
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' generics::tidy(fit)
#' generics::glance(fit)
#' head(generics::augment(fit))
#' @name tidy-tables
NULL

# tidy() -----------------------------------------------------------------------

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.synthesizer <- function(x, ...) {
  table <- summary(x)$table
  data.frame(
    term = table$variable, estimate = table$mean, std.error = table$sd,
    conf.low = table$q5, conf.high = table$q95,
    table[c("rhat", "ess_bulk", "ess_tail")]
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.pseudo_posterior <- function(x, ...) {
  x$stages
}

#' @rdname tidy-tables
#' @export
as.data.frame.lipschitz_bound <- function(x,
                                          row.names = NULL, # nolint
                                          optional = FALSE, ...) {
  data.frame(
    bound = x$record, oscillation = x$oscillation, nonfinite = x$nonfinite
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.lipschitz_bound <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.privacy_weights <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.identification_risk <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.attribute_risk <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.utility <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.mechanism_comparison <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.risk_utility_map <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.resampled_statistics <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.replicate_study <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.guarantee_audit <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.score_audit <- function(x, ...) as.data.frame(x)

# glance() ---------------------------------------------------------------------

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.synthesizer <- function(x, ...) {
  table <- x$diagnostics
  data.frame(
    nobs = n_records(x), draws = n_draws(x), chains = n_chains(x),
    delta = x$bound$overall, oscillation = max(x$bound$oscillation),
    mean_weight = mean(alpha_of(x)), label = guarantee(x)$label,
    converged = isTRUE(x$converged), rhat = max(table$rhat),
    ess_bulk = min(table$ess_bulk), seconds = x$seconds$total %||% NA_real_
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.pseudo_posterior <- function(x, ...) {
  label <- guarantee(x)
  total <- label$epsilon$total
  data.frame(
    mechanism = x$mechanism, m = x$m, nobs = x$synthetic$n_records,
    label = label$label, add_remove = total[["add/remove-one"]],
    replace = total[["replace-one"]], delta = label$epsilon$delta,
    converged = all(x$stages$converged %in% c(TRUE, NA))
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.lipschitz_bound <- function(x, ...) {
  data.frame(
    nobs = length(x$record), draws = sum(x$kept), delta = x$overall,
    oscillation = max(x$oscillation), median_bound = stats::median(x$record),
    quantile = x$quantile, weighted = x$weighted
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.identification_risk <- function(x, ...) one_row(x$overall)

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.attribute_risk <- function(x, ...) one_row(x$overall)

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.utility <- function(x, ...) one_row(summary(x)$means)

#' @param values (named numbers)
#' @noRd
one_row <- function(values) {
  as.data.frame(as.list(values))
}

# augment() --------------------------------------------------------------------

#' @rdname tidy-tables
#' @exportS3Method generics::augment
augment.synthesizer <- function(x, ...) {
  data.frame(
    x$data, .weight = alpha_of(x), .bound = x$bound$record,
    .oscillation = x$bound$oscillation, check.names = FALSE
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::augment
augment.pseudo_posterior <- function(x, ...) {
  fit <- final_fit(x)
  check_class(
    fit, "synthesizer", "A score release has no bounds of records.",
    arg = "x"
  )
  augment.synthesizer(fit)
}
