#' Privacy weights
#'
#' A numeric vector of record weights \eqn{\alpha_i} in \[0, 1\] that also
#' stores how it was made. The functions below make such vectors.
#' [fit_synthesizer()] and [update()][update.synthesizer] take one, and
#' [guarantee()] uses it to decide which label a fit deserves.
#'
#' | scheme | made by | depends on |
#' |---|---|---|
#' | `"lipschitz"` | [lipschitz_weights()] | the file |
#' | `"count"` | [count_weights()] | the file; with a floor, only boundedly |
#' | `"risk"` | [risk_weights()] | the file |
#' | `"scalar"` | [solve_weights()] | the file |
#' | `"reweighted"` | [reweight()] | the file |
#' | `"truncated"` | [truncate_weights()] | the file |
#' | `"combined"` | [combine_weights()] | the same as its parts |
#' | `"scaled"` | [scale_weights()] | the same as the weights it scales |
#' | `"frozen"` | [freeze()], then `predict()` | the record and a history |
#' | `"two_stage"` | [two_stage_weights()] | the record and a paid draw |
#' | `"public_scalar"` | [public_scalar()] | nothing |
#' | `"user"` | numbers given by hand | unknown |
#'
#' Any computation on the vector gives a plain numeric vector: `w[1:10]`,
#' `2 * w`, `as.numeric(w)`, `c(w, 1)`. A plain vector given to a fit has the
#' scheme `"user"`, because its origin is unknown. So no computation can make
#' weights from the file pass for weights with a stronger guarantee. The same
#' holds for one number, such as a mean of weights. Use [scale_weights()] and
#' [combine_weights()], which keep what is provable, and [public_scalar()] for a
#' number that you state.
#'
#' The vector keeps the weights it was computed from, marks of the files it was
#' made from, and what [freeze()] needs (for Lipschitz weights, the fit's draws
#' and the extremes of its bounds). It also keeps marks of its records, so that
#' a fit refuses it for other records. None of this is printed, and
#' `as.numeric()` drops all of it. A hash protects values and origin together:
#' weights with a changed value or attribute count as given by hand, even if
#' they were saved and edited in between. Saving and reading keeps the scheme.
#'
#' @param object,... As in the generics.
#'
#' @return `summary()` gives the scheme, its arguments, counts and quantiles,
#'   and what the weights depend on: `"own record"` (each on its record and on
#'   public or paid inputs), `"bounded"` (boundedly on other records),
#'   `"other records"` or `"unknown"`.
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
#' w[1:2]
NULL

#' Build privacy weights
#'
#' @param x (numeric, N) Weights in \[0, 1\].
#' @param scheme (string) See the table in [privacy_weights].
#' @param arguments (list) The scheme's arguments: numbers and strings only.
#' @param made_from (character) Marks of every file that this very step took
#'   something from which other records could have changed, see
#'   `history_mark()`: `character()` where there is none, `NA` where that is not
#'   known. No default: a scheme that forgot it would make weights look better.
#' @param of (list of nodes) What they were computed from, see `node_of()`.
#' @param basis (list or `NULL`) What the scheme's rule needs for other records;
#'   `NULL` where there is none.
#' @param records (named character or `NULL`) Marks of the records that the
#'   weights are for, see `record_marks()`.
#' @noRd
new_privacy_weights <- function(x, scheme, arguments, made_from, of = list(),
                                basis = NULL, records = NULL) {
  stopifnot(is.character(made_from) || identical(made_from, NA))
  x <- structure(
    as.double(x), scheme = scheme, arguments = arguments, of = of,
    basis = basis, made_from = as.character(made_from), records = records,
    class = c("privacy_weights", "numeric")
  )
  check_weights(x, n = length(x), arg = "x")
  check_string(attr(x, "scheme"), arg = "scheme")
  attr(x, "digest") <- weights_digest(x)
  x
}

#' What the user gave as weights, as privacy weights
#'
#' @param x `privacy_weights`, one number, a plain numeric or `NULL`.
#' @param n (count) Records.
#' @return `privacy_weights` or `NULL`. Numbers, and weights that were edited,
#'   have the scheme `"user"`. One number, plain or public, is repeated.
#' @noRd
as_privacy_weights <- function(x, n, arg = rlang::caller_arg(x)) {
  if (is.null(x)) {
    return(NULL)
  }
  if (!is_privacy_weights(x)) {
    one <- is.numeric(x) && !is.object(x) && is.null(dim(x)) && length(x) == 1
    check_weights(x, if (one) 1 else n, arg = arg)
    return(user_weights(rep_len(as.double(x), n)))
  }
  node <- node_of(x)
  # One number that no file and no record had a say in: it may be repeated
  if (length(x) == 1 && length(attr(x, "records")) == 0 &&
    length(node_marks(node)) == 0) {
    return(weights_of_node(node, rep_len(as.double(x), n)))
  }
  check_weights(x, n, arg = arg)
  if (node$scheme == "user") user_weights(x) else x
}

user_weights <- function(x) {
  new_privacy_weights(as.double(x), "user", list(), made_from = NA)
}

# How weights were made: a tree of nodes ---------------------------------------

node_parts <- c("scheme", "arguments", "of", "basis", "made_from")

#' How weights were made
#'
#' @return (list) A node: `scheme`, `arguments`, `of` (the nodes of the weights
#'   that these were computed from), `basis`, `made_from`. It is of the scheme
#'   `"user"` where the weights are not what a scheme has made: a value or an
#'   attribute was changed, as `pmin()` and `attr<-` do, or an older version
#'   made them.
#' @noRd
node_of <- function(weights) {
  if (identical(attr(weights, "digest"), weights_digest(weights))) {
    stats::setNames(attributes(weights)[node_parts], node_parts)
  } else {
    list(scheme = "user", of = list(), made_from = NA_character_)
  }
}

#' A node's weights
#' @noRd
weights_of_node <- function(node, alpha, records = NULL) {
  new_privacy_weights(
    alpha, node$scheme, node$arguments, node$made_from, node$of, node$basis,
    records
  )
}

#' Marks of all files that weights were made from, `NA` among them: unknown ones
#' @noRd
node_marks <- function(node) {
  unique(c(node$made_from, unlist(lapply(node$of, node_marks))))
}

#' Weights of weights are made in so many steps
#' @noRd
node_depth <- function(node) 1 + max(0, vapply(node$of, node_depth, 0))

#' Was a seed given for a draw that the weights rest on?
#' @noRd
is_reproducible <- function(node) {
  isTRUE(node$arguments$reproducible) ||
    any(vapply(node$of, is_reproducible, TRUE))
}

#' A hash of the values and of how they were made
#' @noRd
weights_digest <- function(x) {
  parts <- attributes(x)[c(node_parts, "records")]
  stable_hash(c(list(plain_weights(x)), parts))
}

is_privacy_weights <- function(x) inherits(x, "privacy_weights")

# Every computation leads to a plain numeric ---------------------------------

# R's own c(), rep(), `[[`, sums and as.numeric() drop what is attached. These
# would keep it.

plain_weights <- function(x) {
  attributes(x) <- NULL
  x
}

#' @export
`$.privacy_weights` <- function(x, name) {
  abort_input(
    "Weights are plain numbers, one for each record, and have no elements.",
    i = "{.code summary(x)} shows how they were made.", arg = "name"
  )
}

#' @export
`[.privacy_weights` <- function(x, ...) plain_weights(x)[...]

#' @export
`[<-.privacy_weights` <- function(x, ..., value) {
  `[<-`(plain_weights(x), ..., value = value)
}

#' @export
`[[<-.privacy_weights` <- function(x, ..., value) {
  `[[<-`(plain_weights(x), ..., value = value)
}

# A column of a data frame is an ordinary vector, too
#' @export
as.data.frame.privacy_weights <- function(x, ...) {
  as.data.frame.vector(plain_weights(x), ...)
}

#' @export
Ops.privacy_weights <- function(e1, e2) {
  operator <- get(.Generic, mode = "function")
  if (missing(e2)) operator(unweigh(e1)) else operator(unweigh(e1), unweigh(e2))
}

unweigh <- function(x) if (is_privacy_weights(x)) plain_weights(x) else x

#' @export
Math.privacy_weights <- function(x, ...) {
  get(.Generic, mode = "function")(plain_weights(x), ...)
}

check_has_weights <- function(fit) {
  refuse_if(
    is.null(fit$privacy_weights), "{.arg fit} must have privacy weights.",
    x = "It is unweighted.",
    i = "Give it weights first: {.code update(fit, privacy_weights =
         lipschitz_weights(fit))}.",
    arg = "fit"
  )
  invisible(fit)
}
