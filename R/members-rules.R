# Rules of wide records: what holds of every member, across members, and what
# makes a household one.

#' What rules call members, and waves
#' @return (named character) `one`, `any` and `n`.
#' @noRd
part_calls <- function(own) {
  part <- part_words(own)
  c(
    one = part[["part"]], any = paste0("any_", part[["part"]]),
    n = paste0("n_", part[["parts"]])
  )
}

#' Does a rule name members, or waves?
#' @noRd
names_members <- function(x, own) {
  is.call(x) && (
    called(x) %in% part_calls(own) ||
      any(vapply(as.list(x), names_members, NA, own))
  )
}

#' Refuse calls about members that say less, or more, than which
#' @noRd
check_member_calls <- function(x, text, own) {
  if (!is.call(x)) {
    return(invisible())
  }
  calls <- part_calls(own)
  of_member <- is_of_one(x, own)
  fine <- if (of_member) {
    asked <- as.list(x[[2]])[-1]
    length(asked) == 1 && is.name(x[[3]]) && (
      is_number(asked[[1]]) && asked[[1]] == round(asked[[1]]) ||
        !is.null(own$waves) && is_string(asked[[1]])
    )
  } else {
    most <- c(0, 2, 2)
    least <- c(1, 2, 1)
    fn <- match(called(x), calls)
    is.na(fn) || length(x) >= least[fn] && length(x) <= most[fn]
  }
  # Waves that are no numbers are text
  first <- own$waves$codes[1] %||% "1"
  one <- if (is.na(text_number(first))) dQuote(first, FALSE) else first
  other <- if (is.null(own$waves)) list(waves = 1) else list()
  others <- part_calls(other)
  refuse_if(
    called(x) %in% others && !called(x) %in% calls,
    "Rules must ask {part_words(own)[['parts']]} by
    {.code {calls[['one']]}({one})$column}, {.code {calls[['any']]}(condition)}
    or {.code {calls[['n']]}(condition)}.",
    x = "{.code {text}} has {.fn {called(x)}}: that is for {
         part_words(other)[['parts']]}.", arg = "rules"
  )
  refuse_if(
    !fine, "Rules must ask {part_words(own)[['parts']]} by
    {.code {calls[['one']]}({one})$column}, {.code {calls[['any']]}(condition)},
    {.code {calls[['n']]}(condition)} or {.code {calls[['n']]}()}.",
    x = "{.code {text}} does not.", arg = "rules"
  )
  if (of_member) {
    return(invisible())
  }
  for (part in as.list(x)[-1]) check_member_calls(part, text, own)
}

#' `member(2)$age`, or `wave(2001)$status`
#' @noRd
is_of_one <- function(x, own) {
  called(x) == "$" && is.call(x[[2]]) &&
    called(x[[2]]) == part_calls(own)[["one"]]
}

#' Rules of the wide file: those of each member, those across members, that a
#' member exists as a whole and only after the one before it, and their order
#' @return (list of expressions)
#' @noRd
wide_rules <- function(rules, own, specs) {
  later <- seq_len(own$slots)[-1]
  exist <- if (is.null(own$waves)) {
    unlist(lapply(later, function(slot) {
      lapply(own$columns, function(name) {
        too_few <- call("<", as.name(first_column(own)), slot)
        bquote(.(absent(name, slot, own, specs)) == (.(too_few)))
      })
    }), recursive = FALSE)
  } else if (!own$waves$complete) {
    wave_rules(own, specs)
  }
  each <- lapply(rules, function(rule) {
    used <- asked_columns(rule, own)
    slots <- if (length(used) > 0) seq_len(own$slots) else 1L
    lapply(slots, function(slot) {
      named <- member_rule(rule, slot, own, specs)
      asked <- c(
        named_slots(rule, own), if (length(used) > 0) list(list(used[1], slot))
      )
      # Messages show the rule as it was stated
      code <- excused(named, asked, own, specs)
      # Nothing can be attached to a name, of a flag
      if (is.name(code)) code <- call("(", code)
      structure(code, text = deparse1(rule))
    })
  })
  sorted <- if (is.null(own$waves)) lapply(later, order_rules, own, specs)
  c(exist, unlist(c(each, sorted), recursive = FALSE))
}

#' A wave exists as a whole, and none before the first
#'
#' By rules of two columns alone, so that a wave moves by itself.
#' @return (list of expressions)
#' @noRd
wave_rules <- function(own, specs) {
  entry <- as.name(first_column(own))
  codes <- own$waves$codes
  unlist(lapply(seq_len(own$slots), function(slot) {
    hub <- absent(own$waves$hub, slot, own, specs)
    later <- codes[-seq_len(slot)]
    c(lapply(own$columns, function(name) {
      none <- absent(name, slot, own, specs)
      bquote(!.(none) | !(.(entry) %in% .(codes[slot])))
    }), if (length(later) > 0) {
      lapply(own$columns, function(name) {
        none <- absent(name, slot, own, specs)
        bquote(.(none) | !(.(entry) %in% .(later)))
      })
    }, lapply(setdiff(own$columns, own$waves$hub), function(name) {
      bquote(.(hub) == .(absent(name, slot, own, specs)))
    }))
  }), recursive = FALSE)
}

#' Columns of members that a rule asks; of one that names the wave alone, the
#' column that tells whether there is one
#' @noRd
asked_columns <- function(rule, own) {
  used <- bare_columns(rule)
  kept <- intersect(used, own$columns)
  if (length(kept) == 0 && any(used == own$waves$column)) {
    return(own$waves$hub)
  }
  kept
}

#' Members stand in the order of the first column of `order`, a missing one last
#' @return (list of expressions)
#' @noRd
order_rules <- function(slot, own, specs) {
  first <- names(own$order)[1]
  spec <- specs[[first]]
  own_column <- as.name(slot_name(first, slot, own))
  before <- as.name(slot_name(first, slot - 1, own))
  if (spec$kind$valued) {
    asked <- lapply(slot - 1:0, function(k) list(first, k))
    sign <- if (own$order[1] < 0) ">=" else "<="
    last <- bquote(!is.na(.(before)) | is.na(.(own_column)))
    return(lapply(
      c(list(call(sign, before, own_column)), if (spec$missing) last),
      excused, asked, own, specs
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
absent <- function(name, slot, own, specs) {
  spec <- specs[[name]]
  value <- if (spec$kind$valued) {
    spec$kind$typed(absent_code(spec))
  } else {
    levels <- member_levels(spec, slot, own)
    last <- levels[length(levels)]
    number <- text_number(levels)
    if (anyNA(number)) last else number[length(number)]
  }
  column <- as.name(slot_name(name, slot, own))
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
excused <- function(rule, asked, own, specs) {
  asked <- unique(Filter(function(one) {
    length(one) > 0 && may_lack(one[[2]], own)
  }, asked))
  for (one in asked) {
    rule <- bquote(.(absent(one[[1]], one[[2]], own, specs)) | (.(rule)))
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
  over <- unlist(lapply(list(NULL, list(waves = TRUE)), part_calls))
  if (!is.call(x) || fn %in% c("$", over)) {
    return(character())
  }
  unique(unlist(lapply(as.list(x)[-1], bare_columns)))
}

called <- function(x) if (is.name(x[[1]])) as.character(x[[1]]) else ""

#' Members that a rule names by number
#' @return (list of lists) A column and its slot.
#' @noRd
named_slots <- function(x, own) {
  if (!is.call(x)) {
    return(NULL)
  }
  one <- slot_asked(x, own)
  if (!is.null(one)) {
    return(list(one))
  }
  unlist(lapply(as.list(x)[-1], named_slots, own), recursive = FALSE)
}

#' @return (list or `NULL`) The column and the slot that `x` names.
#' @noRd
slot_asked <- function(x, own) {
  if (!is_of_one(x, own)) {
    return(NULL)
  }
  asked <- x[[2]][[2]]
  slot <- if (is.null(own$waves)) {
    as.double(asked)
  } else {
    match(wave_codes(asked), own$waves$codes)
  }
  list(as.character(x[[3]]), slot)
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
  one <- slot_asked(x, own)
  if (!is.null(one)) {
    check_slot_asked(one, x, own)
    return(slot_column(one[[1]], one[[2]], own, specs))
  }
  fn <- called(x)
  if (fn %in% part_calls(own)[c("any", "n")]) {
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
    slot_name(name, slot, own)
  } else if (name %in% own$size) {
    first_column(own)
  } else {
    name
  })
}

#' A flag of a member is a level of text in the wide file
#' @noRd
slot_column <- function(name, slot, own, specs) {
  if (identical(name, own$waves$column)) {
    number <- text_number(own$waves$codes)
    return(if (anyNA(number)) own$waves$codes[slot] else number[slot])
  }
  symbol <- slot_symbol(name, slot, own)
  spec <- specs[[name]]
  flag <- name %in% own$columns && !spec$kind$valued &&
    is.logical(spec$kind$rule_value(1L, spec))
  if (flag) bquote((.(symbol) == "TRUE")) else symbol
}

check_slot_asked <- function(one, x, own) {
  fine <- one[[1]] %in% own$columns && isTRUE(one[[2]] %in% seq_len(own$slots))
  part <- part_words(own)[["part"]]
  which <- if (is.null(own$waves)) {
    paste("from 1 to", own$slots)
  } else {
    "that is stated in the plan"
  }
  refuse_if(
    !fine, "{.code {part}(k)$column} must name a {part}'s column, and a {part}
    {which}.",
    x = if (one[[1]] %in% own$columns) {
      if (is.null(own$waves)) {
        "A rule asks another {part} for {.val {one[[1]]}}."
      } else {
        "There is no such wave: the waves are {.val {own$waves$codes}}."
      }
    } else if (one[[1]] %in% own$household) {
      "{.val {one[[1]]}} is shared by all of them: it has no {part}."
    } else {
      "{.val {one[[1]]}} is no such column."
    },
    arg = "rules"
  )
}

#' `any_member()` and `n_members()` as sums over members
#' @noRd
over_members <- function(x, own, specs) {
  joined <- if (called(x) == part_calls(own)[["any"]]) "|" else "+"
  if (length(x) == 1 && is.null(own$waves)) {
    return(as.name(first_column(own)))
  }
  condition <- if (length(x) == 1) TRUE else x[[2]]
  used <- if (length(x) == 1) own$waves$hub else asked_columns(condition, own)
  refuse_if(
    length(used) == 0,
    "{.fn {called(x)}} must ask a column of {part_words(own)[['parts']]}.",
    x = "{.code {deparse1(x)}} asks none.", arg = "rules"
  )
  if (length(x) > 1) check_decided(x, own, specs)
  each <- lapply(seq_len(own$slots), function(slot) {
    met <- bquote((.(member_rule(condition, slot, own, specs))))
    if (!may_lack(slot, own)) {
      return(met)
    }
    bquote((!.(absent(used[1], slot, own, specs)) & .(met)))
  })
  bquote((.(Reduce(function(a, b) call(joined, a, b), each))))
}

#' Refuse a condition that compares values of members
#'
#' A rule compares values once, but each member would be compared.
#' @noRd
check_decided <- function(x, own, specs) {
  condition <- x[[2]]
  used <- all.vars(condition)
  known <- all(used %in% c(
    own$columns, own$household, own$size, own$waves$column
  ))
  if (own$slots == 1 || !known || names_members(condition, own)) {
    return(invisible())
  }
  at <- rule_room(used, specs, deparse1(x))
  rule_value(condition, c(at, list(assumed = TRUE)))
  compared <- at$found$comparison
  name <- intersect(c(compared$left, compared$right), own$columns)
  if (length(name) == 0) {
    return(invisible())
  }
  alone <- is.null(own$waves) && length(used) == 1 &&
    called(condition) %in% names(turned_around)
  sign <- if (compared$fn %in% c(">", ">=")) "-" else ""
  one <- paste0("member(1)$", name, " ", compared$fn, " ", compared$right)
  abort_input(
    "{.fn {called(x)}} must ask categories, or the parts of amounts.",
    x = "{.code {deparse1(x)}} compares values of {.val {name}}.",
    i = if (alone) {
      "Whether there is such a member, the first one says in the order
       {.code ~ {sign}{name}} of {.fn members}: {.code ~ {one}}."
    },
    i = "Or add a category to the file that says so of each
         {part_words(own)[['part']]}.",
    arg = "rules", class = "pseudosynth_error_rule"
  )
}
