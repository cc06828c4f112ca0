# What is stated of a response, in the response: for the records before they are
# modelled, for the released values and for the label.

#' A response with what is stated of it
#'
#' `stated` names what is; `limits` are the stated bounds.
#' @param stated (`public_response` or `NULL`)
#' @noRd
state_response <- function(response, stated, call = rlang::caller_env()) {
  check_class(
    stated, "public_response", "Make one with {.fn public_response}.",
    null = TRUE, arg = "response", call = call
  )
  # Plain values: nothing else of it travels in a release
  given <- Filter(Negate(is.null), bare_values(unclass(stated)))
  response$confirmed <- given$confirmed
  given$confirmed <- NULL
  response$stated <- names(given)
  response["limits"] <- list(given$bounds)
  kind <- response$kind
  wrong <- c(
    if (has_labels(response)) c("digits", "bounds") else "levels",
    if (kind == "proportion") "bounds"
  )
  wrong <- intersect(wrong, names(given))
  if (kind == "count" && !is.null(given$digits) &&
    !isTRUE(given$digits <= 0)) {
    wrong <- c(wrong, "digits")
  }
  if (length(wrong) > 0) {
    abort_input(
      c(
        "{.arg response} must state what belongs to the response.",
        x = "{.code {wrong[1]} = } is not for
             {switch(kind, binary = 'two values', categorical = 'levels',
             count = 'counts',
             proportion = 'a proportion, whose bounds are the family\\'s',
             'a continuous response')}."
      ),
      arg = "response", call = call
    )
  }
  if (!is.null(given$bounds) &&
    !all(is.finite(suppressWarnings(response_forward(
      response, given$bounds
    ))))) {
    abort_input(
      c(
        "The stated bounds must be finite on the modelled scale.",
        x = "{.code {response_label(response)}} is not."
      ),
      arg = "response", call = call
    )
  }
  if ("digits" %in% response$stated) {
    response$digits <- given$digits
    response$type <- stated_type(response)
  }
  if (!is.null(given$levels)) response$levels <- given$levels
  if (!has_labels(response)) {
    range <- response_range(response)
    if (range[1] > range[2]) {
      abort_input(
        "No value of the stated decimals lies within the stated bounds.",
        arg = "response", call = call
      )
    }
  }
  response
}

stated_type <- function(response) {
  limits <- response$limits
  small <- !is.null(limits) && all(abs(limits) <= .Machine$integer.max)
  if (isTRUE(response$digits <= 0) && small) "integer" else "double"
}

#' Is nothing that released values or the model rest on read from the records?
#'
#' Decimals can be left out of a release; the labels of two values cannot.
#' @noRd
response_is_public <- function(response) {
  is.null(response$levels) || "levels" %in% response$stated
}

#' Refuse what a strict label needs to be stated, before anything is drawn
#'
#' The one public input without which a strict mechanism would give a weaker
#' label: the others have a default that is public, or are errors of their own.
#' @noRd
check_response_is_public <- function(response, call) {
  if (!response_is_public(response)) {
    abort_privacy(
      c(
        "A strict guarantee needs the labels of the response
         {.val {response$variable}} to be stated.",
        x = "Those of the file are read from its records: the label would not be
             {.val strict}.",
        i = "Add {.code response = public_response(levels = c(...))} with all
             labels that the response can have, in their order."
      ),
      arg = "response", call = call, class = "pseudosynth_error_unstated"
    )
  }
  invisible(response)
}

#' The response as a strict release gives it: by public knowledge alone
#' @noRd
released_response <- function(response) {
  if (has_labels(response)) {
    if (response$type == "double") response$type <- "integer"
  } else if (!"digits" %in% response$stated) {
    response$digits <- if (response$kind == "count") 0L else NA_integer_
    response$type <- stated_type(response)
  }
  response
}

#' A response whose released values stay within a support
#'
#' It narrows the stated bounds, where there are any. Records keep theirs.
#' @param support (two public numbers or `NULL`)
#' @noRd
with_support <- function(response, support, call = rlang::caller_env()) {
  if (is.null(support)) {
    return(response)
  }
  none <- c(
    binary = "The response has two values.",
    categorical = "The response has levels."
  )
  if (response$kind %in% names(none)) {
    abort_input(
      c(
        "{.arg support} is for amounts and counts.",
        x = none[[response$kind]]
      ),
      arg = "support", call = call
    )
  }
  support <- check_bounds(support, arg = "support", call = call)
  response$limits <- c(
    max(support[1], response$limits[1]), min(support[2], response$limits[2])
  )
  range <- response_range(response)
  if (range[1] > range[2]) {
    abort_input(
      c(
        "{.arg support} must hold values that the response can have.",
        x = "None of its decimals, on its scale and within stated bounds, lies
             between the two."
      ),
      arg = "support", call = call
    )
  }
  response
}

#' The ends of a margin must hold a value that sets can have
#' @noRd
check_ends_hold <- function(ends, response, arg, call) {
  response$limits <- ends
  range <- response_range(response)
  if (range[1] > range[2]) {
    abort_input(
      c(
        "The ends of {.arg {arg}} must hold a value of the response's
         decimals.",
        x = "Its {.code digits} are {response$digits}, and none lies between.",
        i = "State wider ends, or more decimals by
             {.code response = public_response(digits = )}."
      ),
      arg = arg, call = call
    )
  }
  invisible(ends)
}

#' Records rounded and clamped to what is stated
#' @param y Values of the variable.
#' @noRd
stated_values <- function(response, y) {
  if (has_labels(response) || length(response$stated) == 0) {
    return(y)
  }
  y <- as.double(y)
  if (!is.null(response$limits)) {
    y <- clamp(y, response$limits[1], response$limits[2])
  }
  if (!"digits" %in% response$stated || is.na(response$digits)) {
    return(y)
  }
  rounded <- round_small(y, response$digits)
  range <- response_range(response)
  # What the model cannot take stays as it is, for the checks to name
  inside <- is.finite(suppressWarnings(response_forward(response, y)))
  rounded[inside] <- clamp(rounded[inside], range[1], range[2])
  rounded[!inside] <- y[!inside]
  rounded
}

#' The response of some records on the modelled scale
#' @noRd
record_values <- function(response, data) {
  response_forward(response, stated_values(response, data[[response$variable]]))
}

#' What a label says of the released values
#' @param response As released.
#' @noRd
rounding_text <- function(response) {
  if (is.null(response)) {
    return("as the model gives them")
  }
  if (has_labels(response)) {
    values <- response$levels %||%
      if (response$type == "logical") c("FALSE", "TRUE") else 0:1
    return(paste0(
      paste(values, collapse = " or "),
      if (!response_is_public(response)) ", as in the file"
    ))
  }
  digits <- response$digits
  read <- !"digits" %in% response$stated && !is.na(digits) &&
    response$kind != "count"
  text <- if (is.na(digits)) {
    "not rounded"
  } else if (digits == 0) {
    "whole numbers"
  } else if (digits < 0) {
    paste("multiples of", format_exact(10^-digits))
  } else {
    sprintf("%d decimals", digits)
  }
  paste0(
    text, if (read) ", as in the file",
    if (!is.null(response$limits)) {
      paste0(
        " from ", format_exact(response$limits[1]), " to ",
        format_exact(response$limits[2])
      )
    }
  )
}
