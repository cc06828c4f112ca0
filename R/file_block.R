# The discrete block of a strict file release: every column of a file as a
# category. Its margins, pairs and stated tables are measured as residuals, with
# exact noise, once. Targets and any number of sets follow without the file.

#' Release the tables of a file's discrete block, whose charges are paid
#'
#' Published columns are exact. Where none is, and records are added or removed,
#' the number of records is secret: it is released with noise first.
#' @param codes (integer matrix, N x d) Levels, from 1. Of records on disk no
#'   rows.
#' @param plan (list) See plan_block().
#' @param rules (list) What no record may be: `columns` (integer) and
#'   `forbidden` (integer matrix, a row for each combination of their levels).
#' @param seed (seed or `NULL`) See seed_words().
#' @param records Of these `codes`, see over_chunks().
#' @param count (count) Of all records.
#' @param fixed (integer matrix or `NULL`, those of `codes`) Published columns,
#'   as sets have them.
#' @return (list) Of public and released numbers only: `n` (number, noisy where
#'   secret), `margins` (list of double, counts by column), `derived` (see
#'   derived_columns()), `targets` (see block_targets(), counts),
#'   `pooled`, `pooled_noise`, `pooled_residuals` and `pooled_targets` (see
#'   pooled_tables() and pooled_targets()), `noise` (data frame, a row for each
#'   table:
#'   `order`, `cells`, `squared`, `variance` in counts, `scale` and `factor`:
#'   the whole noise and unit), `residuals` (list of double, noisy), `tables`,
#'   `levels`, `published`, `fixed` (integer matrix of the published columns;
#'   without any no rows), `size_noise` (of N, `NULL` where it is public),
#'   `rules`, `costs`, `mu`, `delta`, `neighbours`.
#' @noRd
release_plan <- function(codes, plan, rules, seed,
                         records = list(codes = codes), count = nrow(codes),
                         fixed = NULL) {
  n <- if (plan$secret) {
    noisy_size(count, plan$size_noise, stage_seed(seed, "records"))
  } else {
    count
  }
  rules <- numbered_rules(rules, plan$levels)
  # Where none is published even the number of its rows is secret
  kept <- any(plan$published) * seq_len(nrow(codes))
  plan$fixed <- fixed %||% codes[kept, plan$published, drop = FALSE]
  counts <- over_chunks(records, function(own) block_counts(own$codes, plan))
  found <- measured_in_looks(
    plan, if (length(plan$tables) > 0) allocate_noise(plan, n), seed,
    function(plan) {
      margins <- block_margins(plan, n, rules)
      lapply(block_pairs(plan, n, margins), `[[`, "residual")
    }, noisy_tables_of(counts)
  )
  plan[names(found)] <- found
  slots <- replace(plan, "pooled", list(NULL))
  told <- told_by_tables(slots, n, rules)
  if (length(plan$pooled) > 0) {
    plan$pooled_cut <- pooled_cut(
      c(list(n = n, rules = rules), told, slots), plan$pooled
    )
    found <- measured_pooled(codes, plan, told$margins, told$targets, seed)
    plan[paste0("pooled_", names(found))] <- found
    told$pooled_targets <- pooled_targets(plan, told$margins, told$targets)
  }
  c(
    list(n = n), told, list(rules = rules),
    plan[intersect(c(
      "tables", "noise", "residuals", "looks", "levels", "published", "fixed",
      "pooled", "pooled_noise", "pooled_residuals", "pooled_looks",
      "pooled_cut",
      "size_noise", "costs", "mu", "delta", "neighbours", "alike", "numbers",
      "ordered", "fitting"
    ), names(plan))]
  )
}

# Households of the set that shows what the bound cuts off, at most
homes_to_cut <- 20000

#' What the bound cuts off pooled tables, as far as slots' tables tell
#'
#' Members who are alike are cut, so that what large households share would be
#' too rare. A set that is fitted to the tables of slots alone has about as many
#' of them. It is drawn from released numbers: this costs nothing.
#' @param release (list) See release_plan(): without pooled tables.
#' @return (list of double) By table, in counts of members.
#' @noRd
pooled_cut <- function(release, pooled) {
  n <- max(1, min(round(release$n), homes_to_cut))
  codes <- draw_block(release, 1, n, words = c(1, 1), some = TRUE)[[1]]
  lapply(pooled_counts(pooled, codes, cut = TRUE), function(cut) {
    cut / parts_of_home * release$n / n
  })
}

#' Rules whose forbidden combinations are cells, from 0
#' @noRd
numbered_rules <- function(rules, levels) {
  lapply(rules, function(rule) {
    list(
      columns = as.integer(rule$columns),
      cells = cell_number(rule$forbidden, levels[rule$columns])
    )
  })
}

#' The number of records with noise, at least 1
#' @noRd
noisy_size <- function(n, noise, seed) {
  noisy <- measured(size_measurement(noise), n, list(seed))[[1]]
  max(1, noisy / noise$factor)
}

#' The residuals of all tables with noise, in counts
#'
#' The sum of a whole residual and whole noise may need more digits than a
#' double number has. It is then rounded, once, which looks at nothing but the
#' sum: post-processing.
#' @param counts (list of double) Of each table, the first column's level
#'   fastest.
#' @param noise (data frame) See table_noise().
#' @param what (string) See noisy_sums().
#' @return (list of double) Centred.
#' @noRd
noisy_residuals <- function(counts, plan, noise, seed,
                            what = what_of_block[["tables"]]) {
  whole <- measured(
    table_measurement(plan, noise, what), counts,
    stage_seeds(seed, "table", length(counts))
  )
  lapply(seq_along(counts), function(t) {
    centred_table(
      whole[[t]] / (noise$factor[t] * noise$unit[t]),
      plan$levels[plan$tables[[t]]]
    )
  })
}

#' Noisy residuals of some of the tables, see measured_in_looks()
#' @inheritParams noisy_residuals
#' @noRd
noisy_tables_of <- function(counts, what = what_of_block[["tables"]]) {
  force(counts)
  function(plan, at, noise, seed) {
    noisy_residuals(counts[at], plan, noise, seed, what)
  }
}

# Checks -------------------------------------------------------------------

check_block <- function(codes, levels, published, tables, rules) {
  check_that(
    is.matrix(codes) && is.integer(codes), codes,
    "{.arg codes} must be an integer matrix with a row for each record."
  )
  d <- ncol(codes)
  check_that(
    are_numbers(levels, d) && all(levels == round(levels) & levels >= 1 &
      levels < 65536), levels,
    "{.arg levels} must be a whole number from 1 to 65535 for each column."
  )
  check_that(
    is.logical(published) && length(published) == d && !anyNA(published),
    published, "{.arg published} must be {.code TRUE} or {.code FALSE} for each
      column."
  )
  wrong <- lapply(seq_len(d), function(j) {
    which(!(codes[, j] >= 1 & codes[, j] <= levels[j]) | is.na(codes[, j]))
  })
  worst <- which(lengths(wrong) > 0)
  if (length(worst) > 0) {
    j <- worst[1]
    count <- length(wrong[[j]])
    name <- colnames(codes)[j] %||% j
    abort_input(
      "A code must be a level of its column.",
      x = "In column {.field {name}}, {count} record{?s} {?has/have} none.",
      arg = "codes", rows = wrong[[j]]
    )
  }
  check_stated(tables, d)
  check_block_sizes(levels, tables)
  lapply(rules, check_rule, levels = levels)
  check_levels_open(levels, rules)
  invisible()
}

check_stated <- function(tables, d) {
  fine <- is.list(tables) && all(vapply(tables, function(columns) {
    is_columns(columns, d) && length(columns) %in% 3:4
  }, TRUE))
  check_that(
    fine, tables,
    "{.arg tables} must be a list whose elements are three or four different
     columns each."
  )
}

check_block_sizes <- function(levels, tables) {
  most <- sort(as.double(levels), decreasing = TRUE)
  cells <- c(
    prod(utils::head(most, 2)),
    vapply(tables, function(columns) prod(as.double(levels[columns])), 0)
  )
  refuse_if(
    max(cells) > largest_table,
    "A table must have at most {format(largest_table)} cells.",
    x = "The largest has {format(max(cells))}.",
    i = "Join levels, or state smaller tables.", arg = "tables"
  )
}

check_rule <- function(rule, levels) {
  known <- is_columns(rule$columns, length(levels))
  check_that(
    known && are_cells(rule$forbidden, levels[rule$columns]), rule,
    "A rule must have columns and a matrix of combinations of their levels.",
    arg = "rules"
  )
}

#' Numbers of different columns?
#' @noRd
is_columns <- function(x, d) {
  is.numeric(x) && length(x) > 0 && all(x %in% seq_len(d)) && !anyDuplicated(x)
}

#' Combinations of levels, a row each?
#' @noRd
are_cells <- function(x, levels) {
  is.matrix(x) && is.numeric(x) && ncol(x) == length(levels) &&
    all(x %in% seq_len(max(levels))) && all(t(x) <= levels)
}

check_levels_open <- function(levels, rules) {
  single <- Filter(function(rule) length(rule$columns) == 1, rules)
  closed <- Filter(function(j) {
    own <- Filter(function(rule) rule$columns == j, single)
    length(unique(unlist(lapply(own, `[[`, "forbidden")))) == levels[j]
  }, seq_along(levels))
  refuse_if(
    length(closed) > 0, "Rules must leave each column a level.",
    x = "They forbid every level of column {closed}.", arg = "rules"
  )
}
