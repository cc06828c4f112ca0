# Estimates from a score release, how it prints, its object and its label.

#' @rdname score-inference
#' @export
summary.score_release <- function(object, ...) {
  ends <- confint.noisy_release(object)
  new_result(
    "summary_score_release",
    table = data.frame(
      estimate = object$coefficients,
      std_error = sqrt(diag(object$covariance)), low = ends[, 1],
      high = ends[, 2]
    ),
    release = format(object), label = guarantee(object)
  )
}

print_lines.summary_score_release <- function(x) {
  table <- data.frame(
    coefficient = rownames(x$table), estimate = x$table$estimate,
    "std. error" = x$table$std_error, "2.5%" = x$table$low,
    "97.5%" = x$table$high, check.names = FALSE
  )
  c(
    strwrap(capitalize(x$release), 78, exdent = 2),
    paste0("  ", format_table(table)),
    "  Standard errors include the noise of the release and sampling error.",
    print_lines(x$label)
  )
}

# Printing -------------------------------------------------------------------

#' @export
format.score_release <- function(x, ...) {
  paste0(
    sprintf(
      "score release of %s, %s, %s", response_label(x$response),
      format(x$family), counted(length(x$coefficients), "coefficient")
    ),
    if (is.null(x$margin)) {
      ", no margin"
    } else {
      sprintf(", margin of %d bins", length(x$margin$noisy))
    },
    if (!is.null(x$tables)) {
      paste0(", ", counted(length(x$tables$columns), "table"))
    }
  )
}

print_lines.score_release <- function(x) {
  parts <- data.frame(
    part = x$charges$what, epsilon = x$charges$add_remove,
    rho = x$charges$rho_add_remove, noise = noise_in_records(x)
  )
  c(
    strwrap(capitalize(format(x)), 78, exdent = 2),
    paste0("  ", format_table(Filter(function(cost) !all(is.na(cost)), parts))),
    "  costs are add-remove; noise is a standard deviation, in multiples of",
    "  the most that one record adds",
    if (is_saturated(x)) {
      "  nearly all scores are clipped: the reference is too far from the file"
    },
    "  synthesize(x, m, newdata) draws sets for published predictors at no",
    "  additional privacy cost; summary(x) gives estimates with intervals",
    wrap_line(paste("label:", format(guarantee(x))))
  )
}

#' The scales of the noise of each part, the margin first; of tables one each
#' @return (list of double)
#' @noRd
noise_scales <- function(x) {
  parts <- Filter(Negate(is.null), c(list(x$margin), x$steps))
  c(lapply(parts, `[[`, "scale"), if (!is.null(x$tables)) {
    list(x$tables$noise$scale)
  })
}

# The standard deviation of each part's noise, where the most that one record
# adds is 1: of discrete Gaussian noise, or, under pure epsilon, of Laplace's.
noise_in_records <- function(x) {
  gaussian <- 1 / sqrt(2 * x$charges$rho_add_remove)
  ifelse(is.na(gaussian), sqrt(2) / x$charges$add_remove, gaussian)
}

# as.list() has the parts of the published file, and str() walks by as.list()
#' @importFrom utils str
#' @export
str.score_release <- function(object, ...) {
  cat("Class 'score_release' ")
  utils::str(unclass(object), ...)
}

#' @export
as.list.score_release <- function(x, ...) {
  plain <- function(part) {
    if (is.null(part)) NULL else lapply(part, function(value) {
      if (is.null(names(value))) value else as.list(value)
    })
  }
  list(
    steps = lapply(x$steps, function(step) {
      plain(c(step[names(step) != "geometry"], step$geometry["kappa"]))
    }),
    margin = plain(x$margin),
    tables = if (!is.null(x$tables)) {
      x$tables[c("breaks", "residuals", "noise")]
    },
    coefficients = as.list(x$coefficients), covariance = x$covariance,
    draws = list(mean = as.list(x$draws$mean), covariance = x$draws$covariance),
    shape = as.list(x$shape), slope_scale = x$slope_scale,
    family = format(x$family),
    prior = format(x$prior), response = x$response$label,
    predictors = x$design$variables, reference = as.list(x$reference$values),
    n_records = x$n_records, guarantee = as.list(guarantee(x))
  )
}

# The object -----------------------------------------------------------------

#' Only public and released numbers, built anew
#' @param told (list) See noisy_response(), with `slope_scale`.
#' @param file (list) See score_file().
#' @return (list) Of a release without tables.
#' @noRd
score_parts <- function(model, settings, neighbours, told, file) {
  made <- c(told, list(
    family = model$family, prior = model$prior,
    response = released_response(model$response), design = model$design,
    reference = settings$reference, n_records = file$n, delta = settings$delta,
    neighbours = neighbours, spread = settings$spread, counts = NULL,
    tables = NULL
  ))
  made$population$mean <- column_means(file)
  if (!is.null(made$margin)) {
    made$population$coding <- file$coding
    made$counts <- margin_counts(made)
  }
  made
}

#' @param made (list) See score_parts(), with `tables` where it has any.
#' @param charges (data frame) See plan_charges().
#' @noRd
new_score_release <- function(made, charges, seed) {
  made$reproducible <- is_seeded(seed)
  # The same seed and outcome are the same release, which is paid once
  if (is_seeded(seed)) {
    charges$id <- vapply(
      charges$what, hashed_id, "", made[c("steps", "margin", "tables")],
      given_seed(seed)
    )
  }
  made$charges <- charges
  do.call(new_noisy_release, c("score_release", made))
}

# The one model is the release itself
model_of.score_release <- function(x, amount = NULL) {
  refuse_if(
    !is.null(amount), "{.arg amount} only applies to a file release.",
    x = "This is a score release, with one response.", arg = "amount"
  )
  x
}

#' The shape that the reference states
#' @noRd
public_shape <- function(x) {
  if (!is.null(x$shape)) x$reference$values[[names(x$shape)]]
}

# The label, of what is drawn from it, too -----------------------------------

#' @param n_records (count) Of what is drawn from it, for synthetic data.
#' @noRd
release_label.score_release <- function(x, what = "the noisy sums",
                                        m = 1, n_records = x$n_records,
                                        reproducible = x$reproducible,
                                        bounds = NULL, combine = NULL, ...) {
  check_class(x, "score_release")
  verdict <- score_verdict(x)
  claims <- verdict$label == "strict"
  new_privacy_guarantee(
    verdict, mechanism = "score", title = "score release", what = what,
    paid = if (claims) x$charges else no_charges(), m = m,
    n_records = as.integer(n_records), unit = x$response$label,
    public_inputs = score_inputs(x, bounds, combine),
    reproducible = isTRUE(reproducible),
    public = TRUE, failure = if (claims) x$delta else 0
  )
}

score_verdict <- function(x) {
  if (!is_sealed(x)) {
    return(edited_verdict("score release"))
  }
  if (!response_is_public(x$response)) {
    return(list(label = "none", reasons = unstated_levels_reason))
  }
  list(label = "strict", reasons = c(
    paste(
      "Each part is a sum of whole vectors, to which a record adds",
      if (is_categorical(x$family)) {
        "a public vector in the block of its level,"
      } else {
        "its clipped whole score times a public vector, or its bin's vector,"
      },
      "under exact discrete", if (x$delta > 0) "Gaussian" else "Laplace",
      "noise."
    ),
    unwrapped("Coefficients and values are drawn only from what was released and
       from published predictors, at no additional privacy cost.")
  ))
}

score_inputs <- function(x, bounds = NULL, combine = NULL) {
  in_plain_figures(c(
    if (!is.null(combine)) c(sets = combine_words[[combine]]),
    response = x$response$label,
    values = rounding_text(with_bounds(x$response, bounds)),
    confirmed_text(x$response$confirmed),
    predictors = published_text(x$design$variables),
    model = format(x$family), prior = format(x$prior),
    if (!is_categorical(x$family)) c(reference = format(x$reference)),
    scores = sprintf(
      "%srow norms capped at %s (kappa), %s times their median",
      if (is_categorical(x$family)) {
        "indicators of levels; "
      } else {
        sprintf("clipped at %s; ", paste(
          vapply(x$steps, function(step) format_exact(step$clip), ""),
          collapse = " and "
        ))
      },
      format_figure(x$steps[[length(x$steps)]]$geometry$kappa),
      format_exact(x$spread)
    ),
    noise = sprintf(
      "discrete %s, scales %s in whole units",
      if (x$delta > 0) "Gaussian" else "Laplace",
      paste(
        vapply(unlist(noise_scales(x)), format_exact, ""), collapse = " "
      )
    ),
    if (!is.null(x$margin)) {
      c(margin = sprintf(
        "%d bins on [%s, %s] around the reference", length(x$margin$noisy),
        format_exact(x$margin$bounds[1]), format_exact(x$margin$bounds[2])
      ))
    },
    if (!is.null(x$tables)) {
      c(tables = sprintf(
        "%d quantile bins of the noisy margin by each of %d predictors",
        length(x$tables$breaks) + 1L, length(x$tables$columns)
      ))
    }
  ))
}

# Warnings from public and released numbers ----------------------------------

warn_delta <- function(delta, n, secret = FALSE) {
  if (delta > 1 / n) {
    warn_of(
      "delta", "{.arg delta} should be far below 1/N.",
      x = if (secret) "It is {format(delta)}." else
        "It is {format(delta)}, and N is {n}.",
      i = "Publishing one record at random has a delta of 1/N."
    )
  }
}

#' Say where the noise is too large for the release to be of use
#'
#' From public numbers: where the standard error of a typical record's linear
#' predictor is above half of the reference's sigma, or that of the cumulative
#' shares above 0.03 (the largest error is twice that), a reference that is not
#' far off does as well (`ce_income`: at epsilon 0.05).
#' @param error (number) Standard error of a typical record's linear predictor.
#' @param unit (number) See line_unit().
#' @param margin (list or `NULL`) See score_margin().
#' @noRd
warn_budget <- function(error, unit, margin, n) {
  shares <- if (is.null(margin)) 0 else margin_error(margin, n)
  drowned <- c(error > unit / 2, shares > 0.03)
  if (any(drowned)) {
    warn_of(
      "budget",
      "The noise is so large that the release adds little to the reference.",
      x = if (drowned[1]) {
        "The standard error of a typical record's linear predictor is
         {format_figure(error, 2)}, above {format_figure(unit / 2, 2)}."
      },
      x = if (drowned[2]) {
        "The standard error of the margin's cumulative shares is
         {format_figure(shares, 2)}, above 0.03."
      },
      i = "Spend more {.arg epsilon}, leave predictors out, or use a
           {.arg reference} closer to the file."
    )
  }
}

#' Warn where counts vary more than Poisson ones
#'
#' Then fewer records are unclipped than the family says at the coefficients
#' that were found, which are off: the family turns its clipped sums into them.
#' What is released is compared with what is published.
#' @param step (list) The last, see noisy_step().
#' @param eta (double, R) The linear predictor at the coefficients found.
#' @param count (R) Records of each row.
#' @noRd
warn_wide_counts <- function(family, step, eta, count) {
  # A shape would make up for it
  if (family$kind != "count" || length(family$extras) > 0) {
    return(invisible())
  }
  share <- step$share
  expected <- stats::weighted.mean(inside_clip(family, step, eta)(NULL), count)
  noise <- sqrt(step$share_noise^2 + 0.25 / sum(count))
  if (expected - share > max(0.05, 4 * noise)) {
    warn_of(
      "family", "The counts vary more than {.fn poisson} allows.",
      x = "{format_share(max(share, 0))} of the scores of the last step are
           unclipped, where the family expects {format_share(expected)}:
           coefficients are too small, their intervals are invalid, and the
           margin beyond the family is mostly noise.",
      i = "Use {.fn neg_binomial}. The cost of this release is already spent."
    )
  }
}
