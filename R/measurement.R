# Measurements: what a release pays for. Each is a sum over records of vectors
# of whole numbers, with exact noise. What it costs, its noisy sums and how far
# a record moves them are read from the same fields, so that none of them can
# be another's. A list of measurements is what a release does in all.

#' A measurement
#'
#' @param what (string) The charge that pays for it.
#' @param parts (character) What its sums are called: one or more, each with
#'   noise of its own scale.
#' @param size (double) Noisy numbers of each part.
#' @param bound (function of a kind of noise) How far one record moves the sums
#'   at most, by relation and in whole units: a length, or for `"laplace"` a sum
#'   of absolute values. Public. With several parts a list: of each.
#' @param vectors (function of records and the number of a part) What each
#'   record adds: a whole matrix, a row for each. A record without a value has
#'   zeros.
#' @param counts (function of records) Counts them as `sums` takes them. What
#'   holds a file may do so by itself, in one pass.
#' @param sums (function of records as they are counted) Gives the whole sums, a
#'   list by part.
#' @param moves (function of records, of others or `NULL`, and of the noise) See
#'   moves_of(). `NULL`: by `vectors`.
#' @param cost (function of the noise) Of all parts together, see cost_of().
#'   `NULL`: that of each alone.
#' @param noise (list) See noise_of(), with one `scale` for each part. `NULL`:
#'   see paid_by() and with_noise_of().
#' @param about (string or `NULL`) The amount that its records have.
#' @return (`measurement`)
#' @noRd
new_measurement <- function(what, parts, size, bound, vectors, sums,
                            counts = identity, moves = NULL, cost = NULL,
                            noise = NULL, about = NULL) {
  structure(
    list(
      what = what, parts = parts, size = size, bound = bound,
      vectors = vectors, counts = counts, sums = sums, moves = moves,
      cost = cost, noise = noise, about = about
    ),
    class = "measurement"
  )
}

#' A measurement whose noise spends a budget
#' @param budget (list) See noise_of().
#' @noRd
paid_by <- function(x, budget) {
  x$noise <- noise_of(x$bound(budget$noise), budget, x$size)
  x
}

#' A measurement with the noise that was released with its sums
#' @noRd
with_noise_of <- function(x, released) {
  fields <- c("scale", "deviation", "epsilon", "rho", "gap")
  x$noise <- released[intersect(fields, names(released))]
  x
}

#' What measurements of the same records cost together
#'
#' Squared lengths of Gaussian noise add up, and epsilon of Laplace noise, by
#' relation.
#' @param x (list) Of measurements.
#' @param costs (list) Of each, `rho` and `gap`, or `epsilon`.
#' @return (list) As each of `costs`.
#' @noRd
cost_of <- function(x, costs = lapply(unname(x), own_cost)) {
  fields <- intersect(c("epsilon", "rho", "gap"), names(costs[[1]]))
  lapply(stats::setNames(nm = fields), function(field) {
    Reduce(`+`, lapply(costs, `[[`, field))
  })
}

own_cost <- function(x) {
  if (!is.null(x$cost)) {
    return(x$cost(x$noise))
  }
  fields <- intersect(c("epsilon", "rho", "gap"), names(x$noise))
  x$noise[fields]
}

#' All that a budget pays for a measurement
#'
#' Its noise costs no more, whatever it is rounded up to.
#' @noRd
most_cost <- function(x, budget) {
  bound <- x$bound(budget$noise)
  cost <- budget$amount * bound / bound[[budget$neighbours]]
  list(rho = cost^2 / 2, gap = paid_by(x, budget)$noise$gap)
}

#' The sums of all records without noise, chunk by chunk
#' @param records See over_chunks().
#' @noRd
whole_sums <- function(x, records) {
  over_chunks(records, function(own) x$sums(x$counts(own)))
}

#' Whole sums with whole noise
#' @param counted (any) The file, as `sums` takes it. Confidential.
#' @param seeds (list) Of each part.
#' @param sums (list) See whole_sums().
#' @return (list of double) By part.
#' @noRd
measured <- function(x, counted, seeds, sums = x$sums(counted)) {
  Map(function(sums, scale, seed) {
    own <- x$noise
    own$scale <- scale
    noisy_sums(sums, own, seed, x$what)
  }, sums, x$noise$scale, seeds)
}

#' How far each record moves the noisy sums if it is dropped, or replaced
#'
#' @param other (records or `NULL`) As many, which take the place of `records`.
#' @return (double) For each record squared mu, or epsilon of Laplace noise.
#' @noRd
moves_of <- function(x, records, other = NULL) {
  if (!is.null(x$moves)) {
    return(x$moves(records, other, x$noise))
  }
  moves <- 0
  for (part in seq_along(x$parts)) {
    scale <- x$noise$scale[part]
    v <- x$vectors(records, part) / scale
    if (!is.null(other)) v <- v - x$vectors(other, part) / scale
    moves <- moves + rowSums(if (is_laplace(x$noise)) abs(v) else v^2)
  }
  moves
}

is_laplace <- function(noise) is.null(noise$rho)

#' moves_of() where vectors are rows of a small public matrix, under Gaussian
#' noise
#' @param rows (integer) Of each record; 0: none.
#' @noRd
moves_of_rows <- function(z, noise, rows, other = 0L * rows) {
  inner <- tcrossprod(rbind(0, z / noise$scale))
  length <- diag(inner)
  length[rows + 1] + length[other + 1] - 2 * inner[cbind(rows, other) + 1]
}

# Shared records ---------------------------------------------------------------

# A unit of several records that are measured together, such as the members of a
# household who have an income, adds the mean of what these would add alone: of
# so many parts each has as many as go evenly into them. The difference of two
# units is then a mean of differences of two records, or of one and none, so no
# unit moves a sum farther than one record can, however many it has.
share_parts <- 60L

#' Are the records of an amount members, which share a household?
#' @param amount (list) Of a file release, or a score release.
#' @noRd
is_of_members <- function(amount) !is.null(amount$slots)

#' Parts of a record of an amount
#' @noRd
parts_of <- function(amount) if (is_of_members(amount)) share_parts else 1L

#' Parts of records that share a unit
#' @param unit (integer) Of each.
#' @noRd
parts_of_records <- function(unit) share_parts %/% tabulate(unit)[unit]

#' How many records of a file each record of a set stands for
#' @param share (double or `NULL`) Of each, where they share units.
#' @noRd
shared_count <- function(share, n) {
  if (!is.null(share)) share * n / sum(share)
}

#' Counts of records, each as often as it has parts
#' @param records (any) With `parts`, or whole.
#' @param f (function of records) Counts whole ones.
#' @noRd
in_parts <- function(records, f) {
  if (!is.list(records) || length(records$parts) == 0) {
    return(f(records))
  }
  each <- function(of_some) by_parts(records, of_some)
  over_chunks(each, function(own) {
    counts <- f(own)
    if (is.list(counts)) lapply(counts, `*`, own$each) else own$each * counts
  })
}

#' Records with as many parts together, one after the other
#' @param f (function of records) They have no `parts`; how many each has is
#'   `each`, and which they are `at`.
#' @noRd
by_parts <- function(records, f) {
  fields <- setdiff(names(records), c("parts", "units"))
  for (at in split(seq_along(records$parts), records$parts)) {
    own <- lapply(records[fields], function(x) {
      if (is.matrix(x)) x[at, , drop = FALSE] else x[at]
    })
    f(c(own, list(each = records$parts[at[1]], at = at)))
  }
}

#' A measurement of units whose records share them
#' @param x (`measurement`) Of records with `parts`, and `unit`: from 1 to
#'   `units`.
#' @noRd
of_units <- function(x) {
  vectors <- x$vectors
  x$vectors <- function(records, part) {
    own <- vectors(records, part)
    all <- matrix(0, records$units, ncol(own))
    found <- rowsum(own, records$unit)
    all[as.integer(rownames(found)), ] <- found
    all
  }
  x$moves <- NULL
  x
}

# Noise ------------------------------------------------------------------------

#' Noise that spends a budget on a sensitivity
#'
#' @param sensitivity (by relation) In whole units.
#' @param budget (list) `noise` (`"gaussian"` or `"laplace"`), `relation` and
#'   `amount`: mu, or epsilon.
#' @return (list) `scale` (whole: the standard deviation, or the scale of
#'   Laplace noise), `deviation`, and `rho` with `gap`, or `epsilon`: what it
#'   costs by relation. Noise of another kind also has `draw` (function of a
#'   count and a seed).
#' @noRd
noise_of <- function(sensitivity, budget, coordinates) {
  scale <- ceiling(sensitivity[[budget$neighbours]] / budget$amount)
  laplace <- budget$noise == "laplace"
  refuse_if(
    !(scale < if (laplace) 2^42 else 2^31), "{.arg epsilon} must be larger.",
    x = "A part of the release would need noise {
         format_figure(scale / if (laplace) 2^42 else 2^31, 2)} times as large
         as the largest that is drawn exactly.",
    i = "Fewer columns and tables leave more of {.arg epsilon} for each part.",
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
  if (!is.null(noise$draw)) {
    return(noise$draw(n, seed))
  }
  # A run's own words decide no noise: that is of the system's generator
  words <- if (is_seeded(seed)) seed_words(seed, "noise")
  if (is_laplace(noise)) {
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
