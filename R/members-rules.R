# Rules of wide records: what holds of every member, across members, and what
# makes a household one.

#' Does a rule name members?
#' @noRd
names_members <- function(x) {
  is.call(x) && (
    called(x) %in% c("member", "any_member", "n_members") ||
      any(vapply(as.list(x), names_members, NA))
  )
}

#' Refuse calls about members that say less, or more, than which
#' @noRd
check_member_calls <- function(x, text) {
  if (!is.call(x)) {
    return(invisible())
  }
  of_member <- called(x) == "$" && is.call(x[[2]]) && called(x[[2]]) == "member"
  fine <- if (of_member) {
    asked <- as.list(x[[2]])[-1]
    length(asked) == 1 && is_number(asked[[1]]) &&
      asked[[1]] == round(asked[[1]]) && is.name(x[[3]])
  } else {
    most <- c(member = 0, any_member = 2, n_members = 2)
    least <- c(member = 1, any_member = 2, n_members = 1)
    fn <- match(called(x), names(most))
    is.na(fn) || length(x) >= least[fn] && length(x) <= most[fn]
  }
  refuse_if(
    !fine, "Rules must ask members by {.code member(1)$column},
    {.code any_member(condition)}, {.code n_members(condition)} or
    {.code n_members()}.", x = "{.code {text}} does not.", arg = "rules"
  )
  if (!of_member) for (part in as.list(x)[-1]) check_member_calls(part, text)
}

#' Rules of the wide file: those of each member, those across members, that a
#' member exists as a whole and only after the one before it, and their order
#' @return (list of expressions)
#' @noRd
wide_rules <- function(rules, own, specs) {
  later <- seq_len(own$slots)[-1]
  exist <- unlist(lapply(later, function(slot) {
    lapply(own$columns, function(name) {
      too_few <- call("<", as.name(count_column), slot)
      bquote(.(absent(name, slot, specs)) == (.(too_few)))
    })
  }), recursive = FALSE)
  each <- lapply(rules, function(rule) {
    used <- intersect(bare_columns(rule), own$columns)
    slots <- if (length(used) > 0) seq_len(own$slots) else 1L
    lapply(slots, function(slot) {
      named <- member_rule(rule, slot, own, specs)
      asked <- c(
        named_slots(rule), if (slot > 1) list(list(used[1], slot))
      )
      # Messages show the rule as it was stated
      structure(excused(named, asked, specs), text = deparse1(rule))
    })
  })
  sorted <- lapply(later, order_rules, own, specs)
  c(exist, unlist(c(each, sorted), recursive = FALSE))
}

#' Members stand in the order of the first column of `order`, a missing one last
#' @return (list of expressions)
#' @noRd
order_rules <- function(slot, own, specs) {
  first <- names(own$order)[1]
  spec <- specs[[first]]
  own_column <- as.name(slot_name(first, slot))
  before <- as.name(slot_name(first, slot - 1))
  if (spec$kind$valued) {
    asked <- lapply(slot - 1:0, function(k) list(first, k))
    sign <- if (own$order[1] < 0) ">=" else "<="
    last <- bquote(!is.na(.(before)) | is.na(.(own_column)))
    return(lapply(
      c(list(call(sign, before, own_column)), if (spec$missing) last),
      excused, asked, specs
    ))
  }
  levels <- stated_levels(spec)
  places <- seq_along(levels)
  each <- lapply(places, function(k) {
    fit <- levels[if (own$order[1] < 0) places >= k else places <= k]
    bquote((.(own_column) != .(levels[k]) | .(before) %in% .(fit)))
  })
  list(Reduce(function(a, b) call("&", a, b), each))
}

#' That a member does not exist, by one of its columns
#' @noRd
absent <- function(name, slot, specs) {
  spec <- specs[[name]]
  value <- if (spec$kind$valued) {
    spec$kind$typed(absent_code(spec))
  } else {
    levels <- member_levels(spec, slot)
    last <- levels[length(levels)]
    number <- text_number(levels)
    if (anyNA(number)) last else number[length(number)]
  }
  column <- as.name(slot_name(name, slot))
  # A missing value is a member's: without an answer the rule would be met
  if (spec$missing) {
    bquote((!is.na(.(column)) & .(column) == .(value)))
  } else {
    bquote((.(column) == .(value)))
  }
}

#' A rule counts as met where a member that it names does not exist
#' @param asked (list of lists) A column and its slot.
#' @noRd
excused <- function(rule, asked, specs) {
  asked <- unique(Filter(function(one) {
    length(one) > 0 && one[[2]] > 1
  }, asked))
  for (one in asked) {
    rule <- bquote(.(absent(one[[1]], one[[2]], specs)) | (.(rule)))
  }
  rule
}

#' Columns that a rule names of every member
#' @noRd
bare_columns <- function(x) {
  if (is.name(x)) {
    return(as.character(x))
  }
  fn <- if (is.call(x)) called(x) else ""
  if (!is.call(x) || fn %in% c("$", "any_member", "n_members")) {
    return(character())
  }
  unique(unlist(lapply(as.list(x)[-1], bare_columns)))
}

called <- function(x) if (is.name(x[[1]])) as.character(x[[1]]) else ""

#' Members that a rule names by number
#' @return (list of lists) A column and its slot.
#' @noRd
named_slots <- function(x) {
  if (!is.call(x)) {
    return(NULL)
  }
  one <- slot_asked(x)
  if (!is.null(one)) {
    return(list(one))
  }
  unlist(lapply(as.list(x)[-1], named_slots), recursive = FALSE)
}

#' `member(2)$age`
#' @noRd
slot_asked <- function(x) {
  whole <- called(x) == "$" && is.call(x[[2]]) && called(x[[2]]) == "member"
  if (whole) list(as.character(x[[3]]), as.double(x[[2]][[2]]))
}

#' A rule with the columns of one member in the place of every member's
#' @noRd
member_rule <- function(x, slot, own, specs) {
  if (is.name(x)) {
    return(slot_column(as.character(x), slot, own, specs))
  }
  if (!is.call(x)) {
    return(x)
  }
  one <- slot_asked(x)
  if (!is.null(one)) {
    check_slot_asked(one, own)
    return(slot_column(one[[1]], one[[2]], own, specs))
  }
  fn <- called(x)
  if (fn %in% c("any_member", "n_members")) {
    return(over_members(x, own, specs))
  }
  # These ask a column itself
  if (fn %in% c("is.na", "part") && is.name(x[[2]])) {
    x[[2]] <- slot_symbol(as.character(x[[2]]), slot, own)
    return(x)
  }
  x[-1] <- lapply(as.list(x)[-1], member_rule, slot, own, specs)
  x
}

slot_symbol <- function(name, slot, own) {
  as.name(if (name %in% own$columns) {
    slot_name(name, slot)
  } else if (name %in% own$size) {
    count_column
  } else {
    name
  })
}

#' A flag of a member is a level of text in the wide file
#' @noRd
slot_column <- function(name, slot, own, specs) {
  symbol <- slot_symbol(name, slot, own)
  spec <- specs[[name]]
  flag <- name %in% own$columns && !spec$kind$valued &&
    is.logical(spec$kind$rule_value(1L, spec))
  if (flag) bquote((.(symbol) == "TRUE")) else symbol
}

check_slot_asked <- function(one, own) {
  fine <- one[[1]] %in% own$columns && isTRUE(one[[2]] %in% seq_len(own$slots))
  refuse_if(
    !fine, "{.code member(k)$column} must name a member's column, and a member
    from 1 to {own$slots}.",
    x = "{.code member({one[[2]]})${one[[1]]}} does not.", arg = "rules"
  )
}

#' `any_member()` and `n_members()` as sums over members
#' @noRd
over_members <- function(x, own, specs) {
  if (length(x) == 1) {
    return(as.name(count_column))
  }
  used <- intersect(bare_columns(x[[2]]), own$columns)
  refuse_if(
    length(used) == 0, "{.fn {called(x)}} must ask a column of members.",
    x = "{.code {deparse1(x)}} asks none.", arg = "rules"
  )
  check_decided(x, own, specs)
  each <- lapply(seq_len(own$slots), function(slot) {
    met <- bquote((.(member_rule(x[[2]], slot, own, specs))))
    if (slot > 1) bquote((!.(absent(used[1], slot, specs)) & .(met))) else met
  })
  join <- if (called(x) == "any_member") "|" else "+"
  bquote((.(Reduce(function(a, b) call(join, a, b), each))))
}

#' Refuse a condition that compares values of members
#'
#' A rule compares values once, but each member would be compared.
#' @noRd
check_decided <- function(x, own, specs) {
  condition <- x[[2]]
  used <- all.vars(condition)
  known <- all(used %in% c(own$columns, own$household, own$size))
  if (own$slots == 1 || !known || names_members(condition)) {
    return(invisible())
  }
  at <- rule_room(used, specs, deparse1(x))
  rule_value(condition, c(at, list(assumed = TRUE)))
  compared <- at$found$comparison
  name <- intersect(c(compared$left, compared$right), own$columns)
  if (length(name) == 0) {
    return(invisible())
  }
  alone <- length(used) == 1 && called(condition) %in% names(turned_around)
  sign <- if (compared$fn %in% c(">", ">=")) "-" else ""
  one <- paste0("member(1)$", name, " ", compared$fn, " ", compared$right)
  abort_input(
    "{.fn {called(x)}} must ask categories, or the parts of amounts.",
    x = "{.code {deparse1(x)}} compares values of {.val {name}}.",
    i = if (alone) {
      "Whether there is such a member, the first one says in the order
       {.code ~ {sign}{name}} of {.fn members}: {.code ~ {one}}."
    },
    i = "Or add a category to the file that says so of each member.",
    arg = "rules", class = "pseudosynth_error_rule"
  )
}
