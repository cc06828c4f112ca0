# The tables of a file's discrete block that are measured, as residuals: every
# table centred along each of its columns, which leaves what no smaller table
# says. With e the indicator of a record's level, its part of a residual is the
# product over columns of e_j - 1 / L_j, and L_j times that is whole. See
# ResidualPlanner: Xiao, He, Zhang and Kifer (2023), arXiv 2305.08175.

# What pays for a block's noisy numbers
what_of_block <- c(
  size = "noisy number of records", tables = "noisy tables",
  pooled = "noisy tables of members"
)

# Counts times the product of levels stay below 2^53 for any number of records
largest_table <- 2^20

#' All tables that are measured
#'
#' The protected columns' margins, all pairs and stated tables with a protected
#' column. A stated table of four columns brings its tables of three, without
#' which its residual would be no table. Columns of one level say nothing.
#' @param levels (integer, d) Levels of each column.
#' @param published (logical, d)
#' @param stated (list of integer) Columns of tables of order 3 and 4.
#' @return (list of integer) Columns of each, increasing; by order.
#' @noRd
measured_tables <- function(levels, published, stated) {
  told <- which(levels > 1)
  of_order <- function(columns, order) {
    if (length(columns) < order) {
      return(list())
    }
    asplit(unname(utils::combn(columns, order)), 2)
  }
  # combn() takes one number for a count
  pairs <- if (length(told) > 1) of_order(told, 2)
  stated <- lapply(stated, sort)
  fours <- stated[lengths(stated) == 4]
  threes <- c(
    stated[lengths(stated) == 3],
    unlist(lapply(fours, of_order, 3), recursive = FALSE)
  )
  all <- lapply(c(as.list(told), pairs, threes, fours), as.integer)
  kept <- vapply(all, function(columns) {
    any(!published[columns]) && all(levels[columns] > 1)
  }, TRUE)
  unique(all[kept])
}

#' What a record's part of each residual is, whatever its levels are
#' @param tables (list of integer) See measured_tables().
#' @return (data frame, a row for each table) `order`, `cells` (also the whole
#'   number that makes residuals whole), `squared` (length of a record's part),
#'   `whole` (squared length of the whole part), `unit` (makes residuals whole)
#'   and `free` (figures of the residual that are free).
#' @noRd
residual_lengths <- function(tables, levels) {
  of_tables <- function(f) vapply(tables, function(j) f(levels[j]), 0)
  # Plans ask for many of these: data.frame() takes ten times as long
  list2DF(list(
    order = lengths(tables),
    cells = of_tables(function(l) prod(as.double(l))),
    squared = of_tables(function(l) prod((l - 1) / l)),
    whole = of_tables(function(l) prod(as.double(l) * (l - 1))),
    unit = of_tables(function(l) prod(as.double(l))),
    free = of_tables(function(l) prod(l - 1))
  ), length(tables))
}

#' Residuals of a table, times the product of its levels
#'
#' Whole for whole counts, and exact where those times the cells stay below
#' 2^53.
#' @param counts (double) Of the cells, the first column's level fastest.
#' @param levels (integer) Of the table's columns.
#' @return (double) As `counts`.
#' @noRd
whole_residual <- function(counts, levels) {
  whole_residual_(counts, levels)
}

#' Residuals of a table in its own unit: it, centred along every column
#' @noRd
centred_table <- function(counts, levels) {
  whole_residual(counts, levels) / prod(as.double(levels))
}

#' Squared length, in a residual's own unit, by which a replaced record moves it
#'
#' The inner product of two parts of a column is (L - 1) / L where they are of
#' one level, and -1 / L where not. So a table moves by twice the product of its
#' (L - 1) / L less twice the product of these inner products. It is at most 2;
#' beside a dropped record's it is up to 4 times as much, where a column of two
#' levels changes alone.
#' @param levels (integer) Of the table's columns.
#' @param changed (logical matrix, a row for each replaced record) Which of them
#'   it changes.
#' @return (double)
#' @noRd
replaced_squares <- function(levels, changed) {
  same <- (levels - 1) / levels
  product <- rep(1, nrow(changed))
  for (j in seq_along(levels)) product <- product * (same[j] - changed[, j])
  2 * (prod(same) - product)
}

#' What a replaced record costs at most in a block
#' @noRd
replaced_block <- function(plan, variance) {
  replaced_cost(plan$tables, plan$levels, plan$published, variance)
}

#' What a replaced record costs at most, in mu squared
#'
#' The largest sum over tables of replaced_squares() / variance over all sets of
#' columns that may change at once. The sum is a polynomial of 0/1 variables,
#' one a column: its coefficients are added up over subsets for all sets at
#' once. With more than 20 protected columns it is replaced_bound().
#' @param variance (double) Of the noise of each table, in a residual's unit.
#' @return (number)
#' @noRd
replaced_cost <- function(tables, levels, published, variance) {
  free <- which(!published & levels > 1)
  if (length(free) > 20) {
    return(replaced_bound(tables, levels, published, variance))
  }
  cost <- numeric(2^length(free))
  for (t in seq_along(tables)) {
    columns <- tables[[t]]
    same <- (levels[columns] - 1) / levels[columns]
    own <- which(!published[columns])
    subsets <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), length(own))))
    for (s in seq_len(nrow(subsets))[-1]) {
      changed <- own[subsets[s, ]]
      # Of - prod(same - x), the coefficient of the product of these x
      value <- -prod(same[-changed]) * (-1)^length(changed)
      at <- 1 + sum(2^(match(columns[changed], free) - 1))
      cost[at] <- cost[at] + 2 * value / variance[t]
    }
  }
  for (k in seq_along(free)) {
    dim(cost) <- c(2^(k - 1), 2, 2^(length(free) - k))
    cost[, 2, ] <- cost[, 2, ] + cost[, 1, ]
  }
  max(cost)
}

#' The same from above, for any number of columns
#'
#' With x the indicators of changed columns a margin moves by 2 x, a pair by
#' 2 (k_k x_j + k_j x_k - x_j x_k). So margins and pairs cost
#' sum a x - sum over pairs of c x x, with c = 2 / variance at least u_j u_k for
#' u = sqrt(g L), and that is at most sum (a + u^2 / 2) x - (sum u x)^2 / 2. As
#' -s^2 / 2 is at most t^2 / 2 - t s whatever t is, no set of columns costs more
#' than t^2 / 2 + sum of max(0, a + u^2 / 2 - t u): convex in t, and of the
#' block's own variances, where c is u u, larger than the maximum by little.
#' Larger tables count with their own largest move, and all tables do where that
#' is less.
#' @noRd
replaced_bound <- function(tables, levels, published, variance) {
  k <- (levels - 1) / levels
  free <- !published & levels > 1
  order <- lengths(tables)
  gain <- numeric(length(levels))
  at <- which(order == 1)
  single <- unlist(tables[at])
  gain[single] <- 2 / variance[at]
  pairs <- which(order == 2)
  ends <- matrix(unlist(tables[pairs]), 2)
  for (end in 1:2) {
    own <- ends[end, ]
    sums <- tapply(
      2 * k[ends[3 - end, ]] / variance[pairs], factor(own, seq_along(levels)),
      sum, default = 0
    )
    gain <- gain + as.vector(sums)
  }
  both <- which(free[ends[1, ]] & free[ends[2, ]])
  # No pair is left out
  whole <- length(both) == choose(sum(free), 2) && length(both) > 0
  g <- if (whole) {
    min(2 / variance[pairs[both]] /
      sqrt(levels[ends[1, both]] * levels[ends[2, both]]))
  } else {
    0
  }
  u <- sqrt(g * levels[free])
  linear <- gain[free] + u^2 / 2
  at_most <- function(t) t^2 / 2 + sum(pmax(0, linear - t * u))
  best <- min(
    at_most(0), stats::optimize(at_most, c(0, sum(u) + 1e-12))$objective
  )
  alone <- largest_moves(tables, levels, published) / variance
  min(sum(alone), best + sum(alone[order > 2]))
}

#' How far a replaced record moves each table at most, squared
#' @noRd
largest_moves <- function(tables, levels, published) {
  # Wide files have many tables of one kind
  kind <- vapply(tables, function(columns) {
    paste(c(levels[columns], published[columns]), collapse = " ")
  }, "")
  moves <- vapply(tables[!duplicated(kind)], function(columns) {
    may <- lapply(!published[columns], function(free) c(FALSE, free))
    sets <- unique(as.matrix(expand.grid(may)))
    same <- (levels[columns] - 1) / levels[columns]
    2 * (prod(same) - min(apply(same - t(sets), 2, prod)))
  }, 0)
  moves[match(kind, unique(kind))]
}

# Noise -----------------------------------------------------------------------

#' A whole sum in a unit so fine that its noise is at least some sigma
#'
#' A power of two times a whole number is exact in a double number.
#' @param whole (number) Which makes the sum whole.
#' @param moves (by relation) Squared lengths, in the whole sum's unit.
#' @param variance (number) Of the noise, in the sum's own unit.
#' @return (list) `factor` of the whole sum, `moves` (lengths in the fine unit)
#'   and `budget`, both for noise_of().
#' @noRd
refined <- function(whole, moves, variance, sigma) {
  deviation <- whole * sqrt(variance)
  factor <- 2^max(0, ceiling(log2(sigma / deviation)))
  moves <- factor * sqrt(moves)
  own <- "add-remove"
  list(
    factor = factor, moves = moves,
    budget = list(
      noise = "gaussian", neighbours = own,
      amount = moves[[own]] / (factor * deviation)
    )
  )
}

#' Variances of the least weighted sum that spend a budget
#' @noRd
least_variances <- function(weight, squared, budget) {
  sqrt(squared / weight) * sum(sqrt(weight * squared)) / budget
}

#' Whole noise of given variances
#' @param lengths (data frame) See residual_lengths().
#' @param unit (double) What makes residuals whole.
#' @return (data frame) See release_plan().
#' @noRd
whole_noise <- function(lengths, variance, sigma) {
  unit <- lengths$unit
  scale <- factor <- numeric(length(variance))
  # Wide files have many tables of one kind
  kind <- paste(
    lengths$cells, lengths$whole, match(variance, unique(variance))
  )
  for (t in which(!duplicated(kind))) {
    fine <- refined(
      unit[t], by_relation(lengths$whole[t]), variance[t], sigma
    )
    same <- kind == kind[t]
    scale[same] <- noise_of(fine$moves, fine$budget, lengths$cells[t])$scale
    factor[same] <- fine$factor
  }
  lengths$variance <- (scale / (factor * unit))^2
  lengths$scale <- scale
  lengths$factor <- factor
  lengths
}

# As measurements ------------------------------------------------------------

#' How far one record moves all tables together at most, in mu squared
#' @param variance (double) Of each table's noise, in a residual's unit.
#' @return (by relation)
#' @noRd
tables_bound <- function(plan, variance) {
  by_relation(
    sum(plan$lengths$squared / variance), plan$replaced(plan, variance)
  )
}

#' The number of records as a measurement: each adds one unit
#' @param noise (list) See plan_block().
#' @noRd
size_measurement <- function(noise) {
  new_measurement(
    what_of_block[["size"]], "number of records", 1,
    # A replaced record leaves it as it is
    bound = function(kind) by_relation(noise$factor, 0),
    vectors = function(codes, part) matrix(noise$factor, nrow(codes), 1),
    counts = nrow, sums = function(n) list(noise$factor * n), noise = noise
  )
}

#' The residuals of tables as a measurement
#'
#' @param plan (list) See plan_block() and binned_tables_plan().
#' @param noise (data frame) See table_noise().
#' @param names (character) Of the columns.
#' @param codes (function of records) Gives their codes; one of 0 is in no table
#'   of its column.
#' @noRd
table_measurement <- function(plan, noise, what = what_of_block[["tables"]],
                              names = seq_along(plan$levels), codes = identity,
                              about = NULL) {
  levels_of <- function(t) plan$levels[plan$tables[[t]]]
  tables <- seq_along(plan$tables)
  new_measurement(
    what, tables_named(plan$tables, names), noise$cells,
    bound = function(kind) {
      unit <- noise$factor * noise$unit
      replaced <- largest_moves(plan$tables, plan$levels, plan$published)
      Map(by_relation, unit * sqrt(noise$squared), unit * sqrt(replaced))
    },
    vectors = function(records, t) {
      own <- codes(records)[, plan$tables[[t]], drop = FALSE]
      times <- if (is.list(records)) records$parts
      noise$factor[t] * (times %||% 1) * whole_cells(own, levels_of(t))
    },
    counts = function(records) {
      in_parts(records, function(records) {
        own <- codes(records)
        inside <- rowSums(own == 0) == 0
        block_counts(own[inside, , drop = FALSE], plan)
      })
    },
    sums = function(counts) {
      Map(function(counts, t) {
        noise$factor[t] * whole_residual(counts, levels_of(t))
      }, counts, tables)
    },
    moves = function(records, other, paid) {
      table_moves(
        plan, noise, codes(records), if (!is.null(other)) codes(other)
      )
    },
    # Less than of each alone: no record moves all tables by their largest move
    cost = function(paid) {
      list(
        rho = tables_bound(plan, noise$variance) / 2,
        gap = sum(gaussian_gap(noise$scale, noise$cells))
      )
    },
    noise = list(scale = noise$scale, rho = NA), about = about
  )
}

tables_named <- function(tables, names) {
  vapply(tables, function(columns) paste(names[columns], collapse = " x "), "")
}

block_counts <- function(codes, plan) {
  table_counts_(codes, plan$levels, plan$tables, default_threads())
}

#' What records add to the whole residual of a table, see whole_residual()
#' @return (whole matrix, a row for each record)
#' @noRd
whole_cells <- function(codes, levels) {
  vectors <- matrix(as.double(rowSums(codes == 0) == 0))
  for (j in rev(seq_along(levels))) {
    own <- levels[j] * outer(codes[, j], seq_len(levels[j]), `==`) - 1
    # The first column's level is the fastest
    vectors <- vectors[, rep(seq_len(ncol(vectors)), each = levels[j]),
      drop = FALSE
    ] * own[, rep(seq_len(levels[j]), ncol(vectors)), drop = FALSE]
  }
  vectors
}

#' See moves_of(): by inner products, for a table may have many cells
#' @noRd
table_moves <- function(plan, noise, codes, other) {
  moves <- numeric(nrow(codes))
  if (!is.null(other)) changed <- codes != other
  for (t in seq_along(plan$tables)) {
    columns <- plan$tables[[t]]
    square <- noise$squared[t]
    before <- is_in_table(codes, columns)
    squares <- square * before
    if (!is.null(other)) {
      after <- is_in_table(other, columns)
      own <- changed[, columns, drop = FALSE]
      squares <- ifelse(
        before & after, replaced_squares(plan$levels[columns], own),
        square * (before | after)
      )
    }
    moves <- moves + squares / noise$variance[t]
  }
  moves
}

is_in_table <- function(codes, columns) {
  inside <- rep(TRUE, nrow(codes))
  for (j in columns) inside <- inside & codes[, j] > 0
  inside
}
