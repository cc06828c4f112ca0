# What a file release spends, and on what: from the plan alone.

# What its amounts spend is fixed beforehand, all together. How it is divided
# among them follows from noisy numbers of records that are released by then:
# Gaussian mechanisms, each chosen by what those before it have shown, are no
# more than one of the total mu squared, if no choice spends more than that
# (Smith and Thakurta 2022, Fully adaptive composition for Gaussian differential
# privacy). So it is with zCDP.

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
  models <- amount_models(plan, names)
  protected <- names(plan$levels)[!is_published_code(plan)]
  choices <- choices_of_earlier(length(names))
  # What one has where it has least: its noise must not be too wide
  others <- max(0, length(names) - 1)
  least <- sqrt(1 / (1 + others / least_amount_weight))
  each <- lapply(seq_along(names), function(k) {
    amount <- models[[k]]
    earlier <- names[seq_len(k - 1)]
    levels <- unique(lapply(choices, function(bins) {
      earlier <- stats::setNames(rep(bins + 1L, k - 1), earlier)
      levels <- predictor_levels(amount, plan$levels, earlier)
      levels[levels > 1]
    }))
    free <- names(levels[[1]]) %in% c(protected, names)
    plan_amount(
      mu, neighbours, delta, amount$planned_bins, lapply(levels, unname),
      # Of a plan of members nothing is published
      is_of_members(amount) | free,
      # Of members one: how near they are
      if (is_of_members(amount)) 1 else length(amount$earlier),
      least = mu * least, parts = parts_of(amount)
    )
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
#' @param links (count) See linked_amount().
#' @param look (flag) Has its margin a first look?
#' @return (list) By way, each part's, see noise_of().
#' @noRd
amount_budget <- function(mu, neighbours, sigma, links = 0, look = FALSE) {
  lapply(amount_shares, function(shares) {
    if (look) {
      shares[["look"]] <- share_of_look * shares[["margin"]]
      shares[["margin"]] <- (1 - share_of_look) * shares[["margin"]]
    }
    if (links > 0) {
      whole <- sum(shares) / (1 - share_of_links)
      shares[["links"]] <- share_of_links * whole
    }
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
#' Whether it has tables, of how many bins, and how many earlier amounts have,
#' depends on the noisy number of records. Every way costs the same under the
#' release's relation; under the other one the largest cost counts. Costs are in
#' proportion to mu squared.
#' @param mu (number) Of a record.
#' @param bins (named counts) See amount_model().
#' @param levels (list of integer) Of the predictors, for each number of bins
#'   that earlier amounts may have.
#' @param free (logical) Which of them are protected.
#' @param links (count) See linked_amount().
#' @param least (number) The least that it may have to spend: its noise must not
#'   be too wide then, either.
#' @param parts (count) Of a record, see share_parts.
#' @return (list) `free`, `sigma`, `links`, `look` and `cost` (`rho` by
#'   relation, `gap`).
#' @noRd
plan_amount <- function(mu, neighbours, delta, bins, levels, free, links = 0,
                        least = mu, parts = 1) {
  # Tables may be measured twice
  cells <- 2 * table_bins * max(vapply(levels, sum, 1L))
  sigma <- least_sigma(cells, delta)
  look <- "look" %in% names(bins)
  budgets <- unlist(lapply(unique(c(least, mu)), function(mu) {
    amount_budget(mu, neighbours, sigma, links, look)
  }), recursive = FALSE)
  costs <- unlist(lapply(levels, function(levels) {
    # Of the least budget, whose noise is looked at; others cost as many times
    # as much
    first <- budgets[[1]]$tables
    cost <- if (length(levels) > 0) {
      amount_tables_cost(first, levels, free, parts)
    }
    tables <- lapply(budgets, function(budget) {
      if (is.null(budget$tables) || is.null(cost)) {
        return(NULL)
      }
      cost$rho <- cost$rho * (budget$tables$amount / first$amount)^2
      cost
    })
    # What earlier amounts say together is one column more, in place of others
    columns <- 1 + sum(levels - 1) + (links > 0)
    # A margin may have fewer bins: under one relation it then costs less beside
    # the other, the less the fewer they are
    lapply(list(bins, pmin(bins, 2)), function(bins) {
      planned <- planned_amount(bins, columns, links, parts)
      Map(amount_costs, budgets, list(planned), tables)
    })
  }), recursive = FALSE)
  costs <- unlist(costs, recursive = FALSE)
  list(
    free = free, sigma = sigma, links = links, look = look, cost = list(
      rho = do.call(pmax, lapply(unname(costs), `[[`, "rho")),
      gap = max(vapply(costs, `[[`, 0, "gap"))
    )
  )
}

#' The measurements of an amount but its tables, as far as they are public
#' @param columns (count) Of the predictors' design.
#' @noRd
planned_amount <- function(bins, columns, links = 0, parts = 1) {
  step <- step_measurement("", columns)
  c(
    lapply(bins, function(bins) margin_of_amount(seq(0, bins), parts = parts)),
    list(first = step, second = step),
    if (links > 0) list(links = link_measurement(links))
  )
}

#' What the parts of an amount cost in all
#' @param parts (list) See planned_amount().
#' @param tables (list or `NULL`, there are none) See amount_tables_cost().
#' @noRd
amount_costs <- function(budget, parts, tables = NULL) {
  costs <- Map(most_cost, parts, budget[names(parts)])
  cost_of(costs = c(unname(costs), list(tables)[!is.null(tables)]))
}

#' The cost of tables, however many bins they turn out to have
#' @noRd
amount_tables_cost <- function(budget, levels, free, parts = 1) {
  costs <- lapply(least_table_bins:table_bins, function(bins) {
    plan <- binned_tables_plan(levels, bins, budget, free, parts)
    plan$twice <- twice_measured(plan$lengths)
    looks_bound(plan, allocate_noise(plan, 1))
  })
  costs <- do.call(pmax, costs)
  costs[[budget$neighbours]] <- budget$amount^2
  cells <- 2 * table_bins * sum(levels)
  list(rho = costs / 2, gap = gaussian_gap(budget$sigma, cells))
}

# What the whole release spends ------------------------------------------------

# Of mu squared, for the discrete block where there are amounts, too, at least
# and at most: of members of households, of waves and of other records
# (bench/households-strict.R, bench/panels.R, bench/file_rivals.R). Each amount
# weighs as two columns, and beside members' columns, which are many, as one.
share_of_block <- c(least = 0.3, homes = 0.85, waves = 0.7, records = 0.6)

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
    columns <- sum(!published)
    kind <- if (is.null(plan$members)) {
      "records"
    } else if (is.null(plan$members$waves)) {
      "homes"
    } else {
      "waves"
    }
    each <- if (kind == "homes") 1 else 2
    clamp(
      columns / (columns + each * length(names)), share_of_block[["least"]],
      share_of_block[[kind]]
    )
  } else {
    share_of_count * is.null(n)
  }
  block <- plan_block(
    levels, published, tables, record * sqrt(share), neighbours, delta, n,
    plan$members,
    if (!is.null(plan$members)) pooled_tables(plan$members, plan$levels)
  )
  block[c("numbers", "ordered")] <- level_orders(
    plan$levels, column_specs(plan$codebook), plan$members
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

#' Amounts whose values are protected, survey weights last; and those that
#' members share, after all others
#' @noRd
protected_amounts <- function(plan) {
  table <- plan$table
  amounts <- setdiff(table$column[table$amount], plan$published)
  last <- amounts %in% plan$survey_weights
  # All other amounts are then among their predictors
  amounts <- c(amounts[!last], amounts[last])
  shared <- shared_amounts(plan)
  if (length(shared) == 0) {
    return(amounts)
  }
  # What a household has comes first
  slots <- unlist(lapply(shared, columns_by_slot, plan$members))
  c(setdiff(amounts, slots), shared)
}

# Published amounts ------------------------------------------------------------

# Published amounts beside protected columns: in fifths they are further
# published columns of the block, so that tables of pairs tell what protected
# categories have to do with them.

# Bins of a published amount
published_bins <- 5

#' A plan whose published amounts are columns of its block, in bins
#'
#' They cost nothing by themselves; their tables with protected columns do.
#' @param plan (`file_plan`)
#' @return (list) As `plan`, with further columns of `codes` and `levels`.
#' @noRd
with_published_bins <- function(plan) {
  for (name in intersect(names(plan$amounts), plan$published)) {
    bins <- bins_of_published(column_of_plan(plan, name), plan$n_records)
    # Of one level it would tell nothing
    if (nlevels(bins) < 2) next
    plan <- with_codes(
      plan, binned_name(name, plan), levels(bins), as.integer(bins)
    )
  }
  plan
}

#' A plan with a further column of codes
#' @noRd
with_codes <- function(plan, column, levels, codes) {
  if (!is.null(plan$stored)) {
    return(stored_with_codes(plan, column, levels, codes))
  }
  plan$levels[[column]] <- levels
  plan$codes <- cbind(plan$codes, codes)
  colnames(plan$codes) <- names(plan$levels)
  plan
}

#' Bins of equal counts; a level of its own for records without a value
#' @param own (list) `records` and `values` of the amount.
#' @return (factor, n) Without levels that no record has.
#' @noRd
bins_of_published <- function(own, n) {
  inner <- seq_len(published_bins - 1) / published_bins
  breaks <- unique(stats::quantile(own$values, inner, names = FALSE))
  bin <- integer(n)
  bin[own$records] <- findInterval(own$values, breaks) + 1L
  bins <- seq_len(length(breaks) + 1)
  droplevels(factor(bin, c(0, bins), c("without", paste("bin", bins))))
}

#' A name that no column of the file has
#' @noRd
binned_name <- function(name, plan) {
  taken <- c(names(plan$schema), names(plan$levels))
  utils::tail(make.unique(c(taken, paste(name, "in bins"))), 1)
}

#' Which columns of the block are published: those that the file has not are
#' published amounts in bins
#' @return (logical)
#' @noRd
is_published_code <- function(plan) {
  names <- names(plan$levels)
  names %in% plan$published | !names %in% names(plan$schema)
}

#' Codes of the file's own columns
#' @noRd
without_bins <- function(codes, schema) {
  codes[, colnames(codes) %in% names(schema), drop = FALSE]
}
