# Strong relations first: pairs are measured twice. The first look at all of
# them, with even noise, shows which have more than noise; these get the most of
# what the second one spends. Both together spend what one would have, however
# they divide it: see the start of file_release-budget.R. What they tell is
# joined by their variances.

# The first look's share of what pairs spend. From .4 to .6 tables are as near
share_of_first <- 0.5

# A pair's weight in the second look where the first shows nothing, beside that
# of one far above the noise. With .1 half of the gain is lost
least_of_second <- 0.02

# Rounds of dividing by what noise the division itself leads to
rounds_of_second <- 8

#' Which tables are measured twice: pairs, where there are several
#' @param lengths (data frame) See residual_lengths().
#' @noRd
twice_measured <- function(lengths) {
  pairs <- which(lengths$order == 2)
  if (length(pairs) > 1) pairs
}

#' A plan of some of its tables
#' @noRd
some_tables <- function(plan, at) {
  plan$tables <- plan$tables[at]
  plan$lengths <- plan$lengths[at, ]
  plan$emphasis <- plan$emphasis[at]
  plan
}

#' The first look at tables, and what it leaves for the second
#'
#' Under `"replace"` the costliest replacement of both looks may be another one
#' for each: all noise grows until both fit into the budget, and the second one
#' has its share.
#' @param plan (list) See plan_block() or binned_tables_plan(); `twice`: which
#'   of its tables are measured twice, or `NULL`.
#' @param variance (double) Of each table, if it were measured once.
#' @return (list) `variance` of each table, and `left`: what the second look may
#'   spend under the release's own relation.
#' @noRd
first_look <- function(plan, variance) {
  twice <- plan$twice
  if (is.null(twice)) {
    return(list(variance = variance, left = 0))
  }
  first <- variance
  first[twice] <- variance[twice] / share_of_first
  if (plan$neighbours != "replace") {
    spent <- sum(plan$lengths$squared / first)
    return(list(variance = first, left = plan$squared - spent))
  }
  own <- some_tables(plan, twice)
  left <- (1 - share_of_first) * own$replaced(own, variance[twice])
  both <- (plan$replaced(plan, first) + left) / plan$squared
  list(variance = first * both, left = left / both)
}

#' What tables weigh where noise is divided: their cells
#' @noRd
weight_of_cells <- function(plan) {
  plan$lengths$squared * plan$lengths$cells * (plan$emphasis %||% 1)
}

#' The variances of the second look at tables
#'
#' As allocate_noise() divides what all have, but each weighs the less, the less
#' of what the first look shows is more than noise.
#' @param plan (list) Of the tables that are measured twice, see some_tables().
#' @param variance (double) Of the first look at them.
#' @param beside (list of double) What it shows beside what is expected.
#' @param left (number) See first_look().
#' @noRd
second_variance <- function(plan, variance, beside, left) {
  lengths <- plan$lengths
  signal <- vapply(beside, function(x) sum(x^2), 0) / lengths$free - variance
  signal <- pmax(signal, 0)
  weight <- weight_of_cells(plan)
  for (round in seq_len(rounds_of_second)) {
    told <- (signal / (signal + variance))^2
    variance <- least_variances(
      weight * (told + least_of_second), lengths$squared, left
    )
  }
  if (plan$neighbours == "replace") {
    variance <- variance * plan$replaced(plan, variance) / left
  }
  variance
}

#' What both looks cost at most, whatever the first one shows
#'
#' The second one may spend all on one table: its largest move beside what a
#' dropped record moves it. Under `"replace"` a dropped record costs no more
#' than the costliest replacement: where each column changes with probability
#' 1/2, a table moves by 2 (product of k - product of (k - 1/2)) on average,
#' with k = (L - 1) / L, and that is at least the product of k. Noise that is
#' too wide to be drawn is an error, as wide as it may get.
#' @inheritParams first_look
#' @return (by relation)
#' @noRd
looks_bound <- function(plan, variance) {
  first <- first_look(plan, variance)
  check_looks(plan, first)
  cost <- tables_bound(plan, first$variance)
  if (is.null(plan$twice)) {
    return(cost)
  }
  own <- some_tables(plan, plan$twice)
  moved <- largest_moves(own$tables, own$levels, own$published)
  most <- max(moved / own$lengths$squared)
  if (plan$neighbours == "replace") most <- 1
  cost + first$left * by_relation(1, most)
}

#' @param first (list) See first_look().
#' @noRd
check_looks <- function(plan, first) {
  whole_noise(plan$lengths, first$variance, plan$sigma)
  if (is.null(plan$twice)) {
    return(invisible())
  }
  own <- some_tables(plan, plan$twice)
  # Of a table that shows nothing beside others that stand out
  widest <- sqrt((1 + least_of_second) / least_of_second) * least_variances(
    weight_of_cells(own), own$lengths$squared, first$left
  )
  # What a replaced record moves is at most four times a dropped one's
  if (plan$neighbours == "replace") widest <- 4 * widest
  whole_noise(own$lengths, widest, plan$sigma)
  invisible()
}

#' Noisy numbers of so many cells, all looks together
#' @noRd
cells_of_looks <- function(plan) {
  sum(plan$lengths$cells) + sum(plan$lengths$cells[plan$twice])
}

#' Measure tables, pairs twice
#'
#' @param variance (double) Of each table, if it were measured once.
#' @param beside (function of a plan with its first `noise` and `residuals`)
#'   Gives what each table that is measured twice has beside what is expected.
#' @param noisy (function of a plan of some tables, of their places, of noise
#'   and a seed) Gives their noisy residuals, in counts.
#' @return (list) `noise` (data frame: see residual_lengths(), with the
#'   `variance` of both looks together), `residuals` (list of double, in
#'   counts) and `looks`: of each, `at` (which tables) and `noise` (see
#'   whole_noise()).
#' @noRd
measured_in_looks <- function(plan, variance, seed, beside, noisy) {
  first <- first_look(plan, variance)
  all <- seq_along(plan$tables)
  noise <- whole_noise(plan$lengths, first$variance, plan$sigma)
  residuals <- noisy(plan, all, noise, seed)
  looks <- list(list(at = all, noise = noise))
  twice <- plan$twice
  if (!is.null(twice)) {
    plan[c("noise", "residuals")] <- list(noise, residuals)
    own <- some_tables(plan, twice)
    second <- whole_noise(own$lengths, second_variance(
      own, first$variance[twice], beside(plan), first$left
    ), plan$sigma)
    again <- noisy(own, twice, second, stage_seed(seed, "second look"))
    joined <- 1 / (1 / noise$variance[twice] + 1 / second$variance)
    share <- joined / second$variance
    residuals[twice] <- Map(function(first, second, share) {
      first + share * (second - first)
    }, residuals[twice], again, share)
    noise$variance[twice] <- joined
    looks[[2]] <- list(at = twice, noise = second)
  }
  list(
    noise = noise[c(names(plan$lengths), "variance")], residuals = residuals,
    looks = looks
  )
}

#' The measurements of tables, one for each look
#' @param looks (list) See measured_in_looks().
#' @param of (function of places of tables and their noise) Their measurement.
#' @return (list of `measurement`)
#' @noRd
look_measurements <- function(looks, of) {
  again <- c("", " (second look)")
  Map(function(look, again) {
    x <- of(look$at, look$noise)
    x$parts <- paste0(x$parts, again, recycle0 = TRUE)
    x
  }, looks, again[seq_along(looks)], USE.NAMES = FALSE)
}
