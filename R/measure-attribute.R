# What an intruder learns of other columns of a person whose keys are known: by
# a synthetic record with these keys, or where all of them agree.

# Means over columns, in this order; those of each column are in the rows
attribute_shares <- c(
  "disclosive_file", "disclosive_set", "disclosive_right", "disclosive_both",
  "attribution", "attribution_file", "attribution_margin"
)

#' @param case (list) See risk_case(): `pattern`, `variables`, `cuts`, `status`.
#' @return (list) See judgement(). Rows are `set`, see risk().
#' @noRd
measure_attribute <- function(case) {
  if (length(case$variables) == 0) {
    return(NULL)
  }
  files <- lapply(stats::setNames(nm = case$variables), function(name) {
    values <- case$cuts[[name]](case$data[[name]], name, "data")
    attribute_cells(case$pattern$code, values, unique(values))
  })
  # What is published needs no guess
  guessed <- if (any(case$status == "synthetic")) {
    case$status == "synthetic"
  } else {
    rep(TRUE, length(case$variables))
  }
  rows_of <- function(one, n) {
    rows <- Map(function(shares, file) {
      by_chance <- fresh_attribution(file, n)
      shares$tcap <- if (shares$disclosive_set > 0) {
        shares$disclosive_right / shares$disclosive_set
      } else {
        NA_real_
      }
      shares$attribution_fresh <- by_chance[["attribution"]]
      shares$disclosive_fresh <- by_chance[["disclosive_right"]]
      shares[sort(names(shares))]
    }, lapply(one, `[[`, "shares"), files)
    rows <- do.call(rbind, unname(rows))
    data.frame(column = case$variables, status = case$status, rows)
  }
  list(
    of = function(set, whose) {
      pattern <- match_pattern(set, case$pattern$table)
      found <- lapply(stats::setNames(nm = case$variables), function(name) {
        values <- case$cuts[[name]](set[[name]], name, "synthetic")
        attribute_of_set(
          files[[name]],
          attribute_cells(pattern, values, files[[name]]$levels)
        )
      })
      rows <- rows_of(found, nrow(set))
      most <- function(part) {
        do.call(pmax, unname(lapply(found[guessed], `[[`, part)))
      }
      list(
        figures = colMeans(rows[guessed, attribute_shares]),
        rows = list(set = rows), record = data.frame(
          attribution = most("attribution"), disclosed = most("disclosed"),
          pattern_size = case$pattern$size[case$pattern$code + 1L]
        )
      )
    },
    fresh = function(n) {
      rowMeans(vapply(files[guessed], fresh_attribution, double(7), n))
    }
  )
}

#' Records by pattern and value
#'
#' @param pattern (integer) Of each record, from 0; -1 is one that the file has
#'   not.
#' @param values (character) Classes of the variable.
#' @param levels (character) Those of the file. Other values differ, too.
#' @return (list) `pattern`; `cell` (pattern and value, by the file's levels);
#'   `size`, `cell_size` (how many records have the pattern, and the cell).
#' @noRd
attribute_cells <- function(pattern, values, levels) {
  cell_of <- function(levels) {
    as.double(pattern) * (length(levels) + 1) + match(values, levels, 0L)
  }
  list(
    pattern = pattern, cell = cell_of(levels), levels = levels,
    size = count_same(pattern), cell_size = count_same(cell_of(unique(values))),
    margin = mean(count_same(values)) / length(values)
  )
}

#' The counts of one set as the records of the file see them
#' @param file,set (list) See attribute_cells().
#' @noRd
attribute_of_set <- function(file, set) {
  at <- match(file$pattern, set$pattern)
  size <- set$size[at]
  own <- set$cell_size[match(file$cell, set$cell)]
  size[is.na(size)] <- own[is.na(own)] <- 0
  # One value in the pattern: a cell that is all of it
  one_value <- size > 0 & (set$size == set$cell_size)[at]
  right <- one_value & own == size
  attribution <- ifelse(size > 0, own / pmax(size, 1), 0)
  list(
    attribution = attribution, disclosed = as.double(right),
    shares = data.frame(
      disclosive_set = mean(one_value), disclosive_right = mean(right),
      disclosive_both = mean(right & file$size == file$cell_size),
      attribution = mean(attribution), attribution_of_file(file)
    )
  )
}

#' What the file tells of itself, whatever the sets are
#' @noRd
attribution_of_file <- function(file) {
  data.frame(
    disclosive_file = mean(file$size == file$cell_size),
    attribution_file = mean(file$cell_size / file$size),
    attribution_margin = file$margin
  )
}

#' What a fresh sample of `n` records tells, on average
#'
#' A pattern with a share p of the file's records is met with probability
#' 1 - (1 - p)^n, and then any of its records is drawn alike.
#' @return (named numbers) Of attribute_shares.
#' @noRd
fresh_attribution <- function(file, n) {
  records <- length(file$pattern)
  missed <- (1 - file$size / records)^n
  # All that is met of the pattern is of the record's own cell
  alone <- (1 - (file$size - file$cell_size) / records)^n - missed
  # The sum over the pattern's cells; each has as many records as cell_size says
  of_pattern <- rowsum(alone / file$cell_size, file$pattern)
  any_alone <- of_pattern[match(file$pattern, as.integer(rownames(of_pattern)))]
  found <- c(
    disclosive_set = mean(any_alone), disclosive_right = mean(alone),
    disclosive_both = mean(alone * (file$size == file$cell_size)),
    attribution = mean((1 - missed) * file$cell_size / file$size),
    unlist(attribution_of_file(file))
  )
  found[attribute_shares]
}

# Classes ----------------------------------------------------------------------

#' Classes of a column of whole files
#'
#' Missing is a value, and so are zero and each code of an amount; its other
#' values are told apart as value_classes() does.
#' @return (function of a column, its name and the argument) Text.
#' @noRd
file_classes <- function(spec, y, intervals) {
  if (!is_amount(spec)) {
    return(structure(
      function(x, name, arg) paste0("=", as_text(column_values(x))),
      intervals = NA_integer_
    ))
  }
  parts <- amount_parts(spec)
  apart <- function(x) is.na(x) | part_of(x, parts) %in% which(!parts$valued)
  y <- amount_numbers(y, spec)
  cut <- value_classes(y[!apart(y)], intervals)
  structure(
    function(x, name, arg) {
      x <- amount_numbers(x, spec)
      class <- paste0("=", as_text(x))
      valued <- !apart(x)
      class[valued] <- cut(x[valued], name, arg)
      class
    },
    intervals = attr(cut, "intervals")
  )
}

#' How values are told apart: as they are, or by intervals of the file
#' @return (function of a column, its name and the argument) Text.
#' @noRd
value_classes <- function(y, intervals) {
  breaks <- if (is.numeric(y) && length(unique(y)) > intervals) {
    shares <- seq_len(intervals - 1) / intervals
    unique(stats::quantile(y, shares, names = FALSE, na.rm = TRUE, type = 1))
  }
  structure(
    function(x, name, arg) {
      check_finite_column(x, name)
      if (is.null(breaks)) {
        return(as.character(x))
      }
      refuse_if(
        !is.numeric(x),
        "{.val {name}} must be numeric in {.arg {arg}}, as it is in the file.",
        x = "It is {describe_type(x)}.", arg = arg
      )
      as.character(findInterval(x, breaks, left.open = TRUE))
    },
    intervals = if (is.null(breaks)) NA_integer_ else length(breaks) + 1L
  )
}

count_same <- function(x) {
  code <- match(x, x)
  tabulate(code, length(x))[code]
}
