#' Specify the margin histogram of a job
#'
#' Makes the `margin` that [pseudo_posterior()] and [compare()] accept: the
#' public bounds and bins of a [perturbed_histogram()] of the response, and its
#' share of epsilon. The job counts the file's records in the bins, adds the
#' noise and calibrates each synthetic set to the noisy counts. A margin works
#' with censored mechanisms, which meet their epsilon exactly, and with
#' `"score"`.
#'
#' Instead of a `margin`, you can give `bounds`, `bins` and `margin_share` to
#' [pseudo_posterior()]. They mean the same. The mechanism `"score"` places the
#' bins around its reference and takes `share` of mu squared, see
#' [score_release()]. For it, `bins = 40, share = 0.3` are better than the
#' defaults at small budgets.
#'
#' @param bounds (two numbers or `NULL`) Smallest and largest value in the
#'   response's own unit. They are public knowledge. Default `NULL`: `bins` must
#'   then be breaks.
#' @param bins (count or increasing numbers) As in [perturbed_histogram()].
#'   Default 60.
#' @param share (number in (0, 1)) The share of epsilon spent on the histogram.
#'   Default 0.4. On four months of Consumer Expenditure income this was more
#'   accurate than 0.2 for the margin and the groups, especially at small
#'   epsilon.
#' @return A `margin_histogram`: a list with `bounds`, `bins` and `share`. It
#'   holds nothing of a file.
#' @section Error types: `pseudosynth_error_input` for a value out of range.
#' @seealso [pseudo_posterior()], [perturbed_histogram()]
#' @examples
#' margin_histogram(c(10, 2e6), share = 0.3)
#' @export
margin_histogram <- function(bounds = NULL, bins = 60, share = 0.4) {
  check_argument(share)
  breaks <- is.numeric(bins) && !is.object(bins) && length(bins) > 1
  if (breaks) {
    check_breaks(bins)
  } else {
    bins <- check_count(bins, min = 2, max = most_bins)
    bounds <- check_bounds(bounds)
  }
  new_result(
    "margin_histogram", bounds = if (!breaks) bounds, bins = bins, share = share
  )
}

#' @export
format.margin_histogram <- function(x, ...) {
  bins <- if (is.null(x$bounds)) {
    sprintf("%d stated bins", length(x$bins) - 1L)
  } else {
    ends <- toString(vapply(x$bounds, format_count, ""))
    sprintf("%d bins on [%s]", x$bins, ends)
  }
  sprintf("margin histogram: %s, %s of epsilon", bins, format(x$share))
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

#' Do these arguments say that there is no margin?
#' @param short (list) See resolve_margin().
#' @noRd
is_no_margin <- function(short) {
  is_number(short$margin_share) && short$margin_share == 0
}

#' The margin that the user means, by an object or by its arguments
#'
#' `bounds` alone make one where the mechanism takes it; a `margin_share` of 0
#' leaves it out.
#' @param short (list) `bounds`, `bins`, `margin_share`, as far as given.
#' @noRd
resolve_margin <- function(margin, short, taken = TRUE) {
  if (length(short) == 0) {
    check_class(margin, "margin_histogram", null = TRUE)
    return(margin)
  }
  refuse_if(
    !is.null(margin), "The margin must be given only once.",
    x = "{.arg margin} is given together with {.arg {names(short)}}.",
    i = "Write {.code margin = margin_histogram(bounds, bins, share)}. Its
         bounds also apply to the released values.",
    arg = "margin"
  )
  if (is_no_margin(short)) {
    refuse_if(
      !is.null(short$bins), "A {.arg margin_share} of 0 leaves the margin out.",
      i = "Leave {.arg bins} out, too.", arg = "bins"
    )
    return(NULL)
  }
  if (!taken && all(names(short) == "bounds")) {
    return(NULL)
  }
  names(short)[names(short) == "margin_share"] <- "share"
  do.call(margin_histogram, short, quote = TRUE)
}

#' Does the histogram suit the response and its epsilon?
#' @noRd
check_job_margin <- function(job) {
  margin <- job$margin
  if (job$mechanism$kind == "censored") check_margin_kind(job$model$response)
  values <- histogram_values(
    histogram_formula(job$formula, job$family), job$data,
    job$fit_arguments$response
  )
  histogram_breaks(values, margin$bounds, margin$bins)
  refuse_if(
    job$budget$margin < 1e-6 || job$budget$margin > 1e6,
    "The margin's part of {.arg epsilon} must lie between 1e-6 and 1e6.",
    x = "It is {format(job$budget$margin)}.", arg = "epsilon"
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
  kept_step(job$seed, "margin", perturbed_histogram(
    histogram_formula(job$formula, job$family), job$data,
    bounds = job$margin$bounds, bins = job$margin$bins,
    epsilon = job$budget$margin, neighbours = job$neighbours,
    seed = stage_seed(job$seed, "margin"),
    response = job$fit_arguments$response, ledger = job$ledger
  ))
}

#' A family that takes the logarithm itself has a plain left side
#' @noRd
histogram_formula <- function(formula, family) {
  if (family$log_response) formula[[2]] <- call("log", formula[[2]])
  formula
}
