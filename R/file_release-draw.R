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
  # Of large sets one at a time is kept
  large <- (n %||% x$block$n) > block_fitting$particles
  if (!uncertainty && !large) sets <- draw_block(x$block, m, n, block_words)
  lapply(seq_len(m), function(s) {
    random <- if (uncertainty) {
      random_stream(
        seed_words(stage_seed(seed, "uncertainty", s), "synthesize"), 1
      )
    }
    codes <- if (uncertainty) {
      draw_uncertain_block(x$block, random)
    } else if (large) {
      draw_block(x$block, 1, n, block_words, first = s - 1)[[1]]
    } else {
      sets[[s]]
    }
    finished_file(x, codes, words, s, random)
  })
}

#' A set, or a part of one, that memory need not hold beside others
#'
#' @param n (count) Its records.
#' @param number (count) From 1: which of all parts of all sets it is. With the
#'   seed it decides what is drawn, so that parts may be drawn in any order.
#' @return (data frame) See draw_files().
#' @noRd
draw_part <- function(x, n, number, seed = NULL) {
  codes <- draw_block(
    x$block, 1, n, seed_words(stage_seed(seed, "block"), "synthesize"),
    first = number - 1
  )[[1]]
  words <- seed_words(stage_seed(seed, "amounts"), "synthesize")
  finished_file(x, codes, words, number)
}

#' Records of the block with values of their amounts, as a data frame
#' @noRd
finished_file <- function(x, codes, words, s, random = NULL) {
  colnames(codes) <- names(x$levels)
  amounts <- draw_amounts(x, codes, words, s, random)
  check_compared(x, codes, amounts)
  decode_records(x, without_bins(codes, x$schema), amounts)
}

#' Values of all amounts for the records of a set
#' @param random (function or `NULL`) Uniform numbers, where amounts are to be
#'   drawn from their posterior.
#' @return (named list) As `plan$amounts`.
#' @noRd
draw_amounts <- function(x, codes, words, s, random = NULL) {
  n <- nrow(codes)
  bins <- list()
  drawn <- x$fixed
  room <- start_room(
    x$compared, column_specs(x$codebook), codes, lengths(x$levels)
  )
  room <- narrowed_room(taken_room(room, drawn))
  for (k in seq_along(x$amounts)) {
    amount <- x$amounts[[k]]
    tell_long_step(paste("Drawing", amount$name), length(codes))
    rows <- valued_rows(amount, codes)
    part <- part_number(amount, codes, rows)
    ends <- ends_of_amount(room, amount, rows, part)
    like <- amount_predictors(amount, codes, rows, bins, x$levels)
    if (!is.null(random)) {
      amount <- uncertain_amount(amount, like$codes, random)
    }
    y <- draw_amount(
      amount, like$codes, part, words,
      s * length(x$amounts) + k, modelled_room(amount, ends, part)
    )
    rm(like)
    bins[[amount$name]] <- with_bins(n, rows, y, amount$bins)
    drawn[[amount$name]] <- list(
      records = rows,
      values = from_modelled(amount, y, part, ends)
    )
    room <- narrowed_room(taken_room(room, drawn[amount$name]))
  }
  drawn
}

#' Values in their own unit, within their part and what rules leave them
#'
#' The nearest that their part has: a multiple of a heap's step, or what is no
#' multiple, code or zero.
#' @param part (integer) Rows of `amount$parts`.
#' @param ends (list) `low` and `high` of each value, values of their part: see
#'   ends_of_amount().
#' @noRd
from_modelled <- function(amount, y, part, ends) {
  by_blocks(length(y), function(at) {
    block_from_modelled(amount, y[at], part[at], lapply(ends, `[`, at))
  })
}

block_from_modelled <- function(amount, y, part, ends) {
  x <- response_transforms[[amount$transform]]$back(y)
  negative <- amount$parts$kind[part] == "negative"
  x[negative] <- -x[negative]
  nearest_in_part(
    clamp(x, ends$low, ends$high), amount$part[part], amount$all_parts, ends
  )
}
