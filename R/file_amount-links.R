# Amounts keep what they have in common. Of an amount and an earlier one, or the
# same one in an earlier wave, the release measures how near the normal scores
# of a record are: squared differences, which are small where amounts are alike,
# less squares of sums, which are small where they are opposite. A low limit of
# both leaves little noise. What earlier amounts say of a record's value is then
# one predictor, whose slope the steps measure with all others.

# Scores beyond these ends are as far out; squares above 1 count as 1, and in so
# many whole units. With fewer, whole noise of several amounts is no longer near
# enough to Gaussian noise at epsilon 5; with more, it cannot be drawn at .02
link_ends <- 2.5
link_unit <- 2^14

# Of an amount's mu squared, where it has links
share_of_links <- 0.1

# Correlations that links tell, at most; and those from which on an earlier
# amount's score says more than its bins, which keep what is no line
most_linked <- 0.999
strong_link <- 0.5

# The error of a correlation that still tells something, beside its size
clear_link <- 0.2

# What an amount's correlation with itself in an earlier wave is expected to be,
# with its standard deviation, and how much it differs among waves as far apart.
# A wave of few persons tells none of its own: without this its amounts would
# follow nothing
expected_over_waves <- c(mean = 0.6, error = 0.17, differ = 0.1)

# Places between the ends at which expected scores are told apart
expected_places <- 101L

#' Values as normal scores, by the noisy margin
#' @param amount (list) With its `ranks`, see ranked_margin().
#' @param y (double) On the modelled scale; `NA`: none.
#' @noRd
margin_scores <- function(amount, y) {
  share <- rep(NA_real_, length(y))
  at <- !is.na(y)
  share[at] <- histogram_share(amount$ranks, y[at])
  clamp(stats::qnorm(share), -link_ends, link_ends)
}

# Released ---------------------------------------------------------------------

#' How near the scores of two amounts are, in whole units; 0 without both
#' @param score (double, n)
#' @param earlier (list of double, n)
#' @return (matrix, a column for each of `earlier`)
#' @noRd
whole_links <- function(score, earlier) {
  links <- vapply(earlier, function(other) {
    near <- pmin((score + other)^2, 1) - pmin((score - other)^2, 1)
    replace(trunc(link_unit * near), is.na(near), 0)
  }, score)
  # As many columns where nobody has a value
  matrix(links, length(score), length(earlier))
}

#' Sums of these as a measurement
#' @param links (count)
#' @noRd
link_measurement <- function(links, what = "", about = NULL) {
  reach <- sqrt(links) * link_unit
  new_measurement(
    what, "links", links, bound = function(kind) by_relation(reach),
    vectors = function(records, part) records$links,
    sums = function(records) list(colSums(records$links)), about = about
  )
}

#' Release the links of an amount with earlier ones
#' @param amount (list) With its `margin` and `earlier`.
#' @param records Of those with a value `links` (see whole_links()), see
#'   over_chunks(). Confidential.
#' @param both (double) Records with both values, as released.
#' @param released (named list) Earlier amounts.
#' @return (list) `with` (names), `noisy`, the noise as paid; `told`, the
#'   correlations with these without what is only noise, and their `error`;
#'   `strong` (names): those whose scores an expected one is of; `among`,
#'   correlations of these; with any, `spread` and `unsure`, see
#'   expected_spread().
#' @noRd
released_links <- function(amount, records, both, released, budget, what,
                           seed) {
  x <- paid_by(link_measurement(length(amount$earlier), what), budget)
  noisy <- measured(
    x, seeds = list(seed), sums = whole_sums(x, records)
  )[[1]]
  found <- mapply(
    linked_correlation, noisy, both, x$noise$deviation,
    links_before(amount, released)
  )
  told <- found["mean", ]
  error <- found["error", ]
  # Of an earlier wave there are no bins that could tell instead
  binned <- amount$earlier %in% (amount$near$amounts %||% amount$earlier)
  strong <- error <= pmin(clear_link, abs(told) / ifelse(binned, 4, 2)) &
    (abs(told) >= strong_link | !binned)
  among <- links_among(released[amount$earlier[strong]])
  # Noise in directions along which earlier amounts hardly vary would be told
  # many times over
  diag(among) <- 1 + error[strong]
  c(
    list(with = amount$earlier, noisy = noisy), x$noise, list(
      told = told, error = error, strong = amount$earlier[strong],
      among = among
    ), if (any(strong)) {
      expected_spread(told[strong], among, error[strong])
    }
  )
}

#' What earlier scores lead to expect, in all
#' @return (list) `spread`, its standard deviation, less what is only noise in
#'   it; `unsure`, the error of its square.
#' @noRd
expected_spread <- function(told, among, error) {
  b <- solve_positive(among, told)
  by_noise <- vapply(seq_along(error), function(k) {
    solve_positive(among, replace(0 * error, k, error[k]^2))[k]
  }, 0)
  list(
    spread = sqrt(clamp(sum(b * told) - sum(by_noise), 1e-4, most_linked^2)),
    # What is taken for noise is as unsure
    unsure = 2 * sqrt(sum((b * error)^2)) + sum(by_noise) + sum(b^2 * error)
  )
}

#' Correlations of amounts among one another, as released
#' @param released (named list)
#' @return (matrix) 0 where two have no link.
#' @noRd
links_among <- function(released) {
  among <- diag(length(released))
  for (k in seq_along(released)) {
    links <- released[[k]]$links
    at <- match(links$with, names(released))
    known <- !is.na(at)
    among[k, at[known]] <- among[at[known], k] <- links$told[known]
  }
  among
}

#' What is expected of an amount's correlations before they are measured
#'
#' Of waves, by what those that are as far apart have told.
#' @inheritParams released_links
#' @return (list of double, by link) Mean and standard deviation; `NULL`: any
#'   correlation is as likely.
#' @noRd
links_before <- function(amount, released) {
  if (is.null(amount$apart)) {
    return(vector("list", length(amount$earlier)))
  }
  same <- released[amount$earlier]
  differ <- expected_over_waves[["differ"]]^2
  of <- function(part, apart) {
    unlist(lapply(same, function(x) x$links[[part]][x$apart == apart]))
  }
  lapply(amount$apart, function(apart) {
    told <- c(expected_over_waves[["mean"]], of("told", apart))
    sure <- 1 / c(
      expected_over_waves[["error"]]^2, of("error", apart)^2 + differ
    )
    c(sum(told * sure) / sum(sure), sqrt(1 / sum(sure) + differ))
  })
}

#' The correlation of normal scores whose links have such a noisy sum
#'
#' On a grid, and again where the first one shows it: noise may be of any size
#' beside the records.
#' @param noisy,both,noise (numbers) The sum, its records and its noise's
#'   standard deviation.
#' @param before (double or `NULL`) See links_before().
#' @return (named double) `mean` and `error`, its standard deviation.
#' @noRd
linked_correlation <- function(noisy, both, noise, before = NULL) {
  clipped <- function(v) {
    v * stats::pchisq(1 / v, 3) + stats::pchisq(1 / v, 1, lower.tail = FALSE)
  }
  records <- link_unit * max(both, 1)
  ends <- c(-most_linked, most_linked)
  for (look in 1:4) {
    r <- seq(ends[1], ends[2], length.out = 401)
    miss <- noisy - records * (clipped(2 * (1 + r)) - clipped(2 * (1 - r)))
    fit <- -(miss / noise)^2 / 2
    if (!is.null(before)) fit <- fit - ((r - before[1]) / before[2])^2 / 2
    share <- exp(fit - max(fit))
    share <- share / sum(share)
    mean <- sum(share * r)
    error <- sqrt(sum(share * (r - mean)^2))
    around <- mean + c(-1, 1) * (6 * error + 2 * diff(r[1:2]))
    ends <- clamp(around, -most_linked, most_linked)
  }
  c(mean = mean, error = error)
}

#' Solve by a symmetric matrix whose eigenvalues noise may have made too small
#' @noRd
solve_positive <- function(x, y, least = 0.002) {
  found <- eigen(x, symmetric = TRUE)
  drop(found$vectors %*%
    (crossprod(found$vectors, y) / pmax(found$values, least)))
}

# What earlier amounts say -----------------------------------------------------

#' The scores that earlier amounts lead to expect, as places
#' @param links (list) See released_links().
#' @param scores (list of double) Of the strong ones; `NA`: no value.
#' @return (list) `place` (integer), from 1 to `expected_places`, and `left`:
#'   the standard deviation of scores beside these. Without any earlier value it
#'   is 1.
#' @noRd
expected_places_of <- function(links, scores) {
  told <- links$told[match(links$strong, links$with)]
  scores <- matrix(unlist(scores), ncol = length(told))
  there <- !is.na(scores)
  expected <- numeric(nrow(scores))
  left <- rep(1, nrow(scores))
  pattern <- do.call(paste0, as.data.frame(there + 0L))
  for (rows in split(seq_along(pattern), pattern)) {
    kept <- there[rows[1], ]
    if (!any(kept)) next
    b <- solve_positive(
      links$among[kept, kept, drop = FALSE], told[kept]
    )
    expected[rows] <- scores[rows, kept, drop = FALSE] %*% b
    left[rows] <- sqrt(1 - clamp(sum(b * told[kept]), 0, most_linked^2))
  }
  half <- (expected_places - 1) / 2
  place <- round(half * expected / (links$spread * link_ends))
  list(place = as.integer(clamp(place, -half, half) + half + 1), left = left)
}

#' What each place adds to a linear predictor, before its slope is known: the
#' margin's value with such a score
#' @return (double) 0 in the middle.
#' @noRd
expected_curve <- function(amount) {
  score <- amount$links$spread *
    seq(-link_ends, link_ends, length.out = expected_places)
  value <- histogram_quantile(amount$ranks, stats::pnorm(score))
  if (!is_location(amount$family)) value <- log(pmax(value, 0.5))
  value - value[(expected_places + 1) / 2]
}
