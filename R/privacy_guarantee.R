# The class `privacy_guarantee`, a label: what is in it and what may leave.

new_privacy_guarantee <- function(...) {
  structure(list(...), class = "privacy_guarantee")
}

#' The version that may leave the agency
#'
#' Built anew from fields that are public by rule; whatever was computed from
#' the file is withheld unless it was fixed beforehand.
#' @noRd
publish_guarantee <- function(x) {
  if (x$label != "strict") {
    for (part in names(x$epsilon)) {
      x$epsilon[[part]][] <- NA_real_
    }
  }
  x$delta <- NA_real_
  x$oscillation <- NA_real_
  x$exceedance <- NULL
  x$public <- TRUE
  x
}

#' @export
as.list.privacy_guarantee <- function(x, ...) {
  x <- unclass(x)
  x$epsilon <- lapply(x$epsilon, function(part) {
    if (is.null(names(part))) part else as.list(part)
  })
  # Lists stay arrays in JSON, also where they have one element
  for (field in c("public_inputs", "relations", "reasons", "empirical")) {
    x[[field]] <- as.list(x[[field]])
  }
  x
}

#' The number of decimals is read from the file, but is the variable's nature
#' @noRd
rounding_text <- function(response) {
  digits <- response$digits
  if (is.null(digits) || is.na(digits)) {
    "not rounded"
  } else if (digits == 0) {
    "whole numbers"
  } else {
    sprintf("%d decimals", digits)
  }
}
