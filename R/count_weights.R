#' Count weights
#'
#' Gives each record a privacy weight. The more isolated its value is among the
#' records that an intruder cannot tell apart from it, the smaller the weight.
#' Let \eqn{M_i} be the records that share record i's known pattern, including i
#' itself, and let \eqn{B(y_i, r_i)} be a closed ball around record i's true
#' value. Then
#' \deqn{IR_i = \frac{1}{|M_i|} \sum_{j \in M_i} 1\{y_j \notin B(y_i, r_i)\},
#' \qquad \alpha_i = \mathrm{clamp}(c (1 - IR_i) + g).}
#' The values are those of the file itself; no model is fitted. Computing the
#' weights takes as long as sorting, O(N log N).
#'
#' @param x A `synthesizer`, whose data and response are used. Alternatively,
#'   together with `data`: the name of the response or a formula with the
#'   response on its left side. A transformation such as `log(income)` only
#'   names the variable: balls are in the variable's own unit.
#' @param data (data frame) The records, unless `x` is a fit.
#' @param radius (number >= 0) r. It has no default: which values count as close
#'   is a policy choice and must not be read from the file.
#' @param relative (flag) `TRUE`, the default: \eqn{r_i = r |y_i|}, so 0.2 is
#'   20% of the true value, and a ball around 0 holds only 0. `FALSE`:
#'   \eqn{r_i = r} in the response's unit.
#' @param known (character or `NULL`) Published columns the intruder knows.
#'   Default `NULL`: all records share one pattern.
#' @param scale (number >= 0) c. Default 1.
#' @param shift (number) g. Default 0. A positive value is a floor. Without a
#'   floor nothing can be proven.
#' @param ... Must be empty.
#'
#' @return [`privacy_weights`][privacy_weights] (numeric, N) of scheme
#'   `"count"`. Their `arguments` hold `scale`, `shift`, `radius`, `relative`,
#'   `known`, `n_pattern_min` and `n_pattern_max` (records of the smallest and
#'   of the largest pattern), and with a floor `factor_add_remove` and
#'   `factor_replace`, see below.
#'
#' @section Privacy:
#' One record changes the weights of the others in its pattern, but only a
#' little. Let the pattern have M records, including the one that differs, and
#' let k of them lie outside a ball. Removing a record outside the ball changes
#' IR from k / M to (k - 1) / (M - 1), by at most 1 / M. Removing a record
#' inside the ball changes IR by k / (M (M - 1)), which is less. Replacing a
#' record changes IR by at most 1 / M. The ball holds the record itself, so
#' \eqn{\alpha_j \ge g + c / M}. If the contributions are censored to an
#' interval of width w, the change in the other records' weights costs at most w
#' times the sum of \eqn{\rho_j = 1 - \min(\alpha_j, \alpha_j') / \max(\alpha_j,
#' \alpha_j')}. The loss of one draw is therefore at most
#' \deqn{w \left(1 + \frac{(M - 1) c / M}{\min(1, g + c / M)}\right) \le
#' w (1 + c / g)}
#' for add-remove neighbours. For replace neighbours the limit is larger by w,
#' so it is at most \eqn{w (2 + c / g)}. M is the size of the largest pattern,
#' plus one for a record that is added. Pattern sizes are public because
#' predictors are published. Without a floor there is no such limit, and the
#' label of the fit is the papers' asymptotic one.
#'
#' A record that is alone in its pattern has IR = 0, because there is no other
#' value to count, although its predictors identify it. Choose `known` so that
#' patterns have many records.
#'
#' @section Error types:
#' `pseudosynth_error_input`: the response or a known column is missing or not
#' finite, or an argument is out of range.
#'
#' @references
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy, Algorithm 2, steps 1 to 4.
#' Hu and Savitsky, Risk-weighted pseudo posterior, equation 8, for the pattern
#' and the relative ball.
#' @seealso [lipschitz_weights()]; [risk_weights()] for risks in synthetic data;
#'   [scale_weights()], [freeze()].
#' @examples
#' ce <- subset(ce_income, income > 0)
#' w <- count_weights(log(income) ~ ., ce,
#'   radius = 0.2, known = c("sex", "age", "region"), scale = 0.5, shift = 0.5
#' )
#' w
#' @export
count_weights <- function(x, data = NULL, radius, relative = TRUE,
                          known = NULL, scale = 1, shift = 0, ...) {
  check_no_dots(..., hint = "See {.fn count_weights}.")
  check_present(x)
  records <- named_records(x, data)
  check_radius(rlang::maybe_missing(radius), relative, zero = TRUE)
  check_argument(scale)
  check_argument(shift)
  data <- records$data
  known <- check_known(known, data, records$variable)
  y <- response_values(data, records$variable)
  pattern <- known_pattern(data, known)
  basis <- list(
    variable = records$variable, known = known,
    levels = lapply(data[known], levels), values = y, pattern = pattern,
    response_levels = response_levels(data[[records$variable]]),
    radius = radius, relative = relative, scale = scale, shift = shift,
    history = row_hashes(as.list(data[c(records$variable, known)]))
  )
  new_count_weights(
    count_rule(basis, y, pattern$code), basis,
    file_mark(data, records$variable),
    record_marks(data, c(records$variable, known))
  )
}

#' @param basis (list) `known`, `pattern`, `radius`, `relative`, `scale`,
#'   `shift`, and what the rule needs besides.
#' @noRd
new_count_weights <- function(alpha, basis, made_from, records = NULL) {
  sizes <- range(basis$pattern$size)
  new_privacy_weights(
    alpha, "count",
    c(
      basis[c("scale", "shift", "radius", "relative")],
      if (!is.null(basis$known)) basis["known"],
      n_pattern_min = sizes[1], n_pattern_max = sizes[2],
      if (is.null(basis$drawn)) {
        count_factors(basis$scale, basis$shift, sizes[2])
      }
    ),
    made_from = made_from, basis = basis, records = records
  )
}

count_scheme <- function() {
  new_weighting_scheme(
    "count", title = "count weights (CW)", short = "CW", word = "cw",
    inputs = c("radius", "relative", "known", "scale", "shift"),
    dependency = count_dependency,
    reads = function(node) {
      list(response = node$basis$variable, predictors = node$basis$known)
    },
    rule = function(node, data, inner) {
      basis <- node$basis
      y <- response_values(data, basis$variable, basis$response_levels)
      apply_steps(count_rule(basis, y, known_codes(basis, data)), basis$steps)
    },
    rescale = rescaled_count,
    replay = function(node, records, run, inner) {
      b <- node$basis
      if (!is.null(b$drawn) && is.null(records$count)) {
        return(NULL)
      }
      made <- if (is.null(b$drawn)) {
        count_weights(
          b$variable, records$data, b$radius, b$relative, b$known, b$scale,
          b$shift
        )
      } else {
        # Of whole records, by the audit of files
        records$count(b)
      }
      for (step in b$steps) {
        node <- rescaled_count(node_of(made), step$scale, step$shift)
        made <- at_scale(made, node, step$scale, step$shift)
      }
      made
    }
  )
}

#' With a floor, one record moves the weights of others boundedly
#' @noRd
count_dependency <- function(node, inner) {
  c <- node$arguments[["scale"]]
  g <- node$arguments[["shift"]]
  # Weights of whole records do not know which records they are given to
  if (g <= 0 || !is.null(node$basis$drawn)) {
    return(dependency("other records"))
  }
  dependency("bounded", factor = by_relation(1 + c / g, 2 + c / g))
}

#' The data and the name of the response that the user means
#' @return (list) `data`, `variable`.
#' @noRd
named_records <- function(x, data) {
  if (inherits(x, c("synthesizer", "external_fit"))) {
    check_knows_records(x)
    refuse_if(
      !is.null(data), "Leave {.arg data} out: a fit has its own.", arg = "data"
    )
    return(list(data = x$data, variable = x$response$name))
  }
  check_data_frame(data)
  if (is.character(x)) {
    check_string(x)
    return(list(data = data, variable = x))
  }
  check_that(
    inherits(x, "formula"), x, "{.arg x} must be a {.cls synthesizer}, a formula
     or the name of the response."
  )
  check_formula(x)
  list(data = data, variable = parse_response(x, data)$name)
}

#' Count weights of values against the file of the rule
#' @param code (integer) Patterns, 0-based; -1: none of the file, so that every
#'   record of it is outside.
#' @noRd
count_rule <- function(basis, y, code) {
  y <- as.matrix(y)
  inside <- count_in_ball_(
    y, ball_radius(y, basis$radius, basis$relative), code,
    as.matrix(basis$values), basis$pattern$code, basis$pattern$n
  )
  size <- basis$pattern$size[pmax(code, 0L) + 1L]
  weight_of_outside(basis, ifelse(code < 0L, 1, (size - inside) / size))
}

weight_of_outside <- function(basis, outside) {
  clamp(basis$scale * (1 - outside) + basis$shift)
}

#' What a floor proves: factors on the width of the censored interval
#'
#' @param slope (number) c: a record moves another's weight by at most c / M.
#' @param floor (number) g.
#' @param n_pattern_max (count) Records of the largest pattern.
#' @return (list) `factor_add_remove`, `factor_replace`; empty without a floor.
#' @noRd
count_factors <- function(slope, floor, n_pattern_max) {
  if (floor <= 0) {
    return(list())
  }
  # The larger one of two neighbouring files may have one more
  size <- n_pattern_max + 1
  others <- (size - 1) * (slope / size) / min(1, floor + slope / size)
  if (floor >= 1) others <- 0
  list(factor_add_remove = 1 + others, factor_replace = 2 + others)
}

#' Count weights scaled are count weights with other c and g
#' @noRd
rescaled_count <- function(node, scale, shift) {
  a <- node$arguments
  kept <- c("radius", "relative", "known", "n_pattern_min", "n_pattern_max")
  slope <- scale * a[["scale"]]
  # The clamp may have raised or cut the floor before
  floor <- scale * clamp(a[["shift"]]) + shift
  # In the order of count_weights()
  node$arguments <- c(
    list(scale = slope, shift = floor), a[intersect(kept, names(a))],
    if (is.null(node$basis$drawn)) {
      count_factors(slope, floor, a[["n_pattern_max"]])
    }
  )
  with_step(node, scale, shift)
}

#' Patterns of other records in the file of a count rule
#' @noRd
known_codes <- function(basis, data) {
  for (name in basis$known) {
    check_predictor(data[[name]], name)
    old <- basis$levels[[name]]
    new <- setdiff(unique(as.character(data[[name]])), old)
    refuse_if(
      !is.null(old) && length(new) > 0,
      "Column {.val {name}} must have the levels it had in the rule's file.",
      x = "It has {length(new)} other level{?s}."
    )
  }
  match_pattern(data, basis$pattern$table)
}
