# Mean and quantiles of an amount, from its noisy margin.

# Margins drawn for a mean. The numbers that draw them are the same in all
# releases: of few their own chance would be an error of all intervals
drawn_of_statistics <- 1000

statistic_quantiles <- c(0.1, 0.25, 0.5, 0.75, 0.9)

#' A table of statistics without a row
#' @noRd
no_statistics <- function() {
  none <- double()
  data.frame(
    amount = character(), statistic = character(), estimate = none,
    noise = none, std_error = none, low = none, high = none
  )
}

#' @param name (string) Of an amount.
#' @return (data frame) See summary.file_release().
#' @noRd
amount_statistics <- function(x, name, level = 0.95) {
  amount <- x$amounts[[name]]
  drawn <- drawn_statistics(amount)
  z <- stats::qnorm((1 + level) / 2)
  line <- function(statistic, estimate, noise, std_error,
                   low = estimate - z * std_error,
                   high = estimate + z * std_error) {
    data.frame(statistic, estimate, noise, std_error, low, high)
  }
  # The margin's own law is too sure of its tails
  noise <- max(stats::sd(drawn$mean), margin_mean(amount)$error)
  mean <- base::mean(drawn$mean)
  sampled <- base::mean(drawn$variance) / amount$n
  rows <- line("mean", mean, noise, sqrt(noise^2 + sampled))
  part <- amount_share(x, amount)
  if (!is.null(part)) {
    all_noise <- sqrt(part$share^2 * noise^2 + mean^2 * part$variance)
    variance <- part$share * base::mean(drawn$variance) +
      part$share * (1 - part$share) * mean^2
    rows <- rbind(rows, line(
      "mean with zeros", part$share * mean, all_noise,
      sqrt(all_noise^2 + variance / part$n)
    ))
  }
  noise <- apply(drawn$quantile, 1, stats::sd)
  rbind(rows, line(
    paste0(100 * statistic_quantiles, "%"), rowMeans(drawn$quantile), noise,
    sqrt(noise^2 + drawn$sampled^2)
  ))
}

#' Means, variances and quantiles of margins drawn from their posterior
#'
#' The words are fixed: the same release gives the same figures.
#' @return (list) `mean`, `variance` (double), `quantile` (matrix, a column for
#'   each margin), all in the values' own unit; `sampled` (double): the standard
#'   error of quantiles of a sample, from the slope of the quantile function.
#' @noRd
drawn_statistics <- function(amount) {
  known <- known_margin(amount)
  random <- random_stream(c(1, 2, 3, 4), 1)
  back <- response_transforms[[amount$transform]]$back
  p <- statistic_quantiles
  at <- c(p, p - 0.03, p + 0.03)
  values <- values_within(amount, known$parts$breaks)
  moments <- cbind(rowMeans(values), rowMeans(values^2))
  drawn <- drawn_margins(known, random, drawn_of_statistics)
  moments <- crossprod(moments, drawn) / rep(colSums(drawn), each = 2)
  quantiles <- apply(drawn, 2, function(counts) {
    margin <- list(counts = counts, breaks = known$parts$breaks)
    back(whole_bins(amount, histogram_quantile(margin, at)))
  })
  own <- seq_along(p)
  slope <- rowMeans(
    quantiles[own + 2 * length(p), ] - quantiles[own + length(p), ]
  )
  list(
    mean = moments[1, ], variance = moments[2, ] - moments[1, ]^2,
    quantile = quantiles[own, ],
    sampled = slope / 0.06 * sqrt(p * (1 - p) / amount$n)
  )
}

#' Values of a few places in each part of a bin
#' @return (matrix, a row for each part)
#' @noRd
values_within <- function(amount, breaks, places = 5) {
  inner <- (seq_len(places) - 0.5) / places
  at <- outer(diff(breaks), inner) + breaks[-length(breaks)]
  back <- response_transforms[[amount$transform]]$back
  matrix(back(as.vector(whole_bins(amount, at))), nrow(at))
}

#' The share of records with values among these and zeros
#' @return (list or `NULL`, where zeros are no part) `share`, `variance` (of its
#'   noise), `n`.
#' @noRd
amount_share <- function(x, amount) {
  zero <- which(amount$all_parts$kind == "zero")
  told <- told_parts(x, amount)
  if (length(zero) > 0 && !is.null(told)) part_share(told, amount$part, zero)
}

#' What noisy tables tell of the parts of an amount
#' @return (list or `NULL`, where it has one part) `counts`, and `noise`
#'   (function of a `slope`: the variance of a sum over the counts, by which
#'   each enters it).
#' @noRd
told_parts <- function(x, amount) {
  block <- x$block
  if (is_of_members(amount)) {
    names <- lapply(block$pooled, `[[`, "names")
    at <- match(amount$name, names)
    return(if (!is.na(at)) told_of_pooled(block, at))
  }
  own <- match(amount$name, names(x$levels))
  if (is.na(own)) {
    return(NULL)
  }
  cells <- table_estimate(block, own)$part
  list(
    counts = cells + block$n / length(cells),
    noise = function(slope) count_noise(block, own, slope)
  )
}

#' What a pooled margin of members tells of the counts of its levels
#' @return (list) See told_parts().
#' @noRd
told_of_pooled <- function(block, at) {
  drawn <- block$pooled_targets[[at]]$target
  l <- length(drawn)
  each <- sum(drawn) / block$n
  list(
    counts = uncut_residuals(block)[[at]] + sum(drawn) / l,
    noise = function(slope) {
      block$pooled_noise$variance[at] * (sum(slope^2) - sum(slope)^2 / l) +
        (each * sum(slope) / l)^2 * size_variance(block)
    }
  )
}

#' The share of some levels among others, and the variance of its noise
#' @param told (list) See told_parts().
#' @param some,among (integer) Levels; `some` are among the others or not.
#' @return (list) `share`, `variance`, `n` (records of all).
#' @noRd
part_share <- function(told, some, among) {
  counts <- told$counts
  all <- union(among, some)
  n <- max(1, sum(counts[all]))
  share <- clamp(sum(counts[some]) / n)
  slope <- replace(0 * counts, all, -share / n)
  slope[some] <- (1 - share) / n
  list(share = share, variance = told$noise(slope), n = n)
}

#' The variance of a sum over noisy counts of a column
#' @param slope (double) By which each count enters it.
#' @noRd
count_noise <- function(block, own, slope) {
  l <- length(slope)
  at <- residual_place(block, own)
  measured <- if (is.na(at)) 0 else block$noise$variance[at]
  measured * (sum(slope^2) - sum(slope)^2 / l) +
    (sum(slope) / l)^2 * size_variance(block)
}

# Margins of which a mean's error is counted
margins_of_error <- 30

# What is counted holds the law, or falling tails, fixed, which noisy sums told
# as well. In bench/means.R means are off by so much more
law_error <- 1.3

#' The mean of an amount's values in sets, and its error
#'
#' Noise in far bins moves a mean, and what rare values hold is hidden by it.
#' How far is counted: margins that the noisy one may have come from, with a
#' tail as heavy as noise lets it be, get the noise again, and what sets would
#' be drawn from then is beside them. How far the sets of this release are from
#' the middle of such margins is added.
#' @param amount (list) See release_amount().
#' @return (list or `NULL`, without a record) `mean`, `error`.
#' @noRd
margin_mean <- function(amount, draws = margins_of_error) {
  mean <- mean_in_bins(amount, amount$counts$breaks)(amount$counts$counts)
  if (!isTRUE(sum(amount$margin$noisy) > 0) || !is.finite(mean)) {
    return(NULL)
  }
  # Counts must not choose between light and heavy tails: they know least of
  # heavy ones where noise hides all that is far out
  known <- known_margin(amount, open_tails)
  random <- random_stream(c(1, 2, 3, 4), 2)
  drawn <- drawn_margins(known, random, draws)
  noise <- margin_noise(amount$margin)
  again <- counts_again(amount, known$parts)
  mean_of <- mean_in_bins(amount, known$parts$breaks)
  values <- apply(drawn, 2, mean_of)
  off <- apply(drawn, 2, function(counts) {
    noisy <- sums_by(counts, known$parts$bin) +
      noise(stats::qnorm(random(length(amount$margin$noisy))))
    mean_of(again(noisy))
  }) - values
  spread <- max(base::mean(off^2), stats::var(values))
  moved <- base::mean(values) - mean
  list(mean = mean, error = law_error * sqrt(spread + moved^2))
}

#' @return (function of counts between the breaks) Gives the mean of values.
#' @noRd
mean_in_bins <- function(amount, breaks) {
  values <- rowMeans(values_within(amount, breaks))
  function(counts) sum(counts * values) / sum(counts)
}

#' What sets would be drawn from, had the noise been another
#'
#' The sizes of curve and spikes are those of the release: to look for them
#' anew takes seven times as long, and errors are the same on average
#' (bench/means.R).
#' @param parts See margin_parts().
#' @return (function of noisy counts) Gives counts.
#' @noRd
counts_again <- function(amount, parts) {
  precision <- margin_precision(amount$margin)
  first <- likeliest(ratio_fits(amount$margin$noisy, precision, parts))
  prior <- ratio_priors(parts)(first$size)
  kind <- open_kinds(amount)[bins_of_counts(parts, amount)]
  errors <- sqrt(diag(solve(precision)))
  function(noisy) {
    fit <- ratio_fit(noisy, precision, parts, prior, first$ratio)
    counts <- counts_in_parts(parts, fit$counts, fit$curve)
    falling_tails(counts, amount, noisy, errors = errors, kind = kind)$counts
  }
}

#' Noise of a margin's counts, whose sum is 0
#' @return (function of normal numbers, one for each bin)
#' @noRd
margin_noise <- function(margin) {
  strategy <- strategy_of(margin)
  spread <- solve(crossprod(strategy), rep(1, ncol(strategy)))
  function(normal) {
    noise <- solve(strategy, margin$deviation * normal)
    noise - spread * sum(noise) / sum(spread)
  }
}
