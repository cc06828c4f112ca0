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
      stage_seed(seed, "step", k), last
    )
    steps[[k]] <- last
    found <- both_posteriors(
      family, file$x, file$count, steps, b, prior, sigma
    )
    b <- found$shrunk$mean
  }
  warn_budget(found, file, sigma, call)
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
  relation <- relation_of(neighbours)
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
  y <- as.double(model$data[[response$variable]])
  values <- list(y = y, response = response)
  ends <- histogram_breaks(values, settings$bounds, settings$bins, call)
  outside <- sum(y < settings$bounds[1] | y > settings$bounds[2])
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
    file$y, breaks, settings$bounds, budget$margin, stage_seed(seed, "margin")
  )
}

#' @param last (list or `NULL`) The step before: location models have the same
#'   weights in all.
#' @return (list) See score_step(), with `b` and `at` (the public coefficients
#'   and their linear predictor) and `z` (R x P, in the score's unit).
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
    last <- list(z = geometry$z * geometry$unit)
  }
  step <- score_step(
    scores_at(family, file$y, at[file$row]), clip, geometry, file$row, budget,
    seed
  )
  c(step, last["z"], list(b = b, at = at, geometry = geometry))
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

#' Say where the noise drowns the file
#'
#' From public and released numbers: the standard error of a record's linear
#' predictor, against the reference's spread of responses around it.
#' @noRd
warn_budget <- function(found, file, sigma, call) {
  error <- stats::weighted.mean(
    rowSums((file$x %*% found$stated$covariance) * file$x), file$count
  )
  error <- sqrt(error)
  if (error > (sigma %||% 1)) {
    warn_classed(
      c(
        "The noise drowns the file: the reference alone may serve as well.",
        x = "The standard error of a typical record's linear predictor is
             {format_figure(error, 2)}, the reference's sigma
             {format_figure(sigma %||% 1, 2)}.",
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
      names(step), c("b", "at", "z", "geometry")
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
