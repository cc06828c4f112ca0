# A score release of a checked model: what is paid, in its order, and what
# follows from it.

#' @param model (list) See new_model().
#' @param settings (list) See score_settings().
#' @return (`score_release`)
#' @noRd
release_scores <- function(model, settings, epsilon, neighbours, seed, call) {
  family <- model$family
  file <- score_file(model, call)
  prior <- score_prior(model, call)
  b <- reference_draw(settings$reference$values, model, file$spec, call)
  sigma <- if (is_location(family)) b[length(b)]
  b <- b[seq_along(prior$location)]
  check_score_margin(settings, family, call)
  clip <- (settings$clip %||% default_clip(family)) * (sigma %||% 1)
  budget <- score_budget(settings, epsilon, neighbours, call)
  warn_delta(settings$delta, file$n, call)

  margin <- if (!is.null(settings$bounds)) {
    margin_of_file(file, model, settings, b, sigma, budget, seed, call)
  }
  steps <- list()
  last <- NULL
  for (k in 1:2) {
    last <- step_of_file(
      file, family, b, clip[k], prior, settings$spread, budget[[k + 1]],
      stage_seed(seed, 1 + k), last
    )
    steps[[k]] <- last
    found <- both_posteriors(
      family, file$x, file$count, steps, b, prior, sigma
    )
    b <- found$shrunk$mean
  }
  warn_budget(found, file, prior, call)
  new_score_release(
    model, settings, neighbours, steps, margin, found, file$n, seed
  )
}

#' The file as the sums need it: equal design rows once
#' @return (list) `y` (modelled scale), `x` (R x P), `count` (R), `row` (N),
#'   `n`, `spec`.
#' @noRd
score_file <- function(model, call) {
  spec <- model_spec(model, NULL, NULL, call)
  check_not_copied(
    spec$y, model$data[setdiff(names(model$data), model$response$variable)],
    call
  )
  plain <- spec
  plain$y <- numeric(length(spec$y))
  rows <- design_rows_(plain)
  parts <- spec[c("n_columns", "intercept", "factor_column", "numeric_column")]
  parts$codes <- spec$codes[rows$first, , drop = FALSE]
  parts$numeric <- spec$numeric[rows$first, , drop = FALSE]
  list(
    y = spec$y, x = dense_design(parts), row = rows$row,
    count = tabulate(rows$row, length(rows$first)), n = length(spec$y),
    spec = spec
  )
}

#' @return (list) `location`, `scale` (P each), `slopes` (columns that are no
#'   intercept).
#' @noRd
score_prior <- function(model, call) {
  if (model$prior$kind != "normal") {
    abort_input(
      c(
        "A score release needs a normal prior.",
        x = "{.arg prior} is {.code {format(model$prior)}}.",
        i = "Take {.fn prior_normal}."
      ),
      arg = "prior", call = call
    )
  }
  level <- model$design$is_level
  prior <- prior_spec(model$prior, level)
  list(
    location = prior$location, scale = prior$scale, slopes = which(!level)
  )
}

check_score_margin <- function(settings, family, call) {
  if (!is.null(settings$bounds) && !is_location(family)) {
    abort_input(
      c(
        "A margin is for location families.",
        x = "{.arg family} is {.code {format(family)}}, which has a margin of
             its own.",
        i = "Leave {.arg bounds} out."
      ),
      arg = "bounds", call = call
    )
  }
}

#' What the parts may spend
#'
#' @return (list of list) `margin`, `first`, `second`, each `noise`, `relation`,
#'   `amount` (mu or epsilon) and `call`.
#' @noRd
score_budget <- function(settings, epsilon, neighbours, call) {
  share <- settings$shares
  if (is.null(settings$bounds)) share[1] <- 0
  share <- share / sum(share)
  laplace <- settings$delta == 0
  amount <- if (laplace) {
    epsilon * share
  } else {
    # A hundredth of delta is more than the gaps to Gaussian noise take
    gaussian_mu(epsilon, 0.99 * settings$delta) * sqrt(share)
  }
  relation <- if (neighbours == "replace") "replace-one" else "add/remove-one"
  parts <- lapply(amount, function(one) {
    list(
      noise = if (laplace) "laplace" else "gaussian", relation = relation,
      amount = one, call = call
    )
  })
  stats::setNames(parts, c("margin", "first", "second"))
}

margin_of_file <- function(file, model, settings, b, sigma, budget, seed,
                           call) {
  response <- model$response
  values <- list(y = model$data[[response$variable]], response = response)
  ends <- histogram_breaks(values, settings$bounds, settings$bins, call)
  outside <- sum(values$y < settings$bounds[1] | values$y > settings$bounds[2])
  if (outside > 0) {
    cli::cli_inform(c(
      "{outside} record{?s} {?lies/lie} outside {.arg bounds} and {?is/are}
       counted at their ends.",
      i = "For the agency only: this count is confidential."
    ))
  }
  centre <- stats::weighted.mean(drop(file$x %*% b), file$count)
  breaks <- score_breaks(range(ends$scale), centre, sigma, settings$bins)
  score_margin(
    file$y, breaks, settings$bounds, budget$margin, stage_seed(seed, 1)
  )
}

#' @param last (list or `NULL`) The step before: location models have the same
#'   weights in all.
#' @return (list) See score_step(), with `b` and `at` (the public coefficients
#'   and their linear predictor), `z` (R x P, in the score's unit) and `squares`
#'   (the sum of z z' over records).
#' @noRd
step_of_file <- function(file, family, b, clip, prior, spread, budget, seed,
                         last) {
  at <- drop(file$x %*% b)
  geometry <- if (is_location(family)) last$geometry
  if (is.null(geometry)) {
    geometry <- score_geometry(
      file$x, file$count, score_scale(family, at),
      diag(1 / prior$scale^2, length(b)), spread
    )
    z <- geometry$z * geometry$unit
    last <- list(z = z, squares = crossprod(z, file$count * z))
  }
  step <- score_step(
    scores_at(family, file$y, at[file$row]), clip, geometry, file$row, budget,
    seed
  )
  c(step, last[c("z", "squares")], list(b = b, at = at, geometry = geometry))
}

warn_delta <- function(delta, n, call) {
  if (delta > 1 / n) {
    warn_classed(
      c(
        "{.arg delta} should lie far below 1/N.",
        x = "It is {format(delta)}, N is {n}.",
        i = "Publishing one record at random has a delta of 1/N."
      ),
      "pseudosynth_warning_delta",
      call = call, class = NULL, .envir = rlang::current_env()
    )
  }
}

#' Say where the sums say less than the prior
#'
#' From public and released numbers: the posterior's variance of a record's
#' linear predictor, as a share of the stated prior's.
#' @noRd
warn_budget <- function(found, file, prior, call) {
  variance <- function(covariance) {
    stats::weighted.mean(
      rowSums((file$x %*% covariance) * file$x), file$count
    )
  }
  left <- variance(found$stated$covariance) / variance(diag(
    prior$scale^2, length(prior$scale)
  ))
  if (left > 0.5) {
    warn_classed(
      c(
        "The noise drowns the file: the reference alone may be better.",
        x = "The release leaves {round(100 * left)}% of the prior's variance.",
        i = "Spend more {.arg epsilon}, or leave predictors out."
      ),
      "pseudosynth_warning_budget",
      call = call, class = NULL, .envir = rlang::current_env()
    )
  }
}

#' Only public and released numbers, built anew
#' @noRd
new_score_release <- function(model, settings, neighbours, steps, margin, found,
                              n, seed) {
  columns <- model$design$columns
  steps <- lapply(steps, function(step) {
    step$reference <- stats::setNames(step$b, columns)
    step[setdiff(
      names(step), c("b", "at", "z", "squares", "geometry")
    )]
  })
  named <- function(posterior) {
    list(
      mean = stats::setNames(posterior$mean, columns),
      covariance = structure(
        posterior$covariance,
        dimnames = list(columns, columns)
      )
    )
  }
  stated <- named(found$stated)
  made <- list(
    steps = steps, margin = margin, coefficients = stated$mean,
    covariance = stated$covariance, draws = named(found$shrunk),
    sigma = found$shrunk$sigma, slope_scale = found$slope_scale,
    family = model$family, prior = model$prior,
    response = released_response(model$response), design = model$design,
    reference = settings$reference, n_records = n, delta = settings$delta,
    neighbours = neighbours, spread = settings$spread,
    reproducible = !is.null(seed)
  )
  made$charges <- score_charges(made, seed)
  seal(structure(made, class = "score_release"))
}

#' One charge for each noisy part
#' @noRd
score_charges <- function(x, seed) {
  parts <- c(
    list("noisy margin" = x$margin),
    stats::setNames(x$steps, paste("noisy scores, step", 1:2))
  )
  parts <- Filter(Negate(is.null), parts)
  do.call(join_charges, lapply(names(parts), function(what) {
    part <- parts[[what]]
    charge(
      if (is.null(seed)) new_charge_id() else hashed_id(part, seed), what,
      epsilon = part$epsilon, rho = part$rho, gap = part$gap %||% NA_real_
    )
  }))
}
