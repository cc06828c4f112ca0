# The scheme of products of weights; combine_weights() makes them.

#' @param parts (list of `privacy_weights`) Of equal length.
#' @param records (named character or `NULL`) Marks of their records.
#' @noRd
combined_weights <- function(parts, records) {
  nodes <- lapply(parts, node_of)
  schemes <- vapply(nodes, `[[`, "", "scheme")
  new_privacy_weights(
    product_of(lapply(parts, as.double)), "combined",
    list(of = paste(schemes, collapse = " x ")),
    made_from = character(), of = nodes, basis = list(), records = records
  )
}

combined_scheme <- function() {
  product <- function(node, data, inner, call) product_of(inner)
  new_weighting_scheme(
    "combined",
    title = "combined weights", short = "Combined", word = "combined",
    inputs = "of",
    # Weights with a floor are bounded, but products of them are not accounted
    # for; join_dependencies() makes them "file"
    dependency = function(node, inner) join_dependencies(inner),
    rule = product,
    definition = function(node, data, inner, call) {
      apply(matrix(unlist(inner), nrow(data)), 1, prod)
    },
    grid = function(node, grid, counts, database, inner) product_of(inner()),
    replay = function(node, records, run, inner, call) {
      parts <- inner()
      combined_weights(parts, attr(parts[[1]], "records"))
    }
  )
}

product_of <- function(parts) {
  Reduce(`*`, parts)
}
