# Small numeric helpers that many files use.

#' Refuse a computation that would take more memory than the machine has free
#'
#' Of the session's option `pseudosynth.memory` (bytes) where it is set, of what
#' Linux says is available, or 16 GB.
#' @param bytes (number) An estimate.
#' @param what (string) In words.
#' @noRd
check_memory <- function(bytes, what, arg, call) {
  limit <- getOption("pseudosynth.memory") %||% available_memory()
  if (bytes > limit) {
    shown <- format_figure(c(bytes, limit) / 1e9)
    abort_input(
      c(
        "{what} would take about {shown[1]} GB of memory.",
        x = "{shown[2]} GB are available.",
        i = "Ask for less, or set {.code options(pseudosynth.memory = bytes)}."
      ),
      arg = arg, call = call, class = "pseudosynth_error_memory"
    )
  }
}

available_memory <- function() {
  lines <- tryCatch(
    readLines("/proc/meminfo"),
    warning = function(w) NULL, error = function(e) NULL
  )
  line <- grep("^MemAvailable:", lines, value = TRUE)
  if (length(line) == 1) 1024 * as.double(gsub("[^0-9]", "", line)) else 16e9
}

clamp <- function(x, low = 0, high = 1) {
  pmin(pmax(x, low), high)
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
