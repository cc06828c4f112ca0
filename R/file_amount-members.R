# Amounts of members of households, measured for all slots together: the records
# of such an amount are members, and those of a household with a value share it,
# see share_parts. What such an amount depends on is then learned from all
# members, under the noise of one amount and not of one for each slot.

#' Which amounts of members are measured for all slots together
#'
#' Not where rules compare an amount of two members, or each of these with what
#' lies between them, as in `member(1)$pay <= member(2)$rent` with
#' `rent <= pay`: the value of one must then be known before that of the other
#' is drawn. Waves of a person are measured one by one, so that sets keep their
#' correlation.
#' @param plan (list) Of members, or another one.
#' @return (character) As the file calls them.
#' @noRd
shared_amounts <- function(plan) {
  members <- plan$members
  if (is.null(members) || !is.null(members$waves) || members$slots < 2) {
    return(character())
  }
  variable <- function(names) variables_of_columns(names, members)
  columns <- plan$table$column[plan$table$amount]
  sides <- lapply(compared_rules(plan), function(one) {
    intersect(unlist(one[c("left", "right")]), columns)
  })
  apart <- lapply(sides, function(side) {
    own <- variable(side)
    own[duplicated(own)]
  })
  shared <- setdiff(variable(columns), c(members$household, NA, unlist(apart)))
  # What is measured slot by slot, or is the household's, is known before them
  repeat {
    among <- columns[variable(columns) %in% shared]
    own <- variable(among)
    linked <- own[duplicated(data.frame(own, linked_groups(sides, among)))]
    if (length(linked) == 0) {
      return(shared)
    }
    # Without one others may be free
    shared <- setdiff(shared, linked[1])
  }
}

#' Which columns comparisons link, also by way of others of them
#' @param sides (list of character) The columns of each comparison.
#' @param among (character)
#' @return (integer) The group of each of `among`.
#' @noRd
linked_groups <- function(sides, among) {
  group <- seq_along(among)
  for (side in sides) {
    at <- group[among %in% side]
    group[group %in% at] <- min(at, length(among))
  }
  group
}

columns_by_slot <- function(name, members) {
  slot_name(name, seq_len(members$slots), members)
}

is_of_members <- function(amount) !is.null(amount$slots)

#' Parts of a record of an amount, see share_parts
#' @noRd
parts_of <- function(amount) if (is_of_members(amount)) share_parts else 1L

#' The specifications of a plan's amounts, those of members among them
#' @param x (list) A plan, or a file release.
#' @return (named list)
#' @noRd
specs_of_amounts <- function(x) {
  specs <- column_specs(x$codebook)
  if (is.null(x$members)) {
    return(specs)
  }
  persons <- column_specs(x$members$persons$codebook)
  c(specs, persons[setdiff(names(persons), names(specs))])
}

#' An amount of members: of which wide columns, and what it depends on
#' @param amounts (character) In the order in which they are released.
#' @noRd
shared_amount <- function(amount, members, levels, amounts) {
  before <- amounts[seq_len(match(amount$name, amounts) - 1)]
  # Amounts of one slot are of no other
  alone <- slots_of_columns(before, members) > 0
  amount$slots <- columns_by_slot(amount$name, members)
  amount$near <- list(
    columns = names(placed_columns(members, levels)), amounts = before[!alone]
  )
  amount
}

#' Levels of what an amount's records have
#' @param x (list) A plan, or a file release.
#' @noRd
levels_beside <- function(amount, x) {
  if (!is_of_members(amount)) {
    return(x$levels)
  }
  lapply(placed_columns(x$members, x$levels), `[[`, "names")
}

# Members as records -----------------------------------------------------------

#' The columns of a member: the household's, its own, and its place
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

#' With a member's place as one of these, and how many members share the amount
#' @noRd
placed_columns <- function(members, levels) {
  columns <- member_columns(members, levels)
  place <- columns[[count_column]]
  slots <- seq_len(members$slots)
  place$level <- lapply(slots, function(k) rep(k, length(place$names)))
  # An amount that everybody has is no column: it may be called so, too
  taken <- union(names(columns), c(members$columns, members$household))
  names <- make.unique(c(taken, "place", "sharing"))
  c(columns, stats::setNames(list(place, place), utils::tail(names, 2)))
}

#' Codes of members with how many of a household have a value
#'
#' Who shares an amount with others may have less of it: without this the shares
#' would tell another law than that of persons.
#' @param codes (integer matrix) See members_as_records().
#' @param home (integer) Of each.
#' @param rows (integer) Those with a value.
#' @noRd
with_sharing <- function(codes, home, rows) {
  codes[, ncol(codes)] <- pmax(1L, tabulate(home[rows], max(0, home))[home])
  codes
}

#' Members of wide records as records
#' @param codes (integer matrix) Of wide records.
#' @param columns (list) See placed_columns().
#' @return (list) `codes`, `home` (its record) and `slot` of each, in the order
#'   of slots.
#' @noRd
members_as_records <- function(codes, columns, members) {
  size <- code_of(codes, count_column)
  each <- lapply(seq_len(members$slots), function(k) {
    home <- which(size >= k)
    own <- matrix(vapply(columns, function(one) {
      one$level[[k]][codes[home, one$columns[k]]]
    }, integer(length(home))), length(home), length(columns))
    # An audit also tries households that cannot be
    there <- !is.na(rowSums(own))
    list(
      codes = own[there, , drop = FALSE], home = home[there],
      slot = rep(k, sum(there))
    )
  })
  of <- function(field) unlist(lapply(each, `[[`, field))
  list(
    codes = structure(
      do.call(rbind, lapply(each, `[[`, "codes")),
      dimnames = list(NULL, names(columns))
    ),
    home = of("home"), slot = of("slot")
  )
}

#' The values of an amount of members, by the records of these
#' @param amounts (named list) `records` and `values` of the wide columns.
#' @param at (list) `home` and `slot`, see members_as_records().
#' @return (list) `records` and `values`.
#' @noRd
member_values <- function(amounts, slots, at) {
  rows <- split(seq_along(at$slot), factor(at$slot, seq_along(slots)))
  own <- Map(function(one, rows) {
    found <- match(one$records, at$home[rows])
    there <- !is.na(found)
    list(records = rows[found[there]], values = one$values[there])
  }, unname(amounts[slots]), rows)
  list(
    records = unlist(lapply(own, `[[`, "records")),
    values = unlist(lapply(own, `[[`, "values"))
  )
}

#' Values of members by slot, as wide records have them
#' @param rows (integer) Of records of members.
#' @return (named list) `records` and `values` of each wide column.
#' @noRd
values_by_slot <- function(amount, values, rows, at) {
  slot <- factor(at$slot[rows], seq_along(amount$slots))
  of <- split(seq_along(rows), slot)
  stats::setNames(lapply(of, function(k) {
    list(records = at$home[rows[k]], values = values[k])
  }), amount$slots)
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

# What they are released on ------------------------------------------------------

#' What amounts of members are released on, see amount_ground()
#' @param on (list) The same of households, with the amounts of these.
#' @noRd
member_ground <- function(on, plan) {
  columns <- placed_columns(plan$members, plan$levels)
  own <- members_as_records(on$file$codes, columns, plan$members)
  made <- members_as_records(on$set, columns, plan$members)
  of_home <- function(x, at) lapply(as.list(x), `[`, at$home)
  shared <- shared_amounts(plan)
  file <- list(
    codes = own$codes, amounts = lapply(
      stats::setNames(nm = shared), function(name) {
        slots <- columns_by_slot(name, plan$members)
        member_values(on$file$amounts, slots, own)
      }
    ),
    n = length(own$home), before = 0L, home = own$home,
    bins = list2env(of_home(on$file$bins, own)),
    scores = list2env(of_home(on$file$scores, own))
  )
  amount_ground(
    file, made$codes, lapply(columns, `[[`, "names"),
    member_block(on$block, columns, made$codes, nrow(on$set)),
    of_home(on$bins, made), of_home(on$scores, made), made$home
  )
}

#' What pooled tables tell of members, as a block's tables of its records
#' @param set (integer matrix) Codes of the members of a set of so many `homes`.
#' @return (list) See release_plan().
#' @noRd
member_block <- function(block, columns, set, homes) {
  levels <- lengths(lapply(columns, `[[`, "names"))
  each <- block$n / homes
  pooled <- block$pooled
  size <- block$size_noise
  if (!is.null(size)) size$deviation <- size$deviation * nrow(set) / homes
  list(
    n = each * nrow(set), levels = unname(levels),
    tables = lapply(pooled, function(one) match(one$names, names(columns))),
    noise = block$pooled_noise[c("order", "variance")],
    residuals = Map(function(residual, cut, one) {
      residual + centred_table(cut, one$levels)
    }, block$pooled_residuals, block$pooled_cut, pooled),
    margins = lapply(seq_along(levels), function(j) {
      each * tabulate(set[, j], levels[j])
    }),
    ordered = unname(lapply(columns, `[[`, "order")), size_noise = size
  )
}

#' How many records a part of a shared amount has: each counts its share
#' @noRd
shared_sizes <- function(amount, plan, block, set) {
  columns <- placed_columns(plan$members, plan$levels)
  made <- members_as_records(set, columns, plan$members)
  rows <- valued_rows(amount, made$codes)
  part <- part_number(amount, made$codes, rows)
  sums_by_code(shares_of(made$home[rows]), part, length(amount$part)) *
    block$n / nrow(set)
}

#' Parts of the records of a chunk that have an amount, see share_parts
#' @noRd
chunk_parts <- function(chunk, name) {
  if (!is.null(chunk$home)) {
    parts_of_records(chunk$home[chunk$amounts[[name]]$records])
  }
}

#' The share of each record of a set that has a value
#' @param home (integer) Of each.
#' @noRd
shares_of <- function(home) parts_of_records(home) / share_parts

#' The members of a set that is drawn, with what is known of their households
#' @param on (list) `codes`, `levels`, and `bins` and `scores` of amounts, see
#'   amount_predictors().
#' @noRd
members_of_set <- function(x, on) {
  columns <- placed_columns(x$members, x$levels)
  made <- members_as_records(on$codes, columns, x$members)
  c(made, list(
    levels = lapply(columns, `[[`, "names"),
    bins = lapply(on$bins, `[`, made$home),
    scores = lapply(on$scores, `[`, made$home)
  ))
}

# Released for members, known of persons ----------------------------------------

#' How many records of a file each record of a set stands for, where they share
#' @noRd
shared_count <- function(share, n) {
  if (!is.null(share)) share * n / sum(share)
}

#' A margin of shares as one of persons
#'
#' Members of large households count less in it. What is known of them says how
#' much more often each bin is then: by the law of all members beside that of
#' shares.
#' @param amount (list) See release_amount().
#' @param rows (list) See set_rows().
#' @noRd
of_persons <- function(amount, rows) {
  breaks <- amount$margin$breaks
  shared <- law_shares(amount, breaks)
  line <- drop(rows$x %*% amount$draws$mean)
  amount$population$rows <-
    rows$x[typical_rows(line, rows$records), , drop = FALSE]
  turned <- law_shares(amount, breaks) / shared
  noisy <- turned * amount$margin$noisy
  turned <- turned * amount$n / max(1, sum(noisy))
  amount$margin$noisy <- turned * amount$margin$noisy
  amount$margin$turned <- turned
  amount
}
