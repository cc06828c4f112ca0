# Figures of judgements: risk and utility.

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
      labels = label_percent, breaks = two_breaks,
      # Less than a percent is as good as none
      limits = function(x) c(0, max(0.01, x[2])),
      expand = expansion(c(0.03, 0.12))
    ) +
    theme_pseudosynth() +
    theme_rows(14, grid = TRUE)
}

# Identification risk ----------------------------------------------------------

#' Plot identification risks
#'
#' Draws violins of the record risks, one for each release or for each class of
#' records. The circle is the mean risk. `plot()` and `autoplot()` give the same
#' ggplot object; call `print()` to draw it in a function or a loop.
#'
#' @param object An `identification_risk`.
#' @param ... More `identification_risk` objects to compare, best given with
#'   names. The first one is named by `name`, so `autoplot(LW = a, CW = b)` must
#'   be written `autoplot(a, CW = b, name = "LW")`.
#' @param name (string) The name of the first object. Default `"synthetic"`.
#' @param by (vector or `NULL`) The class of each record, in the order of the
#'   file, such as a column of the file. The figure then has one violin per
#'   class and one panel per release. Numbers with more than 12 distinct values
#'   are cut into fifths. Default `NULL`: all records together.
#' @return A ggplot object. It shows confidential values and says so.
#' @section Error types: `pseudosynth_error_input`: `by` has another length,
#'   missing values or more than 12 classes.
#' @references Hu and Savitsky, Risk-weighted pseudo posterior, figure 19.
#' @name plot.identification_risk
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' risks <- lapply(c(0.05, 0.2), function(r) {
#'   identification_risk(top, data, "age", radius = r)
#' })
#' autoplot(risks[[1]], "20%" = risks[[2]], name = "5%")
#' autoplot(risks[[2]], by = data$income)
#' @method autoplot identification_risk
#' @export
autoplot.identification_risk <- function(object, ..., name = "synthetic",
                                         by = NULL) {
  check_string(name)
  risks <- named_parts(
    object, list(...), name, "identification_risk",
    function(risk, i) paste("release", i)
  )
  if (!is.null(by)) {
    return(plot_risk_by(risks, record_classes(by, risks)))
  }
  frame <- stack_frames(risks, "release", function(x) x$record["risk"])
  overall <- do.call(rbind, lapply(risks, `[[`, "overall"))
  means <- data.frame(
    release = factor(names(risks), names(risks)), mean = overall[, "mean_risk"],
    text = paste0("EMR ", format_share(overall[, "expected_match_share"]))
  )
  ggplot(frame, aes(x = .data$release, y = .data$risk)) +
    violins(aes(fill = .data$release)) +
    scale_fill_manual(values = release_colours(names(risks)), guide = "none") +
    circles(aes(y = .data$mean), data = means, size = 2.6) +
    geom_text(
      aes(y = 1.04, label = .data$text),
      data = means, vjust = 0, colour = "grey35", size = 3.6
    ) +
    scale_y_continuous(
      limits = c(0, 1.09), breaks = seq(0, 1, 0.25),
      expand = expansion(c(0.01, 0.01))
    ) +
    # Of a low figure the panel's top would cut the text
    coord_cartesian(clip = "off") +
    confidential_labs(
      title = sprintf("Identification risk of %s", object$variable),
      subtitle = paste0(
        "Circle: mean over records. EMR: share of records\n",
        "expected to be identified correctly"
      ),
      x = NULL, y = "Risk of a record"
    ) +
    theme_columns()
}

# A panel of more classes has no room for their names
most_classes <- 12L

#' The class of each record, as it is or by fifths
#' @return (factor)
#' @noRd
record_classes <- function(by, risks) {
  sizes <- vapply(risks, `[[`, 0L, "n_records")
  fits <- is.atomic(by) && all(sizes == length(by)) && !anyNA(by)
  many <- is.atomic(by) && length(unique(by)) > most_classes
  if (fits && many && is.numeric(by) && !is.factor(by)) {
    ends <- stats::quantile(by, seq(0, 1, 0.2), names = FALSE, type = 1)
    breaks <- unique(ends[2:5])
    text <- function(x) label_thousands()(signif(x, 3))
    lower <- c(text(min(by)), paste("above", text(breaks)))
    upper <- c(text(breaks), text(max(by)))
    return(factor(
      findInterval(by, breaks, left.open = TRUE), seq_along(lower) - 1,
      paste(lower, "to", upper)
    ))
  }
  n_by <- length(by)
  refuse_if(
    !fits || many,
    "{.arg by} must give the class of each record, without missing values: at
     most {most_classes} classes, or numbers.",
    x = if (!is.atomic(by)) {
      "It is {describe_type(by)}."
    } else if (all(sizes == n_by)) {
      "It has {length(unique(by))} classes, or missing values."
    } else {
      "It has {n_by} value{?s}, but there are {sizes[1]} record{?s}."
    },
    i = "For instance {.code by = data$age}.", arg = "by"
  )
  droplevels(as.factor(by))
}

#' @param classes (factor) Of the records of each of `risks`.
#' @noRd
plot_risk_by <- function(risks, classes) {
  frame <- stack_frames(risks, "release", function(x) {
    # From the top down
    data.frame(
      class = factor(classes, rev(levels(classes))), risk = x$record$risk
    )
  })
  means <- stats::aggregate(risk ~ class + release, frame, mean)
  figure <- ggplot(frame, aes(x = .data$risk, y = .data$class)) +
    violins(aes(fill = .data$release)) +
    circles(data = means) +
    scale_fill_manual(values = release_colours(names(risks)), guide = "none") +
    scale_x_continuous(
      limits = c(0, 1), breaks = c(0, 0.5, 1), labels = c("0", "0.5", "1")
    ) +
    confidential_labs(
      title = paste("Identification risk of", risks[[1]]$variable, "by class"),
      subtitle = "Circle: mean over the records of a class",
      x = "Risk of a record", y = NULL
    ) +
    theme_rows(16)
  if (length(risks) == 1) figure else figure + facet_wrap(vars(.data$release))
}

# Utility ----------------------------------------------------------------------

#' Plot utility
#'
#' Shows how far each statistic of the synthetic sets is from the file's,
#' relative to the file's. Points are the sets; the circle is the mean over the
#' sets. A triangle at the edge stands for a value beyond the edge. A statistic
#' that is 0 in the file is left out, because nothing can be relative to 0.
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object The result of [utility()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.utility
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' autoplot(utility(top, data, groups = "age"))
NULL

# Differences beyond 100% of the file's figure stand at the edge
largest_difference <- 1

#' @rdname plot.utility
#' @method autoplot utility
#' @export
autoplot.utility <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.utility}.")
  found <- object$statistics
  found$statistic <- ifelse(
    is.na(found$level), found$statistic, found$level
  )
  # Nothing is relative to 0, or to what overflowed
  found$difference <- found$value / found$file - 1
  bad <- found$statistic[!is.finite(found$difference)]
  found <- found[
    !found$statistic %in% bad & !grepl("^multiples", found$statistic),
  ]
  refuse_if(
    nrow(found) == 0,
    "A figure of differences needs a statistic of the file that is not 0.",
    x = "All statistics of {.val {object$variable}} are 0.",
    i = "{.code print(x)} shows those of the sets.", arg = "object"
  )
  shown <- unique(found$statistic)
  first <- c("mean", "sd", "total")
  place <- function(x) factor(x, rev(c(first, setdiff(shown, first))))
  frame <- data.frame(
    statistic = place(found$statistic), difference = found$difference
  )
  means <- stats::aggregate(difference ~ statistic, frame, mean)
  beyond <- abs(frame$difference) > largest_difference
  frame$mark <- ifelse(beyond, "beyond", "set")
  frame$difference <- clamp(
    frame$difference, -largest_difference, largest_difference
  )
  means <- means[abs(means$difference) <= largest_difference, ]
  ggplot(frame, aes(x = .data$difference, y = .data$statistic)) +
    geom_vline(xintercept = 0, colour = "grey45", linewidth = 0.5) +
    geom_point(
      aes(shape = .data$mark),
      colour = colour_synthetic, size = 2.2, alpha = 0.7
    ) +
    circles(data = means, size = 2.8, stroke = 0.6) +
    scale_shape_manual(values = c(set = 16, beyond = 17), guide = "none") +
    scale_x_continuous(labels = label_percent, expand = expansion(0.06)) +
    confidential_labs(
      title = sprintf("Statistics of synthetic %s", object$variable),
      subtitle = sprintf(
        "Line at 0: the file's. Circle: mean of %s%s.\n%s %s, %s",
        counted(nrow(object$table), "set"),
        if (any(beyond)) ".\nTriangles: beyond the edge" else "",
        if (is.null(object$table$shares)) {
          "Largest ECDF difference"
        } else {
          "Total variation of shares"
        },
        format_figure(
          mean(object$table$shares %||% object$table$ecdf_max), 2
        ), "mean over sets"
      ),
      x = "Difference from the file's statistic", y = NULL
    ) +
    theme(axis.text.y = element_text(colour = "grey15"))
}
