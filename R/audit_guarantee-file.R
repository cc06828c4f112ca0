# The audit of a file release: how far one record moves every noisy number, from
# the vectors that the release itself adds up.

#' @rdname audit_guarantee
#' @param rows (count) For a [file_release()]: how many arbitrary records to try
#'   in addition to those of the file. They come from the codebook's whole
#'   domain. Default 1e5.
#' @param replays (count) For a [file_release()]: the number of neighbouring
#'   files on which to run the release again, with the same random numbers.
#'   Default 20. With 0, only the exact calculation is made.
#' @export
audit_guarantee.file_release <- function(x, data, rows = 1e5, replays = 20,
                                         seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn audit_guarantee}.")
  check_sealed(x)
  check_class(data, "file_plan", "Give the plan of the release.", arg = "data")
  rows <- check_count(rows, min = 2)
  replays <- check_count(replays)
  check_seed(seed)
  data <- with_published_bins(data)
  same <- identical(names(data$levels), names(x$levels)) &&
    identical(data$published, x$published)
  refuse_if(
    !same, "{.arg data} must be the plan that {.arg x} was made from.",
    arg = "data"
  )
  file <- file_records(data)
  words <- seed_words(seed, "audit")
  n <- nrow(file$codes)
  far <- arbitrary_records(data, rows, words)
  # The published part of a record stays as it is
  kept <- random_records(n, rows, words, 0)
  far <- with_published(far, file, kept, data)
  # Each arbitrary record in place of the one whose published part it has, and
  # where nothing is published of another arbitrary one
  replaced <- replaced_moves(x, file, kept, far)
  if (length(x$published) == 0) {
    shifted <- c(seq_len(rows)[-1], 1L)
    replaced <- c(replaced, replaced_moves(x, far, shifted, far))
  }
  dropped <- max(record_moves(x, file), record_moves(x, far))
  unit <- x$unit$records %||% 1
  total <- total_charges(x$charges, x$delta)
  runs <- replay_release(x, data, replays, seed)
  new_result(
    "score_audit",
    worst = data.frame(
      neighbours = relation_names,
      claimed = unname(sqrt(2 * total$rho)[relation_names]),
      exact = unit * sqrt(c(dropped, max(replaced))), found = NA_real_
    ),
    curve = NULL, unit = "mu", replicates = 0, level = NA_real_,
    release = "file release", of = "file", n_records = n, replays = runs,
    how = c(
      sprintf(
        "Exact: computed from the noise and from the vectors that the release
         adds up, for all records of the file and %s arbitrary records.%s",
        format_count(rows), if (unit > 1) {
          " All records of a unit are assumed to be as far out as the farthest."
        } else {
          ""
        }
      ),
      text_of_replays(runs)
    )
  )
}

# How far records move the noisy numbers ---------------------------------------

#' Squared mu of dropping each record
#' @noRd
record_moves <- function(x, file) {
  vectors <- amount_vectors(x, file)
  moves <- moves_of_all(block_measurements(x), function(of) file$codes)
  for (own in vectors) moves <- moves + moves_of_amount(own, NULL)
  moves
}

#' The block's measurements, of what was released
#' @noRd
block_measurements <- function(x) {
  block <- x$block
  block$lengths <- residual_lengths(block$tables, block$levels)
  block$replaced <- replaced_block
  c(
    if (!is.null(block$size_noise)) list(size_measurement(block$size_noise)),
    list(table_measurement(block, block$noise, names = names(x$levels)))
  )
}

#' Squared mu of putting records of one file in place of another's
#' @param kept (integer) The records of `file` that are replaced, by all of
#'   `far`.
#' @noRd
replaced_moves <- function(x, file, kept, far) {
  moves <- moves_of_all(
    block_measurements(x), function(of) file$codes[kept, , drop = FALSE],
    function(of) far$codes
  )
  before <- amount_vectors(x, file)
  after <- amount_vectors(x, far)
  for (k in seq_along(x$amounts)) {
    moves <- moves + moves_of_amount(
      vectors_of_rows(before[[k]], kept), after[[k]]
    )
  }
  moves
}

#' What each record adds to the noisy numbers of each amount, in the noise's
#' standard deviations
#' @return (list) For each amount `valued` (N), `margin` (N bins, 0 for none)
#'   with its `strategy`, `steps` (list of matrices, N rows), `tables` (codes,
#'   levels and variances).
#' @noRd
amount_vectors <- function(x, file) {
  n <- nrow(file$codes)
  bins <- list()
  found <- list()
  for (name in names(x$amounts)) {
    amount <- x$amounts[[name]]
    at <- which(!is.na(file$values[, name]))
    y <- to_modelled(amount, file$values[at, name])
    like <- amount_predictors(amount, file$codes, at, bins, x$levels)
    found[[name]] <- vectors_of_amount(amount, like$codes, y, at, n)
    bins[[name]] <- with_bins(n, at, y, amount$bins)
  }
  found
}

vectors_of_amount <- function(amount, codes, y, at, n) {
  margin <- rep(0L, n)
  margin[at] <- findInterval(
    y, amount$margin$breaks, rightmost.closed = TRUE, all.inside = TRUE
  )
  shape <- if (length(amount$family$extras) > 0) amount$reference$values[[2]]
  steps <- lapply(amount$steps, function(step) {
    # One record's part of the sums, made as all of them are
    own <- own_scores(
      list(predictors = codes, y = y), amount, amount$family, step$b, shape,
      step$clip
    )
    z <- own_vectors(codes, amount, own$scale, step$geometry)
    vectors <- matrix(0, n, ncol(z) + 1)
    vectors[at, ] <- cbind(score_counted * own$inside, z * own$q) / step$scale
    vectors
  })
  tables <- amount$tables
  if (!is.null(tables)) {
    told <- matrix(0L, n, length(tables$columns) + 1)
    told[at, ] <- cbind(
      codes[, tables$columns, drop = FALSE], findInterval(y, tables$breaks) + 1L
    )
    tables <- list(
      codes = told, levels = amount$levels[tables$columns],
      bins = length(tables$breaks) + 1, variance = tables$noise$variance
    )
  }
  list(
    margin = margin,
    columns = t(margin_strategy(length(amount$margin$noisy), "gaussian")) /
      amount$margin$scale,
    steps = steps, tables = tables
  )
}

vectors_of_rows <- function(own, rows) {
  own$margin <- own$margin[rows]
  own$steps <- lapply(own$steps, function(v) v[rows, , drop = FALSE])
  if (!is.null(own$tables)) {
    own$tables$codes <- own$tables$codes[rows, , drop = FALSE]
  }
  own
}

#' Squared lengths of what records add, or of its difference to what others add
#' @noRd
moves_of_amount <- function(one, other) {
  columns <- rbind(0, one$columns)
  differences <- tcrossprod(columns)
  length <- diag(differences)
  a <- one$margin + 1
  b <- if (is.null(other)) rep(1, length(a)) else other$margin + 1
  moves <- length[a] + length[b] - 2 * differences[cbind(a, b)]
  for (k in seq_along(one$steps)) {
    v <- one$steps[[k]]
    if (!is.null(other)) v <- v - other$steps[[k]]
    moves <- moves + rowSums(v^2)
  }
  tables <- one$tables
  if (is.null(tables)) {
    return(moves)
  }
  last <- ncol(tables$codes)
  before <- tables$codes
  after <- if (is.null(other)) 0L * before else other$tables$codes
  # Of a record without a value no table tells
  none <- before[, last] == 0 & after[, last] == 0
  both <- before[, last] > 0 & after[, last] > 0
  for (t in seq_along(tables$levels)) {
    levels <- c(tables$levels[t], tables$bins)
    square <- prod((levels - 1) / levels)
    pair <- c(t, last)
    changed <- before[, pair] != after[, pair]
    moves <- moves + ifelse(
      none, 0, ifelse(both, replaced_squares(levels, changed), square)
    ) / tables$variance[t]
  }
  moves
}
