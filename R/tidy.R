# The names that broom's users know, for the results that have a table: tidy()
# is a row for each term, record, set or run, glance() one row of the whole,
# augment() the confidential records with what was found of each.

#' Tables of results for users of broom
#'
#' `tidy()`, `glance()` and `augment()` of the packages generics and broom. All
#' are data frames, and confidential wherever the object is.
#'
#' @param x,object A result: of `tidy()` and `glance()` any of the package, of
#'   `augment()` a `synthesizer` or a job, whose last fit is taken.
#' @param row.names,optional Not used; there for the generic.
#' @param ... Not used.
#' @return `tidy()`: of a fit a row for each quantity of its `summary()`
#'   with `term`, `estimate` (mean), `std.error` (standard
#'   deviation), `conf.low`, `conf.high` (5% and 95%), `rhat`, `ess_bulk`,
#'   `ess_tail`, of a score release each coefficient; of a job its stages; of a
#'   bound, and of an [external_fit()], a row for each record; of sets the table
#'   of their `summary()`; of a label its charges; of all others what
#'   `as.data.frame()` gives. `glance()`: one row. `augment()`: the columns of
#'   the model with `.weight`, `.bound` and `.oscillation` of each record.
#'   `summary()` of a result that is a table is the result itself, whose print
#'   sums it up.
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
#' @export
as.data.frame.external_fit <- function(x,
                                       row.names = NULL, # nolint
                                       optional = FALSE, ...) {
  data.frame(weight = alpha_of(x), as.data.frame(x$bound))
}

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.external_fit <- function(x, ...) as.data.frame(x)

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

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.synthetic_data <- function(x, ...) summary(x)$table

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.score_release <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @export
as.data.frame.score_release <- function(x,
                                        row.names = NULL, # nolint
                                        optional = FALSE, ...) {
  ends <- confint(x)
  data.frame(
    term = names(coef(x)), estimate = unname(coef(x)),
    std.error = unname(sqrt(diag(vcov(x)))), conf.low = unname(ends[, 1]),
    conf.high = unname(ends[, 2])
  )
}

#' @rdname tidy-tables
#' @export
as.data.frame.perturbed_histogram <- function(x,
                                              row.names = NULL, # nolint
                                              optional = FALSE, ...) {
  n <- length(x$counts)
  data.frame(
    lower = x$breaks[-(n + 1)], upper = x$breaks[-1], count = x$counts,
    noisy = x$noisy
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.perturbed_histogram <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @export
as.data.frame.privacy_guarantee <- function(x,
                                            row.names = NULL, # nolint
                                            optional = FALSE, ...) {
  intact_label(x)$charges
}

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.privacy_guarantee <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.privacy_ledger <- function(x, ...) as.data.frame(x)

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

# summary() --------------------------------------------------------------------

#' @rdname tidy-tables
#' @export
summary.external_fit <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.mechanism_comparison <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.risk_utility_map <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.replicate_study <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.resampled_statistics <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.pooled_estimates <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.guarantee_audit <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.score_audit <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.perturbed_histogram <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.privacy_guarantee <- function(object, ...) object

#' @rdname tidy-tables
#' @export
summary.privacy_ledger <- function(object, ...) object
