# The names that broom's users know, for the results that have a table: tidy()
# is a row for each term, record, set or run, glance() one row of the whole,
# augment() the confidential records with what was found of each.

#' Turn results into data frames with broom's verbs
#'
#' Methods for `tidy()`, `glance()` and `augment()` of the packages generics and
#' broom. All return data frames, which are as confidential as the object.
#'
#' @param x Any result of the package; for `augment()` a `synthesizer` or a job,
#'   whose last fit is used.
#' @param ... Not used.
#' @return
#' `tidy()` returns one row for each
#' * quantity of the `summary()` of a fit, with `term`, `estimate` (mean),
#'   `std.error` (standard deviation), `conf.low`, `conf.high` (5% and 95%),
#'   `rhat`, `ess_bulk`, `ess_tail`;
#' * coefficient of a score release, or of each amount of a file release;
#' * stage of a job;
#' * record of a bound or an [external_fit()];
#' * synthetic set, as in its `summary()`;
#' * charge of a label.
#'
#' For other results it returns what `as.data.frame()` gives. `glance()` returns
#' one row. `augment()` returns the columns of the model and, for each record,
#' `.weight`, `.bound` and `.oscillation`. `summary()` of a result that is a
#' table returns the result itself.
#' @examplesIf requireNamespace("generics", quietly = TRUE)
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' generics::tidy(fit)
#' generics::glance(fit)
#' head(generics::augment(fit))
#' @name tidy-tables
NULL

# tidy() -----------------------------------------------------------------------

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.pseudosynth_result <- function(x, ...) as.data.frame(x)

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
tidy.pseudo_posterior <- function(x, ...) x$stages

#' @rdname tidy-tables
#' @export
as.data.frame.lipschitz_bound <- function(x, ...) {
  data.frame(
    bound = x$record, oscillation = x$oscillation,
    nonfinite = counts_of_all(x$nonfinite, length(x$record))
  )
}

#' @rdname tidy-tables
#' @export
as.data.frame.external_fit <- function(x, ...) {
  data.frame(weight = alpha_of(x), as.data.frame(x$bound))
}

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.privacy_weights <- function(x, ...) as.data.frame(x)

#' @rdname tidy-tables
#' @exportS3Method generics::tidy
tidy.synthetic_data <- function(x, ...) summary(x)$table

#' @rdname tidy-tables
#' @export
as.data.frame.perturbed_histogram <- function(x, ...) {
  n <- length(x$counts)
  data.frame(
    lower = x$breaks[-(n + 1)], upper = x$breaks[-1], count = x$counts,
    noisy = x$noisy
  )
}

#' @rdname tidy-tables
#' @export
as.data.frame.privacy_guarantee <- function(x, ...) intact_label(x)$charges

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
  augment.synthesizer(fit_of_records(x, "x"))
}

# glance(): one row of each result.

# Of a class without a row of its own: its figures of the whole, or its label
#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.pseudosynth_result <- function(x, ...) {
  overall <- unclass(x)[["overall"]]
  if (is.null(overall)) {
    glance.privacy_guarantee(guarantee(x))
  } else {
    one_row(overall)
  }
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.synthesizer <- function(x, ...) {
  table <- x$diagnostics
  data.frame(
    nobs = n_records(x), draws = n_draws(x), chains = n_chains(x),
    bounds_of_fit(x), rhat = max(table$rhat), ess_bulk = min(table$ess_bulk),
    seconds = x$seconds$total %||% NA_real_
  )
}

#' What glance() says of any fit
#' @noRd
bounds_of_fit <- function(x) {
  data.frame(
    lipschitz_bound = x$bound$overall, oscillation = max(x$bound$oscillation),
    mean_weight = mean(alpha_of(x)), label = guarantee(x)$label,
    converged = isTRUE(x$converged)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.external_fit <- function(x, ...) {
  data.frame(
    name = x$name, nobs = n_records(x), draws = n_draws(x), bounds_of_fit(x)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.pseudo_posterior <- function(x, ...) {
  label <- glance.privacy_guarantee(guarantee(x))
  data.frame(
    mechanism = x$mechanism, m = x$m, nobs = x$synthetic$n_records,
    label[c("label", "add_remove", "replace", "delta")],
    converged = all(x$stages$converged %in% c(TRUE, NA))
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.lipschitz_bound <- function(x, ...) {
  data.frame(
    nobs = length(x$record), draws = sum(x$kept), lipschitz_bound = x$overall,
    oscillation = max(x$oscillation), median_bound = stats::median(x$record),
    quantile = x$quantile, weighted = x$weighted
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.utility <- function(x, ...) one_row(x$overall)

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.privacy_weights <- function(x, ...) {
  alpha <- as.double(x)
  data.frame(
    nobs = length(alpha), mean = mean(alpha), median = stats::median(alpha),
    smallest = min(alpha), largest = max(alpha), zero = sum(alpha == 0)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.privacy_guarantee <- function(x, ...) {
  x <- intact_label(x)
  total <- x$epsilon$total
  data.frame(
    mechanism = x$mechanism, label = x$label, holds = x$holds,
    add_remove = total[["add-remove"]], replace = total[["replace"]],
    delta = x$epsilon$delta, m = x$m, nobs = x$n_records,
    reproducible = x$reproducible
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.synthetic_data <- function(x, ...) {
  labelled_row(
    x, variable = only_column(x)$name, moved = sum(only_column(x)$moved)
  )
}

labelled_row <- function(x, ...) {
  data.frame(..., glance.privacy_guarantee(guarantee(x)))
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.perturbed_histogram <- function(x, ...) {
  labelled_row(x, variable = x$response$name, bins = length(x$counts))
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.score_release <- function(x, ...) {
  labelled_row(x, response = x$response$label, coefficients = length(coef(x)))
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.replicate_study <- function(x, ...) {
  data.frame(x[c(
    "epsilon", "replicates", "above", "share", "share_upper", "level",
    "file", "file_rank", "interrupted"
  )])
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.mechanism_comparison <- function(x, ...) {
  data.frame(
    variable = x$variable, rows = nrow(x$table),
    failed = sum(nzchar(x$table$problem)), m = x$m %||% NA_integer_,
    seconds = sum(x$table$seconds), interrupted = isTRUE(x$interrupted)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.guarantee_audit <- function(x, ...) {
  data.frame(
    mechanism = x$mechanism, method = x$method, nobs = x$n_records,
    largest_ratio = max(x$worst$ratio)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.score_audit <- function(x, ...) {
  data.frame(
    nobs = x$n_records, replicates = x$replicates, unit = x$unit,
    largest_ratio = max(x$worst$exact / x$worst$claimed)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.privacy_ledger <- function(x, ...) {
  table <- as.data.frame(x)
  data.frame(
    entries = nrow(table), budget = x$epsilon,
    spent = max(table$spent, 0), delta = x$delta, neighbours = x$neighbours
  )
}

#' @param values (named numbers)
#' @noRd
one_row <- function(values) as.data.frame(as.list(values))
