# What the right side of a formula may compute with: columns of the file, bare
# numbers, and functions of the list below. All of it is public by itself.

# Functions that compute with their arguments alone and take no function as an
# argument. Whatever is not here could reach the response: by other frames, the
# workspace, a file.
formula_functions <- list(
  base = c(
    # Of formulas
    "+", "-", "*", "/", "^", ":", "%in%", "(", "I",
    # Arithmetic and rounding
    "%%", "%/%", "abs", "sign", "sqrt", "ceiling", "floor", "round", "signif",
    "trunc", "pmin", "pmax",
    # Mathematics
    "exp", "expm1", "log", "log1p", "log2", "log10", "cos", "sin", "tan",
    "cospi", "sinpi", "tanpi", "acos", "asin", "atan", "atan2", "cosh", "sinh",
    "tanh", "acosh", "asinh", "atanh", "gamma", "lgamma", "beta", "lbeta",
    "digamma", "trigamma", "choose", "lchoose", "factorial", "lfactorial",
    # Comparison and logic
    "==", "!=", "<", ">", "<=", ">=", "&", "|", "!", "xor", "ifelse", "is.na",
    "is.finite", "match",
    # Values
    "c", "seq", "as.numeric", "as.double", "as.integer", "as.logical",
    "as.character",
    # Text
    "paste", "paste0", "nchar", "substr", "substring", "strtrim", "trimws",
    "toupper", "tolower", "startsWith", "endsWith", "grepl", "sub", "gsub",
    "sprintf", "format", "formatC", "strtoi",
    # Factors
    "factor", "ordered", "as.factor", "as.ordered", "addNA", "droplevels",
    "cut", "findInterval", "interaction",
    # Dates
    "as.Date", "as.POSIXct", "ISOdate", "difftime", "julian", "months",
    "quarters", "weekdays", "strftime",
    # Of all records together
    "rank", "scale"
  ),
  stats = c(
    "offset", "relevel", "poly", "plogis", "qlogis", "dnorm", "pnorm", "qnorm"
  ),
  splines = c("ns", "bs")
)

#' What a formula's right side rests on, without the workspace it was made in
#'
#' The formula's environment may hold the confidential file. The blueprint keeps
#' bare numbers that the right side names, and the functions as their packages
#' have them: one of the user's under the same name is not taken.
#' @return (environment) Its enclosure is that of base R.
#' @noRd
public_environment <- function(formula, columns) {
  check_own_methods()
  kept <- new.env(parent = baseenv())
  used <- check_functions(formula[[3]])
  for (name in used[!used %in% formula_functions$base]) {
    if (!grepl("::", name, fixed = TRUE)) {
      package <- Find(function(package) {
        name %in% formula_functions[[package]]
      }, names(formula_functions))
      assign(name, getExportedValue(package, name), envir = kept)
    }
  }
  for (name in setdiff(all.vars(formula[[3]]), columns)) {
    value <- get0(name, envir = environment(formula))
    # An attribute of it could be the file. Text is written out
    if (is_public_number(value)) assign(name, as.vector(value), envir = kept)
  }
  kept
}

# Classes that columns have, their parts, and what functions of the list give
plain_classes <- c(
  "factor", "ordered", "integer", "double", "numeric", "character", "logical",
  "AsIs", "matrix", "array", "default", "Date", "POSIXct", "POSIXlt", "POSIXt",
  "difftime", "poly", "basis", "ns", "bs"
)

group_generics <- c("Ops", "Math", "Summary", "Complex", "matrixOps")

#' Refuse methods of the user's for the classes of columns
#'
#' Functions of the list and those that they call find them, and they could
#' read the file by the frames that called them.
#' @noRd
check_own_methods <- function() {
  pattern <- sprintf("[.](%s)$", paste(plain_classes, collapse = "|"))
  places <- search()
  places <- places[!grepl("^package:|^Autoloads$", places)]
  found <- unlist(lapply(places, function(place) ls(place, all.names = TRUE)))
  found <- grep(pattern, found, value = TRUE)
  # Mostly there are none, and R's own names take long to list
  own <- if (length(found) > 0) {
    found[sub("[.][^.]+$", "", found) %in% c(
      getNamespaceExports("base"), getNamespaceExports("stats"), group_generics
    )]
  }
  own <- own[vapply(own, exists, NA, envir = globalenv(), mode = "function")]
  own <- unique(c(own, registered_by_hand(pattern)))
  refuse_if(
    length(own) > 0,
    "The right side of {.arg formula} must use R's own methods.",
    x = "Your session defines {.fn {own}}, which functions in a formula would
         call.",
    i = "Remove or rename {cli::qty(own)}{?it/them}. Registered methods stay
         until you restart R.",
    arg = "formula", class = "pseudosynth_error_formula"
  )
}

#' Methods that were registered and are of no package
#' @param pattern (string) Of their names.
#' @noRd
registered_by_hand <- function(pattern) {
  unlist(lapply(c("base", "stats"), function(package) {
    table <- get(".__S3MethodsTable__.", asNamespace(package))
    names <- grep(pattern, names(table), value = TRUE, perl = TRUE)
    homes <- lapply(mget(names, envir = table), environment)
    of_package <- vapply(homes, function(home) {
      is.null(home) || isNamespace(topenv(home))
    }, NA)
    names[!of_package]
  }))
}

#' A number or a flag that a formula may name
#' @noRd
is_public_number <- function(x) {
  (is.numeric(x) || is.logical(x)) && length(x) == 1
}

#' What a person writes into code: a number, a flag, a short text. A long one
#' could be a file.
#' @noRd
is_written_constant <- function(x) {
  is.atomic(x) && length(x) == 1 && is.null(attributes(x)) &&
    (!is.character(x) || isTRUE(nchar(x, "bytes") <= 64))
}

#' Check that code calls functions of the list alone, and holds no values
#'
#' Code as a person writes it has no vectors in it, only calls that make them. A
#' program can put values there, those of the response among them.
#' @return (character) The functions that are called.
#' @noRd
check_functions <- function(code) {
  used <- character()
  walk_code(code, function(part) {
    if (!is_leaf(part)) {
      used <<- c(used, check_function(part))
      arguments_of(part)
    }
  })
  unique(used)
}

#' Visit a formula's code part by part
#'
#' A sum of hundreds of terms is too deep for a function that calls itself.
#' @param visit (function of a part) Gives the parts of it to visit, if any.
#' @noRd
walk_code <- function(code, visit) {
  left <- list(code)
  while (length(left) > 0) {
    left <- c(visit(left[[1]]), left[-1])
  }
}

#' @return (string) The function that a call is of.
#' @noRd
check_function <- function(code) {
  if (!is.call(code) || !is.null(attributes(code))) {
    abort_right_side("It holds a vector or an object, not code.", NULL)
  }
  name <- function_name(code[[1]])
  if (identical(name, "|") && is.numeric(code[[2]])) {
    abort_right_side(
      cli::format_inline("It uses {.code {deparse1(code)}}."), NULL,
      "Formulas have no random effects: use the factor itself. With
       {.code prior_hierarchical()}, its levels share information."
    )
  }
  if (is.na(name)) {
    what <- called_name(code[[1]])
    if (isTRUE(what %in% c("s", "te", "ti", "t2", "lo"))) {
      x <- if (length(code) > 1 && is.symbol(code[[2]])) code[[2]] else "x"
      abort_right_side(
        cli::format_inline("It uses {.code {what}()}."), NULL,
        "For a smooth term, write {.code splines::ns({x}, 4)}."
      )
    }
    uses <- if (!is.null(what)) cli::format_inline("It uses {.code {what}}.")
    abort_right_side(uses %||% "It calls a function without a name.", code)
  }
  name
}

is_leaf <- function(code) {
  is.symbol(code) || is.null(code) || is_written_constant(code)
}

#' The arguments of a call, without those that are left empty
#' @noRd
arguments_of <- function(code) {
  arguments <- as.list(code)[-1]
  arguments[!vapply(arguments, rlang::is_missing, NA)]
}

#' The function that the head of a call names, by itself or with its package
#' @return (string) `NA`: none of the list.
#' @noRd
function_name <- function(head) {
  name <- called_name(head) %||% ""
  part <- strsplit(name, "::", fixed = TRUE)[[1]]
  known <- if (is.call(head)) {
    part[2] %in% formula_functions[[part[1]]]
  } else {
    name %in% unlist(formula_functions)
  }
  if (known) name else NA_character_
}

#' @return (string or `NULL`) `f` or `package::f`; `NULL` of any other code.
#' @noRd
called_name <- function(head) {
  if (is.symbol(head)) {
    as.character(head)
  } else if (rlang::is_call(head, "::", n = 2) &&
               all(vapply(as.list(head)[2:3], is.symbol, NA))) {
    paste(vapply(as.list(head)[2:3], as.character, ""), collapse = "::")
  }
}

abort_right_side <- function(why, code, how = NULL,
                             .envir = rlang::caller_env()) {
  if (!is.null(how)) how <- cli_escape(cli::format_inline(how, .envir = .envir))
  abort_input(
    "The right side of {.arg formula} must only use functions that read nothing
     but their arguments, such as {.code log()}, {.code cut()} and
     {.code poly()}.",
    x = "{why}", i = how %||% make_column_first(code),
    arg = "formula", class = "pseudosynth_error_formula"
  )
}

#' What to do with code that a formula does not take, for either side of it
#' @param code (call or `NULL`) What to make a column of; shown where a person
#'   wrote it.
#' @noRd
make_column_first <- function(code = NULL) {
  shown <- if (is_plain_code(code)) deparse1(code)
  if (is.null(shown) || nchar(shown) > 60) shown <- "..."
  line <- sprintf("data$new <- with(data, %s)", shown)
  cli_escape(cli::format_inline(
    "Make a column first, {.code {line}}, and write {.code new} in the formula."
  ))
}

#' Names, constants and calls of named functions: nothing that holds values
#' @noRd
is_plain_code <- function(code) {
  if (!is.call(code)) {
    return(!is.null(code) && is_leaf(code))
  }
  !is.null(called_name(code[[1]])) &&
    all(vapply(arguments_of(code), is_plain_code, NA))
}
