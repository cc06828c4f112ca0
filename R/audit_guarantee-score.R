# The audit of a score release: its law on worst-case neighbours, exactly and by
# running it.

#' @rdname audit_guarantee
#' @param replicates (count) For a [score_release()] with Gaussian noise: how
#'   many times to run the noise on each of the two neighbouring files. Default
#'   1e5: the lower bound is then about 0.02 below mu. With 0, only the exact
#'   calculation is made, as always for Laplace noise.
#' @export
audit_guarantee.score_release <- function(x, data, replicates = 1e5,
                                          level = 0.95, seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn audit_guarantee}.")
  check_sealed(x)
  replicates <- check_count(replicates)
  check_number(level, above = 0, below = 1)
  check_seed(seed)
  laplace <- x$delta == 0
  pairs <- worst_pairs(x, audit_file(x, data))[relation_names]
  total <- total_charges(x$charges, x$delta)
  claimed <- if (laplace) total$epsilon else sqrt(2 * total$rho)
  found <- lapply(pairs, function(pair) {
    if (!laplace && replicates > 0) sampled_law(pair, replicates, level, seed)
  })
  curves <- Map(function(neighbours, found) {
    if (!is.null(found)) data.frame(neighbours = neighbours, found$curve)
  }, relation_names, found)
  new_result(
    "score_audit",
    worst = data.frame(
      neighbours = relation_names, claimed = unname(claimed[relation_names]),
      exact = vapply(pairs, law_of_pair, 0, laplace, USE.NAMES = FALSE),
      found = unname(vapply(found, function(x) x$bound %||% NA_real_, 0))
    ),
    curve = do.call(rbind, unname(curves)),
    unit = if (laplace) "epsilon" else "mu", replicates = replicates,
    level = level, release = format(x), of = "score", n_records = nrow(data),
    how = unwrapped("Exact: from the sums of both files, computed as in the
       release, and the distribution of the noise. The neighbours differ in the
       record with the longest public vector.")
  )
}

#' The file of an audit, and the responses that one record is given
#' @return (list) `y` (modelled scale), `x`, `row`, `count`, `extremes`.
#' @noRd
audit_file <- function(x, data) {
  check_data_frame(data)
  check_columns(x$response$name, data, "data")
  file <- published_rows(x$design, data)
  file$y <- record_values(x$response, data)
  if (!is.null(x$margin)) {
    file$codes <- table_codes(x$population$coding, data)
    colnames(file$codes) <- names(x$population$coding)
  }
  file$extremes <- switch(x$family$kind,
    categorical = , binary = , proportion = 0:1, count = c(0, 1e9),
    if (is.null(x$margin)) c(-1e9, 1e9) else range(x$margin$breaks)
  )
  file
}

#' The two files that are told apart best
#'
#' @return (list) By relation: a list of parts, each with the `difference` of
#'   the whole sums and the `scale` of their noise.
#' @noRd
worst_pairs <- function(x, file) {
  parts_of <- if (is_categorical(x$family)) level_parts else sum_parts
  parts <- parts_of(x, file)
  # Dropped, and at either end: the sums as the release itself makes them
  made <- lapply(parts, function(part) lapply(c(NA, file$extremes), part$sums))
  pair <- function(a, b) {
    Map(function(made, part) {
      list(difference = made[[a]] - made[[b]], scale = part$scale)
    }, made, parts)
  }
  dropped <- list(pair(1, 2), pair(1, 3))
  size <- vapply(dropped, law_of_pair, 0, laplace = x$delta == 0)
  stats::setNames(list(dropped[[which.max(size)]], pair(2, 3)), relation_names)
}

#' The sums that a release has of a file
#' @return (list) Of parts, each with `sums` (function of the response of the
#'   record of the longest vector, NA: dropped) and the `scale` of the noise.
#' @noRd
sum_parts <- function(x, file) {
  record <- NULL
  parts <- lapply(public_steps(x, file), function(step) {
    z <- step$geometry$z
    if (is.null(record)) record <<- match(which.max(rowSums(z^2)), file$row)
    frame <- lapply(step[c("centre", "spread")], `[`, file$row)
    score <- score_of(file$y, frame)
    lowest <- counted_above(x$family, frame, step$clip)
    list(scale = step$scale, sums = function(y) {
      score[record] <- score_of(y, lapply(frame, `[`, record))
      step_sums(c(file["row"], whole_scores(score, step$clip, lowest)), z)
    })
  })
  if (is.null(x$margin)) {
    return(parts)
  }
  strategy <- strategy_of(x$margin)
  margin <- list(scale = x$margin$scale, sums = function(y) {
    z <- file$y
    z[record] <- y
    margin_sums(bin_counts(z[!is.na(z)], x$margin$breaks), strategy)
  })
  c(parts, list(margin), if (!is.null(x$tables)) {
    table_parts(x$tables, file, record)
  })
}

#' The same of tables, one part each
#' @noRd
table_parts <- function(tables, file, record) {
  lapply(seq_along(tables$columns), function(t) {
    rows <- factor(
      file$codes[, tables$columns[t]], seq_len(nrow(tables$residuals[[t]]))
    )
    bins <- length(tables$breaks) + 1
    list(scale = tables$noise$scale[t], sums = function(y) {
      z <- file$y
      z[record] <- y
      bin <- factor(findInterval(z, tables$breaks) + 1, seq_len(bins))
      # Without a bin a record is in no cell
      counts <- as.double(table(rows, bin))
      tables$noise$factor[t] *
        whole_residual(counts, c(nlevels(rows), as.integer(bins)))
    })
  })
}

level_parts <- function(x, file) {
  z <- levels_geometry(file, prior_spec(x$prior, x$design$is_level), x$spread)$z
  record <- match(which.max(rowSums(z^2)), file$row)
  list(list(scale = x$steps[[1]]$scale, sums = function(level) {
    y <- file$y
    y[record] <- level
    levels_sums(
      list(row = file$row, level = y), length(x$response$levels), z
    )
  }))
}

#' mu of a pair under Gaussian noise, epsilon under Laplace noise
#' @noRd
law_of_pair <- function(pair, laplace) {
  parts <- vapply(pair, function(part) {
    ratio <- abs(part$difference) / part$scale
    if (laplace) sum(ratio) else sum(ratio^2)
  }, 0)
  if (laplace) sum(parts) else sqrt(sum(parts))
}

#' A lower bound on mu from runs of the noise itself
#'
#' The likelihood ratio of the two files is a function of one projection of the
#' sums. The errors of the test halfway between them are bounded after Clopper
#' and Pearson.
#' @return (list) `bound`, `curve` (data frame: `false_positive`,
#'   `false_negative`, of all thresholds).
#' @noRd
sampled_law <- function(pair, replicates, level, seed) {
  first <- project_runs(pair, replicates, 0, stage_seed(seed, "audit", 1))
  second <- project_runs(pair, replicates, 1, stage_seed(seed, "audit", 2))
  pair <- lapply(pair, function(part) {
    squares <- part$difference^2
    # Of a table hundreds of numbers move, most of them by next to nothing
    part$difference <- part$difference[squares >= 0.005 * max(squares)]
    part
  })
  middle <- law_of_pair(pair, laplace = FALSE)^2 / 2
  upper <- function(count) {
    stats::qbeta((1 + level) / 2, count + 1, replicates - count)
  }
  bound <- stats::qnorm(1 - upper(sum(first > middle))) -
    stats::qnorm(upper(sum(second <= middle)))
  thresholds <- stats::quantile(c(first, second), (0:100) / 100, names = FALSE)
  list(
    bound = max(0, bound),
    curve = data.frame(
      false_positive = 1 - stats::ecdf(first)(thresholds),
      false_negative = stats::ecdf(second)(thresholds)
    )
  )
}

#' Runs of the noise, projected: N(0, mu^2) for one file, N(mu^2, mu^2) for the
#' other where the noise is what it should be
#' @param at (0 or 1) Which file.
#' @noRd
project_runs <- function(pair, replicates, at, seed) {
  total <- numeric(replicates)
  # One stream of ours each: the system's bits would take minutes
  words <- seed_words(seed, "audit")
  for (part in pair) {
    moved <- part$difference[part$difference != 0]
    total <- total + at * sum(moved^2) / part$scale^2
    for (d in moved) {
      words[2] <- (words[2] + 1) %% 2^32
      noise <- discrete_gaussian_(replicates, part$scale, words)
      total <- total + d * noise / part$scale^2
    }
  }
  total
}

# Printing -------------------------------------------------------------------

#' @export
format.score_audit <- function(x, ...) {
  found_and_claimed(
    sprintf("audit of a %s release", x$of), x, x$worst$exact, x$unit
  )
}

print_lines.score_audit <- function(x) {
  shown <- data.frame(
    neighbours = x$worst$neighbours, claimed = x$worst$claimed,
    exact = x$worst$exact, "share found" = x$worst$exact / x$worst$claimed,
    check.names = FALSE
  )
  if (!all(is.na(x$worst$found))) shown[["lower bound"]] <- x$worst$found
  c(
    sprintf("Audit of a %s", x$release),
    sprintf(
      "  %s for the worst neighbours of the file, N = %s", x$unit,
      format_count(x$n_records)
    ),
    paste0("  ", format_table(shown)),
    unlist(lapply(x$how, wrap_line)),
    if (!is.null(x$curve)) {
      wrap_line(sprintf(
        "Lower bound: from %s runs of the noise on each file, %s%% confidence.",
        format_count(x$replicates), format(100 * x$level)
      ))
    }
  )
}
