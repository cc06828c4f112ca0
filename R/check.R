#' @importFrom rlang %||%
NULL

# Checks at the package's edge. Each returns its input invisibly (converted
# where that is harmless) or aborts with the user's own argument name and call.
# Values go on without what they carry: see take_bare().

#' Take a value without its attributes, also where it came from
#'
#' Attributes and names may hold records, and would travel in what is made of
#' the value. Callers go on with their own variable: it is replaced in each
#' frame of the package that the value came through, never in the user's.
#' @param code (call or symbol) What the caller's frame calls it.
#' @param bare The value as it is taken.
#' @return The value, invisibly.
#' @noRd
take_bare <- function(x, code, frame, bare = without_attributes(x)) {
  if (!identical(bare, x)) {
    at <- Position(function(f) identical(f, frame), sys.frames(), right = TRUE)
    replace_taken(bare, code, at)
  }
  invisible(bare)
}

without_attributes <- function(x, keep = character()) {
  if (!is.null(attributes(x)) && !is.environment(x)) {
    attributes(x) <- attributes(x)[intersect(names(attributes(x)), keep)]
  }
  x
}

#' @param at (count) Number of a frame.
#' @noRd
replace_taken <- function(bare, code, at) {
  frame <- sys.frame(at)
  caller <- sys.parents()[at]
  if (rlang::is_call(code, "maybe_missing")) code <- code[[2]]
  root <- code
  while (rlang::is_call(root, c("$", "[["))) root <- root[[2]]
  home <- environment(sys.function(at)) %||% baseenv()
  ours <- identical(topenv(home), topenv())
  if (!ours || !is.symbol(root) ||
    !exists(as.character(root), frame, inherits = FALSE)) {
    return(invisible())
  }
  # As the caller gave it, as long as it is a promise; and the name by which
  # messages call it is read off that promise, too
  above <- if (is.symbol(code)) eval(call("substitute", code), frame)
  get0("arg", frame, inherits = FALSE)
  eval(call("<-", code, call("quote", bare)), frame)
  if (caller > 0 && is.language(above)) {
    replace_taken(bare, above, caller)
  }
}

#' Describe an object without showing its values
#' @return (string) For instance `a character vector of length 2`.
#' @noRd
describe_type <- function(x) {
  if (missing(x)) {
    "nothing"
  } else if (is.null(x)) {
    "`NULL`"
  } else if (is.function(x)) {
    "a function"
  } else if (is.data.frame(x)) {
    sprintf("a data frame with %d rows", nrow(x))
  } else if (inherits(x, "formula")) {
    "a formula"
  } else if (is.object(x)) {
    sprintf("an object of class <%s>", class(x)[1])
  } else if (is.matrix(x)) {
    sprintf("a %d x %d %s matrix", nrow(x), ncol(x), typeof(x))
  } else if (is.list(x)) {
    sprintf("a list of length %d", length(x))
  } else if (!is.atomic(x)) {
    paste("an object of type", typeof(x))
  } else if (length(x) == 1 && is.na(x)) {
    "a missing value"
  } else {
    article <- if (is.integer(x)) "an" else "a"
    kind <- if (is.double(x)) "numeric" else typeof(x)
    sprintf("%s %s vector of length %d", article, kind, length(x))
  }
}

#' Refuse an argument that is not what its message requires
#' @param holds (flag) `NA` is refused, too.
#' @param x The argument; the message describes its type.
#' @param must,i (string) Message and advice, with cli's markup.
#' @noRd
check_that <- function(holds, x, must, i = NULL, arg = rlang::caller_arg(x),
                       .envir = rlang::caller_env()) {
  if (!isTRUE(holds)) {
    given <- cli_escape(sprintf("It is %s.", describe_type(x)))
    abort_input(must, x = given, i = i, arg = arg, .envir = .envir)
  }
}

#' Refuse an argument that was left out
#' @param x Of the caller: what is missing there is missing here.
#' @noRd
check_present <- function(x, arg = rlang::caller_arg(x)) {
  refuse_if(missing(x), "{.arg {arg}} must be given.", arg = arg)
}

check_installed <- function(packages, arg = NULL) {
  there <- vapply(unique(packages), requireNamespace, TRUE, quietly = TRUE)
  absent <- names(there)[!there]
  refuse_if(
    length(absent) > 0,
    "{cli::qty(length(absent))}The package{?s} {.pkg {absent}}
     {?is/are} needed and not installed.",
    i = "Install {cli::qty(length(absent))}{?it/them} with
         {.code install.packages({quoted_names(absent)})}.",
    arg = arg
  )
}

#' Check one number
#'
#' @param x The value.
#' @param min,max (number) Closed range.
#' @param above,below (number) Open range.
#' @param null (flag) Is `NULL` accepted (and returned)?
#' @return `x` as a double, invisibly.
#' @noRd
check_number <- function(x, min = -Inf, max = Inf, above = -Inf, below = Inf,
                         null = FALSE, arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  if (null && is.null(x)) {
    return(invisible(NULL))
  }
  check_that(is_number(x), x, "{.arg {arg}} must be one number.", arg = arg)
  inside <- is.finite(x) && x >= min && x <= max && x > above && x < below
  range <- c(
    if (!is.finite(x) || all(is.infinite(c(min, max, above, below)))) "finite",
    if (is.finite(min)) paste0("at least ", own_number, format(min)),
    if (is.finite(above)) paste0("above ", own_number, format(above)),
    if (is.finite(max)) paste0("at most ", own_number, format(max)),
    if (is.finite(below)) paste0("below ", own_number, format(below))
  )
  range <- paste(range, collapse = " and ")
  refuse_if(
    !inside, "{.arg {arg}} must be {range}.", x = "It is {shown_number(x)}.",
    arg = arg
  )
  take_bare(x, substitute(x), parent.frame())
  invisible(as.double(x))
}

is_number <- function(x) {
  is.numeric(x) && !is.object(x) && length(x) == 1 && !is.na(x)
}

#' Check one whole number
#' @inheritParams check_number
#' @return `x` as an integer, invisibly.
#' @noRd
check_count <- function(x, min = 0, max = .Machine$integer.max, null = FALSE,
                        arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  must <- "{.arg {arg}} must be one whole number."
  check_that(null && is.null(x) || is_number(x), x, must, arg = arg)
  whole <- is.null(x) || is.finite(x) && x == round(x)
  refuse_if(!whole, must, x = "It is {shown_number(x)}.", arg = arg)
  check_number(x, min, max, null = null, arg = arg)
  invisible(if (!is.null(x)) as.integer(x))
}

#' Check one `TRUE` or `FALSE`
#' @inheritParams check_number
#' @return `x`, invisibly.
#' @noRd
check_flag <- function(x, arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  flag <- is.logical(x) && length(x) == 1 && !is.na(x)
  check_that(flag, x, "{.arg {arg}} must be `TRUE` or `FALSE`.", arg = arg)
  take_bare(x, substitute(x), parent.frame())
}

#' Check one string
#' @inheritParams check_number
#' @param empty (flag) Is `""` accepted?
#' @return `x`, invisibly.
#' @noRd
check_string <- function(x, null = FALSE, empty = FALSE,
                         arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  must <- "{.arg {arg}} must be one string."
  check_that(null && is.null(x) || is_string(x), x, must, arg = arg)
  refuse_if(
    is.character(x) && !in_known_encoding(x),
    "{.arg {arg}} must be text in a known encoding.",
    x = "It holds bytes that are not valid in this session's encoding.",
    i = "Convert it with {.fn iconv}.", arg = arg
  )
  refuse_if(!empty && any(!nzchar(x)), must, x = "It is empty.", arg = arg)
  take_bare(x, substitute(x), parent.frame())
}

#' Text that can be counted, shown and given to the system
#' @noRd
in_known_encoding <- function(x) validEnc(x) & Encoding(x) != "bytes"

is_string <- function(x) rlang::is_string(x) && is.null(dim(x))

#' Check one of a few words
#'
#' Exact matches only. The default of an argument `x = c("a", "b")` is its
#' first element.
#' @inheritParams check_number
#' @param choices (character) The accepted words.
#' @return (string) The word, invisibly.
#' @noRd
check_choice <- function(x, choices, arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  if (identical(x, choices)) {
    return(invisible(choices[1]))
  }
  must <- "{.arg {arg}} must be one of {.or {.val {choices}}}."
  check_that(is_string(x), x, must, arg = arg)
  refuse_if(!x %in% choices, must, x = "It is {.val {x}}.", arg = arg)
  take_bare(x, substitute(x), parent.frame())
}

#' Check a data frame
#'
#' Refuses anything but a data frame with at least one row and distinct column
#' names. Tibbles and data tables are fine.
#' @inheritParams check_number
#' @param columns (count) The fewest columns. None are enough for the
#'   predictors of a model without any.
#' @return `x`, invisibly.
#' @noRd
check_data_frame <- function(x, columns = 0, arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  check_that(
    is.data.frame(x), x, "{.arg {arg}} must be a data frame.", arg = arg
  )
  refuse_if(
    ncol(x) < columns,
    "{.arg {arg}} must have at least {columns} column{?s}.",
    x = "It has {ncol(x)}, and {nrow(x)} record{?s}.", arg = arg
  )
  refuse_if(
    nrow(x) < 1, "{.arg {arg}} must have at least 1 record.",
    x = "It has {nrow(x)}.", arg = arg
  )
  check_columns_whole(x, arg)
  twice <- unique(names(x)[duplicated(names(x))])
  refuse_if(
    length(twice) > 0, "The columns of {.arg {arg}} must have distinct names.",
    x = "{cli::qty(length(twice))}Found more than once: {.val {twice}}.",
    i = "Rename or drop the duplicates.", arg = arg
  )
  invisible(x)
}

# A name for every column, and a value of each for every record: what a data
# frame made by hand or read badly may lack
check_columns_whole <- function(x, arg) {
  names <- names(x) %||% rep("", length(x))
  unnamed <- which(is.na(names) | !nzchar(names) | !in_known_encoding(names))
  first <- toString(utils::head(unnamed, 5))
  refuse_if(
    length(unnamed) > 0,
    "Every column of {.arg {arg}} must have a name, in a known encoding.",
    x = "{length(unnamed)} column{?s} {?has/have} none: number {first}.",
    i = "Set {.code names({arg})}, or drop columns without a name.", arg = arg
  )
  broken <- names[!vapply(x, is_whole_factor, TRUE)]
  refuse_if(
    length(broken) > 0,
    "Every factor of {.arg {arg}} must have a level for each of its codes.",
    x = "{.val {broken}} {?has/have} codes without a level.",
    i = "Make {cli::qty(length(broken))}{?it/them} again with {.fn factor}.",
    arg = arg
  )
  short <- names[vapply(x, NROW, 1) != nrow(x)]
  refuse_if(
    length(short) > 0,
    "Every column of {.arg {arg}} must have a value for each record.",
    x = "{.val {short}} {?does/do} not have {nrow(x)} value{?s}.",
    i = "Make the data frame again with {.fn data.frame}.", arg = arg
  )
}

is_whole_factor <- function(x) {
  if (!is.factor(x)) {
    return(TRUE)
  }
  if (typeof(x) != "integer" || !is.character(levels(x))) {
    return(FALSE)
  }
  codes <- number_facts_(x)
  codes$least >= 1 && codes$most <= nlevels(x)
}

#' Check a formula
#' @inheritParams check_number
#' @return `x`, invisibly.
#' @noRd
check_formula <- function(x, arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  check_that(
    inherits(x, "formula"), x,
    "{.arg {arg}} must be a formula, such as `income ~ age + region`.",
    arg = arg
  )
  refuse_if(
    length(x) != 3, "{.arg {arg}} must name the response on its left side.",
    x = "It has no left side.", i = "Write `response ~ predictors`.", arg = arg
  )
  take_bare(x, substitute(x), parent.frame(), bare_code_of(x))
}

#' A formula as it reads: code and numbers in it may carry attributes, too
#' @noRd
bare_code_of <- function(x) {
  keep <- if (inherits(x, "formula")) c("class", ".Environment")
  if (is.call(x)) {
    holds <- vapply(as.list(x), function(part) {
      # What is NULL would be deleted
      or_else(is.call(part) || is.atomic(part) && !is.null(part), FALSE)
    }, NA)
    for (i in which(holds)) x[[i]] <- bare_code_of(x[[i]])
  }
  without_attributes(x, keep)
}

# Whose maker has another name than the class
makers <- c(
  synthesizer = "fit_synthesizer", synthetic_data = "synthesize",
  privacy_ledger = "ledger", privacy_guarantee = "guarantee",
  censoring_rule = "censor", censor_reference = "censor",
  weight_rule = "freeze", synthesis_generator = "as_generator",
  file_synthesizer = "fit_file", codebook = "draft_codebook",
  household_members = "members"
)

#' The function that makes objects of a class
#' @noRd
maker_of <- function(class) {
  if (class %in% names(makers)) makers[[class]] else class
}

# Parts without which an object of a class is not one: edited by hand, or saved
# by another version
class_parts <- list(
  synthesizer = c(
    draws = "matrix", spec = "list", response = "synth_response",
    design = "synth_design", data = "data.frame", family = "synth_family",
    bound = "lipschitz_bound", control = "list"
  ),
  synthetic_data = c(
    sets = "list", guarantee = "privacy_guarantee", columns = "data.frame",
    m = "", n_records = ""
  ),
  perturbed_histogram = c(
    noisy = "", counts = "", breaks = "numeric", response = "synth_response",
    epsilon = "numeric"
  ),
  score_release = c(
    steps = "", draws = "", response = "synth_response",
    design = "synth_design", family = "synth_family"
  ),
  codebook = c(table = "data.frame"),
  file_release = c(
    block = "list", amounts = "list", codebook = "codebook", schema = "list",
    levels = "list", charges = "data.frame", epsilon = "numeric",
    delta = "numeric"
  ),
  file_plan = c(
    table = "data.frame", codes = "matrix", levels = "list", amounts = "list",
    rules = "list", codebook = "codebook", schema = "list"
  ),
  synth_family = c(
    name = "character", kind = "character", log_response = "logical"
  ),
  privacy_guarantee = c(
    label = "character", epsilon = "list", charges = "data.frame",
    neighbours = "character"
  )
)

#' Parts that an object of a class lacks, or that are something else
#' @noRd
broken_parts <- function(x, class) {
  parts <- class_parts[[class]]
  if (!is.list(x) || is.null(parts)) {
    return(character())
  }
  x <- unclass(x)
  whole <- vapply(names(parts), function(name) {
    name %in% names(x) &&
      (!nzchar(parts[[name]]) || inherits(x[[name]], parts[[name]]))
  }, TRUE)
  names(parts)[!whole]
}

#' Check an object's class
#' @inheritParams check_number
#' @param class (string) The class expected.
#' @param how (string or `NULL`) How to make one, shown as a hint.
#' @return `x`, invisibly.
#' @noRd
check_class <- function(x, class, how = NULL, null = FALSE,
                        arg = rlang::caller_arg(x)) {
  how <- how %||% sprintf("Make one with {.fn %s}.", maker_of(class))
  check_present(x, arg)
  check_that(
    inherits(x, class) || null && is.null(x), x,
    "{.arg {arg}} must be a {.cls {class}} object.", i = how, arg = arg
  )
  broken <- broken_parts(x, class)
  refuse_if(
    length(broken) > 0, "{.arg {arg}} must be an intact {.cls {class}} object.",
    x = "Its part{?s} {.field {broken}} {?is/are} missing or of another type.
         It was edited, or made by another version of this package.",
    i = how, arg = arg, class = "pseudosynth_error_edited"
  )
  invisible(x)
}

#' Check numeric privacy weights
#'
#' @inheritParams check_number
#' @param n (count) How many records there are.
#' @return (numeric) The weights, class kept, invisibly.
#' @noRd
check_weights <- function(x, n, arg = rlang::caller_arg(x)) {
  check_present(x, arg)
  check_that(
    is.numeric(x) && is.null(dim(x)), x,
    "{.arg {arg}} must be a numeric vector of privacy weights in [0, 1].",
    arg = arg
  )
  refuse_if(
    length(x) != n,
    "{.arg {arg}} must hold one weight for each of the {n} record{?s}.",
    x = "It holds {length(x)}.", arg = arg
  )
  facts <- number_facts_(x)
  if (facts$missing == 0 && facts$least >= 0 && facts$most <= 1) {
    return(invisible(x))
  }
  values <- as.double(unclass(x))
  lost <- sum(is.na(values))
  low <- sum(values < 0, na.rm = TRUE)
  high <- sum(values > 1, na.rm = TRUE)
  refuse_if(
    lost + low + high > 0, "{.arg {arg}} must lie in [0, 1].",
    x = if (lost > 0) "{lost} weight{?s} {?is/are} missing.",
    x = if (low > 0) "{low} weight{?s} {?is/are} below 0.",
    x = if (high > 0) "{high} weight{?s} {?is/are} above 1.",
    i = if (lost > 0) "To leave a record out, give it weight 0.",
    arg = arg, rows = which(is.na(values) | values < 0 | values > 1)
  )
  invisible(x)
}

# The papers' letters
paper_arguments <- c(c = "scale", g = "shift", r = "radius", eps = "epsilon")

# Words of rstanarm, brms, Stan and synthpop, and what stands for them here
foreign_arguments <- c(
  iter = "{.fn fit_synthesizer} takes {.arg warmup} and {.arg draws}, the
          iterations of each chain that are dropped and kept.",
  cores = "{.arg threads} of {.fn fit_synthesizer} is the number of threads.",
  sampler = "{.arg control} chooses the sampler:
             {.code control = sampler_control(\"nuts\")}.",
  support = "{.arg bounds} states the smallest and the largest released value.",
  adapt_delta = "{.arg control} has the sampler's settings: see
                 {.fn sampler_control}.",
  weights = "{.fn fit_synthesizer} takes privacy weights as
             {.arg privacy_weights}. Survey weights are {.arg survey_weights} of
             {.fn fit_synthesizer}, of {.fn pseudo_posterior} and of
             {.fn file_plan}.",
  survey_weights = "{.fn fit_synthesizer}, {.fn pseudo_posterior} and
                    {.fn file_plan} take survey weights.",
  method = "{.fn synthesize_file} takes the kind of model as {.arg model}, such
            as {.val tree}; {.fn fit_synthesizer} takes {.arg family};
            {.fn pseudo_posterior} takes {.arg mechanism}.",
  visit.sequence = "{.fn synthesize_file} takes {.arg order}.",
  predictor.matrix = "{.fn synthesize_file} takes {.arg predictors}.",
  minnumlevels = "A codebook states which columns are categories: see
                  {.fn draft_codebook}."
)

check_no_dots <- function(..., hint = "Formula, data, family and prior are those
                          of the fit; call {.fn fit_synthesizer} to change
                          them.") {
  n <- ...length()
  names <- ...names()
  names <- names[!is.na(names) & nzchar(names)]
  theirs <- intersect(names, names(paper_arguments))
  if (length(theirs) > 0) {
    ours <- unlist(paper_arguments[theirs])
    hint <- "The papers' {.arg {theirs}} {?is/are} called {.arg {ours}} here."
  }
  foreign <- intersect(names, names(foreign_arguments))
  refuse_if(
    n > 0, "{.arg ...} must be empty.",
    x = if (length(names) > 0) {
      "{cli::qty(length(names))}The argument{?s} {.arg {names}} {?is/are}
       not known here."
    } else {
      "There {?is/are} {n} argument{?s} too many."
    },
    i = if (length(foreign) > 0) foreign_arguments[[foreign[1]]] else hint
  )
}

#' What stands in `...`; a place that was left empty is refused
#' @noRd
given_dots <- function(...) {
  places <- as.list(substitute(list(...)))[-1]
  n <- sum(vapply(places, rlang::is_missing, NA))
  refuse_if(
    n > 0, "Arguments in {.arg ...} must have values.",
    x = "{n} of them {?has/have} none.", i = "Is there a comma too many?",
    arg = "..."
  )
  list(...)
}

#' Check which terms of a model are meant
#' @param parm Names or numbers.
#' @return (character) Their names.
#' @noRd
check_terms <- function(parm, terms) {
  number <- is.numeric(parm) && !is.object(parm)
  known <- number || is.character(parm)
  index <- if (known) match(parm, if (number) seq_along(terms) else terms)
  refuse_if(
    !known || anyNA(index),
    "{.arg parm} must be names or numbers of terms of the model.",
    i = "The terms are {.val {terms}}.", arg = "parm"
  )
  terms[index]
}

#' Check which draws or records are meant
#' @return (integer) `NULL` becomes all.
#' @noRd
check_index <- function(x, n, arg = rlang::caller_arg(x)) {
  if (is.null(x)) {
    return(seq_len(n))
  }
  refuse_if(
    !is.numeric(x) || is.object(x) || length(x) == 0 ||
      !all(x %in% seq_len(n)),
    "{.arg {arg}} must be whole numbers from 1 to {n}.",
    i = "{.code NULL} means all of them.", arg = arg
  )
  as.integer(x)
}

#' @param of (string) What the function takes.
#' @noRd
check_function_of <- function(x, of, arg = rlang::caller_arg(x)) {
  check_that(
    is.null(x) || is.function(x), x,
    "{.arg {arg}} must be a function of {of}, or {.code NULL}.", arg = arg
  )
}

#' A file can only be made in a folder that is there
#' @noRd
check_folder_of <- function(path, arg = rlang::caller_arg(path),
                            abort = abort_input) {
  refuse_if(
    !dir.exists(dirname(path)), "{.arg {arg}} must be in an existing folder.",
    x = "There is no folder {.file {dirname(path)}}.", arg = arg, abort = abort
  )
}

# The system's limit for a whole path is 4,096 bytes on Linux, less elsewhere
check_path <- function(path, arg = "path") {
  check_string(path, arg = arg)
  n <- nchar(path, "bytes")
  refuse_if(
    n > 1000, "{.arg {arg}} must be a path of at most 1000 bytes.",
    x = "It has {n}.", arg = arg
  )
  invisible(path)
}

#' Run a function of the user
#'
#' Its message may show values of the file: the error is in the field `cause`.
#' @param expr The call of it.
#' @param what (string) Which run it is, for the error.
#' @param arg (string) The argument that the function came as.
#' @noRd
user_result <- function(expr, what, arg) {
  tryCatch(expr, error = function(e) {
    abort_input(
      "{what} failed.",
      x = "It raised an error of class {.cls {class(e)[1]}}.",
      i = "The error itself is in the field {.field cause} of this one.",
      arg = arg, cause = e
    )
  })
}
