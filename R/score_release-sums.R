# What a score release pays for: sums of whole vectors over records, with exact
# noise. A record's vector is a whole number q, its clipped score, times a whole
# vector z that is public, so that the sensitivity is counted and not estimated.
# Here: the file as the sums need it, scores, public vectors, the sums with
# their noise, and what these may spend.

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
#' @return (list) `z` (whole, R x P), `unit` (z unit = w d L'x), `whiten` (L),
#'   `weight` (w d), `kappa`.
#' @noRd
score_geometry <- function(file, scale, precision, spread, rounds = 3) {
  weight <- rep(1, nrow(file$x))
  kappa <- NULL
  for (round in seq_len(rounds)) {
    information <- precision +
      design_gram_(file$products, file$count * weight * scale^2)
    inverse <- chol2inv(chol(information))
    length <- scale * sqrt(design_forms_(file$products, inverse))
    kappa <- kappa %||% (spread * weighted_quantile(length, file$count, 0.5))
    weight <- pmin(1, kappa / length)
  }
  whiten <- t(chol(inverse))
  rows <- weight * scale * (file$x %*% whiten)
  unit <- max(sqrt(rowSums(rows^2))) / score_length
  list(
    z = round(rows / unit), unit = unit, whiten = whiten,
    weight = weight * scale, kappa = unit * score_length
  )
}

#' The prior's precision beside the design's products, which have no sigma
#' @param scale (double, P) Of the prior.
#' @noRd
prior_information <- function(scale, family, shape) {
  diag((max(1, line_unit(family, shape)) / scale)^2, length(scale))
}

#' The whole sums of a step: the count of unclipped records, then the scores'
#'
#' @param whole (list) By item, which is a record or records of one design row:
#'   `row`, and the sums over its records of whole_scores(). `most`: how many
#'   records an item has at most; `NULL`: 1.
#' @return (whole, 1 + P)
#' @noRd
step_sums <- function(whole, z) {
  most <- whole$most %||% 1
  c(
    score_sums_(
      matrix(score_counted), rep(1L, length(whole$row)), whole$inside, most
    ),
    score_sums_(z, whole$row, whole$q, score_steps * most)
  )
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
#' @return (by relation) In whole units.
#' @noRd
step_sensitivity <- function(z, noise) {
  sensitivity_of_reach(vector_lengths(z, noise), noise)
}

#' @param length (number) Of the longest public vector.
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
#' @param z (whole matrix) See score_geometry().
#' @param frame (list) See score_frame(), of each row of `z`.
#' @param clip,lowest See whole_scores().
#' @param number (count) Of the step.
#' @return (`measurement`) Of records with `row` (of `z`) and `y` (modelled
#'   scale, `NA`: none); also `z`.
#' @noRd
step_measurement <- function(z, frame, clip, lowest, number) {
  whole <- function(records) {
    own <- lapply(frame[c("centre", "spread")], `[`, records$row)
    if (length(lowest) > 1) lowest <- lowest[records$row]
    c(records["row"], whole_scores(score_of(records$y, own), clip, lowest))
  }
  x <- new_measurement(
    paste("noisy scores, step", number), paste("step", number), ncol(z) + 1,
    bound = function(kind) step_sensitivity(z, kind),
    vectors = function(records, part) {
      own <- whole(records)
      cbind(
        score_counted * own$inside, z[own$row, , drop = FALSE] * own$q,
        deparse.level = 0
      )
    },
    counts = whole, sums = function(whole) list(step_sums(whole, z))
  )
  x$z <- z
  x
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

#' A step's budget with what the step will cost, from public settings alone
#'
#' The vectors of a second step may rest on the first one's noisy result. So
#' what is written down beforehand holds for all that they can be: the longest
#' one has length `score_length` before it is rounded. The noise spends no more
#' than the budget under its own relation; under the other one it is the more,
#' the longer or the shorter that vector is.
#' @param columns (count) P.
#' @return (list) `budget` with `cost`: `epsilon`, or `rho` and `gap`.
#' @noRd
with_step_cost <- function(budget, columns) {
  laplace <- budget$noise == "laplace"
  rounded <- sqrt(columns) / 2
  least <- score_length - rounded
  most <- (score_length + rounded) * if (laplace) sqrt(columns) else 1
  least <- sensitivity_of_reach(least, budget$noise)
  most <- sensitivity_of_reach(most, budget$noise)
  # Noise that is too wide to be drawn is an error now
  noise_of(most, budget, columns + 1)
  own <- budget$neighbours
  cost <- budget$amount * pmax(least / least[[own]], most / most[[own]])
  budget$cost <- if (laplace) {
    list(epsilon = cost)
  } else {
    list(
      rho = cost^2 / 2,
      gap = gaussian_gap(least[[own]] / budget$amount, columns + 1)
    )
  }
  budget
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
