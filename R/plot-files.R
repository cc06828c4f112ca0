# Figures of whole files: plans, releases, sets, cleared tables.

#' Plot a plan
#'
#' Draws a line for each column of the file. The line shows how many levels the
#' column has in the discrete block, whether its values are modelled as well,
#' and what happens to the column. `plot()` and `autoplot()` give the same
#' ggplot object; call `print()` to draw it in a function or a loop.
#'
#' @param object (`file_plan`) See [file_plan()].
#' @param ... Not used.
#' @return A ggplot object. It shows the codebook and no value of a record.
#' @name plot.file_plan
#' @examples
#' plan <- file_plan(ce_income, draft_codebook(ce_income), publish = "region")
#' plot(plan)
NULL

#' @rdname plot.file_plan
#' @method autoplot file_plan
#' @export
autoplot.file_plan <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.file_plan}.")
  table <- object$table
  table$column <- factor(table$column, rev(table$column))
  table$role <- factor(table$role, plan_roles)
  table$role <- droplevels(table$role)
  table$levels <- pmax(table$levels, 1)
  table$becomes <- plan_steps(table)
  draft <- length(unconfirmed(object$codebook)) > 0
  draw_alone(draw_plan, table = table) + titles(
    "What happens to each column", paste0(
      "Levels of each column in the discrete block, and what is modelled",
      if (draft) ". The codebook is a draft"
    ), x = "Levels, logarithmic"
  )
}

draw_plan <- function(table) {
  ggplot(table, aes(y = .data$column, colour = .data$role)) +
    geom_segment(
      aes(x = 1, xend = .data$levels, yend = .data$column), linewidth = 1.2
    ) +
    geom_point(aes(x = .data$levels, shape = .data$role), size = 2.8) +
    geom_text(
      aes(x = .data$levels, label = paste0("   ", .data$becomes)),
      hjust = 0, size = 3.3, colour = "grey30"
    ) +
    scale_x_log10(
      breaks = c(1, 2, 5, 10, 20, 50, 100, 200), expand = expansion(c(0.02, 0)),
      # Room for what stands beside the last point
      limits = c(1, 14 * max(table$levels))
    ) +
    scale_colour_manual(values = c(
      protected = colour_synthetic, published = colour_bound,
      "survey weight" = colour_synthetic,
      "published survey weight" = colour_bound,
      constant = "#8C8C8C", "left out" = "#8C8C8C"
    )) +
    scale_shape_manual(values = c(
      protected = 19, published = 17, "survey weight" = 1,
      "published survey weight" = 2, constant = 15, "left out" = 4
    )) +
    theme_pseudosynth() +
    theme_rows(0)
}

# File release -----------------------------------------------------------------

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
#' @param columns (character or `NULL`) The columns whose margins are drawn, or
#'   whose pairs with one another. Default `NULL`: all pairs, and the first
#'   margins, in at most 12 panels, which is what a page can show.
#' @param ... Not used.
#' @section Error types: `pseudosynth_error_input`: unknown `columns`.
#' @return A ggplot object. It shows only what was released.
#' @name plot.file_release
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "earner")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' plot(release)
#' plot(release, columns = c("age", "sex"))
#' plot(release, "pairs")
NULL

#' @rdname plot.file_release
#' @method autoplot file_release
#' @export
autoplot.file_release <- function(object, type = c("margins", "pairs"),
                                  columns = NULL, ...) {
  check_no_dots(..., hint = "See {.fn plot.file_release}.")
  type <- check_choice(type, c("margins", "pairs"))
  drawn <- if (type == "pairs") plot_noise else plot_margins
  drawn(object, columns)
}

# Margins that a page can show
most_panels <- 12

plot_margins <- function(object, columns) {
  bars <- rbind(
    do.call(rbind, lapply(seq_along(object$levels), block_margin, x = object)),
    do.call(rbind, lapply(object$amounts, value_margin, x = object))
  )
  # An amount's values below its parts
  order <- unique(bars$column)
  column_of <- function(panel) sub(", values$", "", panel)
  place <- match(column_of(order), names(object$schema))
  # Of all members together: below its parts in the first slot
  shared <- match(column_of(order), names(object$amounts))
  for (k in which(is.na(place) & !is.na(shared))) {
    first <- object$amounts[[shared[k]]]$slots[1]
    place[k] <- match(first, names(object$schema))
  }
  order <- order[order(place, nchar(order))]
  all <- unique(column_of(order))
  check_names(columns, all, arg = "columns", of = "columns of the release")
  order <- if (is.null(columns)) {
    utils::head(order, most_panels)
  } else {
    order[column_of(order) %in% columns]
  }
  shown <- length(unique(column_of(order)))
  bars <- bars[bars$column %in% order, ]
  bars <- bars[order(match(bars$column, order)), ]
  bars$column <- factor(bars$column, order)
  key <- paste(bars$column, bars$level, sep = "\r")
  bars$key <- factor(key, rev(key))
  draw_alone(draw_margins, bars = bars) + titles(
    "Released margins", sprintf(
      "%sShare of each level; lines: two standard deviations of the noise. %s",
      if (shown < length(all)) {
        sprintf("%d of %d columns. ", shown, length(all))
      } else {
        ""
      }, capitalize(format(guarantee(object)))
    ), x = "Share of records"
  )
}

#' Shares of a column's levels, and the noise in them
#' @noRd
block_margin <- function(x, j) {
  counts <- x$block$margins[[j]]
  own <- match(as.list(j), lapply(x$block$tables, as.integer))
  sd <- if (is.na(own)) 0 else x$tables$sd[own]
  levels <- levels_of_members(x$levels, x$members)[[j]]
  spec <- column_specs(x$codebook)[[names(x$levels)[j]]]
  found <- joined_levels(
    c(levels, "other"), cbind(0, c(counts, 0) / x$block$n),
    if (!is.null(spec)) levels_in_order(spec)
  )
  shown <- found$shares[, 2]
  error <- 2 * sd / x$block$n * sqrt(found$size)
  margin_bars(names(x$levels)[j], names(shown), shown, error)
}

#' Shares of round bins of an amount's values, under a logarithm without sign
#' @noRd
value_margin <- function(amount, x) {
  back <- response_transforms[[amount$transform]]$back
  middles <- function(breaks) back(breaks[-1] / 2 + breaks[-length(breaks)] / 2)
  spec <- specs_of_amounts(x)[[amount$name]]
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

plot_noise <- function(object, wanted) {
  names <- names(object$levels)
  check_names(wanted, names, arg = "columns", of = "columns of the release")
  pairs <- which(object$block$noise$order == 2)
  refuse_if(
    length(pairs) == 0, "The release has no tables of pairs.",
    i = "{.code type = \"margins\"} shows single columns.", arg = "type"
  )
  columns <- do.call(rbind, object$block$tables[pairs])
  if (!is.null(wanted)) {
    kept <- rowSums(matrix(names[columns] %in% wanted, ncol = 2)) == 2
    refuse_if(
      !any(kept),
      "{.arg columns} must name columns that have a table together.",
      i = "Name two or more.", arg = "columns"
    )
    pairs <- pairs[kept]
    columns <- columns[kept, , drop = FALSE]
  }
  # The mean absolute value of normal noise is .8 of its deviation
  noise <- 0.4 * object$tables$cells[pairs] * object$tables$sd[pairs] /
    object$block$n
  cells <- data.frame(
    first = names[columns[, 1]], second = names[columns[, 2]]
  )
  matrix_figure(
    cells, names[names %in% (wanted %||% names)], 100 * noise,
    "Noise of the released tables",
    "Total variation, in percent, by which noise alone would change the table
     of each pair before shrinkage"
  )
}

# File sets --------------------------------------------------------------------

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
  columns <- columns[setdiff(names(columns), object$unit)]
  do.call(rbind, lapply(columns, function(column) {
    name <- column$spec$column
    n <- length(column$levels) + 1L
    share <- function(file) {
      tabulate(level_codes(file[[name]], column), n) / nrow(file)
    }
    sets <- vapply(object$sets, share, numeric(n))
    own <- if (is.null(data)) rowMeans(sets) else share(data)
    shown <- joined_levels(
      c(column$levels, "not in the codebook"), cbind(own, sets),
      if (is_amount(column$spec)) column$bins else levels_in_order(column$spec)
    )$shares
    data.frame(
      column = name, level = rep(rownames(shown), ncol(shown)),
      set = rep(seq_len(ncol(shown)) - 1L, each = nrow(shown)),
      share = as.vector(shown)
    )
  }))
}

#' Shares of few levels: those that nobody has are left out, rare ones joined
#'
#' Of levels in an order the rarest neighbours are one; of others the rarest.
#' @param ordered (integer) Places of levels in an order.
#' @return (list) `shares` (matrix with names) and `size`, levels in each row.
#' @noRd
joined_levels <- function(levels, shares, ordered = NULL) {
  rownames(shares) <- levels
  n <- length(levels)
  # What no codebook states is shown where there is some
  kept <- c(rep(TRUE, n - 1), any(shares[n, ] > 0))
  shares <- shares[kept, , drop = FALSE]
  size <- rep(1L, nrow(shares))
  while (nrow(shares) > most_rows && length(ordered) > 1) {
    height <- rowMeans(shares[, -1, drop = FALSE])
    first <- which.min(height[ordered[-1]] + height[ordered[-length(ordered)]])
    pair <- ordered[first + 0:1]
    shares[pair[1], ] <- colSums(shares[pair, , drop = FALSE])
    size[pair[1]] <- sum(size[pair])
    rownames(shares)[pair[1]] <- joined_name(rownames(shares)[pair])
    shares <- shares[-pair[2], , drop = FALSE]
    size <- size[-pair[2]]
    ordered <- ordered[-(first + 1)]
    ordered[ordered > pair[2]] <- ordered[ordered > pair[2]] - 1L
  }
  if (nrow(shares) > most_rows) {
    height <- rowMeans(shares[, -1, drop = FALSE])
    first <- sort(order(-height)[seq_len(most_rows - 1)])
    rest <- shares[-first, , drop = FALSE]
    shares <- rbind(shares[first, , drop = FALSE], colSums(rest))
    rownames(shares)[most_rows] <- sprintf("%d others", sum(size[-first]))
    size <- c(size[first], sum(size[-first]))
  }
  list(shares = shares, size = size)
}

#' "10 to 20" and "20 to 30" are "10 to 30"
#' @param names (two strings)
#' @noRd
joined_name <- function(names) {
  from <- sub(" to .*", "", names[1])
  to <- sub(".* to ", "", names[2])
  if (startsWith(from, "under ")) {
    paste("under", to)
  } else if (endsWith(to, " and more")) {
    paste(from, "and more")
  } else {
    paste(from, "to", to)
  }
}

plot_file_sets <- function(object, data) {
  if (!is.null(data)) {
    if (rlang::is_bare_list(data)) data <- joined_tables(data)
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

# Cleared tables ---------------------------------------------------------------

# The figure of cleared tables: which relations they have.

#' Plot cleared tables
#'
#' Draws a tile for each pair of columns that share a table. Tiles on the
#' diagonal are for single columns. The number in a tile is the percentage of
#' cells that are empty or withheld. If a pair has no tile, sets do not keep the
#' relation of its two columns.
#' @param object (`cleared_tables`) See [cleared_tables()].
#' @param ... Must be empty.
#' @return A ggplot object.
#' @seealso [cleared_tables()]
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "income")]
#' plan <- file_plan(people, draft_codebook(people))
#' plot(cleared_tables(plan, list(c("age", "income"), c("sex", "marital"))))
#' @name plot.cleared_tables
#' @method autoplot cleared_tables
#' @export
autoplot.cleared_tables <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn cleared_tables}.")
  names <- names(object$levels)
  cells <- do.call(rbind, lapply(object$tables, function(frame) {
    own <- columns_of_cells(frame)
    lost <- mean(counts_of_cells(frame) %in% c(NA, 0))
    pairs <- expand.grid(second = own, first = own, stringsAsFactors = FALSE)
    alone <- pairs$first == pairs$second
    data.frame(pairs[alone == (length(own) == 1), ], value = lost)
  }))
  # Of several tables the smallest, which come first
  cells <- cells[!duplicated(cells[c("first", "second")]), ]
  matrix_figure(
    cells, names, cells$value, "Relations in cleared tables",
    sprintf("%% of cells empty or withheld; counts %s", counts_text(object)),
    text = sprintf("%.0f", 100 * cells$value)
  )
}
