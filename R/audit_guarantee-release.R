# The audit of a noisy release: how far one record moves all noisy numbers, from
# the vectors that the release itself adds up, and by running the noise, or the
# release.

#' @rdname audit_guarantee
#' @param rows (count) For a [file_release()]: how many arbitrary records to try
#'   in addition to those of the file. They come from the codebook's whole
#'   domain. Default 1e5.
#' @param replays (count) For a [file_release()]: the number of neighbouring
#'   files on which to run the release again, with the same random numbers.
#'   Default 20. With 0, only the exact calculation is made.
#' @param replicates (count) For a [score_release()] with Gaussian noise: how
#'   many times to run the noise on each of the two neighbouring files. Default
#'   1e5: the lower bound is then about 0.02 below mu. With 0, only the exact
#'   calculation is made, as always for Laplace noise.
#' @export
audit_guarantee.noisy_release <- function(x, data, rows = 1e5, replays = 20,
                                          replicates = 1e5, level = 0.95,
                                          seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn audit_guarantee}.")
  check_sealed(x)
  check_present(data)
  rows <- check_count(rows, min = 2)
  replays <- check_count(replays)
  replicates <- check_argument(replicates, min = 0)
  check_argument(level)
  check_argument(seed)
  if (inherits(data, "file_plan")) data <- in_memory(data, "an audit")
  found <- measurements_of(x, data)
  tried <- found$pairs(rows, seed_words(seed, "audit"))
  pairs <- lapply(tried[relation_names], worst_pair, found$measurements)
  laplace <- is_laplace(found$measurements[[1]]$noise)
  runs <- lapply(pairs, function(pair) {
    if (found$tried == "sample" && replicates > 0) {
      sampled_law(pair$parts, replicates, level, seed)
    }
  })
  curves <- Map(function(neighbours, found) {
    if (!is.null(found)) data.frame(neighbours = neighbours, found$curve)
  }, relation_names, runs)
  moved <- vapply(pairs, `[[`, 0, "moved")
  again <- if (found$tried == "replay") {
    replay_release(x, with_published_bins(data), replays, seed)
  }
  new_result(
    "score_audit",
    worst = data.frame(
      neighbours = relation_names,
      claimed = unname(found$claimed[relation_names]),
      exact = found$most * unname(if (laplace) moved else sqrt(moved)),
      found = unname(vapply(runs, function(x) x$bound %||% NA_real_, 0))
    ),
    curve = do.call(rbind, unname(curves)),
    unit = if (laplace) "epsilon" else "mu", replicates = replicates,
    level = level,
    release = found$described, of = found$of, n_records = found$n,
    replays = again, how = c(found$how(rows), text_of_replays(again))
  )
}

#' The two records, or record and none, that are told apart best
#'
#' @param tried (list) Of one or two functions of a measurement and numbers of
#'   records, which give records: what is dropped, or what takes the place of
#'   what. See measurements_of().
#' @return (list) `moved` (squared mu, or epsilon of Laplace noise) and `parts`,
#'   each with the `difference` of the whole sums and the `scale` of their
#'   noise.
#' @noRd
worst_pair <- function(tried, measurements) {
  moved <- lapply(tried, function(pair) {
    Reduce(`+`, lapply(measurements, function(x) {
      do.call(moves_of, c(list(x), lapply(pair, function(records) records(x))))
    }))
  })
  most <- vapply(moved, max, 0)
  worst <- which.max(most)
  at <- which.max(moved[[worst]])
  parts <- lapply(measurements, function(x) {
    pair <- lapply(tried[[worst]], function(records) records(x, at))
    lapply(seq_along(x$parts), function(part) {
      each <- lapply(pair, function(record) x$vectors(record, part)[1, ])
      list(difference = Reduce(`-`, each), scale = x$noise$scale[part])
    })
  })
  parts <- unlist(parts, recursive = FALSE)
  laplace <- is_laplace(measurements[[1]]$noise)
  list(moved = sum(vapply(parts, moved_by, 0, laplace)), parts = parts)
}

#' Squared mu, or epsilon of Laplace noise
#' @noRd
moved_by <- function(part, laplace = FALSE) {
  ratio <- abs(part$difference) / part$scale
  if (laplace) sum(ratio) else sum(ratio^2)
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
  # Runs of both files, and both sorted
  check_memory(64 * replicates, "The runs", "replicates")
  first <- project_runs(pair, replicates, 0, stage_seed(seed, "audit", 1))
  second <- project_runs(pair, replicates, 1, stage_seed(seed, "audit", 2))
  pair <- lapply(pair, function(part) {
    squares <- part$difference^2
    # Of a table hundreds of numbers move, most of them by next to nothing
    part$difference <- part$difference[squares >= 0.005 * max(squares)]
    part
  })
  middle <- sum(vapply(pair, moved_by, 0)) / 2
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
    sprintf("audit of a %s", x$of), x, x$worst$exact, x$unit
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
