# No protection, for comparison.

definition_unweighted <- function() {
  mechanism_definition(
    name = without_weights$weighted, kind = "no claim", label = "none",
    does = "no protection, for comparison", short = "Unweighted",
    colour = "#8C8C8C", aliases = "synthesizer", settings = list(quantile = 1),
    from_unweighted = TRUE, files = TRUE, stages = first_stage
  )
}
