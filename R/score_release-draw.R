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
  counts <- if (!is.null(x$margin)) margin_counts(x)
  plan <- if (!is.null(counts)) swap_plan(x, file, counts)
  words <- seed_words(seed, "synthesize")
  vapply(seq_len(m), function(j) {
    y <- draw_scores(x, file, counts, words, c(j, m + j))
    swapped_scores(x, plan, y, seed_words(seed, "swaps", j))
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
  line <- drop(file$x %*% b)
  if (is.null(x$margin)) {
    mean <- family_mean(x$family, line)
    return(quantile_by_row(x$family, p, mean, x$shape, file$row))
  }
  line <- line[file$row]
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
