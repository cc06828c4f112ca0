# No protection, for comparison.

#' @rdname mechanisms
#' @export
mechanism_unweighted <- function(quantile = 1) {
  new_mechanism(definition_unweighted())
}

definition_unweighted <- function() {
  mechanism_definition(
    name = "unweighted", kind = "no claim", label = "none",
    title = "unweighted posterior", does = "no protection, for comparison",
    short = "Unweighted", colour = "#8C8C8C", aliases = "synthesizer",
    make = mechanism_unweighted, from_unweighted = TRUE, stages = first_stage
  )
}
