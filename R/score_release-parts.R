# What every score release has: the file as sums need it, what may be spent,
# what is told of it, the object.

#' The file as the sums need it: equal design rows once
#' @return (list) `y` (modelled scale), `n`, `spec`, and distinct_rows().
#' @noRd
score_file <- function(model, call) {
  spec <- model_spec(model, NULL, NULL, call)
  check_not_copied(
    spec$y, model$data[setdiff(names(model$data), model$response$variable)],
    call
  )
  check_design_not_copied(spec, model$design, call)
  c(
    list(y = spec$y, n = length(spec$y), spec = spec),
    distinct_rows(spec)
  )
}

#' Equal design rows once
#'
#' @param parts (list) See design_parts().
#' @return (list) `x` (R x P), `count` (R), `row` (N), and `products`, which
#'   sums over the rows without forming them.
#' @noRd
distinct_rows <- function(parts) {
  rows <- design_rows_(parts)
  parts$codes <- parts$codes[rows$first, , drop = FALSE]
  parts$numeric <- parts$numeric[rows$first, , drop = FALSE]
  list(
    x = dense_design(parts), row = rows$row,
    count = tabulate(rows$row, length(rows$first)),
    products = design_products_(parts)
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

check_score_margin <- function(settings, response, call) {
  bounds <- settings$bounds
  if (is.null(bounds)) {
    return(invisible())
  }
  if (has_labels(response)) {
    abort_input(
      c(
        "A margin is for numbers.",
        i = "Leave {.arg bounds} out."
      ),
      arg = "bounds", call = call
    )
  }
  inside <- response$bounds %||%
    c(if (response$kind == "count") 0 else -Inf, Inf)
  if (bounds[1] < inside[1] || bounds[2] > inside[2]) {
    abort_input(
      c(
        "{.arg bounds} must lie where the family has values.",
        i = "That is from {format(inside[1])} to {format(inside[2])}."
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
#' From public numbers: where the standard error of a typical record's linear
#' predictor is above half of the reference's sigma, or that of the cumulative
#' shares above 0.03 (the largest error is twice that), a reference that is not
#' far off does as well (`ce_income`: at epsilon 0.05).
#' @param error (number) Standard error of a typical record's linear predictor.
#' @param unit (number) See line_unit().
#' @param margin (list or `NULL`) See score_margin().
#' @noRd
warn_budget <- function(error, unit, margin, n, call) {
  shares <- if (is.null(margin)) 0 else margin_error(margin, n)
  drowned <- c(error > unit / 2, shares > 0.03)
  if (any(drowned)) {
    warn_classed(
      c(
        "The noise drowns the file: the reference alone may serve as well.",
        x = if (drowned[1]) {
          "The standard error of a typical record's linear predictor is
           {format_figure(error, 2)}, above {format_figure(unit / 2, 2)}."
        },
        x = if (drowned[2]) {
          "The standard error of the margin's cumulative shares is
           {format_figure(shares, 2)}, above 0.03."
        },
        i = "Spend more {.arg epsilon}, leave predictors out, or take a
             {.arg reference} nearer to the file."
      ),
      "pseudosynth_warning_budget",
      call = call, class = NULL, .envir = rlang::current_env()
    )
  }
}

#' Are nearly all scores of the last step clipped?
#'
#' Then its sums say that the coefficients lie beyond some point, and not where:
#' no interval around a mode is right. At a reference that fits half of the
#' records and more are unclipped.
#' @param x (list) With `steps` and `family`.
#' @noRd
is_saturated <- function(x) {
  last <- x$steps[[length(x$steps)]]
  !x$family$kind %in% c("binary", "categorical") &&
    last$share + 2 * last$share_noise < 0.15
}

#' Warn of it: the share is released
#' @noRd
warn_saturated <- function(x, call) {
  if (is_saturated(x)) {
    warn_classed(
      c(
        "The {.arg reference} is too far from the file.",
        x = "Nearly all scores of the last step are clipped: coefficients are
             only known to lie beyond some value, and their intervals do not
             hold.",
        i = "State an intercept and a scale nearer to the file, from public
             sources. This release is paid all the same."
      ),
      "pseudosynth_warning_reference",
      call = call, class = NULL, .envir = rlang::current_env()
    )
  }
}

#' The variance of a typical record's linear predictor
#' @noRd
typical_variance <- function(covariance, file) {
  sum(covariance * design_gram_(file$products, file$count)) / sum(file$count)
}

#' Only public and released numbers, built anew
#' @param names (character) Of the coefficients.
#' @noRd
new_score_release <- function(model, settings, neighbours, steps, margin, found,
                              n, seed, names) {
  steps <- lapply(steps, function(step) {
    if (!is.null(step$b)) step$reference <- stats::setNames(step$b, names)
    step[setdiff(
      names(step), c("b", "centre", "spread", "z", "geometry")
    )]
  })
  named <- function(posterior) {
    list(
      mean = stats::setNames(posterior$mean, names),
      covariance = if (!is.null(posterior$covariance)) {
        structure(posterior$covariance, dimnames = list(names, names))
      }
    )
  }
  stated <- named(found$stated)
  made <- list(
    steps = steps, margin = margin, coefficients = stated$mean,
    covariance = stated$covariance, draws = named(found$shrunk),
    shape = named_shape(model$family, found$shrunk$shape),
    slope_scale = found$slope_scale,
    family = model$family, prior = model$prior,
    response = released_response(model$response), design = model$design,
    reference = settings$reference, n_records = n, delta = settings$delta,
    neighbours = neighbours, spread = settings$spread,
    reproducible = !is.null(seed)
  )
  made$charges <- score_charges(made, seed)
  seal(structure(made, class = "score_release"))
}

named_shape <- function(family, shape) {
  if (!is.null(shape)) stats::setNames(shape, names(family$extras))
}

#' One charge for each noisy part
#' @noRd
score_charges <- function(x, seed) {
  parts <- c(
    list("noisy margin" = x$margin),
    stats::setNames(x$steps, if (is_categorical(x$family)) {
      "noisy sums by level"
    } else {
      paste("noisy scores, step", 1:2)
    })
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
