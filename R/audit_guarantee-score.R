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

#' The two files that are told apart best
#'
#' @return (list) By relation: a list of parts, each with the `difference` of
#'   the whole sums and the `scale` of their noise.
#' @noRd
worst_pairs <- function(x, file) {
  measurements <- score_measurements(x, file)
  moves <- lapply(file$extremes, function(y) {
    file$y[] <- y
    Reduce(`+`, lapply(measurements, moves_of, file))
  })
  record <- which.max(do.call(pmax, moves))
  # Dropped, and at either end: the sums as the release itself makes them
  made <- lapply(c(NA, file$extremes), function(y) {
    file$y[record] <- y
    lapply(measurements, whole_sums, file)
  })
  pair <- function(a, b) {
    parts <- Map(function(x, one, other) {
      Map(function(one, other, scale) {
        list(difference = one - other, scale = scale)
      }, one, other, x$noise$scale)
    }, measurements, made[[a]], made[[b]])
    unlist(parts, recursive = FALSE)
  }
  dropped <- list(pair(1, 2), pair(1, 3))
  size <- vapply(dropped, law_of_pair, 0, laplace = x$delta == 0)
  stats::setNames(list(dropped[[which.max(size)]], pair(2, 3)), relation_names)
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
