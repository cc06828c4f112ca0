# What published columns tell of a protected one: one rule, for every verb and
# every source. It works from counts of (published value, protected value). Data
# frames have records, each counted once; databases count combinations in public
# classes of the protected values.

# A column tells another if it tells the value of so many records, of those that
# have not the most common one
told_share <- 0.9

# Of so many records at least; fewer agree by chance
told_least <- 10

# The order of fewer values is no evidence
told_values <- 20

#' Published columns in the forms that are looked at
#'
#' As they are, and as numbers where text writes some.
#' @param columns (list or data frame)
#' @return (list) `forms` (list of lists, by column) and `joint` (function of
#'   names: one code for these columns together).
#' @noRd
published_forms <- function(columns) {
  # Unclassed first: no method is asked
  plain <- lapply(as.list(columns), comparable_values)
  all <- NULL
  joint <- function(names) {
    pattern_code(unname(plain[names]), length(plain[[1]]))
  }
  list(
    forms = lapply(plain, function(x) {
      c(list(x), Filter(Negate(is.null), list(numbers_in(x))))
    }),
    joint = function(some) {
      if (!setequal(some, names(plain))) {
        return(joint(some))
      }
      if (is.null(all)) all <<- joint(some)
      all
    }
  )
}

#' What published columns tell of a protected one
#'
#' A column is copied if each of its values goes with one protected value, and
#' either each protected value with one of its own, or both rise or fall
#' together without exception. A recoding, another unit, ranks, or a finer
#' version is a copy; classes of several protected values are none. `share`:
#' see share_told().
#'
#' @param published (list) See published_forms().
#' @param y (vector) The protected values, or their classes as numbers.
#' @param n (double) How many records each stands for.
#' @param class_of (function) From a column's numbers or text to values of `y`.
#' @return (list) `copied` (character): columns; `near` (list): the `columns`
#'   that tell it nearly, one by one or all of them together, and the `share`.
#' @noRd
told_beside <- function(published, y, n = rep(1, length(y)),
                        class_of = identity) {
  y_code <- place_codes(y)
  names <- names(published$forms)
  if (length(names) == 0 || max(0, y_code) < 2 ||
    sum(n[y_code != commonest_code(y_code, n)]) < told_least) {
    return(list(copied = character(), near = no_near))
  }
  found <- lapply(published$forms, function(forms) {
    figures <- lapply(forms, told_by, y, y_code, n, class_of)
    list(
      copied = any(vapply(figures, `[[`, NA, "copied")),
      share = max(vapply(figures, `[[`, 1, "share"))
    )
  })
  share <- vapply(found, `[[`, 1, "share")
  near <- share > told_share
  list(
    copied = names[vapply(found, `[[`, NA, "copied")],
    near = if (any(near)) {
      list(columns = names[near], share = max(share))
    } else {
      told_together(published, y_code, n)
    }
  )
}

no_near <- list(columns = character(), share = 0)

#' What a column tells; most are told apart by some of the records
#' @noRd
told_by <- function(x, y, y_code, n, class_of) {
  some <- spaced_rows(length(y), 2000)
  if (length(some) < length(y)) {
    # What holds of all shows in some, if their values are met again
    first <- figures_of(x[some], y[some], y_code[some], n[some], class_of)
    met_again <- first$known || length(unique(x)) > 0.75 * length(x)
    if (!first$one_each_in_order && first$share < told_share / 2 && met_again) {
      return(first)
    }
  }
  figures_of(x, y, y_code, n, class_of)
}

#' @return (list) `copied`, `share`; `one_each_in_order` (flag: may it be a
#'   copy?) and `known` (see share_told()).
#' @noRd
figures_of <- function(x, y, y_code, n, class_of) {
  pair <- pair_counts(place_codes(x), y_code, n)
  n_x <- length(unique(pair$x))
  n_y <- length(unique(pair$y))
  one_each <- n_x > 1 && n_y > 1 && nrow(pair) == n_x
  # Pairs are in the order of the column
  in_order <- one_each && (!is.unsorted(pair$y) || !is.unsorted(-pair$y))
  told <- share_told(pair)
  recoded <- one_each && n_y == n_x && told$known
  follows <- in_order && n_y >= told_values
  same <- share_same(x, y, y_code, n, class_of)
  list(
    one_each_in_order = in_order || recoded, known = told$known,
    copied = recoded || follows,
    share = if (follows) 1 else max(told$share, same)
  )
}

#' How many records each pair of values has
#' @return (data frame) `x`, `y`, `n`, sorted by `x` and `y`.
#' @noRd
pair_counts <- function(x, y, n) {
  size <- max(y)
  key <- (x - 1) * as.double(size) + y
  code <- place_codes(key)
  met <- key[match(seq_len(max(code)), code)] - 1
  data.frame(
    x = met %/% size + 1, y = met %% size + 1,
    n = count_codes(code, n)
  )
}

count_codes <- function(code, n) {
  size <- max(code)
  if (all(n == 1)) tabulate(code, size) else sums_by_code(n, code, size)
}

#' The share of records whose value follows from other records
#'
#' A record's value follows if it is the most common one of the others with its
#' published value. Not counted are records that have the most common value of
#' all as their own and as what would follow, and those whose published value
#' nobody else has.
#' @param pair (data frame) See pair_counts().
#' @return (list) `share` (0 where too few can be counted: fewer than ten, or
#'   than half) and `known` (flag: are there enough?).
#' @noRd
share_told <- function(pair) {
  pair <- pair[order(pair$x, -pair$n, method = "radix"), ]
  first <- !duplicated(pair$x)
  size <- count_codes(cumsum(first), pair$n)[cumsum(first)]
  # The next most of the same published value
  others <- c(ifelse(first[-1], 0, pair$n[-1]), 0)
  told <- first & pair$n > 1 & pair$n - 1 >= others
  common <- commonest_code(pair$y, pair$n)
  rare <- pair$y != common
  counted <- size > 1 & (rare | pair$y[first][cumsum(first)] != common)
  all <- sum(pair$n[counted])
  known <- all >= max(told_least, sum(pair$n[rare]) / 2)
  list(
    known = known, share = if (known) sum(pair$n[counted & told]) / all else 0
  )
}

#' The share of records whose published value is the protected one, nearly
#'
#' Of those where one of both is not the most common protected value.
#' @noRd
share_same <- function(x, y, y_code, n, class_of) {
  x <- class_of(x)
  if (is.numeric(x) != is.numeric(y)) {
    return(0)
  }
  # A number that is rounded, or has a little noise, tells as much: within the
  # width of a class, see public_classes()
  near <- 0
  if (is.numeric(y)) {
    # The interquartile range of all but the most common value
    kept <- which(is.finite(y) & y_code != commonest_code(y_code, n))
    kept <- kept[order(y[kept])]
    share <- cumsum(n[kept]) / max(1, sum(n[kept]))
    at <- vapply(c(0.25, 0.75), function(p) match(TRUE, share >= p), 1L)
    # Of numbers too far apart to be subtracted none is near
    if (!anyNA(at)) near <- 0.01 * diff(y[kept[at]]) / 1.349
    if (!is.finite(near)) near <- 0
  }
  known <- !is.na(x) & !is.na(y)
  same <- known & if (near > 0) abs(x - y) <= near else x == y
  known <- known & is.finite(x) & is.finite(y)
  if (near > 0 && sum(known) >= told_values && stats::IQR(x[known]) > 0) {
    # In another unit, or shifted: near the line that most of them lie on
    line <- stats::coef(stats::line(x[known], y[known]))
    same <- same | (abs(y - line[1] - line[2] * x) <= near) %in% TRUE
  }
  common <- y[match(commonest_code(y_code, n), y_code)]
  counted <- !same | !(y %in% common)
  all <- sum(n[counted])
  if (all >= told_least) sum(n[counted & same]) / all else 0
}

#' What all columns tell together
#' @param y (integer) Codes.
#' @return (list) `columns` (those that are needed) and `share`.
#' @noRd
told_together <- function(published, y, n) {
  share <- function(names) {
    share_told(pair_counts(published$joint(names), y, n))$share
  }
  names <- names(published$forms)
  if (length(names) < 2 || share(names) <= told_share) {
    return(no_near)
  }
  for (name in names) {
    if (share(setdiff(names, name)) > told_share) names <- setdiff(names, name)
  }
  list(columns = names, share = share(names))
}

#' Equal values get equal codes, in the order of the values
#' @noRd
place_codes <- function(x) {
  sorted <- order(x, method = "radix", na.last = TRUE)
  known <- sum(!is.na(x))
  values <- x[sorted[seq_len(known)]]
  code <- integer(length(x))
  code[sorted[seq_len(known)]] <-
    cumsum(c(known > 0, values[-1] != values[-known])[seq_len(known)])
  code[is.na(x)] <- max(0L, code) + 1L
  code
}

commonest_code <- function(code, n) which.max(count_codes(code, n))

#' Numbers or text in the order that a column has
#' @noRd
comparable_values <- function(x) {
  # Their methods are in a package that may be absent
  if (inherits(x, "haven_labelled")) x <- plain_column(x)
  if (is.ordered(x)) {
    # The order of levels, and the text if it writes numbers
    levels <- text_numbers(as_text(levels(x)))
    if (is.null(levels)) as.integer(x) else levels[as.integer(x)]
  } else if (is.raw(x)) {
    as.integer(x)
  } else if (is.numeric(x) || is.logical(x) ||
    is_time(x) || inherits(x, "difftime")) {
    # Computed numbers differ in their last digits
    signif(as.double(x), 12)
  } else {
    as_text(as.character(x))
  }
}

#' The numbers that text writes, such as amounts with a currency
#' @return (numeric) `NULL` if some values write none, or two the same.
#' @noRd
numbers_in <- function(x) {
  met <- if (is.character(x)) unique(x[!is.na(x)])
  numbers <- if (length(met) > 0) text_numbers(met)
  # What two texts share does not stand for either
  if (anyDuplicated(numbers) == 0 && !is.null(numbers)) numbers[match(x, met)]
}

text_numbers <- function(values) {
  numbers <- suppressWarnings(as.numeric(values))
  if (anyNA(numbers)) {
    if (!all(grepl("[0-9]", values))) {
      return(NULL)
    }
    # A comma before the last digits is the decimals'
    comma <- any(grepl(",[0-9]{1,2}([^0-9]|$)", values))
    digits <- gsub(if (comma) "[^0-9,]" else "[^0-9.]", "", values)
    digits <- sub(",", ".", digits, fixed = TRUE)
    numbers <- suppressWarnings(as.numeric(digits))
    below <- grepl("^[^0-9.,]*-[^0-9.,]*[0-9.,]", values)
    numbers <- ifelse(below, -numbers, numbers)
  }
  if (length(numbers) > 0 && !anyNA(numbers)) numbers
}

# Verbs ------------------------------------------------------------------------

#' Refuse copies of a protected column among published ones
#' @param beside (list) See told_beside().
#' @param name (string or `NULL`) The protected column.
#' @noRd
refuse_copied <- function(beside, name = NULL, arg = NULL) {
  told <- beside$copied
  refuse_if(
    length(told) > 0,
    "A published column must not be a copy of a protected one.",
    x = "{.val {told}} {cli::qty(length(told))}{?has/have} the values of {
         if (is.null(name)) 'the response' else dQuote(name, FALSE)}, in {
         cli::qty(length(told))}{?its/their} own coding or unit.",
    i = "Leave {cli::qty(length(told))}{?it/them} out.", arg = arg,
    abort = abort_privacy, class = "pseudosynth_error_copied_response"
  )
}

#' Refuse copies of the response, and look at nothing else
#' @param y The confidential response.
#' @param columns (list or data frame) What is published beside it.
#' @noRd
check_not_copied <- function(y, columns) {
  refuse_copied(told_beside(published_forms(columns), comparable_values(y)))
  invisible(columns)
}

#' Refuse a design that the response came into through a formula's function
#' @param spec As the core sees it.
#' @noRd
check_design_not_copied <- function(spec, design) {
  check_not_copied(spec$y, computed_terms(spec, design))
}

#' Columns of a design that are computed, and the offset
#'
#' Those that are variables of the file are left out: they are checked as they
#' stand there.
#' @return (named list of integer or double)
#' @noRd
computed_terms <- function(spec, design) {
  computed <- function(x, terms) {
    which <- which(!terms %in% design$variables)
    stats::setNames(lapply(which, function(j) {
      if (is.raw(x)) as.integer(x[, j]) else x[, j]
    }), terms[which])
  }
  c(
    computed(spec$codes, design$factors$variable),
    computed(spec$numeric, c(design$vectors, design$dense)),
    if (!is.null(spec$offset)) list(offset = spec$offset)
  )
}

#' Say at the fit what release() will refuse
#' @param beside (list) See told_beside().
#' @noRd
tell_near <- function(beside) {
  told <- beside$near$columns
  if (length(told) > 0) {
    tell_of(
      c("near_copy", "published"),
      "!" = "Published columns nearly determine the response: {.val {told}}
             {cli::qty(length(told))}{?tells/tell}
             {format_near_share(beside$near$share)} of its values.",
      i = "Leave {cli::qty(length(told))}{?it/one of them} out. {.fn release}
           refuses {?it/them} unless {.arg public} names {?it/them all};
           {.fn synthesize} refuses a copy."
    )
  }
}

#' Never rounded up to all
#' @noRd
format_near_share <- function(share) format_share(floor(1000 * share) / 1000)
