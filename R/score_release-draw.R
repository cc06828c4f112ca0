# Synthetic data from a score release: post-processing, whatever m is.

score_source <- function() {
  new_source(
    refuses = list(
      assignment = for_mixtures,
      margin = c(
        "{.arg margin} does not apply: a score release has its own margin.",
        i = "State {.arg bounds} in {.fn score_release}."
      )
    ),
    rows = rows_for_score, label = label_of_release_sets, draw = draw_from_score
  )
}

rows_for_score <- function(x, asked) {
  newdata <- asked$newdata
  check_newdata(newdata, "score release")
  distinct <- published_rows(x$design, newdata)
  if (!is.null(x$margin)) {
    distinct$codes <- table_codes(x$population$coding, newdata)
  }
  if (asked$uncertainty) check_imputable(x, distinct)
  rows_of_newdata(
    newdata, published_columns(x, newdata), x$response$name, distinct = distinct
  )
}

draw_from_score <- function(x, asked, rows) {
  draw <- if (asked$uncertainty) uncertain_scores else best_scores
  values <- draw(x, rows$distinct, asked$m, asked$seed)
  list(
    values = matrix(values, rows$n, asked$m), margin = x$margin,
    combine = score_rules(asked)
  )
}

#' Published predictors, equal rows once
#' @return (list) See distinct_rows().
#' @noRd
published_rows <- function(design, newdata) {
  distinct_rows(design_parts(design, newdata))
}

#' The best values that the release tells, in other places in each set
#' @return (matrix, N x m) On the modelled scale.
#' @noRd
best_scores <- function(x, file, m, seed) {
  words <- seed_words(seed, "synthesize")
  n <- length(file$row)
  like <- if (!is.null(x$margin)) amount_of_scores(x, file)
  swaps <- if (n >= max(least_swapped, 2 * ncol(file$x))) score_swaps
  vapply(seq_len(m), function(j) {
    if (is.null(like)) {
      return(draw_scores(x, file, words, c(j, m + j)))
    }
    draw_amount(like$amount, like$set, rep(1L, n), words, j, swaps = swaps)
  }, numeric(n))
}

#' One set without a margin, on the modelled scale
#' @param streams (two counts) Of the coefficients and of the values.
#' @noRd
draw_scores <- function(x, file, words, streams) {
  p <- uniforms_(length(file$row), words, streams[2])
  if (is_categorical(x$family)) {
    return(draw_levels(file, x$draws$mean, p))
  }
  size <- length(x$draws$mean)
  b <- x$draws$mean + drop(crossprod(
    chol(x$draws$covariance), stats::qnorm(uniforms_(size, words, streams[1]))
  ))
  mean <- family_mean(x$family, drop(file$x %*% b))
  quantile_by_row(x$family, p, mean, x$shape, file$row)
}

# Sets whose differences are what is unknown -----------------------------------

# Sets whose differences are what a release leaves unknown: each is a file that
# its noisy sums may have come from.
#
# The confidential responses are missing values, and all that is known of them
# is what was released. A set draws noise-free sums and counts from their
# posterior given the noisy ones and the known noise, then responses that have
# them. So an
# estimate from a set is a draw of the estimate from the file, the variance
# between sets is what the noise hides of it, and Rubin's rules for multiple
# imputation hold, whatever the published predictors explain. Sets of a new
# sample from a drawn population (Raisa, Jalko, Kaski and Honkela 2023) vary by
# the sample twice: what they are combined by, (1 + 1/m) B - U, is the small
# difference of two large variances, and right without published predictors.

#' @return (matrix, N x m) On the modelled scale.
#' @noRd
uncertain_scores <- function(x, file, m, seed) {
  n <- length(file$row)
  words <- seed_words(seed, "synthesize")
  known <- known_sums(x, file)
  margin <- if (!is.null(x$margin)) known_margin(x)
  vapply(seq_len(m), function(j) {
    imputed_responses(x, file, known, margin, random_stream(words, j))
  }, numeric(n))
}

#' Uniform numbers of a set, as many as are asked for, again and again
#' @noRd
random_stream <- function(words, set) {
  asked <- 0L
  function(n) {
    asked <<- asked + 1L
    uniforms_(n, words, 4096L * set + asked)
  }
}

#' Responses that have noise-free sums and counts of the posterior
#' @noRd
imputed_responses <- function(x, file, known, margin, random) {
  n <- length(file$row)
  # Errors spread evenly: their sample is in the sums and counts
  u <- random(n)
  p <- numeric(n)
  p[order(u)] <- (seq_len(n) - 0.5) / n
  target <- known$sum +
    drop(known$root %*% stats::qnorm(random(length(known$sum))))
  if (is.null(margin)) {
    shape <- drawn_shape(x, file, known, random)
    responses <- function(line) {
      response_quantile(x$family, p, family_mean(x$family, line), shape)
    }
  } else {
    sorted <- whole_bins(x, histogram_quantile(
      drawn_margin(margin, random), (seq_len(n) - 0.5) / n
    ))
    error <- line_unit(x$family, x$shape) * latent_quantile(x$family, p)
    responses <- function(line) {
      y <- numeric(n)
      y[order(line + error, u)] <- sorted
      y
    }
  }
  with_sums(x, file, known, target, responses)
}

# Sums -------------------------------------------------------------------------

#' What is known of the last step's sums without noise
#'
#' Normal: the sums of a sample are, given coefficients, which are known as far
#' as all noisy sums tell; and noise is added to them.
#' @return (list) `sum`, `root` (of its covariance) and `step` (the last one).
#' @noRd
known_sums <- function(x, file) {
  family <- x$family
  steps <- public_steps(x, file)
  b <- x$coefficients
  total <- sums_covariance(family, file, steps, b, x$shape)
  at <- score_quadratic(family, file, steps, b, x$shape, total)
  prior <- prior_spec(x$prior, x$design$is_level)$scale
  of_b <- solve_scaled(diag(1 / prior^2, length(b)) + at$information)
  noise <- rep(vapply(steps, `[[`, 0, "noise")^2, each = length(b))
  # The share of what is missed that is noise
  share <- noise * solve(total)
  moved <- share %*% at$slope
  covariance <- diag(noise) - share * rep(noise, each = length(noise)) +
    moved %*% of_b %*% t(moved)
  last <- length(steps)
  kept <- (last - 1) * length(b) + seq_along(b)
  list(
    sum = steps[[last]]$sum - drop(share %*% at$miss)[kept],
    root = t(chol(covariance[kept, kept, drop = FALSE])), step = steps[[last]]
  )
}

#' The steps with what follows from public numbers, as noisy_step() had it
#' @noRd
public_steps <- function(x, file) {
  coding <- row_coding(file$x)
  codes <- design_codes(seq_along(file$count), file$x)
  lapply(x$steps, function(step) {
    frame <- score_frame(x$family, drop(file$x %*% step$b), public_shape(x))
    own <- step$geometry
    length <- frame$scale * sqrt(rowSums((file$x %*% own$whiten)^2))
    step$geometry$weight <- frame$scale * pmin(1, own$kappa / length)
    z <- own_vectors(codes, coding, frame$scale, own) * own$unit
    c(step, frame[c("centre", "spread")], list(z = z))
  })
}

#' A step of a release as a measurement again
#' @param x (list) A score release, or an amount of a file release.
#' @param coding (list) Of its predictors, see level_lines().
#' @noRd
measured_step <- function(x, coding, k, what = "", about = NULL) {
  step <- x$steps[[k]]
  own <- c(
    list(coding = coding, family = x$family, shape = public_shape(x)),
    step[c("b", "clip", "geometry")]
  )
  with_noise_of(step_measurement(what, length(step$b), own, k, about), step)
}

#' The responses of the linear predictor at which their sums are the target
#'
#' Broyden's method, from the slope that the sums are expected to have. Beside a
#' margin a shift changes nothing: the intercept's part of the target is the
#' margin's.
#' @param responses (function of a linear predictor, N) Gives N responses.
#' @noRd
with_sums <- function(x, file, known, target, responses, rounds = 20) {
  step <- known$step
  geometry <- step$geometry
  measurement <- measured_step(x, row_coding(file$x), 2)
  codes <- design_codes(file$row, file$x)
  sums <- function(y) {
    whole_sums(measurement, list(predictors = codes, y = y))[[1]][-1] *
      geometry$unit * step$clip / score_steps
  }
  b <- x$coefficients
  weight <- file$count * expected_scores(x$family, step, x$shape)(
    drop(file$x %*% b)
  )$slope
  slope <- sums_slope(geometry, file, weight)
  # What the noise leaves unknown of each coefficient
  of_b <- sqrt(diag(x$covariance))
  unit <- of_b
  if (!is.null(x$margin)) {
    shift <- drop(crossprod(step$z, weight))
    slope <- cbind(slope - tcrossprod(shift, column_means(file)), shift)
    unit <- c(unit, line_unit(x$family, x$shape))
  }
  back <- svd(slope * rep(unit, each = nrow(slope)))
  found <- back$d > 1e-6 * back$d[1]
  towards <- function(y) {
    along <- crossprod(back$u[, found], target - sums(y)) / back$d[found]
    drop(back$v[, found] %*% along)[seq_along(b)]
  }
  inverse <- diag(length(b))
  best <- NULL
  nearest <- Inf
  y <- responses(drop(file$x %*% b)[file$row])
  left <- towards(y)
  for (round in seq_len(rounds)) {
    if (max(abs(left)) < nearest) {
      nearest <- max(abs(left))
      best <- y
    }
    if (nearest < 0.02) break
    change <- drop(inverse %*% left)
    far <- max(abs(file$x %*% (change * of_b))) / line_unit(x$family, x$shape)
    change <- change * min(1, 2 / far)
    b <- b + change * of_b
    y <- responses(drop(file$x %*% b)[file$row])
    before <- left
    left <- towards(y)
    moved <- drop(inverse %*% (before - left))
    inverse <- inverse + tcrossprod(
      change - moved, crossprod(inverse, change)
    ) / sum(change * moved)
  }
  best
}

#' The shape under the share of unclipped records without noise
#' @noRd
drawn_shape <- function(x, file, known, random) {
  if (is.null(x$shape)) {
    return(NULL)
  }
  step <- known$step
  step$share <- step$share + step$share_noise * stats::qnorm(random(1))
  released_shape(
    x$family, step, drop(file$x %*% x$coefficients), file$count, public_shape(x)
  )$value
}

# Where it applies -------------------------------------------------------------

#' Sets that could be the file itself are for its own predictors
#' @noRd
check_imputable <- function(x, file) {
  refuse_if(
    is_categorical(x$family),
    "{.arg uncertainty} does not apply to {.fn categorical}.",
    x = "The noisy sums of a rare level may be negative: their uncertainty is
         not normal.",
    i = "Model the level that matters by {.fn bernoulli}.", arg = "uncertainty"
  )
  refuse_if(
    !has_own_predictors(x, file),
    "{.code uncertainty = TRUE} needs the published predictors of the whole
     file as {.arg newdata}.",
    x = "{.arg newdata} has other records, or only some of them.",
    i = "Draw for all {x$n_records} records, then take the part you need.",
    arg = "newdata"
  )
}
