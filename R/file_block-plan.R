# What the discrete block of a file release will spend, and on what: from public
# numbers alone, and from the noisy number of records where that is secret.

# Of mu squared, for the number of records where it is secret
share_of_count <- 0.02

# The least and the largest factor of the margins' weights
margin_factors <- c(1, 30)

# A stated table's weight beside a pair's of as many cells
weight_of_stated <- 5

# How tables weigh, see weighted_targets(), and the last inverse temperature, by
# the noise's standard deviation: of records, and of units whose members or
# waves have columns each. Of these pairs of persons are a twentieth nearer then
# (bench/households-strict.R), transitions a tenth (bench/panels.R), and rare
# combinations, such as couples of one sex, keep away from what chance would
# make. Other files gain nothing by it.
record_fitting <- c(power = 1, coldest = 3)
slot_fitting <- c(power = 2, coldest = 30)

#' The plan of a block: all that is public before any noise is drawn
#'
#' @param levels (integer, d) Levels of each column, of the codebook.
#' @param published (logical, d) Columns that are released as they are.
#' @param stated (list of integer) Tables of order 3 and 4.
#' @param mu (number) What the block may spend under `neighbours`.
#' @param n (count or `NULL`) Number of records where it is public: where
#'   columns are published, or records replaced. `NULL`: it is secret.
#' @param members (list or `NULL`) `slot` (integer, d): the member, or wave, to
#'   which each column belongs; of waves `variable` (character, d), too.
#' @param pooled (list or `NULL`) See pooled_tables().
#' @return (list) `levels`, `published`, `tables`, `lengths` (see
#'   residual_lengths()), `mu`, `neighbours`, `secret` (is N?), `squared` (mu
#'   squared for the tables) and `squared_pooled` (for those that are pooled),
#'   `pooled`, `fitting` (of sets, see record_fitting), `size_noise` (see
#'   noise_of(); of N), `sigma` (the least whole deviation), `emphasis` (see
#'   slot_emphasis()), `costs` (of its parts, see plan_charges()), `replaced`
#'   (function of a plan and variances: what a replaced record costs at most).
#' @noRd
plan_block <- function(levels, published, stated, mu, neighbours, delta,
                       n = NULL, members = NULL, pooled = NULL) {
  tables <- measured_tables(levels, published, stated)
  plan <- list(
    levels = levels, published = published, tables = tables,
    lengths = residual_lengths(tables, levels), mu = mu,
    neighbours = neighbours, secret = is.null(n), delta = delta,
    replaced = replaced_block, pooled = pooled,
    fitting = if (is.null(members)) record_fitting else slot_fitting
  )
  if (!is.null(members)) {
    if (is.null(members$waves)) {
      plan$emphasis <- slot_emphasis(tables, members$slot)
    } else {
      kinds <- wave_tables(tables, members$slot, members$variable)
      plan$emphasis <- kinds$weight
      plan$alike <- list(kind = kinds$alike, none = members$none)
    }
  }
  # Weights of waves say already which relations are strong, and waves tell of
  # each other
  if (is.null(plan$alike)) plan$twice <- twice_measured(plan$lengths)
  size <- if (length(tables) > 0) share_of_count else 1
  plan$squared <- mu^2 * (1 - plan$secret * size)
  cells <- cells_of_looks(plan)
  if (length(pooled) > 0) {
    plan$squared_pooled <- plan$squared * share_of_pooled
    plan$squared <- plan$squared - plan$squared_pooled
    cells <- cells + sum(pooled_lengths(pooled)$cells)
  }
  plan$sigma <- least_sigma(cells + plan$secret, delta)
  if (plan$secret) {
    # A replaced record leaves N as it is
    fine <- refined(1, by_relation(1, 0), mu^-2 / size, plan$sigma)
    plan$size_noise <- c(
      noise_of(fine$moves, fine$budget, 1), list(factor = fine$factor)
    )
  }
  plan$costs <- block_costs(plan, n)
  plan
}

# Weights of tables of members: of the first or the second, or of the household;
# of both, which tell couples; of one of the others, of two that follow one
# another, or of the first and another one; of others. What persons are like is
# told by pooled tables. Margins weigh beside other margins: that of a column of
# the household, of which all its members take part; that of one of the first
# two members, and of a later one, of whom there are fewer.
member_emphasis <- c(
  first = 1, couple = 5, near = 0.1, far = 0.02, home = 15, own = 0.5,
  later = 0.2
)

#' How much each table weighs beside another one of as many cells
#' @inheritParams plan_block
#' @return (double) Of a plan without members it is `NULL`: all weigh the same.
#' @noRd
slot_emphasis <- function(tables, slot) {
  near <- vapply(tables, function(columns) {
    of <- sort(unique(setdiff(slot[columns], 0L)))
    if (length(columns) == 1) {
      if (length(of) == 0) "home" else if (of > 2) "later" else "own"
    } else if (length(of) == 0 || length(of) == 1 && of <= 2) {
      "first"
    } else if (identical(of, 1:2)) {
      "couple"
    } else if (of[1] == 1 || all(diff(of) == 1)) {
      "near"
    } else {
      "far"
    }
  }, "")
  unname(member_emphasis[near])
}

# Weights of tables of waves: of columns that are constant, of one of them and
# one of a wave, of one wave; of the same column in two waves that follow one
# another, which are transitions, or in others; of different columns in two such
# waves, or in others; of the first wave. Tables of the same columns in other
# waves tell of each other: they may weigh less. In a panel of 8,000 persons and
# five waves, on which they were chosen, these weights take a quarter off the
# error of transitions at epsilon 1, and add a tenth to that of other pairs
# (bench/panels.R).
wave_weights <- c(
  const = 1, fixed = 0.1, one = 0.2, next_same = 16, far_same = 0.7,
  next_other = 0.05, far_other = 0.01, entry = 0.1
)

#' Which kind of tables of waves each is
#' @param variable (character, d) The column of the file that each is.
#' @return (data frame) `weight`, and `alike`: the same for tables of the same
#'   columns in other waves.
#' @noRd
wave_tables <- function(tables, slot, variable) {
  apart <- vapply(tables, function(columns) {
    of <- slot[columns]
    of <- of[of > 0]
    if (length(of) > 1) diff(range(of)) else 0
  }, 0)
  named <- lapply(tables, function(columns) variable[columns])
  same <- vapply(named, function(x) length(unique(x)) == 1, NA)
  entry <- vapply(named, anyNA, NA) & lengths(tables) > 1
  kind <- paste0(
    ifelse(apart == 1, "next_", "far_"), ifelse(same, "same", "other")
  )
  slots <- vapply(tables, function(columns) sum(slot[columns] > 0), 0L)
  many <- lengths(tables) > 1
  kind <- ifelse(entry, "entry", ifelse(slots == 0, "const",
    ifelse(slots == 1 & many, "fixed", ifelse(apart == 0, "one", kind))))
  list(
    weight = ifelse(many, unname(wave_weights[kind]), 1),
    alike = paste(vapply(named, paste, "", collapse = "\r"), apart)
  )
}

#' The variance of the noise of the number of records
#' @noRd
size_variance <- function(block) {
  noise <- block$size_noise
  if (is.null(noise)) 0 else (noise$deviation / noise$factor)^2
}

#' The least whole standard deviation at which the gaps to Gaussian noise of so
#' many numbers take a hundredth of delta, whatever epsilon is
#' @noRd
least_sigma <- function(coordinates, delta) {
  allowed <- delta / 100 / (1 + exp(10))
  # Rounded up to a power of two it stays below 2^31
  min(max(16, ceiling(sqrt(coordinates / (40 * allowed)))), 2^29)
}

#' How the budget is divided among the tables
#'
#' The sum over tables of weight times variance is least, given what a dropped
#' record costs, where variance = sqrt(squared / weight) / squared budget times
#' the sum of sqrt(weight squared). A pair weighs its squared length times its
#' cells; a margin weighs what its error adds to all pairs' expected tables, the
#' more, up to 30 times, the more noise there is. Noise of pairs is shrunk and
#' that of margins is not: a margin weighs more, too, in proportion to its
#' levels. Under `"replace"` all variances grow until the costliest replacement
#' spends the budget.
#' @param n (number) Records, noisy where they are secret.
#' @param margins (number or `NULL`) The margins' own factor, if given.
#' @return (double) Variance of each residual, in its own unit.
#' @noRd
allocate_noise <- function(plan, n, margins = NULL) {
  lengths <- plan$lengths
  single <- lengths$order == 1
  pair <- lengths$order == 2
  cells <- weight_of_cells(plan)
  weight <- cells * ifelse(lengths$order > 2, weight_of_stated, 1)
  if (any(pair)) {
    margins <- margins %||% margin_factor(lengths[pair, ], plan$squared, n)
    inverse <- sum(1 / plan$levels[plan$levels > 1]) - 1 / lengths$cells
    many <- lengths$cells / mean(lengths$cells[single])
    weight[single] <- margins * (cells * inverse * many)[single]
  }
  variance <- least_variances(weight, lengths$squared, plan$squared)
  if (plan$neighbours == "replace") {
    variance <- variance * plan$replaced(plan, variance) / plan$squared
  }
  variance
}

#' How much margins weigh: more where pairs are mostly noise, and are shrunk
#' @noRd
margin_factor <- function(pairs, budget, n) {
  alone <- least_variances(pairs$squared * pairs$cells, pairs$squared, budget)
  # Total variation that the noise adds to a pair
  added <- mean(0.4 * pairs$cells * sqrt(alone) / n)
  clamp(70 * added, margin_factors[1], margin_factors[2])
}

#' The whole noise of tables that are measured once
#' @inheritParams allocate_noise
#' @return (data frame) See whole_noise().
#' @noRd
table_noise <- function(plan, n, margins = NULL) {
  variance <- if (length(plan$tables) > 0) allocate_noise(plan, n, margins)
  whole_noise(plan$lengths, variance, plan$sigma)
}

#' What the block costs, before its noise is drawn
#'
#' Under its own relation the budget. Where N is secret, the margins' factor
#' follows the noisy N; what the other relation costs, of both looks, is a ratio
#' of linear functions of that factor's square root for every set of changed
#' columns, so that it is largest at an end.
#' @noRd
block_costs <- function(plan, n) {
  if (length(plan$tables) == 0) {
    tables <- NULL
  } else {
    cost <- function(margins, n = NULL) {
      looks_bound(plan, allocate_noise(plan, n, margins))
    }
    costs <- if (plan$secret) {
      ends <- range(margin_factors)
      pmax(cost(ends[1]), cost(ends[2]))
    } else {
      cost(NULL, n)
    }
    # The budget itself: its parts add up to it but for rounding
    costs[[plan$neighbours]] <- plan$squared
    tables <- list(
      rho = costs / 2,
      gap = gaussian_gap(plan$sigma, cells_of_looks(plan))
    )
  }
  size <- if (plan$secret) own_cost(size_measurement(plan$size_noise))
  stats::setNames(
    list(size, tables, if (length(plan$pooled) > 0) pooled_cost(plan)),
    what_of_block[c("size", "tables", "pooled")]
  )
}
