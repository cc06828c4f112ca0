# Rules that noisy tables show: combinations that are empty in them where the
# product of the margins is not, such as children with an activity status. They
# are proposed as text and never applied. Post-processing of released numbers.

# A combination is proposed if the margins expect so many deviations of its
# noise, and if its noisy count is no more than so many, and surely at most a
# quarter of what is expected
shown_rule <- list(expected = 10, empty = 1.5, sure = 2, share = 1 / 4)

#' Rules that the noisy tables of pairs show
#'
#' Of a level of one column: that another column has a single level there, or
#' not a certain one. Not of columns that follow others, and not what rules
#' forbid already.
#' Of members, or waves, over all of them.
#'
#' @param block (list) See release_plan().
#' @param levels (named list) Names of levels by column of the block.
#' @param specs (named list) See column_specs().
#' @param members (list or `NULL`) Of the plan.
#' @return (data frame) `rule` (text) and `expected`: the records that its
#'   combinations would have if the columns were independent.
#' @noRd
proposed_rules <- function(block, levels, specs, members = NULL) {
  none <- data.frame(rule = character(), expected = double())
  all <- if (is.null(members)) {
    lapply(telling_pairs(block, names(levels), specs), function(t) {
      columns <- block$tables[[t]]
      open <- open_cells(columns, block$levels, block$rules)
      # What rules of both columns with a third one leave open
      with_rules <- lapply(columns, function(j) {
        own <- lapply(block$rules, `[[`, "columns")
        unlist(Filter(function(among) j %in% among, own))
      })
      for (third in setdiff(Reduce(intersect, with_rules), columns)) {
        sides <- lapply(columns, function(j) {
          open_cells(c(j, third), block$levels, block$rules)
        })
        open <- open & tcrossprod(sides[[1]], sides[[2]]) > 0
      }
      pair <- pair_estimate(block, t)
      proposed_of(pair, open, names(levels)[columns], levels, specs)
    })
  } else {
    proposed_of_members(block, levels, members)
  }
  found <- do.call(rbind, c(list(none), all))
  found <- found[order(found$expected, decreasing = TRUE), ]
  row.names(found) <- NULL
  found
}

#' The rules that a pair shows
#' @param pair (list of matrix) See pair_estimate().
#' @param open (logical matrix) Cells that no rule forbids.
#' @param names (two strings) Of its columns.
#' @noRd
proposed_of <- function(pair, open, names, levels, specs) {
  forth <- closed_levels(pair, open)
  back <- closed_levels(lapply(pair, t), t(open))
  # A single combination is found from both sides, and follows from a level
  # of either column that has one level of the other alone
  forth <- forth[!said_by(back, forth), ]
  back <- back[!back$single, ]
  data.frame(
    rule = c(
      rule_lines(forth, names, levels, specs),
      rule_lines(back, rev(names), levels, specs)
    ),
    expected = round(c(forth$expected, back$expected))
  )
}

#' The same of two columns of every member, or wave, over all that there are
#' @return (list of data frame)
#' @noRd
proposed_of_members <- function(block, levels, members) {
  slot <- members$slot
  variable <- members$variable
  specs <- column_specs(members$persons$codebook)
  # What follows from others is told by them
  own <- slot > 0 & !seq_along(levels) %in% followers(block$derived) &
    variable %in% names(specs)
  pairs <- which(block$noise$order == 2)
  pairs <- Filter(function(t) {
    at <- block$tables[[t]]
    all(own[at]) && slot[at[1]] == slot[at[2]]
  }, pairs)
  lapply(split(pairs, vapply(pairs, function(t) {
    paste(match(variable[block$tables[[t]]], names(specs)), collapse = " ")
  }, "")), function(pairs) {
    all <- lapply(pairs, existing_pair, block, members$none)
    size <- dim(all[[1]]$pair$count)
    if (!all(vapply(all, function(one) identical(dim(one$open), size), NA))) {
      return(NULL)
    }
    sum_of <- function(f) Reduce(`+`, lapply(all, f))
    margins <- lapply(1:2, function(k) sum_of(function(one) one$margins[[k]]))
    columns <- block$tables[[pairs[1]]]
    names <- variable[columns]
    kept <- Map(function(levels, none) {
      if (is.na(none)) levels else levels[-none]
    }, levels[columns], members$none[columns])
    proposed_of(list(
      count = sum_of(function(one) one$pair$count),
      # Who is there has a level of both
      expected = outer(margins[[1]], margins[[2]]) / max(1, sum(margins[[1]])),
      deviation = sqrt(sum_of(function(one) one$pair$deviation^2)),
      of_others = sqrt(sum_of(function(one) one$pair$of_others^2))
    ), Reduce(`|`, lapply(all, `[[`, "open")), names,
    stats::setNames(kept, names), specs)
  })
}

#' A pair of columns of one member, among those who are there
#' @param none (integer) See none_of_columns().
#' @return (list) `pair` (see pair_estimate()), `margins` of both columns, and
#'   `open` cells.
#' @noRd
existing_pair <- function(t, block, none) {
  columns <- block$tables[[t]]
  kept <- lapply(1:2, function(k) {
    setdiff(seq_len(block$levels[columns[k]]), none[columns[k]])
  })
  there <- function(x) x[kept[[1]], kept[[2]], drop = FALSE]
  list(
    pair = lapply(pair_estimate(block, t), there),
    margins = Map(function(column, kept) {
      block$margins[[column]][kept]
    }, columns, kept),
    open = there(open_cells(columns, block$levels, block$rules))
  )
}

#' Pairs in which a combination may be expected often enough to be missed
#' @return (integer) Places among `block$tables`.
#' @noRd
telling_pairs <- function(block, names, specs) {
  pairs <- which(block$noise$order == 2)
  if (length(pairs) == 0) {
    return(integer())
  }
  columns <- matrix(unlist(block$tables[pairs]), 2)
  largest <- vapply(block$margins, max, 0)
  expected <- largest[columns[1, ]] * largest[columns[2, ]] / block$n
  # Bins of a published amount are no column that a rule may name
  own <- setdiff(which(names %in% names(specs)), followers(block$derived))
  kept <- columns[1, ] %in% own & columns[2, ] %in% own
  deviation <- sqrt(block$noise$variance[pairs]) / 2
  pairs[kept & expected > shown_rule$expected * deviation]
}

#' Noisy counts of a pair, and what its margins expect
#' @return (list of matrix) `count`, `expected` and `deviation` of the noise.
#' @noRd
pair_estimate <- function(block, t) {
  columns <- block$tables[[t]]
  l <- block$levels[columns]
  margin <- noisy_margins(block, block$n, columns)
  places <- margin_places(block, columns)
  known <- ifelse(is.na(places), 0, block$noise$variance[places])
  count <- outer(margin[[1]] / l[2], margin[[2]] / l[1], `+`) -
    block$n / prod(l) + residual_of(block, t, columns)
  share <- 1 - 1 / l
  variance <- block$noise$variance[t] * prod(share) +
    sum(known * share / rev(l)^2)
  # Of all levels but one of the second column there is as much of the pair's
  # noise, and more of the margins'
  all <- block$noise$variance[t] * prod(share) + known[1] * share[1] +
    sum(known[2] * share[2] / l[1]^2)
  list(
    count = count,
    expected = outer(
      block$margins[[columns[1]]], block$margins[[columns[2]]]
    ) / block$n,
    deviation = matrix(sqrt(variance), l[1], l[2]),
    of_others = matrix(sqrt(max(
      all, all - known[1] * share[1] + known[2] * share[2]
    )), l[1], l[2])
  )
}

#' Levels of the second column that a level of the first one does not have
#'
#' @param pair (list of matrix) See pair_estimate().
#' @param open (logical matrix) Cells that no rule forbids.
#' @return (data frame) `at` (level of the first column), `of` (of the second),
#'   `single` (is this combination empty, or are all others of `at`?) and
#'   `expected`.
#' @noRd
closed_levels <- function(pair, open) {
  # What rules forbid already is neither counted nor expected
  pair$count[!open] <- pair$expected[!open] <- 0
  kept <- max.col(pair$count, ties.method = "first")
  at <- cbind(seq_along(kept), kept)
  others <- is_empty(
    rowSums(pair$count) - pair$count[at],
    rowSums(pair$expected) - pair$expected[at], pair$of_others[, 1]
  ) & ncol(open) > 2 & rowSums(open) > 1
  single <- is_empty(pair$count, pair$expected, pair$deviation) & open & !others
  cells <- which(single, arr.ind = TRUE)
  data.frame(
    at = c(which(others), cells[, 1]), of = c(kept[others], cells[, 2]),
    single = rep(c(FALSE, TRUE), c(sum(others), nrow(cells))),
    expected = c(
      (rowSums(pair$expected) - pair$expected[at])[others],
      pair$expected[cells]
    )
  )
}

#' Does a rule of a whole level on the other side say the same?
#' @noRd
said_by <- function(other, own) {
  other <- other[!other$single, ]
  whole <- match(own$of, other$at)
  !is.na(whole) & other$of[whole] != own$at & own$single
}

is_empty <- function(count, expected, deviation) {
  expected > shown_rule$expected * deviation &
    count <= pmin(
      shown_rule$empty * deviation,
      shown_rule$share * expected - shown_rule$sure * deviation
    )
}

#' Rules as text to paste into a plan
#' @param closed (data frame) See closed_levels().
#' @param names (two strings) Of the columns.
#' @noRd
rule_lines <- function(closed, names, levels, specs) {
  of <- function(k, level, operator) {
    shown <- deparse1(as.name(names[k]), backtick = TRUE)
    text <- levels[[names[k]]][level]
    # Of a flag, a part or a missing value no level is stated
    plain <- level <= length(specs[[names[k]]]$levels)
    shown <- ifelse(plain, shown, paste0("part(", shown, ")"))
    sprintf(
      "%s %s %s", shown, operator, vapply(text, deparse1, "", USE.NAMES = FALSE)
    )
  }
  if (nrow(closed) == 0) {
    return(character())
  }
  paste0(
    "~ ", of(1, closed$at, "!="), " | ",
    of(2, closed$of, ifelse(closed$single, "!=", "=="))
  )
}
