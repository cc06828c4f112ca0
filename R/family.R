# The one list of families, what the user may give for one, and what follows
# from its law. A `synth_family` says what one record's log density is; the C++
# core knows it by its `likelihood`. All else that the package has to know is in
# the family's own file: adding one touches that and the list here.

# The law of each by the name that may be given as a string
families <- list(
  gaussian = law_gaussian, lognormal = law_lognormal,
  normal_mixture = law_normal_mixture, student_t = law_student_t,
  poisson = law_poisson, neg_binomial = law_neg_binomial,
  beta_response = law_beta_response, bernoulli = law_bernoulli,
  binomial = law_bernoulli, categorical = law_categorical
)

#' @param family (`synth_family`)
#' @return (list) See R/family-class.R.
#' @noRd
law_of <- function(family) families[[family$name]]

family_choices <- function() {
  sprintf("%s()", setdiff(names(families), "binomial"))
}

#' Turn what the user gave into a family
#'
#' @param x A `synth_family`, a family of the stats package, the name of a
#'   family or a function that makes one.
#' @return (`synth_family`)
#' @noRd
as_synth_family <- function(x, arg = rlang::caller_arg(x)) {
  force(arg)
  if (inherits(x, "synth_family")) {
    check_class(x, "synth_family", arg = arg)
    return(plain_family(x))
  }
  if (is.character(x)) {
    law <- families[[check_choice(x, names(families), arg = arg)]]
    return(make_family(law$make, arg))
  }
  # A constructor without its parentheses.
  made <- if (is.function(x)) make_family(x, arg) else x
  if (inherits(made, "synth_family")) {
    return(made)
  }
  refuse_if(
    !inherits(made, "family"),
    "{.arg {arg}} must be a family: {.code {family_choices()}}.",
    x = "It is {describe_type(x)}.", arg = arg
  )
  from_stats_family(made, arg)
}

# Our own errors, such as missing bounds, are the user's; any other function
# is no family.
make_family <- function(make, arg) {
  made <- tryCatch(make(), error = identity)
  refuse_if(
    inherits(made, "pseudosynth_error"),
    "{.arg {arg}} must be a complete family.",
    x = "{conditionMessage(made)}", arg = arg
  )
  if (inherits(made, "error")) NULL else made
}

# gaussian(), poisson() and binomial() of the stats package, with the one link
# that the core has.
from_stats_family <- function(x, arg) {
  name <- as.character(x$family)
  if (!name %in% c("gaussian", "poisson", "binomial")) {
    # Of other packages, which may stand before this one's of the same name
    ours <- c(
      "Negative Binomial" = "neg_binomial", Gamma = "lognormal",
      quasipoisson = "neg_binomial", quasibinomial = "bernoulli",
      neg_binomial_2 = "neg_binomial", negbinomial = "neg_binomial",
      student = "student_t", scat = "student_t", beta = "beta_response",
      Beta = "beta_response", "Beta regression" = "beta_response",
      lognormal = "lognormal", bernoulli = "bernoulli",
      categorical = "categorical", multinom = "categorical"
    )
    near <- ours[names(ours) == sub("\\(.*", "", name)]
    abort_input(
      "{.arg {arg}} must be one of {.code {family_choices()}}.",
      x = "It is the family {.val {name}} of another package.",
      i = if (length(near) > 0) {
        "Write {.code pseudosynth::{near}()}, which no other package masks."
      },
      arg = arg
    )
  }
  law <- families[[name]]
  refuse_if(
    !identical(as.character(x$link), law$link),
    "{.fn {name}} must have the {law$link} link.",
    x = "Its link is {.val {x$link}}.",
    i = if (name == "gaussian") {
      "Model {.code log(y)} or use {.fn lognormal} for a log scale."
    } else {
      "Leave the link out: {.code {name}()}."
    },
    arg = arg
  )
  law$make()
}

# What follows from a law ------------------------------------------------------

#' Is the response its linear predictor and an error?
#' @noRd
is_location <- function(family) !is.null(law_of(family)$error_share)

#' @return (double) Of counts at most 1e13: noisy coefficients may lie anywhere.
#' @noRd
family_mean <- function(family, eta) {
  switch(law_of(family)$link,
    identity = eta,
    log = exp(pmin(eta, 30)),
    logit = stats::plogis(eta)
  )
}

#' Distribution function and quantiles of responses
#' @param mean,shape Of the family.
#' @noRd
response_probability <- function(family, q, mean, shape) {
  law <- law_of(family)
  if (!is_location(family)) {
    return(law$probability(q, mean, shape))
  }
  law$error_share((q - mean) / shape, family$df)
}

response_quantile <- function(family, p, mean, shape) {
  law <- law_of(family)
  if (!is_location(family)) {
    return(law$quantile(p, mean, shape))
  }
  mean + shape * law$error_quantile(p, family$df)
}

#' The same for records that share rows: of counts from a table of each row
#'
#' The same values: where a share is as near to a record's as rounding, and
#' beyond the tables, the law's own quantile is taken.
#' @param mean (double) Of each row.
#' @param row (integer) Of each record.
#' @noRd
quantile_by_row <- function(family, p, mean, shape, row) {
  law <- law_of(family)
  if (family$kind != "count" || !isTRUE(all(mean <= 1e4))) {
    return(response_quantile(family, p, mean[row], shape))
  }
  most <- min(max(p), 1 - 1e-6)
  size <- law$quantile(rep(most, length(mean)), mean, shape) + 1
  # Tables must be worth their making, and large ones their room: R's own search
  # takes a step or two of a Poisson law, and tens of a long-tailed one
  worth <- if (is.null(shape)) 1 else 8
  if (!isTRUE(sum(size) <= min(worth * length(p), max(length(p) / 4, 2e5)))) {
    return(response_quantile(family, p, mean[row], shape))
  }
  first <- cumsum(c(0, size[-length(size)]))
  of <- rep(seq_along(size), size)
  share <- law$probability(seq_len(sum(size)) - 1 - first[of], mean[of], shape)
  y <- table_quantiles_(p, row, share, as.integer(first), as.integer(size))
  left <- which(is.na(y))
  y[left] <- law$quantile(p[left], mean[row[left]], shape)
  y
}

#' The law of the errors of a response, or of what stands for it
#'
#' Normal where a family has no errors: a margin has the shape, and a latent
#' value has no ties.
#' @noRd
latent_share <- function(family, error) {
  error_law(family)$error_share(error, family$df)
}

latent_quantile <- function(family, p) {
  error_law(family)$error_quantile(p, family$df)
}

error_law <- function(family) {
  if (is_location(family)) law_of(family) else law_gaussian
}

#' The prior of a fit: the one given, or the family's default
#' @param columns (character, P) Names of the design's columns. `NULL` stands
#'   for a model with predictors.
#' @return (`synth_prior`)
#' @noRd
resolve_prior <- function(prior, family, columns = NULL) {
  intercept_only <- identical(columns, "(Intercept)")
  if (is.null(prior)) {
    default <- law_of(family)$prior %||% function(...) prior_hierarchical()
    return(default(intercept_only))
  }
  check_class(
    prior, "synth_prior",
    how = "Make one with {.fn prior_hierarchical}, {.fn prior_shared},
           {.fn prior_normal} or {.fn prior_beta_mean}."
  )
  prior <- plain_prior(prior)
  has_logit <- family$kind %in% c("proportion", "binary")
  why <- if (is_categorical(family) && prior$kind != "normal") {
    "{.fn categorical} only takes {.fn prior_normal}: other priors depend on
     which level is the baseline."
  } else if (prior$kind == "shared" && !is_mixture(family)) {
    "{.fn prior_shared} is for {.fn normal_mixture}; the family is
     {.code {format(family)}}."
  } else if (prior$kind == "beta_mean" && !(has_logit && intercept_only)) {
    "{.fn prior_beta_mean} is for {.fn beta_response} and {.fn bernoulli}
     without predictors{if (has_logit) ', and the formula has some' else
     paste0('; the family is ', format(family))}."
  }
  refuse_if(
    !is.null(why), "{.arg prior} must suit the model.",
    x = why,
    i = if (!is_categorical(family)) {
      "Use {.fn prior_hierarchical} or {.fn prior_normal}."
    },
    arg = "prior"
  )
  prior
}

#' @export
format.synth_family <- function(x, ...) {
  arguments <- vapply(x$arguments, format_argument, "")
  sprintf(
    "%s(%s)", x$name,
    paste(names(x$arguments), "=", arguments, collapse = ", ", recycle0 = TRUE)
  )
}

print_lines.synth_family <- function(x) {
  target <- if (x$log_response) "the log of the response" else "the response"
  c(
    paste("<synth_family>", format(x)),
    strwrap(sprintf("Models %s by %s.", target, x$density), 79)
  )
}
