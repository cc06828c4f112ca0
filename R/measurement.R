# Measurements: what a release pays for. Each is a sum over records of vectors
# of whole numbers, with exact noise. What it costs, its noisy sums and how far
# a record moves them are read from the same fields, so that none of them can
# be another's.

#' A measurement
#'
#' @param what (string) The charge that pays for it.
#' @param parts (character) What its sums are called: one or more, with noise of
#'   their own scale each.
#' @param size (double) Noisy numbers of each part.
#' @param bound (by relation, or `NULL`) How far one record moves the sums at
#'   most, in whole units and in the norm that the noise needs: a length, or of
#'   Laplace noise a sum of absolute values. Public. `NULL`: `cost` knows it.
#' @param budget (list) What it may spend, see noise_of().
#' @param noise (list) The noise, see noise_of(); `scale` is one number for each
#'   part.
#' @param sums (function of records as they are counted) Gives the whole sums, a
#'   list by part. `NULL`: they are not known before other noise is drawn.
#' @param vectors (function of records and the number of a part) What each
#'   record adds: a whole matrix, a row for each. A record without a value has
#'   zeros.
#' @param moves (function of records, and of others in their place or `NULL`)
#'   See moves_of(). `NULL`: by `vectors`.
#' @param cost (function) Of all parts together, see cost_of(); `NULL`: that of
#'   `noise`.
#' @param about (string or `NULL`) The amount that its records have.
#' @return (`measurement`)
#' @noRd
new_measurement <- function(what, parts, size, bound = NULL, budget = NULL,
                            noise = noise_of(bound, budget, size),
                            sums = NULL, vectors = NULL, moves = NULL,
                            cost = NULL, about = NULL) {
  structure(
    list(
      what = what, parts = parts, size = size, bound = bound, noise = noise,
      sums = sums, vectors = vectors, moves = moves,
      cost = cost %||% function() noise[c("epsilon", "rho", "gap")],
      about = about
    ),
    class = "measurement"
  )
}

#' What a measurement costs, or several of the same records together
#'
#' Lengths of Gaussian noise add up in their squares, of Laplace noise as they
#' are: each by its relation.
#' @param x (`measurement`, or a list of them)
#' @return (list) `rho` and `gap`, or `epsilon`, see plan_charges().
#' @noRd
cost_of <- function(x) {
  costs <- if (inherits(x, "measurement")) {
    list(x$cost())
  } else {
    lapply(unname(x), function(one) one$cost())
  }
  sums <- lapply(c("epsilon", "rho", "gap"), function(field) {
    Reduce(`+`, lapply(costs, `[[`, field))
  })
  Filter(Negate(is.null), stats::setNames(sums, c("epsilon", "rho", "gap")))
}

#' A measurement whose cost is all that a budget pays
#'
#' Whatever the noise is rounded up to, it costs no more than that.
#' @noRd
at_budget <- function(x, budget) {
  cost <- budget$amount * x$bound / x$bound[[budget$neighbours]]
  gap <- x$noise$gap
  x$cost <- function() list(rho = cost^2 / 2, gap = gap)
  x
}

#' Whole sums with whole noise
#' @param counted (any) The file, as `sums` takes it. Confidential.
#' @param seeds (list) Of each part.
#' @return (list of double) By part.
#' @noRd
measured <- function(x, counted, seeds) {
  Map(function(sums, scale, seed) {
    noisy_sums(sums, part_noise(x, scale), seed, x$what)
  }, x$sums(counted), x$noise$scale, seeds)
}

#' The noise of one part as draw_noise() takes it
#' @noRd
part_noise <- function(x, scale) {
  if (length(x$noise$scale) == 1) x$noise else list(scale = scale, rho = NA)
}

is_laplace <- function(x) is.null(x$noise$rho)

#' How far each record moves the noisy sums if it is dropped, or replaced
#'
#' @param other (records or `NULL`) As many, which take the place of `records`.
#' @return (double) For each record squared mu, or epsilon of Laplace noise.
#' @noRd
moves_of <- function(x, records, other = NULL) {
  if (!is.null(x$moves)) {
    return(x$moves(records, other))
  }
  moves <- 0
  for (part in seq_along(x$parts)) {
    v <- x$vectors(records, part) / x$noise$scale[part]
    if (!is.null(other)) {
      v <- v - x$vectors(other, part) / x$noise$scale[part]
    }
    moves <- moves + rowSums(if (is_laplace(x)) abs(v) else v^2)
  }
  moves
}

#' The same of all measurements of a release
#' @param measurements (list)
#' @param records,other (function of a measurement) Give the records that it is
#'   of.
#' @noRd
moves_of_all <- function(measurements, records, other = NULL) {
  Reduce(`+`, lapply(measurements, function(x) {
    moves_of(x, records(x), if (!is.null(other)) other(x))
  }))
}

#' Rows of a public matrix as vectors, 0 for records without one
#' @param rows (integer) Of each record; 0 or `NA`: none.
#' @noRd
rows_or_none <- function(z, rows) {
  rows[is.na(rows)] <- 0
  rbind(0, z, deparse.level = 0)[rows + 1, , drop = FALSE]
}

#' moves_of() where vectors are rows of a small public matrix
#' @param scale (number) Of the noise.
#' @noRd
moves_of_rows <- function(z, scale, rows, other) {
  inner <- tcrossprod(rbind(0, z / scale))
  length <- diag(inner)
  at <- function(rows) ifelse(is.na(rows), 0, rows) + 1
  a <- at(rows)
  b <- if (is.null(other)) rep(1, length(a)) else at(other)
  length[a] + length[b] - 2 * inner[cbind(a, b)]
}

# Noise ------------------------------------------------------------------------

#' Noise that spends a budget on a sensitivity
#'
#' @param sensitivity (by relation) In whole units.
#' @param budget (list) `noise` (`"gaussian"` or `"laplace"`), `relation` and
#'   `amount`: mu, or epsilon.
#' @return (list) `scale` (whole: the standard deviation, or the scale of
#'   Laplace noise), `deviation`, and `rho` with `gap`, or `epsilon`: what it
#'   costs by relation.
#' @noRd
noise_of <- function(sensitivity, budget, coordinates) {
  scale <- ceiling(sensitivity[[budget$neighbours]] / budget$amount)
  laplace <- budget$noise == "laplace"
  refuse_if(
    !(scale < if (laplace) 2^42 else 2^31), "{.arg epsilon} must be larger.",
    x = "The noise of a part would be too large to be sampled exactly.",
    i = "So little could be learnt that public knowledge alone is better.",
    arg = "epsilon"
  )
  if (laplace) {
    return(list(
      scale = scale, deviation = laplace_deviation(scale),
      epsilon = sensitivity / scale
    ))
  }
  list(
    scale = scale, deviation = scale, rho = sensitivity^2 / (2 * scale^2),
    gap = gaussian_gap(scale, coordinates)
  )
}

#' Standard deviation of P(x) proportional to exp(-|x| / scale)
#' @noRd
laplace_deviation <- function(scale) {
  q <- exp(-1 / scale)
  sqrt(2 * q) / (1 - q)
}

draw_noise <- function(noise, n, seed) {
  # A run's own words decide no noise: that is of the system's generator
  words <- if (is_seeded(seed)) seed_words(seed, "noise")
  if (is.null(noise$rho)) {
    discrete_laplace_(n, 1, noise$scale, words)
  } else {
    discrete_gaussian_(n, noise$scale, words)
  }
}

#' Whole sums with whole noise
#'
#' Where a release meets the file: an audit that runs it again on a neighbour
#' listens here, see replay_tape(). A run that goes on hears what was drawn
#' before it failed.
#' @param what (string) The charge that pays for it.
#' @noRd
noisy_sums <- function(sums, noise, seed, what) {
  run <- run_of(seed)
  n <- length(sums)
  noisy <- kept_noisy(run, what, noise$scale, n, function() {
    sums + draw_noise(noise, n, seed)
  })
  if (is.null(run$tape)) noisy else run$tape(noisy, noise$scale, what)
}

#' One charge for each noisy part, before its noise is drawn
#' @param costs (list or `NULL` by part) `epsilon`, or `rho` and `gap`.
#' @noRd
plan_charges <- function(costs) {
  costs <- Filter(Negate(is.null), costs)
  do.call(join_charges, lapply(names(costs), function(what) {
    cost <- costs[[what]]
    charge(
      new_charge_id(), what,
      epsilon = cost$epsilon, rho = cost$rho, gap = cost$gap %||% NA_real_
    )
  }))
}
