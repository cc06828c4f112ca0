# How regressions see the columns before: main effects of levels, of which rare
# ones are joined, and of amounts in bins.

# Levels that a regression tells apart, at most, and the records that each has
# at least
regression_levels <- c(predictor = 20L, response = 30L, records = 10L)

# Bins of an amount where it is a predictor: a curve of any form
regression_bins <- 8L

#' The coding of a predictor, fixed by the file
#'
#' @return (list) `level` (integer: of each level of the column, or of each part
#'   and bin of an amount, the level of the design); of an amount also `breaks`,
#'   `transform`, `centre` and `scale`.
#' @noRd
predictor_coding <- function(file, name, spec) {
  code <- column_code(file, name)
  if (!is_amount(spec)) {
    return(list(level = joined_rare(tabulate(
      code, length(block_levels(spec))
    ))))
  }
  values <- file$values[[name]]
  known <- values[!is.na(values)]
  inner <- seq_len(regression_bins - 1) / regression_bins
  coding <- list(
    breaks = unique(stats::quantile(known, inner, names = FALSE, type = 1)),
    transform = spec$transform
  )
  line <- to_modelled(coding, known)
  coding$centre <- if (length(known) > 0) mean(line) else 0
  spread <- if (length(known) > 1) stats::sd(line) else 0
  coding$scale <- if (spread > 0) spread else 1
  bins <- bins_of_values(code, values, coding, spec)
  coding$level <- joined_rare(tabulate(
    bins, length(block_levels(spec)) + length(coding$breaks) + 1L
  ))
  coding
}

#' Levels of a design: those of few records are joined with each other, and
#' with the next larger ones while they are too few together
#' @param counts (integer) Of each level.
#' @return (integer) The new level of each; levels without records the joined.
#' @noRd
joined_rare <- function(counts) {
  least <- regression_levels[["records"]]
  by_size <- order(counts)
  most <- regression_levels[["predictor"]]
  rare <- counts < least
  rare[utils::head(by_size, max(0, length(counts) - most))] <- TRUE
  for (k in by_size) {
    if (sum(counts[rare]) == 0 || sum(counts[rare]) >= least) break
    rare[k] <- TRUE
  }
  level <- integer(length(counts))
  level[!rare] <- seq_len(sum(!rare))
  # What no record has counts as the most common level
  level[rare] <- if (sum(counts[rare]) > 0) {
    sum(!rare) + 1L
  } else {
    level[which.max(counts)]
  }
  level
}

#' Parts without values, then bins of values
#' @noRd
bins_of_values <- function(code, values, coding, spec) {
  bins <- code
  valued <- !is.na(values)
  bins[valued] <- length(block_levels(spec)) + 1L +
    findInterval(values[valued], coding$breaks, left.open = TRUE)
  bins
}

#' The columns before, as a data frame for a formula
#' @param coding (named list) Of predictor_coding().
#' @return (data frame) `x1`, .. factors, `z1`, .. numbers.
#' @noRd
regression_frame <- function(coding, records, specs) {
  columns <- list()
  for (k in seq_along(coding)) {
    name <- names(coding)[k]
    own <- coding[[k]]
    code <- column_code(records, name)
    level <- if (is.null(own$breaks)) {
      own$level[code]
    } else {
      values <- records$values[[name]]
      line <- (to_modelled(own, values) - own$centre) / own$scale
      columns[[paste0("z", k)]] <- ifelse(is.na(line), 0, clamp(line, -5, 5))
      own$level[bins_of_values(code, values, own, specs[[name]])]
    }
    columns[[paste0("x", k)]] <- factor(level, sort(unique(own$level)))
  }
  structure(
    columns, names = names(columns), class = "data.frame",
    row.names = .set_row_names(nrow(records$codes))
  )
}
