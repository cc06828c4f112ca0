# Count weights, scaled or shifted to reach an epsilon.

definition_cw <- function() {
  mechanism_definition(
    scheme = count_scheme(), kind = "weighted", label = "asymptotic",
    does = "count weights", colour = "#8FD3C1",
    # Savitsky, Williams and Hu (2022)
    aliases = "countweighted", settings = count_settings,
    settle = settle_balls, from_unweighted = TRUE, files = TRUE,
    prepare = prepare_balls, stages = stages_cw
  )
}

stages_cw <- function(job) {
  weighting_stages(job, "cw", "count weights", job_count_weights)
}
