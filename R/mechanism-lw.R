# Lipschitz weights, scaled or shifted to reach an epsilon.

definition_lw <- function() {
  mechanism_definition(
    scheme = lipschitz_scheme(), kind = "weighted", label = "asymptotic",
    does = "Lipschitz weights", colour = "#56B4E9",
    # Savitsky, Williams and Hu (2022); Hu, Williams and Savitsky
    aliases = c("dpweighted", "weighted"),
    settings = c(lipschitz_settings, search_settings),
    from_unweighted = TRUE, files = TRUE, stages = stages_lw
  )
}

stages_lw <- function(job) {
  weighting_stages(job, "lw", "Lipschitz weights", job_lipschitz_weights)
}
