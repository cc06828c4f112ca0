# Lipschitz weights, scaled or shifted to reach an epsilon.

#' @rdname mechanisms
#' @export
mechanism_lw <- function(scale = 1, shift = 0,
                         map = c(
                           "linear", "inverse", "softmax", "logistic"
                         ),
                         quantile = 1, tolerance = 0.02, max_refits = 10, ...) {
  check_no_dots(..., hint = "See {.help mechanisms}.")
  new_mechanism(definition_lw())
}

definition_lw <- function() {
  mechanism_definition(
    name = "lw", kind = "weighted", label = "asymptotic",
    title = "Lipschitz weights (LW)",
    does = "Lipschitz weights", short = "LW", colour = "#56B4E9",
    # Savitsky, Williams and Hu (2022); Hu, Williams and Savitsky
    aliases = c("dpweighted", "weighted"),
    make = mechanism_lw, from_unweighted = TRUE, stages = stages_lw
  )
}

stages_lw <- function(job) {
  weighting_stages(job, "lw", "Lipschitz weights", job_lipschitz_weights)
}
