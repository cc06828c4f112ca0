# The scheme of weights scaled or shifted that their own scheme knows nothing
# of, by a public number or by one that was solved for a target. scale_weights()
# and solve_weights() make them.

#' @param solved (list or `NULL`) How the numbers were found from the file:
#'   `by`, `value`, `target`, `tolerance`, `max_refits`.
#' @param made_from (character) The file that they were solved from.
#' @noRd
scaled_node <- function(inner, scale, shift, solved = NULL,
                        made_from = character()) {
  list(
    scheme = "scaled",
    arguments = c(
      list(of = inner$scheme),
      if (is.null(solved)) {
        list(scaled_by = scale, shifted_by = shift)
      } else {
        c(list(solved = TRUE), solved)
      }
    ),
    of = list(inner), basis = list(scale = scale, shift = shift),
    made_from = made_from
  )
}

scaled_scheme <- function() {
  new_weighting_scheme(
    "scaled",
    title = function(node, inner) inner,
    short = function(node, inner) {
      plain <- sub("^Scaled ", "", inner)
      if (is_solved(node)) inner else paste("Scaled", plain)
    },
    word = function(node, inner) inner,
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
      # The bound of a floor is that of its own scheme's scaling only
      if (length(node$made_from) > 0 || inner[[1]]$kind == "floor") {
        depends_on_file(node, inner)
      } else {
        inner[[1]]
      }
    },
    rule = function(node, data, inner) {
      scaled_values(node$basis, inner[[1]])
    },
    definition = function(node, data, inner) {
      pmax(0, pmin(1, inner[[1]] * node$basis$scale + node$basis$shift))
    },
    grid = function(node, grid, counts, database, inner) {
      a <- node$arguments
      alpha <- inner()[[1]]
      if (is_solved(node)) {
        grid_solved_weights(grid, counts, alpha, a[["by"]], a[["target"]])
      } else {
        scaled_values(node$basis, alpha)
      }
    },
    replay = function(node, records, run, inner) {
      a <- node$arguments
      weights <- inner()[[1]]
      if (!is_solved(node)) {
        return(scaled_weights(
          weights, scaled_node(node_of(weights), a[["scaled_by"]],
            a[["shifted_by"]]
          )
        ))
      }
      fit <- run()
      value <- tryCatch(
        search_scale(
          fit, weights, a[["by"]], a[["target"]], a[["tolerance"]],
          a[["max_refits"]],
          refit = function(from, weights, count) run(weights, count)
        )$value,
        # Out of reach for these records: the nearest
        pseudosynth_error_unreachable = function(e) e$value
      )
      solved_weights(
        weights, fit, a[["by"]], value, a[["target"]], a[["tolerance"]],
        a[["max_refits"]]
      )
    }
  )
}

is_solved <- function(node) {
  isTRUE(node$arguments[["solved"]])
}

scaled_values <- function(basis, alpha) {
  clamp(basis$scale * alpha + basis$shift)
}

#' @param node (list) Made by `scaled_node()`.
#' @noRd
scaled_weights <- function(weights, node) {
  weights_of_node(
    node, scaled_values(node$basis, as.double(weights)),
    attr(weights, "records")
  )
}

# Solved for a target ----------------------------------------------------------

#' Weights whose scale was found from the file are weights from the file: the
#' scale is no public number, whatever it scales. One number for all records
#' becomes the scalar weight.
#' @param rows See `fit_rows()`; needed for that one only.
#' @noRd
solved_weights <- function(weights, fit, by, value, target, tolerance,
                           max_refits, rows = fit_rows(fit)) {
  solved <- list(
    by = by, value = value, target = target, tolerance = tolerance,
    max_refits = max_refits
  )
  inner <- node_of(weights)
  made_from <- history_mark(fit) %||% NA_character_
  node <- scaled_node(
    inner, if (by == "scale") value else 1, if (by == "scale") 0 else value,
    solved, made_from
  )
  alpha <- public_number(inner)
  if (is.null(alpha)) {
    scaled_weights(weights, node)
  } else {
    solved_scalar(
      scaled_values(node$basis, alpha), n_records(fit),
      c(list(solved = TRUE), solved), fit, rows
    )
  }
}

#' Look for the scale or shift that brings the bound of the refit to a target
#' @param refit (function) See `solve_target()`.
#' @param rows See `fit_rows()`: computed once for all refits, if needed.
#' @param below (flag) See `solve_target()`.
#' @return As `solve_target()`.
#' @noRd
search_scale <- function(fit, weights, by, target, tolerance, max_refits,
                         refit, rows = fit_rows(fit), below = FALSE) {
  largest <- max(as.double(weights), 1e-6)
  solve_target(
    fit,
    weights_at = function(value) {
      solved_weights(
        weights, fit, by, value, target, tolerance, max_refits, rows
      )
    },
    measure = function(refit) refit$bound$overall, target = target,
    # How the draws that are there would do with these weights
    start = if (by == "scale") {
      target / bound_with(fit, as.double(weights))
    } else {
      0
    },
    limits = if (by == "scale") c(0, 1 / largest) else c(-1, 1),
    known = NULL, log = by == "scale", tolerance = tolerance,
    max_refits = max_refits, refit = refit, below = below
  )
}

#' The bound that weights would have at the draws of an unweighted fit
#' @noRd
bound_with <- function(fit, alpha) {
  max(alpha * fit$bound$record, na.rm = TRUE)
}

#' The same on a grid: the value whose posterior has the target as its bound
#' @noRd
grid_solved_weights <- function(grid, counts, alpha, by, target) {
  here <- counts > 0
  at <- function(value) {
    if (by == "scale") clamp(value * alpha) else clamp(alpha + value)
  }
  excess <- function(value) {
    max(database_bounds(grid, counts, at(value))[here]) - target
  }
  limits <- if (by == "scale") {
    c(1e-6, 1 / max(alpha[here], 1e-6))
  } else {
    c(-1, 1)
  }
  ends <- c(excess(limits[1]), excess(limits[2]))
  # Out of reach: the nearest
  if (prod(sign(ends)) > 0) {
    return(at(limits[which.min(abs(ends))]))
  }
  at(stats::uniroot(excess, limits, tol = 1e-3)$root)
}

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
  product <- function(node, data, inner) product_of(inner)
  new_weighting_scheme(
    "combined",
    title = "combined weights", short = "Combined", word = "combined",
    inputs = "of",
    # Weights with a floor are bounded, but products of them are not accounted
    # for; join_dependencies() makes them "file"
    dependency = function(node, inner) join_dependencies(inner),
    rule = product,
    definition = function(node, data, inner) {
      apply(matrix(unlist(inner), nrow(data)), 1, prod)
    },
    grid = function(node, grid, counts, database, inner) product_of(inner()),
    replay = function(node, records, run, inner) {
      parts <- inner()
      combined_weights(parts, attr(parts[[1]], "records"))
    }
  )
}

product_of <- function(parts) {
  Reduce(`*`, parts)
}
