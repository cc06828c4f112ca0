# The margin alone: a perturbed histogram that gets all of epsilon and knows
# nothing of the predictors. For comparisons.

definition_perturbed_histogram <- function() {
  mechanism_definition(
    name = "perturbed_histogram", kind = "histogram", label = "strict",
    title = "perturbed histogram", does = "the margin's noisy histogram alone",
    short = "Histogram", colour = "#999933",
    # Hu, Williams and Savitsky
    aliases = "ph", needs = c(margin = "State its public {.arg bounds}, and no
      {.arg margin_share} of 0."),
    make = function() new_mechanism(definition_perturbed_histogram()),
    split = function(job, rest) list(first = 0, draw = 0),
    release = release_histograms
  )
}

#' Independent releases, a histogram of its own each
#' @noRd
release_histograms <- function(job, sets) {
  columns <- in_role(column_roles(job$formula, job$data), "published")
  made <- lapply(seq_len(sets), function(j) {
    job["seed"] <- list(stage_seed(job$seed, "release", j))
    synthesize(
      suppressMessages(job_margin(job)), 1, job$data[columns],
      seed = stage_seed(job$seed, "sets")
    )
  })
  list(
    sets = lapply(made, function(synthetic) synthetic[[1]]),
    label = guarantee(made[[1]])
  )
}
