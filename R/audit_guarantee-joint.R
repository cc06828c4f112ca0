# The exact audit of a whole file under one weight a record: every regression on
# a grid of its own. Draws of one say nothing of those of another, so that the
# log ratio of two files is a sum over the grids, and its ends over all cells of
# their product are the sums of the ends. Neighbours differ in whole records.

#' @rdname audit_guarantee
#' @export
audit_guarantee.file_synthesizer <- function(x, remove = NULL,
                                             replacements = 48, cells = NULL,
                                             ...) {
  check_no_dots(..., hint = "See {.fn audit_guarantee}.")
  check_sealed(x)
  refuse_if(
    !is_joint(x), "{.arg x} must be fitted under a mechanism.",
    x = "A model without one claims no guarantee.", arg = "x"
  )
  started <- proc.time()[["elapsed"]]
  most <- max(vapply(all_regressions(x$models), function(own) {
    count_parameters(own$fit$spec)
  }, 1))
  refuse_if(
    most > 3, "An exact audit needs regressions of at most three parameters.",
    x = "A regression of this file has {most}.",
    i = "State fewer {.arg predictors}:
         {.code list(income = character())} states none for {.code income}.",
    arg = "x"
  )
  check_count(cells, min = 8, null = TRUE)
  near <- joint_neighbours(x, remove, check_count(replacements))
  audited <- joint_grids(x, near, cells)
  found <- joint_pass(x, near, audited)
  check_that_resolved(found$losses$peak <= 0.5)
  half <- joint_pass(x, near, halved_grids(audited))
  losses <- with_grid_errors(found$losses, half$losses)
  losses$peak <- NULL
  new_result(
    "guarantee_audit",
    worst = worst_losses(losses), losses = losses, mechanism = mechanism_of(x),
    epsilon = x$censor$epsilon, method = "exact",
    model = paste("a file of", toString(names(x$models))),
    n_records = n_records(x), bound = found$bound, one_off = 0,
    claimed = if (is.null(x$censor)) "2 x bound" else "epsilon",
    grid = list(
      cells = sum(vapply(audited$grids, function(own) nrow(own$grid$z), 1L)),
      range = lapply(audited$grids, function(own) own$problem$parameters$range)
    ),
    seconds = proc.time()[["elapsed"]] - started
  )
}

# Neighbours -------------------------------------------------------------------

#' Whole records removed, and others in their place
#'
#' @return (list) `table` (data frame: `neighbours`, `record`, `value`: the
#'   record in its place as text), `to` (which of the new records; `NA`),
#'   `records` (the new ones, see records_of_plan()).
#' @noRd
joint_neighbours <- function(x, remove, replacements) {
  plan <- x$plan
  file <- records_of_plan(plan)
  n <- plan$n_records
  remove <- check_index(remove, n)
  # Equal records have equal neighbours
  key <- record_keys(file)
  remove <- remove[!duplicated(key[remove])]
  # Those whose bounds are the smallest, the largest and between
  rows <- order(x$bound$record)
  rows <- rows[!duplicated(key[rows])]
  rows <- rows[unique(round(seq(
    1, length(rows), length.out = max(1, round(replacements / 8))
  )))]
  if (replacements == 0) rows <- integer()
  record <- rep(rows, length.out = length(rows) * 8)
  records <- made_up_records(plan, max(1L, length(record)))
  # What is published of a record stays
  kept <- intersect(colnames(records$codes), plan$published)
  if (length(record) > 0) {
    records$codes[, kept] <- file$codes[record, kept]
    for (name in intersect(names(records$values), plan$published)) {
      records$values[[name]] <- file$values[[name]][record]
    }
  }
  text <- if (is.null(plan$members)) {
    do.call(paste, c(
      lapply(
        decode_records(plan, records$codes, amounts_of(records)), as.character
      ), sep = ", "
    ))
  } else {
    rep("another household", length(record))
  }
  list(
    table = data.frame(
      neighbours = rep(relation_names, c(length(remove), length(record))),
      record = c(remove, record),
      value = c(rep(NA_character_, length(remove)), text[seq_along(record)])
    ),
    to = c(rep(NA_integer_, length(remove)), seq_along(record)),
    records = records
  )
}

#' Records of any levels and values that the codebook allows, many at the ends
#' @return (list) See records_of_plan().
#' @noRd
made_up_records <- function(plan, n) {
  made <- arbitrary_records(plan, n, seed_words(0, "audit"), ends = 0.3)
  specs <- column_specs(plan$codebook)
  values <- lapply(stats::setNames(nm = names(plan$amounts)), function(name) {
    parts <- amount_parts(specs[[name]])
    value <- made$values[, name]
    at <- which(!is.na(value))
    part <- column_code(made, name)[at]
    # A value of the part: most numbers have too many decimals
    below <- in_part_beyond(value[at], part, parts, -1)
    above <- in_part_beyond(value[at], part, parts, 1)
    value[at] <- ifelse(is.finite(below), below, above)
    value
  })
  list(codes = made$codes, values = values)
}

#' The types of a neighbour's records; 0 is the file
#' @noRd
joint_types <- function(near, audited, j) {
  record <- near$table$record[j]
  if (j == 0) {
    audited$type
  } else if (is.na(near$to[j])) {
    audited$type[-record]
  } else {
    replace(audited$type, record, audited$new_type[near$to[j]])
  }
}

# Grids ------------------------------------------------------------------------

#' The grid of each regression
#'
#' Weights come from the bounds of all: they are made on grids that are fine
#' where the posteriors without weights are, and again on those that are also
#' fine where the weighted ones are.
#' @return (list) See joint_problems(); each of `grids` has a `grid`.
#' @noRd
joint_grids <- function(x, near, cells) {
  audited <- joint_problems(x, near)
  alpha <- rep(1, audited$n_types)
  audited$grids <- lapply(audited$grids, function(own) {
    own$grid <- located_grid(own, alpha, coarse_points)
    own
  })
  alpha <- type_weights(
    joint_weights(x, audited, audited$type), audited$type, audited$n_types
  )
  audited$grids <- lapply(audited$grids, function(own) {
    d <- own$problem$parameters$dimension
    size <- cells %||% c(8001, 60000, 110592)[d]
    check_memory(8 * size * audited$n_types, "The grid", "cells")
    points <- rep(2 * floor(size^(1 / d) / 2) + 1, 3)
    own$grid <- located_grid(own, alpha, points)
    own
  })
  audited
}

#' Types of records and what each regression has of them
#'
#' A type is a distinct whole record: two that are equal in one column may have
#' different weights.
#' @return (list) `records` (of each type), `type` (of the file's records),
#'   `new_type` (of those in their place), `n_types`, `grids`: for each
#'   regression `used` (logical, of the types), `rule` (its censoring) and
#'   `problem`, see audit_problem().
#' @noRd
joint_problems <- function(x, near) {
  plan <- x$plan
  specs <- column_specs(plan$codebook)[names(plan$schema)]
  file <- records_of_plan(plan)
  all <- list(
    codes = rbind(file$codes, near$records$codes),
    values = Map(c, file$values, near$records$values[names(file$values)])
  )
  key <- record_keys(all)
  first <- which(!duplicated(key))
  type <- match(key, key[first])
  v <- length(first)
  counts <- as.double(tabulate(type[seq_len(plan$n_records)], v))
  of_types <- records_at(all, first)
  regressions <- all_regressions(lapply(
    stats::setNames(nm = names(x$models)), function(name) {
      public_regressions(of_types, name, specs, x$predictors[[name]], plan)
    }
  ))
  rules <- lapply(all_regressions(x$models), function(own) own$fit$censor)
  grids <- Map(function(own, rule) {
    list(
      used = own$used, rule = rule,
      problem = list(
        spec = own$model$spec, n_types = v, counts = counts,
        parameters = grid_parameters(own$model$spec)
      )
    )
  }, regressions, rules)
  list(
    records = of_types, type = type[seq_len(plan$n_records)],
    new_type = type[-seq_len(plan$n_records)], n_types = v,
    # Where no record is of a regression its draws are the prior's
    grids = Filter(function(own) any(own$used), unname(grids))
  )
}

record_keys <- function(records) {
  codes <- records$codes
  do.call(paste, c(
    lapply(seq_len(ncol(codes)), function(j) codes[, j]),
    lapply(records$values, format, digits = 17), list(rep("", nrow(codes)))
  ))
}

#' A grid that is fine where the posterior without weights and the weighted one
#' are
#' @param alpha (numeric) Weights of the types.
#' @param points (integer) On each axis, by the number of parameters.
#' @noRd
located_grid <- function(own, alpha, points) {
  problem <- own$problem
  several <- problem$spec$n_columns > 1
  places <- if (several) independent_places else searched_places
  rules <- unique(list(
    if (is.null(own$rule)) joint_rule(own, 1), joint_rule(own, alpha)
  ))
  found <- lapply(Filter(Negate(is.null), rules), function(rule) {
    list(
      counts = problem$counts, rule = rule,
      z = places(problem, problem$counts, rule)
    )
  })
  grid <- problem_grid(
    problem, lapply(found, `[[`, "z"), points[problem$parameters$dimension]
  )
  half <- halve_grid(grid)
  for (one in found) check_resolved(grid, half, one)
  grid
}

#' Weights of the types under a regression's clip; 0 for those it has not
#' @noRd
joint_rule <- function(own, alpha) {
  plain_rule(
    list(f = matrix(0, 1, own$problem$n_types)), alpha * own$used,
    own$rule$lower %||% -Inf, own$rule$upper %||% Inf
  )
}

halved_grids <- function(audited) {
  audited$grids <- lapply(audited$grids, function(own) {
    own$grid <- complete_grid(own$problem, halve_grid(own$grid))
    own
  })
  audited
}

#' Weights of records as those of their types, 0 for types without a record
#' @noRd
type_weights <- function(weights, type, n_types) {
  if (is.null(weights)) {
    return(rep(1, n_types))
  }
  by_type(weights, list(type = type, counts = numeric(n_types)))
}

joint_posterior <- function(own, audited, type, alpha) {
  counts <- as.double(tabulate(type, audited$n_types))
  grid_posterior(own$grid, counts, joint_rule(own, alpha))
}

# Weights ----------------------------------------------------------------------

#' The mechanism's weights of a neighbour's records, made again from bounds on
#' the grids
#' @param type (integer) See joint_types().
#' @noRd
joint_weights <- function(x, audited, type) {
  if (is.null(x$privacy_weights)) {
    return(NULL)
  }
  replay_node(
    node_of(x$privacy_weights),
    list(
      data = data.frame(record = seq_along(type)),
      count = function(b) {
        file_count_weights(
          records_at(audited$records, type), b$drawn, b$radius, b$relative,
          b$known, b$scale, b$shift
        )
      }
    ),
    function(weights, stage) joint_grid_fit(audited, type, weights)
  )
}

#' The fit of a file on grids: its bound is the sum of those of all regressions
#' @noRd
joint_grid_fit <- function(audited, type, weights = NULL, ...) {
  n <- length(type)
  weights <- as_privacy_weights(weights, n)
  alpha <- type_weights(weights, type, audited$n_types)
  bounds <- lapply(audited$grids, function(own) {
    rule <- joint_rule(own, alpha)
    posterior <- joint_posterior(own, audited, type, alpha)
    grid_bounds(own$grid, rule, grid_bulk(own$grid, posterior))
  })
  record <- Reduce(`+`, bounds)[type]
  bound <- structure(
    list(
      overall = max(record), record = record, kept = TRUE, quantile = 1,
      weighted = !is.null(weights)
    ),
    class = "lipschitz_bound"
  )
  structure(
    list(
      privacy_weights = weights, bound = bound, spec = list(y = numeric(n)),
      log_lik = list(kind = "grid"), converged = TRUE, quantile = 0,
      again = function(object, privacy_weights = NULL, ...) {
        joint_grid_fit(audited, type, privacy_weights)
      }
    ),
    class = c("grid_fit", "external_fit")
  )
}

# Losses -----------------------------------------------------------------------

#' All neighbours on the product of all grids
#' @return (list) `losses` (`peak`: the largest share of a cell of any grid),
#'   `bound`.
#' @noRd
joint_pass <- function(x, near, audited) {
  grids <- audited$grids
  type <- audited$type
  weights <- joint_weights(x, audited, type)
  alpha <- type_weights(weights, type, audited$n_types)
  base <- lapply(grids, joint_posterior, audited, type, alpha)
  bulk <- Map(function(own, x) grid_bulk(own$grid, x), grids, base)
  bound <- if (is.null(x$censor)) {
    joint_grid_fit(audited, type, weights)$bound$overall
  } else {
    NA_real_
  }
  claims <- audit_claims(list(
    width = if (!is.null(x$censor)) x$censor$upper - x$censor$lower,
    factor = 0, one_off = 0
  ), bound)
  steps <- cli::cli_progress_along(near$table$record, name = "Neighbours")
  rows <- lapply(steps, function(j) {
    other <- joint_types(near, audited, j)
    other_alpha <- alpha
    if (!is.null(weights)) {
      other_alpha <- type_weights(
        joint_weights(x, audited, other), other, audited$n_types
      )
    }
    change <- tabulate(type, audited$n_types) !=
      tabulate(other, audited$n_types) | other_alpha != alpha
    ratios <- Map(function(own, base, bulk) {
      # Nothing that this regression has is different
      if (!any(change & own$used)) {
        return(NULL)
      }
      new <- joint_posterior(own, audited, other, other_alpha)
      q <- log_normalized(new)
      list(
        p = log_normalized(base), q = q, bulk = bulk,
        peak = if (is.null(own$rule)) 0 else exp(max(q))
      )
    }, grids, base, bulk)
    product_loss(
      Filter(Negate(is.null), ratios), claims[[near$table$neighbours[j]]],
      !is.null(x$censor)
    )
  })
  losses <- do.call(rbind, rows)
  losses$claim <- unname(claims[near$table$neighbours])
  # What is censored can cost no more, whatever the records are
  losses$limit <- if (is.null(x$censor)) Inf else losses$claim
  list(losses = cbind(near$table, losses), bound = bound)
}

#' The loss of independent draws: log ratios add up
#'
#' @param ratios (list) For each grid `p` and `q` (log masses of the two files),
#'   `bulk` (cells) and `peak`.
#' @return (data frame, 1 row) `loss_bulk`: the largest sum over cells that lie
#'   in the bulk of every grid. `delta` is exact on two grids; on more it is 0
#'   where the loss is below the claim, else `NA`.
#' @noRd
product_loss <- function(ratios, claim, censored) {
  r <- lapply(ratios, function(own) {
    ratio <- own$p - own$q
    # Cells that neither file's draws come to
    ifelse(is.nan(ratio), 0, ratio)
  })
  ends <- function(parts) {
    high <- sum(vapply(parts, max, 1))
    low <- sum(vapply(parts, min, 1))
    max(high, -low, 0)
  }
  loss <- ends(r)
  unbounded <- !censored && loss > 0
  data.frame(
    loss = if (unbounded) Inf else loss,
    loss_bulk = ends(Map(function(r, own) r[own$bulk], r, ratios)),
    delta = if (loss <= claim * (1 + 1e-9)) {
      0
    } else if (length(ratios) <= 2) {
      product_delta(ratios, r, claim * (1 + 1e-9))
    } else {
      NA_real_
    },
    peak = max(0, vapply(ratios, `[[`, 1, "peak"))
  )
}

#' The mass by which one product of posteriors exceeds exp(claim) times another
#'
#' For each cell of the first grid the cells of the second count whose ratio is
#' above what is left of the claim: sums of sorted masses.
#' @noRd
product_delta <- function(ratios, r, claim) {
  one_way <- function(p, q, r) {
    if (length(p) == 1) {
      above <- r[[1]] > claim
      return(sum(exp(p[[1]][above]) - exp(claim + q[[1]][above])))
    }
    second <- order(r[[2]])
    sorted <- r[[2]][second]
    tail_of <- function(x) c(rev(cumsum(rev(exp(x[second])))), 0)
    at <- findInterval(claim - r[[1]], sorted) + 1L
    sum(
      exp(p[[1]]) * tail_of(p[[2]])[at] -
        exp(claim + q[[1]]) * tail_of(q[[2]])[at]
    )
  }
  p <- lapply(ratios, `[[`, "p")
  q <- lapply(ratios, `[[`, "q")
  max(0, one_way(p, q, r), one_way(q, p, lapply(r, `-`)))
}
