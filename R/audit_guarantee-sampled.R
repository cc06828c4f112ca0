# The sampled audit: weights and posterior refitted without a record (replay.R),
# and a lower confidence bound of the loss from draws of both posteriors.
# Internal.

#' @param fit (`synthesizer`)
#' @param files (count) Records to remove in turn.
#' @noRd
sampled_audit <- function(fit, files, refit, level, seed) {
  started <- proc.time()[["elapsed"]]
  files <- check_count(files, min = 1, max = n_records(fit) - 2)
  check_argument(level)
  check_argument(seed)
  check_function_of(refit, "a data frame")
  check_converged(fit, FALSE)
  records <- worst_records(fit, files)
  # Each neighbour may err: all bounds hold together
  each <- 1 - (1 - level) / length(records)
  width <- fit$censor$upper - fit$censor$lower
  factor <- dependency_of(fit$privacy_weights)$factor[["add-remove"]]
  claim <- if (is.null(fit$censor)) 2 * fit$bound$overall else width * factor
  rows <- lapply(seq_along(records), function(j) {
    i <- records[j]
    other <- replay(
      fit, records_without(fit, i), refit, stage_seed(seed, "audit", j)
    )
    found <- sampled_loss(fit, other, each)
    data.frame(
      neighbours = "add-remove", record = i, value = NA_character_,
      claim = claim, found, converged = isTRUE(other$converged)
    )
  })
  losses <- do.call(rbind, rows)
  worst <- data.frame(
    neighbours = "add-remove", files = nrow(losses), claim = claim,
    loss = max(losses$loss), estimate = max(losses$estimate),
    visible = max(losses$visible), ratio = max(losses$loss) / claim
  )
  new_result(
    "guarantee_audit",
    worst = worst, losses = losses, mechanism = mechanism_of(fit),
    epsilon = fit$censor$epsilon, method = "sampled",
    model = format_audit_model(fit), n_records = n_records(fit),
    bound = fit$bound$overall, one_off = 0,
    claimed = if (is.null(fit$censor)) "2 x bound" else "epsilon",
    level = level, seconds = proc.time()[["elapsed"]] - started
  )
}

#' Records of the largest bounds and of the most extreme responses
#' @return (integer) Row numbers.
#' @noRd
worst_records <- function(fit, n) {
  y <- fit$spec$y
  by_bound <- order(-fit$bound$record)
  by_value <- order(-abs(y - stats::median(y)))
  # One of each in turn
  unique(as.vector(rbind(by_bound, by_value)))[seq_len(n)]
}

#' The records of a fit but one, with their weights
#' @noRd
records_without <- function(fit, i) {
  records <- take_records(records_of_fit(fit), -i)
  list(
    data = records$data, spec = spec_of_records(fit$spec, records),
    alpha = records$weights
  )
}

# The bound --------------------------------------------------------------------

#' Lower confidence bound and estimate of the loss between two fits
#'
#' h(theta) = sum_i g_i(theta | x) - sum_i g_i(theta | y) is the loss up to a
#' constant, so that {h > t} and {h < t} are the events that tell the two apart
#' best. The event is chosen on one half of the draws and its probabilities are
#' bounded on the other half (Clopper and Pearson), with the effective number of
#' draws in place of their number.
#' @param level (number) Confidence of the bound.
#' @return (data frame) `loss`, `estimate` (largest |h - c| over the draws of x,
#'   c by bridge sampling), `visible`, `effective`.
#' @noRd
sampled_loss <- function(x, y, level) {
  h <- function(draws) weighted_sum(x$spec, draws) - weighted_sum(y$spec, draws)
  at_x <- h(x$draws)
  at_y <- h(y$draws)
  half_x <- halves(x)
  half_y <- halves(y)
  size_x <- effective_size(at_x, half_x)
  size_y <- effective_size(at_y, half_y)
  lower <- function(test, threshold, above) {
    event <- if (above) `>` else `<`
    of_x <- mean(event(at_x[half_x == test], threshold))
    of_y <- mean(event(at_y[half_y == test], threshold))
    max(
      log_ratio_bound(of_x, size_x, of_y, size_y, level),
      log_ratio_bound(of_y, size_y, of_x, size_x, level)
    )
  }
  thresholds <- unique(stats::quantile(
    c(at_x[half_x == 1], at_y[half_y == 1]), seq(0.002, 0.998, 0.002),
    names = FALSE
  ))
  tries <- expand.grid(threshold = thresholds, above = c(TRUE, FALSE))
  best <- which.max(mapply(lower, 1, tries$threshold, tries$above))
  # The two directions of the ratio share the event: half of the error each
  loss <- lower(2, tries$threshold[best], tries$above[best])
  constant <- bridge_constant(at_x, at_y)
  effective <- min(size_x, size_y)
  data.frame(
    loss = max(0, loss), estimate = max(abs(at_x - constant)),
    visible = log_ratio_bound(1, effective, 0, effective, level),
    effective = effective
  )
}

#' sum_i clip(alpha_i w_i f_i - a_i) at each draw, w_i of survey weights
#' @return (numeric, S)
#' @noRd
weighted_sum <- function(spec, draws) {
  lower <- spec$censor$lower %||% -Inf
  upper <- spec$censor$upper %||% Inf
  centre <- spec$censor$centre %||% 0
  exponent <- spec$alpha * spec_exponents(spec)
  used <- exponent > 0
  size <- max(1, floor(2e7 / length(spec$y)))
  blocks <- split(seq_len(nrow(draws)), (seq_len(nrow(draws)) - 1) %/% size)
  sums <- lapply(blocks, function(rows) {
    f <- t(log_lik_(spec, draws[rows, , drop = FALSE]))[used, , drop = FALSE]
    g <- exponent[used] * f - rep_len(centre, length(used))[used]
    colSums(pmin(pmax(g, lower), upper))
  })
  unlist(sums, use.names = FALSE)
}

#' The first and the second half of every chain
#' @noRd
halves <- function(fit) {
  chain <- fit$chain %||% rep(1L, nrow(fit$draws))
  position <- stats::ave(seq_along(chain), chain, FUN = seq_along)
  length <- stats::ave(seq_along(chain), chain, FUN = length)
  1L + (position > length / 2)
}

#' Effective number of draws of a half, by the statistic's autocorrelation
#' @noRd
effective_size <- function(h, half) {
  size <- posterior::ess_mean(h[half == 2])
  # A statistic that does not vary has no autocorrelation
  min(sum(half == 2), if (is.finite(size)) max(4, size) else Inf)
}

#' Confidence bound of log(p / q): p from below, q from above
#' @noRd
log_ratio_bound <- function(p, n_p, q, n_q, level) {
  # Two directions, two proportions
  error <- (1 - level) / 4
  low <- stats::qbeta(error, p * n_p, (1 - p) * n_p + 1)
  high <- stats::qbeta(1 - error, q * n_q + 1, (1 - q) * n_q)
  if (low <= 0) -Inf else log(low) - log(if (is.nan(high)) 1 else high)
}

#' log E_y exp(h), by bridge sampling
#' @noRd
bridge_constant <- function(at_x, at_y) {
  share <- length(at_x) / (length(at_x) + length(at_y))
  middle <- stats::median(c(at_x, at_y))
  up <- at_y - middle
  down <- at_x - middle
  constant <- 0
  for (step in 1:200) {
    # Meng and Wong's iteration on the log scale
    top <- log_mean(
      up - log_sum_pair(log(share) + up, log1p(-share) + constant)
    )
    bottom <- log_mean(
      -log_sum_pair(log(share) + down, log1p(-share) + constant)
    )
    new <- top - bottom
    if (abs(new - constant) < 1e-8) break
    constant <- new
  }
  middle + new
}

log_mean <- function(x) log_sum(x) - log(length(x))

log_sum_pair <- function(a, b) {
  high <- pmax(a, b)
  high + log(exp(a - high) + exp(b - high))
}
