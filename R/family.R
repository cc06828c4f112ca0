# Families: what one record's log density is. A `synth_family` holds public
# numbers and words only; the C++ core knows it by its `likelihood`. All that
# the rest of the package has to know about a family is in the object that its
# constructor makes, so that adding one touches one R/family-*.R and the list
# `family_makers()` here.

#' Make a family (internal constructor)
#'
#' @param name (string) The constructor's name, as the user writes it.
#' @param likelihood (string) The core's name of the density.
#' @param density (string) The density in words, for printing: `Models the
#'   response by ...`.
#' @param extras (named character) The parameters besides the coefficients, in
#'   the core's order, and the prior of each, in words.
#' @param kind (string) What the response must be: `"continuous"`, `"count"`,
#'   `"proportion"` or `"binary"`.
#' @param K (count) Number of components, 1 without a mixture.
#' @param sigma_floor (number) Public lower bound of every scale.
#' @param df (number or `NULL`) Public degrees of freedom.
#' @param bounds (two numbers or `NULL`) Public bounds of a proportion.
#' @param log_response (flag) Is the logarithm of the response modelled?
#' @param lkj (number) The default of [prior_hierarchical()]'s `lkj`.
#' @param arguments (list) What the constructor was given, for printing.
#' @noRd
new_synth_family <- function(name, likelihood, density,
                             extras = c(sigma = "sigma ~ half-t(3, 0, 1)"),
                             kind = "continuous", K = 1L, sigma_floor = 0,
                             df = NULL, bounds = NULL, log_response = FALSE,
                             lkj = 1, arguments = list()) {
  structure(
    list(
      name = name, likelihood = likelihood, density = density,
      extras = extras, kind = kind, K = as.integer(K),
      sigma_floor = as.double(sigma_floor), df = df, bounds = bounds,
      log_response = log_response, lkj = lkj, arguments = arguments
    ),
    class = "synth_family"
  )
}

# Every family by the name that may be given as a string. beta_response() has
# bounds that only the user can state.
family_makers <- function() {
  list(
    gaussian = gaussian_family, lognormal = lognormal,
    normal_mixture = normal_mixture, student_t = student_t,
    poisson = poisson_family, neg_binomial = neg_binomial,
    beta_response = beta_response, bernoulli = bernoulli,
    binomial = bernoulli
  )
}

family_choices <- function() {
  sprintf("%s()", setdiff(names(family_makers()), "binomial"))
}

#' Turn what the user gave into a family
#'
#' @param x A `synth_family`, a family of the stats package, the name of a
#'   family or a function that makes one.
#' @return (`synth_family`)
#' @noRd
as_synth_family <- function(x, arg = rlang::caller_arg(x),
                            call = rlang::caller_env()) {
  if (inherits(x, "synth_family")) {
    return(x)
  }
  makers <- family_makers()
  if (is.character(x)) {
    make <- makers[[check_choice(x, names(makers), arg = arg, call = call)]]
    return(make_family(make, arg, call))
  }
  if (is.function(x)) {
    # A constructor without its parentheses.
    x <- make_family(x, arg, call)
    if (inherits(x, "synth_family")) {
      return(x)
    }
  }
  if (!inherits(x, "family")) {
    abort_input(
      c(
        "{.arg {arg}} must be a family: {.code {family_choices()}}.",
        x = "It is {describe_type(x)}."
      ),
      arg = arg, call = call
    )
  }
  from_stats_family(x, arg, call)
}

# Our own errors, such as missing bounds, are the user's; any other function
# is no family.
make_family <- function(make, arg, call) {
  made <- tryCatch(make(), error = identity)
  if (inherits(made, "pseudosynth_error")) {
    abort_input(
      c(
        "{.arg {arg}} must be a complete family.",
        x = "{conditionMessage(made)}"
      ),
      arg = arg, call = call
    )
  }
  if (inherits(made, "error")) NULL else made
}

# gaussian(), poisson() and binomial() of the stats package, with the one link
# that the core has.
from_stats_family <- function(x, arg, call) {
  links <- c(gaussian = "identity", poisson = "log", binomial = "logit")
  name <- x$family
  if (!name %in% names(links)) {
    ours <- c(
      "Negative Binomial" = "neg_binomial()", Gamma = "lognormal()",
      quasipoisson = "neg_binomial()", quasibinomial = "bernoulli()"
    )
    near <- ours[names(ours) == sub("\\(.*", "", name)]
    abort_input(
      c(
        "{.arg {arg}} must be one of {.code {family_choices()}}.",
        x = "The family {.val {name}} is not available.",
        i = if (length(near) > 0) "Use {.code {near}} instead."
      ),
      arg = arg, call = call
    )
  }
  if (!identical(x$link, links[[name]])) {
    abort_input(
      c(
        "{.fn {name}} must have the {links[[name]]} link.",
        x = "Its link is {.val {x$link}}.",
        i = if (name == "gaussian") {
          "Model {.code log(y)} or use {.fn lognormal} for a log scale."
        } else {
          "Leave the link out: {.code {name}()}."
        }
      ),
      arg = arg, call = call
    )
  }
  family_makers()[[name]]()
}

gaussian_family <- function() {
  new_synth_family(
    "gaussian", "gaussian", "normal errors with one standard deviation"
  )
}

is_mixture <- function(family) {
  identical(family$likelihood, "normal_mixture")
}

# Has the family the logit link, so that an intercept alone is a mean in (0, 1)?
has_logit_link <- function(family) {
  family$kind %in% c("proportion", "binary")
}

#' @export
format.synth_family <- function(x, ...) {
  arguments <- vapply(x$arguments, format_argument, "")
  sprintf(
    "%s(%s)", x$name,
    paste(names(x$arguments), "=", arguments, collapse = ", ",
          recycle0 = TRUE)
  )
}

# One number as it is, two as c(0, 600000).
format_argument <- function(x) {
  text <- vapply(x, format, "", scientific = 9, digits = 15)
  if (length(text) > 1) sprintf("c(%s)", toString(text)) else text
}

#' @export
print.synth_family <- function(x, ...) {
  target <- if (x$log_response) "the log of the response" else "the response"
  cat("<synth_family> ", format(x), "\n", sep = "")
  cat(strwrap(sprintf("Models %s by %s.", target, x$density), 79), sep = "\n")
  invisible(x)
}
