#' Plot a fit
#'
#' Draws the record bounds, weights, parameters or traces of a fit, or compares
#' several fits. `plot()` and `autoplot()` give the same ggplot object; call
#' `print()` to draw it in a function or a loop.
#'
#' @param object (synthesizer) The fit.
#' @param type (string) What to show:
#'   * `"bounds"`, the default: a histogram of the record bounds with the
#'     overall bound; for several fits, violins;
#'   * `"weights"`: record bound against privacy weight, with a panel for each
#'     fit. Points that lie flat at the overall bound mean efficient weights;
#'   * `"change"`: the weight of each record in the other fits against its
#'     weight in `object`, for instance after re-weighting against before;
#'   * `"parameters"`: violins of the posterior of each parameter;
#'   * `"trace"`: the monitored quantities of one fit, draw by draw and chain by
#'     chain.
#' @param ... (synthesizer) More fits of the same records, best named. To name
#'   `object` as well, use `name`: write `autoplot(a, CW = b, name = "LW")`, not
#'   `autoplot(LW = a, CW = b)`.
#' @param name (string or `NULL`) The name of `object` when several fits are
#'   shown. `NULL`, the default: the scheme of its weights.
#' @param parameters (character or `NULL`) The columns of
#'   [`as_draws_df()`][as_draws] that `"parameters"` shows. `NULL`, the default:
#'   all columns that the fits share; more than 12 are an error.
#' @return A ggplot object. It shows confidential values and says so.
#' @section Error types: `pseudosynth_error_input`: `"change"` without another
#'   fit or with fits of different numbers of records, `"trace"` with another
#'   fit, or parameters that a fit does not have.
#' @references Savitsky, Hu and Williams, Re-weighting of vector-weighted
#'   mechanisms, figures 3 to 5.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' autoplot(fit, "trace")
#' lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
#' autoplot(fit, "bounds", LW = lw, name = "Unweighted")
#' autoplot(fit, "parameters", LW = lw, name = "Unweighted")
#' @name plot.synthesizer
#' @method autoplot synthesizer
#' @export
autoplot.synthesizer <- function(
  object, type = c(
    "bounds", "weights", "change", "parameters", "trace"
  ), ..., name = NULL, parameters = NULL
) {
  others <- only_class(
    list(...), "synthesizer", "See {.fn plot.synthesizer}."
  )
  type <- check_choice(
    type, c("bounds", "weights", "change", "parameters", "trace")
  )
  check_string(name, null = TRUE)
  refuse_if(
    type == "change" && length(others) == 0,
    "{.arg type} {.val change} needs another fit.",
    i = "For instance {.code autoplot(lw, \"change\", LW_final = final)}.",
    arg = "..."
  )
  refuse_if(
    type == "trace" && length(others) > 0,
    "{.arg type} {.val trace} shows one fit.", arg = "..."
  )
  fits <- named_parts(object, others, name, "synthesizer", scheme_of_fit)
  sizes <- vapply(fits, n_records, 1)
  refuse_if(
    type == "change" && any(sizes != sizes[1]),
    "All fits must have the same records.",
    x = "They have {.val {unique(sizes)}} records.", arg = "..."
  )
  switch(type,
    bounds = if (length(others) == 0) {
      autoplot.lipschitz_bound(object$bound)
    } else {
      plot_stage_bounds(fits, "fit")
    },
    weights = plot_bound_against_weight(
      if (length(others) == 0) list(object) else fits
    ),
    change = plot_change(fits),
    parameters = plot_parameters(fits, parameters),
    trace = plot_trace(object)
  )
}

scheme_of_fit <- function(fit, i) {
  weights <- fit$privacy_weights
  if (is.null(weights)) "Unweighted" else scheme_short(weights)
}

plot_trace <- function(fit) {
  monitor <- fit$monitor
  columns <- intersect(c("log_lik", "q5", "q50", "q95"), colnames(monitor))

  draw <- stats::ave(fit$chain, fit$chain, FUN = seq_along)
  # No more points than a figure can show
  thin <- max(1, floor(max(draw) / 1000))
  shown <- which(draw %% thin == 0)
  titles <- monitor_titles[columns]
  frame <- data.frame(
    quantity = rep(factor(titles, titles), each = length(shown)),
    draw = draw[shown], chain = factor(fit$chain[shown]),
    value = as.vector(monitor[shown, columns])
  )
  n_chains <- nlevels(frame$chain)
  ggplot(frame, aes(x = .data$draw, y = .data$value, colour = .data$chain)) +
    geom_line(linewidth = 0.25, alpha = 0.75) +
    facet_wrap(vars(.data$quantity), ncol = 1, scales = "free_y") +
    scale_y_continuous(n.breaks = 3) +
    scale_colour_manual(
      values = rep_len(chain_colours, n_chains),
      labels = function(x) paste("chain", x)
    ) +
    guides(colour = if (n_chains > 6) "none" else guide_legend(
      override.aes = list(linewidth = 1, alpha = 1)
    )) +
    confidential_labs(
      title = "Traces", subtitle = "Chains that look alike have mixed",
      x = "Draw", y = NULL
    )
}

# Parameters -------------------------------------------------------------------

# The posterior of the parameters of several fits beside each other.

# More panels than these are not told apart at the width of a page
most_parameters <- 12L

#' The draws of the parameters of several fits
#' @param parameters (character or `NULL`)
#' @return (data frame) `parameter`, `fit`, `value`.
#' @noRd
parameter_frame <- function(fits, parameters) {
  draws <- lapply(fits, function(fit) as.data.frame(as_draws_df(fit)))
  shared <- Reduce(intersect, lapply(draws, names))
  shared <- shared[!startsWith(shared, ".")]
  check_names(
    parameters, shared, of = "columns of {.code as_draws_df()} of every fit"
  )
  refuse_if(
    is.null(parameters) && length(shared) > most_parameters,
    "{.arg parameters} must name the parameters to show: the fits share
     {length(shared)}.",
    i = "A figure shows at most {most_parameters} unless they are named.",
    arg = "parameters"
  )
  parameters <- unique(parameters %||% shared)
  frame <- do.call(rbind, lapply(parameters, function(parameter) {
    stack_frames(draws, "fit", function(x) {
      data.frame(parameter = parameter, value = x[[parameter]])
    })
  }))
  frame$parameter <- factor(frame$parameter, parameters)
  frame
}

#' @noRd
plot_parameters <- function(fits, parameters) {
  frame <- parameter_frame(fits, parameters)
  ggplot(frame, aes(x = .data$fit, y = .data$value)) +
    group_violins("fit", release_colours(names(fits))) +
    facet_wrap(vars(.data$parameter), scales = "free_y") +
    scale_y_continuous(labels = label_amount()) +
    confidential_labs(
      title = "Posterior of the parameters", subtitle = "Circle: median",
      x = NULL, y = NULL
    ) +
    theme_columns()
}
