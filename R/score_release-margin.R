# The margin of a score release: noisy prefix counts on public bins.

#' Breaks from public numbers: seven tenths by a logistic curve around the
#' reference, the rest equally wide
#'
#' Counts have theirs along log(1 + y), between whole numbers.
#' @param ends (two numbers) Public bounds on the modelled scale.
#' @param centre,shape (numbers) Of the reference: a linear predictor.
#' @return (double) Of counts fewer than asked for where there are not so many.
#' @noRd
score_breaks <- function(family, ends, centre, shape, bins) {
  frame <- score_frame(family, centre, shape)
  middle <- frame$centre
  scale <- if (is_location(family)) shape else frame$spread
  count <- family$kind == "count"
  if (count) {
    ends <- whole_ends(ends) + c(-0.5, 0.5)
    scale <- scale / (1 + middle)
    middle <- log1p(middle)
  }
  grid <- seq(
    if (count) log1p(ends[1]) else ends[1],
    if (count) log1p(ends[2]) else ends[2],
    length.out = 20001
  )
  curve <- stats::plogis((grid - middle) / scale)
  curve <- (curve - curve[1]) / (curve[20001] - curve[1])
  if (!all(is.finite(curve))) curve <- (0:20000) / 20000
  share <- 0.7 * curve + 0.3 * (0:20000) / 20000
  breaks <- stats::approx(share, grid, (0:bins) / bins)$y
  if (!count) {
    return(breaks)
  }
  breaks <- floor(expm1(breaks) + 1) - 0.5
  breaks[c(1, bins + 1)] <- ends
  unique(breaks)
}

#' The smallest and the largest whole number within bounds
#' @noRd
whole_ends <- function(bounds) c(ceiling(bounds[1]), floor(bounds[2]))

#' What is counted: column j is what a record of bin j adds
#'
#' For Gaussian noise the square root of the matrix of prefix sums, whose
#' largest errors grow with the logarithm of the number of bins and not with its
#' square root (Fichtenberger, Henzinger and Upadhyay 2023, Constant matters).
#' @return (whole matrix, bins x bins)
#' @noRd
margin_strategy <- function(bins, noise) {
  unit <- score_length * score_steps
  if (noise == "laplace") {
    return(unit * diag(bins))
  }
  j <- seq_len(bins - 1)
  root <- cumprod(c(1, (2 * j - 1) / (2 * j)))
  lag <- outer(seq_len(bins), seq_len(bins), `-`)
  round(unit * ifelse(lag < 0, 0, root[pmax(lag, 0) + 1]))
}

#' @return (list) `breaks`, `strategy` and `noise`, see noise_of().
#' @noRd
margin_plan <- function(breaks, budget) {
  bins <- length(breaks) - 1
  strategy <- margin_strategy(bins, budget$noise)
  list(
    breaks = breaks, strategy = strategy,
    noise = noise_of(margin_sensitivity(strategy, budget$noise), budget, bins)
  )
}

#' The noisy margin
#'
#' @param z (double, N) The response on the modelled scale.
#' @param plan (list) See margin_plan().
#' @return (list) All public: `breaks` (modelled scale), `bounds`, `noisy`
#'   (counts by bin, their sum N), and the noise as paid.
#' @noRd
score_margin <- function(z, plan, bounds, seed) {
  breaks <- plan$breaks
  bins <- length(breaks) - 1
  strategy <- plan$strategy
  noise <- plan$noise
  n <- length(z)
  sums <- margin_sums(z, breaks, strategy) + draw_noise(noise, bins, seed)
  counts <- solve(strategy, sums)
  # N is public: the counts nearest to the noisy ones that sum to it
  spread <- solve(crossprod(strategy), rep(1, bins))
  counts <- counts - spread * (sum(counts) - n) / sum(spread)
  c(list(breaks = breaks, bounds = bounds, noisy = counts), noise)
}

#' The whole sums of a margin
#' @noRd
margin_sums <- function(z, breaks, strategy) {
  bin <- findInterval(
    z, breaks,
    rightmost.closed = TRUE, all.inside = TRUE
  )
  score_sums_(t(strategy), bin, rep(1, length(z)), 1)
}

#' One record adds a column (add/remove) or puts one in place of another
#' @noRd
margin_sensitivity <- function(strategy, noise) {
  laplace <- noise == "laplace"
  by_relation(
    vector_lengths(t(strategy), noise),
    max(stats::dist(t(strategy), if (laplace) "manhattan" else "euclidean"))
  )
}

#' The largest standard error of the released cumulative shares
#' @noRd
margin_error <- function(margin, n) {
  bins <- length(margin$noisy)
  strategy <- margin_strategy(
    bins, if (is.null(margin$rho)) "laplace" else "gaussian"
  )
  sums <- 1 * lower.tri(diag(bins), diag = TRUE)
  # The total is known
  sums <- sums[-bins, , drop = FALSE] - seq_len(bins - 1) / bins
  max(sqrt(rowSums((sums %*% solve(strategy))^2))) * margin$deviation / n
}

# The predictors that it goes with -------------------------------------------

#' What a margin has to know of the file's predictors, which are published
#'
#' @param b (double, P) Coefficients.
#' @return (list) `rows`: a hundred design rows along the linear predictor;
#'   `mean` of the columns.
#' @noRd
margin_population <- function(file, b) {
  typical <- typical_rows(drop(file$x %*% b), file$count)
  list(rows = file$x[typical, , drop = FALSE], mean = column_means(file))
}

column_means <- function(file) {
  drop(crossprod(file$x, file$count)) / length(file$row)
}

#' Are sets drawn for the file's own predictors?
#'
#' Then the ranks of a set are those of the margin. A part of the file, or
#' other records, must not get the margin of the whole.
#' @noRd
has_own_predictors <- function(x, file) {
  far <- abs(column_means(file) - x$population$mean)
  length(file$row) == x$n_records &&
    all(far <= 1e-9 * (1 + abs(x$population$mean)))
}
