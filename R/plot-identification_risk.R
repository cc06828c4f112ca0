#' Figures of identification risks
#'
#' Violins of the record risks, one for each release; the circle is the mean
#' risk. `plot()` and `autoplot()` give the same ggplot object, which is drawn
#' when it is printed: at the prompt by itself, in a function or a loop by
#' `print()`.
#'
#' @param object,x An `identification_risk`.
#' @param ... Further ones to compare, best named: `autoplot(LW = a, CW = b)`
#'   is written `autoplot(a, CW = b)`.
#' @param name (string) What the first one is called. Default `"synthetic"`.
#' @return A ggplot object. It shows confidential values and says so.
#' @references Hu and Savitsky, Risk-weighted pseudo posterior, figure 19.
#' @name plot.identification_risk
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' risks <- lapply(c(0.05, 0.2), function(r) {
#'   identification_risk(top, data, "age", radius = r)
#' })
#' autoplot(risks[[1]], "20%" = risks[[2]], name = "5%")
NULL

#' @rdname plot.identification_risk
#' @method autoplot identification_risk
#' @export
autoplot.identification_risk <- function(object, ..., name = "synthetic") {
  check_string(name)
  risks <- named_releases(object, list(...), name)
  frame <- do.call(rbind, Map(function(risk, name) {
    data.frame(release = name, risk = risk$record$risk)
  }, risks, names(risks)))
  frame$release <- factor(frame$release, names(risks))
  means <- data.frame(
    release = factor(names(risks), names(risks)),
    mean = vapply(risks, function(x) x$overall[["mean_risk"]], 0),
    matches = vapply(risks, function(x) {
      x$overall[["expected_match_share"]]
    }, 0)
  )
  means$text <- paste0("EMR ", format_share(means$matches))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$release, y = .data$risk)) +
    ggplot2::geom_violin(
      ggplot2::aes(fill = .data$release),
      scale = "width", width = 0.75, colour = NA
    ) +
    ggplot2::scale_fill_manual(
      values = release_colours(names(risks)), guide = "none"
    ) +
    ggplot2::geom_point(
      ggplot2::aes(y = .data$mean),
      data = means, shape = 21, size = 2.6, fill = "white", colour = "grey25",
      stroke = 0.5
    ) +
    ggplot2::geom_text(
      ggplot2::aes(y = 1.04, label = .data$text),
      data = means, vjust = 0, colour = "grey35", size = 3.6
    ) +
    ggplot2::scale_y_continuous(
      limits = c(0, 1.09), breaks = seq(0, 1, 0.25),
      expand = ggplot2::expansion(c(0.01, 0.01))
    ) +
    ggplot2::labs(
      title = sprintf("Identification risk of %s", object$variable),
      subtitle = paste0(
        "Circle: mean over records. EMR: share of records\n",
        "expected to be named rightly"
      ),
      x = NULL, y = "Risk of a record", caption = confidential_caption
    ) +
    theme_groups()
}

#' @rdname plot.identification_risk
#' @export
plot.identification_risk <- function(x, ..., name = "synthetic") {
  autoplot.identification_risk(x, ..., name = name)
}

named_releases <- function(first, others, name, call = rlang::caller_env()) {
  for (other in others) {
    check_class(other, "identification_risk", arg = "...", call = call)
  }
  given <- names(others) %||% rep("", length(others))
  plain <- given == ""
  given[plain] <- paste("release", which(plain) + 1)
  stats::setNames(c(list(first), others), make.unique(c(name, given)))
}
