# The scheme of weights that a frozen rule gave: functions of one record and of
# what was fixed on another file. freeze() and predict() make them.

#' @param node (list) Of the weights that were frozen.
#' @param own (string or `NULL`) The mark of the file, where the rule was made
#'   from these very records: then nothing is frozen.
#' @noRd
frozen_weights <- function(alpha, node, arguments, own, records) {
  new_privacy_weights(
    alpha, "frozen", arguments,
    made_from = as.character(own), of = list(node), basis = list(),
    records = records
  )
}

frozen_scheme <- function() {
  new_weighting_scheme(
    "frozen", title = "frozen weights", short = "Frozen", word = "frozen",
    clipped = c(censored = "frozen"),
    inputs = frozen_inputs, dependency = frozen_dependency,
    rule = function(node, data, inner) inner[[1]],
    rescale = function(node, scale, shift) {
      node$of[[1]] <- scaled_node(node$of[[1]], scale, shift)
      node$arguments <- with_scaling(node$arguments, scale, shift)
      node
    },
    # A rule of this very file is made again from other records
    replay = function(node, records, run, inner) inner()[[1]]
  )
}

frozen_dependency <- function(node, inner) {
  if (length(node$made_from) > 0) {
    return(dependency("other records"))
  }
  # A rule that knows no file has no history, whatever was stated
  has_history <- length(node_marks(node)) > 0
  dependency(
    "own record",
    history = if (has_history) node$arguments[["history"]] else "none",
    reproducible = is_reproducible(node)
  )
}

#' Where the history is confidential, a scale may have been solved from it
#' @noRd
frozen_inputs <- function(node) {
  a <- node$arguments
  public <- identical(a[["history"]], "public")
  stated <- intersect(c("rule", "history", if (public) scaling_names), names(a))
  paste(stated, vapply(a[stated], format, ""), collapse = ", ")
}
