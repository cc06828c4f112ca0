#' Make weights from the identification risk of synthetic sets
#'
#' Gives a lower weight to records with a higher identification risk in
#' synthetic sets of an unweighted fit:
#' \deqn{\alpha_i = \mathrm{clamp}(1 - c_i IR_i), \qquad c_i =
#' lo + \frac{hi - lo}{1 + \exp(-slope (IR_i - mid))}.} The S-curve \eqn{c_i}
#' amplifies high risks and dampens low ones. \eqn{IR_i} is computed by
#' [identification_risk()]. In a set where the record's own synthetic value lies
#' inside the ball, it is the share of values with the same known pattern that
#' lie outside; in other sets it is 0. It is averaged over the sets.
#'
#' The papers' curve is `scurve(IR, a, start, end)` of package LS2Wstat: this
#' curve with `mid = 0.5`, `slope = 20 * a`, `lower = start` and `upper = end`.
#' The values of a, start and end are lost in our copy of the paper; the
#' defaults, with a = 0.5, are ours.
#'
#' @inheritParams identification_risk
#' @param synthetic [`synthetic_data`][synthetic_data], a data frame, a list of
#'   data frames, or the `identification_risk` of these, which then supplies
#'   `data`, `known`, `radius` and `relative`.
#' @param lower,upper (numbers >= 0, `lower <= upper`) lo and hi in the formula.
#'   Default 0.5 and 1.5.
#' @param mid (number) The risk at the middle of the curve. Default 0.5.
#' @param slope (number >= 0) Steepness of the curve, 20 times the papers' a.
#'   Default 10.
#' @param ... Passed to [identification_risk()], such as `variable`, `threads`.
#'
#' @return [`privacy_weights`][privacy_weights] (numeric, N) of scheme `"risk"`.
#'
#' @section Error types:
#' `pseudosynth_error_input`, as in [identification_risk()].
#'
#' @section Privacy: The sets come from a fit to all records, and the risk uses
#' each true value. No bound is proven or claimed for these weights.
#'
#' @references
#' Hu and Savitsky, Risk-weighted pseudo posterior, equations 8 and 9 (there
#' "Weights_V").
#' @seealso [count_weights()], [identification_risk()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' w <- risk_weights(synthesize(fit, m = 5), small, known = "age", radius = 0.2)
#' w
#' @export
risk_weights <- function(synthetic, data, known = NULL, radius, relative = TRUE,
                         lower = 0.5, upper = 1.5, mid = 0.5, slope = 10, ...) {
  check_present(synthetic)
  check_number(lower, min = 0)
  check_number(upper, min = lower)
  check_number(mid)
  check_number(slope, min = 0)
  risk <- if (inherits(synthetic, "identification_risk")) {
    synthetic
  } else {
    check_present(data)
    identification_risk(
      synthetic, data, known, rlang::maybe_missing(radius), relative, ...
    )
  }
  if (!missing(data) && knows_records(data)) data <- data$data
  new_risk_weights(
    risk$record$risk, unclass(risk), lower, upper, mid, slope,
    made_from = if (missing(data)) NA else file_mark(data, risk$variable),
    records = if (!missing(data)) {
      record_marks(data, c(risk$variable, risk$known))
    }
  )
}

#' @param ir (numeric, N) Risks.
#' @param how (list) `radius`, `relative`, `known`, `m`: how they were found.
#' @param ... Passed to new_privacy_weights().
#' @noRd
new_risk_weights <- function(ir, how, lower = 0.5, upper = 1.5, mid = 0.5,
                             slope = 10, ...) {
  curve <- lower + (upper - lower) * stats::plogis(slope * (ir - mid))
  new_privacy_weights(
    clamp(1 - curve * ir), "risk",
    c(
      list(lower = lower, upper = upper, mid = mid, slope = slope),
      how[c("radius", "relative", if (!is.null(how$known)) "known", "m")]
    ),
    ...
  )
}

risk_scheme <- function() {
  new_weighting_scheme(
    "risk", title = "risk weights (Weights_V)", short = "Risk", word = "risk",
    inputs = c("radius", "relative", "known"),
    # They bound no record's contribution
    dependency = function(node, inner) {
      dependency("other records", claims = FALSE)
    },
    why_not_freezable = "Risk weights compare a record with its own synthetic
      value, which other records do not have."
  )
}
