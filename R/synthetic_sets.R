# Sets and elements of synthetic data, and the form in which sets leave the
# agency.

#' @rdname synthetic_data
#' @export
`[[.synthetic_data` <- function(x, i, ...) {
  check_present(i)
  if (is.character(i)) {
    return(named_element(x, check_string(i)))
  }
  i <- check_count(i, min = 1)
  if (i > length(x$sets)) {
    n_sets <- length(x$sets)
    abort_input(
      c(
        "There is no set {i}.",
        x = "The synthetic data hold {n_sets} set{?s}."
      ),
      arg = "i"
    )
  }
  x$sets[[i]]
}

#' @rdname synthetic_data
#' @export
`[.synthetic_data` <- function(x, i, ...) {
  check_no_dots(
    ...,
    hint = "{.code x[[1]]} is a set: its rows are {.code x[[1]][1:9, ]}."
  )
  unclass(x)$sets[i]
}

#' @rdname synthetic_data
#' @export
`$.synthetic_data` <- function(x, name) {
  named_element(x, asked_name(name, parent.frame()))
}

#' An element of the object, never a column: that is one of a set
#' @noRd
named_element <- function(x, name, call = rlang::caller_env()) {
  column <- isTRUE(name %in% unlist(lapply(unclass(x)$sets, names)))
  element_of(
    x, name, "Synthetic data",
    if (column) {
      "It is a column of every set: {.code x[[1]]${name}}, or
       {.code as.data.frame(x)${name}}."
    },
    call
  )
}

#' @rdname synthetic_data
#' @importFrom utils head
#' @export
head.synthetic_data <- function(x, n = 6L, ...) {
  utils::head(as.data.frame(x), n, ...)
}

#' @rdname synthetic_data
#' @importFrom utils tail
#' @export
tail.synthetic_data <- function(x, n = 6L, ...) {
  utils::tail(as.data.frame(x), n, ...)
}

#' @export
length.synthetic_data <- function(x) {
  length(unclass(x)$sets)
}

#' @export
as.list.synthetic_data <- function(x, ...) {
  x$sets
}

#' @rdname synthetic_data
#' @export
as.data.frame.synthetic_data <- function(x,
                                         row.names = NULL, # nolint
                                         optional = FALSE, set = NULL, ...) {
  set <- set %||% if (x$m > 1) "all" else 1
  if (!identical(set, "all")) {
    return(plain_frame(leaving_form(x[[check_count(set, min = 1)]])))
  }
  sets <- lapply(x$sets, function(set) plain_frame(leaving_form(set)))
  stacked <- do.call(rbind, sets)
  number <- rep(seq_len(x$m), each = x$n_records)
  taken <- "set" %in% names(stacked)
  cbind(
    stats::setNames(
      data.frame(number), if (taken) "synthetic_set" else "set"
    ),
    stacked
  )
}

#' A set as it may leave: the place of a row tells nothing about the file's
#'
#' The order is the operating system's entropy, whatever seed the set has.
#' @param set (data frame) Of `synthetic_data`, whose columns are values alone.
#' @noRd
leaving_form <- function(set) {
  n <- nrow(set)
  rows <- order(uniforms_(n, seed_words(NULL), 0L))
  structure(
    lapply(set, function(column) column[rows]),
    names = names(set), row.names = seq_len(n),
    class = frame_class(is_tibble(set))
  )
}

# as.data.frame() gives no tibble
plain_frame <- function(set) structure(set, class = frame_class(FALSE))
