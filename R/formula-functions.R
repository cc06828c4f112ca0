# What a formula's right side brings along: columns, constants and functions,
# never the workspace they were made in.

# The formula's environment may hold the confidential file. The blueprint keeps
# only the public numbers and functions that the right side names.
public_environment <- function(formula, columns, call) {
  # Not the user's workspace: what a formula reads there is confidential
  kept <- new.env(parent = baseenv())
  check_no_values_written_in(formula[[3]], call)
  used <- setdiff(all.names(formula[[3]], unique = TRUE), columns)
  check_reads_arguments(c(used, written_text(formula[[3]])), call)
  keep_public(used, environment(formula), kept, call)
  kept
}

#' Copies numbers and functions into an environment that holds nothing else
#'
#' A function of the user's goes along with what it calls, cut from the
#' environment it was made in: that may hold the whole file, and its values must
#' not come in through a function's back door.
#' @noRd
keep_public <- function(names, from, kept, call) {
  for (name in names) {
    value <- if (!exists(name, envir = kept, inherits = FALSE)) {
      get0(name, envir = from)
    }
    if (is.function(value)) {
      own <- !is.primitive(value) && !is_of_package(value, name)
      if (own) {
        made_in <- environment(value)
        value <- utils::removeSource(value)
        attributes(value) <- NULL
        environment(value) <- kept
        code <- c(as.list(formals(value)), list(body(value)))
        check_no_values_written_in(code, call)
        called <- unlist(lapply(code, all.names, unique = TRUE))
        check_reads_arguments(c(called, written_text(code)), call)
      } else {
        check_reads_arguments(reaching_by_name(value), call)
      }
      assign(name, value, envir = kept)
      if (own) {
        # A name that is the function's own may also be one of the workspace
        local <- c(names(formals(value)), assigned_names(body(value)))
        keep_public(setdiff(called, local), made_in, kept, call)
      }
    } else if (is_written_constant(value) && !is.character(value)) {
      # A bare number: an attribute of it could be the file. Text is written out
      assign(name, as.vector(value), envir = kept)
    }
  }
}

#' Is it the package's own function, untouched? A copy may have another body.
#' @noRd
is_of_package <- function(value, name) {
  package <- environment(value)
  if (!isNamespace(package)) {
    return(FALSE)
  }
  same <- function(name) identical(get0(name, package, inherits = FALSE), value)
  same(name) || any(vapply(ls(package, all.names = TRUE), same, NA))
}

#' What a person writes into code: a number, a flag, a short text. A long one
#' could be a file.
#' @noRd
is_written_constant <- function(x) {
  is.atomic(x) && length(x) == 1 &&
    (!is.character(x) || isTRUE(nchar(x, "bytes") <= 64))
}

#' Names that code assigns to
#' @noRd
assigned_names <- function(code) {
  if (!is.call(code)) {
    return(character())
  }
  head <- if (is.symbol(code[[1]])) as.character(code[[1]]) else ""
  own <- if (head %in% c("<-", "=", "for") && is.symbol(code[[2]])) {
    as.character(code[[2]])
  }
  inner <- lapply(as.list(code)[-1], function(part) {
    if (!missing(part)) assigned_names(part)
  })
  c(own, unlist(inner))
}

# What reaches beyond a function's arguments: other frames, the workspace, files
reaching <- c(
  "get", "get0", "mget", "dynGet", "eval", "evalq", "eval.parent", "parse",
  "str2lang", "str2expression", "getOption", "options", "Sys.getenv",
  "sys.frame", "sys.frames", "sys.function", "sys.call", "sys.calls",
  "parent.frame", "parent.env", "environment", "environment<-",
  "as.environment", "globalenv", ".GlobalEnv", "topenv", "pos.to.env",
  "list2env", "attach", "do.call", "match.fun", "match.call", "readRDS",
  "readline", "readLines", "source", "scan", "system", "system2", ".Internal",
  ".Call", ".External", ".External2", ".C", ".Primitive", "delayedAssign",
  "<<-", "asNamespace", "getNamespace", "getFromNamespace", "getAnywhere",
  "getExportedValue", "body", "body<-", "formals", "formals<-", "read.csv",
  "read.table"
)

#' Which of them a function is, whatever it is called here
#' @noRd
reaching_by_name <- function(value) {
  own <- vapply(reaching, function(name) {
    identical(get0(name, envir = asNamespace("utils")), value)
  }, NA)
  reaching[own]
}

#' Text that stands in code: `sapply(x, "get")` calls what it names
#' @noRd
written_text <- function(code) {
  if (is.character(code)) {
    return(code)
  }
  if (is.call(code) || is.list(code)) {
    unlist(lapply(as.list(code), function(part) {
      if (!missing(part)) written_text(part)
    }))
  }
}

#' Code of a formula may use its arguments alone: what else it could read is
#' confidential
#' @param used (character) The names and the text in it.
#' @noRd
check_reads_arguments <- function(used, call) {
  found <- intersect(used, reaching)
  if (length(found) > 0) {
    abort_input(
      c(
        "{.arg formula} and its functions must compute with their arguments
         alone.",
        x = "They use {.code {found}}.",
        i = "Put what they need into {.arg data} as a column."
      ),
      arg = "formula", call = call
    )
  }
}

#' Code as a person writes it has no vectors in it, only calls that make them
#'
#' A program can put values there, those of the response among them.
#' @noRd
check_no_values_written_in <- function(code, call) {
  if (is.call(code) || is.pairlist(code) || is.list(code)) {
    parts <- as.list(code)
    if (is.call(code) && identical(parts[[1]], quote(`function`))) {
      # The fourth is where it stands in the source
      parts <- parts[1:3]
    }
    for (part in parts) {
      if (!missing(part)) check_no_values_written_in(part, call)
    }
    return(invisible())
  }
  plain <- is.symbol(code) || is.null(code) ||
    (is_written_constant(code) && is.null(attributes(code)))
  if (!plain) {
    abort_input(
      c(
        "{.arg formula} and its functions must hold no values.",
        x = "A vector or an object is written into the code itself.",
        i = "Put it into {.arg data} as a column."
      ),
      arg = "formula", call = call
    )
  }
}
