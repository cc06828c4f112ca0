# Weights on a grid, from their definitions and apart from the rules of the
# schemes: what an exact audit makes of each database.

#' Record bounds of a weighted posterior of a database
#' @return (numeric, V)
#' @noRd
database_bounds <- function(grid, counts, alpha) {
  rule <- plain_rule(grid, alpha)
  posterior <- grid_posterior(grid, counts, rule)
  grid_bounds(grid, rule, grid_bulk(grid, posterior))
}

#' Lipschitz weights of a database
#'
#' Bounds are maxima over the bulk of the unweighted posterior.
#' @param s (list) `scale`, `shift`, `map`.
#' @noRd
grid_lipschitz_weights <- function(grid, counts, s) {
  cells <- grid_bulk(grid, unweighted_posterior(grid, counts))
  delta <- grid_bounds(grid, plain_rule(grid, 1), cells)
  record <- rep(seq_along(counts), counts)
  risk <- numeric(length(counts))
  risk[record] <- relative_risk(delta[record], s$map)
  clamp(s$scale * (1 - risk) + s$shift)
}

#' alpha_i^w = clamp(k alpha_i Delta / Delta_i), the bounds of the weighted fit
#' @noRd
grid_reweighted <- function(grid, counts, alpha, k) {
  delta <- database_bounds(grid, counts, alpha)
  raised <- clamp(k * alpha * max(delta[counts > 0]) / delta)
  raised[alpha == 0] <- 0
  raised
}

#' Weighted-e: weight 0 where the weighted bound exceeds epsilon / 2
#' @noRd
grid_truncated <- function(grid, counts, alpha, epsilon) {
  delta <- database_bounds(grid, counts, alpha)
  alpha[delta > epsilon / 2] <- 0
  alpha
}

#' Count weights c (1 - IR) + g over the records of the same pattern
#' @noRd
grid_count_weights <- function(grid, counts, s) {
  y <- grid$types$y
  radius <- if (s$relative) s$radius * abs(y) else rep(s$radius, length(y))
  same <- outer(grid$types$pattern, grid$types$pattern, "==")
  inside <- same & abs(outer(y, y, "-")) <= radius * (1 + 1e-12)
  near <- as.numeric(inside %*% counts)
  all <- as.numeric(same %*% counts)
  risk <- ifelse(all > 0, 1 - near / pmax(all, 1), 0)
  clamp(s$scale * (1 - risk) + s$shift)
}

#' One weight for all that brings the bound to a target
#' @noRd
grid_scalar_weight <- function(grid, counts, target) {
  here <- counts > 0
  excess <- function(alpha) {
    max(database_bounds(grid, counts, rep(alpha, ncol(grid$f)))[here]) - target
  }
  if (excess(1) <= 0) {
    return(1)
  }
  stats::uniroot(excess, c(1e-6, 1), tol = 1e-3)$root
}

#' Lipschitz weights by a rule that another database has fixed
#'
#' alpha(v) = clamp(c (1 - r_v) + g), r_v = (Delta_v - min) / (max - min), cut
#' to \[0, 1\]; Delta_v over the bulk of the history's posterior, min and max
#' over the history's records.
#' @noRd
grid_frozen_weights <- function(grid, s) {
  counts <- grid$history_counts
  delta <- database_bounds(grid, counts, rep(1, length(counts)))
  ends <- range(delta[counts > 0])
  risk <- if (ends[1] == ends[2]) 0 else (delta - ends[1]) / diff(ends)
  rep_len(clamp(s$scale * (1 - clamp(risk)) + s$shift), length(counts))
}
