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
