# What a file release spends, and on what: from the plan alone.

# Of mu squared, for the discrete block where there are amounts, too
share_of_block <- 0.6

#' The budget of a release and its charges, before any noise is drawn
#'
#' @param plan (list) See with_published_bins().
#' @param tables (list of integer) Stated tables, columns of `plan$codes`.
#' @return (list) `mu` (of a record), `block` (see plan_block()), `amounts` (see
#'   plan_amounts()), `charges`.
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
    plan, names, record * sqrt(1 - share), neighbours, delta
  )
  costs <- lapply(c(block$costs, amounts$cost), function(cost) {
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
