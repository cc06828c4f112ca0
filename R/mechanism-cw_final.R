# Count weights, re-weighted to use the whole bound.

#' @rdname mechanisms
#' @export
mechanism_cw_final <- function(radius, k = "auto", relative = TRUE,
                               known = NULL, scale = 1, shift = 0, quantile = 1,
                               tolerance = 0.02, max_refits = 10, ...) {
  check_no_dots(..., hint = "See {.help mechanisms}.")
  check_radius(rlang::maybe_missing(radius), relative, zero = TRUE)
  new_mechanism(definition_cw_final())
}

definition_cw_final <- function() {
  mechanism_definition(
    name = "cw_final", kind = "weighted", label = "asymptotic",
    title = "count weights, re-weighted (CW_final)",
    does = "count weights, re-weighted", short = "CW_final", colour = "#009E73",
    make = mechanism_cw_final, from_unweighted = TRUE,
    prepare = prepare_balls,
    stages = function(job) final_stages(job, stages_cw(job))
  )
}
