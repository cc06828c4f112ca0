#' Privacy weights
#'
#' A numeric vector of record weights \eqn{\alpha_i} in \[0, 1\] that knows how
#' it was made. [lipschitz_weights()] makes one, [fit_synthesizer()] and
#' [update()][update.synthesizer] take one, and [guarantee()] reads from it
#' which label a fit deserves.
#'
#' Any computation on the vector gives a plain numeric: `w[1:10]`, `2 * w`,
#' `as.numeric(w)`, `c(w, 1)`. A plain numeric given to a fit has the scheme
#' `"user"`: its origin is unknown, so that no computation can turn weights made
#' from the file into better ones.
#'
#' @param x An object.
#' @param object,... As in the generics.
#'
#' @return `is_privacy_weights()` gives `TRUE` or `FALSE`. `summary()` gives the
#'   scheme, its arguments, counts and quantiles.
#'
#' @section Privacy:
#' Weights made from the file are confidential.
#' @seealso [lipschitz_weights()], [reweight()]
#' @name privacy_weights
#' @examples
#' log_lik <- matrix(-c(1, 2, 4, 1.5, 2.5, 3), nrow = 2, byrow = TRUE)
#' w <- lipschitz_weights(log_lik)
#' w
#' is_privacy_weights(w)
#' w[1:2]
NULL

#' Build privacy weights
#'
#' @param x (numeric, N) Weights in \[0, 1\].
#' @param scheme (string) `"lipschitz"`, `"reweighted"` or `"user"`.
#' @param arguments (list) The scheme's arguments: numbers and strings only.
#' @param source (string) What the weights were made from: `"file"` (the
#'   confidential file), `"public"` or `"user"` (not known).
#' @noRd
new_privacy_weights <- function(x, scheme, arguments = list(),
                                source = c("file", "public", "user")) {
  source <- check_choice(source, c("file", "public", "user"))
  x <- structure(
    as.double(x),
    scheme = scheme, arguments = arguments, source = source,
    class = c("privacy_weights", "numeric")
  )
  validate_privacy_weights(x)
}

validate_privacy_weights <- function(x, call = rlang::caller_env()) {
  check_weights(x, n = length(x), null = FALSE, arg = "x", call = call)
  check_string(attr(x, "scheme"), arg = "scheme", call = call)
  x
}

#' What the user gave as weights, as privacy weights
#'
#' @param x `privacy_weights`, a plain numeric or `NULL`.
#' @param n (count) Records.
#' @return `privacy_weights` or `NULL`. A plain numeric gets scheme and source
#'   `"user"`.
#' @noRd
as_privacy_weights <- function(x, n, arg = rlang::caller_arg(x),
                               call = rlang::caller_env()) {
  check_weights(x, n, null = TRUE, arg = arg, call = call)
  if (is.null(x) || is_privacy_weights(x)) {
    return(x)
  }
  new_privacy_weights(x, "user", source = "user")
}

#' @rdname privacy_weights
#' @export
is_privacy_weights <- function(x) {
  inherits(x, "privacy_weights")
}

# Every computation leads to a plain numeric ---------------------------------

plain_weights <- function(x) {
  attributes(x) <- NULL
  x
}

#' @export
`[.privacy_weights` <- function(x, i, ...) {
  plain_weights(x)[i]
}

#' @export
`[[.privacy_weights` <- function(x, i, ...) {
  plain_weights(x)[[i]]
}

#' @export
`[<-.privacy_weights` <- function(x, i, ..., value) {
  x <- plain_weights(x)
  x[i] <- value
  x
}

#' @export
`[[<-.privacy_weights` <- function(x, i, ..., value) {
  x <- plain_weights(x)
  x[[i]] <- value
  x
}

#' @export
`length<-.privacy_weights` <- function(x, value) {
  x <- plain_weights(x)
  length(x) <- value
  x
}

#' @export
as.double.privacy_weights <- function(x, ...) {
  plain_weights(x)
}

#' @export
c.privacy_weights <- function(...) {
  plain <- lapply(list(...), function(x) {
    if (is_privacy_weights(x)) plain_weights(x) else x
  })
  do.call(c, plain)
}

#' @export
rep.privacy_weights <- function(x, ...) {
  rep(plain_weights(x), ...)
}

#' @export
Ops.privacy_weights <- function(e1, e2) {
  operator <- get(.Generic, mode = "function")
  if (is_privacy_weights(e1)) e1 <- plain_weights(e1)
  if (missing(e2)) {
    return(operator(e1))
  }
  if (is_privacy_weights(e2)) e2 <- plain_weights(e2)
  operator(e1, e2)
}

#' @export
Math.privacy_weights <- function(x, ...) {
  get(.Generic, mode = "function")(plain_weights(x), ...)
}

#' @export
Summary.privacy_weights <- function(..., na.rm = FALSE) { # nolint
  plain <- lapply(list(...), function(x) {
    if (is_privacy_weights(x)) plain_weights(x) else x
  })
  do.call(.Generic, c(plain, na.rm = na.rm))
}

# Printing -------------------------------------------------------------------

#' @export
format.privacy_weights <- function(x, ...) {
  format(plain_weights(x), ...)
}

#' @rdname privacy_weights
#' @export
summary.privacy_weights <- function(object, ...) {
  values <- plain_weights(object)
  structure(
    list(
      scheme = attr(object, "scheme"),
      arguments = attr(object, "arguments"),
      source = attr(object, "source"),
      n = length(values),
      zeros = sum(values == 0),
      ones = sum(values == 1),
      mean = mean(values),
      quantiles = summarize_values(values)
    ),
    class = "summary_privacy_weights"
  )
}

#' @export
print.summary_privacy_weights <- function(x, ...) {
  arguments <- Filter(function(a) is.atomic(a) && length(a) == 1, x$arguments)
  source <- switch(x$source,
    file = "made from the confidential file",
    public = "made from public inputs",
    user = "given by hand, origin not known"
  )
  cat(
    sprintf(
      "Privacy weights: %s, %s", describe_scheme(x$scheme), source
    ),
    if (length(arguments) > 0) {
      values <- vapply(arguments, format, character(1))
      paste0("  ", paste(names(arguments), "=", values, collapse = ", "))
    },
    sprintf(
      "  N = %s records: %s of weight 0, %s of weight 1, mean %s",
      format_count(x$n), format_count(x$zeros), format_count(x$ones),
      format_figure(x$mean)
    ),
    sprintf("  %s", format_named(x$quantiles)),
    paste0("  ", confidential_line()),
    sep = "\n"
  )
  invisible(x)
}

#' @export
print.privacy_weights <- function(x, ...) {
  print(summary(x))
  invisible(x)
}

describe_scheme <- function(scheme) {
  switch(scheme,
    lipschitz = "Lipschitz weights (LW)",
    reweighted = "re-weighted (final)",
    user = "a numeric vector",
    scheme
  )
}
