# Families: what one record's log density is. A `synth_family` holds public
# numbers and words only; the C++ core knows it by its `likelihood`. All that
# the rest of the package has to know about a family is in the object that its
# constructor makes, so that adding one touches one R/family-*.R and the list
# `family_makers()` here.

# Every family by the name that may be given as a string. beta_response() has
# bounds that only the user can state.
family_makers <- function() {
  list(
    gaussian = gaussian_family, lognormal = lognormal,
    normal_mixture = normal_mixture, student_t = student_t,
    poisson = poisson_family, neg_binomial = neg_binomial,
    beta_response = beta_response, bernoulli = bernoulli,
    binomial = bernoulli, categorical = categorical
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
as_synth_family <- function(x, arg = rlang::caller_arg(x)) {
  if (inherits(x, "synth_family")) {
    check_class(x, "synth_family", arg = arg)
    return(plain_family(x))
  }
  makers <- family_makers()
  if (is.character(x)) {
    make <- makers[[check_choice(x, names(makers), arg = arg)]]
    return(make_family(make, arg))
  }
  if (is.function(x)) {
    # A constructor without its parentheses.
    x <- make_family(x, arg)
    if (inherits(x, "synth_family")) {
      return(x)
    }
  }
  if (!inherits(x, "family")) {
    abort_input(
      "{.arg {arg}} must be a family: {.code {family_choices()}}.",
      x = "It is {describe_type(x)}.",
      arg = arg
    )
  }
  from_stats_family(x, arg)
}

# Our own errors, such as missing bounds, are the user's; any other function
# is no family.
make_family <- function(make, arg) {
  made <- tryCatch(make(), error = identity)
  if (inherits(made, "pseudosynth_error")) {
    abort_input(
      "{.arg {arg}} must be a complete family.",
      x = "{conditionMessage(made)}",
      arg = arg
    )
  }
  if (inherits(made, "error")) NULL else made
}

# gaussian(), poisson() and binomial() of the stats package, with the one link
# that the core has.
from_stats_family <- function(x, arg) {
  links <- c(gaussian = "identity", poisson = "log", binomial = "logit")
  name <- x$family
  if (!name %in% names(links)) {
    ours <- c(
      "Negative Binomial" = "neg_binomial()", Gamma = "lognormal()",
      quasipoisson = "neg_binomial()", quasibinomial = "bernoulli()"
    )
    near <- ours[names(ours) == sub("\\(.*", "", name)]
    abort_input(
      "{.arg {arg}} must be one of {.code {family_choices()}}.",
      x = "The family {.val {name}} is not available.",
      i = if (length(near) > 0) "Use {.code {near}} instead.",
      arg = arg
    )
  }
  if (!identical(x$link, links[[name]])) {
    abort_input(
      "{.fn {name}} must have the {links[[name]]} link.",
      x = "Its link is {.val {x$link}}.",
      i = if (name == "gaussian") {
        "Model {.code log(y)} or use {.fn lognormal} for a log scale."
      } else {
        "Leave the link out: {.code {name}()}."
      },
      arg = arg
    )
  }
  family_makers()[[name]]()
}

gaussian_family <- function() {
  new_synth_family(
    "gaussian", "gaussian", "normal errors with one standard deviation"
  )
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
