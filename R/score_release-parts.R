# What every score release has: the file as sums need it, the prior, the object.

#' The file as the sums need it: equal design rows once
#' @return (list) `y` (modelled scale), `n`, `spec`, and distinct_rows().
#' @noRd
score_file <- function(model) {
  spec <- model$spec
  check_not_copied(
    spec$y, model$data[setdiff(names(model$data), model$response$variable)]
  )
  check_design_not_copied(spec, model$design)
  c(list(y = spec$y, n = length(spec$y), spec = spec), distinct_rows(spec))
}

#' Equal design rows once
#'
#' @param parts (list) See design_parts().
#' @return (list) `x` (R x P), `count` (R), `row` (N), and `products`, which
#'   sums over the rows without forming them.
#' @noRd
distinct_rows <- function(parts) {
  # Of X alone: rows that only an offset tells apart are one
  parts$offset <- NULL
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
score_prior <- function(model) {
  if (model$prior$kind != "normal") {
    abort_input(
      "A score release needs a normal prior.",
      x = "{.arg prior} is {.code {format(model$prior)}}.",
      i = "Take {.fn prior_normal}.",
      arg = "prior"
    )
  }
  level <- model$design$is_level
  prior <- prior_spec(model$prior, level)
  list(location = prior$location, scale = prior$scale, slopes = which(!level))
}

#' The default prior: of location models in units of the reference's sigma
#'
#' Unless that is below 1: slopes are then small in any unit.
#' @noRd
released_prior <- function(reference, family) {
  sigma <- if ("sigma" %in% names(reference$values)) {
    reference$values[["sigma"]]
  } else {
    1
  }
  centred_prior(reference, if (is_location(family)) max(1, sigma) else 1)
}

#' Its square and what it is compared with must be numbers
#' @noRd
check_reference_shape <- function(shape, family) {
  if (!is.null(shape) && !(shape >= 1e-50 && shape <= 1e50)) {
    abort_input(
      "{.arg reference} must state a {.field {names(family$extras)}} from
       1e-50 to 1e50.",
      x = "It is {format(shape)}.",
      i = "Measure the response in another unit.",
      arg = "reference"
    )
  }
}

check_score_margin <- function(settings, response) {
  bounds <- settings$bounds
  if (is.null(bounds)) {
    return(invisible())
  }
  if (has_labels(response)) {
    abort_input(
      "A margin is for numbers.",
      i = "Leave {.arg bounds} out.",
      arg = "bounds"
    )
  }
  inside <- response$bounds %||%
    c(if (response$kind == "count") 0 else -Inf, Inf)
  if (bounds[1] < inside[1] || bounds[2] > inside[2]) {
    abort_input(
      "{.arg bounds} must lie where the family has values.",
      i = "That is from {format(inside[1])} to {format(inside[2])}.",
      arg = "bounds"
    )
  }
  if (response$kind == "count" && diff(whole_ends(bounds)) < 1) {
    abort_input(
      "{.arg bounds} of counts must hold two whole numbers or more.",
      x = "They hold {max(0, diff(whole_ends(bounds)) + 1)}.",
      i = "State the smallest and the largest count, such as
           {.code bounds = c(0, 50)}.",
      arg = "bounds"
    )
  }
}

#' Only public and released numbers, built anew
#' @param file (list) See score_file().
#' @param charges (data frame) See plan_charges().
#' @param names (character) Of the coefficients.
#' @noRd
new_score_release <- function(model, settings, neighbours, steps, margin, found,
                              file, charges, seed, names) {
  steps <- lapply(steps, function(step) {
    if (!is.null(step$b)) step$reference <- stats::setNames(step$b, names)
    step[setdiff(names(step), c("b", "centre", "spread", "z", "geometry"))]
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
    steps = steps, margin = margin,
    population = released_population(
      file, if (!is.null(margin)) found$shrunk$mean
    ),
    coefficients = stated$mean,
    covariance = stated$covariance, draws = named(found$shrunk),
    shape = named_shape(model$family, found$shrunk$shape),
    slope_scale = found$slope_scale,
    family = model$family, prior = model$prior,
    response = released_response(model$response), design = model$design,
    reference = settings$reference, n_records = file$n, delta = settings$delta,
    neighbours = neighbours, spread = settings$spread,
    reproducible = !is.null(seed)
  )
  # The same seed and outcome are the same release, which is paid once
  if (!is.null(seed)) {
    charges$id <- vapply(
      charges$what, hashed_id, "", made[c("steps", "margin")], seed
    )
  }
  made$charges <- charges
  seal(structure(made, class = "score_release"))
}

named_shape <- function(family, shape) {
  if (!is.null(shape)) stats::setNames(shape, names(family$extras))
}

#' The shape that the reference states
#' @noRd
public_shape <- function(x) {
  if (!is.null(x$shape)) x$reference$values[[names(x$shape)]]
}

# What is paid ---------------------------------------------------------------

#' One charge for each noisy part, before its noise is drawn
#' @param costs (list or `NULL` by part) `epsilon`, or `rho` and `gap`.
#' @noRd
plan_charges <- function(costs) {
  costs <- Filter(Negate(is.null), costs)
  do.call(join_charges, lapply(names(costs), function(what) {
    cost <- costs[[what]]
    charge(
      new_charge_id(), what,
      epsilon = cost$epsilon, rho = cost$rho, gap = cost$gap %||% NA_real_
    )
  }))
}

#' Write down what a release will cost: no noise is drawn before
#' @noRd
pay_release <- function(ledger, charges, model, m, seed) {
  variable <- model$response$variable
  spend_noise(
    ledger, charges, "score", variable, model$data[model$design$variables],
    model$data[[variable]],
    m = m, n_records = nrow(model$data), seed = seed
  )
}

# The label of a score release and of what is drawn from it.

#' @rdname guarantee
#' @export
guarantee.score_release <- function(x, m = 1, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_count(m, min = 1)
  check_public_only(public)
  label_of_score(x)
}

#' @param n_records (count) Of what is drawn from it, for synthetic data.
#' @noRd
label_of_score <- function(x, what = "the noisy sums", m = 1,
                           n_records = x$n_records,
                           reproducible = x$reproducible, support = NULL,
                           combine = NULL) {
  verdict <- score_verdict(x)
  claims <- verdict$label == "strict"
  new_privacy_guarantee(
    verdict,
    mechanism = "score", title = "score release", what = what,
    paid = if (claims) x$charges else no_charges(), m = m,
    n_records = as.integer(n_records), unit = x$response$label,
    public_inputs = score_inputs(x, support, combine),
    reproducible = isTRUE(reproducible),
    public = TRUE, failure = if (claims) x$delta else 0
  )
}

score_verdict <- function(x) {
  if (!is_sealed(x)) {
    return(edited_verdict("score release"))
  }
  if (!response_is_public(x$response)) {
    return(list(label = "none", reasons = paste(
      "The labels of the response were read from the file: state them as",
      "`response = public_response(levels = )`."
    )))
  }
  list(label = "strict", reasons = c(
    paste(
      "Each part is a sum of whole vectors, to which a record adds",
      if (is_categorical(x$family)) {
        "a public vector in the block of its level,"
      } else {
        "its clipped whole score times a public vector,"
      },
      "under exact discrete", if (x$delta > 0) "Gaussian" else "Laplace",
      "noise."
    ),
    paste(
      "Coefficients and values are drawn from what was released and from",
      "published predictors: they cost nothing more."
    )
  ))
}

score_inputs <- function(x, support = NULL, combine = NULL) {
  in_plain_figures(c(
    if (!is.null(combine)) c(sets = combine_words[[combine]]),
    response = x$response$label,
    values = rounding_text(with_support(x$response, support)),
    predictors = published_text(x$design$variables),
    model = format(x$family), prior = format(x$prior),
    if (!is_categorical(x$family)) c(reference = format(x$reference)),
    scores = sprintf(
      "%skappa %s, %s medians of the records' lengths",
      if (is_categorical(x$family)) {
        "indicators of levels; "
      } else {
        sprintf("clipped at %s; ", paste(
          vapply(x$steps, function(step) format_exact(step$clip), ""),
          collapse = " and "
        ))
      },
      format_figure(x$steps[[length(x$steps)]]$kappa), format_exact(x$spread)
    ),
    noise = sprintf(
      "discrete %s, scales %s in whole units",
      if (x$delta > 0) "Gaussian" else "Laplace",
      paste(vapply(
        Filter(Negate(is.null), c(list(x$margin), x$steps)),
        function(part) format_exact(part$scale), ""
      ), collapse = " ")
    ),
    if (!is.null(x$margin)) {
      c(margin = sprintf(
        "%d bins on [%s, %s] around the reference", length(x$margin$noisy),
        format_exact(x$margin$bounds[1]), format_exact(x$margin$bounds[2])
      ))
    }
  ))
}
