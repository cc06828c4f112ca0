# One weight for all records, solved from the file for an epsilon.

#' @rdname mechanisms
#' @export
mechanism_scalar <- function(quantile = 1, tolerance = 0.02, max_refits = 10) {
  new_mechanism(definition_scalar())
}

definition_scalar <- function() {
  mechanism_definition(
    name = "scalar", kind = "weighted", label = "asymptotic",
    title = "scalar weight solved from the file (SW)",
    does = "one weight for all, solved from the file",
    short = "SW", colour = "#E69F00",
    # Savitsky, Williams and Hu (2022); Hu and Savitsky
    aliases = c("emweighted", "weights_s"),
    needs = c(epsilon = "The weight is solved for this epsilon."),
    make = mechanism_scalar, from_unweighted = TRUE, stages = stages_scalar
  )
}

stages_scalar <- function(job) {
  fits <- first_stage(job)
  tell_step("Solving the scalar weight")
  fits[[job$mechanism$name]] <- solved_fit(job, fits[[1]], NULL, "scale")
  fits
}
