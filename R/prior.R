# Priors of the coefficients. They hold public numbers only and never look at
# the confidential response: a prior scaled by sd(y) would be a privacy leak
# that no bound accounts for.

#' Priors of the regression coefficients
#'
#' Makes proper priors from public numbers that you state.
#'
#' None of these priors looks at the response. A default scaled by the
#' response's standard deviation, as in other packages, would be a leak that the
#' privacy guarantee does not count. Priors are stated for the *modelled*
#' response (log(income) for `log(income) ~ ...`) and for numeric predictors
#' divided by their own standard deviation. The default scales suit a response
#' on a log scale, or one that spreads over a few units; divide a response in
#' dollars by a public constant, or take its log.
#'
#' `prior_hierarchical()` is the papers' prior. All coefficients, including the
#' intercept, are b ~ MVN(0, diag(tau) Omega diag(tau)), with tau_j ~ half-t(df,
#' 0, scale) and the correlation matrix Omega ~ LKJ(lkj). In a mixture the
#' coefficients b_k of all components share tau and Omega. It is the default of
#' all families except the mixture and [categorical()], with `lkj = 6` for
#' counts ([stats::poisson()], [neg_binomial()]) and 1 for the others. The
#' intercept has a tau of its own and may lie far from 0.
#'
#' `prior_shared()` is the default of [normal_mixture()], because chains mix
#' well under it. The coefficients of component k are b_k ~ N(m, diag(tau)^2),
#' with tau_j ~ half-t(df, 0, scale). Their mean m_j is N(slope) for slopes and
#' N(intercept) for the intercept. Components differ from their shared mean m by
#' about `scale`.
#'
#' `prior_normal()` gives every coefficient its own normal prior, independent
#' of all others: N(0, scale^2) for slopes and N(intercept) for the intercept.
#' Its default intercept N(0, 20^2) says that the expected response at the base
#' levels lies within 40 of 0 on the modelled scale, which is very weak for a
#' log income. State what is publicly known, such as `intercept = c(10.8, 2.5)`
#' for log income, when the likelihood is weak: with small weights, under
#' censoring, or in a mixture, whose empty components are drawn from the prior.
#' It is also the prior of [categorical()], where it correlates the coefficients
#' of the levels so that no level acts as the baseline of the others.
#'
#' `prior_beta_mean()` is for [beta_response()] and [bernoulli()] without
#' predictors. The mean, which is the inverse logit of the intercept, is
#' Beta(shape1, shape2). For [beta_response()] without predictors it is the
#' default, and it is then uniform, as in the censoring paper.
#'
#' Without an intercept in the formula (`y ~ 0 + group`), the first factor has a
#' column for each level; these columns take the intercept's prior.
#' @param lkj (positive number) Shape of the LKJ prior of the correlation
#'   matrix. Larger values favour small correlations. Default 1: uniform.
#' @param df (positive number) Degrees of freedom of the half-t prior of tau.
#'   Default 3.
#' @param scale (positive number) For `prior_hierarchical()` and
#'   `prior_shared()`: the scale of the half-t prior of tau (defaults 1 and
#'   0.25). For `prior_normal()`: the standard deviation of the slopes (default
#'   1).
#' @param intercept (two numbers: location and positive scale) Normal prior of
#'   the intercept. In `prior_shared()`, the intercepts of the components vary
#'   around a common mean, and this is the prior of that mean. State public
#'   knowledge only. Default `c(0, 20)`.
#' @param slope (two numbers: location and positive scale) Normal prior of the
#'   means around which the components' slopes vary. Default `c(0, 1)`.
#' @param shape1,shape2 (positive numbers) Shapes of the beta prior of the mean.
#'   Default 1.
#' @return A `synth_prior` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: `pseudosynth_error_input` for a number out of range;
#'   from [fit_synthesizer()] for a prior that does not suit the family or the
#'   formula.
#' @references Hu, Savitsky and Williams (2022), "Private Tabular Survey Data
#'   Products through Synthetic Microdata Generation". Lewandowski, Kurowicka
#'   and Joe (2009), \doi{10.1016/j.jmva.2009.04.008}, for LKJ.
#' @examples
#' prior_hierarchical()
#' prior_shared(intercept = c(10.8, 2.5))
#' prior_normal(intercept = c(10.8, 2.5))
#' prior_beta_mean(2, 5)
#' @name priors
#' @export
prior_hierarchical <- function(lkj = 1, df = 3, scale = 1) {
  new_synth_prior("hierarchical", lkj = lkj, df = df, scale = scale)
}

#' @rdname priors
#' @export
prior_shared <- function(scale = 0.25, df = 3, intercept = c(0, 20),
                         slope = c(0, 1)) {
  new_synth_prior(
    "shared", scale = scale, df = df, intercept = intercept, slope = slope
  )
}

#' @rdname priors
#' @export
prior_normal <- function(scale = 1, intercept = c(0, 20)) {
  new_synth_prior("normal", scale = scale, intercept = intercept)
}

#' @rdname priors
#' @export
prior_beta_mean <- function(shape1 = 1, shape2 = 1) {
  new_synth_prior("beta_mean", shape1 = shape1, shape2 = shape2)
}

#' @param ... The numbers by name: a location and a scale, or one above 0.
#' @noRd
new_synth_prior <- function(kind, ...) {
  numbers <- list(...)
  for (name in names(numbers)) {
    numbers[[name]] <- if (name %in% c("intercept", "slope")) {
      check_location_scale(numbers[[name]], arg = name)
    } else {
      check_number(numbers[[name]], above = 0, arg = name)
    }
  }
  do.call(new_result, c("synth_prior", kind = kind, numbers))
}

#' A prior made anew from its numbers: nothing else of it travels in a release
#' @noRd
plain_prior <- function(prior) {
  make <- switch(prior$kind,
    hierarchical = prior_hierarchical, shared = prior_shared,
    normal = prior_normal, beta_mean = prior_beta_mean
  )
  do.call(make, unclass(prior)[names(formals(make))], quote = TRUE)
}

check_location_scale <- function(x, arg = rlang::caller_arg(x)) {
  check_that(
    are_numbers(x, 2) && x[2] > 0, x,
    "{.arg {arg}} must be two finite numbers: a location and a positive scale.",
    i = "For instance {.code c(10.8, 2.5)}.", arg = arg
  )
  as.double(unname(x))
}

#' The prior as the core reads it
#'
#' @param prior (`synth_prior`)
#' @param is_level (logical, P) Which columns are the intercept or, without
#'   one, the levels of the first factor.
#' @return (list) The `prior` element of a model specification.
#' @noRd
prior_spec <- function(prior, is_level) {
  spread <- function(level, other) {
    ifelse(is_level, level, rep(other, length(is_level)))
  }
  own <- unclass(prior)
  switch(prior$kind,
    normal = list(
      kind = "normal", location = spread(prior$intercept[1], 0),
      scale = spread(prior$intercept[2], prior$scale)
    ),
    shared = c(own[c("kind", "scale", "df")], list(
      location = spread(prior$intercept[1], prior$slope[1]),
      m_scale = spread(prior$intercept[2], prior$slope[2])
    )),
    own
  )
}

#' @export
format.synth_prior <- function(x, ...) {
  numbers <- vapply(x[-1], function(value) {
    text <- format(value, trim = TRUE, drop0trailing = TRUE)
    if (length(text) > 1) sprintf("c(%s)", toString(text)) else text
  }, "")
  sprintf(
    "prior_%s(%s)", x$kind, paste(names(x)[-1], "=", numbers, collapse = ", ")
  )
}

print_lines.synth_prior <- function(x) {
  normal <- function(p) sprintf("N(%s, %s^2)", format(p[1]), format(p[2]))
  half_t <- function() {
    sprintf("half-t(%s, 0, %s)", format(x$df), format(x$scale))
  }
  c(
    paste("<synth_prior>", format(x)),
    switch(x$kind,
      hierarchical = c(
        "b   ~ MVN(0, diag(tau) Omega diag(tau)), the intercept included",
        sprintf("tau ~ %s, Omega ~ LKJ(%s)", half_t(), format(x$lkj))
      ),
      shared = c(
        "b_k ~ N(m, diag(tau)^2)",
        sprintf("m   ~ %s, intercept %s", normal(x$slope), normal(x$intercept)),
        sprintf("tau ~ %s", half_t())
      ),
      normal = sprintf(
        "b   ~ %s, intercept %s", normal(c(0, x$scale)), normal(x$intercept)
      ),
      beta_mean = sprintf(
        "inverse-logit(intercept) ~ Beta(%s, %s)",
        format(x$shape1), format(x$shape2)
      )
    ),
    "Public numbers only; on the scale of the modelled response."
  )
}

#' The priors of a fit
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param ... Not used.
#' @return A `prior_summary.synthesizer`: a list with `coefficients` (a
#'   `synth_prior`, see [priors]) and `extras` (named character: the prior of
#'   each other parameter, such as `sigma`, `size` or `precision`; empty if the
#'   family has no other parameter). All of it is public.
#' @examples
#' \donttest{
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 1000, seed = 1
#' )
#' prior_summary(fit)
#' }
#' @importFrom rstantools prior_summary
#' @method prior_summary synthesizer
#' @export
prior_summary.synthesizer <- function(object, ...) {
  new_result(
    "prior_summary.synthesizer", coefficients = object$prior,
    extras = object$family$extras
  )
}

print_lines.prior_summary.synthesizer <- function(x) {
  c(print_lines(x$coefficients), x$extras)
}

#' Is the prior a probability distribution?
#' @noRd
prior_is_proper <- function(prior) {
  known <- c("normal", "hierarchical", "shared", "beta_mean")
  prior$kind %in% known && all(is.finite(unlist(unclass(prior)[-1])))
}
