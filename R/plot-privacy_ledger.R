#' Plot a ledger
#'
#' Shows the epsilon spent after each entry, against the budget. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object A [ledger()].
#' @param ... Not used.
#' @return A ggplot object. It is as confidential as the ledger and says so.
#' @name plot.privacy_ledger
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' book <- ledger(tempfile(fileext = ".ledger"), epsilon = 10)
#' data <- data.frame(y = 1:50 + 0.5)
#' for (i in 1:2) {
#'   histogram <- perturbed_histogram(y ~ 1, data, c(0, 100), epsilon = 1)
#'   synthesize(histogram, ledger = book)
#' }
#' autoplot(book)
#' @method autoplot privacy_ledger
#' @export
autoplot.privacy_ledger <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.privacy_ledger}.")
  table <- as.data.frame(object)
  table$kind <- ifelse(table$label == "strict", "proven", "claimed")
  n <- nrow(table)
  ggplot(table, aes(x = .data$number, y = .data$spent)) +
    geom_col(
      aes(fill = .data$kind, colour = .data$kind), width = 0.7, linewidth = 0.5
    ) +
    bound_rules(data.frame(
      at = object$epsilon, text = paste("budget", format_figure(object$epsilon))
    )) +
    # Told apart without colour: claims are hollow
    scale_fill_manual(
      values = c(proven = colour_synthetic, claimed = "white")
    ) +
    scale_colour_manual(
      values = c(proven = colour_synthetic, claimed = colour_synthetic)
    ) +
    scale_x_continuous(
      breaks = whole_breaks, limits = c(0.5, max(n, 1) + 0.5)
    ) +
    scale_y_continuous(limits = c(0, NA), expand = expansion(c(0, 0.12))) +
    confidential_labs(
      title = "Privacy budget",
      subtitle = sprintf(
        "%s of epsilon %s spent (%s), %d entr%s",
        format_figure(max(table$spent, 0)),
        format_figure(object$epsilon), object$neighbours, n,
        if (n == 1) "y" else "ies"
      ),
      x = "Entry", y = "Epsilon spent so far"
    )
}
