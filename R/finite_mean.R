# Does the mean of what is released exist? Tails of Student's t under a
# transform that is undone by an exponential have none, nor has the square of a
# t variable of two degrees of freedom.

#' Has a synthetic value a finite mean?
#'
#' Given the parameters. Public ends make every mean finite.
#' @param limits (two numbers or `NULL`) Stated ends of released values.
#' @noRd
has_finite_mean <- function(family, response, limits = response$limits) {
  stated <- length(limits) == 2 && all(is.finite(limits))
  moments <- family$df %||% Inf
  stated || is.infinite(moments) || switch(response$transform,
    identity = moments > 1,
    sqrt = moments > 2,
    FALSE
  )
}

#' Refuse to draw values that have no mean
#'
#' @param response With the ends that are stated, see with_bounds().
#' @param margin What the values are calibrated to, or `NULL`: it has ends.
#' @noRd
check_finite_mean <- function(family, response, margin) {
  refuse_if(
    is.null(margin) && !has_finite_mean(family, response),
    "Synthetic {.val {response$name}} must have a finite mean.",
    x = "Without bounds it has none: {.code {response_label(response)}}
         has the tails of a t distribution with {format(family$df)} degrees
         of freedom.",
    i = "State its public smallest and largest value, such as
         {.code bounds = {bounds_example(response)}}.",
    i = "Or use {.fn gaussian}, whose tails are lighter.",
    arg = "bounds", class = "pseudosynth_error_no_mean"
  )
}

#' Ends as code; on the log scale 0 is none
#' @noRd
bounds_example <- function(response) {
  if (response$transform == "log") "c(1, 2e6)" else "c(0, 2e6)"
}
