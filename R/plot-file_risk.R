#' Plot the risk of synthetic files
#'
#' Shows how often an intruder guesses a column correctly. Each column that the
#' intruder guesses is a row. The riskiest column, by its excess over a guess
#' without the keys, is on top. In the left panel the intruder draws one of the
#' synthetic records that have the person's keys and guesses its value. The
#' right panel shows for which share of persons all these records have one
#' value, the correct one.
#'
#' A point is a synthetic set, and the circle is the mean of the sets. For
#' comparison, the figure also shows what the file itself would reveal. The
#' cross is a guess from the column's overall shares, without the keys. The
#' distance from the cross to a point on its right is what the keys add.
#'
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object A [file_risk()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.file_risk
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "earner", "region")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' sets <- synthesize(release, 3)
#' plot(file_risk(sets, people, keys = c("sex", "age", "region")))
NULL

#' @rdname plot.file_risk
#' @method autoplot file_risk
#' @export
autoplot.file_risk <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.file_risk}.")
  sources <- c("synthetic sets", "the file itself", "guess from all")
  panels <- c("A random match is right", "All matches are right")
  parts <- data.frame(
    name = c(
      "attribution", "attribution_file", "attribution_margin",
      "disclosive_right", "disclosive_file"
    ),
    source = sources[c(1, 2, 3, 1, 2)], panel = panels[c(1, 1, 1, 2, 2)]
  )
  table <- object$table
  excess <- table$attribution - table$attribution_margin
  columns <- table$column[order(excess)]
  known <- table$column[table$status == "published"]
  names <- ifelse(
    columns %in% known, paste(columns, "(published)"), columns
  )
  placed <- function(rows) {
    do.call(rbind, lapply(seq_len(nrow(parts)), function(i) {
      data.frame(
        column = factor(rows$column, columns, names),
        source = factor(parts$source[i], sources),
        panel = factor(parts$panel[i], panels), share = rows[[parts$name[i]]]
      )
    }))
  }
  sets <- placed(object$set)
  means <- placed(table)
  # From the least to the most that is shown of a column
  ends <- stats::aggregate(share ~ column + panel, means, range)
  draw_alone(
    draw_file_risk,
    means = means, sets = sets[sets$source == sources[1], ],
    lines = data.frame(
      ends[c("column", "panel")], from = ends$share[, 1], to = ends$share[, 2]
    ),
    title = "Risk of synthetic files", subtitle = sprintf(
      "Keys: %s. Records unique by keys: %s in the file, %s in file and set",
      toString(object$keys), format_share(object$overall[["unique_file"]]),
      format_share(object$overall[["unique_both"]])
    ), caption = confidential_caption
  )
}

draw_file_risk <- function(means, sets, lines, title, subtitle, caption) {
  ggplot(means, aes(x = .data$share, y = .data$column)) +
    geom_segment(
      aes(x = .data$from, xend = .data$to, yend = .data$column),
      data = lines, colour = "grey80", linewidth = 0.6
    ) +
    source_points(sets, 2.6) +
    scale_shape_manual(values = c(21, 16, 4)) +
    guides(shape = guide_legend(nrow = 2)) +
    facet_wrap(
      vars(.data$panel), scales = "free_x", labeller = label_wrap_gen(14)
    ) +
    scale_x_continuous(
      labels = label_percent, limits = c(0, NA), breaks = two_breaks,
      expand = expansion(c(0.02, 0.12))
    ) +
    labs(
      title = title, subtitle = wrapped(subtitle), caption = caption,
      x = "Share of the file's records", y = NULL
    ) +
    theme_pseudosynth() +
    theme_rows(14, grid = TRUE)
}
