# Weights from the identification risks of synthetic sets.

definition_risk <- function() {
  mechanism_definition(
    scheme = risk_scheme(), kind = "no claim", label = "none",
    does = "weights from identification risks", colour = "#CC79A7",
    # Hu and Savitsky, Risk-weighted pseudo posterior
    aliases = "weights_v",
    settings = c(ball_settings, list(risk_sets = 20, quantile = 1)),
    settle = function(mechanism) {
      s <- mechanism$settings
      check_radius(s$radius, s$relative)
      mechanism
    },
    from_unweighted = TRUE, files = TRUE,
    prepare = prepare_risk, stages = stages_risk,
    # The weights rest on chance
    grid = NULL
  )
}

prepare_risk <- function(job) {
  check_enough_draws(job, job$mechanism$settings$risk_sets, "risk_sets")
  prepare_balls(job)
}

stages_risk <- function(job) {
  weighting_stages(job, "risk", "risk weights", function(job, fit) {
    s <- job$mechanism$settings
    if (inherits(fit, "file_synthesizer")) {
      check_converged(fit, job$allow_unconverged)
      seed <- stage_seed(job$seed, "risk")
      draws <- drawn_rows(fit, list(m = s$risk_sets, seed = seed))
      return(file_risk_weights(
        records_of_plan(job$plan),
        draw_sequence_records(fit, draws, n_records(fit), seed),
        names(job$predictors), s$radius, s$relative, s$known, made_of(fit)
      ))
    }
    sets <- draw_sets(
      fit, s$risk_sets, seed = stage_seed(job$seed, "risk"),
      allow_unconverged = job$allow_unconverged
    )$synthetic
    risk_weights(
      sets, fit, known = s$known, radius = s$radius, relative = s$relative
    )
  })
}
