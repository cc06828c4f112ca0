# What a censoring rule is centred on: a `censor_reference` holds a parameter
# vector and where it comes from, never a record.

#' Turn what the user gave into a reference
#'
#' @param x `NULL`, a named list of public values or a fit on other data.
#' @return (`censor_reference` or `NULL`) A list with `origin` (`"public"` or
#'   `"history"`), `values` (named double) and for a fit `family`, `response`,
#'   `design` (none holds a record) and `fingerprint`, which tells whether the
#'   reference was fitted to the file itself.
#' @noRd
as_reference <- function(x, call = rlang::caller_env()) {
  if (is.null(x) || inherits(x, "censor_reference")) {
    return(x)
  }
  if (inherits(x, "synthesizer")) {
    return(new_censor_reference(
      "history", reference_values(x),
      family = x$family, response = x$response, design = x$design,
      fingerprint = response_fingerprint(x$spec$y)
    ))
  }
  new_censor_reference("public", public_values(x, call))
}

new_censor_reference <- function(origin, values, ...) {
  structure(
    list(origin = origin, values = values, ...),
    class = "censor_reference"
  )
}

#' The posterior mean, or a mixture's draw of largest log-likelihood
#' @noRd
reference_values <- function(fit) {
  if (is_mixture(fit$family)) {
    return(fit$draws[which.max(fit$monitor[, "log_lik"]), ])
  }
  colMeans(fit$draws)
}

#' The same for the same responses in any order
#' @noRd
response_fingerprint <- function(y) {
  rlang::hash(sort(as.double(y)))
}

public_values <- function(x, call) {
  named <- (is.list(x) || is.numeric(x)) && !is.object(x) && length(x) > 0 &&
    !is.null(names(x)) && all(nzchar(names(x)))
  number <- vapply(as.list(x), function(value) {
    is.numeric(value) && !is.object(value) && length(value) == 1 &&
      is.finite(value)
  }, TRUE)
  if (!named || !all(number)) {
    abort_input(
      c(
        "{.arg reference} must be a list of one finite number for each
         parameter named, or a {.cls synthesizer} fitted to other data.",
        x = "It is {describe_type(x)}.",
        i = "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}."
      ),
      arg = "reference", call = call
    )
  }
  twice <- unique(names(x)[duplicated(names(x))])
  if (length(twice) > 0) {
    abort_input(
      c(
        "{.arg reference} must name each parameter once.",
        x = "{cli::qty(length(twice))}Found more than once: {.val {twice}}."
      ),
      arg = "reference", call = call
    )
  }
  vapply(x, as.double, numeric(1))
}

#' The log-likelihood of every record under the reference
#' @return (double, N)
#' @noRd
reference_log_lik <- function(reference, model, spec, call) {
  if (reference$origin == "history") {
    check_reference_model(reference, model, spec, call)
    # The reference's own coding and scaling of the published predictors
    parts <- design_parts(
      reference$design, model$data,
      arg = "data", call = call
    )
    spec[names(parts)] <- parts
    draw <- reference$values
  } else {
    draw <- reference_draw(reference$values, model, spec, call)
  }
  spec$alpha <- rep(1, length(spec$y))
  as.vector(call_core(log_lik_(spec, matrix(draw, nrow = 1)), call))
}

check_reference_model <- function(reference, model, spec, call) {
  same_density <- identical(
    unclass(reference$family)[c("likelihood", "K", "arguments")],
    unclass(model$family)[c("likelihood", "K", "arguments")]
  )
  labels <- function(design) {
    c(design$intercept, attr(design$terms, "term.labels"))
  }
  problem <- if (!same_density) {
    "Its family is another one."
  } else if (!identical(reference$response$label, model$response$label)) {
    "It models another response."
  } else if (!identical(labels(reference$design), labels(model$design))) {
    "It has other predictors."
  }
  if (!is.null(problem)) {
    abort_input(
      c(
        "The {.arg reference} must be a fit of the same model.",
        x = "{problem}"
      ),
      arg = "reference", call = call
    )
  }
  if (identical(reference$fingerprint, response_fingerprint(spec$y))) {
    abort_privacy(
      c(
        "The {.arg reference} must come from other data.",
        x = "It was fitted to the very responses of this file, so that each
             record would enter twice."
      ),
      arg = "reference", call = call
    )
  }
}

#' Public values as one draw of the model
#' @return (double) In the core's order; coefficients left out are 0.
#' @noRd
reference_draw <- function(values, model, spec, call) {
  full <- parameter_names(
    model$design$columns, spec, names(model$family$extras)
  )
  # Mixture: b[2,age] and sigma[2] take what is given for `age` and `sigma`
  short <- sub("^b\\[[0-9]+,(.*)\\]$", "\\1", sub("^(pi|sigma)\\[[0-9]+\\]$",
    "\\1", full
  ))
  unknown <- setdiff(names(values), c(full, short))
  if (length(unknown) > 0) {
    known <- unique(short)
    abort_input(
      c(
        "{.arg reference} must name parameters of the model.",
        x = "{cli::qty(length(unknown))}It has no parameter{?s}
             {.val {unknown}}.",
        i = "The parameters are {.val {known}}."
      ),
      arg = "reference", call = call
    )
  }
  draw <- ifelse(
    full %in% names(values), values[full], values[short]
  )
  if (is_mixture(model$family)) {
    proportion <- short == "pi"
    if (all(is.na(draw[proportion]))) {
      draw[proportion] <- 1 / sum(proportion)
    }
  }
  coefficient <- short %in% model$design$columns
  draw[coefficient & is.na(draw)] <- 0
  left_out <- unique(short[is.na(draw)])
  if (length(left_out) > 0) {
    abort_input(
      c(
        "{.arg reference} must give {.val {left_out}}.",
        i = "Only coefficients may be left out: they are then 0."
      ),
      arg = "reference", call = call
    )
  }
  outside <- unique(short[!coefficient & draw <= 0])
  if (length(outside) > 0) {
    abort_input(
      c(
        "{.arg reference} must give {.val {outside}} a positive value."
      ),
      arg = "reference", call = call
    )
  }
  unname(draw)
}

#' @export
format.censor_reference <- function(x, ...) {
  if (x$origin == "history") {
    return("a fit on other data")
  }
  paste0(
    "public values ",
    paste(names(x$values), "=", vapply(x$values, format, ""), collapse = ", ")
  )
}

#' @export
print.censor_reference <- function(x, ...) {
  cat("<censor_reference> ", format(x), "\n", sep = "")
  invisible(x)
}
