# What rules that compare amounts leave of each value: the room between its
# ends. Ends are values of the parts, narrowed by each comparison until nothing
# changes. Whatever value within its ends an amount then has, the others still
# have one, since no comparisons go in a circle.

#' What parts leave of the amounts that rules compare
#'
#' @param compared (list) Of compared_rules().
#' @param specs (named list) See column_specs().
#' @param codes (integer matrix) Of records, or of combinations of levels.
#' @param sizes (integer) Levels of its columns.
#' @return (list or `NULL`, where no rule compares amounts) `pairs` (list:
#'   `lower`, `upper`, names or numbers; `strict`; `rows`) and `amounts` (named
#'   list: `parts`; `part`, `low` and `high` of each row).
#' @noRd
start_room <- function(compared, specs, codes, sizes) {
  if (length(compared) == 0) {
    return(NULL)
  }
  pairs <- lapply(compared, function(one) {
    down <- one$fn %in% c("<", "<=")
    list(
      lower = if (down) one$left else one$right,
      upper = if (down) one$right else one$left,
      strict = one$fn %in% c("<", ">"),
      rows = records_in(one$cells, one$columns, codes, sizes)
    )
  })
  amounts <- lapply(compared_amounts(compared, specs), function(name) {
    parts <- amount_parts(specs[[name]])
    part <- rep(1L, nrow(codes))
    if (name %in% colnames(codes)) part <- unname(codes[, name])
    ends <- value_ends(parts)
    list(parts = parts, part = part, low = ends$low[part],
      high = ends$high[part]
    )
  })
  list(pairs = pairs, amounts = amounts)
}

#' @return (named character)
#' @noRd
compared_amounts <- function(compared, specs) {
  sides <- unlist(lapply(compared, `[`, c("left", "right")))
  stats::setNames(nm = intersect(sides, names(specs)))
}

#' The room when some amounts have their values
#' @param values (named list) `records` and `values` of each.
#' @noRd
taken_room <- function(room, values) {
  for (name in intersect(names(values), names(room$amounts))) {
    one <- values[[name]]
    room$amounts[[name]]$low[one$records] <- one$values
    room$amounts[[name]]$high[one$records] <- one$values
  }
  room
}

#' The room when each comparison has narrowed it
#'
#' Nothing changes after as many rounds as the longest chain of amounts has.
#' @noRd
narrowed_room <- function(room) {
  for (round in seq_along(room$amounts)) {
    before <- room$amounts
    for (pair in room$pairs) {
      room$amounts <- narrowed_pair(room$amounts, pair)
    }
    if (identical(room$amounts, before)) break
  }
  room
}

#' The ends of two sides of which one must lie below the other
#' @noRd
narrowed_pair <- function(amounts, pair) {
  at <- pair$rows
  if (length(at) == 0) {
    return(amounts)
  }
  beyond <- function(name, other, end, sign) {
    own <- amounts[[name]]
    number <- if (is.character(other)) amounts[[other]][[end]][at] else other
    in_part_beyond(number, own$part[at], own$parts, sign, pair$strict)
  }
  # Of what has its value nothing is changed: it is within its ends
  if (is.character(pair$upper)) {
    low <- amounts[[pair$upper]]$low
    low[at] <- pmax(low[at], beyond(pair$upper, pair$lower, "low", 1))
    amounts[[pair$upper]]$low <- low
  }
  if (is.character(pair$lower)) {
    high <- amounts[[pair$lower]]$high
    high[at] <- pmin(high[at], beyond(pair$lower, pair$upper, "high", -1))
    amounts[[pair$lower]]$high <- high
  }
  amounts
}

#' Rows in which some amount has no value left
#' @noRd
without_room <- function(room) {
  full <- lapply(room$amounts, function(one) which(one$low > one$high))
  sort(unique(unlist(full)))
}

# At the plan ------------------------------------------------------------------

#' Combinations of levels in which what rules compare leaves no value
#'
#' Rules whose comparisons share an amount are looked at together. A
#' combination that one of them forbids already is not named again.
#' @param rules (list) See file_plan().
#' @return (list) Rules: those given, and those that follow from comparisons.
#' @noRd
with_closed_cells <- function(rules, specs, levels) {
  for (own in rules_together(rules, specs)) {
    columns <- sort(unique(unlist(lapply(rules[own], `[[`, "columns"))))
    text <- paste(vapply(rules[own], `[[`, "", "text"), collapse = "; ")
    sizes <- lengths(levels)
    cells <- prod(sizes[columns])
    refuse_if(
      cells > most_combinations,
      "The columns of rules that compare the same amounts must have at most
      {format_count(most_combinations)} combinations of levels.",
      x = "Those of {.code {text}} have {format_count(cells)}.", arg = "rules"
    )
    grid <- matrix(1L, cells, length(levels),
      dimnames = list(NULL, names(levels))
    )
    grid[, columns] <- as.matrix(expand.grid(lapply(sizes[columns], seq_len)))
    compared <- compared_rules(list(rules = rules[own]))
    room <- narrowed_room(start_room(compared, specs, grid, sizes))
    closed <- setdiff(without_room(room), unlist(lapply(
      rules[own], broken_records, grid, sizes
    )))
    if (length(closed) == 0) next
    rules <- with_forbidden(
      rules, own, columns, unname(grid[closed, columns, drop = FALSE]), text
    )
  }
  rules
}

#' @param own (integer) Rules that forbid these combinations together.
#' @noRd
with_forbidden <- function(rules, own, columns, forbidden, text) {
  first <- own[1]
  refuse_if(
    length(columns) == 0, "Some row must be able to meet all rules together.",
    x = "No value can meet {.code {text}}.", arg = "rules",
    class = "pseudosynth_error_rule"
  )
  if (length(own) == 1) {
    rules[[first]]$forbidden <- rbind(rules[[first]]$forbidden, forbidden)
    return(rules)
  }
  c(rules, list(list(
    text = text, columns = columns, forbidden = forbidden, compared = NULL,
    implied = TRUE
  )))
}

#' Which rules compare amounts that hang together
#' @return (list of integer)
#' @noRd
rules_together <- function(rules, specs) {
  compared <- which(lengths(lapply(rules, `[[`, "compared")) > 0)
  amounts <- lapply(rules[compared], function(rule) {
    compared_amounts(rule$compared, specs)
  })
  group <- seq_along(compared)
  for (k in seq_along(compared)) {
    shares <- vapply(amounts, function(other) {
      any(other %in% amounts[[k]])
    }, TRUE)
    group[group %in% group[shares]] <- k
  }
  unname(split(compared, group))
}
