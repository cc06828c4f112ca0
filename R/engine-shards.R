# Several tables as one engine: each is asked by itself, and R adds what they
# say.

#' @return (list) `parts`, each a table or paths.
#' @noRd
check_parts <- function(parts, arg = "data") {
  good <- vapply(parts, is_one_source, NA)
  refuse_if(
    any(!good),
    "Each part must be a table of a database, or paths of files.",
    x = "Part {which(!good)[1]} is {describe_type(parts[[which(!good)[1]]])}.",
    i = "For instance {.code shards(tbl(con1, \"a\"), tbl(con2, \"b\"))}.",
    arg = arg
  )
  refuse_if(
    length(parts) < 2, "A file in parts must have two or more parts.",
    x = "There {cli::qty(length(parts))}{?is/are} {length(parts)}.", arg = arg
  )
  parts
}

#' Refuse a part that is given twice: its records would count twice
#' @noRd
check_shards_differ <- function(engines) {
  refuse_if(
    anyDuplicated(unlist(lapply(engines, `[[`, "marks"))) > 0,
    "Each record must be in one part of {.arg data} only.",
    x = "Two parts are the same table or file, or one is a partition of the
         other.",
    i = "Give each table once. If several conditions select its rows, join them
         by {.code |}.", arg = "data", class = "pseudosynth_error_rows"
  )
}

#' @param engines (list) See with_engine(), of one table each.
#' @noRd
shards_engine <- function(engines, log) {
  columns <- lapply(engines, function(engine) engine$all_columns())
  refuse_if(
    length(unique(lapply(columns, sort))) > 1,
    "All parts of {.arg data} must have the same columns.",
    x = "{.val {setdiff(Reduce(union, columns), Reduce(intersect, columns))}}
         {?is/are} not in all of them.",
    i = "By {.fn select}, take the same columns from each, under the same
         names.",
    arg = "data",
    class = "pseudosynth_error_engine"
  )
  own <- NULL
  list(
    log = log, all_columns = engines[[1]]$all_columns,
    types = function(names) shared_types(engines, names),
    cells = function(names) {
      own <<- lapply(engines, function(engine) engine$cells(names))
      joined_cells(own, names)
    },
    for_response = function(response, cells) {
      shards_sums(engines, own, response, cells)
    },
    records = function(names) shards_records(engines, names)
  )
}

#' The type of each column: numbers that are whole in some parts are numbers
#' @param empty (flag) May a column have no value in any part?
#' @return (named list) See with_engine().
#' @noRd
shared_types <- function(engines, names, empty = FALSE) {
  types <- lapply(engines, function(engine) engine$types(names, empty = TRUE))
  shared <- lapply(stats::setNames(nm = names), function(name) {
    # Some may have no record, or no value in it
    own <- Filter(Negate(is.null), lapply(types, `[[`, name))
    kinds <- unique(vapply(own, function(x) class(x)[1], ""))
    refuse_if(
      length(kinds) > 1 && !all(kinds %in% c("integer", "numeric")),
      "Column {.val {name}} must be numbers, text, or true and false in all
       parts of {.arg data}.",
      x = "It is {.or {kinds}}.", arg = "data",
      class = "pseudosynth_error_engine"
    )
    if (length(kinds) > 1) double() else if (length(own) > 0) own[[1]]
  })
  if (!empty) refuse_empty(shared)
  shared
}

joined_cells <- function(parts, names) {
  key <- unlist(lapply(parts, keys_of_cells))
  first <- !duplicated(key)
  refuse_many_cells(sum(first))
  values <- lapply(stats::setNames(nm = names), function(name) {
    unlist(lapply(parts, function(part) part$values[[name]]))[first]
  })
  n <- unlist(lapply(parts, `[[`, "n"))
  sorted_cells(list(
    values = values, n = sums_by_code(n, match(key, key[first]), sum(first))
  ))
}

#' See table_sums()
#' @param own (list) The combinations of each part.
#' @param cells (list) Of all parts.
#' @noRd
shards_sums <- function(engines, own, response, cells) {
  # A part that a condition leaves without records adds nothing
  some <- lengths(lapply(own, `[[`, "n")) > 0
  own <- own[some]
  parts <- Map(function(engine, cells) {
    engine$for_response(response, cells)
  }, engines[some], own)
  keys <- keys_of_cells(cells)
  place <- lapply(own, function(part) match(keys_of_cells(part), keys))
  size <- length(cells$n)
  tally <- function(breaks) {
    found <- Map(function(part, place) {
      one <- part$tally(breaks)
      data.frame(cell = place[one$cell], bin = one$bin, n = one$n)
    }, parts, place)
    added_tallies(do.call(rbind, found), length(breaks) + 1)
  }
  list(
    queries = list(
      whole = function(at, clip) {
        unlist(Map(function(part, place) {
          part$queries$whole(at[place, , drop = FALSE], clip)
        }, parts, place))
      },
      tally = function(breaks) {
        unlist(lapply(parts, function(part) part$queries$tally(breaks)))
      }
    ),
    check = function() for (part in parts) part$check(),
    facts = function(scale) {
      parts_facts(lapply(parts, function(part) part$facts(scale)))
    },
    outside = function(bounds) {
      sum(vapply(parts, function(part) as.double(part$outside(bounds)), 0))
    },
    whole = function(at, clip) {
      inside <- q <- numeric(size)
      for (i in seq_along(parts)) {
        to <- place[[i]]
        found <- parts[[i]]$whole(at[to, , drop = FALSE], clip)
        inside[to] <- inside[to] + found$inside
        q[to] <- q[to] + found$q
      }
      data.frame(inside = inside, q = q)
    },
    tally = tally
  )
}

#' Counts of the same bin and combination in several parts, added
#' @noRd
added_tallies <- function(found, bins) {
  key <- (found$cell - 1) * bins + found$bin
  met <- sort(unique(key))
  list(
    cell = as.integer((met - 1) %/% bins) + 1L,
    bin = as.integer((met - 1) %% bins) + 1L,
    n = sums_by_code(found$n, match(key, met), length(met))
  )
}

#' See table_records(): part after part
#' @noRd
shards_records <- function(engines, names) {
  shared <- shared_types(engines, names, empty = TRUE)
  parts <- lapply(engines, function(engine) table_records(engine, shared))
  # Whole numbers are integers where all of them fit, in every part
  types <- lapply(stats::setNames(nm = names), function(name) {
    own <- lapply(parts, function(part) part$types[[name]])
    Find(is.double, own) %||% own[[1]]
  })
  n <- sum(vapply(parts, `[[`, 0, "n"))
  refuse_few_records(n, 1)
  refuse_many_records(n)
  list(
    n = n, types = types, chunks = function(names, f) {
      for (part in parts) if (part$n > 0) part$chunks(names, function(found) {
        f(stats::setNames(Map(as_type, found, types[names]), names))
      })
    }
  )
}
