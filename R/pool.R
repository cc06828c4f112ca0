#' Estimates and intervals from several synthetic sets
#'
#' Combines the results of the same model fitted to each of the m sets. The
#' estimate is the mean \eqn{\bar q} over the sets. Its variance T is the mean
#' \eqn{\bar u} of the variances that the models state, plus a multiple of the
#' variance b between the sets.
#'
#' The multiple depends on how the sets were made, which the sets record:
#' * Sets of a fit (`"reiter"`): \eqn{T = \bar u + b / m}, the rule for
#'   partially synthetic data. The mean over the sets is near the estimate from
#'   the file.
#' * Sets of a [score_release()] or a [file_release()] with `uncertainty = TRUE`
#'   (`"rubin"`): \eqn{T = \bar u + (1 + 1 / m) b}, the rule for multiple
#'   imputation. Each set is one plausible version of the confidential file,
#'   given the noisy release. The variance b measures how uncertain the estimate
#'   from that file remains because of the noise.
#' * Sets of such a release with `uncertainty = FALSE` (`"none"`) hold the same
#'   best-fitting values in different rows. b then measures nothing, and
#'   combining the sets is an error.
#'
#' Intervals and tests use a t distribution with \eqn{(m - 1) (1 + \bar u /
#' (T - \bar u))^2} degrees of freedom.
#'
#' @param data A [`synthetic_data`][synthetic_data] object, or a
#'   [`pseudo_posterior`][pseudo_posterior], whose sets are used. For weighted
#'   estimates see [survey_design()].
#' @param expr (expression) The analysis to run in each set, with the set's
#'   columns as variables, such as `lm(log(income) ~ age + earner)`.
#' @param fits (list) The m results: the value of `with()`; a list of models
#'   with [coef()] and [vcov()] methods (`lm()`, `glm()`, survey's `svyglm()`);
#'   or, for any other estimator, a list of lists with `estimate` and
#'   `variance`, named numeric vectors.
#' @param level (number in (0, 1)) Confidence level of the intervals. Default
#'   0.95.
#' @param rule (`"reiter"`, `"rubin"` or `NULL`) The combining rule. State it
#'   for results that do not come from `with()`, such as results from the files
#'   of a release; its codebook or page states the rule. `NULL`, the default:
#'   the rule of the sets, or `"reiter"` if it is unknown.
#' @param object A `pooled_estimates` object.
#' @param parm (character, whole numbers or missing) The terms to show. Default:
#'   all.
#' @param ... Passed to the expression's environment by `with()`; otherwise not
#'   used.
#'
#' @return `with()`: a list of m results of class `synthetic_fits`. `pool()`: a
#'   `pooled_estimates`, a list with
#'   * `table`: a data frame with a row for each term and the columns `term`,
#'     `estimate`, `std_error`, `statistic` (t), `df`, `p_value`, `conf_low`,
#'     `conf_high`, `within` (\eqn{\bar u}) and `between` (b);
#'   * `m`, `level`, `rule`; `coding` (levels and contrasts of categories).
#'
#'   Its methods are `coef()`, `vcov()` (T on the diagonal; covariances are
#'   combined in the same way if the models state them), `confint()`,
#'   `as.data.frame()`, `plot()`, and `tidy()` and `glance()` for users of
#'   broom.
#' @section Households:
#' Members of a household are alike, and models count them as if they were not.
#' Of sets with households (see [members()]) the variances that `lm()` and
#' `glm()` state are replaced by those between households: the sandwich of sums
#' of scores over a household's members, with the factor
#' \eqn{G / (G - 1) \cdot (n - 1) / (n - p)} for G households. `with()` must
#' have made the results: a list of models does not tell who lives together. Of
#' another model give `estimate` and a `variance` of your own, or use
#' [survey_design()], whose clusters are the households.
#' @section Validity of the rules:
#' The rules need at least two sets, because b cannot be computed from one set.
#' They do not correct bias: if weights or censoring pull a model towards its
#' prior, the intervals are around the pulled value. `"reiter"` does not count
#' noise that all sets share, such as the noise of a [perturbed_histogram()]
#' used as their margin.
#'
#' `"rubin"` includes the noise. A simulation drew 500 files of 1,000 log-normal
#' records, with 20 sets for each file at an add-remove epsilon of 1. The 95%
#' intervals covered the population's mean, median, a share and two coefficients
#' 94 to 98% of the time. The intervals of the coefficients were as long as
#' those of [confint()][score-inference] of the release.
#'
#' The intervals are only as good as the model. Another simulation had Student's
#' errors of 3 degrees of freedom on the log scale, whose far tail the noise
#' hides. It drew 200 files of 5,000 records, with 20 sets for each file at
#' epsilon 1 and `uncertainty = TRUE`. The 95% intervals covered the
#' population's mean in 78% of the files, and the estimate was 1.3% too small on
#' average. Intervals from [lm()], which uses less information than the family,
#' were a quarter too long.
#' @section Error types:
#' `pseudosynth_error_input`: fewer than two results; results without
#' coefficients or variances; terms that some sets lack; levels or contrasts
#' that differ between sets; variances below 0; sets that cannot be combined; a
#' rule that differs from the rule of the sets.
#' @references Reiter (2003), Inference for partially synthetic, public use
#'   microdata sets, Survey Methodology 29, section 2. Rubin (1987), Multiple
#'   imputation for nonresponse in surveys, section 3.1. Raisa, Jalko, Kaski and
#'   Honkela (2023), Noise-aware statistical inference with differentially
#'   private synthetic data. They draw a population and a new sample for each
#'   set.
#' @seealso [synthesize()], [utility()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' synthetic <- synthesize(fit, m = 5)
#' pooled <- pool(with(synthetic, lm(log(income) ~ age + earner)))
#' pooled
#' confint(pooled)
#' # From a score release, any estimate can be combined
#' release <- score_release(log(income) ~ age + earner, ce, epsilon = 2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6)
#' )
#' sets <- synthesize(release, 10, ce, uncertainty = TRUE)
#' pool(with(sets, list(
#'   estimate = c(mean = mean(income)),
#'   variance = c(mean = var(income) / length(income))
#' )))
#' @export
pool <- function(fits, level = 0.95, rule = NULL) {
  check_present(fits)
  rule <- combining_rule(fits, rule)
  refuse_if(
    is.function(level),
    "{.arg fits} must be the results of a model in each set.",
    x = "{.arg level} is a function.", i = fits_example, arg = "fits"
  )
  level <- check_argument(level)
  results <- pooled_parts(fits)
  m <- length(results)
  terms <- names(results[[1]]$estimate)
  estimates <- do.call(cbind, lapply(results, `[[`, "estimate"))
  within <- mean_over(results, "variance")
  between <- stats::cov(t(estimates))
  if (all(vapply(results, function(x) x$diagonal, NA))) {
    between <- diag(diag(between), length(terms))
  }
  added <- if (rule == "rubin") 1 + 1 / m else 1 / m
  total <- within + added * between
  dimnames(total) <- list(terms, terms)
  u <- diag(within)
  b <- diag(between)
  estimate <- unname(rowMeans(estimates))
  # What is left where all sets give the same is how sums are rounded
  df <- (m - 1) * (1 + u / (added * b))^2
  df[b <= 1e-24 * pmax(u, estimate^2)] <- Inf
  std_error <- sqrt(diag(total))
  statistic <- ifelse(std_error > 0 | estimate != 0, estimate / std_error, 0)
  reach <- stats::qt((1 + level) / 2, df) * std_error
  new_result(
    "pooled_estimates",
    table = data.frame(
      term = terms, estimate = estimate, std_error = std_error,
      statistic = statistic, df = df,
      p_value = 2 * stats::pt(-abs(statistic), df), conf_low = estimate - reach,
      conf_high = estimate + reach, within = u, between = b, row.names = NULL
    ),
    variance = total, m = m, level = level, rule = rule,
    coding = coding_of(fits[[1]])
  )
}

fits_example <- "Write {.code pool(with(sets, lm(log(income) ~ age)))}."

#' @rdname pool
#' @export
with.synthetic_data <- function(data, expr, ...) {
  in_each_set(data, substitute(expr), parent.frame())
}

#' @rdname pool
#' @export
with.pseudo_posterior <- function(data, expr, ...) {
  in_each_set(data$synthetic, substitute(expr), parent.frame())
}

in_each_set <- function(sets, asked, caller) {
  frames <- as.list(sets)
  fits <- in_each_frame(frames, asked, caller, sets$made_by$combine)
  if (is.null(sets$unit)) {
    return(fits)
  }
  new_synthetic_fits(
    Map(with_homes, unclass(fits), frames, sets$unit), sets$made_by$combine,
    by_home = TRUE
  )
}

# Parts of results keep what pool() goes by
#' @export
`[.synthetic_fits` <- function(x, i) {
  new_synthetic_fits(unclass(x)[i], attr(x, "combine"), attr(x, "by_home"))
}

#' @param results (list) One of each set.
#' @param combine (string) See combine_words.
#' @param by_home (`TRUE` or `NULL`) Are the sets' records those of households?
#' @noRd
new_synthetic_fits <- function(results, combine, by_home = NULL) {
  structure(
    results,
    class = "synthetic_fits", combine = combine, by_home = by_home
  )
}

#' A result that brings the households of its records along, wherever it goes
#' @noRd
with_homes <- function(fit, frame, unit) {
  homes <- homes_of_fit(fit, frame, unit)
  if (!is.null(homes)) attr(fit, "homes") <- homes
  fit
}

#' The household of each record that a model was fitted to
#' @param frame (data frame, or a list of two linked ones)
#' @return (integer or `NULL`, where the model does not tell)
#' @noRd
homes_of_fit <- function(fit, frame, unit) {
  if (!inherits(fit, "lm") || inherits(fit, "mlm")) {
    return(NULL)
  }
  tryCatch({
    data <- fit$call$data
    file <- if (is.null(data)) {
      frame
    } else {
      eval(data, environment(stats::formula(fit)))
    }
    rows <- match(row.names(stats::model.frame(fit)), row.names(file))
    homes <- homes_of(file, unit)[rows]
    if (length(homes) > 0 && !anyNA(homes)) homes
  }, error = function(e) NULL)
}

#' The variance of a linear model's coefficients between households
#' @param homes (integer) Of each record.
#' @noRd
variance_by_home <- function(fit, homes) {
  own <- stats::coef(fit)
  kept <- which(!is.na(own))
  x <- stats::model.matrix(fit)[, kept, drop = FALSE]
  w <- fit$weights %||% rep(1, nrow(x))
  bread <- chol2inv(qr.R(qr(x * sqrt(w))))
  sums <- rowsum(x * (w * fit$residuals), homes)
  n <- c(homes = nrow(sums), records = sum(w > 0), terms = length(kept))
  factor <- n[["homes"]] / (n[["homes"]] - 1) *
    (n[["records"]] - 1) / (n[["records"]] - n[["terms"]])
  variance <- factor * bread %*% crossprod(sums) %*% bread
  dimnames(variance) <- list(names(own)[kept], names(own)[kept])
  variance
}

#' Results whose variances know who lives together
#' @return (list) `fits`, of which models are lists of two.
#' @noRd
fits_by_home <- function(fits) {
  homes <- lapply(fits, attr, "homes", exact = TRUE)
  stated <- vapply(fits, is_stated_result, NA)
  unknown <- !stated & vapply(homes, is.null, NA)
  refuse_if(
    any(unknown),
    "Variances must count the members of a household together.",
    x = "Result {which(unknown)[1]} is {describe_type(fits[unknown][[1]])}, of
         which this is done for {.fn lm} and {.fn glm} of a set's own rows
         alone.",
    i = "Give lists with {.field estimate} and a {.field variance} by households
         of your own, such as {.code sandwich::vcovCL(fit, ~ home)}.",
    i = "With survey weights: {.code pool(with(survey_design(sets), ..))}.",
    arg = "fits"
  )
  Map(function(fit, home, stated) {
    if (stated) {
      return(fit)
    }
    list(
      estimate = stats::coef(fit), variance = variance_by_home(fit, home)
    )
  }, fits, homes, stated)
}

#' @param frames (list of lists) The variables of each set.
#' @param combine (string) See combine_words.
#' @noRd
in_each_frame <- function(frames, asked, caller, combine) {
  around <- named_objects(asked, caller)
  new_synthetic_fits(
    lapply(frames, function(frame) eval(asked, frame, around)), combine
  )
}

#' What an expression names, without the frame it stands in
#'
#' A model keeps the environment of its formula, and a function's frame may hold
#' the confidential file. So the objects that are named go into an environment
#' of their own, with those that their formulas and functions name.
#' @noRd
named_objects <- function(asked, caller) {
  around <- new.env(parent = globalenv())
  in_frames <- function(env) {
    while (!identical(env, globalenv()) && !identical(env, emptyenv()) &&
      !isNamespace(env)) {
      frames[[length(frames) + 1]] <<- env
      env <- parent.env(env)
    }
    env
  }
  frames <- list()
  parent.env(around) <- in_frames(caller)
  of_frames <- function(env) any(vapply(frames, identical, TRUE, env))
  carry <- function(names) {
    for (name in setdiff(names, ls(around, all.names = TRUE))) {
      at <- Find(function(env) exists(name, env, inherits = FALSE), frames)
      if (is.null(at)) next
      object <- get(name, at, inherits = FALSE)
      own <- (is.function(object) || rlang::is_formula(object)) &&
        is.environment(environment(object)) && of_frames(environment(object))
      if (own) {
        # The text of the script that a function stands in stays behind, too
        if (is.function(object)) object <- utils::removeSource(object)
        environment(object) <- around
      }
      assign(name, object, around)
      if (own) {
        carry(names_in(if (is.function(object)) as.list(object) else object))
      }
    }
  }
  carry(names_in(asked))
  around
}

#' Names and strings of an expression: a function may be given by its name
#' @noRd
names_in <- function(x) {
  if (is.symbol(x)) {
    as.character(x)
  } else if (is.character(x)) {
    as.vector(x)
  } else if (is.call(x) || is.list(x) || is.expression(x)) {
    name <- unlist(lapply(as.list(x), names_in))
    setdiff(unique(name), "")
  }
}

# The rule ---------------------------------------------------------------------

#' The rule of the sets that results come from
#' @return (string) `"reiter"` or `"rubin"`.
#' @noRd
combining_rule <- function(fits, rule) {
  if (!is.null(rule)) rule <- check_choice(rule, c("reiter", "rubin"), "rule")
  sets <- sets_of(fits)
  of_sets <- inherits(sets, "synthetic_data")
  known <- if (of_sets) unclass(sets)$made_by$combine else attr(fits, "combine")
  refuse_if(
    identical(known, "none"), "These sets cannot be combined.",
    x = "They hold the same best-fitting values in different rows, so the
         variance between them does not measure the error from the noise.",
    i = "For a score release, {.code confint(release)} gives intervals of the
         coefficients.",
    i = "If the release allows it, {.code synthesize(release, m = 20,
         uncertainty = TRUE)} draws sets that {.fn pool} can combine.",
    arg = "fits"
  )
  refuse_if(
    of_sets, "{.arg fits} must be the estimates from each set.",
    x = "It is the sets themselves.", i = fits_example, arg = "fits"
  )
  refuse_if(
    !is.null(known) && !is.null(rule) && rule != known,
    "{.arg rule} must be the rule of the sets.",
    x = "It is {.val {known}} for these sets.", i = "Leave {.arg rule} out.",
    arg = "rule"
  )
  known %||% rule %||% "reiter"
}

#' @export
print.synthetic_fits <- function(x, ...) {
  cat(sprintf(
    "%d results of class %s, one for each synthetic set\n  %s\n", length(x),
    class(x[[1]])[1], "pool() combines them"
  ))
  invisible(x)
}

# What the models say ---------------------------------------------------------

#' Estimates and covariances of every set, the same terms in the same order
#' @return (list of lists) `estimate`, `variance` (matrix), `diagonal` (flag).
#' @noRd
pooled_parts <- function(fits) {
  refuse_if(
    !is.list(fits) || is.data.frame(fits) || inherits(fits, "lm"),
    "{.arg fits} must be a list with a result for each synthetic set.",
    x = "It is {describe_type(fits)}.", i = fits_example, arg = "fits"
  )
  n_fits <- length(fits)
  refuse_if(
    n_fits < 2, "At least two sets are needed.",
    x = "{.arg fits} has {n_fits} result{?s}.",
    i = "The difference between sets is part of the error; one set does not
         show it.",
    arg = "fits"
  )
  # Households are told by the results together, or by those that have them
  by_home <- isTRUE(attr(fits, "by_home")) ||
    !all(vapply(fits, function(fit) is.null(attr(fit, "homes", TRUE)), NA))
  counted <- if (by_home) fits_by_home(fits) else fits
  results <- lapply(seq_along(fits), function(j) {
    estimate_parts(counted[[j]], j)
  })
  terms <- names(results[[1]]$estimate)
  everywhere <- lapply(results, function(x) names(x$estimate))
  some <- setdiff(unlist(everywhere), Reduce(intersect, everywhere))
  refuse_if(
    length(some) > 0, "Every set must have the same terms.",
    x = "{cli::qty(length(some))}Not in every set: {.val {some}}.",
    i = "A level or a column may be missing from some of them.", arg = "fits"
  )
  check_coding(lapply(fits, coding_of), "Every set")
  lapply(results, function(x) {
    x$estimate <- x$estimate[terms]
    x$variance <- x$variance[terms, terms, drop = FALSE]
    x
  })
}

#' Refuse coefficients of one name that mean different things
#' @param codings (list) See coding_of().
#' @param what (string) The first words of the message.
#' @noRd
check_coding <- function(codings, what) {
  refuse_if(
    !all(vapply(codings[-1], identical, NA, codings[[1]])),
    paste(what, "must code categories alike: the same levels in the same order,
    and the same contrasts."),
    x = "Coefficients of the same name mean different things.",
    i = "Give a column the same levels everywhere,
         {.code factor(x, levels = c(...))}. For contrasts write
         {.code contrasts(set$x) <- contrasts(data$x)}.", arg = "fits"
  )
}

is_stated_result <- function(fit) {
  is.list(fit) && !is.object(fit) &&
    all(c("estimate", "variance") %in% names(fit))
}

estimate_parts <- function(fit, j) {
  parts <- if (is_stated_result(fit)) {
    fit[c("estimate", "variance")]
  } else {
    tryCatch(
      list(estimate = stats::coef(fit), variance = stats::vcov(fit)),
      error = function(e) NULL
    )
  }
  estimate <- parts$estimate
  refuse_if(
    !is.numeric(estimate) || is.null(names(estimate)),
    "Every result needs named estimates and their variances.",
    x = "Result {j} is {describe_type(fit)}.",
    i = "Give models with {.fn coef} and {.fn vcov} methods, or lists with
         {.field estimate} and {.field variance}.",
    arg = "fits"
  )
  # A model leaves out what it cannot tell apart
  terms <- names(estimate)[!is.na(estimate)]
  diagonal <- is.null(dim(parts$variance))
  variance <- if (diagonal) {
    named_diagonal(parts$variance, names(estimate))
  } else {
    as.matrix(parts$variance)
  }
  refuse_if(
    anyDuplicated(terms) > 0 || any(!is.finite(estimate[terms])),
    "Estimates must be finite numbers with distinct names.",
    x = "The estimates of result {j} are not.", arg = "fits"
  )
  # Of terms that it does not hold
  variance <- tryCatch(
    variance[terms, terms, drop = FALSE], error = function(e) NULL
  )
  refuse_if(
    !is.numeric(variance) || length(terms) == 0 ||
      any(!is.finite(variance)) || any(diag(variance) < 0),
    "Every estimate needs a variance of at least 0.",
    x = "Result {j} has estimates without one.",
    i = "Are there fewer records than coefficients?", arg = "fits"
  )
  list(estimate = estimate[terms], variance = variance, diagonal = diagonal)
}

named_diagonal <- function(variance, terms) {
  if (length(variance) != length(terms)) {
    return(matrix(NA_real_, 0, 0))
  }
  names <- names(variance) %||% terms
  matrix(
    diag(as.double(variance), length(terms)), length(terms),
    dimnames = list(names, names)
  )
}

# Methods ----------------------------------------------------------------------

#' @noRd
pooled_shown <- function(x) {
  shown <- x$table[c(
    "term", "estimate", "std_error", "conf_low", "conf_high", "df"
  )]
  shown$df <- ifelse(shown$df > 1e6, Inf, round(shown$df, 1))
  names(shown) <- c("", "estimate", "std. error", "low", "high", "df")
  shown
}

pooled_headline <- function(x) {
  sprintf(
    "Pooled over m = %d synthetic sets, %s%% intervals (%s)",
    x$m, format(100 * x$level),
    c(reiter = "Reiter 2003", rubin = "Rubin 1987")[[x$rule]]
  )
}

print_lines.pooled_estimates <- function(x) {
  c(pooled_headline(x), paste0("  ", format_table(pooled_shown(x))))
}

#' @rdname pool
#' @export
coef.pooled_estimates <- function(object, ...) {
  stats::setNames(object$table$estimate, object$table$term)
}

#' @rdname pool
#' @export
vcov.pooled_estimates <- function(object, ...) object$variance

#' @rdname pool
#' @export
confint.pooled_estimates <- function(object, parm, level = object$level, ...) {
  level <- check_argument(level)
  table <- object$table
  reach <- stats::qt((1 + level) / 2, table$df) * table$std_error
  rows <- if (missing(parm)) TRUE else check_terms(parm, table$term)
  interval_ends(table$estimate, reach, level, table$term)[rows, , drop = FALSE]
}

#' The names that broom's users know
#' @exportS3Method generics::tidy
#' @noRd
tidy.pooled_estimates <- function(x, ...) {
  columns <- c(
    term = "term", estimate = "estimate", std.error = "std_error",
    statistic = "statistic", p.value = "p_value", conf.low = "conf_low",
    conf.high = "conf_high", df = "df"
  )
  stats::setNames(x$table[columns], names(columns))
}

#' @exportS3Method generics::glance
#' @noRd
glance.pooled_estimates <- function(x, ...) {
  data.frame(
    m = x$m, terms = nrow(x$table), level = x$level, rule = x$rule,
    # the share of the variance that synthesis added, mean over terms
    added = mean(ifelse(
      x$table$std_error > 0, 1 - x$table$within / x$table$std_error^2, 0
    ))
  )
}
