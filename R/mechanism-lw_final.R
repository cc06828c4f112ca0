# Lipschitz weights, re-weighted to use the whole bound.

definition_lw_final <- function() {
  mechanism_definition(
    scheme = reweighted_of(lipschitz_scheme()), kind = "weighted",
    label = "asymptotic", does = "Lipschitz weights, re-weighted",
    colour = "#0072B2",
    settings = c(list(k = "auto"), lipschitz_settings, search_settings),
    from_unweighted = TRUE, files = TRUE,
    stages = function(job) final_stages(job, stages_lw(job))
  )
}
