#' Plot risks
#'
#' Shows how often an intruder guesses a column correctly. In the first panel
#' the intruder draws one of the synthetic records that have the person's keys
#' and guesses its value. The second panel shows for which share of persons all
#' these records have one value, the correct one. Each column that the intruder
#' guesses is a row, the riskiest one, by its excess over a guess without the
#' keys, on top. If only one column is guessed, each source of the guess is a
#' row, and a third panel shows how many persons are unique by their keys.
#'
#' A point is a synthetic set, and the circle is the mean of the sets. For
#' comparison, the figure also shows what a fresh sample and the file itself
#' would reveal. The cross is a guess from the column's overall shares, without
#' the keys. The distance from the cross to a point on its right is what the
#' keys add.
#'
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object The result of [risk()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.risk
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' plot(risk(top, data, keys = "age", variables = "income"))
#'
#' people <- ce_income[c("sex", "age", "marital", "earner", "region")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' sets <- synthesize(release, 3)
#' plot(risk(sets, people, keys = c("sex", "age", "region")))
NULL

# The sources of a guess, and where each of their figures stands
risk_sources <- c(
  "synthetic sets", "a fresh sample", "the file itself", "guess from all"
)
risk_panels <- c(
  "A random match is right", "All matches are right", "Pattern is unique"
)
risk_figures <- data.frame(
  name = c(
    "attribution", "attribution_fresh", "attribution_file",
    "attribution_margin", "disclosive_right", "disclosive_fresh",
    "disclosive_file", "unique_both", "unique_fresh", "unique_file"
  ),
  source = risk_sources[c(1:4, 1:3, 1:3)],
  panel = risk_panels[rep(1:3, c(4, 3, 3))]
)

#' @rdname plot.risk
#' @method autoplot risk
#' @export
autoplot.risk <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.risk}.")
  table <- object$table
  columns <- table$column[order(table$attribution - table$attribution_margin)]
  known <- table$column[table$status == "published"]
  names <- ifelse(columns %in% known, paste(columns, "(published)"), columns)
  # Of one column, sources are rows, and what depends on keys alone has room
  alone <- length(columns) == 1
  placed <- function(rows) {
    parts <- risk_figures[risk_figures$name %in% names(rows), ]
    do.call(rbind, lapply(seq_len(nrow(parts)), function(i) {
      data.frame(
        row = if (alone) {
          factor(parts$source[i], rev(risk_sources))
        } else {
          factor(rows$column, columns, names)
        },
        source = factor(parts$source[i], risk_sources),
        panel = factor(parts$panel[i], risk_panels),
        share = rows[[parts$name[i]]]
      )
    }))
  }
  sets <- object$set
  if (alone) {
    table[c("unique_both", "unique_file")] <-
      as.list(object$overall[c("unique_both", "unique_file")])
    table$unique_fresh <- object$fresh[["unique_both"]]
    sets$unique_both <- object$figures$unique_both
  }
  means <- placed(table)
  sets <- placed(sets)
  # From the least to the most that is shown of a row
  ends <- stats::aggregate(share ~ row + panel, means, range)
  draw_alone(
    draw_risk,
    means = means, sets = sets[sets$source == risk_sources[1], ],
    lines = data.frame(
      ends[c("row", "panel")], to = ends$share[, 2],
      from = if (alone) 0 else ends$share[, 1]
    ),
    guide = if (alone) "none" else guide_legend(nrow = 2),
    scales = if (alone) "fixed" else "free_x"
  ) + titles(
    paste("Risk of synthetic", object$of), sprintf(
      "Keys: %s. Records unique by keys: %s in the file, %s in file and set",
      toString(object$known), format_share(object$overall[["unique_file"]]),
      format_share(object$overall[["unique_both"]])
    ), x = "Share of the file's records", confidential = TRUE
  )
}

draw_risk <- function(means, sets, lines, guide, scales) {
  ggplot(means, aes(x = .data$share, y = .data$row)) +
    geom_segment(
      aes(x = .data$from, xend = .data$to, yend = .data$row),
      data = lines, colour = "grey80", linewidth = 0.6
    ) +
    geom_point(
      data = sets, colour = colour_synthetic, size = 1.8, alpha = 0.6
    ) +
    geom_point(
      aes(shape = .data$source),
      size = 2.6, fill = "white", colour = "grey25", stroke = 0.6
    ) +
    scale_shape_manual(
      values = stats::setNames(c(21, 3, 16, 4), risk_sources), guide = guide
    ) +
    facet_wrap(
      vars(.data$panel), scales = scales, labeller = label_wrap_gen(14)
    ) +
    scale_x_continuous(
      labels = label_percent, limits = c(0, NA), breaks = two_breaks,
      expand = expansion(c(0.03, 0.12))
    ) +
    theme_pseudosynth() +
    theme_rows(14, grid = TRUE)
}
