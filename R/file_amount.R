# One amount of a file release: a score release whose predictors are protected,
# too. A record's vector then has the record's OWN weight, computed from its
# predictors under a geometry that comes from a synthetic set, so that no record
# can pull harder than kappa, whatever its predictors are. The reference comes
# from the noisy margin, which is released first.

# Bins of the margin, at most; an amount of no more than so many values has a
# bin for each. Of others a first look in public bins shows where the values
# are: most bins of the margin are placed there
amount_bins <- 96
most_own_bins <- 128
grown_bins <- 160

# Of a margin's mu squared, for the first look; of its bins, those that follow
# it, the others stay where the public ones are
share_of_look <- 0.2
following_look <- 0.65

# The error of cumulative shares, about that of a prefix sum in the first look,
# with which this shows nothing
blurred_look <- 0.25

# A count's whole units: the noise of a small share of a small budget must not
# be too wide to be drawn
amount_unit <- 2^18

#' All that is public of an amount
#'
#' @param spec (list) Its row of the codebook, see column_specs().
#' @return (list) `name`, `type`, `family`, `transform`, `unit` (0: any values),
#'   `all_parts` (see amount_parts()), `parts` (those with values), `part`
#'   (their numbers among all), `breaks` (modelled scale: of the margin, or of
#'   the first look at it), `planned_bins` (named counts: of `look`, if there is
#'   one, and of `margin`, at most).
#' @noRd
amount_model <- function(spec) {
  parts <- amount_parts(spec)
  part <- which(parts$valued)
  family <- as_synth_family(spec$family, arg = "family")
  amount <- list(
    name = spec$column, type = spec$type, family = family,
    transform = spec$transform, unit = spec$kind$unit(spec),
    parts = parts[part, ], part = part, all_parts = parts
  )
  # Has each value that there may be a bin of its own?
  span <- diff(range(modelled_ends(amount)))
  step <- if (amount$transform == "identity") amount$unit else 0
  amount$own_bins <- span == 0 || step > 0 && span / step < most_own_bins
  amount$breaks <- amount_breaks(amount)
  bins <- length(amount$breaks) - 1
  amount$planned_bins <- if (amount$own_bins) {
    c(margin = bins)
  } else {
    c(look = bins, margin = grown_bins)
  }
  amount
}

#' Values on the modelled scale; under a logarithm without their sign
#' @noRd
to_modelled <- function(amount, values) {
  if (amount$transform == "log") values <- abs(values)
  response_transforms[[amount$transform]]$forward(values)
}

#' The smallest and the largest value of a part, on the modelled scale
#'
#' Nobody means the smallest number that a computer holds: below a hundred
#' millionth of the largest value a logarithm counts as that.
#' @return (matrix, a row for each part)
#' @noRd
modelled_ends <- function(amount) {
  low <- amount$parts$low
  high <- amount$parts$high
  if (amount$transform == "log") {
    size <- cbind(pmin(abs(low), abs(high)), pmax(abs(low), abs(high)))
    size[, 1] <- pmax(size[, 1], 1e-8 * size[, 2])
    return(log(size))
  }
  forward <- response_transforms[[amount$transform]]$forward
  matrix(forward(c(low, high)), ncol = 2)
}

#' Public breaks of an amount's margin
#'
#' Equally wide on the modelled scale. Values as they are may be of any order of
#' magnitude: half of their breaks are equally wide along asinh, and those of
#' counts along log(1 + y). All lie between the values that there are, and each
#' of few values has a bin.
#' @noRd
amount_breaks <- function(amount, bins = amount_bins) {
  ends <- range(modelled_ends(amount))
  if (amount$family$kind == "count") {
    ends <- whole_ends(ends)
    if (amount$own_bins) {
      return(seq(ends[1] - 0.5, ends[2] + 0.5))
    }
    at <- log1p(ends[1] - 0.5 + 1e-9)
    breaks <- seq(at, log1p(ends[2] + 0.5), length.out = bins + 1)
    breaks <- floor(expm1(breaks)) + 0.5
    ends <- ends + c(-0.5, 0.5)
    inner <- breaks[breaks > ends[1] & breaks < ends[2]]
    return(unique(c(ends[1], inner, ends[2])))
  }
  even <- function(ends, n) seq(ends[1], ends[2], length.out = n + 1)
  step <- amount$unit
  inner <- if (diff(ends) > 0 && amount$own_bins) {
    step * (seq(round(ends[1] / step), round(ends[2] / step) - 1) + 0.5)
  } else if (amount$transform != "identity" || diff(ends) == 0) {
    even(ends, bins)
  } else {
    unit <- diff(ends) / 1e5
    c(even(ends, bins / 2), unit * sinh(even(asinh(ends / unit), bins / 2)))
  }
  kept_breaks(amount, ends, inner)
}

#' Breaks between the values that there are, and no two that are one
#' @noRd
kept_breaks <- function(amount, ends, inner) {
  inner <- between_values(amount, inner[inner > ends[1] & inner < ends[2]])
  # What differs by rounding alone is one break: no value lies between
  near <- max(1e-9 * diff(ends), 2^-48 * max(abs(ends)))
  inner <- sort(inner[inner > ends[1] + near & inner < ends[2] - near])
  inner <- inner[diff(c(-Inf, inner)) > near]
  unique(c(ends[1], inner, ends[2]))
}

#' Breaks of a margin where a first look has shown values
#'
#' Within a bin of the first look they are equally wide.
#' @param look (list) See score_margin().
#' @return (double) No more than `grown_bins` bins.
#' @noRd
grown_breaks <- function(amount, look) {
  # What is only noise in the tails shows nothing
  amount$margin <- look
  amount$margin$counts <- project_counts(look$noisy)
  counts <- falling_tails(amount$margin, amount)$counts
  seen <- c(0, cumsum(counts) / sum(counts))
  last <- length(seen)
  # The less it shows, the fewer bins there are and the fewer follow it
  error <- cumulative_error(look)
  clear <- max(0, 1 - error / max(1, sum(look$noisy)) / blurred_look)
  share <- (1 - following_look * clear) * (seq_len(last) - 1) / (last - 1) +
    following_look * clear * seen
  wanted <- function(bins) {
    at <- share[last] * seq_len(bins - 1) / bins
    inner <- stats::approx(share, look$breaks, at)$y
    kept_breaks(amount, range(look$breaks), inner)
  }
  # Where values are few many breaks are one: others take their place
  most <- round(amount_bins + (grown_bins - amount_bins) * clear)
  for (bins in ceiling(most * 1.2^(12:0))) {
    breaks <- wanted(bins)
    if (length(breaks) - 1 <= most) break
  }
  breaks
}

# What is released -------------------------------------------------------------

#' Release the margin of an amount, and its links
#'
#' @param amount (list) See amount_model().
#' @param records Of those with values `y` (double, modelled scale), see
#'   over_chunks(). Confidential.
#' @param budget (list) Of each part, see amount_budget().
#' @param n (number) Records with values, as released.
#' @param linked (function of an amount with its margin) Releases its links, see
#'   released_links(). `NULL`: no amount has links.
#' @return (list) `amount` with `margin`; `look`, its first look, or `NULL`;
#'   `ranks`, see ranked_margin(); `links`, or `NULL`.
#' @noRd
release_margin <- function(amount, records, budget, n, what, seed, linked) {
  counted <- function(breaks, part) {
    amount_margin(
      records, breaks, budget[[part]], n, stage_seed(seed, part), what,
      parts_of(amount)
    )
  }
  breaks <- amount$breaks
  if (!is.null(budget$look)) {
    amount$look <- counted(breaks, "look")
    breaks <- grown_breaks(amount, amount$look)
  }
  amount$margin <- counted(breaks, "margin")
  # Who is many has a law of its own
  if (n > few_records_before * cumulative_error(amount$margin)) {
    amount$before <- NULL
  }
  if (!is.null(linked)) amount$ranks <- ranked_margin(amount, n)
  if (is_of_members(amount)) {
    amount$together <- linked(amount)
    amount$ranks <- NULL
  } else if (!is.null(budget$links)) {
    amount$links <- linked(amount)
  }
  amount
}

#' Release what an amount has to do with its predictors
#'
#' @param amount (list) See release_margin().
#' @param file (list) `records` with values, see over_chunks(): of each
#'   `predictors` (integer matrix of levels) and `y` (modelled scale).
#'   Confidential. `what` pays for them.
#' @param like (list) Of a synthetic set, see amount_predictors().
#' @param plan (list) `budget` (see amount_budget()) and `free` (logical: which
#'   predictors are protected).
#' @param bins (count) Of tables; `NULL`: none.
#' @param n (number) Records with values, as released.
#' @param known (list) What the block's tables tell of each predictor, see
#'   level_axes(). `NULL`: nothing.
#' @param hidden (function of coefficients) See hidden_variance().
#' @param unknown (function of records of `set` and of expected_pulls()) See
#'   unknown_sums(). `NULL`: the set is the file.
#' @return (list) Of public and released numbers only: the fields of `amount`,
#'   what noisy_response() has `told`; `file`, see file_coefficients();
#'   `levels`, `baseline`, `lined` and `curve` of the predictors (see
#'   level_lines()); `tables`, see release_amount_tables(), or `NULL`; `n`.
#' @noRd
release_amount <- function(amount, file, like, plan, bins, n, seed = NULL,
                           known = NULL, hidden = function(b) 0,
                           unknown = NULL) {
  family <- amount$family
  budget <- plan$budget
  margin <- amount$margin
  left <- if (is.null(like$left)) 1 else sqrt(mean(like$left^2))
  reference <- located_reference(amount, family, n, left)
  shape <- if (length(family$extras) > 0) reference[[2]]
  unit <- max(1, line_unit(family, if (is.null(shape)) 1 else shape))
  coding <- list(
    levels = like$levels, lined = like$lined,
    # As large as other columns: 1 is a deviation of what is left
    curve = if (!is.null(like$left)) expected_curve(amount) / unit,
    # Each predictor's most common level: others are compared with it
    baseline = vapply(seq_along(like$levels), function(j) {
      which.max(tabulate(like$codes[, j], like$levels[j]))
    }, 1L)
  )
  rows <- set_rows(like$codes, coding, n, like$share)
  b <- c(reference[[1]], numeric(ncol(rows$x) - 1))
  prior <- list(
    location = b, scale = unit * c(2.5, rep(1, length(b) - 1)),
    slopes = seq_along(b)[-1]
  )
  # What earlier amounts say is believed before it is measured, nearly
  if (!is.null(coding$curve)) {
    last <- length(b)
    b[last] <- prior$location[last] <- unit
    prior$scale[last] <- curve_scale * unit
    prior$slopes <- prior$slopes[-(last - 1)]
    prior$curve <- last
  }
  frame <- list(
    what = rep(file$what, 2), n = n, family = family, shape = shape,
    prior = prior, clip = law_of(family)$clip * line_unit(family, shape),
    coding = coding, spread = 1, rounds = 8
  )
  noisy <- noisy_response(
    file$records, rows, frame, margin, budget, b, seed, unknown, function(b) {
      hidden(unname(split(
        level_lines(b, coding)[-1], rep(seq_along(like$levels), like$levels)
      )))
    }
  )
  give_back_memory(n)
  told <- file_coefficients(noisy$found, noisy$told$steps, noisy$prior)
  released <- c(amount[setdiff(names(amount), "margin")], noisy$told, list(
    # Where nothing is told, nothing differs from the prior
    file = of_all_columns(
      told, noisy$directions, prior$location, 0 * prior$scale
    ),
    reference = list(values = reference), unit_of_curve = unit, n = n
  ), coding)
  if (is_of_members(amount)) released <- of_persons(released, rows)
  if (length(amount$part) > 1) {
    released$part_factors <- part_factors(
      released, law_shares(released, margin$breaks)
    )
  }
  released$counts <- falling_tails(margin_counts(released), released)
  released$error_df <- told_error_df(
    released, amount_line(released, like$codes)
  )
  if (!is.null(bins)) {
    released$tables <- release_amount_tables(
      released, file, like, budget$tables, bins, plan$free, known,
      stage_seed(seed, "tables")
    )
  }
  released
}

#' A margin of shares as one of persons
#'
#' Members of large households count less in it. What is known of them says how
#' much more often each bin is then: by the law of all members beside that of
#' shares.
#' @param amount (list) See release_amount().
#' @param rows (list) See set_rows().
#' @noRd
of_persons <- function(amount, rows) {
  breaks <- amount$margin$breaks
  shared <- law_shares(amount, breaks)
  line <- drop(rows$x %*% amount$draws$mean)
  amount$population$rows <-
    rows$x[typical_rows(line, rows$records), , drop = FALSE]
  turned <- law_shares(amount, breaks) / shared
  noisy <- turned * amount$margin$noisy
  turned <- turned * amount$n / max(1, sum(noisy))
  amount$margin$noisy <- turned * amount$margin$noisy
  amount$margin$turned <- turned
  amount
}

#' The margin of an amount as a measurement
#' @param parts (count) Of a record, see share_parts.
#' @noRd
margin_of_amount <- function(breaks, what = "", about = NULL, parts = 1) {
  margin_measurement(
    breaks, what, valued = FALSE, about = about,
    # A record has about as many whole units, shared or not
    unit = if (parts > 1) amount_unit / 2^6 else amount_unit, parts = parts
  )
}

#' The noisy margin of an amount, or the first look at it
#' @param n (number) What its counts sum to, as released.
#' @return (list) `breaks`, `noisy`, and the noise as paid.
#' @noRd
amount_margin <- function(records, breaks, budget, n, seed, what, parts = 1) {
  x <- paid_by(margin_of_amount(breaks, what, parts = parts), budget)
  counts <- over_chunks(records, x$counts)
  score_margin(counts, x, range(breaks), seed, n)
}

#' A noisy margin without what is only noise, by itself
#'
#' The law is that of all values: nothing else is known of them yet.
#' @param amount (list) With its `margin`.
#' @return (list) `counts` and `breaks`.
#' @noRd
ranked_margin <- function(amount, n) {
  family <- amount$family
  reference <- located_reference(amount, family, n)
  shape <- if (length(family$extras) > 0) reference[[2]]
  amount[c("draws", "population", "shape", "steps")] <- list(
    list(mean = reference[[1]]), list(rows = matrix(1)), shape,
    list(list(clip = law_of(family)$clip[2] * line_unit(family, shape)))
  )
  falling_tails(margin_counts(amount), amount)
}

#' Counts whose density falls outwards beyond the tenth at either end
#'
#' Far out a noisy count above 0 is mostly noise, and counts below 0 cannot make
#' up for it: standard deviations would be too large. Heaps are beside each
#' other, and the values between them. A bin that noise does not explain, such
#' as one of whole numbers among tenths, stays.
#' @param counts (list) `counts` and `breaks`.
#' @param amount (list) See part_groups().
#' @param noisy (double) The margin's counts.
#' @param errors (double) Of the noise in these.
#' @param kind (character) Of each count, see open_kinds().
#' @noRd
falling_tails <- function(
    counts, amount, noisy = amount$margin$noisy,
    errors = sqrt(diag(solve(margin_precision(amount$margin)))),
    kind = open_kinds(amount)[bins_of_counts(counts, amount)]) {
  width <- diff(counts$breaks)
  fallen <- width * falling_outwards(
    counts$counts / width, width, bins_of_counts(counts, amount),
    cumsum(counts$counts) / sum(counts$counts), noisy, errors, kind
  )
  counts$counts <- fallen * sum(counts$counts) / sum(fallen)
  counts
}

# In errors of a cumulative count: how many records of the member, or wave,
# before are added, and up to how many own ones noise tells more than they do
records_before <- 4
few_records_before <- 6

#' About the error of a cumulative count
#' @noRd
cumulative_error <- function(margin) {
  unit <- margin$unit * (margin$parts %||% 1)
  margin$deviation / unit * sqrt(1 + log(length(margin$noisy)) / pi)
}

#' Where the margin lies: the intercept and the shape that scores start from
#'
#' Of few records noise tells more than they do: some records of the member, or
#' wave, before are added.
#' @param amount (list) With its `margin`, and `before` (list of `counts` and
#'   `breaks`), or `NULL`.
#' @param left (number) The share of a standard deviation that errors have.
#' @return (named list) `(Intercept)`, and the shape that the family has.
#' @noRd
located_reference <- function(amount, family, n, left = 1) {
  margin <- amount$margin
  if (!is.null(amount$before)) {
    share <- counts_between(amount$before, margin$breaks)
    margin$noisy <- margin$noisy +
      records_before * cumulative_error(margin) * share / sum(share)
  }
  below <- clamp(cummax(cumsum(margin$noisy)), 0, n)
  ends <- margin$breaks
  at <- function(p) {
    stats::approx(
      c(0, below) / max(below[length(below)], 1e-9), ends, p,
      ties = "mean", rule = 2
    )$y
  }
  quarter <- at(c(0.25, 0.5, 0.75))
  if (is_location(family)) {
    sigma <- left * (quarter[3] - quarter[1]) / 1.349
    return(list(
      "(Intercept)" = quarter[2],
      sigma = max(sigma, min(diff(ends)) / 4)
    ))
  }
  c(
    list("(Intercept)" = log(max(quarter[2], 0.5))),
    as.list(law_of(family)$example)
  )
}

# Predictors: levels of other columns, as the core reads a design --------------

# How far the slope of what earlier amounts say may be from 1, in their unit
curve_scale <- 0.3

# Rows of the synthetic set that geometry and posterior are computed from
amount_rows <- 50000

# Bins of an amount where it is a predictor of others. Of an amount that the
# budget bears tables of there are the most of these that are no more than so
# many times the root of the records in a deviation of the noise
# (bench/file_rivals.R), of any other fewer. More bins keep more of what two
# amounts have in common and add more noise.
earlier_bins <- c(12L, 16L, 20L, 24L)
earlier_bins_told <- 0.15
# All amounts' earlier ones have so many bins at most, added up, if not the
# fewest: time grows with them
most_earlier_bins <- 520
plain_bins <- 5

#' Predictors as the core reads a design
#' @param predictors (integer matrix) Levels.
#' @param coding (list) See level_lines().
#' @return (list) See design_parts().
#' @noRd
predictor_parts <- function(predictors, coding) {
  n <- nrow(predictors)
  kept <- which(coding$lined %||% rep(TRUE, length(coding$levels)))
  levels <- coding$levels[kept]
  codes <- matrix(0L, n, length(kept))
  for (k in seq_along(kept)) {
    own <- predictors[, kept[k]]
    first <- coding$baseline[kept[k]]
    codes[, k] <- (own - (own > first)) * (own != first)
  }
  storage.mode(codes) <- "integer"
  curve <- coding$curve
  columns <- 1L + as.integer(sum(levels - 1L))
  list(
    n_columns = columns + !is.null(curve), intercept = TRUE,
    codes = codes, n_levels = as.integer(levels),
    factor_column = as.integer(1 + cumsum(c(0, levels - 1))[seq_along(levels)]),
    numeric = if (is.null(curve)) {
      matrix(0, n, 0)
    } else {
      matrix(curve[predictors[, ncol(predictors)]], n)
    },
    numeric_column = if (is.null(curve)) integer() else columns
  )
}

#' A synthetic set in place of the file: its distinct rows, as many as released
#' @param share (double or `NULL`) Of each record of the set, see share_parts.
#' @return (list) See distinct_rows(); `codes`: levels of each row; `records`:
#'   how many of the set each has; `kept`: the records of the set that these are
#'   of.
#' @noRd
set_rows <- function(set, coding, n, share = NULL) {
  kept <- spaced_rows(nrow(set), amount_rows)
  if (nrow(set) > amount_rows) set <- set[kept, , drop = FALSE]
  rows <- distinct_rows(predictor_parts(set, coding))
  rows$codes <- set[match(seq_along(rows$count), rows$row), , drop = FALSE]
  rows$records <- rows$count
  if (!is.null(share)) {
    rows$count <- sums_by_code(share[kept], rows$row, length(rows$count))
  }
  rows$count <- rows$count * n / sum(rows$count)
  rows$kept <- kept
  rows
}

#' Levels of an amount's bins for those after it, see bins_of_earlier()
#' @noRd
levels_in_bins <- function(amount) {
  refuse_privacy(
    !is.integer(amount$bin_levels) ||
      !isTRUE(amount$bin_levels %in% (earlier_bins + 1L)),
    "A release must say how many bins its amounts have.",
    x = "It was edited, or another version of the package made it.",
    i = "Use it as it was made, with that version.",
    arg = "release", class = "pseudosynth_error_edited"
  )
  amount$bin_levels
}

#' Bins of the earlier amounts of a release
#'
#' All have as many levels, whatever their values are, since what they cost is
#' known beforehand; a set may have no record in some.
#' @param n (number) Records, as released.
#' @param mu (number) Of all amounts.
#' @param amounts (count) How many there are.
#' @noRd
bins_of_earlier <- function(n, mu, amounts) {
  told <- earlier_bins_told * sqrt(max(n, 1) * mu)
  choices <- choices_of_earlier(amounts)
  choices[max(1, findInterval(told, choices))]
}

#' The numbers of bins that these may have
#' @noRd
choices_of_earlier <- function(amounts) {
  most <- most_earlier_bins / max(1, choose(amounts, 2))
  earlier_bins[seq_len(max(1, findInterval(most, earlier_bins)))]
}

#' Levels of these predictors, those of one level among them
#' @param levels (named list) Of the block's columns.
#' @param earlier (named integer) Levels of amounts in bins.
#' @return (named integer) 1: it predicts nothing.
#' @noRd
predictor_levels <- function(amount, levels, earlier) {
  sizes <- lengths(amount$near$levels %||% levels)
  own <- match(amount$name, names(sizes))
  if (!is.na(own)) sizes[own] <- length(amount$part)
  if (!is.null(amount$near)) {
    sizes[!names(sizes) %in% amount$near$columns] <- 1L
    earlier[!names(earlier) %in% amount$near$amounts] <- 1L
  }
  c(sizes, earlier)
}

#' What an amount of a member or a wave depends on
#'
#' What the unit shares, the first member, itself and the next. In a panel its
#' own wave, those beside it and, by links, the same amount in earlier waves. Of
#' other slots noise tells more than they do.
#' @param columns (character) Of the block.
#' @param amounts (character) In the order in which they are released.
#' @return (list) As `amount`; of a slot's with `near` (names of `columns` and
#'   of `amounts` that predict it) and, in a panel, `earlier` and `apart` (how
#'   many waves each of these is before it).
#' @noRd
linked_amount <- function(amount, members, columns, amounts) {
  before <- amounts[seq_len(match(amount$name, amounts) - 1)]
  if (is.null(members)) {
    amount$earlier <- before
    return(amount)
  }
  slot <- function(names) slots_of_columns(names, members)
  own <- slot(amount$name)
  if (own == 0) {
    return(amount)
  }
  if (is.null(members$waves)) {
    near <- c(0, 1, own + 0:1)
    amount$near <- list(
      columns = columns[slot(columns) %in% near],
      amounts = before[slot(before) %in% near]
    )
    return(amount)
  }
  amount$near <- list(
    columns = columns[slot(columns) == 0 | abs(slot(columns) - own) <= 1],
    amounts = before[slot(before) %in% c(0, own)]
  )
  variable <- variables_of_columns(c(amount$name, before), members)
  amount$earlier <- before[slot(before) > 0 & variable[-1] == variable[1]]
  amount$apart <- own - slot(amount$earlier)
  amount
}
