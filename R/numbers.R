# Small numeric helpers that many files use.

#' Numbers without attributes, in the memory that holds them already
#' @noRd
bare_numbers <- function(x) {
  attributes(x) <- NULL # before a method of its class can convert it
  as.double(x)
}

#' Refuse a computation that would take more memory than the machine has free
#'
#' Of the session's option `pseudosynth.memory` (bytes) where it is set, of what
#' Linux says is available, or 16 GB.
#' @param bytes (number) An estimate.
#' @param what (string) In words.
#' @noRd
check_memory <- function(bytes, what, arg) {
  limit <- getOption("pseudosynth.memory") %||% available_memory()
  shown <- format_figure(c(bytes, limit) / 1e9)
  refuse_if(
    bytes > limit, "{what} would take about {shown[1]} GB of memory.",
    x = "{shown[2]} GB are available.",
    i = "Ask for less, or set {.code options(pseudosynth.memory = bytes)}.",
    arg = arg, class = "pseudosynth_error_memory"
  )
}

available_memory <- function() {
  line <- grep("^MemAvailable:", lines_of("/proc/meminfo"), value = TRUE)
  if (length(line) == 1) 1024 * as.double(gsub("[^0-9]", "", line)) else 16e9
}

#' @return (character or `NULL`) `NULL` where the file cannot be read.
#' @noRd
lines_of <- function(path, n = -1L) {
  or_else(readLines(path, n))
}

# A sentence that the code holds in several lines
unwrapped <- function(text) gsub("\n +", " ", text)

clamp <- function(x, low = 0, high = 1) {
  # pmin() takes three times as long, for what x may have besides
  inside <- pmin.int(pmax.int(x, low), high)
  attributes(inside) <- attributes(x)
  inside
}

#' Numbers for n records, some records at a time: what is made on the way to
#' them is then small
#' @param f (function of places) Gives as many numbers, always of one type.
#' @noRd
by_blocks <- function(n, f, size = 1e5) {
  if (n <= size) {
    return(f(seq_len(n)))
  }
  all <- NULL
  given_back <- 0
  for (first in seq(1, n, by = size)) {
    at <- first:min(n, first + size - 1)
    some <- f(at)
    if (is.null(all)) all <- vector(typeof(some), n)
    all[at] <- some
    # A few times on the way, however many blocks there are
    if (first - given_back > n / 20) {
      give_back_memory(n, full = FALSE)
      given_back <- first
    }
  }
  all
}

log_sum <- function(x) {
  high <- max(x)
  if (!is.finite(high)) high else high + log(sum(exp(x - high)))
}

#' The share of each value
#' @param y (vector) A response of any type.
#' @param values (vector or `NULL`) The values to look for; by default those
#'   that `y` can have.
#' @return (named double) In the order of `values`.
#' @noRd
value_shares <- function(y, values = possible_values(y)) {
  found <- match(as.character(y), as.character(values))
  shares <- tabulate(found, length(values)) / length(y)
  stats::setNames(shares, as.character(values))
}

possible_values <- function(y) {
  if (is.factor(y)) {
    levels(y)
  } else if (is.logical(y)) {
    c(FALSE, TRUE)
  } else if (is.character(y)) {
    distinct_text(y)
  } else {
    sort(unique(y), method = "radix")
  }
}

# Figures as they appear in prints and labels.

#' Three significant digits, thousands separated
#' @param x (numeric) Values; `NA` becomes `"-"`.
#' @param digits (count) Significant digits.
#' @return (character) Same length as `x`.
#' @noRd
format_figure <- function(x, digits = 3) {
  x <- as.double(x)
  text <- formatC(
    signif(x, digits),
    format = "fg", digits = digits, flag = "#", big.mark = ",",
    decimal.mark = "."
  )
  text <- sub("\\.$", "", trimws(text))
  tiny <- is.finite(x) & abs(x) < 1e-5
  text[tiny] <- formatC(
    x[tiny], format = "e", digits = digits - 1, decimal.mark = "."
  )
  text[is.finite(x) & x == 0] <- "0"
  text[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "Inf", "-Inf")
  text[is.na(x)] <- "-"
  text
}

#' A number as it is, to 15 significant digits, whatever the session's options
#' @return (character) Same length as `x`; `NA` becomes `"-"`.
#' @noRd
format_exact <- function(x) {
  text <- vapply(as.double(x), format, "",
    digits = 15, scientific = 9, decimal.mark = ".", nsmall = 0
  )
  text[is.na(x)] <- "-"
  text
}

#' Proven figures for reading: four digits, and never less than is proven
#'
#' Rounded up, so that no print claims more privacy than its label; the label
#' and its JSON have the figure itself.
#' @noRd
format_up <- function(x) {
  unit <- 10^(floor(log10(pmax(x, 1e-9))) - 3)
  # What is whole in these units may miss it by rounding
  up <- ceiling(x / unit - 1e-9) * unit
  text <- vapply(up, function(value) {
    in_plain_figures(format(value, digits = 4, big.mark = ","))
  }, "")
  text[is.na(x)] <- "-"
  text
}

#' Doubles as text that gives them back
#' @noRd
shortest_text <- function(x) {
  text <- sprintf("%.15g", x)
  there <- which(!is.na(x))
  rounded <- there[as.double(text[there]) != x[there]]
  text[rounded] <- sprintf("%.17g", x[rounded])
  text
}

#' Run code that formats numbers as if the session had no options of its own
#'
#' Labels must read the same everywhere: neither fewer digits nor another mark.
#' @noRd
in_plain_figures <- function(code) {
  old <- options(digits = 15, scipen = 9, OutDec = ".")
  on.exit(options(old))
  code
}

#' A count with thousands separated
#' @noRd
format_count <- function(x) {
  trimws(format(x, big.mark = ",", decimal.mark = ".", scientific = FALSE))
}

#' A named line of figures, such as `min 0.1, median 0.5, max 1`
#' @noRd
format_named <- function(x) paste(names(x), format_figure(x), collapse = ", ")

#' A character table with aligned columns
#'
#' @param x (data frame) Text, numbers or counts.
#' @return (character) One line per row, the header first.
#' @noRd
format_table <- function(x) {
  cells <- format_cells(x)
  number <- vapply(x, is.numeric, logical(1))
  for (j in seq_along(cells)) {
    cells[[j]] <- formatC(
      c(names(x)[j], cells[[j]]),
      flag = if (number[j]) "" else "-",
      width = max(nchar(c(names(x)[j], cells[[j]])))
    )
  }
  sub(" +$", "", do.call(paste, c(cells, sep = "  ")))
}

#' The columns of a table as text
#' @return (list of character)
#' @noRd
format_cells <- function(x) {
  lapply(x, function(column) {
    if (is.integer(column)) {
      format_count(column)
    } else if (is.numeric(column)) {
      format_figure(column)
    } else {
      column <- as.character(column)
      column[is.na(column)] <- "-"
      column
    }
  })
}

confidential_line <- function(what = "Confidential") {
  paste0(what, ": for the agency only, not for release.")
}

capitalize <- function(x) paste0(toupper(substr(x, 1, 1)), substring(x, 2))

format_rhat <- function(x) {
  formatC(x, format = "f", digits = 3, decimal.mark = ".")
}

#' The share in words, with its upper bound
#' @noRd
share_text <- function(x) {
  sprintf(
    "%d of %d, a share of at most %s with %s%% confidence",
    x$above, x$replicates, format_figure(x$share_upper), format(100 * x$level)
  )
}

name_some <- function(names) {
  shown <- paste0("`", utils::head(names, 2), "`", collapse = ", ")
  more <- length(names) - 2
  if (more > 0) sprintf("%s and %d more", shown, more) else shown
}

#' Abort for reasons of privacy where something is wrong
#' @param ... As of `abort_privacy()`; looked at only then.
#' @noRd
refuse_privacy <- function(wrong, ..., .envir = rlang::caller_env()) {
  if (wrong) abort_privacy(..., .envir = .envir)
}

#' A text of sprintf(), where something holds
#' @noRd
text_if <- function(holds, ...) {
  if (isTRUE(holds)) sprintf(...)
}

# One number as it is, two as c(0, 600000).
format_argument <- function(x) {
  text <- format_exact(x)
  if (length(text) > 1) sprintf("c(%s)", toString(text)) else text
}

format_share <- function(x) {
  ifelse(is.na(x), "-", paste0(format_figure(100 * x), "%"))
}

#' Numbers of n rows, or of at most so many of them that lie evenly between
#' @noRd
spaced_rows <- function(n, most) {
  if (n > most) round(seq(1, n, length.out = most)) else seq_len(n)
}

# Statistics with weights; `w` is `NULL` where there are none -----------------

weighted_mean <- function(y, w) {
  if (is.null(w)) mean(y) else stats::weighted.mean(y, w)
}

weighted_sd <- function(y, w) {
  if (is.null(w)) {
    stats::sd(y)
  } else {
    sqrt(weighted_mean((y - weighted_mean(y, w))^2, w))
  }
}

#' The smallest value with at least this share of the weight up to it
#' @param share (numbers) One or several.
#' @noRd
weighted_quantile <- function(y, w, share) {
  if (is.null(w)) {
    return(stats::quantile(y, share, names = FALSE))
  }
  order <- order(y)
  up_to <- cumsum(w[order]) / sum(w)
  # A sum of all weights may miss 1 by rounding
  first <- findInterval(share - 1e-12, up_to, left.open = TRUE) + 1
  y[order][pmin(first, length(y))]
}

# Histograms -------------------------------------------------------------------

#' Share of each bin; equal shares if no count is left
#' @noRd
histogram_shares <- function(x) {
  counts <- x$counts
  if (sum(counts) == 0) counts <- diff(x$breaks)
  counts / sum(counts)
}

#' Quantiles of the histogram, uniform within bins, on the modelled scale
#' @param p (numeric) Probabilities.
#' @noRd
histogram_quantile <- function(x, p) {
  # Rounding may bring the sum above 1 before its end
  cumulative <- c(0, pmin(cumsum(histogram_shares(x)), 1))
  cumulative[length(cumulative)] <- 1
  bin <- findInterval(p, cumulative, rightmost.closed = TRUE, all.inside = TRUE)
  inside <- (p - cumulative[bin]) / (cumulative[bin + 1] - cumulative[bin])
  x$breaks[bin] + inside * (x$breaks[bin + 1] - x$breaks[bin])
}

are_integers <- function(x) {
  isTRUE(all(x %% 1 == 0 & abs(x) <= .Machine$integer.max))
}

#' The storage of numbers
#' @noRd
number_storage <- function(x) if (are_integers(x)) "integer" else "double"

#' The mean of an element of several lists
#' @noRd
mean_over <- function(found, name) {
  Reduce(`+`, lapply(found, `[[`, name)) / length(found)
}
