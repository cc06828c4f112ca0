# Count weights, re-weighted to use the whole bound.

definition_cw_final <- function() {
  mechanism_definition(
    scheme = reweighted_of(count_scheme()), kind = "weighted",
    label = "asymptotic", does = "count weights, re-weighted",
    colour = "#009E73", settings = c(count_settings, list(k = "auto")),
    settle = settle_balls, from_unweighted = TRUE, files = TRUE,
    prepare = prepare_balls,
    stages = function(job) final_stages(job, stages_cw(job))
  )
}
