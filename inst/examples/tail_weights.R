# A weighting scheme in one file: weights that fall along the response, between
# two public values. See the vignette "Adding a weighting scheme".

#' Tail weights
#'
#' @param x,data As in [count_weights()].
#' @param lower,upper (numbers, `lower < upper`) In the response's own unit:
#'   weight 1 up to the first, 0 from the second on. Public, so no default.
#' @return [`privacy_weights`][privacy_weights] of scheme `"tail"`.
#' @export
tail_weights <- function(x, data = NULL, lower, upper) {
  check_number(lower)
  check_number(upper, above = lower)
  records <- named_records(x, data)
  basis <- list(variable = records$variable, lower = lower, upper = upper)
  new_privacy_weights(
    tail_rule(basis, records$data), "tail", list(lower = lower, upper = upper),
    made_from = character(), basis = basis,
    records = record_marks(records$data, records$variable)
  )
}

tail_rule <- function(basis, data) {
  y <- response_values(data, basis$variable)
  clamp((basis$upper - y) / (basis$upper - basis$lower))
}

tail_scheme <- function() {
  new_weighting_scheme(
    "tail",
    title = "tail weights", short = "Tail", word = "tail",
    inputs = c("lower", "upper"),
    dependency = function(node, inner) dependency("own record"),
    reads = function(node) {
      list(response = node$basis$variable, predictors = character())
    },
    rule = function(node, data, inner) tail_rule(node$basis, data)
  )
}
