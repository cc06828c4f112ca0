# Epsilon and the two neighbour relations: what one costs under the other.

relation_names <- c("add/remove-one", "replace-one")

#' A figure for each neighbour relation
#' @noRd
by_relation <- function(add_remove, replace = 2 * add_remove) {
  stats::setNames(c(add_remove, replace), relation_names)
}

#' The width that epsilon buys: replace-one costs it twice
#' @noRd
width_of_epsilon <- function(epsilon, neighbours) {
  if (neighbours == "replace") epsilon / 2 else epsilon
}

#' The relation's name in labels
#' @noRd
relation_of <- function(neighbours) {
  if (neighbours == "replace") "replace-one" else "add/remove-one"
}

#' Is a total above what is allowed, by more than the rounding of its sum?
#' @noRd
exceeds <- function(total, allowed) {
  total > allowed * (1 + 1e-9)
}
