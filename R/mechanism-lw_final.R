# Lipschitz weights, re-weighted to use the whole bound.

#' @rdname mechanisms
#' @export
mechanism_lw_final <- function(k = "auto", scale = 1, shift = 0,
                               map = c(
                                 "linear", "inverse", "softmax", "logistic"
                               ),
                               quantile = 1, tolerance = 0.02,
                               max_refits = 10, ...) {
  check_no_dots(..., hint = "See {.help mechanisms}.")
  new_mechanism(definition_lw_final())
}

definition_lw_final <- function() {
  mechanism_definition(
    name = "lw_final", kind = "weighted", label = "asymptotic",
    title = "Lipschitz weights, re-weighted (LW_final)",
    does = "Lipschitz weights, re-weighted",
    short = "LW_final", colour = "#0072B2",
    make = mechanism_lw_final, from_unweighted = TRUE,
    stages = function(job) final_stages(job, stages_lw(job))
  )
}
