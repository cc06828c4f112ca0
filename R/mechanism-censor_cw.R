# Clipped under count weights of the same file. For the exact audit: with fits
# it is count_weights() and a censoring rule. With a floor g below scale c the
# weights of others change by a bounded factor, for which the width is paid
# 1 + c / g times.

definition_censor_cw <- function() {
  mechanism_definition(
    name = "censor_cw", kind = "clipped", label = "strict",
    title = "clipped likelihood, count weights (CW)",
    does = "clips under count weights with a floor",
    short = "Censor_cw", colour = "#44AA99",
    grid = grid_version(
      grid_cw, c("radius", "relative", "scale", "shift"),
      needs = "radius", clipped = TRUE,
      factor = function(s) if (s$shift > 0) s$scale / s$shift else 0
    )
  )
}
