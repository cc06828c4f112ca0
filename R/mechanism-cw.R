# Count weights, scaled or shifted to reach an epsilon.

#' @rdname mechanisms
#' @export
mechanism_cw <- function(radius, relative = TRUE, known = NULL, scale = 1,
                         shift = 0, quantile = 1, tolerance = 0.02,
                         max_refits = 10, ...) {
  check_no_dots(..., hint = "See {.help mechanisms}.")
  check_radius(rlang::maybe_missing(radius), relative, zero = TRUE)
  new_mechanism(definition_cw())
}

definition_cw <- function() {
  mechanism_definition(
    name = "cw", kind = "weighted", label = "asymptotic",
    title = "count weights (CW)",
    does = "count weights", short = "CW", colour = "#8FD3C1",
    # Savitsky, Williams and Hu (2022)
    aliases = "countweighted", make = mechanism_cw, from_unweighted = TRUE,
    prepare = prepare_balls, stages = stages_cw
  )
}

stages_cw <- function(job) {
  weighting_stages(job, "cw", "count weights", job_count_weights)
}
