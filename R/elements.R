# Elements of results by `$`: a list answers NULL to a name that it does not
# have, and a statistic of NULL looks like a result. Ours say what there is.

#' An element by its whole name; any other name is an error, where a list would
#' answer NULL
#'
#' @param what (string) The object in words, a plural.
#' @param instead (string or `NULL`) What to ask, in cli's markup.
#' @noRd
element_of <- function(x, name, what, instead = NULL) {
  parts <- unclass(x)
  if (isTRUE(name %in% names(parts))) {
    return(parts[[name]])
  }
  abort_input(
    "{what} have no element {.val {name}}.",
    i = instead %||% "Their elements are {.val {names(parts)}}.",
    arg = "name"
  )
}

#' What is known of the one synthesized column of sets: a row of their table
#' @noRd
only_column <- function(synthetic) {
  lapply(as.list(unclass(synthetic)$columns), `[[`, 1)
}

#' Numbers and text without attributes but names, lists of them; anything else
#' is left out
#' @noRd
bare_values <- function(x) {
  if (is.list(x)) {
    return(lapply(unclass(x), bare_values))
  }
  if (is.atomic(x) && !is.null(x)) {
    stats::setNames(as.vector(x), as.vector(names(x)))
  }
}

#' The name in lapply(xs, `$`, "name"), where dispatch gives the dots unseen
#' @noRd
asked_name <- function(name, asker) {
  if (identical(name, "...")) eval(quote(..1), asker) else name
}

#' A `$` method that fails for names that are not there
#'
#' Code of this package, which asks for what some objects lack, is answered
#' NULL; where the name is there, nothing is looked up but the element.
#' @param what (string) As in element_of().
#' @param optional (character) Documented elements that some objects lack.
#' @param instead (function of the object and the name) Gives what to ask
#'   instead, in cli's markup, or `NULL`.
#' @noRd
strict_elements <- function(what, optional = character(),
                            instead = function(x, name) NULL) {
  force(what)
  force(optional)
  force(instead)
  function(x, name) {
    .subset2(x, name) %||%
      missed_element(x, name, what, optional, instead, parent.frame())
  }
}

#' @param asker (environment) Where the element was asked for.
#' @noRd
missed_element <- function(x, name, what, optional, instead, asker) {
  value <- NULL
  if (identical(name, "...")) {
    name <- asked_name(name, asker)
    value <- .subset2(x, name)
  }
  known <- name %in% c(names(x), optional) || identical(topenv(asker), topenv())
  if (is.null(value) && !known) {
    element_of(x, name, what, instead(x, name))
  }
  value
}

#' @export
`$.synthesizer` <- strict_elements(
  "Fits", c("censor", "reweighting"),
  function(x, name) {
    if (name %in% names(.subset2(x, "data"))) {
      "It is a column of the file: {.code x$data${name}}. Synthetic values come
       from {.fn synthesize}."
    }
  }
)

#' @export
`$.external_fit` <- strict_elements("Fits")

#' @export
`$.lipschitz_bound` <- strict_elements("Bounds")

#' @export
`$.identification_risk` <- strict_elements("Risks")

#' @export
`$.attribute_risk` <- strict_elements("Risks")

#' @export
`$.utility` <- strict_elements("Measures of utility")

#' @export
`$.replicate_study` <- strict_elements("Studies")

#' @export
`$.mechanism_comparison` <- strict_elements("Comparisons")

#' @export
`$.resampled_statistics` <- strict_elements("Statistics")

#' @export
`$.pooled_estimates` <- strict_elements("Pooled estimates")

#' @export
`$.privacy_guarantee` <- strict_elements("Labels", "exceedance")

#' @export
`$.score_release` <- strict_elements("Score releases")

#' @export
`$.perturbed_histogram` <- strict_elements("Histograms")

#' @export
`$.censoring_rule` <- strict_elements("Censoring rules")

#' @export
`$.guarantee_audit` <- strict_elements("Audits")

#' @export
`$.score_audit` <- strict_elements("Audits")

#' @export
`$.privacy_weights` <- function(x, name) {
  abort_input(
    "Weights are numbers, one for each record, without elements.",
    i = "{.code as.data.frame(x)} has what belongs to them.",
    arg = "name"
  )
}
