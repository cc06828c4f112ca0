#' Figures of identification risks
#'
#' Violins of the record risks, one for each release, or for each class of
#' records; the circle is the mean risk. `plot()` and `autoplot()` give the same
#' ggplot object, which is drawn when it is printed: at the prompt by itself, in
#' a function or a loop by `print()`.
#'
#' @param object An `identification_risk`.
#' @param ... Further ones to compare, best named: `autoplot(LW = a, CW = b)`
#'   is written `autoplot(a, CW = b)`.
#' @param name (string) What the first one is called. Default `"synthetic"`.
#' @param by (vector or `NULL`) The class of each record, in the order of the
#'   file, such as a column of it: a violin for each class, a panel for each
#'   release. Numbers of more than 12 values are cut into fifths. `NULL`, the
#'   default: all records together.
#' @return A ggplot object. It shows confidential values and says so.
#' @section Error types: `pseudosynth_error_input`: `by` of another length, with
#'   missing values or with more than 12 classes.
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
NULL

#' @rdname plot.identification_risk
#' @method autoplot identification_risk
#' @export
autoplot.identification_risk <- function(object, ..., name = "synthetic",
                                         by = NULL) {
  check_string(name)
  risks <- named_releases(object, list(...), name)
  if (!is.null(by)) {
    return(plot_risk_by(risks, record_classes(by, risks)))
  }
  frame <- stack_frames(risks, "release", function(x) x$record["risk"])
  means <- data.frame(
    release = factor(names(risks), names(risks)),
    mean = vapply(risks, function(x) x$overall[["mean_risk"]], 0),
    matches = vapply(risks, function(x) {
      x$overall[["expected_match_share"]]
    }, 0)
  )
  means$text <- paste0("EMR ", format_share(means$matches))
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
    confidential_labs(
      title = sprintf("Identification risk of %s", object$variable),
      subtitle = paste0(
        "Circle: mean over records. EMR: share of records\n",
        "expected to be named rightly"
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
  if (!fits || many) {
    n_by <- length(by)
    abort_input(
      "{.arg by} must be the class of each record, without missing values, at
       most {most_classes} classes, or numbers.",
      x = if (!is.atomic(by)) {
        "It is {describe_type(by)}."
      } else if (all(sizes == n_by)) {
        "It has {length(unique(by))} classes, or values are missing."
      } else {
        "It has {n_by} value{?s}, there are {sizes[1]} record{?s}."
      },
      i = "Such as {.code by = data$age}.",
      arg = "by"
    )
  }
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
  if (length(risks) == 1) {
    return(figure)
  }
  figure + facet_wrap(vars(.data$release))
}

named_releases <- function(first, others, name) {
  for (other in others) {
    check_class(other, "identification_risk", arg = "...")
  }
  given <- names(others) %||% rep("", length(others))
  plain <- given == ""
  given[plain] <- paste("release", which(plain) + 1)
  stats::setNames(c(list(first), others), make.unique(c(name, given)))
}
