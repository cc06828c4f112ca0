# What a score release pays for: sums of whole vectors over records, with exact
# noise. A record's vector is a whole number q, its clipped score, times a whole
# vector z that is public, so that the sensitivity is counted and not estimated.
# Here: design rows, scores, vectors, steps with their noise, and what these may
# spend.

# The longest public vector, and the clip, in whole units
score_length <- 2^12
score_steps <- 2^10

# What an unclipped record counts, a fifth of what its score can move the sums:
# that adds 2% to the sensitivity (replace 0.5%)
score_counted <- round(0.2 * score_steps * score_length)

# The file -------------------------------------------------------------------

#' Scores, their clips and the released rows are of X b alone
#' @noRd
check_score_design <- function(design) {
  check_no_offset(
    design, "A score release supports none.",
    "A censored mechanism of {.fn pseudo_posterior} supports an offset:
     {.code mechanism = \"centred\"}. Or make the offset a predictor with a
     coefficient."
  )
}

#' Equal design rows once
#'
#' @param parts (list) See design_parts().
#' @return (list) `x` (R x P), `count` (R), `row` (N), and `products`, which
#'   sums over the rows without forming them.
#' @noRd
distinct_rows <- function(parts) {
  # Of X alone: rows that only an offset tells apart are one
  parts$offset <- NULL
  rows <- design_rows_(parts)
  parts$codes <- parts$codes[rows$first, , drop = FALSE]
  parts$numeric <- parts$numeric[rows$first, , drop = FALSE]
  list(
    x = dense_design(parts), row = rows$row,
    count = tabulate(rows$row, length(rows$first)),
    products = design_products_(parts)
  )
}

#' @return (list) `location`, `scale` (P each), `slopes` (columns that are no
#'   intercept).
#' @noRd
score_prior <- function(model) {
  refuse_if(
    model$prior$kind != "normal", "A score release needs a normal prior.",
    x = "{.arg prior} is {.code {format(model$prior)}}.",
    i = "Use {.fn prior_normal}.", arg = "prior"
  )
  level <- model$design$is_level
  prior <- prior_spec(model$prior, level)
  list(location = prior$location, scale = prior$scale, slopes = which(!level))
}

# A record's score -----------------------------------------------------------

#' One unit of the linear predictor, for public limits
#' @param shape (number or `NULL`) The family's parameter besides the
#'   coefficients: sigma, size or precision.
#' @noRd
line_unit <- function(family, shape) {
  if (is_location(family)) shape else 1
}

#' Scores at a public linear predictor: (y - centre) / spread
#'
#' For beta_response(), whose derivative has no bound, that of the mean alone:
#' the quasi-score, which needs the variance only.
#' @param shape (number or `NULL`) The public one.
#' @return (list of double) `centre`, `spread`, and `scale`: the score's
#'   standard deviation in the linear predictor. Of location models, whose
#'   sigma is not known, in the response's unit: spread and scale are 1.
#' @noRd
score_frame <- function(family, eta, shape) {
  mean <- family_mean(family, eta)
  if (is_location(family)) {
    one <- rep(1, length(eta))
    return(list(centre = mean, spread = one, scale = one))
  }
  law <- law_of(family)
  slope <- if (law$link == "logit") mean * (1 - mean) else mean
  # Where a mean rounds to its end
  spread <- pmax(sqrt(law$variance(mean, shape)), 1e-6)
  list(centre = mean, spread = spread, scale = pmax(slope / spread, 1e-6))
}

score_of <- function(y, frame) (y - frame$centre) / frame$spread

#' Where records begin to count as unclipped
#' @noRd
counted_above <- function(family, frame, clip) {
  lowest <- law_of(family)$lowest
  if (is.null(lowest)) -clip else pmax(-clip, lowest(frame))
}

# Sums with noise ------------------------------------------------------------

#' Public weights under which every record can pull equally hard
#'
#' A = (X'WX + P)^-1 = L L' and w = min(1, kappa / l) with l the length of
#' d L'x, a few rounds of one after the other. kappa is `spread` times the
#' median of l in the first round.
#'
#' @param file (list) See distinct_rows().
#' @param scale (double, R) d, the score's standard deviation at public
#'   coefficients; 1 where it is the same for all.
#' @param precision (matrix, P x P) Of the prior.
#' @param noise (string) Whose norm vectors are measured by, see
#'   vector_lengths().
#' @return (list) `unit` of whole vectors, see own_vectors(); `whiten` (L),
#'   `weight` (w d), `kappa`, `noise`.
#' @noRd
score_geometry <- function(file, scale, precision, spread, rounds = 3,
                           noise = "gaussian") {
  weight <- rep(1, nrow(file$x))
  kappa <- NULL
  for (round in seq_len(rounds)) {
    information <- precision +
      design_gram_(
        file$products, file$count * weight * scale^2, default_threads()
      )
    # Under a wide prior rounding leaves columns that are alike without a factor
    diag(information) <- diag(information) * (1 + 1e-12)
    inverse <- chol2inv(chol(information))
    length <- scale * sqrt(design_forms_(file$products, inverse))
    kappa <- kappa %||% (spread * weighted_quantile(length, file$count, 0.5))
    weight <- pmin(1, kappa / length)
  }
  whiten <- t(chol(inverse))
  # x'AA'x of all rows was worked out: that of a product takes far longer
  longest <- max(weight * length)
  own <- if (noise == "laplace") {
    vector_lengths(weight * scale * (file$x %*% whiten), noise)
  } else {
    longest
  }
  list(
    unit = own / longest_vector(ncol(whiten), noise), whiten = whiten,
    weight = weight * scale, kappa = longest, noise = noise
  )
}

#' Whole vectors with the records' own weights
#'
#' w d L'x in whole units, rounded towards 0, with w = min(1, kappa / l) and l
#' the length of d L'x. A vector that is longer than longest_vector(), which is
#' checked in whole numbers, is 0: no record pulls harder, whatever the
#' geometry, the predictors and their rounding are. A record's vector depends on
#' its own predictors to the last digit: a product of matrices would round it
#' otherwise in another row.
#' @param codes (integer matrix) Levels of the predictors.
#' @param coding (list) See level_lines().
#' @param scale (double) d, see score_geometry().
#' @param share (number) Of all these records, see share_parts: as much shorter
#'   are their vectors, and their limit.
#' @return (whole matrix)
#' @noRd
own_vectors <- function(codes, coding, scale, geometry, share = 1) {
  own_vectors_(
    codes, coding$levels, level_lines(geometry$whiten, coding), scale * share,
    own_limit(geometry, share)
  )
}

#' How long a whole vector may be, by the norm that the noise needs
#'
#' A sum of absolute values is larger, about in this proportion: what a record
#' counts is then as small beside its score.
#' @noRd
longest_vector <- function(columns, noise) {
  if (noise == "laplace") {
    score_length <- floor(score_length * max(1, 0.7 * sqrt(columns)))
  }
  score_length
}

#' What a record's vector may reach, and the unit that it is whole in
#' @param share (number) Of the record, see share_parts.
#' @noRd
own_limit <- function(geometry, share = 1) {
  longest <- longest_vector(ncol(geometry$whiten), geometry$noise)
  own <- floor(share * longest)
  list(
    kappa = geometry$kappa * own / longest, unit = geometry$unit, longest = own,
    absolute = geometry$noise == "laplace"
  )
}

#' What the intercept and each level add to a record's row, or linear predictor
#'
#' @param x (matrix or double) A row, or number, for each column of the design.
#' @param coding (list) `levels` of the predictors, and their `baseline` or what
#'   row_coding() has. `lined` (logical, or `NULL`: all): which have a column
#'   for each level but one. `curve` (double, or `NULL`): values of the last
#'   predictor's levels, which is one column.
#' @return (as `x`) The intercept's first, then those of all levels of all
#'   predictors; 0 for the baselines.
#' @noRd
level_lines <- function(x, coding) {
  levels <- coding$levels
  if (is.null(coding$rows)) {
    baselines <- 1 + cumsum(c(0, levels))[seq_along(levels)] + coding$baseline
    own <- coding$lined %||% rep(TRUE, length(levels))
    own <- c(TRUE, rep(own, levels))
    at <- setdiff(which(own), baselines)
  } else {
    at <- coding$at
    own <- coding$rows %*% x
    x <- if (is.matrix(x)) own else drop(own)
  }
  whole <- is.matrix(x)
  x <- as.matrix(x)
  lines <- matrix(0, 1 + sum(levels), ncol(x))
  lines[at, ] <- x[seq_along(at), ]
  curve <- coding$curve
  if (!is.null(curve)) {
    last <- nrow(lines) - length(curve) + seq_along(curve)
    lines[last, ] <- curve %o% x[nrow(x), ]
  }
  if (whole) lines else drop(lines)
}

# Levels of a column in the core, at most
largest_column <- 65535L

#' Any design as the core reads it: its rows are levels of columns
#'
#' In each of these the first level is none of its rows.
#' @param rows (matrix, R x P)
#' @param levels (integer) Of columns before these, which have no line.
#' @return (list) `levels` of all columns, `rows`, and `at`: which line each row
#'   has.
#' @noRd
row_coding <- function(rows, levels = integer()) {
  held <- largest_column - 1L
  k <- seq_len(nrow(rows))
  column <- (k - 1L) %/% held
  list(
    levels = as.integer(c(levels, tabulate(column + 1L) + 1L)), rows = rows,
    at = 1L + sum(levels) + k + column + 1L
  )
}

#' Codes of the columns that some design rows are levels of
#' @param row (integer) A design row each.
#' @return (integer matrix)
#' @noRd
design_codes <- function(row, rows) {
  held <- largest_column - 1L
  column <- (row - 1L) %/% held
  further <- seq_len(max(1L, ceiling(nrow(rows) / held))) - 1L
  codes <- vapply(further, function(k) {
    ifelse(column == k, row - k * held + 1L, 1L)
  }, integer(length(row)))
  matrix(codes, length(row))
}

#' What each record adds to the sums of a step: a whole score `q`, and whether
#' it is counted, `inside` (0 or 1)
#'
#' Rounded as every database can: halves up.
#' @param score (double, N) Of each record. What is none counts as 0.
#' @param clip (number) In the score's own unit.
#' @param lowest (double, 1 or N) Records are counted above it.
#' @noRd
whole_scores <- function(score, clip, lowest) {
  whole_scores_(score, clip, lowest, score_steps)
}

#' How far one record can move the sums of a step
#' @param length (number) Of the longest public vector.
#' @return (by relation) In whole units.
#' @noRd
sensitivity_of_reach <- function(length, noise) {
  reach <- score_steps * length
  joined <- function(scores) {
    if (noise == "laplace") {
      scores + score_counted
    } else {
      sqrt(scores^2 + score_counted^2)
    }
  }
  by_relation(joined(reach), joined(2 * reach))
}

#' A step as a measurement: the sum of clipped scores and the count of unclipped
#' ones
#'
#' The bound is known before the step is: no record's vector is longer.
#' @param columns (count) Of the predictors' design.
#' @param step (list) `coding` of the predictors, `family`, and where scores are
#'   taken: `b`, `shape`, `clip` and `geometry`. `NULL`: not known yet.
#' @return (`measurement`) Of records with `predictors` (levels) and `y`
#'   (modelled scale, `NA`: none).
#' @noRd
step_measurement <- function(what, columns, step = NULL, number = 1,
                             about = NULL) {
  new_measurement(
    what, paste("step", number), columns + 1,
    bound = function(kind) {
      sensitivity_of_reach(longest_vector(columns, kind), kind)
    },
    vectors = function(records, part) {
      own <- scored_records(records, step)
      own$parts <- own$parts %||% rep(share_parts, length(own$q))
      rows <- which(!is.na(records$y))
      vectors <- matrix(0, length(records$y), columns + 1)
      by_parts(own, function(own) {
        share <- own$each / share_parts
        z <- own_vectors(
          own$predictors, step$coding, own$scale, step$geometry, share
        )
        vectors[rows[own$at], ] <<-
          cbind(floor(share * score_counted) * own$inside, z * own$q)
      })
      vectors
    },
    counts = function(records) scored_records(records, step),
    sums = function(items) {
      lines <- level_lines(step$geometry$whiten, step$coding)
      of <- function(own, share) {
        c(
          floor(share * score_counted) * sum(own$inside),
          own_sums_(
            own$predictors, step$coding$levels, lines, own$scale * share,
            own$q, own_limit(step$geometry, share), default_threads()
          )
        )
      }
      list(if (length(items$parts) == 0) of(items, 1) else over_chunks(
        function(next_chunk) by_parts(items, next_chunk),
        function(own) of(own, own$each / share_parts)
      ))
    },
    about = about
  )
}

#' Whole scores of the records with a value
#' @param step (list) See step_measurement().
#' @return (list) `predictors`, `scale` of their vectors, and `q` and `inside`,
#'   see whole_scores().
#' @noRd
scored_records <- function(records, step) {
  at <- which(!is.na(records$y))
  y <- records$y[at]
  # Of a large file a copy takes as long as the sums
  predictors <- if (length(at) == length(records$y)) {
    records$predictors
  } else {
    records$predictors[at, , drop = FALSE]
  }
  eta <- line_sums_(
    predictors, step$coding$levels, level_lines(step$b, step$coding),
    default_threads()
  )
  frame <- score_frame(step$family, eta, step$shape)
  lowest <- counted_above(step$family, frame, step$clip)
  c(
    list(predictors = predictors, parts = records$parts[at]), frame["scale"],
    whole_scores(score_of(y, frame), step$clip, lowest)
  )
}

#' One step with noise
#'
#' @param file Of an amount's records `predictors` and `y`, see over_chunks(),
#'   or of a file in memory or in a database a list with `whole`, see
#'   score_file(). Confidential.
#' @param rows (list) Public design rows, see distinct_rows(), with their
#'   `codes`.
#' @param like (list) All that is public of the response: `what` (of each step,
#'   what pays), `coding`, `family`, `shape`, `prior`, `spread`, `rounds` and
#'   `n`, the number of records.
#' @param b (double, P) Where scores are taken.
#' @param clip (number) In the score's own unit.
#' @param last (list or `NULL`) The step before: location models have the same
#'   weights in all.
#' @return (list) All public: `sum` (P, in the score's unit), `share` (of
#'   unclipped records), `noise` and `share_noise` (their standard deviations),
#'   `clip`, the noise as paid (see noise_of()), `b`, `geometry`,
#'   `centre` and `spread` (see score_frame()) and `z` (R x P, in the score's
#'   unit).
#' @noRd
noisy_step <- function(file, rows, like, b, clip, budget, seed, last,
                       number = 1) {
  frame <- score_frame(like$family, drop(rows$x %*% b), like$shape)
  geometry <- if (is_location(like$family)) last$geometry
  z <- last$z
  if (is.null(geometry)) {
    # The prior's precision beside the design's products, which have no sigma
    unit <- max(1, line_unit(like$family, like$shape))
    precision <- diag((unit / like$prior$scale)^2, length(b))
    geometry <- score_geometry(
      rows, frame$scale, precision, like$spread, like$rounds, budget$noise
    )
    z <- own_vectors(rows$codes, like$coding, frame$scale, geometry) *
      geometry$unit
  }
  step <- c(
    like[c("coding", "family", "shape")],
    list(b = b, clip = clip, geometry = geometry)
  )
  x <- paid_by(
    step_measurement(like$what[number], length(b), step, number), budget
  )
  sums <- if (is.function(file) || is.null(file$whole)) {
    whole_sums(x, file)
  } else {
    lowest <- counted_above(like$family, frame, clip)
    found <- file$whole(frame, clip, lowest)
    x$sums(list(
      predictors = rows$codes[found$row, , drop = FALSE],
      scale = frame$scale[found$row], q = found$q, inside = found$inside
    ))
  }
  sums <- measured(x, seeds = list(seed), sums = sums)[[1]]
  unit <- geometry$unit * clip / score_steps
  records <- score_counted * like$n
  c(
    list(
      sum = sums[-1] * unit, share = sums[1] / records,
      noise = x$noise$deviation * unit,
      share_noise = x$noise$deviation / records, clip = clip
    ),
    x$noise, list(z = z), frame[c("centre", "spread")],
    list(b = b, geometry = geometry)
  )
}

#' The longest of some whole vectors, by the norm that the noise needs
#' @noRd
vector_lengths <- function(z, noise) {
  if (noise == "laplace") max(rowSums(abs(z))) else sqrt(max(rowSums(z^2)))
}

# What they may spend --------------------------------------------------------

#' What the parts may spend
#'
#' @param coordinates (four counts) Noisy numbers of each part, at most.
#' @param tables (number) The share of tables.
#' @return (list of list) `margin`, `first`, `second` and, with a share,
#'   `tables`, each `noise`, `neighbours` and `amount` (mu or epsilon); `tables`
#'   also `sigma`, see refined().
#' @noRd
score_budget <- function(settings, epsilon, neighbours, coordinates,
                         tables = 0) {
  share <- settings$shares
  if (is.null(settings$bounds)) share[1] <- 0
  share <- c((1 - tables) * share / sum(share), tables)
  laplace <- settings$delta == 0
  amount <- if (laplace) {
    epsilon * share
  } else {
    score_mu(epsilon, settings$delta, sum(share * coordinates)) * sqrt(share)
  }
  parts <- lapply(amount, function(one) {
    list(
      noise = if (laplace) "laplace" else "gaussian", neighbours = neighbours,
      amount = one
    )
  })
  parts <- stats::setNames(parts, c("margin", "first", "second", "tables"))
  if (tables == 0) {
    return(parts[1:3])
  }
  # As large as the noise of the other parts; see least_sigma()
  parts$tables$sigma <- min(ceiling(least_units / parts$tables$amount), 2^29)
  parts
}

# No part but tables has a smaller sensitivity, rounding included
least_units <- 0.98 * score_length * score_steps

#' The mu that an epsilon allows
#'
#' The label states the smaller epsilon of two conversions, so that mu is the
#' larger of theirs. A hundredth of delta is more than the gaps to Gaussian
#' noise take, but where delta is tiny, or epsilon large.
#' @param coordinates (number) Noisy numbers of a part, a mean by shares of mu
#'   squared.
#' @noRd
score_mu <- function(epsilon, delta, coordinates) {
  mu <- gaussian_mu(epsilon, 0.99 * delta)
  gap <- gaussian_gap(least_units / mu, coordinates)
  beside <- gaussian_mu(epsilon, delta, gap)
  if (beside >= mu) mu else max(beside, zcdp_mu(epsilon, delta))
}

#' Write down what a release will cost: no noise is drawn before
#' @return (data frame) The charges; of a run that goes on those it has paid.
#' @noRd
pay_release <- function(ledger, charges, model, m, seed, file) {
  variable <- model$response$name
  charges <- spend_noise(
    ledger, charges, "score", variable, model$data[model$design$variables],
    model$data[[variable]], m = m, n_records = file$n, seed = seed
  )
  if (!is.null(file$paid)) file$paid()
  charges
}
