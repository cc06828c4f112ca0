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
    rows = rows_for_score, label = label_of_score_sets, draw = draw_from_score
  )
}

rows_for_score <- function(x, asked) {
  newdata <- asked$newdata
  check_newdata(newdata, "score release")
  distinct <- published_rows(x$design, newdata)
  if (asked$uncertainty) check_imputable(x, distinct)
  columns <- published_columns(x, newdata)
  # The release knows no response; `newdata` may hold it
  check_beside_response(newdata, columns, x$response$name)
  list(
    data = newdata, n = nrow(newdata), columns = columns, distinct = distinct,
    tibble = is_tibble(newdata)
  )
}

label_of_score_sets <- function(x, asked, rows) {
  label_of_score(
    x, what = "synthetic data", m = asked$m, n_records = rows$n,
    reproducible = x$reproducible || is_seeded(asked$seed),
    bounds = asked$bounds, combine = score_rules(asked)
  )
}

#' By which rules sets of a score release are combined
#' @noRd
score_rules <- function(asked) if (asked$uncertainty) "rubin" else "none"

draw_from_score <- function(x, asked, rows) {
  draw <- if (asked$uncertainty) uncertain_scores else best_scores
  words <- seed_words(asked$seed, "synthesize")
  values <- draw(x, rows$distinct, asked$m, words)
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
#' @param words (four words) Of the seed.
#' @return (matrix, N x m) On the modelled scale.
#' @noRd
best_scores <- function(x, file, m, words) {
  counts <- if (!is.null(x$margin)) margin_counts(x)
  vapply(seq_len(m), function(j) {
    draw_scores(x, file, counts, words, c(j, m + j))
  }, numeric(length(file$row)))
}

#' One set on the modelled scale
#' @param counts (list or `NULL`) See margin_counts().
#' @param streams (two counts) Of the coefficients and of the values.
#' @noRd
draw_scores <- function(x, file, counts, words, streams) {
  p <- uniforms_(length(file$row), words, streams[2])
  if (is_categorical(x$family)) {
    return(draw_levels(file, x$draws$mean, p))
  }
  size <- length(x$draws$mean)
  b <- x$draws$mean + drop(crossprod(
    chol(x$draws$covariance), stats::qnorm(uniforms_(size, words, streams[1]))
  ))
  line <- drop(file$x %*% b)[file$row]
  if (is.null(x$margin)) {
    return(response_quantile(x$family, p, family_mean(x$family, line), x$shape))
  }
  error <- latent_quantile(x$family, p)
  if (has_own_predictors(x, file)) {
    latent <- line + margin_scale(x, counts, line, error) * error
    return(whole_bins(x, quantile_of_rank(counts, latent, p)))
  }
  line_of_file <- drop(x$population$rows %*% b)
  scale <- population_scale(x, counts, line_of_file)
  share <- share_below(x$family, line + scale * error, line_of_file, scale)
  whole_bins(x, histogram_quantile(counts, share))
}

# Other predictors than the file's -------------------------------------------

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
  below <- rowMeans(
    outer(at, line, function(t, line) latent_share(family, (t - line) / scale))
  )
  stats::approx(at, below, latent, rule = 2, ties = "ordered")$y
}

#' The errors' scale under which the set agrees with the released sums
#'
#' Where values get the margin by their ranks, their own scale is lost, and only
#' that of the errors against the linear predictor remains. It is found so that
#' clipped scores of the set have the slope on the linear predictor that they
#' are expected to have: the equation that the second step solves for the file.
#' @param error (double) See latent_quantile().
#' @noRd
margin_scale <- function(x, counts, line, error, most = 20000) {
  n <- length(line)
  kept <- if (n > most) round(seq(1, n, length.out = most)) else seq_len(n)
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
