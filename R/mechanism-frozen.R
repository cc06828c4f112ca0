# Clipped under weights of a rule that another file has fixed.

#' @rdname mechanisms
#' @export
mechanism_frozen <- function(rule) {
  check_given(
    rlang::maybe_missing(rule), "frozen", "Make one with {.fn freeze}.",
    arg = "rule"
  )
  check_class(rule, "weight_rule", "Make one with {.fn freeze}.")
  new_mechanism(definition_frozen(), list(rule = rule))
}

definition_frozen <- function() {
  mechanism_definition(
    name = "frozen", kind = "clipped", label = "strict",
    title = "clipped likelihood, frozen weights",
    does = "clips under weights of a frozen `rule`",
    short = "Frozen", colour = "#117733",
    make = mechanism_frozen, prepare = prepare_frozen,
    stages = function(job) clipped_stage(job, job_rule(job), job$weights),
    grid = grid_version(
      grid_frozen, c("history", "scale", "shift"),
      needs = "history", clipped = TRUE, own_value = TRUE
    )
  )
}

# Weights by a frozen rule cost a pass over the file: they are made once, where
# the rule is checked
prepare_frozen <- function(job) {
  job <- prepare_clip(job)
  job$weights <- stats::predict(job$mechanism$settings$rule, job$data)
  job
}

#' Lipschitz weights by a rule that another database has fixed
#'
#' alpha(v) = clamp(c (1 - r_v) + g), r_v = (Delta_v - min) / (max - min), cut
#' to \[0, 1\]; Delta_v over the bulk of the history's posterior, min and max
#' over the history's records.
#' @noRd
grid_frozen <- function(s) {
  function(grid, counts, ...) {
    history <- grid$history_counts
    delta <- database_bounds(grid, history, rep(1, length(history)))
    ends <- range(delta[history > 0])
    risk <- if (ends[1] == ends[2]) 0 else (delta - ends[1]) / diff(ends)
    rep_len(clamp(s$scale * (1 - clamp(risk)) + s$shift), length(history))
  }
}
