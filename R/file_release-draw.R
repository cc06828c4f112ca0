# Sets of a file release: the block's records, then each amount's values.
# Post-processing of released numbers.

#' Draw whole files
#'
#' @param x (`file_release`)
#' @param m,n (counts) Sets, and records of each; `NULL`: as many as released.
#' @param uncertainty (flag) See synthesize().
#' @return (list of data frames)
#' @noRd
draw_files <- function(x, m = 1, n = NULL, seed = NULL, uncertainty = FALSE) {
  cells <- m * (n %||% x$block$n) * length(x$levels)
  tell_long_step("Fitting records to tables", cells)
  block_words <- seed_words(stage_seed(seed, "block"), "synthesize")
  words <- seed_words(stage_seed(seed, "amounts"), "synthesize")
  if (!uncertainty) sets <- draw_block(x$block, m, n, block_words)
  lapply(seq_len(m), function(s) {
    random <- if (uncertainty) {
      random_stream(
        seed_words(stage_seed(seed, "uncertainty", s), "synthesize"), 1
      )
    }
    codes <- if (uncertainty) {
      draw_uncertain_block(x$block, random)
    } else {
      sets[[s]]
    }
    colnames(codes) <- names(x$levels)
    amounts <- draw_amounts(x, codes, words, s, random)
    check_compared(x, codes, amounts)
    decode_records(x, codes, amounts)
  })
}

#' Values of all amounts for the records of a set
#' @param random (function or `NULL`) Uniform numbers, where amounts are to be
#'   drawn from their posterior.
#' @return (named list) As `plan$amounts`.
#' @noRd
draw_amounts <- function(x, codes, words, s, random = NULL) {
  n <- nrow(codes)
  bins <- lapply(x$fixed, published_bins, n)
  drawn <- x$fixed
  room <- compared_room(x, codes)
  for (k in seq_along(x$amounts)) {
    amount <- x$amounts[[k]]
    tell_long_step(paste("Drawing", amount$name), length(codes))
    rows <- valued_rows(amount, codes)
    own <- codes[rows, , drop = FALSE]
    part <- part_number(amount, own)
    ends <- ends_of_amount(room, amount, drawn, rows, part)
    like <- amount_predictors(amount, own, lapply(bins, `[`, rows), x$levels)
    if (!is.null(random)) {
      amount <- uncertain_amount(amount, like$codes, random)
    }
    y <- draw_amount(
      amount, like$codes, range_group(amount, own), words,
      s * length(x$amounts) + k, modelled_room(amount, ends, part)
    )
    bins[[amount$name]] <- with_bins(n, rows, y, amount$bins)
    drawn[[amount$name]] <- list(
      records = rows,
      values = from_modelled(amount, y, part, ends)
    )
  }
  drawn
}

#' Which of an amount's parts with values each record is in
#' @noRd
part_number <- function(amount, codes) {
  if (!amount$name %in% colnames(codes)) {
    return(rep(1L, nrow(codes)))
  }
  match(codes[, amount$name], amount$part)
}

#' Values in their own unit, within their part and what rules leave them
#'
#' Those of a heap become its nearest multiple; others that meet a multiple, a
#' code or zero move aside.
#' @param part (integer) Rows of `amount$parts`.
#' @param ends (list) `low` and `high` of each value, see ends_of_amount().
#' @noRd
from_modelled <- function(amount, y, part, ends) {
  parts <- amount$parts
  x <- response_transforms[[amount$transform]]$back(y)
  x[parts$kind[part] == "negative"] <- -x[parts$kind[part] == "negative"]
  digits <- amount$digits
  if (is.na(digits)) {
    rounded <- identity
    unit <- 2^-20
  } else {
    rounded <- function(x) round(x, digits)
    unit <- 10^-digits
  }
  unit <- rep(unit, length(x))
  x <- rounded(clamp(x, ends$low, ends$high))
  heaped <- parts$kind[part] == "heap"
  x[heaped] <- nearest_multiple(x[heaped], parts[part[heaped], ])
  # A multiple of 100 that is one of 1,000 moves to the next one
  unit[heaped] <- parts$step[part[heaped]]
  moved_aside(x, amount, part, unit, ends, rounded)
}

nearest_multiple <- function(x, parts) {
  step <- parts$step
  low <- ceiling(parts$low / step)
  high <- floor(parts$high / step)
  step * pmin(pmax(round(x / step), low), high)
}

#' Values that are in another part than theirs, or beyond their ends, moved to
#' the nearest that is not
#' @param unit (double) The smallest step of each.
#' @param rounded (function) To the decimals that values have.
#' @noRd
moved_aside <- function(x, amount, part, unit, ends, rounded, tries = 50) {
  wanted <- amount$part[part]
  for (k in seq_len(tries)) {
    off <- which(
      part_of(x, amount$all_parts) != wanted | x < ends$low | x > ends$high
    )
    if (length(off) == 0) {
      return(x)
    }
    # One up, two down, three up: all steps around the first place
    x[off] <- rounded(x[off] + unit[off] * k * (-1)^(k + 1))
  }
  x
}
