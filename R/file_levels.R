# Columns of a file as a few levels, for tables and figures of sets beside a
# file. Levels come from the codebook, breaks of amounts from the sets: neither
# from the file.

#' The levels of all columns
#'
#' Categories have those of the codebook. Amounts have a level for each part
#' without values (zero, codes, missing) and for each bin between breaks.
#' @param sets (list of data frames) Synthetic.
#' @param breaks (function(values, spec)) Inner breaks of amounts.
#' @return (named list, by column) `spec`, `levels` (names), and for amounts
#'   `parts`, `breaks`, `bins` (places of the bins among the levels).
#' @noRd
file_levels <- function(book, sets, breaks) {
  lapply(column_specs(book), function(spec) {
    if (!is_amount(spec)) {
      return(list(spec = spec, levels = block_levels(spec)))
    }
    parts <- amount_parts(spec)
    values <- unlist(lapply(sets, function(set) {
      x <- amount_numbers(set[[spec$column]], spec)
      x[parts$valued[part_of(x, parts)] %in% TRUE]
    }))
    inner <- if (length(values) > 0) breaks(values, spec) else double()
    apart <- parts[!parts$valued, ]
    apart$part <- named_codes(apart, spec$codes)
    bins <- if (any(parts$valued)) bin_names(inner, spec)
    last <- apart$kind == "missing"
    list(
      spec = spec, parts = parts, breaks = inner,
      levels = c(apart$part[!last], bins, apart$part[last]),
      bins = sum(!last) + seq_along(bins)
    )
  })
}

#' Names of parts without values: codes by the label that the codebook gives
#' @noRd
named_codes <- function(parts, codes) {
  labels <- names(codes)[match(parts$value, codes)]
  if (is.null(labels)) {
    return(parts$part)
  }
  named <- parts$kind == "code" & !is.na(labels) & nzchar(labels)
  ifelse(named, labels, parts$part)
}

#' Level numbers of a column's values
#'
#' @return (integer) One more than there are levels: not in the codebook.
#' @noRd
level_codes <- function(x, column) {
  wrong <- wrong_type(x, column$spec)
  refuse_if(
    !is.null(wrong),
    "The columns must be of the codebook's type.",
    x = "{.val {column$spec$column}}: {wrong}", arg = "data"
  )
  codes <- code_column(x, column$spec)
  if (!is.null(column$parts)) {
    apart <- which(!column$parts$valued)
    # Those that are missing come last
    places <- setdiff(seq_along(column$levels), column$bins)
    apart <- apart[order(column$parts$kind[apart] == "missing")]
    own <- column$bins[findInterval(
      amount_numbers(x, column$spec), column$breaks
    ) + 1]
    plain <- places[match(codes, apart)]
    codes <- ifelse(column$parts$valued[codes], own, plain)
  }
  codes[is.na(codes)] <- length(column$levels) + 1L
  as.integer(codes)
}

#' Names of bins between breaks, as people read amounts
#' @noRd
bin_names <- function(breaks, spec) {
  if (length(breaks) == 0) {
    return("a value")
  }
  text <- spec$kind$short(breaks)
  # Breaks of one day, or of one million: in full
  if (anyDuplicated(text) > 0) text <- spec$kind$text(breaks)
  n <- length(text)
  c(
    paste("under", text[1]),
    if (n > 1) paste(text[-n], "to", text[-1]),
    paste(text[n], "and more")
  )
}

#' A few breaks at round numbers, over what most values of the sets span
#' @noRd
round_breaks <- function(values, spec, n = 7) {
  ends <- stats::quantile(values, c(0.02, 0.98), names = FALSE)
  if (spec$transform != "identity" && ends[1] > 0 && ends[2] > 5 * ends[1]) {
    return(log_steps(ends, n))
  }
  found <- spec$kind$breaks(ends, n)
  found[found > min(values) & found <= max(values)]
}

#' Of breaks of a logarithmic scale the finest that are not many more than `n`
#' @noRd
log_steps <- function(ends, n) {
  powers <- 10^seq(floor(log10(ends[1])), ceiling(log10(ends[2])))
  for (steps in list(1:9, c(1, 1.5, 2, 3, 5, 7), c(1, 2, 3, 5), c(1, 3), 1)) {
    found <- sort(as.vector(outer(steps, powers)))
    found <- found[found >= ends[1] & found <= ends[2]]
    if (length(found) <= n + 2) {
      return(found)
    }
  }
  found
}

#' Breaks at equal shares of the sets' values
#' @noRd
quantile_steps <- function(values, spec, n = 10) {
  found <- unique(stats::quantile(values, seq_len(n - 1) / n, names = FALSE))
  found[found > min(values)]
}
