# The exact audit: every neighbour's posterior on one grid. Internal.

#' Audit a mechanism on the grid
#'
#' @param model (list) See `new_model()`.
#' @param neighbours (list) See `audit_neighbours()`.
#' @return (list) `losses` (data frame, a row for each neighbour), `bound`,
#'   `claims`, `cells`, `range`, `mechanism` (see settled()).
#' @noRd
audit_on_grid <- function(model, mechanism, files, cells, range) {
  problem <- audit_problem(model, files, range)
  cells <- cells %||% c(8001, 60000, 110592)[problem$parameters$dimension]
  check_memory(8 * cells * problem$n_types, "The grid", "cells")
  grid <- locate_grid(problem, mechanism, cells)
  mechanism <- settled(mechanism, problem, grid)
  fine <- audit_pass(problem, grid, mechanism)
  # Neighbours' posteriors may lie elsewhere: no cell may hold most of one
  check_that_resolved(fine$losses$peak <= 0.5)
  fine$losses$peak <- NULL
  half <- audit_pass(
    problem, complete_grid(problem, halve_grid(grid)), mechanism
  )
  fine$losses <- with_grid_errors(fine$losses, half$losses)
  c(fine, list(
    cells = nrow(grid$z), range = problem$parameters$range,
    mechanism = mechanism
  ))
}

#' The losses, with how much they change on a grid with twice the step
#' @noRd
with_grid_errors <- function(losses, half) {
  parts <- c("loss", "loss_bulk", "delta")
  losses[c("error_loss", "error_bulk", "error_delta")] <- Map(
    function(fine, half) {
      change <- abs(fine - half)
      # Two infinite losses do not differ
      ifelse(is.nan(change), 0, change)
    }, losses[parts], half[parts]
  )
  losses
}

# Databases --------------------------------------------------------------------

#' Types, counts and neighbours of an audit
#' @noRd
audit_problem <- function(model, files, range) {
  table <- files$table
  changed <- which(!is.na(table$value))
  replaced <- model$data[table$record[changed], , drop = FALSE]
  replaced[[model$response$name]] <- files$values[table$value[changed]]
  datas <- lapply(list(model$data, replaced), as.data.frame)
  found <- record_types(lapply(datas, model_spec, model = model))
  v <- length(found$spec$y)
  to <- rep(NA_integer_, nrow(table))
  to[changed] <- found$type[[2]]
  list(
    model = model, files = table, replaced = replaced, changed = changed,
    spec = found$spec, n_types = v,
    data = do.call(rbind, datas)[found$first, , drop = FALSE],
    file_type = found$type[[1]],
    counts = as.double(tabulate(found$type[[1]], v)),
    from = found$type[[1]][table$record], to = to,
    parameters = grid_parameters(found$spec, range)
  )
}

neighbour_counts <- function(problem, j) {
  counts <- problem$counts
  counts[problem$from[j]] <- counts[problem$from[j]] - 1
  to <- problem$to[j]
  if (!is.na(to)) counts[to] <- counts[to] + 1
  counts
}

# Losses -----------------------------------------------------------------------

#' All neighbours on one grid
#' @return (list) `losses` (`peak`: the largest share of a cell), `bound`,
#'   `claims`.
#' @noRd
audit_pass <- function(problem, grid, mechanism) {
  if (!is.null(mechanism$first)) {
    return(staged_pass(problem, grid, mechanism))
  }
  rule <- database_rule(problem, grid, mechanism, 0)
  base <- grid_posterior(grid, problem$counts, rule)
  bulk <- grid_bulk(grid, base)
  bound <- max(grid_bounds(grid, rule, bulk)[problem$counts > 0])
  claims <- audit_claims(mechanism, bound)
  one_off <- mechanism$one_off * c("add-remove" = 1, replace = 2)
  steps <- cli::cli_progress_along(problem$from, name = "Neighbours")
  rows <- lapply(steps, function(j) {
    neighbours <- problem$files$neighbours[j]
    paid <- one_off[[neighbours]]
    counts <- neighbour_counts(problem, j)
    if (mechanism$own_value) {
      other_rule <- rule
      other <- grid_change(grid, base, counts - problem$counts, rule)
    } else {
      other_rule <- database_rule(problem, grid, mechanism, j)
      other <- grid_posterior(grid, counts, other_rule)
    }
    at <- claims[[neighbours]] - paid
    # A hair above the claim is rounding, not a loss
    loss <- grid_loss_(base, other, bulk, at * (1 + 1e-9))
    # A log density that is not censored has no bound over all parameters
    unbounded <- !is.finite(rule$lower) && loss$everywhere > 0
    data.frame(
      loss = paid + if (unbounded) Inf else loss$everywhere,
      loss_bulk = paid + loss$bulk, delta = loss$delta,
      claim = claims[[neighbours]],
      limit = paid +
        weight_limit(mechanism, rule, other_rule, counts, problem, j),
      # Without a clip the loss is unbounded, whatever the grid sees of it
      peak = if (is.finite(rule$lower)) exp(max(other) - log_sum(other)) else 0
    )
  })
  list(
    losses = cbind(problem$files, do.call(rbind, rows)),
    bound = bound, claims = claims
  )
}

#' The epsilon that the mechanism's label states, by relation
#' @noRd
audit_claims <- function(mechanism, bound) {
  epsilon <- mechanism$width %||% (2 * bound)
  by_relation(
    epsilon * (1 + mechanism$factor) + mechanism$one_off,
    epsilon * (2 + mechanism$factor) + 2 * mechanism$one_off
  )
}

#' epsilon (1 + sum_j rho_j): what the change of all weights can cost at most
#'
#' rho_j = 1 - min(alpha_j, alpha_j') / max(alpha_j, alpha_j') over the records
#' in both databases; 2 in place of 1 for a replaced record. Holds without a
#' centre and for an interval that contains 0.
#' @noRd
weight_limit <- function(mechanism, x, y, counts, problem, j) {
  width <- x$upper - x$lower
  records <- if (is.na(problem$to[j])) 1 else 2
  if (!is.finite(width) || any(x$centre != 0) || x$lower > 0 || x$upper < 0) {
    known <- mechanism$own_value && is.finite(width)
    return(if (known) records * width else Inf)
  }
  both <- pmin(counts, problem$counts)
  high <- pmax(x$alpha, y$alpha)
  rho <- ifelse(high > 0, 1 - pmin(x$alpha, y$alpha) / high, 0)
  width * (records + sum(both * rho))
}

#' Weights from a first draw: the loss of the pair (theta_0, theta)
#'
#' log of the ratio at theta_0 plus that at theta given theta_0. The first stage
#' is censored without weights. theta_0 is taken from cells over the whole grid
#' and in the bulk of the first stage.
#' @noRd
staged_pass <- function(problem, grid, mechanism) {
  clip <- first_rule(problem, grid, mechanism)
  first <- grid_posterior(grid, problem$counts, clip)
  first_bulk <- grid_bulk(grid, first)
  spread <- function(cells, n) {
    cells[unique(round(seq(1, length(cells), length.out = n)))]
  }
  # The worst theta_0 of each neighbour, too: where its first term is extreme
  worst <- unlist(lapply(unique(stats::na.omit(c(problem$from, problem$to))),
    function(v) c(which.min(grid$f[, v]), which.max(grid$f[, v]))
  ))
  anchors <- unique(c(
    spread(first_bulk, 12), spread(seq_len(nrow(grid$f)), 12),
    spread(unique(worst), 12)
  ))
  claims <- audit_claims(mechanism, NA)
  n <- length(problem$from)
  loss <- loss_bulk <- numeric(n)
  first_log <- log_normalized(first)
  firsts <- lapply(seq_len(n), function(j) {
    change <- neighbour_counts(problem, j) - problem$counts
    other <- grid_change(grid, first, change, clip)
    list(ratio = (first_log - log_normalized(other))[anchors], change = change)
  })
  for (a in seq_along(anchors)) {
    alpha <- two_stage_rule(mechanism$first, abs(grid$f[anchors[a], ]))
    rule <- clip_rule(grid, problem$model, alpha, mechanism$censor)
    base <- grid_posterior(grid, problem$counts, rule)
    bulk <- grid_bulk(grid, base)
    in_bulk <- anchors[a] %in% first_bulk
    for (j in seq_len(n)) {
      other <- grid_change(grid, base, firsts[[j]]$change, rule)
      found <- grid_loss_(base, other, bulk, 0)
      r0 <- firsts[[j]]$ratio[a]
      loss[j] <- max(loss[j], abs(r0 + found$highest), abs(r0 + found$lowest))
      if (in_bulk) loss_bulk[j] <- max(loss_bulk[j], abs(r0) + found$bulk)
      loss_bulk[j] <- min(loss_bulk[j], loss[j])
    }
  }
  claim <- unname(claims[problem$files$neighbours])
  list(
    losses = data.frame(
      problem$files, loss = loss, loss_bulk = loss_bulk,
      delta = ifelse(loss <= claim + 1e-9, 0, NA), claim = claim, limit = claim
    ),
    bound = NA_real_, claims = claims
  )
}

# The largest of each column over the neighbours of a relation, and the grid's
# error where it is reached.
worst_losses <- function(losses) {
  found <- intersect(relation_names, losses$neighbours)
  rows <- lapply(found, function(neighbours) {
    part <- losses[losses$neighbours == neighbours, ]
    # Where all are NA, the first
    error <- function(value, error) {
      part[[error]][c(which.max(part[[value]]), 1L)[1]]
    }
    data.frame(
      neighbours = neighbours, files = nrow(part), claim = part$claim[1],
      loss = max(part$loss), loss_bulk = max(part$loss_bulk),
      delta = max(part$delta), ratio = max(part$loss) / part$claim[1],
      error_loss = error("loss", "error_loss"),
      error_bulk = error("loss_bulk", "error_bulk"),
      error_delta = error("delta", "error_delta")
    )
  })
  do.call(rbind, rows)
}
