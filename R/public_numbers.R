# What to do where a clipped model does not converge. The remedy is public
# knowledge: a reference, around which few records are clipped, or a prior that
# does not reach where all are.

#' Settings that let a clipped fit converge, as code to copy
#'
#' A reference helps at any number of coefficients. A prior helps where there
#' are few: many that are unclipped in only a few places stay as they are.
#' @param fit (`synthesizer`) Clipped.
#' @return (string, or `NULL` where nothing is known to help) A problem's line.
#' @noRd
propose_public_numbers <- function(fit) {
  centred <- !is.null(fit$censor$reference)
  few <- fit$spec$n_columns <= 12
  rule <- public_reference(fit)
  code <- c(
    if (!centred) sprintf("`censor = %s`", rule$fit),
    if (fit$spec$prior$kind == "hierarchical" && few) {
      sprintf("`%s`", public_prior(fit$family))
    }
  )
  if (length(code) > 0) {
    sprintf(
      "What helps is public knowledge, with numbers of your own: %s%s.",
      paste(code, collapse = " or "),
      if (centred) "" else sprintf(" (in a job `%s`)", rule$job)
    )
  }
}

public_prior <- function(family) {
  location <- if (is_linear(family)) "c(10.8, 2.5)" else "c(0, 2)"
  sprintf("prior = prior_normal(1, intercept = %s)", location)
}

#' A reference of the model, with the window that its family needs
#' @return (list of strings) The rule of a `fit`, the arguments of a `job`.
#' @noRd
public_reference <- function(fit) {
  values <- c(
    "\"(Intercept)\"" = if (is_linear(fit$family)) 10.8 else 0,
    sigma = 1, size = 4, precision = 5
  )
  known <- c("\"(Intercept)\"", intersect(names(fit$family$extras),
    names(values)
  ))
  window <- if (is.null(law_of(fit$family)$window)) {
    ", window = 2"
  }
  reference <- sprintf(
    "reference = list(%s)%s", paste(known, "=", values[known], collapse = ", "),
    window %||% ""
  )
  replace <- if (fit$censor$neighbours == "replace") ", \"replace\""
  list(
    fit = sprintf("censor(%s%s, %s)",
      format(fit$censor$epsilon), replace %||% "", reference
    ),
    job = sprintf("mechanism = \"centred\", %s", reference)
  )
}

is_linear <- function(family) family$kind == "continuous"
