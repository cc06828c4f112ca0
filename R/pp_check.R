#' Posterior predictive checks
#'
#' Compares the confidential response with data that the fit predicts for the
#' same records, in figures of the bayesplot package. The figures show whether
#' the family suits the variable. Look at them inside the agency before you
#' synthesize.
#'
#' The function `pp_check()` of this package checks that bayesplot is installed
#' and then calls bayesplot's own generic.
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param type (string or `NULL`) Which `bayesplot::ppc_<type>()` to draw.
#'   `NULL`, the default, is `"bars"` for labels and for counts with few
#'   distinct values, `"ecdf_overlay"` for other counts, and `"dens_overlay"`
#'   otherwise. Any type that needs only `y` and `yrep` works, such as `"stat"`
#'   (with `stat = "max"`), `"rootogram"` for counts or `"hist"`.
#' @param n_draws (count) How many draws to predict from, spread evenly over the
#'   draws of the fit. The default, `NULL`, is 500 for `"bars"`, `"rootogram"`
#'   and `"stat"`, 8 for `"hist"`, `"boxplot"` and `"freqpoly"`, and 50
#'   otherwise, or all draws if the fit has fewer.
#' @param scale (string) `"model"`, the default: the scale of the model, such as
#'   log(income); `"response"`: the variable's own unit. On both scales labels
#'   are numbers that start at 0.
#' @param seed (whole number or `NULL`) As in [fit_synthesizer()].
#' @param ... Passed to the function of bayesplot.
#' @return A ggplot object. It shows confidential values and says so.
#' @section Error types: `pseudosynth_error_input`: bayesplot is not installed,
#'   bayesplot does not have the type, or the fit has fewer than `n_draws`
#'   draws.
#' @references Gabry, Simpson, Vehtari, Betancourt and Gelman (2019),
#'   "Visualization in Bayesian Workflow", Journal of the Royal Statistical
#'   Society A 182, 389-402.
#' @seealso [posterior_predict.synthesizer()].
#' @examplesIf requireNamespace("bayesplot", quietly = TRUE)
#' ce <- transform(head(ce_income, 300), high = income > 50000)
#' fit <- fit_synthesizer(
#'   high ~ age + earner, ce, bernoulli(),
#'   chains = 2, warmup = 300, draws = 1000, seed = 1
#' )
#' pp_check(fit)
#' @export
pp_check <- function(object, ...) {
  check_installed("bayesplot")
  check_present(object)
  of_numbers <- is.numeric(object) && ...length() > 1
  # Fits of other packages have methods of their own
  if (!of_numbers && !has_method("pp_check", object, "bayesplot")) {
    check_class(object, "synthesizer")
  }
  bayesplot::pp_check(object, ...)
}

#' @rdname pp_check
#' @exportS3Method bayesplot::pp_check
pp_check.synthesizer <- function(object, type = NULL, n_draws = NULL,
                                 scale = c("model", "response"), seed = NULL,
                                 ...) {
  check_installed("bayesplot")
  scale <- check_choice(scale, c("model", "response"))
  check_string(type, null = TRUE)
  response <- object$response
  type <- type %||% pp_type(object)
  draw <- pp_function(type)
  n_draws <- check_count(
    n_draws %||% min(pp_draws(type), n_draws(object)),
    min = 1, max = n_draws(object), arg = "n_draws"
  )
  yrep <- posterior_predict.synthesizer(object, draws = n_draws, seed = seed)
  y <- as_number(object$data[[response$name]], response$levels)
  on_model <- scale == "model" && response$kind == "continuous"
  if (on_model) {
    y <- response_forward(response, y)
    yrep[] <- response_forward(response, yrep)
  }
  figure <- draw(y, yrep, ...) + pp_theme(type) +
    labs(caption = confidential_caption)
  # The axis of a statistic is not the response.
  if (startsWith(type, "stat")) {
    return(figure)
  }
  axis <- if (response$kind == "binary") {
    scale_x_continuous(breaks = 0:1)
  } else if (response$kind == "categorical") {
    scale_x_continuous(
      breaks = seq_along(response$levels) - 1, labels = response$levels
    )
  } else if (scale == "response" || response$kind == "count") {
    scale_x_continuous(labels = label_amount())
  }
  # bayesplot has an axis of its own, which is replaced
  suppressMessages(figure + axis) +
    labs(x = if (on_model) response$label else pp_axis(response))
}

#' The look of our figures; a density's axis has no figures
#' @noRd
pp_theme <- function(type) {
  theme_pseudosynth() + if (startsWith(type, "dens") || type == "stat") {
    theme(
      axis.text.y = element_blank(), axis.ticks.y = element_blank(),
      axis.title.y = element_blank()
    )
  }
}

pp_axis <- function(response) {
  if (is.null(response$levels) || response$kind == "categorical") {
    response$name
  } else {
    sprintf(
      "%s (0 %s, 1 %s)", response$name, response$levels[1],
      response$levels[2]
    )
  }
}

pp_type <- function(fit) {
  few <- length(unique(fit$spec$y)) <= most_bars
  switch(fit$family$kind,
    binary = , categorical = "bars",
    count = if (few) "bars" else "ecdf_overlay",
    "dens_overlay"
  )
}

pp_draws <- function(type) {
  switch(type,
    bars = , rootogram = , stat = 500,
    hist = , boxplot = , freqpoly = 8,
    50
  )
}

pp_function <- function(type) {
  name <- paste0("ppc_", type)
  known <- c(
    "bars", "rootogram", "ecdf_overlay", "dens_overlay", "hist", "stat",
    "stat_2d", "boxplot", "scatter_avg", "intervals"
  )
  refuse_if(
    !name %in% getNamespaceExports("bayesplot"),
    "{.arg type} must be a posterior predictive check of bayesplot.",
    x = "There is no {.fn {name}}.", i = "For instance {.or {.val {known}}}.",
    arg = "type"
  )
  getExportedValue("bayesplot", name)
}
