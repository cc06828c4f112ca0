# Figures of labels and of what tests them: epsilon, budgets, studies, audits.

#' Plot a label
#'
#' Shows epsilon under both neighbour relations: for one parameter draw, for
#' what is spent once, and in total. Solid bars are proven; hollow bars are only
#' claimed. `plot()` and `autoplot()` give the same ggplot object; call
#' `print()` to draw it in a function or a loop.
#'
#' @param object A label, see [guarantee()].
#' @param ... Not used.
#' @return A ggplot object. The figure of a public label may leave the agency;
#'   the figure of any other label says that it may not.
#' @section Error types:
#' `pseudosynth_error_input`: a label without an epsilon, such as the label of
#' an unweighted fit, or a label that withholds its epsilon.
#' @name plot.privacy_guarantee
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' histogram <- perturbed_histogram(log(income) ~ 1, data,
#'   bounds = c(10, 2e6), epsilon = 1
#' )
#' autoplot(guarantee(histogram))
#' @method autoplot privacy_guarantee
#' @export
autoplot.privacy_guarantee <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.privacy_guarantee}.")
  label <- intact_label(object)
  check_states_epsilon(label)
  draw_alone(
    draw_label, frame = label_frame(label), holds = label$holds
  ) + titles(
    "Epsilon of the label", capitalize(paste0(
      label$title, ": ", label_title(label), delta_note(label)
    )), x = "Epsilon", confidential = !label$public
  )
}

draw_label <- function(frame, holds) {
  ggplot(frame, aes(x = .data$epsilon, y = .data$part)) +
    geom_col(
      width = 0.2 * nlevels(frame$part), linewidth = 0.6,
      colour = colour_synthetic,
      fill = if (holds) colour_synthetic else "white"
    ) +
    geom_text(
      aes(label = .data$text), hjust = -0.25, size = 3.6, colour = "grey15"
    ) +
    facet_wrap(vars(.data$neighbours)) +
    scale_x_continuous(
      # Room for the figures
      limits = c(0, NA), breaks = two_breaks, expand = expansion(c(0, 0.5))
    ) +
    theme_pseudosynth() +
    theme_rows(18)
}

check_states_epsilon <- function(label) {
  refuse_if(
    label$label == "none" || anyNA(label$epsilon$total),
    "A label without an epsilon has no figure.",
    x = if (label$label == "none") {
      "It is {.val none}: nothing is claimed."
    } else {
      "It withholds epsilon, which is computed from the file."
    },
    i = "{.fn print} shows the whole label.", arg = "object"
  )
}

#' @return (data frame) A row for each part and relation: `part`, `relation`,
#'   `epsilon`, `text`.
#' @noRd
label_frame <- function(label) {
  one <- all(label$epsilon$one_off == 0) && label$m == 1
  parts <- if (anyNA(label$draws)) {
    c(total = "spent once")
  } else if (one) {
    c(total = "one set")
  } else {
    c(
      per_draw = "each set", one_off = "spent once",
      total = sprintf("total, m = %d", label$m)
    )
  }
  frame <- do.call(rbind, lapply(names(parts), function(part) {
    data.frame(
      part = parts[[part]], neighbours = label$neighbours,
      epsilon = unname(label$epsilon[[part]][label$neighbours])
    )
  }))
  frame$part <- factor(frame$part, rev(unname(parts)))
  frame$neighbours <- factor(frame$neighbours, label$neighbours)
  frame$text <- format_up(frame$epsilon)
  frame
}

# Privacy ledger ---------------------------------------------------------------

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

# Replicate study --------------------------------------------------------------

#' Plot a replicate study
#'
#' Shows \eqn{2\Delta_r} of every local database, the stated epsilon and this
#' file's own.
#'
#' @param object (replicate_study) See [replicate_study()].
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @name plot.replicate_study
#' @method autoplot replicate_study
#' @export
autoplot.replicate_study <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.replicate_study}.")
  frame <- object$table
  frame$above <- !(frame$epsilon <= object$epsilon & frame$converged)
  at <- c(object$epsilon, object$file)
  what <- paste(c("epsilon", "this file"), format_figure(at))
  marks <- data.frame(at = at, what = factor(what, what))
  ggplot(frame, aes(x = .data$epsilon, y = 0)) +
    geom_violin(fill = "#CFE3F1", colour = NA, width = 1.6) +
    geom_vline(
      data = marks,
      aes(xintercept = .data$at, colour = .data$what, linetype = .data$what),
      linewidth = 0.6
    ) +
    geom_point(
      aes(shape = .data$above), position = position_jitter(0, 0.18, seed = 1),
      size = 1.8, colour = "grey25", fill = "white"
    ) +
    scale_shape_manual(values = c(`FALSE` = 19, `TRUE` = 24), guide = "none") +
    scale_colour_manual(values = c(colour_bound, colour_confidential)) +
    # Told apart without colour
    scale_linetype_manual(values = c("dashed", "solid")) +
    confidential_labs(
      title = "Local databases",
      subtitle = wrapped(sprintf(
        "%s; %d of %d above epsilon", object$title, object$above, nrow(frame)
      )),
      x = "Twice the Lipschitz bound of a local database", y = NULL
    ) +
    theme(axis.text.y = element_blank(), panel.grid.major.y = element_blank())
}

# Audit ------------------------------------------------------------------------

#' Plot an audit
#'
#' Shows the privacy loss of every neighbour against the claim. For an exact
#' audit, a neighbour has two losses: the largest over all parameters, and the
#' largest where the posterior of the file has most of its mass. A sampled audit
#' shows a lower bound and an estimate instead. A loss without bound is a
#' triangle at the upper edge.
#'
#' @param object A `guarantee_audit`, see [audit_guarantee()].
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @examples
#' file <- worst_case_data("clones", n = 20, value = 1, outlier = 4)
#' audit <- audit_guarantee(y ~ 1, file, gaussian(),
#'   mechanism = "censor_uw", epsilon = 1,
#'   prior = prior_normal(intercept = c(0, 2)), replacements = 8, cells = 2500
#' )
#' plot(audit)
#' @name plot-guarantee_audit
#' @method autoplot guarantee_audit
#' @export
autoplot.guarantee_audit <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.guarantee_audit}.")
  exact <- object$method == "exact"
  kinds <- if (exact) {
    c("largest over all parameters", "in the bulk of the posterior")
  } else {
    c("lower bound", "estimate")
  }
  losses <- object$losses
  second <- if (exact) losses$loss_bulk else losses$estimate
  frame <- data.frame(
    neighbours = losses$neighbours,
    rank = stats::ave(
      order(order(losses$loss, second)), losses$neighbours, FUN = rank
    ),
    loss = c(losses$loss, second), what = rep(kinds, each = nrow(losses))
  )
  finite <- is.finite(frame$loss)
  largest <- max(c(frame$loss[finite], object$worst$claim))
  smallest <- max(
    min(c(frame$loss[finite & frame$loss > 0], object$worst$claim)),
    largest * 1e-4
  )
  frame$infinite <- !finite
  frame$loss <- pmax(pmin(frame$loss, largest * 2), smallest)
  claims <- object$worst
  text <- paste(
    if (object$claimed == "epsilon") "claim" else "2 x bound",
    format_figure(claims$claim)
  )
  ggplot(frame, aes(x = .data$rank, y = .data$loss)) +
    bound_rules(data.frame(claims["neighbours"], at = claims$claim, text)) +
    geom_point(
      aes(colour = .data$what, shape = .data$infinite), size = 1.7, alpha = 0.85
    ) +
    facet_wrap(~neighbours, scales = "free_x") +
    scale_colour_manual(values = stats::setNames(chain_colours[1:2], kinds)) +
    scale_shape_manual(values = c("FALSE" = 16, "TRUE" = 17), guide = "none") +
    scale_x_continuous(
      breaks = whole_breaks, labels = label_amount(),
      expand = expansion(add = 0.4)
    ) +
    scale_y_log10(
      labels = function(x) format_figure(x, 2), expand = expansion(c(0.04, 0.1))
    ) +
    confidential_labs(
      title = paste0("Privacy losses found, ", object$mechanism),
      subtitle = paste0(object$model, ", N = ", format_count(object$n_records)),
      x = "Neighbours, in order of loss", y = "Privacy loss"
    )
}

#' Plot the audit of a score release
#'
#' Compares the errors of tests with the curve that is claimed. The tests are
#' the best ones for telling worst-case neighbours apart, and their errors are
#' found by running the release. A test below the curve would refute the claim.
#' If nothing was run (under Laplace noise or with `replicates = 0`), the figure
#' shows the exact value and the claimed one. `plot()` and `autoplot()` give the
#' same ggplot object; call `print()` to draw it in a function or a loop.
#'
#' @param object A `score_audit`, see [audit_guarantee()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.score_audit
#' @examples
#' small <- subset(ce_income, income > 0, c("income", "age"))[1:200, ]
#' released <- score_release(log(income) ~ age, small,
#'   epsilon = 2, delta = 1e-6, bounds = c(10, 2e6),
#'   reference = list("(Intercept)" = 10.8, sigma = 1)
#' )
#' autoplot(audit_guarantee(released, small, replicates = 1000, seed = 1))
#' @method autoplot score_audit
#' @export
autoplot.score_audit <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.score_audit}.")
  figure <- if (is.null(object$curve)) audit_figures else audit_curves
  figure(object) + confidential_labs(
    title = sprintf("Audit of a %s", object$of)
  )
}

#' Errors of both kinds, found and claimed
#' @noRd
audit_curves <- function(object) {
  grid <- seq(0, 1, length.out = 201)
  worst <- object$worst
  claimed <- data.frame(
    neighbours = rep(worst$neighbours, each = length(grid)),
    false_positive = grid, false_negative = stats::pnorm(
      stats::qnorm(1 - grid) - rep(worst$claimed, each = length(grid))
    )
  )
  ggplot(claimed, aes(x = .data$false_positive, y = .data$false_negative)) +
    geom_abline(
      intercept = 1, slope = -1, colour = "grey70", linetype = "dashed",
      linewidth = 0.4
    ) +
    geom_line(colour = colour_bound, linewidth = 0.7) +
    geom_point(
      data = object$curve, colour = colour_synthetic, size = 1, alpha = 0.7
    ) +
    facet_wrap(vars(.data$neighbours)) +
    scale_x_continuous(breaks = c(0, 0.5, 1)) +
    scale_y_continuous(breaks = c(0, 0.5, 1)) +
    coord_equal() +
    labs(
      subtitle = paste0(
        "Line: claimed. Points: ", format_count(object$replicates),
        " runs on each file.\nDashed: a test that learns nothing"
      ),
      x = "False alarms", y = "Missed"
    )
}

#' Exact and claimed figures alone
#' @noRd
audit_figures <- function(object) {
  worst <- object$worst
  frame <- data.frame(
    neighbours = rep(worst$neighbours, 2),
    what = rep(c("claimed", "exact"), each = nrow(worst)),
    value = c(worst$claimed, worst$exact)
  )
  if (!is.null(object$replays)) {
    moved <- tapply(object$replays$moved, object$replays$neighbours, max)
    frame <- rbind(frame, data.frame(
      neighbours = names(moved), what = "replayed", value = as.vector(moved)
    ))
  }
  colours <- c(
    claimed = colour_bound, exact = colour_synthetic, replayed = "grey30"
  )
  shapes <- c(claimed = 3, exact = 16, replayed = 1)
  shown <- unique(frame$what)
  ggplot(frame, aes(x = .data$value, y = .data$neighbours)) +
    kind_marks("what", colours[shown], shapes[shown], 3) +
    labs(subtitle = "Worst-case neighbours", x = object$unit, y = NULL)
}
