#' Privacy weights
#'
#' A numeric vector of record weights \eqn{\alpha_i} in \[0, 1\] that knows how
#' it was made. The functions below make such vectors, [fit_synthesizer()] and
#' [update()][update.synthesizer] take one, and [guarantee()] reads from it
#' which label a fit deserves.
#'
#' | scheme | made by | depends on |
#' |---|---|---|
#' | `"lipschitz"` | [lipschitz_weights()] | the file |
#' | `"count"` | [count_weights()] | the file, boundedly with a floor |
#' | `"risk"` | [risk_weights()] | the file |
#' | `"scalar"` | [scalar_weights()] | the file |
#' | `"reweighted"` | [reweight()] | the file |
#' | `"truncated"` | [truncate_weights()] | the file |
#' | `"combined"` | [combine_weights()] | as its parts |
#' | `"scaled"` | [scale_weights()] | as what it scales |
#' | `"frozen"` | [freeze()], then `predict()` | the record and a history |
#' | `"two_stage"` | [two_stage_weights()] | the record and a paid draw |
#' | `"public_scalar"` | one number: `privacy_weights = 0.5` | nothing |
#' | `"user"` | a vector given by hand | not known |
#'
#' Any computation on the vector gives a plain numeric: `w[1:10]`, `2 * w`,
#' `as.numeric(w)`, `c(w, 1)`. A plain vector given to a fit has the scheme
#' `"user"`: its origin is unknown, so that no computation can turn weights made
#' from the file into better ones. Use [scale_weights()] and
#' [combine_weights()], which keep what is provable.
#'
#' Weights remember what [freeze()] needs, for Lipschitz weights the fit's
#' draws and the extremes of its bounds, and marks of the records they were made
#' for, so that a fit refuses them for other records. None of it is printed, and
#' `as.numeric()` drops all of it.
#'
#' @param x An object.
#' @param object,... As in the generics.
#'
#' @return `is_privacy_weights()` gives `TRUE` or `FALSE`. `summary()` gives the
#'   scheme, its arguments, counts and quantiles.
#'
#' @section Privacy:
#' Weights made from the file are confidential.
#' @seealso [plot.privacy_weights()] for histograms, and violins of several
#'   schemes.
#' @name privacy_weights
#' @examples
#' log_lik <- matrix(-c(1, 2, 4, 1.5, 2.5, 3), nrow = 2, byrow = TRUE)
#' w <- lipschitz_weights(log_lik)
#' w
#' is_privacy_weights(w)
#' w[1:2]
NULL

weight_sources <- c("file", "public", "frozen", "paid", "user")

#' Build privacy weights
#'
#' @param x (numeric, N) Weights in \[0, 1\].
#' @param scheme (string) See the table in [privacy_weights].
#' @param arguments (list) The scheme's arguments: numbers and strings only.
#' @param source (string) What the weights depend on besides the record:
#'   `"file"` (other records of the confidential file), `"public"` (nothing),
#'   `"frozen"` (a history), `"paid"` (a draw that was paid for), or `"user"`
#'   (not known).
#' @param basis (list or `NULL`) What [freeze()] needs; `NULL` where the scheme
#'   cannot be frozen.
#' @param records (named character or `NULL`) Marks of the records, see
#'   `record_marks()`.
#' @noRd
new_privacy_weights <- function(x, scheme, arguments = list(),
                                source = weight_sources, basis = NULL,
                                records = NULL) {
  source <- check_choice(source, weight_sources)
  x <- structure(
    as.double(x),
    scheme = scheme, arguments = arguments, source = source,
    basis = basis, records = records,
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
#' @param x `privacy_weights`, one number, a plain numeric or `NULL`.
#' @param n (count) Records.
#' @return `privacy_weights` or `NULL`. One number is a public scalar: the user
#'   states it. A plain vector gets scheme and source `"user"`.
#' @noRd
as_privacy_weights <- function(x, n, arg = rlang::caller_arg(x),
                               call = rlang::caller_env()) {
  if (is.numeric(x) && !is.object(x) && length(x) == 1 && is.null(dim(x))) {
    check_weights(x, 1, arg = arg, call = call)
    return(new_privacy_weights(
      rep(as.double(x), n), "public_scalar", list(alpha = as.double(x)),
      source = "public", basis = list(kind = "constant", alpha = as.double(x))
    ))
  }
  check_weights(x, n, null = TRUE, arg = arg, call = call)
  if (is.null(x) || is_privacy_weights(x)) {
    return(x)
  }
  new_privacy_weights(x, "user", source = "user")
}

# Which records the weights are for -------------------------------------------

#' Refuse weights that were made for other records
#'
#' Weights that depend on a record's own value would else depend on another
#' file. Predictors that `data` does not have cannot be compared.
#' @noRd
check_weights_records <- function(weights, data, arg = "privacy_weights",
                                  call = rlang::caller_env()) {
  marks <- attr(weights, "records")
  response <- names(marks)[1]
  if (!is.null(response) && !response %in% names(data)) {
    abort_input(
      c(
        "{.arg {arg}} must be made for the model's own response.",
        x = "They were made for the column {.val {response}}, which is not in
             the model's data."
      ),
      arg = arg, call = call, class = "pseudosynth_error_frozen_variables"
    )
  }
  known <- intersect(names(marks), names(data))
  differ <- known[record_marks(data, known) != marks[known]]
  if (length(differ) > 0) {
    abort_privacy(
      c(
        "{.arg {arg}} must be made for these records, in this order.",
        x = "The {cli::qty(length(differ))}column{?s} {.val {differ}}
             {?holds/hold} other values than those of the weights.",
        i = "Make the weights again from this file, or
             {.code predict(rule, data)} frozen ones."
      ),
      arg = arg, call = call, class = "pseudosynth_error_other_records"
    )
  }
  invisible(weights)
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

# A column of a data frame is an ordinary vector, too
#' @export
as.data.frame.privacy_weights <- function(x, ...) {
  as.data.frame.vector(plain_weights(x), ...)
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
  arguments <- Filter(function(a) {
    is.atomic(a) && length(a) == 1 && !is.na(a)
  }, x$arguments)
  cat(
    sprintf(
      "Privacy weights: %s, %s", describe_scheme(x$scheme, x$arguments),
      describe_source(x$source)
    ),
    if (length(arguments) > 0) {
      values <- vapply(arguments, function(a) {
        if (is.double(a)) format(a, digits = 6) else format(a)
      }, character(1))
      paste0("  ", strwrap(
        paste(names(arguments), "=", values, collapse = ", "), 76
      ))
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

check_has_weights <- function(fit, call = rlang::caller_env()) {
  if (is.null(fit$privacy_weights)) {
    abort_input(
      c(
        "{.arg fit} must have privacy weights.",
        x = "It is unweighted.",
        i = "Weight it first: {.code update(fit, privacy_weights =
             lipschitz_weights(fit))}."
      ),
      arg = "fit", call = call
    )
  }
  invisible(fit)
}

# What confidential scheme arguments are called in prints and figures --------

scheme_names <- c(
  lipschitz = "Lipschitz weights (LW)",
  count = "count weights (CW)",
  risk = "risk weights (Weights_V)",
  scalar = "scalar weight (SW)",
  reweighted = "re-weighted (final)",
  truncated = "truncated weights (Weighted-e)",
  combined = "combined weights",
  scaled = "scaled weights",
  frozen = "frozen weights",
  two_stage = "two-stage weights",
  public_scalar = "public scalar weight",
  user = "a numeric vector"
)

describe_scheme <- function(scheme, arguments = list()) {
  known <- scheme %in% names(scheme_names)
  base <- if (known) scheme_names[[scheme]] else scheme
  of <- arguments$rule %||% arguments$of
  paste0(base, if (!is.null(of)) paste0(" of ", of))
}

describe_source <- function(source) {
  switch(source,
    file = "made from the confidential file",
    public = "made from public inputs",
    frozen = "made from each record by a frozen rule",
    paid = "made from each record by a draw that was paid for",
    user = "given by hand, origin not known"
  )
}
