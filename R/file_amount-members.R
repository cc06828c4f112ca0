# Amounts of members of households, measured for all slots together: the records
# of such an amount are members, and those of a household with a value share it,
# see share_parts. What such an amount depends on is then learned from all
# members, under the noise of one amount and not of one for each slot.

#' Which amounts of members are measured for all slots together
#'
#' Not where a rule compares an amount of two members: the value of one must
#' then be known before that of the other is drawn. Waves of a person are
#' measured one by one, so that sets keep their correlation.
#' @param plan (list) Of members, or another one.
#' @return (character) As the file calls them.
#' @noRd
shared_amounts <- function(plan) {
  members <- plan$members
  if (is.null(members) || !is.null(members$waves) || members$slots < 2) {
    return(character())
  }
  variable <- function(names) {
    found <- variables_of_columns(names, members)
    unique(found[!found %in% members$household])
  }
  amounts <- variable(plan$table$column[plan$table$amount])
  apart <- lapply(compared_rules(plan), function(one) {
    sides <- intersect(unlist(one[c("left", "right")]), plan$table$column)
    own <- variables_of_columns(sides, members)
    own[duplicated(own)]
  })
  setdiff(stats::na.omit(amounts), unlist(apart))
}

columns_by_slot <- function(name, members) {
  slot_name(name, seq_len(members$slots), members)
}

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
#' @return (list) See linked_amount(); `near` also has `levels`, of all that its
#'   records have.
#' @noRd
shared_amount <- function(name, plan, amounts) {
  members <- plan$members
  before <- amounts[seq_len(match(name, amounts) - 1)]
  # Amounts of one slot are of no other
  alone <- slots_of_columns(before, members) > 0
  levels <- lapply(placed_columns(members, plan$levels), `[[`, "names")
  amount <- amount_model(column_specs(members$persons$codebook)[[name]])
  amount$slots <- columns_by_slot(name, members)
  amount$near <- list(
    columns = names(levels), amounts = before[!alone], levels = levels
  )
  amount
}

#' The models of amounts, with what each depends on
#' @param plan (list) A plan, or a file release.
#' @param names (character) In the order in which they are released.
#' @return (named list) See amount_model(), linked_amount(), shared_amount().
#' @noRd
amount_models <- function(plan, names) {
  specs <- column_specs(plan$codebook)
  shared <- shared_amounts(plan)
  lapply(stats::setNames(nm = names), function(name) {
    if (name %in% shared) {
      shared_amount(name, plan, names)
    } else {
      linked_amount(
        amount_model(specs[[name]]), plan$members, names(plan$levels), names
      )
    }
  })
}

# Members as records -----------------------------------------------------------

#' With a member's place as one of these, and how many members share the amount
#' @noRd
placed_columns <- function(members, levels) {
  columns <- member_columns(members, levels)
  place <- columns[[count_column]]
  slots <- seq_len(members$slots)
  place$level <- lapply(slots, function(k) rep(k, length(place$names)))
  names <- make.unique(c(names(columns), "place", "sharing"))
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
