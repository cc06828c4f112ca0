# The figure of sets of whole files: every column in a panel of its own, beside
# the file where it is given.

# Levels that a panel shows by name; the others are one
most_rows <- 11L

#' Shares of levels of each column: of the sets, and of the file
#' @param data (data frame or `NULL`) The confidential file.
#' @return (data frame) `column`, `level` (factor: column and level), `kind`,
#'   `set` (0: the file, or the mean of the sets), `share`.
#' @noRd
file_shares <- function(object, data = NULL) {
  columns <- file_levels(object$codebook, object$sets, round_breaks)
  do.call(rbind, lapply(columns, function(column) {
    name <- column$spec$column
    n <- length(column$levels) + 1L
    share <- function(file) {
      tabulate(level_codes(file[[name]], column), n) / nrow(file)
    }
    sets <- vapply(object$sets, share, numeric(n))
    own <- if (is.null(data)) rowMeans(sets) else share(data)
    shown <- joined_levels(
      c(column$levels, "not in the codebook"), cbind(own, sets)
    )
    data.frame(
      column = name, level = rep(rownames(shown), ncol(shown)),
      set = rep(seq_len(ncol(shown)) - 1L, each = nrow(shown)),
      share = as.vector(shown)
    )
  }))
}

#' Shares of few levels: those that nobody has are left out, the rarest joined
#' @noRd
joined_levels <- function(levels, shares) {
  rownames(shares) <- levels
  n <- length(levels)
  # What no codebook states is shown where there is some
  kept <- c(rep(TRUE, n - 1), any(shares[n, ] > 0))
  shares <- shares[kept, , drop = FALSE]
  if (nrow(shares) <= most_rows) {
    return(shares)
  }
  first <- order(-rowMeans(shares[, -1, drop = FALSE]))[seq_len(most_rows - 1)]
  first <- sort(first)
  rest <- shares[-first, , drop = FALSE]
  joined <- rbind(shares[first, , drop = FALSE], colSums(rest))
  rownames(joined)[most_rows] <- sprintf("%d others", nrow(rest))
  joined
}

plot_file_sets <- function(object, data) {
  if (!is.null(data)) {
    data <- without_labels(check_data_frame(data, arg = "data"))
    check_columns(names(object$sets[[1]]), data, "data")
  }
  shares <- file_shares(object, data)
  keys <- unique(shares[c("column", "level")])
  key <- function(x) paste(x$column, x$level, sep = "\r")
  # The first level on top
  shares$key <- factor(key(shares), rev(key(keys)))
  shares$column <- factor(shares$column, unique(shares$column))
  alone <- is.null(data)
  none <- guarantee(object)$label == "none"
  draw_alone(
    draw_file_sets,
    bars = shares[shares$set == 0, ],
    points = if (!alone || object$m > 1) shares[shares$set > 0, ],
    kinds = c(
      if (alone) "mean of the sets" else "confidential",
      synthetic_kind(object$m)
    ),
    fill = fill_of_bars(alone), m = object$m
  ) + titles(
    "Columns of synthetic files", sprintf(
      "%s of %s records. Share of each level", counted(object$m, "set"),
      format_count(object$n_records)
    ), x = "Share of records", confidential = !alone || none
  )
}

draw_file_sets <- function(bars, points, kinds, fill, m) {
  bars$kind <- kinds[1]
  figure <- ggplot(bars, aes(x = .data$share, y = .data$key)) +
    geom_col(aes(fill = .data$kind), width = 0.8)
  if (!is.null(points)) {
    points$kind <- kinds[2]
    figure <- figure +
      geom_point(
        aes(colour = .data$kind, group = .data$set), data = points,
        size = if (m == 1) 1.8 else 1.2, alpha = if (m > 5) 0.5 else 0.85
      ) +
      scale_colour_manual(values = colour_synthetic)
  }
  figure +
    column_panels() +
    scale_fill_manual(
      values = fill, guide = if (is.null(points)) "none" else "legend"
    )
}

