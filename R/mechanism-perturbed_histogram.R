# The margin alone: a perturbed histogram that gets all of epsilon and knows
# nothing of the predictors. For comparisons.

definition_perturbed_histogram <- function() {
  mechanism_definition(
    name = "perturbed_histogram", kind = "histogram", label = "strict",
    title = "perturbed histogram", does = "the margin's noisy histogram alone",
    short = "Histogram", colour = "#999933",
    # Hu, Williams and Savitsky
    aliases = "ph", needs = c(margin = "State the public {.arg bounds} of the
      response. {.arg margin_share} must not be 0."),
    split = function(job, rest) list(first = 0, draw = 0),
    release = function(job, sets) {
      columns <- columns_published_by(job$formula, job$data)
      release_independent(job, sets, job_margin, job$data[columns])
    }
  )
}
