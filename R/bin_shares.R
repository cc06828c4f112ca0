# Bins of a response that hold equal counts of a noisy margin, and how likely a
# value is in each, given its linear predictor.

#' Breaks between bins of equal counts, between the values that there are
#' @noRd
quantile_breaks <- function(amount, counts, bins) {
  breaks <- histogram_quantile(counts, seq_len(bins - 1) / bins)
  breaks <- unique(between_values(amount, breaks))
  breaks[breaks > min(counts$breaks) & breaks < max(counts$breaks)]
}

#' The middle between the values of an amount's decimals that breaks lie between
#'
#' A break beside a value would give a bin another share of the records than of
#' the modelled scale: what is only that would pass for a relation.
#' @noRd
between_values <- function(amount, breaks) {
  if (amount$unit == 0) {
    return(breaks)
  }
  unit <- amount$unit
  scale <- response_transforms[[amount$transform]]
  # Dates that all start a month or a year
  months <- min(amount$parts$months %||% NA)
  if (!is.na(months)) {
    days <- scale$back(breaks)
    past <- rep(TRUE, length(days))
    ends <- period_beyond(days, months, -1, !past) +
      period_beyond(days, months, 1, past)
    return(scale$forward(ends / 2))
  }
  scale$forward(unit * (floor(scale$back(breaks) / unit) + 0.5))
}

#' How likely each row's value is in each bin, given that ranks are mapped to
#' the margin
#'
#' A bin's share of all rows is the margin's; a curve of each bin along the
#' linear predictor serves all rows.
#' @param amount (list) `counts`, `family`, `shape` and `steps` of a release;
#'   `among` (double): linear predictors of the records whose margin it is, if
#'   these are others.
#' @param line (double, N) Linear predictors.
#' @param breaks (double) Of the bins, without the ends.
#' @return (matrix, N x bins)
#' @noRd
bin_shares <- function(amount, line, breaks) {
  along <- bin_curves(amount, line, breaks)
  curve <- along$share
  at <- along$line
  if (at[1] == at[length(at)]) {
    return(curve[rep(1, length(line)), , drop = FALSE])
  }
  apply(curve, 2, function(y) stats::approx(at, y, line, rule = 2)$y)
}

#' The same along a grid of linear predictors
#' @param spread,cut (numbers) Of errors, and where their bins end beside linear
#'   predictors, if rows have errors of different size: see own_bin_curves().
#' @return (list) `line` (evenly spaced, ten places an error), `share` (matrix,
#'   a row for each).
#' @noRd
bin_curves <- function(amount, line, breaks,
                       spread = spread_of_errors(amount, line), cut = NULL) {
  if (is.null(cut)) {
    among <- amount$among %||% line
    some <- sort(among)[spaced_rows(length(among), 400)]
    cut <- latent_places(
      amount$family, some, spread, histogram_share(amount$counts, breaks)
    )
  }
  ends <- range(line)
  places <- clamp(ceiling(10 * (ends[2] - ends[1]) / spread), 300, 3000)
  # Two rows or fewer are the ends themselves
  if (length(line) <= 2) places <- 2
  at <- seq(ends[1], ends[2], length.out = places)
  below <- latent_share(amount$family, outer(at, cut, function(line, cut) {
    (cut - line) / spread
  }))
  below <- cbind(0, matrix(below, length(at)), 1)
  list(
    line = at, share = below[, -1, drop = FALSE] -
      below[, -ncol(below), drop = FALSE]
  )
}

#' An amount with the errors that its margin tells, in place of the family's
#'
#' Tails that only a family states would be most of what is left beside earlier
#' amounts: where it follows them errors are normal.
#' @param df (number or `NULL`) Degrees of freedom; `Inf`: normal.
#' @noRd
with_told_errors <- function(amount, df = if (!is.null(amount$curve)) Inf else
                               amount$error_df) {
  if (is.null(df) || amount$family$name != "student_t" ||
        df == amount$family$df) {
    return(amount)
  }
  amount$shape <- spread_as(amount, function(p) stats::qt(p, df))
  amount$family$df <- df
  amount
}

# Degrees of freedom that errors may have, beside those of the family
error_dfs <- c(5, 10, Inf)

#' The degrees of freedom of errors that a margin tells
#'
#' Errors are drawn, and ranks get the margin. With heavier tails than those of
#' the file this map bends, and all slopes would be smaller than the file's;
#' with lighter ones larger. That map is nearest to a straight line which has
#' the file's.
#' @param amount (list) See release_amount().
#' @param line (double, n) Linear predictors.
#' @return (number or `NULL`) As the family has it: `NULL`.
#' @noRd
told_error_df <- function(amount, line) {
  if (amount$family$name != "student_t" || !is.null(amount$curve)) {
    return(NULL)
  }
  kept <- spaced_rows(length(line), scale_rows)
  n <- length(kept)
  values <- whole_bins(amount, histogram_quantile(
    amount$counts, (seq_len(n) - 0.5) / n
  ))
  at <- sort(line)[kept]
  # Of the tails noise and bounds say more than errors
  inner <- seq(max(1, round(0.01 * n)), round(0.99 * n))
  dfs <- c(amount$family$df, error_dfs)
  straight <- vapply(dfs, function(df) {
    own <- with_told_errors(amount, df)
    error <- latent_quantile(own$family, (kept * 0.6180339887498949) %% 1)
    latent <- sort(at + spread_of_errors(own, line) * error)
    or_else(suppressWarnings(stats::cor(latent[inner], values[inner])), NA)
  }, 0)
  best <- which.max(straight)
  if (length(best) == 1 && best > 1) dfs[best]
}

#' The same where errors of rows are of different size
#' @param said,left (double) See linked_scale().
#' @return (list of list) For each size `rows`, and `line` and `share` as
#'   bin_curves() has them.
#' @noRd
own_bin_curves <- function(amount, line, said, left, breaks) {
  n <- length(line)
  # As many sizes as there are patterns of earlier values
  own <- signif(relative_spread(left), 3)
  # Errors in an order that has nothing to do with the rows'
  p <- (rank(line, ties.method = "first") * 0.6180339887498949) %% 1
  error <- latent_quantile(amount$family, clamp(p, 0.5 / n, 1 - 0.5 / n)) * own
  spread <- linked_scale(amount, line, error, said, left)
  cut <- stats::quantile(
    line + spread * error, histogram_share(amount$counts, breaks),
    names = FALSE
  )
  lapply(unname(split(seq_len(n), own)), function(rows) {
    c(list(rows = rows), bin_curves(
      amount, line[rows], breaks, spread * own[rows[1]], cut
    ))
  })
}

#' Sizes of errors beside their common one
#' @noRd
relative_spread <- function(left) left / sqrt(mean(left^2))

#' Places that some shares of all rows' latent values lie below
#' @noRd
latent_places <- function(family, line, scale, share) {
  tail <- scale * latent_quantile(family, stats::plogis(seq(-30, 30, 0.1)))
  at <- sort(unique(c(min(line) + tail, max(line) + tail)))
  below <- rep(NA_real_, length(at))
  ask <- function(places) {
    places <- unique(places[is.na(below[places])])
    below[places] <<- mean_share_below(family, at[places], line, scale)
  }
  # By halves: a share at all places would cost most of a release
  low <- rep(1, length(share))
  high <- rep(length(at), length(share))
  ask(c(low, high))
  while (any(high - low > 1)) {
    middle <- (low + high) %/% 2
    ask(middle)
    under <- below[middle] < share
    low <- ifelse(under, middle, low)
    high <- ifelse(under, high, middle)
  }
  asked <- !is.na(below)
  stats::approx(below[asked], at[asked], share, ties = "mean", rule = 2)$y
}

#' The share of a histogram below some values
#' @noRd
histogram_share <- function(x, values) {
  cumulative <- c(0, cumsum(histogram_shares(x)))
  stats::approx(x$breaks, cumulative, values, rule = 2, ties = "ordered")$y
}

#' The scale of errors under which rows agree with the released sums: see
#' margin_scale()
#' @noRd
spread_of_errors <- function(amount, line) {
  # Of few records that stand for a file, with fifty errors each
  if (!is.null(amount$among)) line <- rep(amount$among, each = 50)
  n <- length(line)
  kept <- spaced_rows(n, scale_rows)
  # Errors in an order that has nothing to do with the rows'
  at <- (kept * 0.6180339887498949) %% 1
  margin_scale(
    amount, amount$counts, sort(line)[kept], latent_quantile(amount$family, at)
  )
}

# Ranks that get a margin ------------------------------------------------------

# Latent values, a linear predictor and an error each, whose ranks get a margin:
# where they lie, and how large errors are beside the linear predictor.

# Rows that a scale is found from, at most
scale_rows <- 20000

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
#' What earlier amounts lead to expect is on the margin's scale: beside it
#' errors fill up what the margin spreads.
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
  slope <- if (is.null(x$curve) || !is_location(x$family)) {
    excess <- excess_slope(x, line)
    function(log_scale) {
      set <- numeric(length(kept))
      set[order(line + exp(log_scale) * error)] <- values
      excess(set)
    }
  } else {
    spread <- function(y) diff(stats::quantile(y, c(0.1, 0.9), names = FALSE))
    own <- spread(values)
    function(log_scale) own - spread(line + exp(log_scale) * error)
  }
  ends <- log(start) + c(-3, 3) * (1 - (x$links$spread %||% 0)^2)
  exp(if (slope(ends[1]) <= 0) {
    ends[1]
  } else if (slope(ends[2]) >= 0) {
    ends[2]
  } else {
    stats::uniroot(slope, ends, tol = 0.01)$root
  })
}

#' The errors' scale of an amount with links
#'
#' Links say what share of the variance earlier amounts leave, and the margin
#' how wide values are. Of few records the one is better known, of many the
#' other: each counts by its error.
#' @param error (double, n) See margin_scale().
#' @param said (double, n) What earlier amounts lead to expect, which the last
#'   column of a set has.
#' @param left (double, n) See expected_places_of().
#' @noRd
linked_scale <- function(x, line, error, said, left) {
  scale <- margin_scale(x, x$counts, line, error)
  unsaid <- mean(left^2)
  if (!is_location(x$family) || !isTRUE(unsaid < 1) || !any(said != said[1])) {
    return(scale)
  }
  slope <- stats::cov(line, said) / stats::var(said)
  whole <- slope^2 * stats::var(said) / (1 - unsaid)
  linked <- whole * unsaid - stats::var(line - slope * said)
  # Of variances, beside the whole one. Not all records have an earlier amount;
  # of the margin only what is not said varies from set to set
  records <- (1 - unsaid) / x$links$spread^2
  errors <- c(
    links = sqrt(not_normal^2 + (records * x$links$unsure)^2),
    margin = unsaid * sqrt(3.2 / length(line))
  )
  weights <- errors^-2 / sum(errors^-2)
  sqrt(sum(weights * c(max(linked, 0), scale^2)))
}

# How far off a share of variance is that correlations of normal scores tell, as
# values have no normal law
not_normal <- 0.03

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
