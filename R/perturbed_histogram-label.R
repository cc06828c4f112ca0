# The label of a noisy histogram, and its part in the label of what it is the
# margin of.

#' @rdname guarantee
#' @export
guarantee.perturbed_histogram <- function(x, m = 1, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_count(m, min = 1)
  check_public_only(public)
  label_of_histogram(x)
}

#' @param n_records (count) Of what is drawn from it, for synthetic data.
#' @param published (character) Columns published beside what is drawn.
#' @param support (two numbers or `NULL`) Of what is drawn.
#' @noRd
label_of_histogram <- function(x, what = "the noisy counts", m = 1,
                               n_records = NA_integer_,
                               reproducible = x$reproducible,
                               published = NULL, support = NULL) {
  new_privacy_guarantee(
    histogram_verdict(x),
    mechanism = "perturbed_histogram", title = "perturbed histogram",
    what = what,
    paid = histogram_charge(x),
    m = m,
    n_records = n_records,
    unit = x$response$label,
    public_inputs = in_plain_figures(c(
      response = x$response$label,
      values = rounding_text(with_support(x$response, support)),
      histogram = sprintf(
        "%s on [%s, %s], noise of scale %s", bins_text(x),
        format_exact(x$bounds[1]), format_exact(x$bounds[2]),
        format_exact(1 / width_of_epsilon(x$epsilon, x$neighbours))
      ),
      if (length(published) > 0) c(predictors = published_text(published))
    )),
    reproducible = isTRUE(reproducible),
    public = TRUE
  )
}

#' What a histogram puts into the label of what it is the margin of
#'
#' @return (list) `label` and `reasons` of its own, `charges`, `text` (its
#'   public settings), `reproducible`; `NULL` without a margin.
#' @noRd
margin_part <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  c(histogram_verdict(x), list(
    charges = histogram_charge(x), text = in_plain_figures(format(x)),
    reproducible = x$reproducible
  ))
}

#' The histogram's charge: the same one is paid once, however often it is used
#' @noRd
histogram_charge <- function(x) {
  charge_of_noise(x, is_sealed(x))
}

histogram_verdict <- function(x) {
  if (!is_sealed(x)) {
    return(edited_verdict("histogram"))
  }
  if (x$noise == "continuous") {
    return(list(label = "none", reasons = paste(
      "The noise is Laplace noise in floating point, whose last digits give it",
      "away: for reproduction of the papers only."
    )))
  }
  list(label = "strict", reasons = paste(
    "Bounds and bins are public, and one record changes one count by 1",
    "(replace-one: two), under exact discrete Laplace noise."
  ))
}
