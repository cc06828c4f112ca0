# What a file release spends, and on what: from the plan alone.

# Of mu squared, for the discrete block where there are amounts, too
share_of_block <- 0.5

#' The budget of a release and its charges, before any noise is drawn
#'
#' @param plan (list) See with_published_bins().
#' @param tables (list of integer) Stated tables, columns of `plan$codes`.
#' @return (list) `mu` (of a record), `block` (see plan_block()), `amounts`
#'   (named list, see plan_amount()), `charges`.
#' @noRd
plan_file_release <- function(plan, tables, epsilon, delta, neighbours) {
  at <- function(mu) spending_plan(plan, tables, mu, delta, neighbours)
  # The gaps to Gaussian noise hardly depend on mu: one plan tells them. zCDP
  # has none; the label states the smaller epsilon of both conversions
  gap <- sum(at(gaussian_mu(epsilon, delta))$charges$gap)
  least <- zcdp_mu(epsilon, delta)
  spending <- at(max(gaussian_mu(epsilon, delta, 1.001 * gap), least))
  total <- total_charges(spending$charges, delta)$epsilon[[neighbours]]
  if (exceeds(total, epsilon)) spending <- at(least)
  spending
}

#' The same for a mu of a unit
#' @noRd
spending_plan <- function(plan, tables, mu, delta, neighbours) {
  published <- is_published_code(plan)
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
  amounts <- plan_amounts(
    plan, names, record * sqrt((1 - share) / length(names)), neighbours, delta
  )
  costs <- lapply(amounts, `[[`, "cost")
  names(costs) <- what_of_amount(names)
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

#' What each amount may spend, in the order in which they are released
#' @param names (character) Of protected amounts.
#' @param mu (number) Of a record, for each.
#' @return (named list) See plan_amount().
#' @noRd
plan_amounts <- function(plan, names, mu, neighbours, delta) {
  specs <- column_specs(plan$codebook)
  protected <- names(plan$levels)[!is_published_code(plan)]
  amounts <- lapply(seq_along(names), function(k) {
    name <- names[k]
    amount <- amount_model(specs[[name]], plan$schema[[name]])
    earlier <- names[seq_len(k - 1)]
    earlier <- stats::setNames(rep(levels_of_bins(), k - 1), earlier)
    levels <- predictor_levels(amount, plan$levels, earlier)
    levels <- levels[levels > 1]
    plan_amount(
      mu, neighbours, delta, length(amount$breaks) - 1, unname(levels),
      names(levels) %in% c(protected, names)
    )
  })
  stats::setNames(amounts, names)
}

#' What an amount may spend
#'
#' Whether it has tables, and of how many bins, depends on the noisy number of
#' records. Every way costs the same under the release's relation; under the
#' other one the largest cost counts.
#' @param mu (number) Of a record.
#' @param bins (count) Of the margin.
#' @param levels (integer) Of the predictors.
#' @param free (logical) Which of them are protected.
#' @return (list) `budget` (by way, each part's, see noise_of()), `free`, and
#'   `cost` (`rho` by relation, `gap`).
#' @noRd
plan_amount <- function(mu, neighbours, delta, bins, levels, free) {
  sigma <- least_sigma(table_bins * sum(levels), delta)
  budget <- lapply(amount_shares, function(shares) {
    lapply(mu * sqrt(shares / sum(shares)), function(amount) {
      list(
        noise = "gaussian", neighbours = neighbours, amount = amount,
        sigma = sigma
      )
    })
  })
  costs <- lapply(budget, amount_costs, bins, levels, free)
  list(
    budget = budget, free = free, cost = list(
      rho = do.call(pmax, lapply(unname(costs), `[[`, "rho")),
      gap = max(vapply(costs, `[[`, 0, "gap"))
    )
  )
}

#' What the parts of an amount cost in all
#' @noRd
amount_costs <- function(budget, bins, levels, free) {
  moves <- amount_margin_moves(margin_strategy(bins, "gaussian"))
  step <- sensitivity_of_reach(score_length, "gaussian")
  sums <- 2 + sum(levels - 1)
  parts <- c(
    list(part_cost(moves, budget$margin, bins)),
    lapply(budget[c("first", "second")], part_cost, moves = step, sums),
    if (!is.null(budget$tables) && length(levels) > 0) {
      list(amount_tables_cost(budget$tables, levels, free))
    }
  )
  list(
    rho = Reduce(`+`, lapply(parts, `[[`, "rho")),
    gap = sum(vapply(parts, `[[`, 0, "gap"))
  )
}

#' The cost of one part, not less than that of its noise, which is rounded up
#' @noRd
part_cost <- function(moves, budget, coordinates) {
  cost <- budget$amount * moves / moves[[budget$neighbours]]
  least <- noise_of(moves, budget, coordinates)$scale
  list(rho = cost^2 / 2, gap = gaussian_gap(least, coordinates))
}

#' The cost of tables, however many bins they turn out to have
#' @noRd
amount_tables_cost <- function(budget, levels, free) {
  costs <- lapply(least_table_bins:table_bins, function(bins) {
    plan <- binned_tables_plan(levels, bins, budget, free)
    # Noise that is too wide to be drawn is an error now
    table_noise(plan, 1)
    variance <- allocate_noise(plan, 1)
    by_relation(
      sum(plan$lengths$squared / variance), replaced_star(plan, variance)
    )
  })
  costs <- do.call(pmax, costs)
  costs[[budget$neighbours]] <- budget$amount^2
  cells <- table_bins * sum(levels)
  list(rho = costs / 2, gap = gaussian_gap(budget$sigma, cells))
}
