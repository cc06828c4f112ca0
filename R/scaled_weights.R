# The schemes of scaled weights and of products. scale_weights(),
# solve_weights() and combine_weights() make them.

scaled_scheme <- function() {
  new_weighting_scheme(
    "scaled", title = function(node, inner) inner,
    short = function(node, inner) {
      plain <- sub("^Scaled ", "", inner)
      if (is_solved(node)) inner else paste("Scaled", plain)
    },
    word = function(node, inner) inner, clipped = NULL,
    inputs = function(node) {
      a <- node$arguments
      if (is_solved(node)) {
        "their scale was solved from this file: not public"
      } else {
        sprintf(
          "of %s, scaled_by %s, shifted_by %s", a[["of"]],
          format(a[["scaled_by"]]), format(a[["shifted_by"]])
        )
      }
    },
    dependency = function(node, inner) {
      # The bound holds for its own scheme's scaling only
      if (length(node$made_from) > 0 || inner[[1]]$kind == "bounded") {
        depends_on_file(node, inner)
      } else {
        inner[[1]]
      }
    },
    rule = function(node, data, inner) {
      clamp(node$basis$scale * inner[[1]] + node$basis$shift)
    },
    replay = function(node, records, run, inner) {
      a <- node$arguments
      weights <- inner()[[1]]
      if (is_solved(node)) {
        return(solved_again(weights, solved_by(node), run))
      }
      at_scale(weights, scaled_node(
        node_of(weights), a[["scaled_by"]], a[["shifted_by"]]
      ))
    }
  )
}

is_solved <- function(node) isTRUE(node$arguments[["solved"]])

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
  new_weighting_scheme(
    "combined",
    title = "combined weights", short = "Combined", word = "combined",
    inputs = "of",
    # Weights with a floor are bounded, but products of them are not accounted
    # for: join_dependencies() makes them "other records"
    dependency = function(node, inner) join_dependencies(inner),
    rule = function(node, data, inner) product_of(inner),
    replay = function(node, records, run, inner) {
      parts <- inner()
      combined_weights(parts, attr(parts[[1]], "records"))
    }
  )
}

product_of <- function(parts) Reduce(`*`, parts)
