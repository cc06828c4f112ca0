#' Plot a file release
#'
#' Draws what was released, including its noise: either the margin of every
#' column, or the amount of noise in the table of every pair of columns.
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object (`file_release`) See [file_release()].
#' @param type (string) `"margins"`, the default: the share of each level and,
#'   for amounts, of each bin of values. A line extends two standard deviations
#'   of the noise to either side. `"pairs"`: the total variation distance, in
#'   percent, by which noise alone would move the table of a pair before it is
#'   shrunk.
#' @param ... Not used.
#' @return A ggplot object. It shows only what was released.
#' @name plot.file_release
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "earner")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' plot(release)
#' plot(release, "pairs")
NULL

#' @rdname plot.file_release
#' @method autoplot file_release
#' @export
autoplot.file_release <- function(object, type = c("margins", "pairs"), ...) {
  check_no_dots(..., hint = "See {.fn plot.file_release}.")
  type <- check_choice(type, c("margins", "pairs"))
  if (type == "pairs") plot_noise(object) else plot_margins(object)
}

plot_margins <- function(object) {
  bars <- rbind(
    do.call(rbind, lapply(seq_along(object$levels), block_margin, x = object)),
    do.call(rbind, lapply(object$amounts, value_margin, x = object))
  )
  # An amount's values below its parts
  order <- unique(bars$column)
  place <- match(sub(", values$", "", order), names(object$schema))
  order <- order[order(place, nchar(order))]
  bars <- bars[order(match(bars$column, order)), ]
  bars$column <- factor(bars$column, order)
  key <- paste(bars$column, bars$level, sep = "\r")
  bars$key <- factor(key, rev(key))
  draw_alone(draw_margins, bars = bars) + titles(
    "Released margins", sprintf(
      "Share of each level; lines: two standard deviations of the noise. %s",
      capitalize(format(guarantee(object)))
    ), x = "Share of records"
  )
}

#' Shares of a column's levels, and the noise in them
#' @noRd
block_margin <- function(x, j) {
  counts <- x$block$margins[[j]]
  own <- match(as.list(j), lapply(x$block$tables, as.integer))
  sd <- if (is.na(own)) 0 else x$tables$sd[own]
  shown <- joined_levels(
    c(x$levels[[j]], "other"), cbind(0, c(counts, 0) / x$block$n)
  )[, 2]
  many <- grepl("^[0-9]+ others$", names(shown))
  joined <- length(counts) - length(shown) + 1
  error <- 2 * sd / x$block$n * ifelse(many, sqrt(joined), 1)
  margin_bars(names(x$levels)[j], names(shown), shown, error)
}

#' Shares of round bins of an amount's values, under a logarithm without sign
#' @noRd
value_margin <- function(amount, x) {
  back <- response_transforms[[amount$transform]]$back
  middles <- function(breaks) back(breaks[-1] / 2 + breaks[-length(breaks)] / 2)
  spec <- column_specs(x$codebook)[[amount$name]]
  shares <- amount$counts$counts / sum(amount$counts$counts)
  at <- middles(amount$counts$breaks)
  # As many values as the shares say, for the breaks alone
  inner <- round_breaks(rep(at, round(1e4 * shares)), spec)
  sum_of <- function(at) {
    outer(seq_len(length(inner) + 1), findInterval(at, inner) + 1, "==") * 1
  }
  # Of the noisy counts that a bar spans
  spanned <- sum_of(middles(amount$margin$breaks))
  noise <- solve(margin_precision(amount$margin))
  sd <- sqrt(pmax(0, diag(spanned %*% noise %*% t(spanned))))
  margin_bars(
    paste0(amount$name, ", values"), bin_names(inner, spec),
    as.vector(sum_of(at) %*% shares), 2 * sd / max(1, amount$n)
  )
}

margin_bars <- function(column, level, share, error) {
  data.frame(
    column, level, share, low = pmax(0, share - error),
    high = pmin(1, share + error), row.names = NULL
  )
}

draw_margins <- function(bars) {
  ggplot(bars, aes(x = .data$share, y = .data$key)) +
    geom_col(fill = "#A6CEE8", width = 0.8) +
    geom_linerange(
      aes(xmin = .data$low, xmax = .data$high), colour = colour_synthetic,
      linewidth = 0.7
    ) +
    column_panels()
}

plot_noise <- function(object) {
  pairs <- which(object$block$noise$order == 2)
  refuse_if(
    length(pairs) == 0, "The release has no tables of pairs.",
    i = "{.code type = \"margins\"} shows single columns.", arg = "type"
  )
  columns <- do.call(rbind, object$block$tables[pairs])
  names <- names(object$levels)
  # The mean absolute value of normal noise is .8 of its deviation
  noise <- 0.4 * object$tables$cells[pairs] * object$tables$sd[pairs] /
    object$block$n
  cells <- data.frame(
    first = names[columns[, 1]], second = names[columns[, 2]]
  )
  matrix_figure(
    cells, names, 100 * noise, "Noise of the released tables",
    "Total variation, in percent, by which noise alone would change the table
     of each pair before shrinkage"
  )
}
