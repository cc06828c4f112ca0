# Clipped under one weight that is stated beforehand. For the exact audit: with
# fits it is `privacy_weights = public_scalar(0.5)` and a censoring rule.

definition_public_scalar <- function() {
  mechanism_definition(
    name = "public_scalar", kind = "clipped", label = "strict",
    title = "clipped likelihood, public scalar weight",
    does = "clips under one public weight",
    short = "Scalar", colour = "#DDCC77",
    grid = grid_version(
      function(s) function(grid, counts, ...) s$alpha, "alpha",
      clipped = TRUE, own_value = TRUE
    )
  )
}
