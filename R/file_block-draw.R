# Sets of a released block: records fitted to its targets.

# Sweeps over all cells, the first inverse temperature, the number of records
# that larger sets grow from, the sweeps of these and those after growing, and
# how many records are fitted together, before and after growing. Growing mends
# what 20 sweeps leave of 40: pairs and triples of a large set are as near.
block_fitting <- list(
  sweeps = 40, first_beta = 1e-4, particles = 1e5, particle_sweeps = 20,
  grown_sweeps = 1, together = 50000, grown_together = 5e5
)

# Published rows that are fitted together, at most. A set with such rows cannot
# grow from a few records: of a million, sweeps leave rare cells wrong.
fixed_together <- 2e5

# Of more columns the set grows from fewer records: of 1e5 households in 75
# columns, from 20,000. Tables are as near, in a third of the time.
fitted_columns <- 15

#' How records of so many columns are fitted
#' @return (list) See block_fitting.
#' @noRd
fitting_of_columns <- function(columns) {
  counts <- c("particles", "together", "grown_together")
  fitting <- block_fitting
  share <- min(1, fitted_columns / columns)
  fitting[counts] <- lapply(fitting[counts], function(n) round(n * share))
  fitting
}

# A measured table takes as long as so many cells of a file. A file of 20
# columns has ten tables a column: a tenth of them counts as one column, at
# least
cells_as_table <- 100
tables_as_column <- 10

#' How long fitting n records takes, in cells: see tell_long_step()
#' @noRd
fitting_work <- function(block, n) {
  n * max(length(block$levels), length(block$targets) / tables_as_column)
}

# What a miss of a margin weighs beside one of a typical pair. Of rare levels of
# 31 sets had two to five times as many as the margin; with 10 the pairs of such
# files are a sixth nearer, and others as near as before
weight_of_margins <- 10

#' Draw sets of a released block
#'
#' Cells start from their margins and move one at a time by their conditional
#' law under exp(-beta sum of weighted squared misses / 2). beta rises to 3, or
#' 30, by the noise's standard deviation. The file is not read.
#' @param release (list) See release_plan().
#' @param m (count) Number of sets.
#' @param n (count or `NULL`) Records a set. `NULL`: as many as released, noisy
#'   where secret. Where columns are published it is theirs.
#' @param words (two words) See seed_words().
#' @param first (count) The number of the first set, from 0.
#' @param fitting (list) See fitting_of_columns().
#' @param some (flag) Does a release learn from the set? Then one of fewer
#'   records is fitted as those are that larger sets grow from.
#' @return (list of integer matrix, n x d) Published columns in the order of the
#'   file.
#' @noRd
draw_block <- function(release, m = 1, n = NULL, words = seed_words(NULL),
                       first = 0L,
                       fitting = fitting_of_columns(length(release$levels)),
                       threads = default_threads(), some = FALSE) {
  n <- n %||% round(release$n)
  refuse_if(
    any(release$published) && n != nrow(release$fixed),
    "{.arg n} must be the number of published records.", arg = "n"
  )
  # An amount alone, without parts, has no block
  if (length(release$levels) == 0) {
    return(rep(list(matrix(1L, n, 0)), m))
  }
  if (any(release$published) && n > fixed_together) {
    rows <- dealt_rows(release$fixed, n, ceiling(n / fixed_together))
    # A set is the same beside others and by itself, and has random numbers of
    # its own, also beside one of fewer parts
    return(lapply(first + seq_len(m) - 1, function(set) {
      parts <- lapply(seq_along(rows), function(k) {
        release$fixed <- release$fixed[rows[[k]], , drop = FALSE]
        draw_block(
          release, 1, length(rows[[k]]), words, set + (k - 1) * 2^20, fitting,
          threads
        )[[1]]
      })
      do.call(rbind, parts)[order(unlist(rows)), , drop = FALSE]
    }))
  }
  drawn <- underived_block(release)
  published <- drawn$published
  targets <- weighted_targets(
    c(drawn$targets, drawn$pooled_targets), release$fitting[["power"]]
  )
  if (n > fitting$particles || some && n < round(release$n)) {
    fitting$sweeps <- fitting$particle_sweeps
  }
  control <- c(fitting, list(
    coldest = release$fitting[["coldest"]], noise = targets$noise,
    records = release$n
  ))
  # Pairs alone leave each level's sum to chance: rare levels would gain
  margins <- lapply(which(!published), function(j) {
    list(columns = j, target = drawn$margins[[j]], weight = weight_of_margins)
  })
  sets <- fit_records_(
    as.integer(n), release$fixed, drawn$levels, published, drawn$margins,
    c(targets$tables, margins), drawn$rules, control, as.integer(m),
    as.integer(first), words, threads
  )
  refuse_if(
    is.null(sets), "Every record must be able to meet the rules.",
    x = "Some cannot. Their published columns break a rule, whatever their
         protected columns are. Or no record can meet all rules together.",
    i = "Correct the rules, or publish other columns.",
    arg = "rules"
  )
  lapply(sets, with_derived_codes, release$derived, length(release$levels))
}

#' Published rows in parts, each with the tables of all
#'
#' Rows that are alike are dealt one by one. A part with too many rows of a
#' level would spread them over what such rows are not, too: its targets are
#' those of all rows.
#' @param fixed (integer matrix) Codes of published columns of the block.
#'   Without such a column it has no rows.
#' @param n,k (counts) Rows and parts.
#' @return (list of integer) Rows of each part, in order.
#' @noRd
dealt_rows <- function(fixed, n, k) {
  rows <- place <- seq_len(n)
  place[do.call(order, c(unname(as.data.frame(fixed)), list(rows)))] <- rows
  unname(split(rows, (place - 1) %% k))
}

#' Targets with the weights of their squared misses
#'
#' A table that has less noise weighs more: by one over the noise's standard
#' deviation, up to a hundred times as much as another. In files of 5 to 14
#' columns sets are then nearer to the file, by up to 2%, than if all weigh the
#' same or by one over the variance: targets are not only noisy, they are
#' shrunk. Tables of members or of waves say the same many times over, one with
#' more noise than another: they weigh by one over the variance.
#' @param power (number) 1 or 2: see slot_fitting.
#' @param targets (list) See block_targets().
#' @return (list) `tables` and their `noise`, a typical standard deviation.
#' @noRd
weighted_targets <- function(targets, power = 1) {
  variance <- vapply(targets, `[[`, 0, "variance")
  most <- max(variance, 0)
  noise <- if (most > 0) sqrt(mean(variance)) else 0
  weight <- 1
  if (most > 0) weight <- (noise / sqrt(pmax(variance, most / 1e4)))^power
  list(
    noise = noise, tables = Map(function(one, w) {
      c(one, list(weight = w))
    }, targets, rep_len(weight, length(targets)))
  )
}
