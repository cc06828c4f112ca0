# Amounts of a panel keep what their waves have in common. Of an amount and the
# same one in an earlier wave the release measures how far apart the normal
# scores of a person are: squared differences, which are small where waves are
# alike, so that a low limit leaves little noise. In sets errors are drawn given
# those of earlier waves, and swaps pull at each value by that law.

# Scores beyond these ends are as far out; squares of differences above 1 count
# as 1, and in so many whole units
link_ends <- 2.5
link_unit <- 2^10

# Of an amount's mu squared, where it has links
share_of_links <- 0.1

# Rounds in which waves of a set come as far apart as was released
link_rounds <- 3

# What links leave of a correlation to chance, at least
least_left <- 0.02

#' Values as normal scores, by the noisy margin
#' @param amount (list) See release_amount().
#' @param y (double) On the modelled scale; `NA`: none.
#' @noRd
margin_scores <- function(amount, y) {
  share <- rep(NA_real_, length(y))
  at <- !is.na(y)
  share[at] <- histogram_share(amount$counts, y[at])
  clamp(stats::qnorm(share), -link_ends, link_ends)
}

# Released ---------------------------------------------------------------------

#' How far apart the scores of waves are, in whole units; 0 without both
#' @param score (double, n)
#' @param earlier (list of double, n)
#' @return (matrix, a column for each of `earlier`)
#' @noRd
whole_links <- function(score, earlier) {
  links <- vapply(earlier, function(other) {
    apart <- floor(link_unit * pmin((score - other)^2, 1))
    replace(apart, is.na(apart), 0)
  }, score)
  matrix(links, length(score))
}

#' Sums of these as a measurement
#' @param links (count)
#' @noRd
link_measurement <- function(links, what = "", about = NULL) {
  # No entry is below 0: a replaced record moves none farther
  reach <- sqrt(links) * link_unit
  new_measurement(
    what, "links", links,
    bound = function(kind) by_relation(reach, reach),
    vectors = function(records, part) records$links,
    sums = function(records) list(colSums(records$links)), about = about
  )
}

#' Release the links of an amount with earlier waves
#' @param amount (list) See release_amount().
#' @param links (matrix) See whole_links(). Confidential.
#' @param both (double) Records with both values, as released.
#' @return (list) `with` (names), `noisy`, the noise as paid; `apart`: the
#'   variance of the difference of both scores.
#' @noRd
released_links <- function(amount, links, both, budget, what, seed) {
  x <- paid_by(link_measurement(ncol(links), what), budget)
  noisy <- measured(x, list(links = links), list(seed))[[1]]
  c(
    list(with = amount$earlier, noisy = noisy, both = both),
    x$noise, list(apart = apart_of_links(noisy, both))
  )
}

#' The variance of a normal difference whose clipped squares have such a sum
#' @noRd
apart_of_links <- function(noisy, both) {
  expected <- function(v) {
    v * stats::pchisq(1 / v, 3) + stats::pchisq(1 / v, 1, lower.tail = FALSE)
  }
  variance <- exp(seq(log(0.002), log(4), length.out = 500))
  stats::approx(
    expected(variance), variance, noisy / link_unit / pmax(both, 1), rule = 2
  )$y
}

# Drawn ------------------------------------------------------------------------

#' An amount's scores in a set, beside what its predictors say
#' @param y (double) Of `rows`, on the modelled scale.
#' @param line (double) Linear predictors.
#' @param n (count) All records of the set.
#' @return (list) `fitted` and `error` (double, n, `NA` without a value; errors
#'   of variance 1) and their `scale`.
#' @noRd
scored_wave <- function(amount, y, line, rows, n) {
  score <- margin_scores(amount, y)
  centred <- line - mean(line)
  slope <- sum(centred * score) / max(sum(centred^2), 1e-300)
  whole <- rep(NA_real_, n)
  fitted <- mean(score) + slope * centred
  scale <- max(sqrt(mean((score - fitted)^2)), 1e-3)
  list(
    fitted = replace(whole, rows, fitted),
    error = replace(whole, rows, (score - fitted) / scale), scale = scale
  )
}

#' Values of an amount whose waves are as far apart as was released
#'
#' Swaps that bring tables closer bring waves apart: the law is set anew by how
#' far they are.
#' @param draw (function of `swaps` and `link`) See draw_amount().
#' @param scored (function of values) See scored_wave().
#' @return (double) Of `rows`, on the modelled scale.
#' @noRd
linked_values <- function(amount, waves, rows, draw, scored) {
  # A wave in which nobody has a value is no link
  there <- amount$links$with %in% names(waves)
  if (!any(there)) {
    return(draw())
  }
  amount$links[c("with", "apart")] <- lapply(
    amount$links[c("with", "apart")], `[`, there
  )
  own <- scored(draw(swaps = NULL))
  waves <- waves[amount$links$with]
  more <- 0
  for (round in seq_len(link_rounds)) {
    y <- draw(link = link_law(amount, own, waves, rows, more))
    if (round == link_rounds) break
    found <- score_of_wave(scored(y))[rows]
    apart <- vapply(waves, function(wave) {
      mean((found - score_of_wave(wave)[rows])^2, na.rm = TRUE)
    }, 0)
    scale <- vapply(waves, `[[`, 0, "scale") * own$scale
    missed <- (apart - amount$links$apart) / (2 * scale)
    more <- more + replace(missed, !is.finite(missed), 0)
  }
  y
}

score_of_wave <- function(wave) wave$fitted + wave$scale * wave$error

#' The law of an amount's errors given those of earlier waves
#' @param amount (list) See release_amount().
#' @param own (list) See scored_wave(): of values without links.
#' @param waves (named list) The same of earlier amounts, as they were drawn.
#' @param rows (integer) Records with a value.
#' @param more (double) What is added to the correlations of errors.
#' @return (list) For each of `rows` `mean` and `left`, the variance that is
#'   left of an error's; `pull` at its score.
#' @noRd
link_law <- function(amount, own, waves, rows, more = 0) {
  error <- matrix(
    vapply(waves, function(wave) wave$error[rows], double(length(rows))),
    length(rows)
  )
  fitted <- own$fitted[rows]
  shared <- vapply(seq_along(waves), function(j) {
    wave <- waves[[j]]
    apart <- mean((fitted - wave$fitted[rows])^2, na.rm = TRUE)
    both <- (apart + wave$scale^2 + own$scale^2 - amount$links$apart[j]) /
      (2 * wave$scale * own$scale)
    if (is.na(both)) 0 else both
  }, 0)
  shared <- clamp(shared + more, -0.98, 0.98)
  among <- suppressWarnings(
    stats::cor(error, use = "pairwise.complete.obs")
  )
  among[is.na(among)] <- 0
  diag(among) <- 1
  mean <- numeric(length(rows))
  left <- rep(1, length(rows))
  there <- !is.na(error)
  kind <- drop(there %*% 2^(seq_along(waves) - 1))
  for (one in setdiff(unique(kind), 0)) {
    at <- which(kind == one)
    kept <- there[at[1], ]
    b <- solve(
      positive_part(among[kept, kept, drop = FALSE]), shared[kept]
    )
    told <- sum(b * shared[kept])
    # What noise says of several waves may be more than all
    b <- b * sqrt(min(1, (1 - least_left) / max(told, 1e-12)))
    left[at] <- max(1 - told, least_left)
    mean[at] <- drop(error[at, kept, drop = FALSE] %*% b)
  }
  list(
    mean = mean, left = left,
    pull = (fitted + own$scale * mean) / (own$scale^2 * left)
  )
}

#' The nearest correlations that can be, with no eigenvalue next to 0
#' @noRd
positive_part <- function(x, least = 0.02) {
  found <- eigen(x, symmetric = TRUE)
  if (min(found$values) >= least) {
    return(x)
  }
  found$vectors %*% (pmax(found$values, least) * t(found$vectors))
}
