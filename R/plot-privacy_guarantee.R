# A label is read, not drawn.

of_labels <- "{.fn print} shows it whole. Figures are of what it was made from,
  of {.fn compare} and of {.fn audit_guarantee}."

#' @export
plot.privacy_guarantee <- function(x, ...) {
  no_method(x, "plot", of_labels)
}

#' @method autoplot privacy_guarantee
#' @export
autoplot.privacy_guarantee <- function(object, ...) {
  no_method(object, "autoplot", of_labels)
}
