# Sets of a file release: the block's records, then each amount's values.
# Post-processing of released numbers.

#' Draw whole files
#'
#' @param x (`file_release`)
#' @param m,n (counts) Sets, and records of each; `NULL`: as many as released.
#' @param uncertainty (flag) See synthesize().
#' @param remote (flag) See draw_each().
#' @return (list of data frames)
#' @noRd
draw_files <- function(x, m = 1, n = NULL, seed = NULL, uncertainty = FALSE,
                       remote = FALSE) {
  n <- n %||% round(x$block$n)
  tell_long_step("Fitting records to tables", m * fitting_work(x$block, n) *
    if (uncertainty) tables_without_noise else 1)
  words <- words_of_files(seed)
  # Small sets are fitted together here, on threads. Of large ones one at a time
  # is kept.
  together <- !remote && !uncertainty && n <=
    fitting_of_columns(length(x$block$levels))$particles
  blocks <- if (together) draw_block(x$block, m, n, words$block)
  drawn_each(m, file_drawer(x), function(s) {
    list(
      number = s, n = n, words = words, codes = if (together) blocks[[s]],
      uncertain = if (uncertainty) {
        seed_words(stage_seed(seed, "uncertainty", s), "synthesize")
      }
    )
  }, remote)
}

# Drawing tables without their noise takes so many times as long as fitting few
# records to them
tables_without_noise <- 10

#' The words that all sets, or parts of sets, share: each has streams of its own
#' @noRd
words_of_files <- function(seed) {
  list(
    block = seed_words(stage_seed(seed, "block"), "synthesize"),
    amounts = seed_words(stage_seed(seed, "amounts"), "synthesize")
  )
}

#' What draws a set, or a part of one, see draw_each()
#'
#' @return (function of an item) Of `number` (from 1: which of all sets, or of
#'   all parts of all sets, it is), `n` (its records), `before` (of a part: the
#'   set's records, or households, in parts before it), `words` (see
#'   words_of_files()), `codes` (its block, if it was drawn already) and
#'   `uncertain` (two words, where what is released is to be drawn without its
#'   noise).
#' @noRd
file_drawer <- function(x) {
  force(x)
  function(item) {
    # What the set or part before has left would lie beside this one
    give_back_memory(item$n)
    if (length(x$published) > 0 && !is.null(item$before)) {
      x <- release_with_rows(x, item$before + seq_len(item$n))
    }
    random <- if (!is.null(item$uncertain)) random_stream(item$uncertain, 1)
    codes <- item$codes %||% if (!is.null(random)) {
      draw_uncertain_block(x$block, random)
    } else {
      draw_block(
        x$block, 1, item$n, item$words$block, first = item$number - 1
      )[[1]]
    }
    set <- finished_file(x, codes, item$words$amounts, item$number, random)
    # No household of a part has a number of one before
    unit <- x$members$unit
    if (!is.null(unit)) {
      set[[unit]] <- set[[unit]] + as.integer(item$before %||% 0)
    }
    set
  }
}

#' A release with some of its published rows, in this order
#' @noRd
release_with_rows <- function(x, rows) {
  if (any(x$block$published)) {
    x$block$fixed <- x$block$fixed[rows, , drop = FALSE]
  }
  x$fixed <- lapply(x$fixed, function(own) {
    at <- match(own$records, rows)
    kept <- order(at, na.last = NA)
    list(records = at[kept], values = own$values[kept])
  })
  x
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
  on <- list(codes = codes, levels = x$levels)
  drawn <- x$fixed
  room <- start_room(
    x$compared, column_specs(x$codebook), codes, lengths(x$levels)
  )
  room <- narrowed_room(taken_room(room, drawn))
  for (k in seq_along(x$amounts)) {
    amount <- x$amounts[[k]]
    tell_long_step(paste("Drawing", amount$name), length(codes))
    if (is_of_members(amount) && is.null(on$home)) on <- members_of_set(x, on)
    rows <- valued_rows(amount, on$codes)
    part <- part_number(amount, on$codes, rows)
    ends <- ends_of_amount(room, amount, rows, part, on)
    like <- amount_predictors(
      amount, on$codes, rows, on$bins, on$scores, on$levels, on$home
    )
    if (!is.null(random)) {
      amount <- uncertain_amount(amount, like, random)
    }
    y <- draw_amount(
      amount, like$codes, part, words, s * length(x$amounts) + k,
      modelled_room(amount, ends, part),
      left = like$left, home = on$home[rows]
    )
    rm(like)
    n <- nrow(on$codes)
    give_back_memory(n)
    on$bins[[amount$name]] <- with_bins(n, rows, y, amount)
    if (!is.null(amount$ranks)) {
      on$scores[[amount$name]] <- rep(NA_real_, n)
      on$scores[[amount$name]][rows] <- margin_scores(amount, y)
    }
    values <- from_modelled(amount, y, part, ends)
    own <- if (is_of_members(amount)) {
      values_by_slot(amount, values, rows, on)
    } else {
      stats::setNames(
        list(list(records = rows, values = values)), amount$name
      )
    }
    drawn[names(own)] <- own
    room <- narrowed_room(taken_room(room, own))
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

# Amounts that are compared ----------------------------------------------------

# What rules that compare amounts leave of each value, while a set's amounts are
# drawn one after the other: parts are known beforehand, earlier amounts are
# values by then, and later ones leave room for their parts.

#' What an amount's values may be, given those drawn before
#'
#' @param room (list or `NULL`) See start_room().
#' @param rows (integer) Records that have a value.
#' @param part (integer) Rows of `amount$parts` of these.
#' @param at (list) Where records are members, `home` and `slot` of each.
#' @return (list) `low` and `high`, one for each of `rows`.
#' @noRd
ends_of_amount <- function(room, amount, rows, part, at = NULL) {
  if (is_of_members(amount)) {
    return(ends_of_members(room, amount, rows, part, at))
  }
  one <- room$amounts[[amount$name]]
  if (is.null(one)) {
    return(ends_of_parts(amount, part))
  }
  list(low = one$low[rows], high = one$high[rows])
}

#' See ends_of_amount(): rules compare the wide columns
#' @noRd
ends_of_members <- function(room, amount, rows, part, at) {
  ends <- ends_of_parts(amount, part)
  for (k in which(amount$slots %in% names(room$amounts))) {
    one <- room$amounts[[amount$slots[k]]]
    own <- which(at$slot[rows] == k)
    home <- at$home[rows[own]]
    ends$low[own] <- one$low[home]
    ends$high[own] <- one$high[home]
  }
  ends
}

ends_of_parts <- function(amount, part) {
  ends <- value_ends(amount$all_parts)
  lapply(ends, function(end) end[amount$part[part]])
}

#' Ends on the modelled scale, where they are narrower than those of the parts
#' @return (list or `NULL`, where none is)
#' @noRd
modelled_room <- function(amount, ends, part) {
  own <- ends_of_parts(amount, part)
  narrow <- list(low = ends$low > own$low, high = ends$high < own$high)
  if (!any(narrow$low) && !any(narrow$high)) {
    return(NULL)
  }
  low <- ifelse(narrow$low, to_modelled(amount, ends$low), -Inf)
  high <- ifelse(narrow$high, to_modelled(amount, ends$high), Inf)
  # A logarithm takes negative values without their sign
  turned <- amount$transform == "log" &
    amount$parts$kind[part] == "negative"
  bottom <- ifelse(narrow$high, to_modelled(amount, ends$high), -Inf)
  top <- ifelse(narrow$low, to_modelled(amount, ends$low), Inf)
  list(low = ifelse(turned, bottom, low), high = ifelse(turned, top, high))
}

#' No set with a record that breaks a rule
#' @noRd
check_compared <- function(x, codes, amounts) {
  specs <- column_specs(x$codebook)
  sizes <- lengths(x$levels)
  rules <- lapply(x$compared, function(one) list(compared = list(one)))
  values <- compared_values(rules, specs, codes, amounts)
  broken <- lapply(x$compared, function(one) {
    rows <- records_in(one$cells, one$columns, codes, sizes)
    rows[!holds_comparison(one, values, rows)]
  })
  rows <- unique(c(unlist(broken), records_off(x, specs, codes, amounts)))
  refuse_if(
    length(rows) > 0, "A set must meet the rules.",
    x = "{length(rows)} record{?s} {?has/have} no value that meets them.",
    i = "A part of an amount may hold no value that a comparison allows. State
         wider bounds, or fewer codes and heaps.",
    arg = "fit", class = "pseudosynth_error_rule"
  )
}

#' Records whose amount is not in the part that their codes say
#' @noRd
records_off <- function(x, specs, codes, amounts) {
  if (length(x$compared) == 0) {
    return(NULL)
  }
  unlist(lapply(names(amounts), function(name) {
    one <- amounts[[name]]
    code <- rep(1L, nrow(codes))
    if (name %in% colnames(codes)) code <- codes[, name]
    found <- part_of(one$values, amount_parts(specs[[name]]))
    one$records[!(found == code[one$records]) %in% TRUE]
  }))
}
