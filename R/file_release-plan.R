# What a file release spends, and on what: from the plan alone.

# Of mu squared, for the discrete block where there are amounts, too
share_of_block <- 0.5

#' The budget of a release and its charges, before any noise is drawn
#'
#' @param plan (`file_plan`)
#' @param tables (list of integer) Stated tables, columns of `plan$codes`.
#' @return (list) `mu` (of a record), `block` (see plan_block()), `amounts`
#'   (named list, see plan_amount()), `charges`.
#' @noRd
plan_file_release <- function(plan, tables, epsilon, delta, neighbours) {
  at <- function(mu) spending_plan(plan, tables, mu, delta, neighbours)
  # A hundredth of delta is more than the gaps to Gaussian noise take, but
  # where delta is tiny, or epsilon large
  spending <- at(gaussian_mu(epsilon, 0.99 * delta))
  total <- total_charges(spending$charges, delta)$epsilon[[neighbours]]
  if (exceeds(total, epsilon)) spending <- at(zcdp_mu(epsilon, delta))
  spending
}

#' The same for a mu of a unit
#' @noRd
spending_plan <- function(plan, tables, mu, delta, neighbours) {
  published <- colnames(plan$codes) %in% plan$published
  names <- protected_amounts(plan)
  levels <- as.integer(lengths(plan$levels))
  unit <- plan$unit$records %||% 1
  # All records of a unit together move a sum by at most as much as each, times
  # their number
  record <- mu / unit
  n <- if (neighbours == "replace" || has_public_size(plan)) plan$n_records
  measured <- length(measured_tables(levels, published, tables)) > 0
  share <- if (length(names) == 0) {
    1
  } else if (measured) {
    share_of_block
  } else {
    share_of_count * is.null(n)
  }
  block <- plan_block(
    levels, published, tables, record * sqrt(share), neighbours, delta, n
  )
  amounts <- lapply(stats::setNames(nm = names), function(name) {
    plan_amount(
      record * sqrt((1 - share) / length(names)), neighbours,
      levels[levels > 1], !published[levels > 1]
    )
  })
  costs <- lapply(amounts, `[[`, "cost")
  names(costs) <- sprintf("noisy sums of %s", names)
  costs <- lapply(c(block$costs, costs), function(cost) {
    if (!is.null(cost)) cost$rho <- cost$rho * unit^2
    cost
  })
  list(
    mu = mu, unit = unit, block = block, amounts = amounts,
    charges = plan_charges(costs)
  )
}

#' Is the number of records public? It is where columns are published
#' @noRd
has_public_size <- function(plan) length(plan$published) > 0

#' Amounts whose values are protected, survey weights last
#' @noRd
protected_amounts <- function(plan) {
  table <- plan$table
  amounts <- setdiff(table$column[table$amount], plan$published)
  last <- amounts %in% plan$survey_weights
  # All other amounts are then among their predictors
  c(amounts[!last], amounts[last])
}

# The noise of an amount's tables has at least so many whole units
amount_sigma <- 2^21

#' What an amount may spend
#'
#' Whether it has tables, and of how many bins, depends on the noisy number of
#' records. Every way costs the same under the release's relation; under the
#' other one the largest cost counts.
#' @param mu (number) Of a record.
#' @param levels (integer) Of the predictors that may have tables.
#' @param free (logical) Which of them are protected.
#' @return (list) `budget` (by way, each part's, see noise_of()) and `cost`
#'   (`rho` by relation, `gap`).
#' @noRd
plan_amount <- function(mu, neighbours, levels, free) {
  budget <- lapply(amount_shares, function(shares) {
    lapply(mu * sqrt(shares / sum(shares)), function(amount) {
      list(
        noise = "gaussian", neighbours = neighbours, amount = amount,
        sigma = amount_sigma
      )
    })
  })
  costs <- lapply(budget, amount_costs, levels, free)
  list(
    budget = budget, cost = list(
      rho = by_relation(
        max(vapply(costs, function(cost) cost$rho[[1]], 0)),
        max(vapply(costs, function(cost) cost$rho[[2]], 0))
      ),
      gap = max(vapply(costs, `[[`, 0, "gap"))
    )
  )
}

#' What the parts of an amount cost in all
#' @noRd
amount_costs <- function(budget, levels, free) {
  strategy <- margin_strategy(amount_bins, "gaussian")
  moves <- c(
    list(margin = amount_margin_moves(strategy)),
    rep(list(sensitivity_of_reach(score_length, "gaussian")), 2),
    if (!is.null(budget$tables)) list(tables = amount_table_moves(levels, free))
  )
  coordinates <- c(
    amount_bins, rep(2 + sum(levels), 2), table_bins * sum(levels)
  )
  rho <- by_relation(0, 0)
  gap <- 0
  for (k in seq_along(budget)) {
    part <- budget[[k]]
    cost <- part$amount * moves[[k]] / moves[[k]][[part$neighbours]]
    rho <- rho + cost^2 / 2
    least <- if (names(budget)[k] == "tables") {
      amount_sigma
    } else {
      noise_of(moves[[k]], part, coordinates[k])$scale
    }
    gap <- gap + gaussian_gap(least, coordinates[k])
  }
  list(rho = rho, gap = gap)
}

#' How far a record moves an amount's tables
#'
#' Lengths as multiples of a dropped record's. With k = (L - 1) / L of a
#' predictor and k_b of the bins, a dropped record moves a table by k k_b
#' squared, one that changes its bin by 2 k, one that changes its predictors
#' alone by 2 k_b: more than one that changes both. Variances go with
#' 1 / sqrt(L).
#' @noRd
amount_table_moves <- function(levels, free) {
  k <- (levels - 1) / levels
  of_bins <- 1 / (1 - 1 / least_table_bins)
  of_predictors <- sum(sqrt(levels) * free) / sum(sqrt(levels) * k)
  by_relation(1, sqrt(2 * max(of_bins, of_predictors)))
}
