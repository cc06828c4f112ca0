# Rules that compare an amount's value with a number or another amount, where
# the parts leave that open. The rule then says in which combinations of levels
# the comparison must hold.

# More combinations than this of the levels of one rule's columns are too many
most_combinations <- 1e6

# What says the same of two sides in the other order
turned_around <- c("<" = ">", "<=" = ">=", ">" = "<", ">=" = "<=")

abort_undecided <- function(at, name) {
  abort_input(
    "A rule must use the part of an amount, or compare its value with a number
     or another amount.",
    x = "{.code {at$text}} uses {.val {name}} in another way.",
    i = "A rule may compare values once by
         {.or {.code {names(turned_around)}}}. It may also compare with 0 or a
         code, and use {.code part({name})}.",
    i = if (at$specs[[name]]$type %in% c("date", "datetime")) {
      "Dates are text: {.val 2019-01-31} is the 31st of January 2019."
    },
    arg = "rules", class = "pseudosynth_error_rule"
  )
}

#' Note what a rule compares: one comparison each
#' @param other (string or number) The other amount, or a number.
#' @noRd
note_comparison <- function(at, name, fn, other) {
  own <- list(left = name, fn = fn, right = other)
  before <- at$found$comparison
  if (!is.null(before) && !identical(before, own)) abort_undecided(at, name)
  at$found$comparison <- own
}

#' What the parts of two amounts say to a comparison of both
#' @param names (two strings)
#' @return (logical) By combination; where parts leave it open what is assumed.
#' @noRd
amounts_compared <- function(fn, names, at) {
  ends <- lapply(names, function(name) {
    parts <- amount_parts(at$specs[[name]])
    parts[at$grid[, name], c("low", "high")]
  })
  # a > b is b < a
  if (fn %in% c(">", ">=")) {
    ends <- rev(ends)
    names <- rev(names)
    fn <- turned_around[[fn]]
  }
  below <- if (fn == "<") base::`<` else base::`<=`
  yes <- below(ends[[1]]$high, ends[[2]]$low)
  no <- !below(ends[[1]]$low, ends[[2]]$high)
  answers <- ifelse(yes, TRUE, ifelse(no, FALSE, NA))
  # Missing values leave it undecided
  open <- is.na(answers) & !is.na(ends[[1]]$low) & !is.na(ends[[2]]$low)
  if (any(open)) {
    note_comparison(at, names[1], fn, names[2])
    answers[open] <- at$assumed
  }
  answers
}

#' Where a comparison must hold, and where its opposite
#' @param needed,refused (matrix) Combinations of levels.
#' @return (list of list) `left` (name), `fn`, `right` (name or number) and
#'   `cells`.
#' @noRd
rule_comparison <- function(comparison, needed, refused) {
  if (is.null(comparison)) {
    return(NULL)
  }
  opposite <- c("<" = ">=", "<=" = ">", ">" = "<=", ">=" = "<")
  against <- replace(comparison, "fn", opposite[[comparison$fn]])
  found <- list(
    c(comparison, list(cells = needed)), c(against, list(cells = refused))
  )
  Filter(function(one) nrow(one$cells) > 0, found)
}

#' Records in whose combination of levels a comparison must hold
#' @return (integer)
#' @noRd
compared_rows <- function(one, rule, codes, sizes) {
  records_in(one$cells, rule$columns, codes, sizes)
}

#' The values of all amounts that rules compare, for all records
#' @param amounts (named list) See file_plan().
#' @return (named list of double)
#' @noRd
compared_values <- function(rules, specs, codes, amounts) {
  sides <- unlist(lapply(rules, function(rule) {
    lapply(rule$compared, `[`, c("left", "right"))
  }))
  names <- intersect(sides, names(specs))
  lapply(stats::setNames(nm = names), function(name) {
    parts <- amount_parts(specs[[name]])
    values <- parts$value[code_of(codes, name)]
    values[amounts[[name]]$records] <- amounts[[name]]$values
    values
  })
}

#' @param values (named list) See compared_values().
#' @return (logical) For each of some records.
#' @noRd
holds_comparison <- function(one, values, rows) {
  left <- values[[one$left]][rows]
  right <- if (is.character(one$right)) values[[one$right]][rows] else one$right
  get(one$fn, baseenv())(left, right)
}

#' Refuse amounts that must lie below each other in a circle
#' @noRd
check_circles <- function(rules) {
  pairs <- unlist(lapply(rules, `[[`, "compared"), recursive = FALSE)
  pairs <- Filter(function(one) is.character(one$right), pairs)
  below <- lapply(pairs, function(one) {
    both <- c(one$left, one$right)
    if (one$fn %in% c(">", ">=")) rev(both) else both
  })
  names <- unique(unlist(below))
  # Amounts that nothing lies above are taken away, until none is left
  repeat {
    lower <- vapply(below, `[`, "", 1)
    top <- setdiff(names, lower)
    if (length(top) == 0) break
    names <- setdiff(names, top)
    below <- Filter(function(pair) !pair[2] %in% top, below)
  }
  refuse_if(
    length(names) > 0, "Rules must not compare amounts in a circle.",
    x = "{.val {names}} must each lie below another.", arg = "rules",
    class = "pseudosynth_error_rule"
  )
}

#' Records in some cells
#' @noRd
records_in <- function(cells, columns, codes, sizes) {
  if (length(columns) == 0) {
    return(seq_len(nrow(codes) * (nrow(cells) > 0)))
  }
  own <- sizes[columns]
  at <- codes[, columns, drop = FALSE]
  which(cell_number(at, own) %in% cell_number(cells, own))
}

#' What rules compare, with the columns whose levels say where
#' @return (list) See rule_comparison(); `columns`: numbers of columns.
#' @noRd
compared_rules <- function(plan) {
  unlist(lapply(plan$rules, function(rule) {
    lapply(rule$compared, c, list(columns = rule$columns))
  }), recursive = FALSE)
}

#' Records in a forbidden combination
#' @return (integer)
#' @noRd
broken_records <- function(rule, codes, sizes) {
  records_in(rule$forbidden, rule$columns, codes, sizes)
}
