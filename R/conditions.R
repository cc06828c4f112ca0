# Conditions. Every error of the package is classed, blames the user's call and
# never holds a data value: row numbers travel in the field `rows` of the
# condition object and stay out of the message.

#' The functions that signal an error of one kind
#'
#' They take bullets with cli's markup, interpolated in the caller's frame:
#' without a name what was expected, then what was given (`x`), which column and
#' how many records, and what to do (`i`). Never a data value. Other names are
#' fields of the condition object. Further arguments:
#' * `arg` (string or `NULL`): the name of the argument at fault, kept in the
#'   field `arg`.
#' * `rows` (integer or `NULL`): row numbers of the records at fault, kept in
#'   the field `rows` and never printed.
#' * `class` (character or `NULL`): classes put before the general ones.
#' * `.envir` (environment): where the message is interpolated.
#'
#' @param kind (character) Of classes `pseudosynth_error_..`, the narrow first.
#' @param fault (string or `NULL`) The default of `arg`.
#' @noRd
abort_of <- function(kind, fault = NULL) {
  general <- c(sprintf("pseudosynth_error_%s", kind), "pseudosynth_error")
  function(..., arg = fault, rows = NULL, class = NULL, parent = NULL,
           .envir = rlang::caller_env()) {
    said <- told(list(...), .envir)
    rlang::abort(
      said$bullets, !!!said$fields,
      arg = arg, rows = rows, parent = parent, call = user_call(),
      class = c(class, general), trace = no_trace
    )
  }
}

#' Bullets, ready to be read, and the other fields of a condition
#'
#' Markup is read once, here: cli would read it again whenever the message is
#' looked at, which takes three times as long.
#' @param exact (flag) May numbers of the user's be told as they are? Only where
#'   the user is asked to look at them.
#' @noRd
told <- function(dots, .envir, exact = FALSE) {
  bullet <- rlang::names2(dots) %in% c("", "x", "i", "*", "!", "v", " ")
  bullets <- do.call(c, dots[bullet])
  width <- getOption("cli.condition_width", cli::console_width()) - 2
  # What decides how cli shows markup, and may change within a session: colours,
  # palettes, links and themes
  look <- paste(c(
    cli::num_ansi_colors(), getOption("cli.palette"),
    unlist(cli::ansi_hyperlink_types()), names(cli::default_app()$themes)
  ), collapse = " ")
  bullets[] <- vapply(bullets, function(text) {
    text <- with_known_names(gsub("\\s+", " ", text), .envir)
    # Short ASCII alone, as names of an environment must be
    text <- each_span(
      text, "(arg|cls|code|fn) [ -z|~]{1,200}", known_span, look
    )
    # Nothing is left for cli to read
    plain <- gsub("{{|}}", "", text, perl = TRUE)
    if (!grepl("[{}\f\u00a0]", plain, perl = TRUE)) {
      gsub("}}", "}", gsub("{{", "{", text, fixed = TRUE), fixed = TRUE)
    } else {
      cli::format_inline(text, .envir = .envir)
    }
  }, "")
  shown <- regmatches(bullets, number_places(bullets))
  # To look through all arguments takes longer than all else here
  if (!exact && any(digits_shown(unlist(shown)) > 2)) {
    bullets[] <- few_digits(bullets, given_numbers())
  }
  bullets[] <- gsub(own_number, "", bullets, fixed = TRUE)
  long <- is.finite(width) & nchar(bullets) > width
  bullets[long] <- vapply(bullets[long], function(text) {
    paste(cli::ansi_strwrap(text, width), collapse = "\n  ")
  }, "")
  list(bullets = bullets, fields = dots[!bullet])
}

# Numbers that the user gave --------------------------------------------------

# A number among the arguments may be a value of the file, as in
# `rev(range(y))`: no condition repeats more than two digits of it. Here for all
# of them, since what a message is made of came through many hands.

#' Texts in which numbers of the user's have two digits
#' @param given (double) See given_numbers().
#' @noRd
few_digits <- function(text, given) {
  if (length(given) == 0) {
    return(text)
  }
  found <- number_places(text)
  regmatches(text, found) <- lapply(regmatches(text, found), function(shown) {
    vapply(shown, two_digits, "", given)
  })
  gsub("-about ", "about -", text, fixed = TRUE)
}

# Stands before a number of the package's own, which is nobody's value
own_number <- "\001"

#' Where texts have numbers that may be values: see gregexpr()
#'
#' Counts of records and the like are no values of a file.
#' @noRd
number_places <- function(text) {
  # Colours end in an m
  number <- "[0-9]+(,[0-9]{3})*(\\.[0-9]+)?(e[+-]?[0-9]+)?"
  alone <- sprintf(
    "(?<![0-9A-Za-ln-z_.\\x01])%s(?![0-9A-Za-z_])(?!( of [0-9,]+)? (%s)s?\\b)",
    number, "record|value|column|level|cell|set|draw|table|row|line|household"
  )
  gregexpr(alone, text, perl = TRUE)
}

#' How many digits a number in a text has that say something
#' @noRd
digits_shown <- function(shown) {
  mantissa <- gsub("[,.]", "", sub("e.*", "", shown))
  nchar(gsub("^0+|0+$", "", mantissa))
}

two_digits <- function(shown, given) {
  value <- as.double(gsub(",", "", shown))
  digits <- digits_shown(shown)
  if (digits < 3 || is.na(value)) {
    return(shown)
  }
  met <- any(abs(signif(given, digits) - value) <= 1e-9 * abs(value)) ||
    any(abs(given - value) <= 0.51 * 10^(floor(log10(value)) - digits + 1))
  if (met) shown_number(value) else shown
}

#' Numbers of the user's, as messages repeat them: to two digits
#'
#' They may be values of the file, such as `range(y)`.
#' @return (character) Same length as `x`.
#' @noRd
shown_number <- function(x) {
  x <- as.double(x)
  rounded <- signif(x, 2)
  text <- vapply(rounded, format, "", digits = 2, decimal.mark = ".")
  ifelse(!is.na(x) & rounded != x, paste("about", text), text)
}

#' Sizes of the numbers that the user's call has among its arguments
#' @return (double) Those that have more than two digits.
#' @noRd
given_numbers <- function() {
  numbers <- lapply(user_frames(), function(frame) {
    # A call that fits many columns tells many things: its arguments are looked
    # through once, and what they hold is forgotten with the call
    refs <- Filter(
      function(ref) !is.null(rlang::wref_key(ref)), looked_through$calls
    )
    same <- Find(
      function(ref) identical(rlang::wref_key(ref), frame$env), refs
    )
    if (!is.null(same)) {
      return(rlang::wref_value(same))
    }
    # What is on its way to a value may hold any number: ask again
    read <- TRUE
    value_of <- function(code) {
      tryCatch(suppressWarnings(code), error = function(error) {
        read <<- FALSE
        NULL
      })
    }
    names <- setdiff(names(formals(frame$f)), "...")
    there <- vapply(names, function(name) {
      !or_else(eval(call("missing", as.name(name)), frame$env), TRUE)
    }, NA)
    values <- lapply(names[there], function(name) {
      value_of(get(name, frame$env, inherits = FALSE))
    })
    dots <- if ("..." %in% names(formals(frame$f))) {
      value_of(eval(quote(list(...)), frame$env))
    }
    books <- Filter(function(x) inherits(x, "codebook"), values)
    found <- list(
      all = unique(argument_numbers(c(values, dots))),
      levels = lapply(books, function(book) {
        or_else(book$table$levels[book$table$confirmed %in% TRUE])
      })
    )
    looked_through$calls <- c(
      refs, if (read) list(rlang::new_weakref(frame$env, found))
    )
    found
  })
  # Confirmed levels are public by statement, such as years; a draft's are the
  # file's
  levels <- unlist(lapply(numbers, `[[`, "levels"))
  levels <- abs(suppressWarnings(as.double(levels)))
  numbers <- lapply(numbers, `[[`, "all")
  given <- setdiff(abs(as.double(unlist(numbers))), levels)
  given <- given[is.finite(given) & given != 0 & given != signif(given, 2)]
  # As they are, and as percentages
  c(given, 100 * given)
}

looked_through <- new.env(parent = emptyenv())

#' The frames by which the user came into the package
#' @return (list) Of each its function `f` and `env`.
#' @noRd
user_frames <- function() {
  home <- function(at) topenv(environment(sys.function(at)) %||% baseenv())
  homes <- lapply(seq_len(sys.nframe()), home)
  ours <- vapply(homes, identical, NA, topenv())
  theirs <- vapply(homes, isNamespace, NA) & !ours
  # What on.exit() calls while an error ends its function has no caller that R
  # can tell: it names any frame
  callers <- pmin(sys.parents(), seq_along(homes) - 1)
  # What we call by lapply() and the like is no call of the user's
  for (at in seq_along(callers)) {
    while (callers[at] > 0 && theirs[callers[at]]) {
      callers[at] <- callers[callers[at]]
    }
  }
  entry <- which(ours & !c(FALSE, ours)[callers + 1])
  lapply(entry, function(at) list(f = sys.function(at), env = sys.frame(at)))
}

#' Numbers anywhere in arguments, but for those of files
#' @noRd
argument_numbers <- function(x, depth = 6) {
  # What a ledger tells is no value of the file; nor is what sets are like
  if (depth == 0 || inherits(x, c("privacy_ledger", "synthetic_data"))) {
    NULL
  } else if (is.numeric(x) && is.atomic(x)) {
    if (length(x) <= 1e4) as.double(unclass(x))
  } else if (is.character(x)) {
    if (length(x) <= 1e4) {
      # Bytes are no text
      read <- validEnc(x) & Encoding(x) != "bytes"
      text <- x[!is.na(x) & read & nchar(x, "bytes") <= 30]
      suppressWarnings(as.double(unlist(strsplit(text, "|", fixed = TRUE))))
    }
  } else if (is.data.frame(x) && !"column" %in% names(x)) {
    NULL
  } else if (is.list(x) || is.call(x)) {
    if (length(x) <= 1e4) {
      parts <- as.list(unclass(x))
      # A place in code may be empty
      parts <- parts[!vapply(parts, identical, NA, quote(expr = ))] # nolint
      # A class of the user's may have methods that fail
      unlist(lapply(parts, function(part) {
        if (is.object(part)) {
          or_else(argument_numbers(part, depth - 1))
        } else {
          argument_numbers(part, depth - 1)
        }
      }))
    }
  }
}

#' `{.arg {arg}}`, as if the argument's name were written out
#'
#' Of other names nothing is kept: they may be the user's, or of the file.
#' @noRd
with_known_names <- function(text, envir) {
  # A plural counts the names that it stands beside
  if (grepl("{?", text, fixed = TRUE)) {
    return(text)
  }
  each_span(text, "arg \\{arg\\}", function(span) {
    name <- get0("arg", envir)
    plain <- rlang::is_string(name) && grepl("^[[:alnum:]_.]+$", name)
    if (plain) sprintf("{.arg %s}", name) else span
  })
}

#' Markup of some kind replaced, but not what is escaped: that may be a name of
#' the user's, and is not read
#' @param text (string)
#' @param inside (string) A pattern.
#' @param f (function of a markup and of `...`)
#' @noRd
each_span <- function(text, inside, f, ...) {
  span <- sprintf("(?<!\\{)\\{\\.%s\\}(?!\\})", inside)
  from <- gregexpr(span, text, perl = TRUE)[[1]]
  if (from[1] < 0) {
    return(text)
  }
  after <- from + attr(from, "match.length")
  between <- substring(text, c(1, after), c(from - 1, nchar(text)))
  read <- vapply(substring(text, from, after - 1), f, "", ...)
  paste0(between, c(read, ""), collapse = "")
}

# Markup of the package's own words, such as `{.fn release}`, read once a
# session for each look that it may have: cli goes through its theme for each,
# which takes milliseconds
known_spans <- new.env(parent = emptyenv())

known_span <- function(span, look) {
  key <- paste(look, span)
  if (is.null(known_spans[[key]])) {
    known_spans[[key]] <- cli_escape(cli::format_inline(span))
  }
  known_spans[[key]]
}

# Text that cli must not interpolate.
cli_escape <- function(text) {
  gsub("}", "}}", gsub("{", "{{", text, fixed = TRUE), fixed = TRUE)
}

x_bullets <- function(texts, sign = "x") {
  stats::setNames(cli_escape(texts), rep(sign, length(texts)))
}

#' What is wrong with columns: the first five, and how many more there are
#' @param texts (character) One for each column.
#' @noRd
column_bullets <- function(texts) {
  more <- length(texts) - 5
  x_bullets(c(
    utils::head(texts, 5),
    if (more > 0) cli::pluralize("{more} more column{?s}.")
  ))
}

# The calls that led to an error may hold records, as arguments. `traceback()`
# still shows them to the user who asks.
no_trace <- rlang::trace_back()[0, ]

abort_input <- abort_of("input")
abort_privacy <- abort_of("privacy")
abort_sampler <- abort_of("sampler")
abort_ledger <- abort_of(c("ledger", "input"), "ledger")
abort_checkpoint <- abort_of(c("checkpoint", "input"), "checkpoint")

#' Abort where something is wrong
#' @param ... As of `abort_input()`; looked at only then.
#' @param abort (function) The kind of error.
#' @noRd
refuse_if <- function(wrong, ..., abort = abort_input,
                      .envir = rlang::caller_env()) {
  if (wrong) abort(..., .envir = .envir)
}

#' Warn, with bullets as the errors have them
#' @param kind (string) Of the class `pseudosynth_warning_..`.
#' @return `NULL`, invisibly.
#' @noRd
warn_of <- function(kind, ..., .envir = rlang::caller_env()) {
  said <- told(list(...), .envir)
  rlang::warn(
    said$bullets, !!!said$fields, call = user_call(),
    class = c(sprintf("pseudosynth_warning_%s", kind), "pseudosynth_warning")
  )
  invisible()
}

#' Tell the user something, with bullets as the errors have them
#' @param kind (string or `NULL`) Of the class `pseudosynth_message_..`, if any.
#' @noRd
tell_of <- function(kind, ..., exact = FALSE, .envir = rlang::caller_env()) {
  said <- told(list(...), .envir, exact)
  rlang::inform(
    said$bullets, !!!said$fields,
    class = sprintf("pseudosynth_message_%s", kind)
  )
}

#' Run code that fits what was told already
#' @noRd
told_already <- function(code) {
  withCallingHandlers(code, pseudosynth_message_published = rlang::cnd_muffle)
}

#' A value, or another one where code fails or warns
#'
#' The code goes on where it warns. A jump out of the warning that a file cannot
#' be opened leaves a connection that nobody holds: R (4.2) never closes it, and
#' crashes when it is looked at.
#' @noRd
or_else <- function(code, value = NULL) {
  warned <- FALSE
  found <- tryCatch(
    withCallingHandlers(code, warning = function(w) {
      warned <<- TRUE
      rlang::cnd_muffle(w)
    }),
    error = function(e) value
  )
  if (warned) value else found
}

#' The call that errors blame: the one by which the user came into the package
#'
#' Without its arguments, which may hold records. The outermost function of the
#' package before code that is not, where base R's, such as lapply(), pass on.
#' @return (call or `NULL`)
#' @noRd
user_call <- function() {
  ours <- topenv()
  # See user_frames()
  parents <- sys.parents()
  parents <- pmin(parents, seq_along(parents) - 1)
  found <- NULL
  at <- parents[length(parents)]
  while (at > 0) {
    home <- environment(sys.function(at)) %||% baseenv()
    if (identical(home, ours)) {
      found <- at
    } else if (!environmentName(topenv(home)) %in% passing_on) {
      break
    }
    at <- parents[at]
  }
  if (!is.null(found)) bare_call(sys.call(found))
}

passing_on <- c(
  "pseudosynth", "base", "stats", "utils", "methods", "rlang", "cli"
)

bare_call <- function(call) {
  if (rlang::is_call(call, "$", n = 2)) {
    return(call("$", quote(x), call[[3]]))
  }
  named <- is.name(call[[1]]) || rlang::is_call(call[[1]], c("::", ":::"))
  if (named) as.call(list(call[[1]]))
}

#' Blame the user's call for errors of code of the user's that it runs
#' @noRd
blame <- function(expr) {
  tryCatch(expr, pseudosynth_error = function(error) {
    error$call <- user_call()
    rlang::cnd_signal(error)
  })
}

#' Say what is done now: a line that changes in a terminal, in a log one of its
#' own
#' @param text (string) As it is, without markup.
#' @noRd
tell_step <- function(text, .envir = rlang::caller_env()) {
  if (cli::is_dynamic_tty()) {
    cli::cli_progress_step(gsub("([{}])", "\\1\\1", text), .envir = .envir)
  } else {
    # An audit makes hundreds of these, which nobody hears: rlang would set each
    message(cli::symbol$info, " ", text)
  }
}

# Cells of a file, records times columns, that take more than some seconds
long_work <- 2e6

#' The same where it takes a while
#' @param cells (number) Records times columns.
#' @noRd
tell_long_step <- function(text, cells, .envir = rlang::caller_env()) {
  if (cells >= long_work) tell_step(text, .envir)
}

# The one place where errors of the C++ core become conditions of this package.

# Errors of the core become classed conditions that blame the user's call.
call_core <- function(expr) {
  tryCatch(expr, error = function(e) {
    if (inherits(e, "pseudosynth_error")) stop(e)
    abort_sampler("The chains could not run.", x = "{conditionMessage(e)}")
  })
}
