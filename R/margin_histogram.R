#' The margin of a job: a histogram specified beforehand
#'
#' What [pseudo_posterior()] and [compare()] take as `margin`: the
#' public bounds and bins of a [perturbed_histogram()] of the response, and the
#' share of epsilon that it gets. The job counts the file, adds the noise and
#' calibrates each synthetic set to the noisy counts. For censored mechanisms,
#' whose epsilon is met exactly.
#'
#' `bounds`, `bins` and `margin_share` among the other arguments of
#' [pseudo_posterior()] mean the same. The mechanism `"score"` places the bins
#' around its reference and takes `share` in mu squared, see [score_release()];
#' `bins = 40, share = 0.3` serve it better than the defaults at small budgets.
#'
#' @param bounds (two numbers) Smallest and largest value in the response's own
#'   unit, public knowledge. May be left out where `bins` are breaks.
#' @param bins (count or increasing numbers) As in [perturbed_histogram()].
#'   Default 60.
#' @param share (number in (0, 1)) The share of epsilon spent on it. Default
#'   0.4: on four months of Consumer Expenditure income it served the margin and
#'   the groups better than 0.2, the less epsilon the more.
#' @return A `margin_histogram`: a list with `bounds`, `bins` and `share`. It
#'   holds nothing of a file.
#' @section Error types: `pseudosynth_error_input` for a value out of range.
#' @seealso [pseudo_posterior()], [perturbed_histogram()]
#' @examples
#' margin_histogram(c(10, 2e6), share = 0.3)
#' @export
margin_histogram <- function(bounds = NULL, bins = 60, share = 0.4) {
  check_number(share, above = 0, below = 1)
  breaks <- is.numeric(bins) && length(bins) > 1
  if (breaks) {
    check_breaks(bins)
  } else {
    bins <- check_count(bins, min = 2, max = 1e6)
    bounds <- check_bounds(bounds)
  }
  structure(
    list(bounds = if (!breaks) bounds, bins = bins, share = share),
    class = c("margin_histogram", "pseudosynth_result")
  )
}

#' @export
format.margin_histogram <- function(x, ...) {
  sprintf(
    "margin histogram: %s, %s of epsilon",
    if (is.null(x$bounds)) {
      sprintf("%d stated bins", length(x$bins) - 1L)
    } else {
      sprintf(
        "%d bins on [%s, %s]", x$bins, format_count(x$bounds[1]),
        format_count(x$bounds[2])
      )
    },
    format(x$share)
  )
}

print_lines.margin_histogram <- function(x) capitalize(format(x))

#' The public ends that a margin states
#' @noRd
margin_ends <- function(margin) {
  margin$bounds %||% if (!is.null(margin)) range(margin$bins)
}

# In a job ---------------------------------------------------------------------

#' Does a margin's histogram go with the mechanism?
#' @noRd
takes_margin <- function(mechanism) {
  mechanism$kind %in% c("censored", "histogram", "scores")
}

#' The margin that the user means, by an object or by its arguments
#'
#' `bounds` alone make one where the mechanism takes it; a `margin_share` of 0
#' leaves it out.
#' @param short (list) `bounds`, `bins`, `margin_share`, as far as given.
#' @noRd
resolve_margin <- function(margin, short, taken = TRUE) {
  if (length(short) == 0) {
    check_class(
      margin, "margin_histogram", "Make one with {.fn margin_histogram}.",
      null = TRUE, arg = "margin"
    )
    return(margin)
  }
  refuse_if(
    !is.null(margin), "A margin must be given once.",
    x = "Beside {.arg margin} there {?is/are} {.arg {names(short)}}.",
    i = "Write {.code margin = margin_histogram(bounds, bins, share)}.",
    arg = "margin"
  )
  if (identical(as.double(short$margin_share), 0) ||
    !taken && all(names(short) == "bounds")) {
    return(NULL)
  }
  names(short)[names(short) == "margin_share"] <- "share"
  do.call(margin_histogram, short, quote = TRUE)
}

#' Does the histogram suit the response and its epsilon?
#' @noRd
check_job_margin <- function(job) {
  margin <- job$margin
  if (job$mechanism$kind == "censored") {
    check_margin_kind(job$model$response)
  }
  values <- histogram_values(
    histogram_formula(job$formula, job$family), job$data,
    job$fit_arguments$response
  )
  histogram_breaks(values, margin$bounds, margin$bins)
  refuse_if(
    job$budget$margin < 1e-6 || job$budget$margin > 1e6,
    "A margin's share of {.arg epsilon} must lie between 1e-6 and 1e6.",
    x = "It is {format(job$budget$margin)}.",
    arg = "epsilon"
  )
}

#' @return (`perturbed_histogram` or `NULL`)
#' @noRd
job_margin <- function(job) {
  # A score release counts its margin itself
  if (is.null(job$margin) || job$mechanism$kind == "scores") {
    return(NULL)
  }
  tell_step("Perturbing the histogram")
  kept_noise(job, "margin", function(job) {
    perturbed_histogram(
      histogram_formula(job$formula, job$family), job$data,
      bounds = job$margin$bounds, bins = job$margin$bins,
      epsilon = job$budget$margin, neighbours = job$neighbours,
      seed = stage_seed(job$seed, "margin"),
      response = job$fit_arguments$response, ledger = job$ledger
    )
  })
}

#' A family that takes the logarithm itself has a plain left side
#' @noRd
histogram_formula <- function(formula, family) {
  if (family$log_response) {
    formula[[2]] <- call("log", formula[[2]])
  }
  formula
}
