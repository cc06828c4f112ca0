# Rules that every record of a file must meet: from expressions to combinations
# of levels that must not occur. Only the codebook is looked at to read a rule.

# Some seconds of looking for a row that meets all rules
most_steps <- 1e4

# What a rule may call; each works on vectors of one element a combination
rule_functions <- c(
  "|", "&", "!", "(", "==", "!=", "<", "<=", ">", ">=", "%in%", "is.na", "xor",
  "+", "-", "*", "/", "c", ":"
)

rule_comparisons <- c("==", "!=", "<", "<=", ">", ">=")

#' Rules of a file as forbidden combinations of levels
#'
#' @param rules (list of code or `NULL`) See stated_rules().
#' @param plan (list) See plan_records().
#' @return (list) See `rules` in file_plan().
#' @noRd
file_rules <- function(rules, specs, plan) {
  if (is.null(rules)) {
    return(list())
  }
  levels <- plan$levels
  read <- lapply(rules, function(rule) {
    # Codes of dates that members have not are dates, of a class
    read_rule(bare_code_of(rule), specs, levels, attr(rule, "text"))
  })
  idle <- !vapply(read, function(rule) {
    nrow(rule$forbidden) + length(rule$compared) > 0
  }, NA)
  stated <- vapply(rules, function(rule) is.null(attr(rule, "text")), NA)
  if (any(idle & stated)) {
    texts <- vapply(read[idle & stated], `[[`, "", "text")
    tell_of(
      "idle_rule",
      "{cli::qty(length(texts))}Nothing that the codebook states can break the
       rule{?s} {.code {texts}}.",
      i = "Is a value or a name wrong?"
    )
  }
  # A rule about columns of one level always holds, but for what it compares
  read <- Filter(function(rule) {
    length(rule$columns) + length(rule$compared) > 0
  }, read)
  check_circles(read)
  read <- with_closed_cells(read, specs, levels)
  check_rules(read, specs, plan)
  read
}

#' Rules as they were stated, without those that follow from several together
#' @return (character)
#' @noRd
rule_texts <- function(plan) {
  if (!is.null(plan$members)) {
    return(plan$members$persons$rules)
  }
  stated <- Filter(function(rule) !isTRUE(rule$implied), plan$rules)
  vapply(stated, `[[`, "", "text")
}

#' Rules as code, in whichever way they were stated
#' @param rules As given to file_plan().
#' @return (list of code or `NULL`)
#' @noRd
stated_rules <- function(rules) {
  if (is.null(rules)) {
    return(NULL)
  }
  if (is.data.frame(rules) || !is.list(rules) && !is.character(rules)) {
    rules <- list(rules)
  }
  lapply(unname(as.list(rules)), function(rule) bare_code_of(rule_code(rule)))
}

rule_code <- function(rule) {
  text <- is.character(rule) && length(rule) == 1
  code <- if (text) or_else(str2lang(rule)) else rule
  formula <- is.call(code) && identical(code[[1]], quote(`~`))
  fits <- if (formula) length(code) == 2 else is.call(code) || is.name(code)
  refuse_if(
    !fits,
    "{.arg rules} must be one-sided formulas, quoted expressions or text of
     R code.",
    x = if (text) "{.val {rule}} is none." else if (formula) {
      "One has two sides."
    } else {
      "One is {describe_type(rule)}."
    },
    i = if (is.data.frame(rule) || is.list(rule)) {
      "What a release proposed stands in {.code release$proposed$rule}."
    },
    i = "For instance {.code ~ benefit == 0 | age >= 65}.", arg = "rules"
  )
  if (formula) code[[2]] else code
}

read_rule <- function(rule, specs, levels, text = NULL) {
  text <- text %||% deparse1(rule)
  check_rule_missing(rule, text)
  used <- all.vars(rule)
  unknown <- setdiff(used, names(specs))
  refuse_if(
    length(unknown) > 0, "Rules must only name columns of the file.",
    x = "{.code {text}} names {.val {unknown}}.", arg = "rules"
  )
  idle <- identifiers_among(used, specs)
  refuse_if(
    length(idle) > 0, "Rules must not name identifiers.",
    x = "{.code {text}} names {.val {idle}}, of type {.val id}.", arg = "rules"
  )
  refuse_if(
    length(used) == 0, "Rules must name columns of the file.",
    x = "{.code {text}} names none.", arg = "rules"
  )
  at <- rule_room(used, specs, text)
  grid <- at$grid
  # What levels leave open is a comparison of values: the rule with and without
  not_met <- lapply(c(TRUE, FALSE), function(assumed) {
    met <- rule_value(rule, c(at, list(assumed = assumed)))
    refuse_if(
      !is.logical(met) || !length(met) %in% c(1, nrow(grid)),
      "Rules must be true or false.", x = "{.code {text}} is neither.",
      arg = "rules"
    )
    rep_len(met %in% FALSE, nrow(grid))
  })
  broken <- not_met[[1]] & not_met[[2]]
  refuse_if(
    all(broken), "Some row must be able to meet each rule.",
    x = "None can meet {.code {text}}.", arg = "rules",
    class = "pseudosynth_error_rule"
  )
  kept <- intersect(names(levels), used)
  cells <- function(at) unname(grid[at, kept, drop = FALSE])
  list(
    text = text, columns = match(kept, names(levels)),
    forbidden = cells(broken),
    compared = rule_comparison(
      at$found$comparison, cells(not_met[[2]] & !broken),
      cells(not_met[[1]] & !broken)
    )
  )
}

#' Where a rule is read: all combinations of its columns' levels
#' @return (list) See rule_value(); `found` has the comparison of values.
#' @noRd
rule_room <- function(used, specs, text) {
  # A column of one level has no codes, but a value
  all <- lapply(specs[used], block_levels)
  cells <- prod(lengths(all))
  refuse_if(
    cells > most_combinations,
    "The columns of a rule must have at most {format_count(most_combinations)}
    combinations of levels.",
    x = "Those of {.code {text}} have {format_count(cells)}.",
    i = "State fewer levels, such as ranges, or an amount in place of levels;
         members need fewer {.arg slots}, or an order by a column of few levels,
         such as {.code ~ sex}.", arg = "rules"
  )
  list(
    grid = as.matrix(expand.grid(lapply(all, seq_along))), specs = specs,
    text = text, found = new.env(parent = baseenv())
  )
}

#' Refuse comparisons with NA, which are neither true nor false
#' @noRd
check_rule_missing <- function(x, text) {
  if (!is.call(x)) {
    refuse_if(
      is.atomic(x) && anyNA(x), "Rules must ask for missing values by
      {.fn is.na}.", x = "{.code {text}} uses {.code NA} as a condition, which
      is neither true nor false.",
      i = "For instance {.code ~ is.na(benefit) | age >= 65}.", arg = "rules"
    )
    return(invisible())
  }
  parts <- as.list(x)[-1]
  has_na <- vapply(parts, function(part) {
    any(vapply(rule_constants(part), anyNA, NA))
  }, NA)
  compared <- is.name(x[[1]]) &&
    as.character(x[[1]]) %in% c(rule_comparisons, "%in%")
  name <- utils::head(unlist(lapply(parts, all.vars)), 1)
  refuse_if(
    compared && any(has_na), "Rules must ask for missing values by
    {.fn is.na}.",
    x = "{.code {text}} compares with {.code NA}, which is neither true nor
         false.",
    i = if (length(name) > 0) {
      "Write {.code is.na({name})}, or {.code !is.na({name})}, and other values
       beside it, as in {.code is.na({name}) | {name} == ...}."
    },
    arg = "rules"
  )
  for (part in parts) check_rule_missing(part, text)
}

#' The constants of an expression
#' @noRd
rule_constants <- function(x) {
  if (is.call(x)) {
    return(unlist(lapply(as.list(x)[-1], rule_constants), FALSE))
  }
  if (is.name(x)) list() else list(x)
}

# Reading ----------------------------------------------------------------------

#' The value of an expression for every combination of levels
#' @param at (list) `grid` (matrix of level numbers), `specs`, `text`.
#' @noRd
rule_value <- function(x, at) {
  if (is.name(x)) {
    return(rule_column(as.character(x), at))
  }
  if (!is.call(x)) {
    return(x)
  }
  name <- if (is.name(x[[1]])) as.character(x[[1]]) else ""
  asked <- vapply(as.list(x)[-1], rule_amount, "", specs = at$specs)
  if (name == "part" && length(x) == 2 && is.name(x[[2]])) {
    column <- as.character(x[[2]])
    return(block_levels(at$specs[[column]])[at$grid[, column]])
  }
  refuse_if(
    !name %in% rule_functions,
    "Rules must only use {.code {rule_functions}} and {.code part()}.",
    x = "{.code {at$text}} uses {.code {deparse1(x[[1]])}}.",
    i = if (grepl("^(any_|n_)?(members?|waves?)$", name)) {
      "{.code {name}()} needs {.arg members}."
    },
    i = if (startsWith(name, "as.")) {
      "A date is text, such as {.code birth >= \"2019-01-31\"}."
    },
    arg = "rules"
  )
  if (any(nzchar(asked))) {
    return(amount_answer(name, x, asked, at))
  }
  values <- lapply(as.list(x)[-1], rule_value, at = at)
  joined <- name %in% c("|", "&", "!", "xor")
  number <- which(!vapply(values, is.logical, NA))
  refuse_if(
    joined && length(number) > 0, "Rules must be true or false.",
    x = "In {.code {at$text}}, {.code {deparse1(x[[number[1] + 1]])}} is
         neither.", arg = "rules"
  )
  text <- any(vapply(values, is.character, NA))
  if (name %in% c("==", "!=", "%in%")) {
    check_rule_levels(as.list(x)[-1], values, at)
    if (text) values <- Map(as_rule_levels, as.list(x)[-1], values, list(at))
  }
  unordered <- vapply(values, function(x) is.factor(x) && !is.ordered(x), NA)
  refuse_if(
    name %in% names(turned_around) && any(unordered),
    "Rules must ask for the order of ordered columns alone.",
    x = "{.code {at$text}} compares levels that have none.",
    i = "State the type {.val ordered}, or use {.code ==} and {.code %in%}.",
    arg = "rules"
  )
  values <- as_longer_levels(values)
  tryCatch(
    # Of base R, whatever the session has under these names
    do.call(get(name, baseenv()), values, quote = TRUE),
    warning = function(w) abort_rule(at, conditionMessage(w)),
    error = function(e) abort_rule(at, conditionMessage(e))
  )
}

abort_rule <- function(at, why) {
  abort_input(
    "Rules must be expressions that R can evaluate.",
    x = "{.code {at$text}}: {why}", arg = "rules"
  )
}

#' Refuse what is no level, or no part, of the column it is compared with
#' @param sides,values Both sides of a comparison, and their values.
#' @noRd
check_rule_levels <- function(sides, values, at) {
  constant <- vapply(sides, function(side) length(all.vars(side)) == 0, NA)
  if (sum(constant) != 1) {
    return(invisible())
  }
  side <- sides[[which(!constant)]]
  given <- values[[which(constant)]]
  of_part <- is.call(side) && identical(side[[1]], quote(part))
  spec <- at$specs[[if (is.name(side) || of_part) all.vars(side) else ""]]
  if (is.null(spec) || !of_part && is_amount(spec)) {
    return(invisible())
  }
  known <- if (of_part) block_levels(spec) else spec$levels
  numbers <- is.numeric(given) && is.numeric(values[[which(!constant)]])
  unknown <- given[!given %in% (if (numbers) text_number(known) else known)]
  refuse_if(
    length(unknown) > 0 && !is.logical(given),
    "Rules must name levels that the codebook states.",
    x = "{.code {at$text}} names {.val {as.character(unknown)}}.",
    i = if (any(c("NA", "", "missing") %in% unknown)) {
      "Missing values are asked for by {.fn is.na}."
    },
    arg = "rules"
  )
}

#' Two factors of which one has a last level more, as have later members
#' @noRd
as_longer_levels <- function(values) {
  if (length(values) == 2 && all(vapply(values, is.factor, NA))) {
    all <- lapply(values, levels)
    longer <- all[[which.max(lengths(all))]]
    short <- min(lengths(all))
    if (identical(utils::head(all[[1]], short), utils::head(all[[2]], short))) {
      values <- lapply(values, function(x) {
        factor(x, longer, ordered = is.ordered(x))
      })
    }
  }
  values
}

#' The name of the amount that an expression is, or nothing
#' @noRd
rule_amount <- function(x, specs) {
  name <- if (is.name(x)) as.character(x) else ""
  if (name %in% names(specs) && is_amount(specs[[name]])) name else ""
}

#' The values of a category or flag by combination
#' @noRd
rule_column <- function(name, at) {
  spec <- at$specs[[name]]
  if (is_amount(spec)) abort_undecided(at, name)
  spec$kind$rule_value(at$grid[, name], spec)
}

#' Levels that are numbers as the text they are, where text is what they are
#' compared with
#' @param x,value An argument and its value by combination.
#' @noRd
as_rule_levels <- function(x, value, at) {
  if (!is.name(x) || !is.numeric(value)) {
    return(value)
  }
  levels <- unname(at$specs[[as.character(x)]]$levels)
  factor(levels[at$grid[, as.character(x)]], levels)
}

# Amounts ----------------------------------------------------------------------

#' What the parts of an amount say to a question about its value
#' @param fn (string) The function that is called on it.
#' @param asked (character) Names of amounts by argument, `""` for others.
#' @noRd
amount_answer <- function(fn, x, asked, at) {
  place <- which(nzchar(asked))
  name <- asked[place[1]]
  spec <- at$specs[[name]]
  parts <- amount_parts(spec)
  code <- at$grid[, name]
  if (fn == "is.na" && length(asked) == 1) {
    return((parts$kind == "missing")[code])
  }
  if (length(place) == 2 && fn %in% names(turned_around)) {
    return(amounts_compared(fn, asked, at))
  }
  known <- length(asked) == 2 && length(place) == 1 &&
    (fn %in% rule_comparisons || (fn == "%in%" && place == 1)) &&
    length(all.vars(x[[4 - place]])) == 0
  if (!known) abort_undecided(at, name)
  others <- spec$kind$rule_number(rule_value(x[[4 - place]], at))
  single <- is.numeric(others) && !anyNA(others) &&
    (fn == "%in%" || length(others) == 1)
  if (!single) abort_undecided(at, name)
  # 5 < x is x > 5
  if (place == 2 && fn %in% names(turned_around)) fn <- turned_around[[fn]]
  answers <- if (fn == "%in%") {
    equal <- vapply(others, function(v) part_answers("==", v, parts),
      logical(nrow(parts))
    )
    # A missing value is not in a set
    equal[parts$kind == "missing", ] <- FALSE
    apply(matrix(equal, nrow(parts)), 1, any)
  } else {
    part_answers(fn, others, parts)
  }
  open <- is.na(answers) & parts$kind != "missing"
  if (any(open)) {
    if (!fn %in% names(turned_around)) abort_undecided(at, name)
    note_comparison(at, name, fn, others)
    answers[open] <- at$assumed
  }
  answers[code]
}

#' A comparison of all values of each part with a number
#' @return (logical) `NA` where some values say yes and others no.
#' @noRd
part_answers <- function(fn, number, parts) {
  if (fn == "!=") {
    return(!part_answers("==", number, parts))
  }
  low <- parts$low
  high <- parts$high
  # What is a part of its own is in no other
  alone <- number %in% parts$value
  yes <- switch(fn,
    "==" = low == number & high == number,
    "<" = high < number, "<=" = high <= number,
    ">" = low > number, ">=" = low >= number
  )
  no <- switch(fn,
    "==" = high < number | low > number | (parts$valued & alone) |
      !mapply(in_steps, number, parts$unit, parts$months),
    "<" = low >= number, "<=" = low > number,
    ">" = high <= number, ">=" = high < number
  )
  ifelse(yes, TRUE, ifelse(no, FALSE, NA))
}

# Together ---------------------------------------------------------------------

#' Can a row meet all rules together?
#'
#' Columns are set one after the other, and back, until all rules are met.
#' @return (flag) `TRUE` also where the search has taken too long to tell.
#' @noRd
can_meet_all <- function(rules, sizes) {
  # Columns of one level alone are met by their values
  rules <- Filter(function(rule) length(rule$columns) > 0, rules)
  open <- lapply(rules, function(rule) {
    allowed <- rep(TRUE, prod(sizes[rule$columns]))
    allowed[cell_number(rule$forbidden, sizes[rule$columns]) + 1] <- FALSE
    allowed
  })
  columns <- unique(unlist(lapply(rules, `[[`, "columns")))
  ends <- vapply(rules, function(rule) max(match(rule$columns, columns)), 1L)
  row <- integer(length(sizes))
  steps <- 0
  can_meet <- function(k) {
    steps <<- steps + 1
    if (k > length(columns) || steps > most_steps) {
      return(TRUE)
    }
    for (level in seq_len(sizes[columns[k]])) {
      row[columns[k]] <<- level
      fits <- all(vapply(which(ends == k), function(r) {
        at <- rules[[r]]$columns
        open[[r]][cell_number(t(row[at]), sizes[at]) + 1]
      }, TRUE))
      if (fits && can_meet(k + 1)) {
        return(TRUE)
      }
    }
    FALSE
  }
  can_meet(1)
}

#' Refuse a file whose records break a rule, and rules that no row can meet
#'
#' A record that meets all rules shows that they can be met.
#' @noRd
check_rules <- function(rules, specs, plan) {
  sizes <- lengths(plan$levels)
  broken <- over_chunks(plan_records(plan), function(own) {
    values <- compared_values(rules, specs, own$codes, own$amounts)
    lapply(rules, function(rule) {
      own$before + sort(unique(c(
        broken_records(rule, own$codes, sizes),
        unlist(lapply(rule$compared, function(one) {
          rows <- compared_rows(one, rule, own$codes, sizes)
          rows[!holds_comparison(one, values, rows)]
        }))
      )))
    })
  }, function(all, own) Map(c, all, own))
  bad <- which(lengths(broken) > 0)
  rows <- sort(unique(unlist(broken)))
  refuse_if(
    length(rows) == plan$n_records && !can_meet_all(rules, sizes),
    "Some row must be able to meet all rules together.",
    x = "None can: the rules contradict each other.", arg = "rules",
    class = "pseudosynth_error_rule"
  )
  texts <- vapply(bad, function(r) {
    n <- length(broken[[r]])
    sprintf(
      "%s not meet `%s`.",
      paste(counted(n, "record"), if (n == 1) "does" else "do"),
      rules[[r]]$text
    )
  }, "")
  if (length(bad) > 0) {
    abort_input(
      c(
        "Every record of the file must meet the rules.",
        x_bullets(utils::head(texts, 5))
      ),
      i = "Correct the records, or the rule.",
      i = "A rule that a release proposed may fail in a few records that noise
           hid: state it only if it must hold by what the columns mean.",
      arg = "rules", rows = rows,
      class = "pseudosynth_error_rule"
    )
  }
}
