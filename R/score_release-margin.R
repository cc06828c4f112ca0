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
  places <- if (count) log1p(ends) else ends
  grid <- seq(places[1], places[2], length.out = 20001)
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

check_score_margin <- function(settings, response) {
  bounds <- settings$bounds
  if (is.null(bounds)) {
    return(invisible())
  }
  refuse_if(
    has_labels(response), "A margin only applies to numbers.",
    i = "Leave {.arg bounds} out.", arg = "bounds"
  )
  inside <- response$bounds %||%
    c(if (response$kind == "count") 0 else -Inf, Inf)
  refuse_if(
    bounds[1] < inside[1] || bounds[2] > inside[2],
    "{.arg bounds} must lie within the range of the family.",
    i = "That is from {format(inside[1])} to {format(inside[2])}.",
    arg = "bounds"
  )
  refuse_if(
    response$kind == "count" && diff(whole_ends(bounds)) < 1,
    "{.arg bounds} of counts must include at least two whole numbers.",
    x = "They include {max(0, diff(whole_ends(bounds)) + 1)}.",
    i = "State the smallest and the largest count, such as
         {.code bounds = c(0, 50)}.",
    arg = "bounds"
  )
}

# Whole units of a count in prefix sums
count_unit <- 2^22

#' What is counted: column j is what a record of bin j adds
#'
#' For Gaussian noise the square root of the matrix of prefix sums, whose
#' largest errors grow with the logarithm of the number of bins and not with its
#' square root (Fichtenberger, Henzinger and Upadhyay 2023, Constant matters).
#' @param unit (whole number) Of a count.
#' @return (whole matrix, bins x bins)
#' @noRd
margin_strategy <- function(bins, noise, unit = count_unit) {
  if (noise == "laplace") {
    return(unit * diag(bins))
  }
  j <- seq_len(bins - 1)
  root <- cumprod(c(1, (2 * j - 1) / (2 * j)))
  lag <- outer(seq_len(bins), seq_len(bins), `-`)
  round(unit * ifelse(lag < 0, 0, root[pmax(lag, 0) + 1]))
}

strategy_of <- function(margin) {
  strategy <- (margin$parts %||% 1) * margin_strategy(
    length(margin$noisy), if (is_laplace(margin)) "laplace" else "gaussian",
    margin$unit %||% count_unit
  )
  # Counts that were turned into others, see of_persons()
  if (is.null(margin$turned)) {
    return(strategy)
  }
  strategy / rep(margin$turned, each = nrow(strategy))
}

#' A margin as a measurement: a record adds its bin's column
#'
#' @param kind (string) Of the noise.
#' @param valued (flag) Has every record a value? Where one may have none,
#'   another in its place adds a whole column.
#' @param unit See margin_strategy().
#' @param parts (count) Of a record that may be shared, see share_parts.
#' @return (`measurement`) Of records with `y` (modelled scale, `NA`: none);
#'   also `breaks`, `strategy` and `parts`.
#' @noRd
margin_measurement <- function(breaks, what = "noisy margin",
                               kind = "gaussian", valued = TRUE,
                               about = NULL, unit = count_unit, parts = 1) {
  strategy <- margin_strategy(length(breaks) - 1, kind, unit)
  bins <- function(records) {
    if (!is.null(records)) {
      found <- bins_of(records$y, breaks)
      ifelse(is.na(found), 0L, found)
    }
  }
  # A plan asks for it again and again
  known <- list()
  x <- new_measurement(
    what, "margin", length(breaks) - 1,
    bound = function(kind) {
      if (is.null(known[[kind]])) {
        moves <- parts * margin_sensitivity(strategy, kind)
        if (!valued) moves[["replace"]] <- max(moves)
        known[[kind]] <<- moves
      }
      known[[kind]]
    },
    vectors = function(records, part) {
      (records$parts %||% 1) *
        rbind(0, t(strategy))[bins(records) + 1, , drop = FALSE]
    },
    counts = function(records) {
      in_parts(records, function(own) {
        bin_counts(own$y[!is.na(own$y)], breaks)
      })
    },
    sums = function(counts) list(margin_sums(counts, strategy)),
    moves = if (kind == "gaussian") function(records, other, noise) {
      rows <- list(bins(records), bins(other))
      do.call(moves_of_rows, c(
        list(t(strategy), noise), Filter(Negate(is.null), rows)
      ))
    },
    about = about
  )
  x$breaks <- breaks
  x$strategy <- strategy
  x$parts_of_record <- if (parts > 1) parts
  x$unit <- if (unit != count_unit) unit
  x
}

#' The noisy margin
#'
#' @param counts (double) Records in each bin, see bin_counts().
#' @param x (list) See margin_measurement(), with its noise.
#' @param n (number) What the counts sum to: N, which is public, or what was
#'   released of it.
#' @return (list) All public: `breaks` (modelled scale), `bounds`, `noisy`
#'   (counts by bin, their sum n), and the noise as paid.
#' @noRd
score_margin <- function(counts, x, bounds, seed, n) {
  parts <- x$parts_of_record
  counts <- solve(x$strategy, measured(x, counts, list(seed))[[1]])
  if (!is.null(parts)) counts <- counts / parts
  # The counts nearest to the noisy ones that sum to it
  spread <- solve(crossprod(x$strategy), rep(1, length(counts)))
  counts <- counts - spread * (sum(counts) - n) / sum(spread)
  c(
    list(breaks = x$breaks, bounds = bounds, noisy = counts),
    if (!is.null(x$unit)) x["unit"], list(parts = parts)[!is.null(parts)],
    x$noise
  )
}

#' The whole sums of a margin
#' @param counts (double) See bin_counts().
#' @noRd
margin_sums <- function(counts, strategy) {
  score_sums_(t(strategy), seq_along(counts), counts, max(1, counts))
}

#' One record adds a column (add-remove) or puts one in place of another
#' @noRd
margin_sensitivity <- function(strategy, noise) {
  laplace <- noise == "laplace"
  by_relation(
    vector_lengths(t(strategy), noise),
    # Of one bin there is no other
    max(0, stats::dist(t(strategy), if (laplace) "manhattan" else "euclidean"))
  )
}

#' The largest standard error of the released cumulative shares
#' @noRd
margin_error <- function(margin, n) {
  bins <- length(margin$noisy)
  strategy <- strategy_of(margin)
  sums <- 1 * lower.tri(diag(bins), diag = TRUE)
  # The total is known
  sums <- sums[-bins, , drop = FALSE] - seq_len(bins - 1) / bins
  max(sqrt(rowSums((sums %*% solve(strategy))^2))) * margin$deviation / n
}

# The bins of a count's margin lie between whole numbers
whole_bins <- function(x, values) {
  if (x$family$kind == "count") floor(values + 0.5) else values
}

# The predictors that it goes with -------------------------------------------

column_means <- function(file) {
  drop(crossprod(file$x, file$count)) / sum(file$count)
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

# What sets are drawn from: a release's noisy margin without what is only noise.

#' The counts that a release's sets are drawn from
#'
#' Of modal_counts(), under the family's law at the released coefficients.
#' Post-processing: it looks at what is published or released, and at nothing
#' else.
#' @param x (`score_release`)
#' @return (list) `counts`, which sum to N, and `breaks` (modelled scale).
#' @noRd
margin_counts <- function(x) {
  modal_counts(margin_parts(x), x$margin$noisy, margin_precision(x$margin))
}

#' What a margin's bins are made of: see parts_of_bins()
#' @noRd
margin_parts <- function(x) {
  law <- function(breaks) {
    law <- if (is.null(x$before)) {
      law_shares(x, breaks)
    } else {
      with_even_part(counts_between(x$before, breaks), breaks)
    }
    if (is.null(x$part_factors)) {
      return(law)
    }
    middle <- (breaks[-1] + breaks[-length(breaks)]) / 2
    bin <- findInterval(middle, x$margin$breaks, all.inside = TRUE)
    law <- law * x$part_factors[bin]
    law / sum(law)
  }
  parts <- parts_of_bins(x$margin$breaks, law, x$family$kind == "count")
  if (!is.null(x$before)) {
    # What was counted before has tails of its own, which move as a whole
    parts$place <- lapply(parts$place, function(at) at / (1 + abs(at) / 3))
    parts$place_error <- place_error_before
  }
  parts
}

# How far the place of a margin may be from the one before it, in deviations
place_error_before <- 0.3

#' Counts of other bins, which records fill evenly
#' @param counts (list) `counts` and `breaks`.
#' @noRd
counts_between <- function(counts, breaks) {
  diff(stats::approx(
    counts$breaks, c(0, cumsum(counts$counts)), breaks, rule = 2
  )$y)
}

#' The inverse covariance of the noise in a margin's counts
#' @noRd
margin_precision <- function(margin) {
  crossprod(strategy_of(margin) / margin$deviation)
}

#' What bins hold before the noisy counts are looked at
#'
#' The family's law at the released coefficients, for the file's predictors, but
#' with normal errors in place of Student's: a margin has bounds, and tails
#' that only a family states would be most of a mean.
#' @param x (list) A release, or an amount of one.
#' @return (double) Shares, above 0.
#' @noRd
law_shares <- function(x, breaks) {
  mean <- family_mean(x$family, drop(x$population$rows %*% x$draws$mean))
  below <- if (is_location(x$family)) {
    sigma <- spread_as(x)
    function(q, mean) stats::pnorm((q - mean) / sigma)
  } else {
    function(q, mean) response_probability(x$family, q, mean, x$shape)
  }
  with_even_part(diff(rowMeans(outer(breaks, mean, below))), breaks)
}

#' The scale of other errors of which as many are unclipped: of normal ones
#' their standard deviation
#'
#' The clip is where the release has counted errors. Farther out the family
#' alone states quantiles: a normal law that has those of Student's is too wide
#' for errors that are normal.
#' @inheritParams law_shares
#' @param quantile (function of shares) Of the other errors.
#' @noRd
spread_as <- function(x, quantile = stats::qnorm) {
  clip <- x$steps[[length(x$steps)]]$clip
  p <- clamp(latent_share(x$family, clip / x$shape), 0.6, 0.9)
  unname(x$shape * latent_quantile(x$family, p) / quantile(p))
}

# Draws of a margin without noise, given the noisy one: modal_counts.R has their
# mode.

#' What is known of the margin without noise
#' @param moves See ratio_fits().
#' @return (list) `parts`, see parts_of_bins(); `noisy` (counts) and `known`
#'   (see margin_precision()); `fits`, see ratio_fits(), of the sizes that are
#'   not unlikely; `share` of those up to each.
#' @noRd
known_margin <- function(x, moves = moved_covariance) {
  parts <- margin_parts(x)
  noisy <- x$margin$noisy
  known <- margin_precision(x$margin)
  fits <- ratio_fits(noisy, known, parts, moves)
  likelihood <- vapply(fits, `[[`, 0, "likelihood")
  share <- exp(likelihood - max(likelihood))
  kept <- share > 0.01
  list(
    parts = parts, noisy = noisy, known = known, fits = fits[kept],
    share = cumsum(share[kept]) / sum(share[kept])
  )
}

#' Counts of the posterior
#' @inheritParams walked_margins
#' @return (list) See modal_counts().
#' @noRd
drawn_margin <- function(known, random) {
  fit <- known$fits[[sum(known$share <= random(1)) + 1]]
  list(
    counts = walked_margins(known, fit, random, 1)[, 1],
    breaks = known$parts$breaks
  )
}

#' Many draws: each size of curve and spikes has as many as it is likely
#'
#' Of one walk for each size: a draw beside it is nearly independent of most
#' margins.
#' @inheritParams walked_margins
#' @return (matrix, a row for each part of a bin, a column for each draw)
#' @noRd
drawn_margins <- function(known, random, draws) {
  each <- diff(round(c(0, known$share) * draws))
  do.call(cbind, Map(function(fit, draws) {
    walked_margins(known, fit, random, draws)
  }, known$fits[each > 0], each[each > 0]))
}

#' Counts at places of a walk whose places are draws of the posterior
#'
#' See file/margin_walk.hpp of the core. The first place is one of the normal
#' approximation at the mode.
#' @param known (list) See known_margin().
#' @param fit (list) One of its `fits`.
#' @param random (function of a count) Gives uniform numbers.
#' @param draws (count)
#' @param steps (two counts) To the first draw, and between draws.
#' @return (matrix) See drawn_margins().
#' @noRd
walked_margins <- function(known, fit, random, draws, steps = c(30L, 3L)) {
  parts <- known$parts
  shares <- walk_margin_(
    list(
      noisy = known$noisy, known = known$known, log_law = log(parts$of_bins),
      precision = fit$precision, mode = fit$ratio, factor = fit$factor
    ),
    draws, steps, floor(random(2) * 2^32)
  )
  sum(known$noisy) * shares[parts$bin, , drop = FALSE] *
    shares_in_bins(parts, fit$curve)
}
