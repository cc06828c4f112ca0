# Text columns. Files come in several encodings, and what read.csv() gives in
# the session's own encoding is often not marked as such: sort() refuses it and
# marks would differ. All that compares text sees it as UTF-8.

#' Text as UTF-8
#' @param x (character, factor or logical)
#' @return (character)
#' @noRd
as_text <- function(x) enc2utf8(as.character(x))

#' Distinct values, sorted in the C locale: the same on every machine
#' @noRd
distinct_text <- function(x) sort(unique(met_text(x)), method = "radix")

#' Text that a column has, of a factor that of levels that are met
#' @noRd
met_text <- function(x) {
  if (!is.factor(x)) {
    return(unique(as_text(x)))
  }
  as_text(levels(x))[tabulate(x, nlevels(x)) > 0]
}

#' Refuse text that is not valid in its encoding, or has none
#'
#' A factor has its levels, in their order: only text must be sorted.
#' @noRd
check_text <- function(x, name) {
  refuse_bad_text(bad_text(x), name, length(x))
}

bad_text <- function(x) {
  # Of many records few differ, and text of all is fine
  if (!is.character(x) || all(in_known_encoding(or_else(unique(x), x)))) {
    return(NULL)
  }
  which(!in_known_encoding(x))
}

#' @param bad (integer) Records, of `n`.
#' @noRd
refuse_bad_text <- function(bad, name, n) {
  refuse_if(
    length(bad) > 0, "Column {.val {name}} must be text in a known encoding.",
    x = "It is not valid for {length(bad)} of {n} record{?s}.",
    i = "Read the file with its {.arg fileEncoding}, or convert the column by
         {.fn iconv}.",
    arg = "data", rows = bad
  )
}

#' Values as a mark sees them: numbers of any type, text of any encoding
#' @noRd
plain_values <- function(x) {
  # A sequence 1:n is stored as its ends, and as numbers only after arithmetic
  if (is.numeric(x)) as.double(x) + 0 else as_text(x)
}

#' A hash of values in their order: the same for numbers of any type, for a
#' factor and its text
#' @noRd
values_hash <- function(x) {
  plain <- is.numeric(x) && !is.object(x) || is.factor(x) || is.character(x)
  values_hash_(if (plain) x else plain_values(x))
}

#' A mark of values, the same in any order: which file they are from
#' @return (string) A hash, confidential.
#' @noRd
values_mark <- function(x) {
  values <- plain_values(x)
  # Those that are sorted are sorted at once
  counted <- if (is.numeric(values)) counted_wholes(values)
  if (!is.null(counted)) values <- rep(counted$value, counted$n)
  # What sort() returns says that it is sorted, which the hash sees
  mark <- rlang::hash(sort(values, method = "radix"))
  give_back_memory(length(x), full = FALSE)
  mark
}

# Names as R code: one as it is, several as c("a", "b")
quoted_names <- function(names) {
  text <- toString(dQuote(names, FALSE))
  if (length(names) > 1) sprintf("c(%s)", text) else text
}

#' The beginning of a long text
#' @noRd
first_words <- function(x, width = 160) {
  ifelse(nchar(x) > width, paste0(substr(x, 1, width - 3), "..."), x)
}
