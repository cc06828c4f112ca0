# Epsilon and the two neighbour relations: what one costs under the other.

relation_names <- c("add-remove", "replace")

#' A figure for each neighbour relation
#' @noRd
by_relation <- function(add_remove, replace = 2 * add_remove) {
  stats::setNames(c(add_remove, replace), relation_names)
}

#' The width that epsilon buys: a replaced record costs it twice
#' @noRd
width_of_epsilon <- function(epsilon, neighbours) {
  if (neighbours == "replace") epsilon / 2 else epsilon
}

#' Is a total above what is allowed, by more than the rounding of its sum?
#' @noRd
exceeds <- function(total, allowed) total > allowed * (1 + 1e-9)

# What Gaussian noise guarantees: mu = sensitivity / standard deviation, squares
# of mu add up over steps, also where a step is chosen after seeing the earlier
# ones (Dong, Roth and Su 2022, Gaussian differential privacy, Corollary 3.3).
# One record is then as hard to tell as N(0, 1) from N(mu, 1).

#' The delta that goes with an epsilon
#'
#' Phi(-epsilon / mu + mu / 2) - exp(epsilon) Phi(-epsilon / mu - mu / 2):
#' Balle and Wang (2018), Improving the Gaussian mechanism for differential
#' privacy, Theorem 8. Exact: no smaller delta holds.
#' @noRd
gaussian_delta <- function(epsilon, mu) {
  above <- stats::pnorm(-epsilon / mu + mu / 2, log.p = TRUE)
  below <- epsilon + stats::pnorm(-epsilon / mu - mu / 2, log.p = TRUE)
  ifelse(mu == 0, 0, exp(above) * -expm1(pmin(below - above, 0)))
}

#' How far discrete Gaussian noise is from rounded Gaussian noise
#'
#' In total variation, one coordinate of a whole standard deviation sigma >= 16.
#' With phi the density of N(0, sigma^2) and x whole, the rounded one has mass
#' phi(x) + phi''(.) / 24 at x, and a sum of |phi''| over whole numbers is at
#' most its integral plus that of |phi'''|: 0.968 / sigma^2 + 1.511 / sigma^3.
#' Half of that over 24 is below 1 / (40 sigma^2); what the masses phi(x) miss
#' of 1, 2 exp(-2 pi^2 sigma^2) and less, is in the slack. Whole sums with
#' rounded noise are rounded sums with noise: mu holds for them exactly.
#' @return (number) `NA` for a smaller sigma: nothing is claimed.
#' @noRd
gaussian_gap <- function(sigma, coordinates) {
  ifelse(sigma >= 16, coordinates / (40 * sigma^2), NA_real_)
}

#' What is left of delta where the noise is within `gap` of a Gaussian's
#' @noRd
delta_beside_gap <- function(delta, epsilon, gap) {
  delta - (1 + exp(epsilon)) * gap
}

#' Epsilon at a delta of mu, rounded up
#' @noRd
gaussian_epsilon <- function(mu, delta, gap = 0) {
  fits <- function(epsilon) {
    gaussian_delta(epsilon, mu) <= delta_beside_gap(delta, epsilon, gap)
  }
  if (fits(0)) {
    return(0)
  }
  if (!is.finite(mu) || delta <= 0) {
    return(Inf)
  }
  # Above this epsilon the tail alone is below delta
  high <- mu^2 / 2 + mu * sqrt(-2 * log(delta)) + 1e-3
  if (!fits(high)) {
    return(Inf)
  }
  smallest_that(fits, 0, high)
}

#' The largest mu that keeps (epsilon, delta)
#' @return (number) 0 where the gap alone takes delta.
#' @noRd
gaussian_mu <- function(epsilon, delta, gap = 0) {
  left <- delta_beside_gap(delta, epsilon, gap)
  if (left <= 0) {
    return(0)
  }
  # One step below the first that breaks it
  first_that(function(mu) gaussian_delta(epsilon, mu) > left) * (1 - 1e-12)
}

first_that <- function(broken) {
  high <- 1
  while (!broken(high)) high <- 2 * high
  smallest_that(broken, 0, high)
}

#' Bisection for the end of a condition that holds from some number on
#' @noRd
smallest_that <- function(holds, low, high) {
  for (i in 1:200) {
    middle <- (low + high) / 2
    if (middle <= low || middle >= high) break
    if (holds(middle)) high <- middle else low <- middle
  }
  high
}

# Charges: what has been paid out of a privacy budget, row by row. A label is
# made of them, so that nothing is counted twice or forgotten.
#
# A charge is pure (epsilon, with delta = 0) or of zero-concentrated
# differential privacy (rho). Pure ones add up; where one of zCDP is among them,
# all are turned into rho (a pure epsilon is at most epsilon^2 / 2), added, and
# turned into epsilon at a public delta. Where all of them are Gaussian noise,
# what that guarantees exactly is smaller, see gaussian_epsilon().

#' One thing that was paid for
#'
#' @param id (string) Its identity: the same thing has the same id wherever it
#'   is met, and is paid once. A random word, see `new_charge_id()`; nothing
#'   that is computed from confidential values.
#' @param what (string) In words, for the label: "parameter draw", ...
#' @param epsilon (by relation, or `NULL`) Pure cost; `NULL` where `rho` is
#'   given. `NA`: nothing is claimed.
#' @param rho (by relation, or `NULL`) Cost in zCDP.
#' @param delta (number) Of an approximate cost that is not zCDP. Default 0.
#' @param times (count) How often it was paid: m for parameter draws.
#' @param gap (number) Of zCDP: how far the noise is from Gaussian noise of
#'   mu = sqrt(2 rho), see gaussian_gap(). `NA`, the default: it is another one.
#' @return (data frame, 1 row)
#' @noRd
charge <- function(id, what, epsilon = NULL, rho = NULL, delta = 0, times = 1,
                   gap = NA_real_) {
  stopifnot(is.null(epsilon) != is.null(rho))
  of <- function(cost, neighbours) {
    if (is.null(cost)) NA_real_ else as.double(cost[[neighbours]])
  }
  data.frame(
    id = id, what = what, add_remove = of(epsilon, "add-remove"),
    replace = of(epsilon, "replace"), rho_add_remove = of(rho, "add-remove"),
    rho_replace = of(rho, "replace"),
    zcdp = is.null(epsilon), gap = as.double(gap), delta = delta,
    times = as.double(times)
  )
}

# The columns of a charge that say what it costs
charge_costs <- c(
  "add_remove", "replace", "rho_add_remove", "rho_replace", "delta"
)

# Made once: every label and history begins with it
no_charges <- local({
  none <- NULL
  function() {
    if (is.null(none)) none <<- charge("", "", by_relation(0))[0, ]
    none
  }
})

#' An identity that says nothing about what it identifies
#' @return (string) 16 hexadecimal digits from the operating system's entropy.
#' @noRd
new_charge_id <- function(seed = NULL) {
  words_text(c(entropy_words(run_of(seed)), entropy_words(run_of(seed))))
}

#' An identity that is the same again where the thing is the same again
#'
#' For what was made under a given seed, which is not for release, and for what
#' is a function of a thing with an identity.
#' @noRd
hashed_id <- function(...) substr(rlang::hash(list(...)), 1, 16)

#' Put charges together, the same thing once
#'
#' The same id means the same random outcome: using it twice costs nothing more.
#' Of two rows with one id the one paid more often counts.
#' @param ... Charges, `NULL`s are left out.
#' @noRd
join_charges <- function(...) {
  all <- rbind(no_charges(), ...)
  if (nrow(unique(all[c("id", charge_costs)])) > length(unique(all$id))) {
    stop("Internal error: one identity stands for two costs.")
  }
  by_times <- order(-all$times)
  all <- all[sort(by_times[!duplicated(all$id[by_times])]), , drop = FALSE]
  rownames(all) <- NULL
  all
}

#' The total of charges under each relation
#'
#' @param charges (data frame)
#' @param delta (number) The public delta at which zCDP is stated; not used for
#'   pure charges.
#' @return (list) `epsilon` (by relation), `delta`, `rho` (by relation; `NULL`
#'   where all are pure).
#' @noRd
total_charges <- function(charges, delta = 0) {
  if (!any(charges$zcdp)) {
    return(list(
      epsilon = by_relation(
        sum(charges$add_remove * charges$times),
        sum(charges$replace * charges$times)
      ),
      delta = sum(charges$delta * charges$times), rho = NULL
    ))
  }
  if (any(charges$delta > 0)) {
    stop("Internal error: (epsilon, delta) charges do not add up to zCDP.")
  }
  rho_of <- function(pure, rho) {
    sum(charges$times * ifelse(charges$zcdp, rho, pure^2 / 2))
  }
  rho <- by_relation(
    rho_of(charges$add_remove, charges$rho_add_remove),
    rho_of(charges$replace, charges$rho_replace)
  )
  gap <- sum(charges$times * charges$gap)
  list(
    epsilon = by_relation(
      rho_epsilon(rho[[1]], delta, gap), rho_epsilon(rho[[2]], delta, gap)
    ),
    delta = delta, rho = rho
  )
}

#' Epsilon of rho, of Gaussian noise where `gap` says so
#' @noRd
rho_epsilon <- function(rho, delta, gap) {
  exact <- if (!is.na(gap)) gaussian_epsilon(sqrt(2 * rho), delta, gap)
  min(zcdp_epsilon(rho, delta), exact)
}

#' Epsilon at a delta of rho-zCDP
#'
#' The smallest epsilon over the orders a > 1 of
#' rho a + log(1 / (a delta)) / (a - 1) + log(1 - 1 / a): Canonne, Kamath and
#' Steinke (2020), The discrete Gaussian for differential privacy,
#' Proposition 12.
#' @noRd
zcdp_epsilon <- function(rho, delta) {
  if (rho == 0) {
    return(0)
  }
  if (!is.finite(rho) || delta <= 0) {
    return(Inf)
  }
  at <- function(log_excess) {
    a <- 1 + exp(log_excess)
    rho * a - log(a * delta) / (a - 1) + log1p(-1 / a)
  }
  # The order of the simple conversion is near the best one
  middle <- log(sqrt(-log(delta) / rho))
  max(0, stats::optimize(at, middle + c(-4, 4), tol = 1e-10)$objective)
}

#' The largest mu = sqrt(2 rho) whose epsilon this is
#' @noRd
zcdp_mu <- function(epsilon, delta) {
  # The order that is looked for in zcdp_epsilon() is found to 1e-10
  first_that(function(mu) zcdp_epsilon(mu^2 / 2, delta) > epsilon) * (1 - 1e-9)
}
