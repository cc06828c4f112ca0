# What weights state of themselves, read from their scheme, source and
# arguments: as dependency(), in a word, in words, and their public inputs.

#' @return `dependency()`; of no weights that of a record's own term.
#' @noRd
dependency_of <- function(weights) {
  if (is.null(weights)) {
    return(dependency("own"))
  }
  arguments <- attr(weights, "arguments")
  stated <- function(kind, ...) {
    dependency(
      kind, ...,
      history = history_of(weights),
      reproducible = isTRUE(arguments$reproducible),
      claims = !grepl("risk", paste(attr(weights, "scheme"), arguments$of))
    )
  }
  # A scale that was solved for a target is itself a function of the file
  counted <- identical(attr(weights, "scheme"), "count") &&
    is.null(arguments$target)
  switch(attr(weights, "source") %||% "user",
    public = stated("own"),
    frozen = stated("own"),
    paid = if (is.null(arguments$charges)) {
      stated("file")
    } else {
      stated("own", charges = arguments$charges)
    },
    file = {
      c <- arguments$scale
      g <- arguments$shift
      if (counted && is_positive(g) && is.numeric(c) && c >= 0) {
        stated("floor", factor = by_relation(1 + c / g, 2 + c / g))
      } else {
        stated("file")
      }
    },
    stated("user")
  )
}

history_of <- function(weights) {
  arguments <- attr(weights, "arguments")
  frozen <- identical(attr(weights, "source"), "frozen") ||
    !is.null(arguments$history)
  if (identical(arguments$reference, "history") ||
    (frozen && !identical(arguments$history, "public"))) {
    "confidential"
  } else if (frozen) {
    "public"
  } else {
    "none"
  }
}

scheme_words <- c(
  lipschitz = "lw", count = "cw", risk = "risk", scalar = "scalar",
  truncated = "weighted_e", combined = "combined", frozen = "frozen",
  two_stage = "two_stage", public_scalar = "public_scalar"
)

#' The weights in a word, in the labels' vocabulary
#' @noRd
scheme_word <- function(weights) {
  if (is.null(weights)) {
    return("unweighted")
  }
  of <- function(scheme) {
    if (scheme %in% names(scheme_words)) scheme_words[[scheme]] else "weighted"
  }
  scheme <- attr(weights, "scheme") %||% "user"
  inner <- attr(weights, "arguments")$of
  switch(scheme,
    reweighted = paste0(of(inner %||% "user"), "_final"),
    scaled = of(inner %||% "user"),
    of(scheme)
  )
}

scheme_titles <- c(
  lw = "Lipschitz weights (LW)",
  lw_final = "Lipschitz weights, re-weighted (LW_final)",
  cw = "count weights (CW)",
  cw_final = "count weights, re-weighted (CW_final)",
  risk = "risk weights (Weights_V)",
  scalar = "scalar weight solved from the file (SW)",
  weighted_e = "truncated weights (Weighted-e)",
  combined = "combined weights",
  frozen = "frozen weights",
  two_stage = "two-stage weights",
  public_scalar = "public scalar weight",
  weighted = "record weights"
)

#' The weights in words
#' @noRd
scheme_title <- function(weights) {
  word <- scheme_word(weights)
  if (word %in% names(scheme_titles)) {
    scheme_titles[[word]]
  } else {
    paste0(scheme_titles[[sub("_final$", "", word)]], ", re-weighted")
  }
}

#' Public numbers of the weights' scheme: none that was computed from the file
#' @return (named character or `NULL`)
#' @noRd
scheme_inputs <- function(weights) {
  if (is.null(weights)) {
    return(NULL)
  }
  arguments <- attr(weights, "arguments")
  if (!is.null(arguments$target)) {
    return(c(weights = "their scale was solved from this file: not public"))
  }
  stated <- switch(attr(weights, "scheme") %||% "user",
    lipschitz = c("map", "scale", "shift"),
    count = c("radius", "relative", "known", "scale", "shift"),
    public_scalar = "alpha",
    two_stage = c("epsilon0", "lower", "upper", "scaled_by", "shifted_by"),
    # A scale may have been solved from the history
    frozen = c(
      "rule", "history",
      if (identical(arguments$history, "public")) c("scaled_by", "shifted_by")
    ),
    scaled = c("of", "scaled_by", "shifted_by"),
    combined = c("of", "epsilon0", "history"),
    risk = c("radius", "relative", "known"),
    reweighted = "of",
    character()
  )
  stated <- intersect(stated, names(arguments))
  text <- vapply(arguments[stated], function(value) {
    paste(format(value), collapse = " ")
  }, "")
  text <- paste(stated, text, collapse = ", ")
  if (nzchar(text)) c(weights = text)
}
