# A figure that holds its data and nothing else.

#' Build a figure that knows nothing of where it was made
#'
#' A ggplot object keeps the environment that it was made in, and its layers and
#' scales keep frames whose arguments may lead further: to the confidential file,
#' or to sets in the order of the file. Here these are the frame of `draw`, a
#' function of the package, whose arguments are values that may leave.
#' @param draw (function) One that makes a figure of its arguments alone.
#' @param ... Its arguments, by name.
#' @noRd
figure_alone <- function(draw, ...) {
  do.call(draw, list(...), quote = TRUE, envir = baseenv())
}
