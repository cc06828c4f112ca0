# Combinations of published values, whatever holds their records.

#' Rows as text, equal where the rows are and nowhere else
#'
#' Each value has its length before it: no text can stand for two columns.
#' @param data (list) Columns.
#' @param n (count) Rows, which a list without columns does not tell.
#' @noRd
cell_keys <- function(data, n) {
  if (length(data) == 0) {
    return(rep("", n))
  }
  columns <- lapply(unclass(data), function(x) {
    text <- if (is.numeric(x)) {
      # Two zeros are one
      sprintf("%.17g", as.double(x) + 0)
    } else {
      as_text(x)
    }
    ifelse(is.na(x), "-", paste0(nchar(text, "bytes"), ":", text))
  })
  do.call(paste0, unname(columns))
}

#' @param cells (list) See with_engine().
#' @noRd
keys_of_cells <- function(cells) cell_keys(cells$values, length(cells$n))

sorted_cells <- function(cells) {
  if (length(cells$values) == 0) {
    return(cells)
  }
  sorted <- do.call(order, c(unname(cells$values), method = "radix"))
  list(values = lapply(cells$values, `[`, sorted), n = cells$n[sorted])
}
