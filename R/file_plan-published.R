# What is published of a file, beside what is synthesized.

#' Refuse published copies of synthesized columns, warn of what is near one
#' @param plan (list) As file_plan() makes it.
#' @param specs (named list) See column_specs().
#' @noRd
check_plan_published <- function(plan, specs) {
  # As a set would have them
  column <- function(name) {
    own <- column_of_plan(plan, name)
    comparable_values(column_values(decode_column(
      own$codes, own$values, specs[[name]], plan$schema[[name]]
    )))
  }
  published <- published_forms(
    lapply(stats::setNames(nm = plan$published), column)
  )
  drawn <- plan$table$column[plan$table$role %in%
    c("protected", "survey weight")]
  near <- lapply(stats::setNames(nm = drawn), function(name) {
    found <- told_beside(published, column(name))
    refuse_copied(found, name, "publish")
    found$near
  })
  near <- Filter(function(one) length(one$columns) > 0, near)
  if (length(near) == 0) {
    return(invisible())
  }
  share <- vapply(near, `[[`, 1, "share")
  by <- vapply(near, function(one) paste(one$columns, collapse = ", "), "")
  warn_of(
    "determined",
    "Published columns nearly determine columns that are synthesized.",
    column_bullets(sprintf(
      "%s of `%s` follows from `%s`.", format_near_share(share), names(near), by
    )),
    i = "Publish both columns, or neither. {.fn release} refuses sets with them
         unless {.arg public} names the published ones.",
    share = share, by = lapply(near, `[[`, "columns")
  )
}

# Published amounts in rules: whatever a set gives to the other columns of a
# record, what rules compare with its published values must have room.

#' Refuse published amounts that leave others no value
#'
#' Whatever levels and parts a set gives to a record's protected columns, if no
#' rule forbids it, there must be values beside the published ones.
#' @param plan (list) `rules`, `codes`, `levels`, `amounts`, `published`.
#' @noRd
check_published_room <- function(plan, specs) {
  for (own in rules_together(plan$rules, specs)) {
    rules <- plan$rules[own]
    compared <- compared_rules(list(rules = rules))
    names <- compared_amounts(compared, specs)
    fixed <- intersect(names, plan$published)
    if (length(fixed) == 0) next
    columns <- sort(unique(unlist(lapply(rules, `[[`, "columns"))))
    free <- columns[!names(plan$levels)[columns] %in% plan$published]
    # What is published alone is as in the file
    if (length(free) == 0 && length(fixed) == length(names)) next
    full <- over_chunks(plan_records(plan), function(chunk) {
      full_records(plan, chunk, rules, columns, free, fixed, specs)
    }, c)
    open <- union(names(plan$levels)[free], setdiff(names, fixed))
    refuse_if(
      length(full) > 0,
      "Published amounts must leave room for values that meet the rules.",
      x = "For {length(full)} record{?s}, the published values of
           {.val {fixed}} leave some levels of {.val {open}} without a value.",
      i = "Publish all of these columns or none of them. Or state the amount as
           levels. Or leave heaps and codes out.",
      arg = "rules", rows = sort(full), class = "pseudosynth_error_rule"
    )
  }
}

#' Records whose published amounts leave no room in some levels of free columns
#' @param chunk (list or environment) See plan_records().
#' @return (integer)
#' @noRd
full_records <- function(plan, chunk, rules, columns, free, fixed, specs) {
  sizes <- lengths(plan$levels)
  ways <- as.matrix(expand.grid(lapply(sizes[free], seq_len)))
  compared <- compared_rules(list(rules = rules))
  forbidding <- Filter(function(rule) {
    nrow(rule$forbidden) > 0 && all(rule$columns %in% columns)
  }, plan$rules)
  found <- function(records) {
    values <- lapply(stats::setNames(nm = fixed), function(name) {
      own <- chunk$amounts[[name]]
      at <- match(records, own$records)
      list(records = which(!is.na(at)), values = own$values[at[!is.na(at)]])
    })
    full <- integer()
    for (way in seq_len(max(1, nrow(ways)))) {
      codes <- chunk$codes[records, , drop = FALSE]
      for (j in seq_along(free)) codes[, free[j]] <- ways[way, j]
      room <- start_room(compared, specs, codes, sizes)
      room <- narrowed_room(taken_room(room, values))
      full <- union(full, setdiff(without_room(room), unlist(lapply(
        forbidding, broken_records, codes, sizes
      ))))
    }
    sort(records[full])
  }
  some <- extreme_records(plan, chunk, setdiff(columns, free), fixed)
  full <- if (length(found(some)) > 0) found(seq_len(chunk$n)) else integer()
  full + as.integer(chunk$before)
}

#' The records that tell whether any has no room
#'
#' Room is lost beyond an end: of one published amount, the smallest and the
#' largest value of each combination of published levels tell.
#' @noRd
extreme_records <- function(plan, chunk, columns, fixed) {
  all <- seq_len(chunk$n)
  if (length(fixed) > 1) {
    return(all)
  }
  own <- chunk$amounts[[fixed]]
  cell <- cell_number(
    chunk$codes[, columns, drop = FALSE], lengths(plan$levels)[columns]
  )
  if (length(columns) == 0) cell <- rep(0, chunk$n)
  rest <- setdiff(all, own$records)
  from_small <- own$records[order(own$values)]
  first <- function(records) records[!duplicated(cell[records])]
  sort(unique(c(first(from_small), first(rev(from_small)), first(rest))))
}
