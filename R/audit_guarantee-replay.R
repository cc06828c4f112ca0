# The audit of a file release by replay (arXiv 2602.17454): it is run again with
# the same random words on neighbouring files. Each noisy number may move by no
# more than was counted. It is then put back to what the file itself gave, so
# that whatever else is another one depends on the file by a way that nobody has
# counted.

# Records of the made-up file, all equal but one
most_clones <- 100

#' Run a release again on neighbours of the file, and of a file of clones
#'
#' @param x (`file_release`)
#' @param plan (list) Its plan, see with_published_bins(). Confidential.
#' @param replays (count)
#' @return (data frame or `NULL`) A row for each run: `file` (`"own"` or
#'   `"clones"`), `change` (`"dropped"`, `"added"` or `"replaced"`),
#'   `neighbours`, `moved` and `allowed` (mu, of all noisy numbers together),
#'   `over` (names of charges that paid for less than was moved), `differs`
#'   (what else does); empty strings where all is well.
#' @noRd
replay_release <- function(x, plan, replays, seed) {
  if (replays == 0) {
    return(NULL)
  }
  words <- seed_words(seed, "replay")
  value <- number_of_words(words)
  kinds <- if (is_size_secret(x)) {
    c("dropped", "added", "replaced")
  } else {
    "replaced"
  }
  own <- file_records(plan)
  far <- arbitrary_records(plan, replays + 1, words, ends = 0.4)
  size <- min(most_clones, nrow(own$codes))
  clones <- with_published(
    some_records(far, rep(1, size)), own, seq_len(size), plan
  )
  units <- list(own = plan$unit$index, clones = NULL)
  bases <- list(own = own, clones = clones)
  at <- tried_records(own, replays, words)
  runs <- lapply(seq_len(replays), function(r) {
    list(
      # A third on the clones
      file = if (r %% 3 == 0) "clones" else "own",
      change = kinds[(r + (r - 1) %/% 3) %% length(kinds) + 1]
    )
  })
  first <- list()
  rows <- lapply(seq_along(runs), function(r) {
    run <- runs[[r]]
    base <- bases[[run$file]]
    if (is.null(first[[run$file]])) {
      first[[run$file]] <<- heard_release(x, plan, base, value)
    }
    unit <- records_of_unit(
      x, units[[run$file]], (at[r] - 1) %% nrow(base$codes) + 1
    )
    other <- neighbour_of(
      base, unit, some_records(far, r + 1), run$change, plan
    )
    second <- heard_release(x, plan, other, value, first[[run$file]]$heard)
    relation <- if (run$change == "replaced") "replace" else "add-remove"
    # Where the number of records is public a budget is divided by it: a file of
    # clones pays as much in all, for other parts
    charges <- if (run$file == "own") x$charges else first$clones$charges
    data.frame(
      run, neighbours = relation, compared_runs(
        charges %||% x$charges, first[[run$file]], second, relation
      )
    )
  })
  do.call(rbind, rows)
}

#' The records with the smallest and the largest amounts, then any others
#' @noRd
tried_records <- function(file, n, words) {
  ends <- unlist(lapply(colnames(file$values), function(j) {
    c(which.max(file$values[, j]), which.min(file$values[, j]))
  }))
  others <- random_records(nrow(file$codes), n, words, 0)
  # One of either kind in turn, as far as they go
  utils::head(c(rbind(
    rep_len(c(ends, others), n), others
  )), n)
}

#' The records of one unit: a record alone, or all of its household; of clones
#' as many as a unit may have
#' @noRd
records_of_unit <- function(x, index, at) {
  if (!is.null(index)) {
    return(which(index == index[at]))
  }
  seq_len(x$unit$records %||% 1)
}

#' A file that differs in one unit
#' @param unit (integer) Its records.
#' @param far (list) A record that takes their place, or comes in addition.
#' @noRd
neighbour_of <- function(base, unit, far, change, plan) {
  n <- nrow(base$codes)
  if (change == "dropped") {
    return(some_records(base, setdiff(seq_len(n), unit)))
  }
  size <- if (change == "added") plan$unit$records %||% 1 else length(unit)
  far <- some_records(far, rep(1, size))
  if (change == "added") {
    return(Map(rbind, base, far))
  }
  far <- with_published(far, base, unit, plan)
  Map(function(own, far) {
    own[unit, ] <- far
    own
  }, base, far)
}

#' A release of some records, and all noisy numbers that it heard
#' @param records (list) See file_records().
#' @param before (list or `NULL`) What it heard on the file itself: the noisy
#'   numbers are put back to that.
#' @return (list) `release` (or `NULL`, where it ended in an error), `heard`
#'   (list of `what`, `noisy`, `scale`), `squares` (of the differences, in the
#'   noise's standard deviations), `charges` (what these records' release pays).
#' @noRd
heard_release <- function(x, plan, records, value, before = NULL) {
  plan$codes <- records$codes
  plan$n_records <- nrow(records$codes)
  plan$amounts[] <- lapply(names(plan$amounts), function(name) {
    all <- records$values[, name]
    at <- which(!is.na(all))
    list(records = at, values = all[at])
  })
  stated <- Filter(function(columns) length(columns) > 2, x$block$tables)
  heard <- list()
  squares <- numeric()
  tape <- function(noisy, scale, what) {
    k <- length(heard) + 1
    now <- list(what = what, noisy = noisy, scale = scale)
    heard[[k]] <<- now
    if (is.null(before)) {
      return(noisy)
    }
    old <- if (k <= length(before)) before[[k]]
    alike <- identical(old[c("what", "scale")], now[c("what", "scale")]) &&
      length(old$noisy) == length(noisy)
    squares[k] <<- if (alike) sum(((noisy - old$noisy) / scale)^2) else Inf
    if (alike) old$noisy else noisy
  }
  seed <- job_seed(value, list2env(list(tape = tape)))
  spending <- NULL
  release <- tryCatch(
    suppressWarnings({
      spending <- plan_file_release(
        plan, stated, x$epsilon, x$delta, x$neighbours
      )
      release_file_plan(
        plan, spending, x$epsilon, x$delta, x$neighbours, seed
      )
    }),
    error = function(error) NULL
  )
  list(
    release = release, heard = heard, squares = squares,
    charges = spending$charges
  )
}

#' What a run on a neighbour shows
#' @param charges (data frame) What the release of `first` pays for.
#' @noRd
compared_runs <- function(charges, first, second, relation) {
  allowed <- 2 * charges[[paste0("rho_", sub("-", "_", relation))]]
  what <- vapply(second$heard, `[[`, "", "what")
  moved <- vapply(charges$what, function(charge) {
    sum(second$squares[what == charge])
  }, 0)
  # Sums of doubles
  over <- c(
    charges$what[!(moved <= allowed * (1 + 1e-6))],
    setdiff(what, charges$what)
  )
  one <- unclass(first$release)
  other <- unclass(second$release)
  differs <- if (is.null(one) || is.null(other)) {
    "an error"
  } else {
    Filter(function(name) !identical(one[[name]], other[[name]]), names(one))
  }
  data.frame(
    moved = sqrt(sum(second$squares)), allowed = sqrt(sum(allowed)),
    over = toString(over), differs = toString(differs)
  )
}

#' What the runs have shown, in words
#' @noRd
text_of_replays <- function(runs) {
  if (is.null(runs)) {
    return(NULL)
  }
  over <- sum(runs$over != "")
  differs <- sum(runs$differs != "")
  named <- function(x) {
    toString(unique(unlist(strsplit(x[x != ""], ", ", fixed = TRUE))))
  }
  told <- sprintf(
    paste(
      "Replay: the release was run again with the same random numbers on %s.",
      "Some of these come from a made-up file of clones."
    ),
    counted(nrow(runs), "neighbouring file")
  )
  if (over + differs == 0) {
    return(paste(
      told, "No noisy number moved farther than was paid for, and nothing else",
      "changed."
    ))
  }
  paste(c(
    told,
    if (over > 0) {
      sprintf(
        "VIOLATION: in %s, noisy numbers moved farther than was paid for: %s.",
        counted(over, "run"), named(runs$over)
      )
    },
    if (differs > 0) {
      sprintf(
        "VIOLATION: in %s something depends on the file without being paid for:
         %s.", counted(differs, "run"), named(runs$differs)
      )
    }
  ), collapse = " ")
}
