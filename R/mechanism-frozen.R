# Censored under weights of a rule that another file has fixed.

#' @rdname mechanisms
#' @export
mechanism_frozen <- function(rule) new_mechanism(definition_frozen())

definition_frozen <- function() {
  mechanism_definition(
    name = "frozen", kind = "censored", label = "strict",
    title = "censored likelihood, frozen weights",
    does = "censors under weights of a frozen `rule`", short = "Frozen",
    colour = "#117733", needs = c(rule = "Make one with {.fn freeze}."),
    make = mechanism_frozen, prepare = prepare_frozen,
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
