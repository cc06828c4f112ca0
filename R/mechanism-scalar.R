# One weight for all records, solved from the file for an epsilon.

definition_scalar <- function() {
  mechanism_definition(
    scheme = scalar_scheme(), kind = "weighted", label = "asymptotic",
    does = "one weight for all, solved from the file", colour = "#E69F00",
    # Savitsky, Williams and Hu (2022); Hu and Savitsky
    aliases = c("emweighted", "weights_s"),
    needs = c(epsilon = "The weight is solved for this epsilon."),
    settings = search_settings, from_unweighted = TRUE, stages = stages_scalar
  )
}

stages_scalar <- function(job) {
  fits <- first_stage(job)
  tell_step("Solving the scalar weight")
  fits[[job$mechanism$name]] <- solved_fit(job, fits[[1]], NULL, "scale")
  fits
}
