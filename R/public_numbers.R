# What to do where a clipped model does not converge. The remedy is public
# knowledge: a reference, around which few records are clipped, or a prior that
# does not reach where all are.

#' Settings that let a clipped fit converge, as code to copy
#' @param fit (`synthesizer`) Clipped.
#' @return (string, or `NULL` where the fit has both) A problem's line.
#' @noRd
propose_public_numbers <- function(fit) {
  centred <- !is.null(fit$censor$reference)
  code <- c(
    if (fit$spec$prior$kind == "hierarchical") public_prior(fit$family),
    if (!centred) public_reference(fit)
  )
  if (length(code) > 0) {
    sprintf(
      "What helps is public knowledge, with numbers of your own: %s%s.",
      paste0("`", code, "`", collapse = " or "),
      if (centred) "" else " (in a job `mechanism = \"centred\"`)"
    )
  }
}

public_prior <- function(family) {
  location <- if (is_linear(family)) "c(10.8, 2.5)" else "c(0, 2)"
  sprintf("prior = prior_normal(1, intercept = %s)", location)
}

#' A reference of the model, with the window that its family needs
#' @noRd
public_reference <- function(fit) {
  values <- c(
    "\"(Intercept)\"" = if (is_linear(fit$family)) 10.8 else 0,
    sigma = 1, size = 4, precision = 5
  )
  known <- c("\"(Intercept)\"", intersect(names(fit$family$extras),
    names(values)
  ))
  window <- if (!fit$family$likelihood %in% names(default_windows)) {
    ", window = 2"
  }
  replace <- if (fit$censor$neighbours == "replace") ", \"replace\""
  sprintf(
    "censor = censor(%s%s, reference = list(%s)%s)",
    format(fit$censor$epsilon), replace %||% "",
    paste(known, "=", values[known], collapse = ", "), window %||% ""
  )
}

is_linear <- function(family) family$kind == "continuous"
