# Censored under weights of a rule that another file has fixed.

definition_frozen <- function() {
  mechanism_definition(
    scheme = frozen_scheme(), kind = "censored", label = "strict",
    does = "censors under weights of a frozen `rule`", colour = "#117733",
    settings = list(rule = needed("Make one with {.fn freeze}.")),
    checks = list(
      rule = function(x) check_class(x, "weight_rule", arg = "rule")
    ),
    prepare = prepare_frozen,
    stages = function(job) clipped_stage(job, job_rule(job), job$weights)
  )
}

# Weights by a frozen rule cost a pass over the file: they are made once, where
# the rule is checked
prepare_frozen <- function(job) {
  job <- prepare_clip(job)
  job$weights <- stats::predict(job$mechanism$settings$rule, job$data)
  job
}
