# The records of a file as a plan keeps them: level numbers and amounts. A data
# frame is read at once, what an engine holds in chunks: no more of it is in
# memory than the plan and a chunk.

#' Run code on a file, wherever it lies
#'
#' @param data (data frame, table of a database or paths) See file_plan().
#' @param f (function of a list) `like` (named list of columns with their types
#'   and attributes, whose values are not looked at); `n` (records);
#'   `chunks(names, f)`, which calls `f` with a named list of columns for some
#'   records after the others; `row_names`, `tibble`,
#'   `in_chunks` (flags; the last: need memory not hold it?).
#' @param arg (string) What the user calls the file.
#' @noRd
with_file <- function(data, f, arg = "data") {
  if (rlang::is_bare_list(data)) {
    check_linked(data, arg)
    tables <- lapply(data, whole_table, arg)
    return(with_file(joined_tables(tables, arg), function(file) {
      f(c(file, list(tables = lapply(tables, names))))
    }, arg))
  }
  if (!has_engine(data)) {
    check_data_frame(data, columns = 1, arg = arg)
    # As they are: a tibble's subset would be one
    columns <- lapply(stats::setNames(nm = names(data)), function(name) {
      data[[name]]
    })
    return(f(list(
      like = columns, n = nrow(data),
      chunks = function(names, f) f(columns[names]),
      row_names = is.character(attr(data, "row.names")),
      tibble = is_tibble(data)
    )))
  }
  with_engine(data, function(engine) {
    columns <- engine$all_columns()
    refuse_if(
      length(columns) == 0, "{.arg data} must have at least 1 column.",
      x = "It has 0.", arg = "data"
    )
    records <- engine$records(columns)
    f(list(
      like = records$types, n = records$n, chunks = records$chunks,
      row_names = FALSE, tibble = FALSE, in_chunks = TRUE
    ))
  })
}

#' A table in memory: engines hold no two of one moment
#' @noRd
whole_table <- function(data, arg) {
  if (!has_engine(data)) {
    return(check_data_frame(data, columns = 1, arg = arg))
  }
  with_file(data, function(file) {
    own <- read_once(file, names(file$like))
    own$chunks(names(file$like), list2DF)
  }, arg)
}

#' A file whose records have one order, whoever reads them
#'
#' What an engine holds has none: a second pass may give another one, and the
#' members of a household would be somebody else.
#' @noRd
read_once <- function(file, names) {
  if (isTRUE(file$in_chunks)) {
    check_records_fit(file$n, 2 * length(names), 0, "members()")
  }
  parts <- list()
  file$chunks(names, function(chunk) parts <<- c(parts, list(chunk)))
  columns <- parts[[1]]
  if (length(parts) > 1) {
    columns <- lapply(stats::setNames(nm = names), function(name) {
      do.call(c, lapply(parts, `[[`, name))
    })
  }
  file$chunks <- function(names, f) f(columns[names])
  file$in_chunks <- FALSE
  file
}

#' The records of a plan, see over_chunks()
#'
#' @param plan (list) `codes`, `amounts`, `levels` and `n_records`, and `stored`
#'   where it left them on disk, see new_store().
#' @return One chunk, or a function that calls another one with each: `codes`
#'   and `amounts`, as a plan has them; `n` (records) and `before` (those before
#'   them); `bins` and `scores` (environments), see with_earlier().
#' @noRd
plan_records <- function(plan) {
  if (is.null(plan$stored)) {
    return(list(
      codes = plan$codes, amounts = plan$amounts, n = plan$n_records,
      before = 0L, bins = new.env(), scores = new.env()
    ))
  }
  function(f) read_stored(plan, f)
}

#' All level numbers of a column, and its values
#' @return (list) `codes`; of an amount also its `records` and `values`.
#' @noRd
column_of_plan <- function(plan, name) {
  if (is.null(plan$stored)) {
    return(c(list(codes = code_of(plan$codes, name)), plan$amounts[[name]]))
  }
  one <- plan
  one$levels <- plan$levels[intersect(name, names(plan$levels))]
  one$amounts <- plan$amounts[intersect(name, names(plan$amounts))]
  chunk <- stored_chunk(one, 0, plan$n_records)
  c(list(codes = code_of(chunk$codes, name)), chunk$amounts[[name]])
}

#' All values of one column
#' @noRd
whole_column <- function(file, name) {
  chunks <- list()
  file$chunks(name, function(chunk) chunks <<- c(chunks, unname(chunk)))
  if (length(chunks) == 1) chunks[[1]] else do.call(c, chunks)
}

#' Columns of the discrete block with the names of their levels
#' @noRd
block_columns <- function(specs) {
  levels <- lapply(specs, block_levels)
  levels[lengths(levels) > 1]
}

check_types <- function(like, specs) {
  wrong <- Filter(Negate(is.null), Map(wrong_type, like, specs))
  refuse_if(
    length(wrong) > 0,
    "{cli::qty(length(wrong))}The column{?s} {.val {names(wrong)}} must be of
     the codebook's type.",
    x = "{.val {names(wrong)[1]}}: {wrong[[1]]}", arg = "data"
  )
}

#' Read all records, and refuse what the codebook does not have
#'
#' Faults are counted over the whole file.
#' @param file (list) See with_file().
#' @param stored (list or `NULL`, in memory) Where codes and values go, see
#'   store_of_plan().
#' @return (list) `codes`, `amounts`, `outside`, `rounded`: see file_plan();
#'   `unit`: the values of that column.
#' @noRd
read_records <- function(file, specs, unit, survey_weights, publish, stored) {
  # What is published is as it is
  specs <- lapply(specs, function(spec) {
    c(spec, as_is = spec$column %in% publish)
  })
  levels <- names(block_columns(specs))
  codes <- matrix(
    0L, if (is.null(stored)) file$n else 0, length(levels),
    dimnames = list(NULL, levels)
  )
  # What is kept of each column, chunk by chunk
  kept <- lapply(specs, function(spec) list())
  read <- vapply(specs, function(spec) spec$kind$released, NA)
  names <- union(names(specs)[read], unit)
  before <- 0L
  if (length(names) > 0) file$chunks(names, function(chunk) {
    n <- length(chunk[[1]])
    for (name in names) {
      x <- chunk[[name]]
      own <- if (name %in% unit) {
        list(bad = bad_text(x), unit = column_values(x))
      } else {
        read_column(x, specs[[name]], name %in% survey_weights)
      }
      if (!is.null(stored)) {
        own <- store_column(stored, name, own, n)
      } else if (name %in% levels && !is.null(own$codes)) {
        codes[before + seq_len(n), name] <<- own$codes
      }
      own$codes <- NULL
      places <- intersect(names(own), places_of_records)
      own[places] <- lapply(own[places], `+`, before)
      kept[[name]] <<- c(kept[[name]], list(own))
    }
    before <<- before + n
  })
  of <- function(name, what) {
    # One chunk is as it is
    parts <- lapply(kept[[name]], `[[`, what)
    if (length(parts) == 1) parts[[1]] else unlist(parts)
  }
  of_all <- function(what) {
    found <- lapply(stats::setNames(nm = names), of, what)
    found[lengths(found) > 0]
  }
  if (!is.null(survey_weights)) {
    check_survey_weight(
      of(survey_weights, "unweighted"), of(survey_weights, "low"),
      survey_weights
    )
  }
  for (name in names) {
    refuse_bad_text(of(name, "bad"), name, file$n)
  }
  lost <- of_all("lost")
  if (length(lost) > 0) abort_outside(lost, of_all("why"))
  replaced <- function(what) {
    n <- vapply(of_all(what), sum, 1L)
    n[n > 0]
  }
  amounts <- names(Filter(is_amount, specs))
  list(
    codes = codes, outside = replaced("taken"), rounded = replaced("rounded"),
    amounts = lapply(stats::setNames(nm = amounts), function(name) {
      own <- list(
        records = as.integer(of(name, "records")),
        values = as.double(of(name, "values"))
      )
      # No column twice for longer than needed
      kept[[name]] <<- list()
      own
    }),
    unit = if (!is.null(unit)) of(unit, "unit")
  )
}

# Numbers of records within a chunk, in what read_column() gives
places_of_records <- c("bad", "lost", "records", "unweighted", "low")

#' What a plan keeps of a column of a chunk
#'
#' @param weight (flag) Is it the survey weight?
#' @return (list) `codes`; records: `bad` (text that is not valid), `lost` (not
#'   in the codebook) with `why` (in words); `taken`, `rounded` (counts, see
#'   file_plan()'s `outside` and `rounded`); of amounts the
#'   `records` whose part has values, and their `values`; of the survey weight
#'   the records that are `unweighted` or too `low`.
#' @noRd
read_column <- function(x, spec, weight) {
  own <- list(bad = bad_text(x))
  if (length(own$bad) > 0) {
    return(own)
  }
  if (weight) {
    own$unweighted <- which(is.na(plain_column(x)))
    own$low <- which(plain_column(x) <= 0)
  }
  own$codes <- code_column(x, spec)
  own$lost <- which(is.na(own$codes))
  if (length(own$lost) > 0) {
    lost <- if (is_amount(spec)) amount_numbers(x, spec) else column_values(x)
    own$why <- why_outside(lost[own$lost], spec)
  }
  if (is_stated(spec$outside)) own$taken <- taken_outside(x, spec)
  if (is_amount(spec)) {
    own$records <- which(amount_parts(spec)$valued[own$codes])
    own$values <- amount_column(x, spec)[own$records]
    raw <- plain_amount(spec$kind$read(x, spec$column))
    plain <- spec$kind$plain(raw)
    # A date with a time is rounded to its day
    own$rounded <- sum(has_more_decimals(plain, spec)) +
      sum(raw != plain, na.rm = TRUE)
  }
  own
}

#' How many values of a column a level takes, or a bound, by `outside`
#' @noRd
taken_outside <- function(x, spec) {
  if (is_amount(spec)) {
    values <- amount_numbers(x, spec)
    apart <- values %in% c(spec$codes, if (spec$zero) 0)
    return(sum((values < spec$lower | values > spec$upper) & !apart,
      na.rm = TRUE
    ))
  }
  values <- column_values(x)
  spec$outside <- NA
  sum(is.na(code_column(x, spec)) & !(is.na(values) & !is.nan(values)))
}

#' Say which columns have no value: read wrongly, perhaps
#' @noRd
tell_no_value <- function(plan) {
  missing <- vapply(plan$levels, function(own) match("missing", own), 1L)
  asked <- names(plan$levels)[!is.na(missing)]
  empty <- over_chunks(plan_records(plan), function(own) {
    vapply(asked, function(name) {
      all(own$codes[, name] == missing[[name]])
    }, NA)
  }, `&`)
  empty <- asked[empty]
  if (length(empty) > 0) {
    tell_of(
      "no_value",
      "{.val {empty}} {?is/are} missing for all {counted(plan$n_records,
       'record')}.",
      i = "If this should not be so, read the file again."
    )
  }
}

#' Say what was rounded: a message to the agency alone
#' @param rounded (named integer) See file_plan().
#' @noRd
tell_rounded <- function(rounded) {
  if (length(rounded) == 0) {
    return(invisible())
  }
  tell_of(
    "rounded",
    "Values with more decimals than the codebook states are rounded.",
    column_bullets(sprintf(
      "`%s`: %s.", names(rounded), vapply(rounded, counted, "", "record")
    )),
    i = "If a column has finer values, state so: {.field digits} of numbers,
         seconds in the bounds of date-times, the type {.val datetime} for days
         with a time."
  )
}

#' @param lost,why (named list) By column: records, and what is wrong with each.
#' @noRd
abort_outside <- function(lost, why) {
  texts <- vapply(why, function(own) {
    n <- table(factor(own, unique(own)))
    toString(paste(vapply(n, counted, "", "record"), names(n)))
  }, "")
  bullets <- c(
    "The file must hold nothing but what the codebook states.",
    column_bullets(sprintf("`%s`: %s.", names(lost), texts)),
    if (empty_word %in% unlist(why)) {
      c(i = "Empty text is no missing value. {.fn read.csv} reads it as one with
             {.code na.strings = \"\"}.")
    },
    if (nan_word %in% unlist(why)) {
      c(i = "A codebook cannot state {.code NaN}: set it to {.code NA}.")
    },
    if (infinite_word %in% unlist(why)) {
      c(i = "A codebook cannot state {.code Inf}: set it to {.code NA}, or to
             the number that it stands for.")
    },
    if (!all(unlist(why) %in% c(nan_word, infinite_word))) {
      c(i = "State the levels, bounds or codes that are lacking, or
             {.code missing = TRUE}. Or state {.field outside}: a level then
             takes all other values, and a bound takes the values beyond it.")
    }
  )
  abort_input(
    bullets, arg = "data", rows = sort(unique(unlist(lost))),
    class = "pseudosynth_error_outside", by_column = lost
  )
}

empty_word <- "with empty text"
nan_word <- "with NaN"
infinite_word <- "with an infinite value"

#' What is wrong with values that a codebook does not have
#' @return (character)
#' @noRd
why_outside <- function(values, spec) {
  lacks <- ifelse(
    is.nan(values), nan_word, ifelse(
      is.na(values), "without a value",
      ifelse(is.infinite(values), infinite_word, "")
    )
  )
  if (!is_amount(spec)) {
    empty <- is.character(values) & values %in% ""
    return(ifelse(nzchar(lacks), lacks, ifelse(
      empty, empty_word, "with none of the levels"
    )))
  }
  unit <- spec$kind$unit(spec)
  beyond <- values < spec$lower | values > spec$upper
  # What is within the bounds and in no part: zero under a logarithm aside
  fine <- !in_steps(values, unit, spec$months)
  ifelse(nzchar(lacks), lacks, ifelse(
    beyond, "beyond the bounds", ifelse(fine, spec$kind$off(spec), "in no part")
  ))
}
