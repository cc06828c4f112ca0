# Columns of a block that are functions of another: a code and its name, a state
# and its region. The noisy table of both shows it. The column is then drawn as
# that function, so that no set has a combination that is only noise, and what
# its tables tell is told of the other column. Post-processing of released
# numbers.

# An interaction's squares, beside the noise's, from which it may be a function:
# noise alone has as much in one table of 100,000
derived_size <- 20

# An exception shows if noise alone shows as much in one table of a thousand
derived_odds <- 0.001

# Exceptions that do not show may be at most this share of the interaction's
# squares, or no more than the noise that the function does without
derived_hidden <- 1 / 2500

# Rounds of setting each level's value anew; two or three change nothing more
derived_rounds <- 5

#' What noisy tables tell
#'
#' @param plan (list) `levels`, `published`, `fixed`, `tables`, and their
#'   `residuals` and `noise`: see release_plan().
#' @param derived (list) See derived_columns(). `NULL`: the tables tell it.
#' @param nearest,told See block_margins() and block_targets().
#' @return (list) `derived`, `margins` (of all columns), `targets` (of tables of
#'   columns that follow none), `pooled_targets` (of all columns).
#' @noRd
told_by_tables <- function(plan, n, rules, derived = NULL,
                           nearest = nearest_counts, told = shrunk_residuals) {
  derived <- derived %||% derived_columns(plan, n, rules)
  plan <- without_derived(plan, n, derived)
  rules <- rules_underived(rules, derived)
  margins <- with_derived_margins(
    block_margins(plan, n, rules, nearest), derived
  )
  targets <- block_targets(plan, n, margins, rules, told)
  list(
    derived = derived, margins = margins, targets = targets,
    pooled_targets = if (length(plan$pooled) > 0) {
      pooled_targets(plan, margins, targets, nearest, told)
    }
  )
}

#' Which columns are functions of another
#'
#' Of a column of as many levels the later one follows. A column that follows
#' several follows the one of most levels. Neither is published, and no rule or
#' stated table has the column that follows, but for rules of both columns.
#' @inheritParams block_targets
#' @return (list of list) `column`, `from` (integers) and `level` (integer: of
#'   `column`, for each level of `from`), by increasing levels of `from`, so
#'   that a `from` that follows another comes later.
#' @noRd
derived_columns <- function(plan, n, rules) {
  levels <- plan$levels
  rank <- order(order(levels, -seq_along(levels)))
  stated <- unlist(plan$tables[plan$noise$order > 2])
  margins <- noisy_margins(plan, n, seq_along(levels))
  variance <- plan$noise$variance[margin_places(plan, seq_along(levels))]
  found <- list()
  for (t in shown_pairs(plan, margins, variance, rank)) {
    pair <- plan$tables[[t]]
    pair <- pair[order(rank[pair])]
    column <- pair[1]
    from <- pair[2]
    elsewhere <- vapply(rules, function(rule) {
      column %in% rule$columns && !all(rule$columns %in% pair)
    }, NA)
    if (any(plan$published[pair], elsewhere, column %in% stated)) next
    both <- c(from, column)
    level <- derived_level(
      residual_of(plan, t, both), margins[both],
      c(plan$noise$variance[t], variance[both], size_variance(plan)),
      open_cells(both, levels, rules)
    )
    if (is.null(level)) next
    found <- c(found, list(list(column = column, from = from, level = level)))
  }
  sources <- vapply(found, `[[`, 1L, "from")
  found <- found[order(rank[sources], decreasing = TRUE)]
  rev(found[!duplicated(followers(found))])
}

#' Pairs whose interaction is far more than noise, among protected columns
#'
#' Which no wide file has many of: the others are not looked at one by one.
#' @param margins,variance Of all columns: noisy, and of that noise.
#' @param rank (integer) Columns of fewer levels first.
#' @return (integer) Places among `plan$tables`.
#' @noRd
shown_pairs <- function(plan, margins, variance, rank) {
  pairs <- which(plan$noise$order == 2)
  if (length(pairs) == 0) {
    return(integer())
  }
  known <- lapply(margins, project_counts)
  centred <- lapply(known, function(counts) counts - mean(counts))
  columns <- matrix(unlist(plan$tables[pairs]), 2)
  first <- columns[1, ]
  second <- columns[2, ]
  from <- ifelse(rank[first] > rank[second], first, second)
  square <- squares_beside_(
    plan$tables[pairs], plan$residuals[pairs], centred,
    pmax(vapply(known, sum, 0)[from], 1)
  )
  l <- plan$levels - 1
  margin <- variance * l
  noise <- plan$noise$variance[pairs] * l[first] * l[second] +
    margin[first] + margin[second]
  kept <- !plan$published[first] & !plan$published[second]
  pairs[kept & square > derived_size * noise]
}

#' The columns that follow another
#' @param derived (list) See derived_columns().
#' @noRd
followers <- function(derived) vapply(derived, `[[`, 1L, "column")

#' The residual of a pair: a row for each level of the first column
#' @param t (count) Its place among `plan$tables`.
#' @noRd
residual_of <- function(plan, t, columns) {
  own <- plan$tables[[t]]
  residual <- matrix(plan$residuals[[t]], plan$levels[own[1]])
  if (identical(own, columns)) residual else t(residual)
}

#' Which combinations of two columns the rules leave open
#'
#' Rules of the first column alone are its own affair.
#' @noRd
open_cells <- function(columns, levels, rules) {
  sorted <- sort(columns)
  own <- Filter(function(rule) columns[2] %in% rule$columns, rules)
  open <- matrix(TRUE, levels[sorted[1]], levels[sorted[2]])
  open[forbidden_among(sorted, levels, own) + 1] <- FALSE
  if (columns[1] > columns[2]) t(open) else open
}

#' The function that a noisy table shows, or `NULL`
#'
#' It is one if the interaction is far more than noise, and if it and both
#' margins miss the function by no more than noise does, as a whole and in each
#' figure. A small table shows few exceptions: the squares of those that may be
#' hidden must be surely no more than those of the noise that the function does
#' without, or next to nothing beside the interaction.
#' @param interaction (matrix) Noisy, in counts, centred; a row for each level
#'   of the first column.
#' @param margins (list of double) Of both columns, noisy counts.
#' @param variance (double) Of the noise: of the pair, of each margin, and of
#'   the number of records.
#' @param open (logical matrix) Cells that no rule forbids.
#' @return (integer) The second column's level for each of the first.
#' @noRd
derived_level <- function(interaction, margins, variance, open) {
  l <- dim(interaction) - 1
  known <- lapply(margins, project_counts)
  shared <- outer(known[[1]], known[[2]]) / max(sum(known[[1]]), 1)
  beside <- interaction - centred_table(shared, dim(interaction))
  # The margins' noise is in it, too: at most as if each had one level alone
  noise <- variance[[1]] * prod(l) + sum(variance[2:3] * l)
  shows <- sum(beside^2) > derived_size * noise
  if (!shows || any(rowSums(open) == 0)) {
    return(NULL)
  }
  level <- nearest_function(
    shared + beside, margins, variance[[1]], variance[[3]], open
  )
  found <- fitted_function(interaction, margins, variance, level)
  figures <- prod(l) + l[2]
  hidden <- max(prod(l), derived_hidden * sum(beside^2) / variance[[1]])
  # Squares of noise alone are off by that much in nine tables of ten
  chance <- stats::qnorm(0.9) * sqrt(2 * figures)
  most <- min(
    figures + hidden - chance, stats::qchisq(1 - derived_odds, figures)
  )
  fits <- found$square <= most &&
    found$largest <= stats::qnorm(1 - derived_odds / (2 * length(open)))
  if (fits) level
}

#' How far a table and its margins miss a function
#'
#' The counts m of the first column's levels are all that the function leaves
#' open: least squares. The interaction is D m, centred, with D one cell a row.
#' @inheritParams derived_level
#' @return (list) In units of the noise: `square` (of all misses) and `largest`
#'   miss.
#' @noRd
fitted_function <- function(interaction, margins, variance, level) {
  l <- dim(interaction)
  at <- cbind(seq_len(l[1]), level)
  total <- sum(margins[[1]])
  sums <- outer(seq_len(l[2]), level, `==`) + 0
  centred <- function(x) x - rep(colMeans(x), each = nrow(x))
  own <- centred(diag(l[1])) / sqrt(variance[[2]])
  other <- centred(sums) / sqrt(variance[[3]])
  # A public number of records is certain
  least <- 1e-6 * min(variance[1:3])
  all <- matrix(1 / sqrt(max(variance[[4]], least)), 1, l[1])
  # Inner products of the centred cells
  inner <- (diag(l[1]) - 1 / l[1]) * (crossprod(sums) - 1 / l[2])
  seen <- list(
    (margins[[1]] - total / l[1]) / sqrt(variance[[2]]),
    (margins[[2]] - total / l[2]) / sqrt(variance[[3]]), total * all[1]
  )
  m <- drop(solve(
    inner / variance[[1]] + crossprod(own) + crossprod(other) + crossprod(all),
    interaction[at] / variance[[1]] + crossprod(own, seen[[1]]) +
      crossprod(other, seen[[2]]) + crossprod(all, seen[[3]])
  ))
  fitted <- matrix(0, l[1], l[2])
  fitted[at] <- m
  miss <- c(
    (interaction - centred_table(fitted, l)) / sqrt(variance[[1]]),
    seen[[1]] - own %*% m, seen[[2]] - other %*% m, seen[[3]] - all %*% m
  )
  list(square = sum(miss^2), largest = max(abs(miss)))
}

#' The function whose table and margin are nearest to noisy ones
#'
#' Level by level, from the largest cell of each row. Where a noisy margin is
#' not above 0 that cell is taken for it.
#' @noRd
nearest_function <- function(table, margins, variance, margin_variance, open) {
  closed <- ifelse(open, 0, Inf)
  level <- max.col(table - closed, ties.method = "first")
  size <- margins[[1]]
  low <- size <= 0
  size[low] <- pmax(apply(table, 1, max), 0)[low]
  sums <- drop(sums_by_level(size, level, ncol(table)))
  for (round in seq_len(derived_rounds)) {
    before <- level
    for (a in order(size, decreasing = TRUE)) {
      own <- size[a]
      sums[level[a]] <- sums[level[a]] - own
      # What the squared misses change by where the row's records are there
      change <- own * (own - 2 * table[a, ]) / variance +
        own * (own + 2 * (sums - margins[[2]])) / margin_variance
      level[a] <- which.min(change + closed[a, ])
      sums[level[a]] <- sums[level[a]] + own
    }
    if (identical(level, before)) break
  }
  level
}

#' Rows of a matrix added up by level: a row for each, empty ones too
#' @noRd
sums_by_level <- function(x, level, levels) {
  crossprod(outer(level, seq_len(levels), `==`) + 0, x)
}

# With a column less -----------------------------------------------------------

#' Tables without those of columns that follow another
#'
#' What they tell is told of the tables of the other column: by the variance of
#' both.
#' @param derived (list) See derived_columns().
#' @return (list) As `plan`, with fewer `tables`, and their `residuals` and
#'   `noise`.
#' @noRd
without_derived <- function(plan, n, derived) {
  for (one in derived) {
    own <- which(vapply(plan$tables, function(columns) {
      one$column %in% columns && !one$from %in% columns
    }, NA))
    shared <- shared_directions(one$level)
    name <- function(columns) paste(columns, collapse = " ")
    names <- vapply(plan$tables, name, "")
    # Margins first: tables are beside them
    for (t in own) {
      other <- setdiff(plan$tables[[t]], one$column)
      into <- match(name(sort(c(one$from, other))), names)
      plan$residuals[[into]] <- merged_residual(plan, n, one, other, t, into)
      plan$noise$variance[into] <- mean(1 / (
        1 / plan$noise$variance[into] + shared / plan$noise$variance[t]
      ))
    }
    kept <- !vapply(plan$tables, function(columns) one$column %in% columns, NA)
    plan$tables <- plan$tables[kept]
    plan$residuals <- plan$residuals[kept]
    plan$noise <- plan$noise[kept, ]
    plan$alike$kind <- plan$alike$kind[kept]
  }
  plan
}

#' A table of a column and one of another that follows it
#'
#' The second is what the first is summed over the levels of one value: normal
#' numbers and a sum of theirs.
#' @param other (integer) The third column, or none.
#' @param t,into (counts) Places of both tables, the second first.
#' @return (double) The residual of the first.
#' @noRd
merged_residual <- function(plan, n, one, other, t, into) {
  levels <- plan$levels
  size <- tabulate(one$level, levels[one$column])
  v <- plan$noise$variance[c(into, t)]
  margin <- noisy_margins(plan, n, c(one$from, other))
  if (length(other) == 0) {
    first <- matrix(margin[[1]])
    second <- matrix(noisy_margins(plan, n, one$column)[[1]])
  } else {
    shared <- outer(margin[[1]], margin[[2]]) / n
    first <- with_interaction(
      shared, residual_of(plan, into, c(one$from, other))
    )
    second <- with_interaction(
      sums_by_level(shared, one$level, length(size)),
      residual_of(plan, t, c(one$column, other))
    )
  }
  all <- sums_by_level(first, one$level, length(size))
  gain <- v[1] / (size * v[1] + v[2])
  first <- first + ((second - all) * gain)[one$level, , drop = FALSE]
  columns <- plan$tables[[into]]
  if (length(other) > 0 && other < one$from) first <- t(first)
  centred_table(as.vector(first), levels[columns])
}

#' How much the table of a column that follows tells of each direction among the
#' levels of the other, beside that one's own table
#' @param level (integer) See derived_columns().
#' @return (double, a number less than levels)
#' @noRd
shared_directions <- function(level) {
  sums <- outer(level, unique(level), `==`) + 0
  centred <- matrix(centred_table(sums, dim(sums)), length(level))
  told <- eigen(tcrossprod(centred), TRUE, only.values = TRUE)$values
  told[-length(level)]
}

#' A table with another interaction
#' @param residual (matrix) Centred.
#' @noRd
with_interaction <- function(table, residual) {
  table + residual - centred_table(table, dim(table))
}

#' Margins of columns that follow another, from those of the other
#' @noRd
with_derived_margins <- function(margins, derived) {
  for (one in rev(derived)) {
    margins[[one$column]] <- drop(sums_by_level(
      margins[[one$from]], one$level, length(margins[[one$column]])
    ))
  }
  margins
}

#' Codes of all columns, from those of the columns that follow none
#' @param codes (integer matrix)
#' @param derived (list) See derived_columns().
#' @param d (count) Columns.
#' @noRd
with_derived_codes <- function(codes, derived, d) {
  if (length(derived) == 0) {
    return(codes)
  }
  all <- matrix(0L, nrow(codes), d)
  all[, -followers(derived)] <- codes
  for (one in rev(derived)) all[, one$column] <- one$level[all[, one$from]]
  all
}

#' Rules of columns that follow none: the function meets the others
#' @noRd
rules_underived <- function(rules, derived) {
  Filter(function(rule) !any(rule$columns %in% followers(derived)), rules)
}

#' A block of the columns that follow none, by their numbers among those
#' @param release (list) See release_plan().
#' @noRd
underived_block <- function(release) {
  kept <- setdiff(seq_along(release$levels), followers(release$derived))
  numbered <- function(x) {
    lapply(x, function(one) {
      one$columns <- match(one$columns, kept)
      one
    })
  }
  release$rules <- numbered(rules_underived(release$rules, release$derived))
  release$targets <- numbered(release$targets)
  if (length(release$pooled_targets) > 0) {
    release$pooled_targets <- underived_pooled(
      release$pooled_targets, release$derived, kept
    )
  }
  of_columns <- c("levels", "published", "margins")
  release[of_columns] <- lapply(release[of_columns], `[`, kept)
  release
}
