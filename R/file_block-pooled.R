# Tables of members that are pooled over their slots: a household is in such a
# table once for each of its members. A table of persons has then the noise of
# one table, and not of one for each slot. Members who differ move different
# cells, so a household moves a pooled table less far than its members' number.
# One that would move it farther than is paid for counts for less than one.

# Of mu squared for tables, for those that are pooled
share_of_pooled <- 0.55

# A household counts in parts of so many
parts_of_home <- 64

# A pooled margin's weight beside a pair's of as many cells
weight_of_pooled_margin <- 3

#' What is pooled of a plan: margins of members' columns, pairs of them, and
#' pairs of one of them and a column of the household
#'
#' A household moves a pooled table by at most the squared length of `room`
#' members of whom none are alike. It is public, see pooled_room().
#' @param members (list) Of the plan.
#' @param levels (list of character) Of the columns of the wide record.
#' @return (list of list) `names`, `levels` (of the axes), `columns` (integers,
#'   a list by slot), `level` (a list by slot of a list by axis: the axis's
#'   level for each of the column's, `NA` where there is no member), `order` (a
#'   list by axis, see level_orders()) and `room`.
#' @noRd
pooled_tables <- function(members, levels) {
  # Waves of a person are alike, and are no sum
  if (members$slots < 2 || !is.null(members$waves)) {
    return(list())
  }
  slots <- seq_len(members$slots)
  axes <- member_columns(members, levels)
  names <- names(axes)
  own <- intersect(names, members$columns)
  pairs <- if (length(names) > 1) utils::combn(names, 2, simplify = FALSE)
  pairs <- Filter(function(names) names[2] %in% own, pairs)
  lapply(c(as.list(own), pairs), function(names) {
    each <- unname(axes[names])
    list(
      names = names, levels = lengths(lapply(each, `[[`, "names")),
      columns = lapply(slots, function(k) {
        vapply(each, function(x) x$columns[k], 1L)
      }),
      level = lapply(slots, function(k) lapply(each, function(x) x$level[[k]])),
      order = lapply(each, `[[`, "order"),
      room = pooled_room(members)
    )
  })
}

#' The columns of a member: the household's, and its own
#' @param levels (named list) Of the columns of the wide record.
#' @return (named list) Of each `names` of its levels, `columns` (of the wide
#'   record, by slot), `level` (by slot: which one each of the column's is, `NA`
#'   where there is no member) and `order` (see level_orders()).
#' @noRd
member_columns <- function(members, levels) {
  specs <- column_specs(members$persons$codebook)
  shared <- intersect(c(members$household, count_column), names(levels))
  own <- Filter(
    function(name) length(block_levels(specs[[name]])) > 1, members$columns
  )
  slots <- seq_len(members$slots)
  column <- function(name) {
    each <- name %in% own
    at <- if (each) slot_name(name, slots, members) else name
    at <- rep_len(at, members$slots)
    stated <- if (each) block_levels(specs[[name]]) else levels[[name]]
    list(
      names = stated, columns = match(at, names(levels)),
      level = lapply(unname(levels[at]), match, stated),
      order = if (name == count_column) {
        slots
      } else {
        levels_in_order(specs[[name]])
      }
    )
  }
  lapply(stats::setNames(nm = c(shared, own)), column)
}

#' Squared lengths of what one household adds at most
#' @return (data frame) See residual_lengths(); `unit` makes residuals whole.
#' @noRd
pooled_lengths <- function(pooled) {
  lengths <- residual_lengths(lapply(pooled, function(one) {
    seq_along(one$levels)
  }), integer())
  levels <- lapply(pooled, `[[`, "levels")
  of <- function(f) vapply(levels, function(l) f(as.double(l)), 0)
  room <- vapply(pooled, `[[`, 0, "room")
  lengths$cells <- of(prod)
  lengths$squared <- room * of(function(l) prod((l - 1) / l))
  lengths$whole <- room * parts_of_home^2 * of(function(l) prod(l * (l - 1)))
  lengths$unit <- parts_of_home * lengths$cells
  lengths$free <- of(function(l) prod(l - 1))
  lengths
}

#' Pooled tables as a plan has tables, see measured_in_looks()
#'
#' Each weighs its cells. A replaced household moves a table by twice what one
#' does.
#' @param plan (list) See plan_block().
#' @noRd
plan_pooled <- function(plan) {
  lengths <- pooled_lengths(plan$pooled)
  list(
    tables = plan$pooled, lengths = lengths, twice = twice_measured(lengths),
    squared = plan$squared_pooled, neighbours = plan$neighbours,
    sigma = plan$sigma,
    emphasis = ifelse(lengths$order == 1, weight_of_pooled_margin, 1),
    replaced = function(plan, variance) {
      4 * sum(plan$lengths$squared / variance)
    }
  )
}

#' The variances of pooled tables that are measured once
#' @param own (list) See plan_pooled().
#' @noRd
pooled_variance <- function(own) {
  variance <- least_variances(
    weight_of_cells(own), own$lengths$squared, own$squared
  )
  if (own$neighbours == "replace") 4 * variance else variance
}

#' What pooled tables cost, see plan_charges()
#' @noRd
pooled_cost <- function(plan) {
  own <- plan_pooled(plan)
  check_looks(own, first_look(own, pooled_variance(own)))
  costs <- by_relation(1, 4) / if (plan$neighbours == "replace") 4 else 1
  list(
    rho = costs * plan$squared_pooled / 2,
    gap = gaussian_gap(plan$sigma, cells_of_looks(own))
  )
}

#' Pooled tables as a measurement
#' @param noise (data frame) See whole_noise().
#' @noRd
pooled_measurement <- function(pooled, noise) {
  new_measurement(
    what_of_block[["pooled"]], pooled_names(pooled), noise$cells,
    bound = function(kind) {
      most <- noise$factor * sqrt(noise$whole)
      Map(by_relation, most, 2 * most)
    },
    vectors = function(codes, t) {
      each <- vapply(seq_len(nrow(codes)), function(i) {
        counts <- pooled_counts(pooled[t], codes[i, , drop = FALSE])[[1]]
        whole_residual(counts, pooled[[t]]$levels)
      }, numeric(noise$cells[t]))
      noise$factor[t] * t(matrix(each, noise$cells[t]))
    },
    counts = function(codes) pooled_counts(pooled, codes),
    sums = function(counts) {
      Map(function(counts, one, factor) {
        factor * whole_residual(counts, one$levels)
      }, counts, pooled, noise$factor)
    },
    moves = function(codes, other, paid) {
      pooled_moves(pooled, noise, codes, other)
    },
    cost = function(paid) {
      rho <- sum(noise$squared / noise$variance) / 2
      list(
        rho = by_relation(rho, 4 * rho),
        gap = sum(gaussian_gap(noise$scale, noise$cells))
      )
    },
    noise = list(scale = noise$scale, rho = NA)
  )
}

pooled_names <- function(pooled) {
  paste("members:", vapply(pooled, function(one) {
    paste(one$names, collapse = " x ")
  }, ""))
}

#' Counts of members, each in as many parts as its household has
#' @param cut (flag) `TRUE`: in the parts that its household has not.
#' @noRd
pooled_counts <- function(pooled, codes, cut = FALSE) {
  pooled_counts_(codes, pooled, parts_of_home, cut, default_threads())
}

#' See moves_of(): by inner products
#' @noRd
pooled_moves <- function(pooled, noise, codes, other) {
  moves <- numeric(nrow(codes))
  for (t in seq_along(pooled)) {
    square <- pooled_squares_(codes, other, pooled[[t]], parts_of_home)
    moves <- moves + square * noise$cells[t] *
      (noise$factor[t] / noise$scale[t])^2
  }
  moves
}

# Targets ----------------------------------------------------------------------

#' Measure pooled tables
#' @param plan (list) See pooled_targets(), with its `pooled_cut`.
#' @return (list) See measured_in_looks(): residuals in counts of members.
#' @noRd
measured_pooled <- function(codes, plan, margins, targets, seed) {
  own <- plan_pooled(plan)
  measured_in_looks(own, pooled_variance(own), seed, function(own) {
    plan[c("pooled_noise", "pooled_residuals")] <- own[c("noise", "residuals")]
    pairs <- pooled_pairs(plan, pooled_margins(plan, margins, targets))
    lapply(pairs, `[[`, "residual")
  }, function(own, at, noise, seed) {
    x <- pooled_measurement(own$tables, noise)
    whole <- measured(
      x, x$counts(codes), stage_seeds(seed, "members", length(at))
    )
    Map(function(whole, one, unit) {
      centred_table(whole / unit, one$levels)
    }, whole, own$tables, noise$factor * noise$unit)
  })
}

#' Noisy residuals of pooled tables with what the bound has cut off them
#' @param plan (list) See pooled_targets().
#' @return (list of double) In counts of members.
#' @noRd
uncut_residuals <- function(plan) {
  Map(function(residual, cut, one) {
    residual + centred_table(cut, one$levels)
  }, plan$pooled_residuals, plan$pooled_cut, plan$pooled)
}

#' The targets of pooled tables, in counts of members
#'
#' What a pair has beside its margins' product is shrunk, as of other tables.
#' @param plan (list) `pooled`, `pooled_noise`, `pooled_residuals`,
#'   `pooled_cut`: see release_plan().
#' @param margins,targets Of the wide record's columns, see told_by_tables().
#' @inheritParams told_by_tables
#' @return (list of list) As of block_targets(), with `columns` by slot,
#'   `level` and `levels`: see pooled_tables().
#' @noRd
pooled_targets <- function(plan, margins, targets, nearest = nearest_counts,
                           told = shrunk_residuals) {
  pooled <- plan$pooled
  variance <- plan$pooled_noise$variance
  single <- plan$pooled_noise$order == 1
  known <- pooled_margins(plan, margins, targets, nearest)
  pairs <- pooled_pairs(plan, known)
  ordered <- vector("list", length(known))
  for (one in pooled[!single]) {
    ordered[match(one$names, names(known))] <- one$order
  }
  axes <- level_axes(pairs, unname(known), order = ordered)
  beside <- told(
    lapply(pairs, `[[`, "residual"), lapply(pairs, `[[`, "columns"), axes,
    variance[!single]
  )
  found <- c(
    unname(known[vapply(pooled[single], `[[`, "", "names")]),
    Map(function(pair, beside) pair$base + beside, pairs, beside)
  )
  Map(function(one, target, variance) {
    c(
      one[c("columns", "level", "levels")],
      list(target = as.vector(target), variance = variance)
    )
  }, pooled, found, variance)
}

#' Members by each column
#' @inheritParams pooled_targets
#' @return (named list of double)
#' @noRd
pooled_margins <- function(plan, margins, targets, nearest = nearest_counts) {
  single <- plan$pooled_noise$order == 1
  known <- margins_of_members(plan$pooled, margins, targets)
  persons <- sum(known[[count_column]])
  known[vapply(plan$pooled[single], `[[`, "", "names")] <- Map(
    function(residual, variance) {
      nearest(residual + persons / length(residual), variance)
    }, uncut_residuals(plan)[single], plan$pooled_noise$variance[single]
  )
  known
}

#' All pooled pairs, and what the noisy ones have beside their margins' product
#' @param known (named list of double) See pooled_margins().
#' @return (list of list) `columns` (places in `known`), `base`, `residual` and
#'   its `variance`.
#' @noRd
pooled_pairs <- function(plan, known) {
  residual <- uncut_residuals(plan)
  persons <- sum(known[[count_column]])
  lapply(which(plan$pooled_noise$order == 2), function(t) {
    names <- plan$pooled[[t]]$names
    base <- as.vector(outer(known[[names[1]]], known[[names[2]]])) / persons
    list(
      columns = match(names, names(known)), base = base,
      residual = residual[[t]] - centred_table(base, plan$pooled[[t]]$levels),
      variance = plan$pooled_noise$variance[t]
    )
  })
}

#' Members by each column of the household, as far as tables of slots tell
#' @return (named list of double)
#' @noRd
margins_of_members <- function(pooled, margins, targets) {
  pairs <- Filter(function(one) length(one$levels) == 2, pooled)
  shared <- Filter(function(one) {
    length(unique(vapply(one$columns, `[`, 1L, 1))) == 1
  }, pairs)
  first <- vapply(shared, function(one) one$names[1], "")
  text <- columns_text(targets)
  each <- lapply(shared, function(one) {
    Reduce(`+`, Map(function(columns, level) {
      at <- match(paste(sort(columns), collapse = " "), text)
      own <- lengths(margins)[columns]
      table <- if (is.na(at)) {
        # One follows the other, or a third one
        outer(margins[[columns[1]]], margins[[columns[2]]]) /
          max(sum(margins[[columns[1]]]), 1e-300)
      } else if (columns[1] < columns[2]) {
        matrix(targets[[at]]$target, own[1])
      } else {
        t(matrix(targets[[at]]$target, own[2]))
      }
      rowSums(pmax(table, 0)[, !is.na(level[[2]]), drop = FALSE])
    }, one$columns, one$level))
  })
  known <- lapply(split(each, factor(first, unique(first))), Reduce, f = `+`)
  # How many there are, sizes tell
  size <- shared[[match(count_column, first)]]$columns[[1]][1]
  known[[count_column]] <- seq_along(margins[[size]]) * margins[[size]]
  total <- sum(known[[count_column]])
  lapply(known, function(x) x * total / max(sum(x), 1e-300))
}

#' Pooled targets of columns that follow none, by their numbers among those
#'
#' A column that follows another is a function of it. A table of both then says
#' nothing.
#' @param targets (list) See pooled_targets().
#' @param kept (integer) Columns that follow none.
#' @noRd
underived_pooled <- function(targets, derived, kept) {
  targets <- lapply(targets, function(one) {
    for (k in seq_along(one$columns)) {
      for (from in derived) {
        a <- match(from$column, one$columns[[k]])
        if (is.na(a)) next
        one$columns[[k]][a] <- from$from
        one$level[[k]][[a]] <- one$level[[k]][[a]][from$level]
      }
    }
    one
  })
  targets <- Filter(function(one) {
    !any(vapply(one$columns, anyDuplicated, 1L) > 0)
  }, targets)
  lapply(targets, function(one) {
    one$columns <- lapply(one$columns, match, kept)
    one
  })
}
