# Latent values, a linear predictor and an error each, whose ranks get a margin:
# where they lie, and how large errors are beside the linear predictor.

# Rows that a scale is found from, at most
scale_rows <- 20000

#' See margin_scale(): of sets for the file's own predictors
#' @noRd
population_scale <- function(x, counts, line) {
  p <- (seq_len(50) - 0.5) / 50
  margin_scale(
    x, counts, rep(line, each = 50),
    rep(latent_quantile(x$family, p), length(line))
  )
}

#' The share of the file's latent values below some
#'
#' Interpolated between places that lie close together in the tails, too.
#' @param line (double) Linear predictors of the file, equally often met.
#' @noRd
share_below <- function(family, latent, line, scale) {
  tail <- scale * latent_quantile(family, stats::plogis(seq(-30, 30, 0.1)))
  at <- sort(unique(c(
    min(line) + tail, max(line) + tail,
    seq(min(line), max(line), length.out = 400)
  )))
  below <- mean_share_below(family, at, line, scale)
  stats::approx(at, below, latent, rule = 2, ties = "ordered")$y
}

#' The same at few places, each by itself
#' @noRd
mean_share_below <- function(family, at, line, scale) {
  rowMeans(
    outer(at, line, function(t, line) latent_share(family, (t - line) / scale))
  )
}

#' The errors' scale under which the set agrees with the released sums
#'
#' Where values get the margin by their ranks, their own scale is lost, and only
#' that of the errors against the linear predictor remains. It is found so that
#' clipped scores of the set have the slope on the linear predictor that they
#' are expected to have: the equation that the second step solves for the file.
#' @param error (double) See latent_quantile().
#' @noRd
margin_scale <- function(x, counts, line, error) {
  n <- length(line)
  kept <- spaced_rows(n, scale_rows)
  line <- line[kept]
  error <- error[kept]
  start <- line_unit(x$family, x$shape)
  if (length(kept) < 20 || max(line) - min(line) < 2e-8) {
    return(unname(start))
  }
  values <- whole_bins(x, histogram_quantile(
    counts, (seq_along(kept) - 0.5) / length(kept)
  ))
  excess <- excess_slope(x, line)
  slope <- function(log_scale) {
    set <- numeric(length(kept))
    set[order(line + exp(log_scale) * error)] <- values
    excess(set)
  }
  ends <- log(start) + c(-3, 3)
  exp(if (slope(ends[1]) <= 0) {
    ends[1]
  } else if (slope(ends[2]) >= 0) {
    ends[2]
  } else {
    stats::uniroot(slope, ends, tol = 0.01)$root
  })
}

#' How far the clipped scores' slope on the linear predictor is from what is
#' expected
#' @return (function of values) Gives a number.
#' @noRd
excess_slope <- function(x, line) {
  clip <- x$steps[[2]]$clip
  if (is_location(x$family)) {
    centred <- line - mean(line)
    return(function(values) {
      residual <- values - line
      residual <- residual - stats::median(residual)
      mean(clamp(residual, -clip, clip) * centred)
    })
  }
  frame <- score_frame(x$family, line, public_shape(x))
  frame$clip <- clip
  expected <- expected_scores(x$family, frame, x$shape)(line)$mean
  # What a shift of all scores has is the intercept's
  centred <- line - stats::weighted.mean(line, frame$scale^2)
  function(values) {
    u <- clamp(score_of(values, frame), -clip, clip)
    mean(frame$scale * (u - expected) * centred)
  }
}
