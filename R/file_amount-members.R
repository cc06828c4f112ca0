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

# What members have in common --------------------------------------------------

# Members of a household may have more in common than their columns say, or
# less: of two who share an income one has what the other has not. How near the
# scores of a member and of the one before are is measured as links of waves
# are; a household adds the mean over its members. In sets the errors of members
# go together as far as is needed to have the same.

# How far errors of two members go together, at most
most_together <- 0.95

#' The record before each one of its household, by slot; `NA`: it is the first
#' @param home (integer) Of records in the order of slots.
#' @noRd
record_before <- function(home) {
  order <- order(home)
  first <- !duplicated(home[order])
  before <- c(NA, order[-length(order)])[seq_along(order)]
  before[first] <- NA
  replace(before, order, before)
}

#' How near each household's members are, in whole units, at its first record
#' @param score (double) See margin_scores().
#' @return (matrix of one column) See whole_links(); 0 at all other records.
#' @noRd
home_links <- function(score, home) {
  before <- record_before(home)
  pair <- which(!is.na(before))
  links <- matrix(0, length(home), 1)
  if (length(pair) == 0) {
    return(links)
  }
  near <- whole_links(score[pair], list(score[before[pair]]))[, 1]
  sums <- rowsum(near, home[pair])
  mean <- trunc(sums[, 1] / tabulate(home[pair])[as.integer(rownames(sums))])
  links[match(as.integer(rownames(sums)), home), 1] <- mean
  links
}

#' Release how near members are
#' @param amount (list) With its `margin` and `ranks`.
#' @param file (list) `home` of the records with a value, and `y`. Confidential.
#' @return (list) `noisy`, the noise as paid, and `ranks`.
#' @noRd
released_together <- function(amount, file, budget, what, seed) {
  x <- paid_by(link_measurement(1, what), budget)
  links <- home_links(margin_scores(amount, file$y), file$home)
  noisy <- measured(
    x, seeds = list(seed), sums = whole_sums(x, list(links = links))
  )[[1]]
  c(list(noisy = noisy), x$noise, amount["ranks"])
}

#' How far errors go together in a set that has what was released
#'
#' As far as noise tells: what it hides is as the columns alone say.
#' @param amount (list) With `together`, see released_together().
#' @param home (integer) Of the records of a set with a value.
#' @param each (number) How many households one of the set stands for.
#' @param draw (function of an amount) Gives values of the set.
#' @return (number)
#' @noRd
errors_together <- function(amount, home, each, draw) {
  together <- amount$together
  homes <- length(unique(home[!is.na(record_before(home))]))
  if (homes < 2) {
    return(0)
  }
  mean <- function(rho) {
    amount$together$errors <- rho
    score <- margin_scores(together, draw(amount))
    sum(home_links(score, home)) / homes
  }
  alone <- mean(0)
  beside <- together$noisy / (homes * each) - alone
  error <- together$deviation / (homes * each)
  wanted <- alone + beside * max(0, 1 - (error / beside)^2)
  side <- if (wanted < alone) -most_together else most_together
  # How many times as far the end is
  towards <- (mean(side) - alone) / (wanted - alone)
  if (!isTRUE(towards > 1)) {
    return(if (isTRUE(towards > 0)) side else 0)
  }
  missed <- function(rho) mean(rho) - wanted
  stats::uniroot(missed, sort(c(0, side)), tol = 0.02)$root
}

#' Uniform numbers of members whose errors go together
#' @param p (double) Of each record, uniform.
#' @param before (integer) See record_before().
#' @noRd
uniforms_together <- function(p, before, rho) {
  z <- stats::qnorm(p)
  left <- which(!is.na(before))
  done <- is.na(before)
  while (length(left) > 0) {
    now <- left[done[before[left]]]
    z[now] <- rho * z[before[now]] + sqrt(1 - rho^2) * z[now]
    done[now] <- TRUE
    left <- setdiff(left, now)
  }
  clamp(stats::pnorm(z), 1e-12, 1 - 1e-12)
}
