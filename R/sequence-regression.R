# Bayesian regressions as models of a column: a category level by level, an
# amount by its part and by its values. Each set takes a parameter draw of its
# own.

# Chains of one regression: proposals of the surrogate sampler are nearly
# independent, so that few draws do
regression_run <- list(chains = 2, warmup = 100, draws = 150)

# A level that so few records have, of many, has a posterior that no quick
# sampler draws from: at least this share, or 50 records, for one of its own
least_share <- 0.005

#' Fit the regressions of a column
#'
#' @inheritParams fit_trees
#' @param m (count) Sets that can be drawn.
#' @param seed (see seed_words())
#' @return (list) `part` (see fit_levels()) and `value` (see fit_values()), or
#'   `NULL`; `frame`: how predictors are coded, see predictor_coding().
#' @noRd
fit_regressions <- function(file, name, specs, predictors, m, seed) {
  spec <- specs[[name]]
  coding <- lapply(stats::setNames(nm = predictors), function(other) {
    predictor_coding(file, other, specs[[other]])
  })
  frame <- regression_frame(coding, file, specs)
  run <- function(stage, k = 1) {
    draws <- max(regression_run$draws, ceiling(m / regression_run$chains))
    check_run(
      regression_run$chains, regression_run$warmup, draws,
      stage_seed(seed, stage, k), default_threads(),
      sampler_control(progress = FALSE, min_ess = 50, max_rhat = 1.1)
    )
  }
  code <- column_code(file, name)
  model <- list(coding = coding, part = NULL, value = NULL)
  if (length(unique(code)) > 1) {
    ordered <- !is_unordered(spec)
    model$part <- fit_levels(code, frame, ordered, function(k) run("level", k))
  }
  if (is_amount(spec)) {
    values <- file$values[[name]]
    valued <- which(!is.na(values))
    model$value <- fit_values(
      spec, values[valued], code[valued], frame[valued, , drop = FALSE],
      run("value")
    )
  }
  model
}

#' The formula of the column `y` of a frame on all its other columns
#' @noRd
on_all_others <- function(frame) {
  others <- setdiff(names(frame), "y")
  if (length(others) > 0) stats::reformulate(others, "y") else y ~ 1
}

#' One regression of the column `y` of a frame on all its other columns
#' @noRd
fit_regression <- function(frame, family, run) {
  varies <- vapply(frame, function(x) length(unique(x)) > 1, TRUE)
  varies[["y"]] <- TRUE
  frame <- frame[varies]
  model <- new_model(
    on_all_others(frame), frame, as_synth_family(family), prior_normal(1)
  )
  # A remark on one of many regressions says little: print() counts them
  fit <- suppressWarnings(
    fit_model(model, NULL, NULL, run),
    classes = "pseudosynth_warning_convergence"
  )
  fit[c("spec", "data")] <- list(spec_of_model(fit$spec), NULL)
  fit
}

#' Draws of a regression for other records
#' @param set (count) Which draw: each set has another.
#' @return (double) On the modelled scale.
#' @noRd
drawn_responses <- function(fit, frame, set, random) {
  n <- nrow(fit$draws)
  # Draws of a chain that follow each other are alike
  row <- (set * scattered_step) %% n + 1
  words <- floor(random(2) * 2^32)
  drop(synthesize_(
    newdata_spec(fit, frame), fit$draws[row, , drop = FALSE], words, 0L
  ))
}

#' The regressions of each column; trees have none
#' @return (list of list)
#' @noRd
fits_of_models <- function(models) {
  lapply(models, function(model) {
    c(lapply(model$part$steps, `[[`, "fit"), list(model$value$fit))
  })
}

# A prime: no number of draws that has it as a factor is taken
scattered_step <- 7919

# Levels -----------------------------------------------------------------------

#' Fit levels one after the other: is it this one, if none before?
#'
#' Levels with few records share the last place; among these the file's shares
#' hold.
#' @param run (function(k)) See check_run().
#' @return (list) `steps` (list of `level` and `fit`), `rest` (levels) and
#'   `share` (of each).
#' @noRd
fit_levels <- function(code, frame, ordered, run) {
  counts <- tabulate(code)
  found <- which(counts > 0)
  if (!ordered) found <- found[order(-counts[found])]
  least <- clamp(
    least_share * length(code), regression_levels[["records"]], 50
  )
  enough <- found[counts[found] >= least]
  own <- utils::head(enough, regression_levels[["response"]])
  rest <- setdiff(found, own)
  # The last of all needs no regression
  if (length(rest) == 0) {
    rest <- own[length(own)]
    own <- own[-length(own)]
  }
  left <- seq_along(code)
  steps <- list()
  for (level in own) {
    data <- frame[left, , drop = FALSE]
    data$y <- as.integer(code[left] == level)
    steps[[length(steps) + 1]] <- list(
      level = level,
      fit = fit_regression(data, bernoulli(), run(length(steps) + 1))
    )
    left <- left[code[left] != level]
  }
  list(steps = steps, rest = rest, share = counts[rest] / sum(counts[rest]))
}

drawn_levels <- function(model, frame, set, random) {
  n <- nrow(frame)
  code <- model$rest[
    1 + findInterval(random(n), cumsum(model$share)[-length(model$share)])
  ]
  open <- seq_len(n)
  for (step in model$steps) {
    if (length(open) == 0) break
    yes <- drawn_responses(
      step$fit, frame[open, , drop = FALSE], set, random
    ) > 0.5
    code[open[yes]] <- step$level
    open <- open[!yes]
  }
  code
}

#' Levels drawn half by half
#' @param steps (list) See public_halves(); halves after what they are of.
#' @noRd
drawn_halves <- function(steps, frame, set, random) {
  low <- rep(1L, nrow(frame))
  high <- rep(steps[[1]]$high, nrow(frame))
  for (step in steps) {
    at <- which(low == step$low & high == step$high)
    if (length(at) == 0) next
    second <- drawn_responses(
      step$fit, frame[at, , drop = FALSE], set, random
    ) > 0.5
    low[at[second]] <- step$middle + 1L
    high[at[!second]] <- step$middle
  }
  low
}

# Values -----------------------------------------------------------------------

#' Fit the values of an amount, all parts that have some together
#' @param values (double) `code`: the part of each.
#' @return (list) `amount` (see amount_model()), `fit`, and `centre` and `scale`
#'   of the modelled response; `NULL` without values.
#' @noRd
fit_values <- function(spec, values, code, frame, run) {
  if (length(values) == 0) {
    return(NULL)
  }
  parts <- amount_parts(spec)
  amount <- list(
    transform = spec$transform, all_parts = parts, part = which(parts$valued),
    parts = parts[parts$valued, ]
  )
  y <- to_modelled(amount, values)
  family <- as_synth_family(spec$family, arg = "family")
  located <- is_location(family)
  centre <- if (located) mean(y) else 0
  scale <- if (located && length(unique(y)) > 1) stats::sd(y) else 1
  frame$part <- factor(code, amount$part)
  frame$y <- (y - centre) / scale
  list(
    amount = amount, centre = centre, scale = scale,
    fit = if (length(values) > 1) fit_regression(frame, family, run)
  )
}

#' Values of records whose parts are known
#'
#' Those beyond the ends of their part are drawn again, and moved to the end
#' where that does not help.
#' @noRd
draw_values <- function(model, code, frame, set, random) {
  part <- match(code, model$amount$part)
  frame$part <- factor(code, model$amount$part)
  all <- value_ends(model$amount$all_parts)
  ends <- lapply(all, `[`, code)
  ranges <- modelled_ends(model$amount)
  y <- rep(model$centre, length(code))
  rows <- seq_along(code)
  for (attempt in seq_len(if (is.null(model$fit)) 0 else 20)) {
    y[rows] <- model$centre + model$scale *
      drawn_responses(model$fit, frame[rows, , drop = FALSE], set, random)
    own <- ranges[part[rows], , drop = FALSE]
    rows <- rows[y[rows] < own[, 1] | y[rows] > own[, 2]]
    if (length(rows) == 0) break
  }
  y <- clamp(y, ranges[part, 1], ranges[part, 2])
  from_modelled(model$amount, y, part, ends)
}

#' Levels drawn as they were fitted: one after the other, or by halves
#' @noRd
drawn_part <- function(part, frame, set, random) {
  if (is.null(part$rest)) {
    part$levels[drawn_halves(part$steps, frame, set, random)]
  } else {
    drawn_levels(part, frame, set, random)
  }
}

#' What draws values of a column for some records, see tree_drawer()
#' @noRd
regression_drawer <- function(model, file, name, specs, records, set) {
  frame <- regression_frame(model$coding, records, specs)
  single <- column_code(file, name)[1]
  valued <- is_amount(specs[[name]]) && !is.null(model$value)
  parts <- if (valued) amount_parts(specs[[name]])
  function(rows, attempt, random) {
    own <- frame[rows, , drop = FALSE]
    code <- if (is.null(model$part)) {
      rep(single, length(rows))
    } else {
      drawn_part(model$part, own, set, random)
    }
    value <- rep(NA_real_, length(rows))
    at <- which(valued & parts$valued[code])
    if (length(at) > 0) {
      value[at] <- draw_values(
        model$value, code[at], own[at, , drop = FALSE], set, random
      )
    }
    list(code = code, value = value)
  }
}
