# Seals: a hash over the parts of an object that a label is read from, made
# where the object is made and looked at where its label is. An object that was
# edited carries no label, since nobody knows any more how it was made. A seal
# finds mistakes; it keeps nobody from making an object of his own.

# The parts of a fit that a label or a release rests on. What only tells of the
# run (times, diagnostics, states of chains) is left out.
fit_parts <- c(
  "id", "family", "prior", "response", "design", "survey", "data", "spec",
  "privacy_weights", "censor", "draws", "monitor", "bound", "quantile",
  "dropped", "converged", "control", "seed_given",
  # Of models fitted elsewhere
  "fit", "log_lik", "way", "formula"
)

#' Seal an object as it is
#' @param x (list of a class)
#' @return `x` with the attribute `seal`.
#' @noRd
seal <- function(x) {
  attr(x, "seal") <- seal_of(x)
  x
}

#' Is it as it was sealed?
#' @noRd
is_sealed <- function(x) identical(attr(x, "seal"), seal_of(x))

# What a field means may change under its name: objects of another format are
# as if they were edited
seal_format <- 3

seal_of <- function(x) {
  parts <- unclass(x)
  if (inherits(x, "file_synthesizer")) {
    # All parts count, as its draws are in its models; but not what tells of a
    # search for weights
    parts <- parts[setdiff(names(parts), c("reweighting", "solution"))]
  } else if (inherits(x, c("synthesizer", "external_fit"))) {
    # Weights have a digest of their own, which node_of() compares
    weights <- x$privacy_weights
    parts$privacy_weights <- list(
      bare_numbers(weights), attr(weights, "digest")
    )
    parts <- parts[intersect(fit_parts, names(parts))]
  }
  if (inherits(x, "synthetic_data") && length(parts$sets) > 0) {
    parts$sets <- told_apart(parts$sets)
  }
  names <- names(parts)
  beside <- attributes(x)
  beside <- beside[setdiff(names(beside), c("names", "class", "seal"))]
  attributes(parts) <- NULL
  stable_hash(c(
    list(seal_format, class(x), names, parts),
    if (length(beside) > 0) list(beside)
  ))
}

#' Sets differ in few columns: what a set shares with the first is hashed once
#' @noRd
told_apart <- function(sets) {
  first <- sets[[1]]
  told <- function(set) {
    shared <- vapply(names(set), function(name) {
      identical(set[[name]], first[[name]])
    }, TRUE)
    of_its_own <- if (!identical(attributes(set), attributes(first))) {
      attributes(set)
    }
    list(of_its_own, shared, unclass(set)[!shared])
  }
  list(attributes(sets), attributes(first), first, lapply(sets[-1], told))
}

#' Refuse what was edited
#' @noRd
check_sealed <- function(x, arg = rlang::caller_arg(x)) {
  made <- maker_of(class(x)[1])
  refuse_privacy(
    !is_sealed(x), "{.arg {arg}} must be an unedited result of {.fn {made}}.",
    x = "It was edited, or made by an older version of the package.",
    i = "Make it again, with other arguments if needed.",
    arg = arg, class = "pseudosynth_error_edited"
  )
  invisible(x)
}

#' Blame an object for what fails on it, unless it is as it was sealed
#'
#' What prints an object takes its parts as they were made.
#' @param code Evaluated once.
#' @noRd
unless_edited <- function(x, code) {
  tryCatch(code, error = function(error) {
    if (is.list(x) && is_sealed(x)) rlang::cnd_signal(error)
    abort_input(
      "{.arg x} must be an intact {.cls {class(x)[1]}} object.",
      x = "It lacks what is to be printed. It was edited, got the class of
           another object, or was made by another version of this package.",
      i = "Make it again with {.fn {maker_of(class(x)[1])}}.",
      arg = "x", class = "pseudosynth_error_edited"
    )
  })
}

#' A hash that is the same after saving and reading, whatever R makes of
#' functions and sequences meanwhile
#' @noRd
stable_hash <- function(x) {
  bytes <- serialize(stable_parts(x), NULL, xdr = FALSE, version = 2)
  # The first 14 bytes name the version of R
  bytes[1:14] <- as.raw(0)
  rlang::hash(bytes)
}

# Longer vectors are hashed where they are: no copy of them is made
long_vector <- 1e5

#' Functions and formulas as text, with what lies beside them
#' @noRd
stable_parts <- function(x) {
  beside <- attributes(x)
  # Most parts are short and plain
  if (is.atomic(x) && is.null(beside) && length(x) <= long_vector) {
    return(list(x, list()))
  }
  if (is.environment(x)) {
    # Of environments only a blueprint's, see public_environment(): others are
    # the user's, and the workspace has attributes of the session
    if (identical(x, emptyenv()) || !identical(parent.env(x), baseenv())) {
      return("environment")
    }
    inside <- lapply(as.list(x, all.names = TRUE, sorted = TRUE), stable_parts)
    if (length(beside) > 0) inside <- list(inside, lapply(beside, stable_parts))
    return(inside)
  }
  # Where a function was written is no part of it; of data it is a hiding place
  if (is.function(x)) {
    source <- c("srcref", "srcfile", "wholeSrcref")
    beside <- beside[setdiff(names(beside), source)]
  }
  list(
    if (is.function(x) || is.language(x)) {
      # deparse() would deparse the first call in it to see whether it is one
      deparse(x, backtick = !is.name(x), control = "digits17")
    } else if (is.list(x)) {
      lapply(unclass(x), stable_parts)
    } else if (length(x) > long_vector) {
      list("long vector", typeof(x), as.double(length(x)), vector_hash_(x))
    } else if (is.atomic(x)) {
      as.vector(unclass(x))
    } else {
      typeof(x) # a connection's pointer
    },
    lapply(beside, stable_parts)
  )
}
