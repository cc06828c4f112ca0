# A score release of a checked model: what is paid, in its order, and what
# follows from it.

#' @param model (list) See new_model().
#' @param settings (list) See score_settings().
#' @param ledger,m Where the cost is written before any noise is drawn, and for
#'   how many sets.
#' @return (`score_release`)
#' @noRd
release_scores <- function(model, settings, epsilon, neighbours, seed, call,
                           ledger = NULL, m = 1L) {
  family <- model$family
  settings$spread <- settings$spread %||% 1
  file <- score_file(model, call)
  prior <- score_prior(model, call)
  b <- reference_draw(settings$reference$values, model, file$spec, call)
  shape <- if (length(family$extras) > 0) b[length(b)]
  check_reference_shape(shape, family, call)
  b <- b[seq_along(prior$location)]
  check_score_margin(settings, model$response, call)
  clip <- (settings$clip %||% default_clip(family)) * line_unit(family, shape)
  budget <- score_budget(
    settings, epsilon, neighbours,
    c(settings$bins, rep(length(b) + 1, 2)), call
  )
  budget[2:3] <- lapply(budget[2:3], with_step_cost, length(b))
  warn_delta(settings$delta, file$n, call)
  plan <- if (!is.null(settings$bounds)) {
    plan_margin(file, model, settings, b, shape, budget$margin, call)
  }
  charges <- plan_charges(list(
    "noisy margin" = plan$noise, "noisy scores, step 1" = budget$first$cost,
    "noisy scores, step 2" = budget$second$cost
  ))
  pay_release(ledger, charges, model, m, seed, call)

  # From here on figures are noisy, and paid for
  margin <- if (!is.null(plan)) {
    score_margin(file$y, plan, settings$bounds, stage_seed(seed, "margin"))
  }
  steps <- list()
  last <- NULL
  for (k in 1:2) {
    last <- step_of_file(
      file, family, b, shape, clip[k], prior, settings$spread,
      budget[[k + 1]], stage_seed(seed, "step", k), last
    )
    steps[[k]] <- last
    found <- both_posteriors(family, file, steps, b, prior, shape)
    b <- found$shrunk$mean
  }
  found <- with_shape_error(found, family, file, steps)
  warn_budget(
    sqrt(typical_variance(found$stated$covariance, file)),
    line_unit(family, shape), margin, file$n, call
  )
  if (is_saturated(list(steps = steps, family = family))) {
    warn_saturated(list(steps = steps, family = family), call)
  } else {
    eta <- drop(file$x %*% found$stated$mean)
    warn_wide_counts(family, last, eta, file$count, call)
  }
  new_score_release(
    model, settings, neighbours, steps, margin, found, file, charges, seed,
    model$design$columns
  )
}

#' All of the margin that is public, before its noise is drawn
#' @return (list) See margin_plan().
#' @noRd
plan_margin <- function(file, model, settings, b, shape, budget, call) {
  response <- released_response(model$response)
  y <- as.double(model$data[[response$variable]])
  values <- list(y = y, response = response)
  ends <- histogram_breaks(values, settings$bounds, settings$bins, call)
  outside <- sum(y < settings$bounds[1] | y > settings$bounds[2])
  if (outside > 0) {
    # Not by cli, which takes a tenth of a release
    rlang::inform(c(
      sprintf(
        ngettext(
          outside,
          "%d record lies outside `bounds` and is counted at their ends.",
          "%d records lie outside `bounds` and are counted at their ends."
        ), outside
      ),
      i = "For the agency only: this count is confidential."
    ))
  }
  centre <- stats::weighted.mean(drop(file$x %*% b), file$count)
  breaks <- score_breaks(
    model$family, range(ends$scale), centre, shape, settings$bins
  )
  margin_plan(breaks, budget)
}

#' @param last (list or `NULL`) The step before: location models have the same
#'   weights in all.
#' @return (list) See score_step(), with `b` (the public coefficients), `centre`
#'   and `spread` (see score_frame()) and `z` (R x P, in the score's unit).
#' @noRd
step_of_file <- function(file, family, b, shape, clip, prior, spread, budget,
                         seed, last) {
  frame <- score_frame(family, drop(file$x %*% b), shape)
  geometry <- if (is_location(family)) last$geometry
  if (is.null(geometry)) {
    geometry <- score_geometry(
      file, frame$scale, prior_information(prior$scale, family, shape), spread
    )
    last <- list(z = geometry$z * geometry$unit)
  }
  of_records <- lapply(frame, `[`, file$row)
  step <- score_step(
    score_of(file$y, of_records), clip, geometry, file$row, budget, seed,
    counted_above(family, of_records, clip)
  )
  c(
    step, last["z"], frame[c("centre", "spread")],
    list(b = b, geometry = geometry)
  )
}
