# Synthetic data from a score release: post-processing, whatever m is.

#' @return (list) `synthetic` (`synthetic_data`) and `label`.
#' @noRd
draw_score_sets <- function(x, m, newdata, margin, seed, ledger, call) {
  check_seed(seed, call = call)
  if (!is.null(margin)) {
    abort_input(
      c(
        "{.arg margin} is part of a score release.",
        i = "State {.arg bounds} in {.fn score_release}."
      ),
      arg = "margin", call = call
    )
  }
  if (is.null(newdata)) {
    abort_input(
      c(
        "{.arg newdata} must give the published predictors.",
        x = "A score release holds no record."
      ),
      arg = "newdata", call = call
    )
  }
  check_data_frame(newdata, arg = "newdata", call = call)
  file <- published_rows(x$design, newdata, call)
  check_sets_memory(m, nrow(newdata), call)
  columns <- published_columns(x, newdata)
  label <- label_of_score(
    x,
    what = "synthetic data", m = m, n_records = nrow(newdata),
    reproducible = x$reproducible || !is.null(seed)
  )
  if (!is.null(ledger)) {
    variable <- x$response$variable
    spend(ledger, label, variable, setdiff(columns, variable), NULL, call)
  }
  words <- seed_words(seed, "synthesize")
  values <- vapply(seq_len(m), function(j) {
    draw_scores(x, file, words, c(j, m + j))
  }, numeric(nrow(newdata)))
  list(
    synthetic = build_synthetic_sets(
      matrix(values, nrow(newdata), m), x$response, newdata, columns, label,
      "prior"
    ),
    label = label
  )
}

#' Published predictors, equal rows once
#' @return (list) `x` (R x P), `row` (N).
#' @noRd
published_rows <- function(design, newdata, call) {
  parts <- design_parts(design, newdata, call = call)
  n <- nrow(newdata)
  rows <- design_rows_(c(parts, list(y = numeric(n), alpha = rep(1, n))))
  parts$codes <- parts$codes[rows$first, , drop = FALSE]
  parts$numeric <- parts$numeric[rows$first, , drop = FALSE]
  list(x = dense_design(parts), row = rows$row)
}

#' One set on the modelled scale
#' @param streams (two counts) Of the coefficients and of the values.
#' @noRd
draw_scores <- function(x, file, words, streams) {
  size <- length(x$draws$mean)
  b <- x$draws$mean + drop(crossprod(
    chol(x$draws$covariance), stats::qnorm(uniforms_(size, words, streams[1]))
  ))
  line <- drop(file$x %*% b)[file$row]
  p <- uniforms_(length(line), words, streams[2])
  if (!is_location(x$family)) {
    mean <- family_mean(x$family, line)
    return(if (x$family$likelihood == "bernoulli") {
      as.double(p > 1 - mean)
    } else {
      stats::qpois(p, mean)
    })
  }
  error <- error_quantile(x$family, p)
  if (is.null(x$margin)) {
    return(line + x$sigma * error)
  }
  scale <- margin_scale(x, line, error)
  calibrate_margin(x$margin, line + scale * error, p)
}

#' The errors' scale under which the set agrees with the released sums
#'
#' Where values get the margin by their ranks, their own scale is lost, and only
#' that of the errors against the linear predictor remains. It is found so that
#' clipped residuals of the set have no slope on the linear predictor: the
#' equation that the second step solves for the file.
#' @noRd
margin_scale <- function(x, line, error, most = 20000) {
  n <- length(line)
  kept <- if (n > most) round(seq(1, n, length.out = most)) else seq_len(n)
  line <- line[kept]
  error <- error[kept]
  centred <- line - mean(line)
  if (length(kept) < 20 || max(abs(centred)) < 1e-8) {
    return(x$sigma)
  }
  counts <- list(
    counts = project_counts(x$margin$noisy), breaks = x$margin$breaks
  )
  values <- histogram_quantile(counts, (seq_along(kept) - 0.5) / length(kept))
  clip <- x$steps[[2]]$clip
  slope <- function(log_scale) {
    residual <- numeric(length(kept))
    residual[order(line + exp(log_scale) * error)] <- values
    residual <- residual - line
    residual <- residual - stats::median(residual)
    mean(clamp(residual, -clip, clip) * centred)
  }
  ends <- log(x$sigma) + c(-3, 3)
  if (slope(ends[1]) <= 0) {
    return(exp(ends[1]))
  }
  if (slope(ends[2]) >= 0) {
    return(exp(ends[2]))
  }
  exp(stats::uniroot(slope, ends, tol = 0.01)$root)
}
