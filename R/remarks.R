# Remarks on a fit: what the records leave open, so that the prior decides it.
# They rest on confidential values, as all of a fit does.

#' What to know of a fit beside its convergence
#' @param fit (`synthesizer`)
#' @return (character) One sentence each, in the user's words.
#' @noRd
remarks_of <- function(fit, levels = level_sums(fit)) {
  as.character(c(
    remark_clamped(fit),
    remark_decided(fit$design$aliased, paste(
      "Predictors are collinear (%s): only the prior separates %s."
    )),
    remark_empty(fit, levels), remark_prior_unit(fit), remark_no_mean(fit),
    switch(fit$family$kind,
      binary = c(
        remark_outcomes(fit), remark_separation(fit, levels),
        remark_erased(fit)
      ),
      count = remark_zeros(fit, levels)
    )
  ))
}

#' Records outside of what is stated
#' @noRd
remark_clamped <- function(fit) {
  y <- fit$data[[fit$response$name]]
  if (!is.numeric(y) || length(fit$response$stated) == 0) {
    return(NULL)
  }
  range <- response_range(fit$response)
  n <- sum(y < range[1] | y > range[2])
  text_if(
    n > 0, "%s of %s records lay outside the stated values; they were clamped.",
    format_count(n), format_count(length(y))
  )
}

#' The categorical predictors' levels and where their records are
#'
#' @return (data frame) `name` (the column's name, or variable and level), `n`
#'   (records that take part), `sum` (of their responses).
#' @noRd
level_sums <- function(fit) {
  spec <- fit$spec
  factors <- fit$design$factors
  levels <- fit$design$levels[factors$variable]
  weights <- fit$privacy_weights
  # With full dummies code 1 is the first level, else code 0.
  sums <- level_sums_(
    spec$codes, as.integer(factors$full), lengths(levels), spec$y,
    if (!is.null(weights)) bare_numbers(weights)
  )
  data.frame(
    name = paste0(rep(factors$variable, lengths(levels)), unlist(levels)),
    n = as.double(unlist(lapply(sums, `[[`, "n"))),
    sum = as.double(unlist(lapply(sums, `[[`, "sum")))
  )
}

#' Responses of the records that take part
#' @noRd
active_response <- function(fit) {
  weights <- fit$privacy_weights
  all <- is.null(weights) || number_facts_(weights)$least > 0
  if (all) fit$spec$y else fit$spec$y[active_records(fit)]
}

has_active <- function(fit) {
  weights <- fit$privacy_weights
  is.null(weights) || number_facts_(weights)$most > 0
}

remark_empty <- function(fit, levels) {
  if (has_active(fit)) {
    remark_decided(
      levels$name[levels$n == 0],
      "No record with positive weight has %s: the prior decides %s."
    )
  }
}

#' Outcomes that are rare or that all records share
#' @noRd
remark_outcomes <- function(fit) {
  y <- active_response(fit)
  if (length(y) == 0) {
    return(NULL)
  }
  rarer <- min(sum(y), length(y) - sum(y))
  if (rarer == 0) {
    unwrapped("All records have the same outcome: the prior decides how likely
       the other is.")
  } else if (rarer < max(10, fit$spec$n_columns)) {
    "One outcome is rare: the prior influences every coefficient."
  }
}

# A level whose records all have the same outcome, or a number that splits them.
remark_separation <- function(fit, levels) {
  spec <- fit$spec
  active <- active_records(fit)
  y <- spec$y[active]
  if (length(unique(y)) < 2) {
    return(NULL)
  }
  pure <- levels$n > 0 & (levels$sum == 0 | levels$sum == levels$n)
  numeric <- vapply(seq_along(fit$design$vectors), function(j) {
    x <- split(spec$numeric[active, j], y)
    max(x[[1]]) <= min(x[[2]]) || max(x[[2]]) <= min(x[[1]])
  }, TRUE)
  remark_decided(
    c(levels$name[pure], fit$design$vectors[numeric]),
    "The outcome is separated by %s: the prior decides %s."
  )
}

remark_zeros <- function(fit, levels) {
  if (!has_active(fit)) {
    return(NULL)
  }
  y <- number_facts_(fit$spec$y, fit$privacy_weights)
  if (y$most == 0) {
    return("All counts are 0: the prior decides how small their mean is.")
  }
  c(
    if (y$least == y$most) {
      "All counts are equal: the prior influences their spread."
    },
    remark_decided(
      levels$name[levels$n > 0 & levels$sum == 0],
      "All counts are 0 in %s: the prior decides %s."
    )
  )
}

#' @param names (character) Of what the prior decides; none gives no remark.
#' @param text (string) Takes the names, then what of them.
#' @noRd
remark_decided <- function(names, text) {
  own <- if (length(names) == 1) "its coefficient" else "their coefficients"
  if (length(names) > 0) sprintf(text, name_some(names), own)
}

# Remarks on a model that does not suit its data: a prior in another unit, a
# response whose exponential has no mean, weights that erase an answer.

# A response that spreads this many times wider than the prior of a coefficient
# is in another unit than the prior was made for.
prior_conflict <- 50

#' Is the prior made for another unit than the response's?
#'
#' Unit-scale priors pull the coefficients of an amount in dollars to 0, and the
#' chains converge all the same.
#' @noRd
remark_prior_unit <- function(fit) {
  prior <- fit$prior
  scale <- switch(prior$kind,
    normal = , hierarchical = prior$scale,
    shared = prior$slope[2]
  )
  if (fit$family$kind != "continuous" || is.null(scale)) {
    return(NULL)
  }
  y <- if (is.null(fit$spec$offset)) {
    active_response(fit)
  } else {
    (fit$spec$y - fit$spec$offset)[active_records(fit)]
  }
  if (length(y) < 2) {
    return(NULL)
  }
  predictors <- length(fit$design$columns) > 1
  far <- !is.null(prior$intercept) &&
    abs(stats::median(y) - prior$intercept[1]) > 10 * prior$intercept[2]
  wide <- predictors && stats::IQR(y) > prior_conflict * scale
  if (far || wide) {
    unwrapped("The prior is for another unit than the response's and pulls the
       coefficients to 0. Give public numbers in the response's unit,
       prior_normal(scale = , intercept = c( , )), or model the log of the
       response.")
  }
}

#' What is drawn has no mean: synthesize() asks for ends
#' @noRd
remark_no_mean <- function(fit) {
  text_if(
    !has_finite_mean(fit$family, fit$response),
    unwrapped("Synthetic %s has no finite mean, because %s has the tails of a
       t distribution: state its public bounds, bounds = %s, when you draw."),
    fit$response$name, response_label(fit$response),
    bounds_example(fit$response)
  )
}

#' Weights that erase the rarer answer
#' @noRd
remark_erased <- function(fit) {
  y <- fit$spec$y
  alpha <- alpha_of(fit)
  if (sum(alpha) == 0) {
    return(NULL)
  }
  plain <- mean(y)
  weighted <- stats::weighted.mean(y, alpha)
  if (plain > 0.5) {
    plain <- 1 - plain
    weighted <- 1 - weighted
  }
  text_if(
    plain > 0 && weighted < plain / 2,
    unwrapped("The weights hold back the rarer answer: %s of the records have
       it, but only %s of the weight. Synthetic data will show fewer of
       them."),
    format_share(plain), format_share(weighted)
  )
}
