# Sets of a fitted sequence: column after column, each from those before.

# A value that breaks a rule is drawn again, then the whole record
most_attempts <- c(values = 200, records = 100)

#' @param x (`file_synthesizer`)
#' @param draws (integer, m) Which parameter draw each of m sets takes.
#' @param n (count) Records of a set.
#' @param remote (flag) See draw_each().
#' @return (list of data frames)
#' @noRd
draw_sequence_sets <- function(x, draws, n, seed, remote = FALSE) {
  sequence_sets(sequence_drawer(x, n, decoded = TRUE), draws, seed, remote)
}

#' The same, as level numbers and amounts: see records_of_plan()
#' @noRd
draw_sequence_records <- function(x, draws, n, seed) {
  sequence_sets(sequence_drawer(x, n, decoded = FALSE), draws, seed, FALSE)
}

sequence_sets <- function(draw, draws, seed, remote) {
  drawn_each(length(draws), draw, function(s) {
    list(
      draw = draws[s],
      words = seed_words(stage_seed(seed, "set", s), "synthesize")
    )
  }, remote)
}

#' What draws a set, see draw_each()
#' @return (function of an item) Of `draw` (which parameter draw) and `words`.
#' @noRd
sequence_drawer <- function(x, n, decoded) {
  force(x)
  force(n)
  force(decoded)
  function(item) {
    plan <- x$plan
    specs <- column_specs(plan$codebook)[names(plan$schema)]
    rules <- rules_by_column(plan, names(x$models))
    records <- draw_sequence(
      x, n, records_of_plan(plan), specs, rules, item$draw,
      random_numbers(item$words)
    )
    if (!decoded) {
      return(records)
    }
    decode_records(plan, records$codes, amounts_of(records))
  }
}

#' Uniform numbers of one set: each call has a stream of its own
#' @param words (two words) The set's own, see seed_words().
#' @noRd
random_numbers <- function(words) {
  asked <- 0L
  function(n) {
    asked <<- asked + 1L
    uniforms_(n, words, asked)
  }
}

#' The records of one set
#' @param file (list) See records_of_plan(); `specs` and `rules` of its columns.
#' @param set (count) Its number.
#' @noRd
draw_sequence <- function(x, n, file, specs, rules, set, random) {
  records <- published_records(x$plan, file, n)
  rows <- seq_len(n)
  for (round in seq_len(most_attempts[["records"]])) {
    drawn <- draw_records(
      x, records_at(records, rows), file, specs, rules, set, random
    )
    records <- with_records(records, rows, drawn$records)
    rows <- rows[drawn$broken]
    if (length(rows) == 0) {
      return(records)
    }
  }
  abort_of_rules(x$plan, rows)
}

#' Records of which the published columns are known, and no other
#' @noRd
published_records <- function(plan, file, n) {
  records <- records_at(file, rep_len(seq_len(plan$n_records), n))
  records$codes[, !colnames(records$codes) %in% plan$published] <- 1L
  drawn <- setdiff(names(records$values), plan$published)
  records$values[drawn] <- list(rep(NA_real_, n))
  records
}

abort_of_rules <- function(plan, rows) {
  abort_input(
    "The models must be able to draw values that meet the rules.",
    x = "They cannot do so for {length(rows)} record{?s} of a set.",
    i = "The rules are {.code {rule_texts(plan)}}. Draw the columns of
         a rule directly after one another, or leave the rule out.",
    arg = "rules", class = "pseudosynth_error_rule"
  )
}

with_records <- function(records, rows, other) {
  records$codes[rows, ] <- other$codes
  records$values <- Map(
    function(all, some) replace(all, rows, some), records$values, other$values
  )
  records
}

#' All columns of some records
#' @return (list) `records`, and `broken` (logical): those that break a rule.
#' @noRd
draw_records <- function(x, records, file, specs, rules, set, random) {
  plan <- x$plan
  n <- nrow(records$codes)
  broken <- logical(n)
  breaking <- function(name, rows) {
    if (length(rules[[name]]) == 0 || length(rows) == 0) {
      return(integer())
    }
    rows[breaks_rules(
      rules[[name]], records_at(records, rows), specs, lengths(plan$levels)
    )]
  }
  for (name in names(x$models)) {
    tell_long_step(paste("Drawing", name), as.double(n) * length(x$models))
    there <- has_member(records, name, plan)
    if (!all(there)) {
      rows <- which(!there)
      records <- with_column(records, rows, name, list(
        code = absent_place(specs[[name]], plan), value = NA_real_
      ))
      broken[breaking(name, rows)] <- TRUE
    }
    own <- which(there)
    if (length(own) == 0) next
    draw <- column_drawer(
      x$kinds[[name]], x$models[[name]], records_with_member(file, name, plan),
      name, specs, records_at(records, own), set
    )
    at <- seq_along(own)
    for (attempt in c(0L, seq_len(most_attempts[["values"]]))) {
      records <- with_column(records, own[at], name, draw(at, attempt, random))
      at <- match(breaking(name, own[at]), own)
      if (length(at) == 0) break
    }
    broken[own[at]] <- TRUE
  }
  list(records = records, broken = broken)
}

#' What draws the values of a column, see tree_drawer()
#' @noRd
column_drawer <- function(kind, model, file, name, specs, records, set) {
  if (kind == "tree") {
    tree_drawer(model, file, name, specs, records)
  } else {
    regression_drawer(model, file, name, specs, records, set)
  }
}
