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
    format = "fg", digits = digits, flag = "#", big.mark = ","
  )
  text <- sub("\\.$", "", trimws(text))
  tiny <- is.finite(x) & abs(x) < 1e-5
  text[tiny] <- formatC(x[tiny], format = "e", digits = digits - 1)
  text[is.finite(x) & x == 0] <- "0"
  text[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "Inf", "-Inf")
  text[is.na(x)] <- "-"
  text
}

#' A count with thousands separated
#' @noRd
format_count <- function(x) {
  trimws(format(x, big.mark = ",", scientific = FALSE))
}

#' A named line of figures, such as `min 0.1, median 0.5, max 1`
#' @noRd
format_named <- function(x) {
  paste(names(x), format_figure(x), collapse = ", ")
}

#' A character table with aligned columns
#'
#' @param x (data frame) Text, numbers or counts.
#' @return (character) One line per row, the header first.
#' @noRd
format_table <- function(x) {
  cells <- lapply(x, function(column) {
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

confidential_line <- function(what = "Confidential") {
  paste0(what, ": for the agency only, not for release.")
}
