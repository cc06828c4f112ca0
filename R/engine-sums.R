# Counts and sums of a response over the records of a file, by combination of
# the published values. Each part of the file is asked, and what they say is
# added: no response leaves a database.

#' Do many records of a response share its values?
#' @noRd
has_few_values <- function(response) {
  has_labels(response) || response$kind == "count"
}

#' Between the codes of levels, which are whole numbers from 0
#' @noRd
level_breaks <- function(response) seq_along(response$levels)[-1] - 1.5

#' What a score release asks of the records
#'
#' @param parts (list) See typed_parts(), of the response and the columns of
#'   `cells`.
#' @param cells (list) See new_engine().
#' @return (list) `queries` (as text, of `whole` and `tally`) and functions:
#'   `check()` refuses values that the model cannot take; `facts(scale)`, see
#'   facts_of(); `outside(bounds)` counts records; `whole(at, clip)` gives the
#'   whole sums `inside` and `q` by combination, see sql_whole(), and
#'   `tally(breaks)` lists `cell` (place in `cells`), `bin` and `n`.
#' @noRd
response_sums <- function(parts, response, cells) {
  # A part that a condition leaves without records adds nothing
  some <- vapply(cells$of_parts, sum, 0) > 0
  parts <- Map(function(part, n) {
    response_part(part, response, cells, n)
  }, parts[some], cells$of_parts[some])
  each <- function(f) lapply(parts, f)
  size <- length(cells$n)
  list(
    queries = list(
      whole = function(at, clip) {
        unlist(each(function(part) part$whole(at, clip)))
      },
      tally = function(breaks) unlist(each(function(part) part$tally(breaks)))
    ),
    check = function() check_response_values(parts, response),
    facts = function(scale) facts_of_parts(parts, scale),
    outside = function(bounds) {
      counts_of_parts(parts, function(part) {
        ends <- sql_value(part$backend, as.double(bounds))
        sprintf("(%1$s) < %2$s OR (%1$s) > %3$s", part$own, ends[1], ends[2])
      })[[2]]
    },
    whole = function(at, clip) {
      found <- each(function(part) asked_whole(part, at, clip))
      data.frame(
        inside = added(found, "inside", size), q = added(found, "q", size)
      )
    },
    tally = function(breaks) {
      found <- each(function(part) asked_tally(part, breaks))
      added_tallies(do.call(rbind, found), length(breaks) + 1)
    }
  )
}

#' A part with how its queries read the response
#'
#' @param n (double) Records of each combination in this part.
#' @return (list) The part with `cell` (places of its combinations) and `n`
#'   (their records), `own` and `modelled` (strings, see sql_own() and
#'   sql_modelled(), of the column), `facts` (strings by scale, see
#'   check_stated_numbers()), `variable`, `numbers` (of `cell`) and
#'   queries: `whole(at, clip)`, of all combinations, and `tally(breaks)`.
#' @noRd
response_part <- function(part, response, cells, n) {
  part$backend <- backend <- probed_backend(part, response$transform == "log")
  part$cell <- cell <- which(n > 0)
  part$n <- n[cell]
  variable <- part$columns[[response$name]]
  columns <- part$columns[names(cells$values)]
  # Queries have the combinations that this part holds, and no others
  held <- list(values = lapply(cells$values, `[`, cell), n = part$n)
  numbers <- cell_numbers(backend, columns, held)
  part$own <- sql_own(backend, response, variable)
  part$modelled <- sql_modelled(backend, response, part$own)
  uncut <- sql_own(backend, replace(response, "limits", list(NULL)), variable)
  part$facts <- list(
    own = uncut, modelled = part$modelled,
    whole = sql_modelled(backend, response, uncut)
  )
  # In queries that start from records the response is y
  named <- sql_own(backend, response, replace(variable, "read", "y"))
  modelled <- sql_modelled(backend, response, named)
  scored <- sql_scored(backend, response, modelled)
  records <- list(
    from = part$from, columns = columns, variable = variable, numbers = numbers,
    counted = !backend$sorts && has_few_values(response)
  )
  part$whole <- function(at, clip) {
    sql_whole(backend, records, scored, at[cell, , drop = FALSE], clip)
  }
  part$tally <- function(breaks) sql_tally(backend, records, modelled, breaks)
  c(part, list(variable = variable, numbers = numbers$number))
}

#' @param found (list of data frame) Each with `cell`.
#' @return (double) Sums of a column by cell.
#' @noRd
added <- function(found, column, size) {
  sums_by_code(
    unlist(lapply(found, `[[`, column)), unlist(lapply(found, `[[`, "cell")),
    size
  )
}

asked_whole <- function(part, at, clip) {
  found <- part$ask(part$whole(at, clip))
  own <- match(found$cell, part$numbers)
  whole <- function(x) all(is.finite(x) & x == round(x))
  check_as_counted(part$log, own, found$n, part$n,
    whole(found$q) && whole(found$inside) &&
      all(abs(found$q) <= score_steps * found$n) &&
      all(found$inside >= 0 & found$inside <= found$n) &&
      all(found$lost == 0)
  )
  data.frame(cell = part$cell[own], inside = found$inside, q = found$q)
}

asked_tally <- function(part, breaks) {
  found <- part$ask(part$tally(breaks))
  own <- match(found$cell, part$numbers)
  n <- if (!anyNA(own)) sums_by_code(found$n, own, length(part$n))
  check_as_counted(part$log, seq_along(n), n, part$n,
    all(found$bin %in% seq_len(length(breaks) + 1))
  )
  data.frame(cell = part$cell[own], bin = found$bin, n = found$n)
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

#' Refuse sums that cannot be those of the records that were counted
#'
#' Necessary, not sufficient: the last step of each record bounds what it adds.
#' @param cell (integer) Which of the combinations have records.
#' @param n,counted (double) Records of these, and as counted of all.
#' @param good (flag) Are the sums what they may be?
#' @noRd
check_as_counted <- function(log, cell, n, counted, good) {
  holds <- setequal(cell, seq_along(counted)) &&
    length(cell) == length(counted) && identical(as.double(n), counted[cell])
  refuse_if(
    !(holds && good),
    "The database must sum over the same records that it counted.",
    x = "Combinations, counts or limits differ between two queries.",
    i = "The table may change while it is read, or the engine may compute
         differently. Write the file to a table of its own.",
    i = if (isTRUE(log$paid)) still_spent,
    arg = "data", class = "pseudosynth_error_engine"
  )
}

# Checks -----------------------------------------------------------------------

#' How many records there are, and for how many something holds
#' @param holds (function of a part) Gives conditions.
#' @return (double)
#' @noRd
counts_of_parts <- function(parts, holds) {
  Reduce(`+`, lapply(parts, function(part) counted_where(part, holds(part))))
}

#' Refuse responses that the model cannot take
#'
#' As new_response() does of records in memory.
#' @param parts (list) See response_part().
#' @noRd
check_response_values <- function(parts, response) {
  faults <- function(part) response_faults(part, response)
  is <- c(
    missing = "missing", infinite = "not finite", negative = "negative",
    fraction = "not a whole number",
    outside = "a value that the model cannot take",
    finer = "a number with more decimals than stated", huge = "above 2^53"
  )
  found <- counts_of_parts(parts, faults)
  n <- found[1]
  wrong <- stats::setNames(found[-1], names(faults(parts[[1]])))
  wrong <- wrong[wrong > 0]
  refuse_if(
    length(wrong) > 0,
    "The response {.val {response$name}} must have a value that
     {.code {response_label(response)}} can take, in every record.",
    x = "It is {is[[names(wrong)[1]]]} for {format_count(wrong[[1]])} of
         {format_count(n)} records.",
    i = "Leave these records out by {.fn filter}, or correct the column in the
         database.", arg = "data"
  )
}

#' What may be wrong with a response
#' @return (named character) Conditions.
#' @noRd
response_faults <- function(part, response) {
  backend <- part$backend
  own <- part$own
  modelled <- part$modelled
  column <- part$variable$read
  labels <- has_labels(response)
  raw <- if (!labels) sql_as_double(part$variable)
  number <- function(x) sql_value(backend, as.double(x))
  unit <- number(10^response$digits)
  # Whole in units of the last stated decimal, but for how it is stored. What is
  # too large to have decimals is not looked at, nor is its product taken.
  step <- sprintf("(%s) * %s", own, unit)
  size <- sprintf("ABS(%s)", own)
  rounds <- !labels && "digits" %in% response$stated && !is.na(response$digits)
  c(
    missing = sprintf("%s IS NULL", column),
    infinite = if (!labels) {
      sprintf("%s > %s OR %s < %s", raw, number(.Machine$double.xmax), raw,
        number(-.Machine$double.xmax))
    },
    negative = if (response$kind == "count") sprintf("(%s) < 0", own),
    fraction = if (response$kind == "count") {
      sprintf("(%s) <> %s", own, sql_floor(backend, sprintf("(%s)", own)))
    },
    outside = if (!is.null(response$bounds)) {
      sprintf("%s <= 0 OR %s >= 1", modelled, modelled)
    } else if (labels && is.null(response$levels)) {
      sprintf("(%s) <> 0 AND (%s) <> 1", own, own)
    } else {
      sprintf("(%s) IS NULL AND NOT %s IS NULL", modelled, column)
    },
    finer = if (rounds) {
      sprintf(
        paste(
          "CASE WHEN %s > 0 AND %s < %s THEN 1 WHEN %s >= %s THEN 0",
          "WHEN ABS(%s - %s) > 1e-6 THEN 1 ELSE 0 END = 1"
        ), size, size, number(1e-100), size,
        number(min(1e15, 1e15 / 10^response$digits)), step, sql_floor(
          backend, sprintf("(%s + %s)", step, number(0.5))
        )
      )
    },
    huge = if (response$kind == "count") {
      sprintf("(%s) > 9007199254740992", own)
    }
  )
}

# Numbers in a query at a time: engines take some hundred columns
asked_at_once <- 100

#' See facts_of(): no response is in an answer
#' @param scale (string) See check_stated_numbers().
#' @noRd
facts_of_parts <- function(parts, scale) {
  asks <- lapply(parts, scale_asker, scale)
  all <- lapply(asks, function(ask) {
    ask(c(
      sql_total("COUNT(w)", "n"), "MAX(m) AS mean",
      "SUM((w - m) * (w - m)) AS square"
    ))
  })
  of <- function(name) vapply(all, `[[`, 1, name)
  n <- sum(of("n"))
  mean <- weighted_mean(of("mean"), of("n"))
  square <- sum(of("square") + of("n") * (of("mean") - mean)^2)
  number <- lapply(parts, function(part) {
    function(x) sql_value(part$backend, as.double(x))
  })
  list(
    n = n, mean = mean, sd = sqrt(square / max(1, n - 1)),
    finer = function(digits) {
      power <- format_exact(10^digits)
      more <- sprintf(
        "AVG(CASE WHEN ABS(w * %1$s - ROUND(w * %1$s)) > 1e-6 THEN 1.0
        ELSE 0.0 END) AS more", power
      )
      weighted_mean(vapply(asks, function(ask) ask(more), 1), of("n"))
    },
    counts = function(stated) {
      Reduce(`+`, Map(counts_around, asks, number, list(stated)))
    },
    between = function(stated, points) {
      is_between(parts, scale, number[[1]], stated, points)
    }
  )
}

#' The response of a part on a scale, as the column `w`
#' @noRd
sql_scale <- function(part, scale) {
  number <- sql_double(sprintf("(%s)", part$facts[[scale]]))
  w <- sql_within(part$backend, number, c(-1, 1) * 1e140)
  sql_query(sprintf("%s AS w", w), part$from)
}

#' What asks for facts of the response `w`, whose mean is `m`
#' @noRd
scale_asker <- function(part, scale) {
  s <- c(s = sql_scale(part, scale))
  once <- if (!part$backend$passes_on) c("s", "p")
  mean <- sql_query("AVG(w) AS m", "s")
  if (part$backend$passes_on) {
    # A number by itself: the other server then adds up all that follows
    mean <- part$ask(sql_query("AVG(w) AS m", "s", with = s, once = once))$m
    mean <- sprintf("SELECT %s AS m", sql_value(part$backend, as.double(mean)))
  }
  function(select) {
    unlist(part$ask(sql_query(
      select, "s CROSS JOIN p", with = c(s, p = mean), once = once
    )))
  }
}

counts_around <- function(ask, number, stated) {
  some <- (seq_len(nrow(stated)) - 1) %/% asked_at_once
  do.call(rbind, lapply(unname(split(stated, some)), function(some) {
    i <- seq_len(nrow(some))
    same <- 1e-9 * abs(some$number)
    found <- ask(sql_number(c(
      sprintf("w < %s", number(some$from)),
      sprintf("w > %s", number(some$to)),
      sprintf(
        "w >= %s AND w <= %s", number(some$number - same),
        number(some$number + same)
      )
    ), sprintf("%s%d", rep(c("b", "a", "e"), each = length(i)), i)))
    found <- matrix(as.double(found), ncol = 3)
    data.frame(below = found[, 1], above = found[, 2], equal = found[, 3])
  }))
}

#' @param points (double) See facts_of().
#' @noRd
is_between <- function(parts, scale, number, stated, points) {
  v <- number(stated$number)
  gaps <- vapply(parts, function(part) {
    sql_query(c(
      sprintf("MAX(CASE WHEN w < %s THEN w END) AS low", v),
      sprintf("MIN(CASE WHEN w > %s THEN w END) AS high", v)
    ), sprintf("(\n%s\n) s", sql_scale(part, scale)))
  }, "")
  gap <- sql_query(
    c("MAX(low) AS low", "MIN(high) AS high"),
    sprintf("(\n%s\n) e", paste(gaps, collapse = "\nUNION ALL "))
  )
  point <- sprintf("low + %s * (high - low)", number(points))
  any(unlist(parts[[1]]$ask(sql_query(sprintf(
    "CASE WHEN %1$s >= %2$s AND %1$s <= %3$s THEN 1 ELSE 0 END AS t%4$d",
    point, number(stated$from), number(stated$to), seq_along(points)
  ), "g", with = c(g = gap)))) == 1)
}

# A trial of the engine --------------------------------------------------------

# What an engine must do as stated, tried before anything rests on it.

#' Try what the release rests on, on numbers and text that are nobody's
#' @param log (flag) Is the logarithm needed?
#' @return (list) The backend, with the engine's name for the natural logarithm.
#' @noRd
probed_backend <- function(part, log) {
  backend <- part$backend
  number <- function(x) sql_value(backend, as.double(x))
  text <- function(x, y) {
    sprintf("CASE %s WHEN %s THEN 1 ELSE 0 END", trimws(paste(
      sql_value(backend, x), backend$collate
    )), sql_value(backend, y))
  }
  points <- c(-1.5, -0.25, 0, 2.5, 1023.75)
  floors <- sql_floor(
    backend, sprintf("(%s + %s)", number(points), number(0.5))
  )
  probe <- sql_query(
    c(
      sprintf("%s AS f%d", sql_double(floors), seq_along(floors)),
      sprintf("%s AS a", text("a", "A")), sprintf("%s AS b", text("a ", "a")),
      sprintf("CASE WHEN v > 0 THEN 1 ELSE 0 END AS c")
    ), "s", with = c(s = "SELECT NULLIF(1, 1) AS v")
  )
  found <- unlist(part$ask(probe))
  expected <- c(floor(points + 0.5), 0, 0, 0)
  if (!identical(as.double(found), expected)) {
    abort_query(backend, "round, compare text and treat NULL as expected")
  }
  if (!log) {
    return(backend)
  }
  points <- c(0.5, 2, 10, 12345.678)
  for (name in unique(c(backend$ln, "LN", "LOG"))) {
    values <- tryCatch(
      unlist(part$ask(sql_query(sprintf(
        "%s(%s) AS l%d", name, number(points), seq_along(points)
      ), "(SELECT 1 AS one) s"))),
      pseudosynth_error_engine = function(e) NULL
    )
    right <- length(values) == length(points) &&
      all(abs(as.double(values) / log(points) - 1) < 1e-14)
    if (isTRUE(right)) {
      backend$ln <- name
      return(backend)
    }
  }
  abort_query(
    backend, "compute natural logarithms",
    i = backend$no_log
  )
}
