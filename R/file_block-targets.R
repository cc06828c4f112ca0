# What sets of a block are fitted to: noisy tables without what is only noise.
# Post-processing of released numbers.

#' Margins of all columns
#'
#' Nearest to the noisy ones, none below 0, of the noisy total; levels that a
#' rule forbids hold nothing.
#' @param nearest (function of counts and their noise's variance, `NA` where
#'   they are not measured) Gives counts of which none is below 0, with the same
#'   total.
#' @return (list of double, d)
#' @noRd
block_margins <- function(plan, n, rules, nearest = nearest_counts) {
  all <- seq_along(plan$levels)
  Map(function(j, noisy) {
    if (plan$published[j]) {
      noisy
    } else {
      level_counts(plan, j, noisy, n, rules, nearest)
    }
  }, all, noisy_margins(plan, n, all))
}

#' The margin of column j
#' @param noisy (double) Its noisy counts.
#' @inheritParams block_margins
#' @noRd
level_counts <- function(plan, j, noisy, n, rules, nearest = nearest_counts) {
  open <- setdiff(
    seq_along(noisy), forbidden_among(j, plan$levels, rules) + 1
  )
  margin <- numeric(length(noisy))
  kept <- noisy[open]
  variance <- plan$noise$variance[margin_places(plan, j)]
  numbers <- match(plan$numbers[[j]], open)
  numbers <- numbers[!is.na(numbers)]
  kept <- falling_levels(
    kept + (n - sum(kept)) / length(open), numbers, variance
  )
  # Counts that are drawn, not nearest, have noise again
  margin[open] <- falling_levels(nearest(kept, variance), numbers, variance)
  margin
}

#' Margins as they were measured: counts may be below 0, but published ones
#' @return (list of double) Of each of these columns.
#' @noRd
noisy_margins <- function(plan, n, columns) {
  lapply(columns, function(j) {
    l <- plan$levels[j]
    if (plan$published[j]) {
      own <- sum(plan$published[seq_len(j)])
      return(as.double(tabulate(plan$fixed[, own], l)))
    }
    at <- margin_places(plan, j)
    rep(n / l, l) + if (is.na(at)) 0 else plan$residuals[[at]]
  })
}

#' Where the margins of columns are among the tables, which begin with them
#'
#' To look for a list among lists takes long where there are many.
#' @return (integer) `NA` where one is not measured.
#' @noRd
margin_places <- function(plan, columns) {
  match(columns, unlist(plan$tables[lengths(plan$tables) == 1]))
}

nearest_counts <- function(noisy, variance) project_counts(noisy)

#' Counts of levels that are numbers, which fall outwards at either end
#'
#' A rare level gains from noise and cannot lose: means would be too large. Of
#' several that noise alone sets apart it is levelled out.
#' @param counts (double) Noisy, or what was made of that.
#' @param numbers (integer) Which of them are of numbers, in order.
#' @param variance (number) Of the noise. `NA`: nothing was measured.
#' @return (double) Their sum is as before.
#' @noRd
falling_levels <- function(counts, numbers, variance) {
  if (length(numbers) < 3 || is.na(variance)) {
    return(counts)
  }
  own <- counts[numbers]
  known <- project_counts(own)
  if (sum(known) > 0) {
    one <- rep(1, length(own))
    errors <- sqrt(variance) * one
    counts[numbers] <- falling_outwards(
      own, one, seq_along(own), cumsum(known) / sum(known), own, errors, one,
      stands = own > bins_above_noise * errors
    )
  }
  counts
}

#' Which levels of each column are numbers in order, and which stand in an order
#' @param levels (named list) Of the block, see file_plan().
#' @param members (list or `NULL`) Of the plan: that there is no such member is
#'   no level among the others.
#' @return (list) `numbers` and `ordered`, each a list of integer or `NULL`.
#' @noRd
level_orders <- function(levels, specs, members) {
  # A published amount in bins is no column of the codebook
  own <- unname(specs[names(levels)])
  list(
    numbers = lapply(own, function(spec) {
      if (!is.null(spec) && has_number_levels(spec) &&
        all(diff(text_number(spec$levels)) > 0)) {
        seq_along(spec$levels)
      }
    }),
    ordered = Map(function(spec, none) {
      if (!is.null(spec)) setdiff(levels_in_order(spec), none)
    }, own, members$none %||% NA)
  )
}

#' Cells of a table that rules forbid, from 0
#' @param columns (integer) Of the table, increasing.
#' @noRd
forbidden_among <- function(columns, levels, rules) {
  own <- Filter(function(rule) all(rule$columns %in% columns), rules)
  if (length(own) == 0) {
    return(double())
  }
  codes <- arrayInd(seq_len(prod(levels[columns])), levels[columns])
  broken <- lapply(own, function(rule) {
    at <- codes[, match(rule$columns, columns), drop = FALSE]
    which(cell_number(at, levels[rule$columns]) %in% rule$cells) - 1
  })
  unique(unlist(broken))
}

#' The targets of all pairs and stated tables, in counts
#' @param told (function) What noisy residuals tell: see shrunk_residuals().
#' @return (list of list) `columns`, `target` (double), `variance` (of the
#'   noise).
#' @noRd
block_targets <- function(plan, n, margins, rules, told = shrunk_residuals) {
  tables <- block_pairs(plan, n, margins)
  axes <- level_axes(tables, margins, order = plan$ordered)
  targets <- told_targets(tables, plan$levels, axes, rules, told)
  # Pairs come before tables of three, and these before those of four
  for (order in setdiff(sort(unique(plan$noise$order)), 1:2)) {
    smaller <- stats::setNames(targets, columns_text(targets))
    tables <- lapply(which(plan$noise$order == order), function(t) {
      columns <- plan$tables[[t]]
      parts <- utils::combn(columns, order - 1, simplify = FALSE)
      own <- smaller[vapply(parts, paste, "", collapse = " ")]
      block_table(plan, t, expected_table(
        columns, plan$levels[columns], n, margins,
        unname(Filter(Negate(is.null), own))
      ))
    })
    targets <- c(targets, told_targets(tables, plan$levels, axes, rules, told))
  }
  targets
}

#' @param tables (list of list) See block_table().
#' @noRd
told_targets <- function(tables, levels, axes, rules, told) {
  columns <- lapply(tables, `[[`, "columns")
  variance <- vapply(tables, `[[`, 0, "variance")
  beside <- told(lapply(tables, `[[`, "residual"), columns, axes, variance)
  Map(function(one, beside) {
    target <- one$base + beside
    target[forbidden_among(one$columns, levels, rules) + 1] <- 0
    list(columns = one$columns, target = target, variance = one$variance)
  }, tables, beside)
}

columns_text <- function(tables) {
  vapply(tables, function(one) paste(one$columns, collapse = " "), "")
}

#' All pairs, and what the noisy ones have beside their margins' product
#' @return (list) See block_table() and level_axes().
#' @noRd
block_pairs <- function(plan, n = plan$n, margins = plan$margins) {
  shares <- lapply(margins, function(margin) margin / sum(margin))
  pairs <- which(plan$noise$order == 2)
  tables <- lapply(pairs, function(t) {
    own <- shares[plan$tables[[t]]]
    block_table(plan, t, n * as.vector(outer(own[[1]], own[[2]])))
  })
  if (is.null(plan$alike)) {
    return(tables)
  }
  alike_tables(tables, plan$alike$kind[pairs], plan$alike$none)
}

#' Tables of the same columns in other waves, each nearer to their mean
#'
#' As far as they differ by no more than their noise does: James and Stein.
#' What they have in common is known better than each by itself. Who is in both
#' waves, who in one, and what those in both have, each differ by themselves.
#' @param tables (list of list) See block_table().
#' @param alike (character or `NULL`) The same for tables that may be alike.
#' @param none (integer, d) The level of each column that says that there is no
#'   such wave, or `NA`.
#' @return (list of list) As `tables`. `variance` is that of the posterior.
#' @noRd
alike_tables <- function(tables, alike, none) {
  groups <- split(seq_along(alike), alike)
  for (own in groups[lengths(groups) > 1]) {
    told <- 1 / vapply(tables[own], `[[`, 0, "variance")
    one <- tables[[own[1]]]
    shared <- shared_association(tables[own], told)
    residual <- do.call(cbind, lapply(tables[own], `[[`, "residual")) - shared
    # How many figures, and how much of the noise, each part has
    spread <- 0 * told
    free <- prod(one$levels - 1)
    near <- 0 * residual
    for (part in parts_of_tables(one$levels, none[one$columns])) {
      figures <- part$figures
      if (figures == 0) next
      x <- part$of(residual)
      mean <- drop(x %*% told) / sum(told)
      differ <- sum(told * colSums((x - mean)^2))
      kept <- max(0, 1 - (length(own) - 1) * figures / differ)
      near <- near + mean + kept * (x - mean)
      spread <- spread +
        figures / free * (kept / told + (1 - kept) / sum(told))
    }
    for (k in seq_along(own)) {
      tables[[own[k]]]$residual <- shared[, k] + near[, k]
      tables[[own[k]]]$variance <- spread[k]
    }
  }
  tables
}

#' What tables have beside their margins' product if all are associated alike
#'
#' The tables' sum, fitted to the margins of each: of all tables with these
#' margins the one with the sum's odds ratios. Where the same transitions are
#' as likely in every wave, they have the same odds ratios, however margins
#' change.
#' @param weight (double) Of each table.
#' @return (matrix) A column for each table.
#' @noRd
shared_association <- function(tables, weight, rounds = 15) {
  levels <- tables[[1]]$levels
  sum <- Reduce(`+`, Map(function(one, weight) {
    weight * (one$base + one$residual)
  }, tables, weight))
  # What is below 0 is noise
  sum <- array(pmax(sum, 1e-9 * max(sum, 1e-300)), levels)
  vapply(tables, function(one) {
    base <- array(one$base, levels)
    margins <- list(rowSums(base), colSums(base))
    fitted <- sum
    for (round in seq_len(rounds)) {
      fitted <- fitted_once(fitted, list(1, 2), margins)
    }
    centred_table(as.vector(fitted - base), levels)
  }, numeric(length(sum)))
}

#' The orthogonal parts of a centred table: who is there, and what they are
#' @param none (integer) A level of each column, or `NA`.
#' @return (list of list) `figures` and `of` (function of a matrix of tables,
#'   one a column).
#' @noRd
parts_of_tables <- function(levels, none) {
  sides <- Map(function(levels, none) {
    there <- matrix(0, levels, levels)
    if (!is.na(none)) {
      contrast <- (seq_len(levels) == none) - 1 / levels
      there <- tcrossprod(contrast) / sum(contrast^2)
    }
    own <- as.numeric(!is.na(none))
    list(
      list(side = there, figures = own),
      list(side = diag(levels) - there, figures = levels - 1 - own)
    )
  }, levels, none)
  unlist(lapply(sides[[1]], function(first) {
    lapply(sides[[2]], function(second) {
      both <- kronecker(second$side, first$side)
      list(
        figures = first$figures * second$figures,
        of = function(x) both %*% x
      )
    })
  }), recursive = FALSE)
}

#' A noisy table beside an expected one
#' @param t (count) Its place among `plan$tables`.
#' @param base (double) What is expected.
#' @return (list) `columns`, their `levels`, `base`, `residual` and its
#'   `variance`.
#' @noRd
block_table <- function(plan, t, base) {
  columns <- plan$tables[[t]]
  list(
    columns = columns, levels = plan$levels[columns], base = base,
    variance = plan$noise$variance[t],
    residual = plan$residuals[[t]] - centred_table(base, plan$levels[columns])
  )
}

#' What the released pairs of a block tell of its columns' levels
#' @param block (list) See release_plan().
#' @return (list) See level_axes().
#' @noRd
block_axes <- function(block) {
  level_axes(block_pairs(block), block$margins, order = block$ordered)
}

#' What smaller tables say of a larger one
#'
#' The product of the margins, fitted to the targets of the tables with one
#' column less by iterative proportional fitting.
#' @param smaller (list or `NULL`) Such targets.
#' @noRd
expected_table <- function(columns, levels, n, margins, smaller, rounds = 30) {
  base <- n * Reduce(function(a, b) as.vector(outer(a, b)), lapply(
    margins[columns], function(margin) margin / sum(margin)
  ))
  if (length(smaller) == 0) {
    return(base)
  }
  base <- array(base, levels)
  # What is below 0 is noise; a table that has nothing above it says nothing
  smaller <- lapply(smaller, function(one) {
    one$target <- pmax(one$target, 0)
    one
  })
  smaller <- Filter(function(one) sum(one$target) > 0, smaller)
  kept <- lapply(smaller, function(one) match(one$columns, columns))
  wanted <- lapply(smaller, function(one) one$target * n / sum(one$target))
  for (round in seq_len(rounds)) base <- fitted_once(base, kept, wanted)
  as.vector(base)
}

#' A table multiplied to have the wanted sums, of one after the other
#' @param kept (list of integer) Which of its columns each is over.
#' @param wanted (list of double)
#' @noRd
fitted_once <- function(table, kept, wanted) {
  size <- dim(table)
  for (s in seq_along(kept)) {
    at <- kept[[s]]
    first <- at[1] == 1 && all(diff(at) == 1)
    last <- !first && at[length(at)] == length(size) && all(diff(at) == 1)
    # Much faster than apply(), of which panels have thousands
    now <- if (first) {
      rowSums(table, dims = length(at))
    } else if (last) {
      colSums(table, dims = length(size) - length(at))
    } else {
      apply(table, at, sum)
    }
    ratio <- wanted[[s]] / now
    ratio[!(now > 0)] <- 0
    table <- if (first) {
      table * as.vector(ratio)
    } else if (last) {
      table * rep(ratio, each = prod(size[-at]))
    } else {
      sweep(table, at, ratio, `*`)
    }
  }
  table
}
