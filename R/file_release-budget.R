# What the amounts of a file release may spend. All together it is fixed
# beforehand. How it is divided among them follows from noisy numbers of records
# that are released by then: Gaussian mechanisms, each chosen by what those
# before it have shown, are no more than one of the total mu squared, if no
# choice spends more than that (Smith and Thakurta 2022, Fully adaptive
# composition for Gaussian differential privacy). So it is with zCDP.

# Of an amount's mu squared: margin, two steps, tables. Without tables the other
# parts share all of it.
amount_shares <- list(
  tables = c(margin = 0.17, first = 0.12, second = 0.2, tables = 0.51),
  plain = c(margin = 0.4, first = 0.27, second = 0.33)
)

# The least weight of an amount that few records have a value of, beside 1: with
# less, the noise of many amounts would be too wide to be drawn
least_amount_weight <- 0.3

#' What the amounts may spend, in the order in which they are released
#'
#' Every division costs the same under the release's relation. Under the other
#' one it costs no more than if the amount that costs most there had all of it.
#' @param names (character) Of protected amounts.
#' @param mu (number) Of a record, for all.
#' @return (list) `mu`, `neighbours`, `each` (named list of `free` and `sigma`,
#'   see plan_amount()), and `cost` (named by what pays; empty without amounts).
#' @noRd
plan_amounts <- function(plan, names, mu, neighbours, delta) {
  specs <- column_specs(plan$codebook)
  protected <- names(plan$levels)[!is_published_code(plan)]
  # What one has where it has least: its noise must not be too wide
  others <- max(0, length(names) - 1)
  least <- sqrt(1 / (1 + others / least_amount_weight))
  each <- lapply(seq_along(names), function(k) {
    name <- names[k]
    amount <- amount_model(specs[[name]])
    earlier <- names[seq_len(k - 1)]
    earlier <- stats::setNames(rep(levels_of_bins(), k - 1), earlier)
    levels <- predictor_levels(amount, plan$levels, earlier)
    levels <- levels[levels > 1]
    at <- function(mu) {
      plan_amount(
        mu, neighbours, delta, length(amount$breaks) - 1, unname(levels),
        names(levels) %in% c(protected, names)
      )
    }
    at(mu * least)
    at(mu)
  })
  costs <- lapply(each, `[[`, "cost")
  cost <- if (length(names) > 0) {
    list(
      rho = do.call(pmax, lapply(costs, `[[`, "rho")),
      gap = sum(vapply(costs, `[[`, 0, "gap"))
    )
  }
  list(
    mu = mu, neighbours = neighbours, each = stats::setNames(each, names),
    cost = stats::setNames(
      list(cost)[length(names) > 0], what_of_amounts(names)[length(names) > 0]
    )
  )
}

#' The charge that pays for all amounts
#' @noRd
what_of_amounts <- function(names) {
  sprintf("noisy sums of %s", if (length(names) == 1) {
    names
  } else {
    counted(length(names), "amount")
  })
}

#' How mu squared is divided among amounts
#'
#' An amount that few records have gets less: what it has to do with other
#' columns moves few records of their tables.
#' @param sizes (double) Records with a value, as released.
#' @param n (number) All records, as released.
#' @return (double) Their sum is 1.
#' @noRd
amount_weights <- function(sizes, n) {
  weight <- pmax(sqrt(clamp(sizes / n, 0, 1)), least_amount_weight)
  weight / sum(weight)
}

#' The parts of what an amount may spend
#' @param mu (number) Of the amount.
#' @param sigma (number) See refined().
#' @return (list) By way, each part's, see noise_of().
#' @noRd
amount_budget <- function(mu, neighbours, sigma) {
  lapply(amount_shares, function(shares) {
    lapply(mu * sqrt(shares / sum(shares)), function(amount) {
      list(
        noise = "gaussian", neighbours = neighbours, amount = amount,
        sigma = sigma
      )
    })
  })
}

#' What an amount may spend
#'
#' Whether it has tables, and of how many bins, depends on the noisy number of
#' records. Every way costs the same under the release's relation; under the
#' other one the largest cost counts. Costs are in proportion to mu squared.
#' @param mu (number) Of a record.
#' @param bins (count) Of the margin.
#' @param levels (integer) Of the predictors.
#' @param free (logical) Which of them are protected.
#' @return (list) `free`, `sigma` and `cost` (`rho` by relation, `gap`).
#' @noRd
plan_amount <- function(mu, neighbours, delta, bins, levels, free) {
  sigma <- least_sigma(table_bins * sum(levels), delta)
  parts <- planned_amount(bins, 1 + sum(levels - 1))
  costs <- lapply(
    amount_budget(mu, neighbours, sigma), amount_costs, parts, levels, free
  )
  list(
    free = free, sigma = sigma, cost = list(
      rho = do.call(pmax, lapply(unname(costs), `[[`, "rho")),
      gap = max(vapply(costs, `[[`, 0, "gap"))
    )
  )
}

#' The measurements of an amount but its tables, as far as they are public
#' @param columns (count) Of the predictors' design.
#' @noRd
planned_amount <- function(bins, columns) {
  step <- step_measurement("", columns)
  list(
    margin = margin_measurement(seq(0, bins), valued = FALSE),
    first = step, second = step
  )
}

#' What the parts of an amount cost in all
#' @param parts (list) See planned_amount().
#' @noRd
amount_costs <- function(budget, parts, levels, free) {
  costs <- Map(most_cost, parts, budget[names(parts)])
  if (!is.null(budget$tables) && length(levels) > 0) {
    costs$tables <- amount_tables_cost(budget$tables, levels, free)
  }
  cost_of(costs = unname(costs))
}

#' The cost of tables, however many bins they turn out to have
#' @noRd
amount_tables_cost <- function(budget, levels, free) {
  costs <- lapply(least_table_bins:table_bins, function(bins) {
    plan <- binned_tables_plan(levels, bins, budget, free)
    # Noise that is too wide to be drawn is an error now
    table_noise(plan, 1)
    tables_bound(plan, allocate_noise(plan, 1))
  })
  costs <- do.call(pmax, costs)
  costs[[budget$neighbours]] <- budget$amount^2
  cells <- table_bins * sum(levels)
  list(rho = costs / 2, gap = gaussian_gap(budget$sigma, cells))
}
