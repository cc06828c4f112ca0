#' Identification risk of synthetic or top-coded data
#'
#' Measures how well an intruder can find a record by its value. The intruder
#' knows the record's pattern of published columns and its true value \eqn{y_i}.
#' Among the set \eqn{M_i} of released records with this pattern, the intruder
#' looks for values in a closed ball \eqn{B(y_i, r_i)}. Let \eqn{c_i} be the
#' number of these records whose values lie inside. Let \eqn{T_i = 1} if record
#' i's own released value is among them, otherwise 0. The risk of record i is
#' \deqn{IR_i = T_i \frac{|M_i| - c_i}{|M_i|},}
#' averaged over the m sets. The fewer values are close, the surer the guess,
#' provided that the record's own value is among them.
#'
#' It also gives the measures of Hornby and Hu (2021), per set:
#'
#' * expected match risk \eqn{\sum_i T_i / c_i}: how many records the intruder
#'   identifies correctly, on average, by guessing at random among the close
#'   ones;
#' * true match rate \eqn{\sum_i 1\{c_i = 1, T_i = 1\} / N}: the share of
#'   records for which a single value is close, and it is the record's own;
#' * false match rate \eqn{\sum_i 1\{c_i = 1, T_i = 0\} / \sum_i 1\{c_i = 1\}}:
#'   the share of single close values that belong to another record; `NA` if
#'   there are none.
#'
#' @param synthetic What was or would be released:
#'   [`synthetic_data`][synthetic_data], a `pseudo_posterior`, a data frame
#'   (top-coded data, for instance) or a list of data frames. Rows are matched
#'   to those of `data` by all columns but `variable`, if these are the file's;
#'   else they must be in its order.
#' @param data (data frame or `NULL`) The confidential records, or a
#'   `synthesizer`, whose records are then used. Default `NULL`: the records of
#'   a `pseudo_posterior`.
#' @param known (character or `NULL`) Published columns that the intruder knows.
#'   Default `NULL`: all records share one pattern.
#' @param radius (number > 0, at most 1 if relative) The radius r. There is no
#'   default, because it is a policy choice. The papers use 0.2. Look at
#'   several: risks of synthetic values mostly rise with it, and risks of
#'   top-coded values fall.
#' @param relative (flag) `TRUE`, the default: \eqn{r_i = r |y_i|}; a ball
#'   around 0 holds only 0. `FALSE`: \eqn{r_i = r} in the response's unit.
#' @param variable (string or `NULL`) The synthetic column. Default `NULL`: the
#'   one that `synthetic` names, if it names one.
#' @param threads (count) Threads. Results do not depend on it.
#' @param ... Not used.
#'
#' @return An `identification_risk`: a list with
#'   * `record` (data frame, N rows): `risk` (mean of \eqn{IR_i}), `own` (share
#'     of sets with \eqn{T_i = 1}), `matches` (mean of \eqn{c_i}),
#'     `pattern_size` (\eqn{|M_i|});
#'   * `set` (data frame, m rows): `mean_risk`, `expected_match_risk`,
#'     `true_match_rate`, `false_match_rate`, `unique_matches`;
#'   * `overall` (named numeric): the means over sets, with `NA` left out,
#'     together with `expected_match_share` (the expected match risk divided by
#'     N) and `max_risk`;
#'   * `m`, `n_records`, `n_patterns`, `known`, `radius`, `relative`,
#'     `variable`.
#'
#'   `summary()` gives quantiles of the record risks. Both results are
#'   confidential.
#'
#' @section Error types:
#' `pseudosynth_error_input`: the rows are not aligned with `data` (there are
#' more or fewer, or a known column has other values), values are missing or not
#' finite, or `radius` is missing.
#'
#' @section Privacy:
#' The risk is that of one intruder with one kind of knowledge. A low risk is no
#' guarantee. Rows must be aligned, so the risk can only be computed inside the
#' agency.
#'
#' @references Hu and Savitsky, Risk-weighted pseudo posterior, equation 8.
#' Hornby and Hu (2021), Identification risk evaluation of continuous
#' synthesized variables, Transactions on Data Privacy 14.
#' @seealso [risk_weights()], [synthesize()];
#'   `vignette("what-is-guaranteed")` has risks over a grid of radii.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' risk <- identification_risk(
#'   synthesize(fit, m = 5), small, known = c("age", "earner"), radius = 0.2
#' )
#' risk
#' @export
identification_risk <- function(synthetic, data = NULL, known = NULL, radius,
                                relative = TRUE, variable = NULL,
                                threads = default_threads(), ...) {
  check_present(synthetic)
  check_no_dots(..., hint = "See {.fn identification_risk}.")
  check_radius(rlang::maybe_missing(radius), relative)
  threads <- check_argument(threads)
  data <- confidential_file(data, synthetic)
  sets <- release_sets(synthetic, data, variable)
  variable <- synthetic_variable(synthetic, variable, whole = TRUE)
  known <- check_known(known, data, variable)
  y <- response_values(data, variable)
  # Where nobody knows them, too: they say whose row is whose
  own <- sets_of(synthetic)
  published <- if (inherits(own, "synthetic_data")) {
    setdiff(names(sets[[1]]), own$columns$name)
  }
  values <- vapply(seq_along(sets), function(j) {
    aligned_values(sets[[j]], j, data, known, variable, published)
  }, numeric(length(y)))

  pattern <- known_pattern(data, known)
  parts <- identification_risk_(
    y, ball_radius(y, radius, relative), pattern$code, pattern$n,
    matrix(values, length(y)), threads
  )
  new_identification_risk(
    parts, pattern,
    known = known, radius = radius, relative = relative, variable = variable
  )
}

#' The values of one set, after checking that its rows are those of the file
#' @noRd
aligned_values <- function(set, j, data, known, variable, published) {
  refuse_if(
    nrow(set) != nrow(data),
    "{.arg synthetic} must have the same rows as {.arg data}.",
    x = "Set {j} has {nrow(set)}, and {.arg data} has {nrow(data)}.",
    i = "The risk is measured for the file's own records.", arg = "synthetic"
  )
  check_columns(known, set, "synthetic")
  for (name in union(known, intersect(published, names(data)))) {
    codes <- row_codes(set, data, name)
    differ <- which(codes$set != codes$data)
    n <- length(differ)
    refuse_if(
      n > 0,
      "The rows of {.arg synthetic} must be those of {.arg data}.",
      x = "Column {.val {name}} of set {j} differs in {n} row{?s}, in whatever
           order its rows are.",
      i = "The risk is measured for the file's own records.",
      arg = "synthetic", rows = differ
    )
  }
  levels <- response_levels(data[[variable]])
  response_values(set, variable, levels, arg = "synthetic")
}

new_identification_risk <- function(parts, pattern, ...) {
  n <- length(parts$risk)
  m <- length(parts$set_risk)
  false <- (parts$set_unique - parts$set_true_unique) / parts$set_unique
  set <- data.frame(
    set = seq_len(m), mean_risk = parts$set_risk / n,
    expected_match_risk = parts$set_expected,
    true_match_rate = parts$set_true_unique / n,
    false_match_rate = ifelse(parts$set_unique > 0, false, NA_real_),
    unique_matches = as.integer(parts$set_unique)
  )
  means <- colMeans(set[2:5], na.rm = TRUE)
  means[is.nan(means)] <- NA_real_
  new_result(
    "identification_risk",
    record = data.frame(
      risk = parts$risk, own = parts$own, matches = parts$matches,
      pattern_size = pattern$size[pattern$code + 1L]
    ),
    set = set,
    overall = c(
      means, expected_match_share = means[["expected_match_risk"]] / n,
      max_risk = max(parts$risk)
    ),
    m = m, n_records = n, n_patterns = pattern$n, ...
  )
}

# Printing -------------------------------------------------------------------

print_lines.identification_risk <- function(x) {
  c(
    identification_lines(x),
    sprintf(
      "  mean risk %s, largest %s; expected match risk %s records (%s of N)",
      format_figure(x$overall[["mean_risk"]]),
      format_figure(x$overall[["max_risk"]]),
      format_figure(x$overall[["expected_match_risk"]]),
      format_share(x$overall[["expected_match_share"]])
    ),
    sprintf(
      "  true match rate %s, false match rate %s",
      format_share(x$overall[["true_match_rate"]]),
      format_share(x$overall[["false_match_rate"]])
    ),
    paste("  record risks:", format_named(summarize_values(x$record$risk))),
    paste0("  ", confidential_line())
  )
}

identification_lines <- function(x) {
  radius <- format(if (x$relative) 100 * x$radius else x$radius)
  c(
    sprintf(
      "Identification risk of %s: N = %s records, %s", x$variable,
      format_count(x$n_records), counted(x$m, "set")
    ),
    wrap_line(sprintf(
      "ball of %s around the true value; known: %s; %s",
      paste0(radius, if (x$relative) "%"),
      if (is.null(x$known)) "nothing else" else toString(x$known),
      counted(x$n_patterns, "pattern")
    ))
  )
}

#' @export
summary.identification_risk <- function(object, ...) {
  record <- object$record[c("risk", "own", "matches")]
  summaries <- lapply(record, summarize_values)
  new_result(
    "summary_identification_risk", header = identification_lines(object),
    table = data.frame(
      what = c("risk", "own value close", "close values"),
      do.call(rbind, unname(summaries)), check.names = FALSE
    ),
    set = object$set
  )
}

print_lines.summary_identification_risk <- function(x) {
  shown <- x$set
  names(shown) <- c(
    "set", "mean risk", "expected matches", "true rate", "false rate", "unique"
  )
  c(
    x$header, "  By record (means over sets)",
    paste0("  ", format_table(x$table)), "  By set",
    paste0("  ", format_table(shown)), paste0("  ", confidential_line())
  )
}
