# The label of a score release and of what is drawn from it.

#' @rdname guarantee
#' @export
guarantee.score_release <- function(x, m = 1, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_count(m, min = 1)
  check_public_only(public)
  label_of_score(x)
}

#' @param n_records (count) Of what is drawn from it, for synthetic data.
#' @noRd
label_of_score <- function(x, what = "the noisy sums", m = 1,
                           n_records = x$n_records,
                           reproducible = x$reproducible, support = NULL,
                           combine = NULL) {
  verdict <- score_verdict(x)
  claims <- verdict$label == "strict"
  new_privacy_guarantee(
    verdict,
    mechanism = "score", title = "score release", what = what,
    paid = if (claims) x$charges else no_charges(), m = m,
    n_records = as.integer(n_records), unit = x$response$label,
    public_inputs = score_inputs(x, support, combine),
    reproducible = isTRUE(reproducible),
    public = TRUE, failure = if (claims) x$delta else 0
  )
}

score_verdict <- function(x) {
  if (!is_sealed(x)) {
    return(edited_verdict("score release"))
  }
  if (!response_is_public(x$response)) {
    return(list(label = "none", reasons = paste(
      "The labels of the response were read from the file: state them as",
      "`response = public_response(levels = )`."
    )))
  }
  list(label = "strict", reasons = c(
    paste(
      "Each part is a sum of whole vectors, to which a record adds",
      if (is_categorical(x$family)) {
        "a public vector in the block of its level,"
      } else {
        "its clipped whole score times a public vector,"
      },
      "under exact discrete", if (x$delta > 0) "Gaussian" else "Laplace",
      "noise."
    ),
    paste(
      "Coefficients and values are drawn from what was released and from",
      "published predictors: they cost nothing more."
    )
  ))
}

score_inputs <- function(x, support = NULL, combine = NULL) {
  in_plain_figures(c(
    if (!is.null(combine)) c(sets = combine_words[[combine]]),
    response = x$response$label,
    values = rounding_text(with_support(x$response, support)),
    predictors = published_text(x$design$variables),
    model = format(x$family), prior = format(x$prior),
    if (!is_categorical(x$family)) c(reference = format(x$reference)),
    scores = sprintf(
      "%skappa %s, %s medians of the records' lengths",
      if (is_categorical(x$family)) {
        "indicators of levels; "
      } else {
        sprintf("clipped at %s; ", paste(
          vapply(x$steps, function(step) format_exact(step$clip), ""),
          collapse = " and "
        ))
      },
      format_figure(x$steps[[length(x$steps)]]$kappa), format_exact(x$spread)
    ),
    noise = sprintf(
      "discrete %s, scales %s in whole units",
      if (x$delta > 0) "Gaussian" else "Laplace",
      paste(vapply(
        Filter(Negate(is.null), c(list(x$margin), x$steps)),
        function(part) format_exact(part$scale), ""
      ), collapse = " ")
    ),
    if (!is.null(x$margin)) {
      c(margin = sprintf(
        "%d bins on [%s, %s] around the reference", length(x$margin$noisy),
        format_exact(x$margin$bounds[1]), format_exact(x$margin$bounds[2])
      ))
    }
  ))
}
