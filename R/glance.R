# glance(): one row of each result.

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
glance.external_fit <- function(x, ...) {
  data.frame(
    name = x$name, nobs = n_records(x), draws = n_draws(x),
    delta = x$bound$overall, oscillation = max(x$bound$oscillation),
    mean_weight = mean(alpha_of(x)), label = guarantee(x)$label,
    converged = isTRUE(x$converged)
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
    add_remove = total[["add/remove-one"]], replace = total[["replace-one"]],
    delta = x$epsilon$delta, m = x$m, nobs = x$n_records,
    reproducible = x$reproducible
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.synthetic_data <- function(x, ...) {
  data.frame(
    variable = x$variable, moved = sum(x$moved),
    glance.privacy_guarantee(guarantee(x))
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.perturbed_histogram <- function(x, ...) {
  data.frame(
    variable = x$response$variable, bins = length(x$counts),
    glance.privacy_guarantee(guarantee(x))
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.score_release <- function(x, ...) {
  data.frame(
    response = x$response$label, coefficients = length(coef(x)),
    glance.privacy_guarantee(guarantee(x))
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.replicate_study <- function(x, ...) {
  data.frame(x[c(
    "epsilon", "replicates", "above", "share", "share_upper", "confidence",
    "file", "file_rank", "interrupted"
  )])
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.mechanism_comparison <- function(x, ...) comparison_glance(x)

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.risk_utility_map <- function(x, ...) comparison_glance(x)

comparison_glance <- function(x) {
  data.frame(
    variable = x$variable, rows = nrow(x$table),
    failed = sum(nzchar(x$table$problem)), sets = x$sets %||% NA_integer_,
    seconds = sum(x$table$seconds), interrupted = isTRUE(x$interrupted)
  )
}

#' @rdname tidy-tables
#' @exportS3Method generics::glance
glance.resampled_statistics <- function(x, ...) {
  data.frame(
    variable = x$variable, statistics = length(unique(x$table$statistic)),
    releases = length(unique(x$table$release)),
    resamples = max(table(x$draws$release, x$draws$statistic))
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
    nobs = x$n_records, runs = x$runs, unit = x$unit,
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
one_row <- function(values) {
  as.data.frame(as.list(values))
}
