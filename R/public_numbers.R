# Stated numbers must be public: known without the file. One rule, for every
# verb that takes one and for every source: a number of more than three
# significant digits that is a value of the column, or a statistic that people
# compute, is refused unless it is confirmed. The rule reads the file unpaid, so
# it stays coarse and comes first. What it cannot know is in ?guarantee.

# The shares at which people cut a file; the extremes are told without
usual_shares <- c(
  0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99
)

#' Which stated numbers are a column's own?
#'
#' Those of more than `digits` significant digits that equal a value, or, as
#' far as their own digits go, the mean, the sum, the standard deviation, the
#' median, an extreme or a usual quantile (by any usual definition).
#' @param numbers (numeric or `Date`) As stated.
#' @param column The values, see over_chunks(); what is no number is compared
#'   with none.
#' @param digits (count) With 0 every number is looked at.
#' @return (logical) For each of `numbers`.
#' @noRd
coincides <- function(numbers, column, digits = 3) {
  told <- rep(FALSE, length(numbers))
  long <- is_long(numbers, digits)
  if (any(long)) {
    told[long] <- are_told(rounding_ends(numbers[long]), facts_of(column))
  }
  told
}

#' Has a number more significant digits than people remember?
#'
#' @noRd
is_long <- function(x, digits = 3) UseMethod("is_long")

is_long.default <- function(x, digits = 3) {
  x <- as.double(x)
  if (digits == 0) {
    return(is.finite(x))
  }
  is.finite(x) & abs(x - signif(x, digits)) > 1e-9 * abs(x)
}

#' Stated numbers with the ends between which they round to themselves
#'
#' A millionth at least: what R prints has seven digits.
#' @return (data frame) `number`, `from`, `to`.
#' @noRd
rounding_ends <- function(x) {
  moment <- inherits(x, "POSIXct")
  x <- as.double(x)
  half <- vapply(x, function(x) {
    digits <- Find(function(digits) !is_long(x, digits), 1:15) %||% 15
    0.5 * 10^(floor(log10(abs(x))) + 1 - digits)
  }, 1)
  half[x == 0] <- 0
  # Short numbers as if they had four digits
  half <- pmin(pmax(half, 5e-7 * abs(x)), 5e-4 * abs(x))
  # Since 1970 that would be a quarter of an hour
  if (moment) half[] <- 0.5
  data.frame(number = x, from = x - half, to = x + half)
}

#' @param stated (data frame) See rounding_ends().
#' @param facts (list) See facts_of().
#' @return (logical)
#' @noRd
are_told <- function(stated, facts) {
  n <- facts$n
  if (n < 2 || nrow(stated) == 0) {
    return(rep(FALSE, nrow(stated)))
  }
  found <- facts$counts(stated)
  inside <- n - found$below - found$above
  told <- found$equal > 0 |
    inside > 0 & (found$below == 0 | found$above == 0)
  for (value in c(facts$mean, n * facts$mean, facts$sd)) {
    told <- told | (value >= stated$from & value <= stated$to)
  }
  places <- quantile_places(n)
  vapply(seq_along(told), function(i) {
    told[i] || if (inside[i] > 0) {
      any(floor(places) >= found$below[i] & ceiling(places) <= n -
        found$above[i] + 1)
    } else {
      # In a gap between two records: where in it do the quantiles lie?
      at <- places[floor(places) == found$below[i]]
      length(at) > 0 && facts$between(stated[i, ], unique(at %% 1))
    }
  }, NA)
}

#' Places of the usual quantiles among n sorted values, by all usual definitions
#' @return (double) From 1 to n; half way is the mean of two values.
#' @noRd
quantile_places <- function(n) {
  p <- usual_shares
  places <- c(
    n * p, n * p + 0.5, (n + 1) * p, 1 + (n - 1) * p, (n + 1 / 3) * p + 1 / 3,
    (n + 1 / 4) * p + 3 / 8
  )
  # 0.07 * 100 is no whole number
  places <- unique(round(places, 9))
  places[places >= 1 & places < n]
}

#' What the rule asks of a column; nothing is sorted before it asks
#'
#' A table says the same, see facts_of_parts().
#' @param y (vector, or chunks of it) See over_chunks(); chunks are read for
#'   each question.
#' @param count (double or `NULL`) How many records each value stands for.
#' @return (list) `n`, `mean`, `sd`; `finer(digits)`: the share of records whose
#'   value has more decimals; `counts(stated)`: how many records lie
#'   `below` and `above` the ends, and how many `equal` the number;
#'   `between(stated, parts)`: does one of the points so far between the next
#'   smaller and the next larger record lie between the ends?
#' @noRd
facts_of <- function(y, count = NULL) {
  of <- function(f, ...) {
    over_chunks(y, function(y) {
      y <- if (is.numeric(y) || is_time(y)) as.double(y) else double()
      good <- is.finite(y)
      f(y[good], (count %||% rep(1, length(y)))[good])
    }, ...)
  }
  n <- of(function(y, count) sum(count))
  mean <- of(function(y, count) sum(count / n * y))
  square <- of(function(y, count) sum(count * (y - mean)^2))
  list(
    n = n, mean = mean, sd = sqrt(square / max(1, n - 1)),
    finer = function(digits) {
      of(function(y, count) {
        y <- y * 10^digits
        # Of the largest numbers there are no decimals
        sum(count * (abs(y - round(y)) > 1e-6), na.rm = TRUE)
      }) / n
    },
    counts = function(stated) {
      same <- 1e-9 * abs(stated$number)
      as.data.frame(of(function(y, count) {
        sorted <- order(y)
        y <- y[sorted]
        upto <- c(0, cumsum(count[sorted]))
        below <- function(x) upto[findInterval(x, y, left.open = TRUE) + 1]
        to <- function(x) upto[findInterval(x, y) + 1]
        list(
          below = below(stated$from), above = sum(count) - to(stated$to),
          equal = to(stated$number + same) - below(stated$number - same)
        )
      }))
    },
    between = function(stated, parts) {
      x <- stated$number
      below <- of(function(y, count) max(-Inf, y[y <= x]), max)
      above <- of(function(y, count) min(Inf, y[y > x]), min)
      point <- below + parts * (above - below)
      any(point >= stated$from & point <= stated$to)
    }
  )
}

# Refusals ---------------------------------------------------------------------

#' Refuse what was stated as public and was not
#' @param what (string) What was stated, in cli's markup.
#' @param ... See abort_of().
#' @noRd
refuse_private <- function(wrong, what, ..., .envir = rlang::caller_env()) {
  refuse_privacy(
    wrong, paste(what, "must be public: known without the file."), ...,
    .envir = .envir,
    class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
  )
}

#' Refuse numbers of one argument that are a column's own
#'
#' @param numbers (numeric, `Date` or `NULL`) As stated.
#' @param told (function of some of them) Which are? See coincides().
#' @param confirmed (numeric or `NULL`)
#' @param column (string) Its name.
#' @param confirm (string) The line by which they are confirmed.
#' @noRd
refuse_coincidence <- function(numbers, told, confirmed, column, arg,
                               what = sprintf("{.arg %s}", arg),
                               confirm = confirm_line, rows = NULL) {
  # What is no number is refused where it is read
  if (!is.numeric(numbers) && !is_time(numbers)) {
    return(invisible())
  }
  asked <- numbers[is_long(numbers) & !is_confirmed(numbers, confirmed)]
  own <- if (length(asked) > 0) sum(told(asked)) else 0
  refuse_private(
    own > 0, what,
    x = "{own} number{?s} of more than three significant digits
         {?is a value/are values} of {.val {column}}, or its mean, sum, standard
         deviation or median, an extreme or a usual quantile.",
    i = "State what is known without this file. Up to three significant digits
         always pass.",
    i = "If such a number is public all the same, confirm it:
         {.code {confirm}}.", arg = arg, rows = rows
  )
}

confirm_line <- "response = public_response(confirmed = c(...))"

#' @return (logical) For each number: is it among those that were confirmed?
#' @noRd
is_confirmed <- function(numbers, confirmed) {
  x <- as.double(numbers)
  if (is.character(confirmed)) {
    confirmed <- if (is_time(numbers)) {
      time_number(confirmed, numbers)
    } else {
      suppressWarnings(as.double(confirmed))
    }
  }
  confirmed <- as.double(confirmed)
  confirmed <- confirmed[is.finite(confirmed)]
  vapply(x, function(x) any(abs(x - confirmed) <= 1e-6 * abs(x)), NA)
}

#' What a label says of confirmed numbers
#' @return (named string or `NULL`)
#' @noRd
confirmed_text <- function(confirmed) {
  if (length(confirmed) == 0) {
    return(NULL)
  }
  shown <- as.character(confirmed)
  if (is.numeric(confirmed)) shown <- vapply(confirmed, format_exact, "")
  c(confirmed = paste(
    toString(shown), "as public, although the file may have the same numbers"
  ))
}

# Of a response ----------------------------------------------------------------

#' Refuse stated numbers that are the response's
#'
#' A number on the modelled scale passes if it is round in the response's own
#' unit, such as log(60000), and is compared there, too.
#' @param stated (list) `own` and `modelled`: numbers on either scale, named by
#'   the arguments that they are of.
#' @param facts (function of the scale, `"own"`, `"modelled"` or `"whole"`, the
#'   modelled one of values that are not cut at bounds) See facts_of().
#' @noRd
check_stated_numbers <- function(stated, response, facts) {
  check <- function(numbers, arg, told) {
    what <- sprintf("{.arg %s}", arg)
    if (arg == "formula") what <- paste("A number in", what)
    refuse_coincidence(
      numbers, told, response$confirmed, response$name, arg, what
    )
  }
  stated <- lapply(stated, function(by) Filter(Negate(is.null), by))
  for (arg in names(stated$own)) {
    check(stated$own[[arg]], arg, function(x) {
      are_told(rounding_ends(x), facts("own"))
    })
  }
  for (arg in names(stated$modelled)) {
    unit <- natural_unit(response)
    numbers <- stated$modelled[[arg]]
    natural <- suppressWarnings(unit$of(numbers))
    round <- is.finite(natural) & !is_long(natural)
    check(numbers[!round], arg, function(x) {
      x <- rounding_ends(x)
      own <- as.data.frame(lapply(x, function(x) suppressWarnings(unit$of(x))))
      known <- is.finite(rowSums(own))
      # As the file has the values, and cut and rounded as stated
      told <- are_told(x, facts("modelled")) | are_told(x, facts("whole"))
      # A mean that was rounded in the response's own unit is it, too
      each <- list(own[known, ], rounding_ends(signif(own$number[known], 12)))
      for (own in each) {
        told[known] <- told[known] | are_told(own, facts(unit$scale))
      }
      told
    })
  }
}

#' The unit in which people know what a model has on its scale
#' @return (list) `of` (increasing function), and the `scale` of the response
#'   that has this unit.
#' @noRd
natural_unit <- function(response) {
  if (response$kind == "count") {
    list(of = exp, scale = "own")
  } else if (is.null(response$bounds) && !has_labels(response)) {
    list(of = function(z) own_unit(response, z), scale = "own")
  } else {
    list(of = stats::plogis, scale = "modelled")
  }
}

#' What check_stated_numbers() asks, of records in memory
#' @return (function)
#' @noRd
facts_of_records <- function(response, data) {
  kept <- list()
  function(scale) {
    if (is.null(kept[[scale]])) {
      y <- as_number(data[[response$name]], response$levels)
      kept[[scale]] <<- facts_of(switch(scale,
        own = y, modelled = record_values(response, data),
        whole = suppressWarnings(response_forward(response, y))
      ))
    }
    kept[[scale]]
  }
}

#' Refuse stated ends that are the response's
#' @param y The confidential values, `NULL` where there are none.
#' @noRd
check_public_ends <- function(ends, y, arg, response) {
  check_stated_numbers(
    list(own = stats::setNames(list(ends), arg)), response,
    function(scale) facts_of(y)
  )
}

#' Refuse a reference or a prior that is the file's own
#' @param reference (`censor_reference` or `NULL`)
#' @param prior (`synth_prior` or `NULL`) As the user stated it.
#' @param model (list) See new_model().
#' @noRd
check_public_centre <- function(reference, prior, model) {
  check_stated_numbers(
    list(modelled = stated_centres(reference, prior, model$family)),
    model$response, facts_of_records(model$response, model$data)
  )
}

#' The numbers of a reference and a prior that a user states, by argument
#' @noRd
stated_centres <- function(reference, prior, family) {
  if (is_categorical(family)) {
    return(list())
  }
  public <- identical(reference$origin, "public")
  list(
    reference = if (public) as.double(unlist(reference$values)),
    prior = if (!is.null(prior)) {
      as.double(unlist(unclass(plain_prior(prior))[-1]))
    }
  )
}

#' The numbers that a formula computes with, written out or named
#'
#' With either sign: in code it stands apart.
#' @param columns (character) Of the file.
#' @return (double)
#' @noRd
formula_numbers <- function(formula, columns) {
  named <- lapply(setdiff(all.vars(formula), columns), function(name) {
    value <- get0(name, envir = environment(formula))
    if (is_public_number(value)) c(-1, 1) * as.double(value)
  })
  c(numbers_in_code(formula), as.double(unlist(named)))
}

#' The numbers in code, with either sign
#' @noRd
numbers_in_code <- function(code) {
  found <- list()
  walk_code(code, function(part) {
    if (is.numeric(part)) {
      found <<- c(found, list(c(-1, 1) * as.double(part)))
      NULL
    } else if (is.call(part)) {
      arguments_of(part)
    }
  })
  as.double(unlist(found))
}

# Of other columns -------------------------------------------------------------

#' Refuse scalings that are a predictor's own
#' @param frame (data frame) The variables of the terms.
#' @param count (double or `NULL`) How many records each row stands for.
#' @noRd
check_public_scaling <- function(scaling, frame, count, confirmed) {
  for (name in names(scaling)) {
    refuse_coincidence(scaling[[name]], function(x) {
      are_told(rounding_ends(x), facts_of(frame[[name]], count))
    }, confirmed, name, "scaling")
  }
}

#' Refuse a divisor of survey weights that is the file's own
#'
#' Weights with a mean or a sum of 1, or of the divisor, were divided by the
#' file's own mean or sum before: whatever divides them now does not undo that.
#' The divisor may be a round number that weights of a design come near to, so
#' it is compared more closely than 1 is.
#' @param survey (list or `NULL`) See new_survey().
#' @noRd
check_public_divisor <- function(survey, weights, confirmed) {
  if (is.null(survey) || !survey$stated) {
    return(invisible())
  }
  refuse_coincidence(
    survey$scale, function(x) coincides(x, weights), confirmed, survey$column,
    "survey_weights"
  )
  check_own_weights(
    weights, survey$column, confirmed, survey$scale, confirm_line
  )
}

#' Refuse survey weights that were divided by the file's own number
#' @param scale (number) The divisor: what confirms them.
#' @noRd
check_own_weights <- function(weights, column, confirmed, scale = 1,
                              confirm = "file_plan(confirmed = 1)") {
  refuse_own_scale(
    normalised_by(facts_of(weights), scale), "{.arg survey_weights}", column,
    scale, confirmed, confirm, arg = "survey_weights"
  )
}

#' Refuse a protected column that was divided, or scaled, by the file's own
#' numbers: one record would move the values of all
#'
#' Only where it is so to the last digit: else it may be so by chance.
#' @param facts (list) See facts_of().
#' @param digits (count or `NA`) How many decimals the values were rounded to.
#' @noRd
check_own_scale <- function(facts, digits, confirmed, column,
                            confirm = confirm_line) {
  n <- facts$n
  step <- if (is.finite(digits)) 10^-digits else 0
  # Of a wider step one column in a thousand would have such a mean by chance
  if (n < 10 || facts$sd < 2000 * step || facts$finer(2) < 0.5) {
    return(invisible())
  }
  # Rounding moves a mean as it moves sums of n values
  near <- min(1e-12 * (abs(facts$mean) + facts$sd), 1e-9) + 2 * step / sqrt(n)
  found <- c(
    "a mean of 0" = abs(facts$mean) < near,
    "a mean of 1" = abs(facts$mean - 1) < near,
    "a sum of 1" = abs(facts$mean - 1 / n) < near,
    "a standard deviation of 1" = abs(facts$sd - 1) < max(near, 1e-9)
  )
  # What several records have is a value of its own. A largest value of 1 is not
  # asked for: shares have it, too
  is <- places_of(facts, 1, 1e-11)
  found <- c(found, "a median of 1" = is$median && is$equal < 2)
  refuse_own_scale(
    if (any(found)) paste(names(found)[found], collapse = " and "),
    sprintf("The scale of {.val %s}", cli_escape(column)), column, 1, confirmed,
    confirm
  )
}

#' The decimals that are stated of a response: read ones are the file's
#' @noRd
stated_digits <- function(response) {
  if ("digits" %in% response$stated) response$digits else NA
}

#' Is a number the median, or the largest value, of a column of many digits?
#'
#' Of few digits 1 is common.
#' @return (list of flags) `median`, `largest`; `equal` (count).
#' @noRd
places_of <- function(facts, number, near) {
  # Where it is not asked nothing is sorted
  if (facts$finer(5) <= 0.5) {
    return(list(median = FALSE, largest = FALSE, equal = 0))
  }
  stated <- data.frame(
    number, from = number * (1 - near), to = number * (1 + near)
  )
  found <- facts$counts(stated)
  half <- facts$n / 2
  equal <- facts$n - found$below - found$above
  half_way <- found$below == half && found$above == half
  list(
    median = max(found$below, found$above) < half ||
      half_way && facts$between(stated, 0.5),
    largest = equal > 0 && found$above == 0, equal = equal
  )
}

#' @param own (string or `NULL`, nothing) What the column has.
#' @param scale (number) What confirms that it is by public numbers.
#' @noRd
refuse_own_scale <- function(own, what, column, scale, confirmed, confirm,
                             arg = NULL) {
  refuse_private(
    length(own) > 0 && !any(is_confirmed(scale, confirmed)), what,
    x = "{.val {column}} has {own}, as if it had been divided or scaled by a
         number of the file: one record would move the values of all.",
    i = "Give the values as they were measured, or as the design has them.",
    i = "If they were scaled by public numbers alone, say so:
         {.code {confirm}}.", arg = arg
  )
}

#' What weights have that were divided by the file's own mean, sum or the like
#'
#' One record then moves the values of all.
#' @param facts (list) See facts_of().
#' @param scale (number) What they are divided by afterwards.
#' @return (string or `NULL`)
#' @noRd
normalised_by <- function(facts, scale = 1) {
  # Weights of 1 are those of no design
  if (!isTRUE(facts$sd > 1e-12 * facts$mean)) {
    return(NULL)
  }
  own <- c(mean = facts$mean, sum = facts$n * facts$mean)
  is_near <- function(number, near) {
    is <- places_of(facts, number, 1e-5 * near)
    c(
      abs(own / number - 1) < near, median = is$median,
      "largest value" = is$largest
    )
  }
  one <- is_near(1, 1e-4)
  found <- which(one | is_near(scale, 1e-6))
  if (length(found) > 0) {
    sprintf(
      "a %s of %s", names(one)[found[1]],
      if (one[found[1]]) "1" else "the divisor"
    )
  }
}
