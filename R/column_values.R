# Kinds of columns that have values between their levels: numbers, and what is
# counted like numbers. Their levels are parts, see amount_parts().

#' A kind of values, see new_column_kind()
#' @noRd
value_kind <- function(name, fields = value_fields, response = "continuous",
                       storages = c("integer", "double"),
                       families = c("student_t", "gaussian"),
                       transforms = c("identity", "log", "asinh"),
                       defaults = value_defaults, storage = value_storage,
                       holds = values_hold, stated = values_in_words,
                       fits = function(x, spec) is_plain_number(x),
                       levels = function(spec) amount_parts(spec)$part,
                       code = code_values, decode = decode_values,
                       short = label_short,
                       own_check = function(row, spec) NULL, ...) {
  new_column_kind(
    name, fields, valued = TRUE, response = response, storages = storages,
    check = function(row, spec) check_book_values(row, spec, own_check),
    families = families, transforms = transforms, defaults = defaults,
    storage = storage, holds = holds, stated = stated, fits = fits,
    levels = levels, code = code, decode = decode, short = short, ...
  )
}

# Has a column values between its levels?
is_amount <- function(spec) spec$kind$valued

# What a codebook states of values, `digits` and `storage` aside
value_fields <- c(
  "lower", "upper", "missing", "codes", "heaps", "zero", "outside",
  "transform", "family"
)

# A number has 15 digits that can be relied on
largest_bound <- 1e15

# Sums and priors are of numbers about 1: the least size of the larger bound
smallest_size <- 1e-4

# Bins between bounds closer than this are no wider than rounding
least_width <- 1e-10

most_digits <- 9L

# What an amount states that may have any decimals
any_digits <- "any"

# What a row states ------------------------------------------------------------

#' What counts where a row of values states nothing
#' @noRd
value_defaults <- function(row, kind) {
  transform <- or_default(row$transform, kind$transforms[1])
  list(transform = transform, family = kind$family(transform))
}

#' The numbers that values may be, their bounds in place of all others
#' @noRd
stated_numbers <- function(spec) c(spec$lower, spec$upper, unname(spec$codes))

value_storage <- function(spec) number_storage(stated_numbers(spec))

values_hold <- function(spec, storage) {
  numbers <- stated_numbers(spec)
  switch(storage,
    integer = are_integers(numbers), double = !anyNA(numbers), TRUE
  )
}

#' Refuse what no kind of values can be stated to be, then what this one cannot
#' @noRd
check_book_values <- function(row, spec, own_check) {
  kind <- spec$kind
  column <- spec$column
  bounds <- c(spec$lower, spec$upper)
  open <- Filter(function(field) !is_stated(row[[field]]), c("lower", "upper"))
  refuse_if(
    !all(is.finite(bounds)) || bounds[1] >= bounds[2],
    "{.field lower} and {.field upper} of {.val {column}} must be {kind$words},
    the smaller one first.",
    x = if (length(open) > 0) "{.field {open}} {?is/are} not stated.", arg = "x"
  )
  refuse_if(
    max(abs(bounds)) > largest_bound,
    "{.field lower} and {.field upper} of {.val {column}} must lie between
    -1e15 and 1e15.",
    i = "Larger numbers are not exact. Measure the column in a larger unit.",
    arg = "x"
  )
  size <- max(abs(bounds))
  refuse_if(
    size > 0 && size < smallest_size,
    "One bound of {.val {column}} must be at least {smallest_size} in absolute
     value.",
    i = "Measure the column in a smaller unit.", arg = "x"
  )
  refuse_if(
    diff(bounds) < least_width * size,
    "{.field lower} and {.field upper} of {.val {column}} must differ by at
     least {least_width} of the larger one.",
    i = "Numbers this close are hardly told apart: subtract {.field lower} from
         the column.", arg = "x"
  )
  refuse_if(
    !all(is.finite(spec$codes)) || anyDuplicated(spec$codes) > 0,
    "{.field codes} of {.val {column}} must be different {kind$words}.",
    arg = "x"
  )
  refuse_if(
    spec$zero && 0 %in% spec$codes,
    "{.field zero} of {.val {column}} must be {.code FALSE}: 0 is one of its
    codes.", arg = "x"
  )
  known <- !is_stated(row$digits) || row$digits == any_digits ||
    isTRUE(spec$digits %% 1 == 0 && abs(spec$digits) <= most_digits)
  refuse_if(
    !known,
    "{.field digits} of {.val {column}} must be a whole number from
    -{most_digits} to {most_digits}, or {.val {any_digits}}.", arg = "x"
  )
  refuse_if(
    is_stated(spec$outside) && spec$outside != "bound",
    "{.field outside} of {.val {column}} must be {.val bound}: its type is
    {.val {spec$type}}.", arg = "x"
  )
  own_check(row, spec)
  check_book_heaps(spec)
  refuse_if(
    !spec$transform %in% kind$transforms,
    "{.field transform} of {.val {column}} must be one of
    {.or {.val {kind$transforms}}}.", arg = "x"
  )
  refuse_if(
    !spec$family %in% kind$families,
    "{.field family} of {.val {column}} must be one of
    {.or {.val {kind$families}}}.", arg = "x"
  )
  refuse_if(
    spec$family %in% c("neg_binomial", "poisson") &&
      spec$transform != "identity",
    "The family {.val {spec$family}} of {.val {column}} must have the transform
    {.val identity}.",
    i = "With {.val {spec$transform}}, use {.val student_t}.", arg = "x"
  )
  refuse_if(
    spec$transform == "log" && bounds[1] <= 0 && bounds[2] >= 0 &&
      !spec$zero && !0 %in% spec$codes,
    "Under the transform {.val log}, zero must be a part of its own.",
    x = "The bounds of {.val {column}} include zero.",
    i = "Set {.field zero} to {.code TRUE}, or {.field lower} above 0.",
    arg = "x"
  )
  refuse_if(
    NROW(amount_parts(spec)) == 0,
    "{.val {column}} must be able to have a value.",
    x = "None that its {.field digits} or heaps allow lies from {.field lower}
         to {.field upper}.",
    i = "State bounds farther apart, or more decimals.", arg = "x"
  )
}

check_book_heaps <- function(spec) {
  heaps <- spec$heaps
  nested <- all(is.finite(heaps)) && all(heaps > 0) && all(diff(heaps) > 0) &&
    all(is_multiple(heaps[-1], heaps[-length(heaps)]))
  refuse_if(
    !nested,
    "{.field heaps} of {.val {spec$column}} must be positive numbers, each a
    multiple of the one before.", arg = "x"
  )
  unit <- spec$kind$heap_unit(spec)
  refuse_if(
    unit > 0 && !all(is_multiple(heaps, unit)),
    "{.field heaps} of {.val {spec$column}} must have no more decimals than its
    values.", arg = "x"
  )
}

values_in_words <- function(spec) {
  kind <- spec$kind
  text <- c(
    paste(kind$ends(spec), collapse = " to "),
    if (!is.na(spec$unit)) spec$unit
  )
  c(
    paste(text, collapse = " "),
    if (!is.na(spec$digits)) counted_digits(spec$digits),
    if (spec$decimals %in% any_digits) "any decimals",
    if (spec$zero) "zero",
    if (length(spec$codes) > 0) counted(length(spec$codes), "code"),
    if (length(spec$heaps) > 0) "heaps"
  )
}

counted_digits <- function(digits) {
  if (digits < 0) {
    paste("multiples of", format_exact(10^-digits))
  } else if (digits == 0) {
    "whole"
  } else {
    counted(digits, "decimal")
  }
}

#' The step between values of so many decimals; 0 where they may have any
#' @noRd
decimal_unit <- function(spec) if (is.na(spec$digits)) 0 else 10^-spec$digits

#' Numbers as people read amounts
#' @noRd
label_short <- function(x) {
  size <- abs(x)
  unit <- ifelse(size >= 1e6, 1e6, ifelse(size >= 1e4, 1e3, 1))
  paste0(
    vapply(signif(x / unit, 4), format_exact, ""),
    ifelse(unit == 1e6, "m", ifelse(unit == 1e3, "k", ""))
  )
}

# Coding -----------------------------------------------------------------------

#' Text of a CSV file, or of a database without a type for it, as a kind has it
#' @param kind (list) One with a class of its own.
#' @param words (string) What the text must be.
#' @noRd
read_times <- function(x, name, kind, words) {
  if (!is.character(x)) {
    return(x)
  }
  met <- unique(x)
  number <- kind$number(met)[match(x, met)]
  wrong <- which(is.na(number) & !is.na(x))
  refuse_if(
    length(wrong) > 0, "Text of {.val {name}} must be {words}.",
    x = "It is something else for {length(wrong)} record{?s}.", arg = "data",
    rows = wrong
  )
  kind$typed(number)
}

code_values <- function(x, spec) {
  part_of(amount_column(x, spec), amount_parts(spec))
}

#' Plain numbers of a column of values
#' @noRd
amount_numbers <- function(x, spec) {
  kind <- spec$kind
  kind$plain(plain_amount(kind$read(x, spec$column)))
}

plain_amount <- function(x) as.double(plain_column(x))

#' The values of an amount; those beyond a bound count as it where stated, and
#' those of more decimals are rounded where the column is protected
#' @noRd
amount_column <- function(x, spec) {
  values <- amount_numbers(x, spec)
  if (is.logical(x)) values[] <- NA
  apart <- values %in% c(spec$codes, if (spec$zero) 0)
  if (is_stated(spec$outside)) {
    values <- ifelse(apart, values, clamp(values, spec$lower, spec$upper))
  }
  at <- which(!apart & has_more_decimals(values, spec))
  values[at] <- rounded_amount(values[at], spec)
  values
}

#' Values within the bounds that are rounded
#' @noRd
has_more_decimals <- function(values, spec) {
  unit <- spec$kind$unit(spec)
  if (isTRUE(spec$as_is) || !spec$kind$rounds || unit == 0) {
    return(logical(length(values)))
  }
  (values >= spec$lower & values <= spec$upper &
    !is_multiple(values, unit)) %in% TRUE
}

#' The nearest multiple of the unit within the bounds that is no code
#' @noRd
rounded_amount <- function(x, spec) {
  unit <- rep(spec$kind$unit(spec), length(x))
  past <- rep(TRUE, length(x))
  up <- multiple_beyond(x, unit, 1, past)
  down <- multiple_beyond(x, unit, -1, past)
  closed <- function(y) {
    y < spec$lower | y > spec$upper | y %in% spec$codes
  }
  above <- up - x < x - down
  ifelse(closed(down) | (above & !closed(up)), up, down)
}

decode_values <- function(code, amounts, spec, schema) {
  typed_values(decode_amount(code, amounts, spec), schema)
}

decode_amount <- function(code, amounts, spec) {
  parts <- amount_parts(spec)
  values <- parts$value[code]
  valued <- parts$valued[code]
  n <- sum(valued)
  given <- is.numeric(amounts) && length(amounts) == n
  refuse_if(
    !given && n + length(amounts) > 0,
    "{.arg amounts} must have one value of {.val {spec$column}} for each record
    whose part has values.",
    x = "There are {n} such record{?s} and {length(amounts)} value{?s}.",
    arg = "amounts"
  )
  values[valued] <- as.double(amounts)
  moved <- which(!(part_of(values, parts) == code) %in% TRUE)
  refuse_if(
    length(moved) > 0,
    "Each of {.arg amounts} must lie in the part that its code stands for.",
    x = "In {.val {spec$column}}, {length(moved)} value{?s} {?does/do} not.",
    arg = "amounts", rows = moved
  )
  values
}
