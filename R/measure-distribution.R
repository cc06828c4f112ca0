# How far the distribution of one variable is from the file's: distribution
# functions of numbers and of two levels, shares of more levels; the same in
# groups.

#' @param case (list) See variable_case(): `y` (of a file the values),
#'   `weights` (of a file the survey weights), `shares_alone`.
#' @return (list) See judgement().
#' @noRd
measure_distribution <- function(case) {
  if (is.null(case$variable)) {
    return(NULL)
  }
  measure_of_values(case, function(y, z, v, w, set) {
    if (case$shares_alone) {
      c(shares = share_error(list(y), list(z), v, w))
    } else {
      ecdf_distance(y, z, v, w)
    }
  })
}

#' @param case (list) See variable_case().
#' @return (list) See judgement().
#' @noRd
measure_groups <- function(case) {
  if (length(case$groups) == 0) {
    return(NULL)
  }
  measure_of_values(case, function(y, z, v, w, set) {
    c(groups = mean(vapply(case$groups, function(group) {
      g <- case$data[[group]]
      h <- set[[group]]
      if (case$shares_alone) {
        share_error(list(g, y), list(h, z), v, w)
      } else {
        group_error(g, y, h, z, case$transform, v, w)
      }
    }, 0)))
  })
}

#' @param figures (function) Of the values of file and set, their survey weights
#'   and the set.
#' @noRd
measure_of_values <- function(case, figures) {
  y <- case$y(case$data, "data")
  v <- case$weights(case$data)
  list(of = function(set, whose) {
    z <- case$y(set, "synthetic")
    list(figures = figures(y, z, v, case$weights(set), set))
  })
}

#' Largest and mean squared difference of two empirical distribution functions
#' @param v,w (numeric or `NULL`) Survey weights of `y` and of `z`.
#' @noRd
ecdf_distance <- function(y, z, v = NULL, w = NULL) {
  points <- c(y, z)
  difference <- weighted_ecdf(y, v, points) - weighted_ecdf(z, w, points)
  c(ecdf_max = max(abs(difference)), ecdf_mean_squared = mean(difference^2))
}

#' Total variation distance of two tables of shares: half the sum of the
#' absolute differences of all cells
#' @param a,b (list) The variables that are crossed, of the file and the set.
#' @param v,w (numeric or `NULL`) Survey weights of `a` and of `b`.
#' @noRd
share_error <- function(a, b, v = NULL, w = NULL) {
  n <- length(a[[1]])
  code <- pattern_code(
    Map(function(a, b) c(as.character(a), as.character(b)), a, b),
    n + length(b[[1]])
  )
  cells <- max(code)
  shares <- function(code, w) {
    sums <- sum_by(w %||% rep(1, length(code)), code, cells)
    sums / sum(sums)
  }
  sum(abs(shares(code[seq_len(n)], v) - shares(code[-seq_len(n)], w))) / 2
}

#' Mean absolute difference of group means, weighted by confidential size
#' @param v,w (numeric or `NULL`) Survey weights of `y` and of `z`.
#' @noRd
group_error <- function(g, y, h, z, transform, v = NULL, w = NULL) {
  forward <- match.fun(transform)
  v <- v %||% rep(1, length(y))
  w <- w %||% rep(1, length(z))
  total <- function(x, by) {
    sums <- rowsum(x, as_text(by), reorder = FALSE)
    stats::setNames(as.vector(sums), rownames(sums))
  }
  size <- total(v, g)
  truth <- total(v * forward(y), g) / size
  found <- (total(w * forward(z), h) / total(w, h))[names(size)]
  # A group without weight has no mean
  there <- size > 0 & is.finite(found)
  stats::weighted.mean(abs(found - truth)[there], size[there])
}
