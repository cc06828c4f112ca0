# Mechanisms on a grid: what each makes of a whole database, recomputed from its
# definition for every neighbour, so that an audit sees what one record does to
# the weights of all others. Internal.
#
# A mechanism is a list:
#   name       string
#   weights    function(grid, counts, database) -> alpha (V); `database` is a
#              function that gives the neighbour's data frame
#   own_value  flag: are the weights the same for all databases?
#   lower, upper, centred, public_alpha: the clip
#   width      upper - lower, NULL without a clip
#   factor     c / g for count weights with a floor, else 0
#   one_off    epsilon (add/remove) of what is paid once, such as a histogram
#   settings   list of public numbers

audit_mechanisms <- c(
  "unweighted", "lw", "lw_final", "weighted_e", "cw", "cw_final", "scalar",
  "censor_uw", "censor_w", "censor_cw", "public_scalar", "frozen", "two_stage",
  "centred"
)

mechanism_settings <- list(
  scale = 1, shift = 0, map = "linear", k = 0.95, radius = NULL,
  relative = FALSE, target = NULL, window = NULL, reference = NULL,
  history = NULL, epsilon0 = NULL, low = 0, high = NULL, margin_share = 0,
  interval = "symmetric", neighbours = "add-remove", alpha = 1, lower = NULL,
  upper = NULL
)

#' Build a mechanism by its name
#' @param settings (list) What [audit_guarantee()] was given in `...`.
#' @noRd
grid_mechanism <- function(name, epsilon, settings,
                           call = rlang::caller_env()) {
  check_choice(name, audit_mechanisms, arg = "mechanism", call = call)
  s <- check_settings(settings, call)
  needed <- switch(name,
    cw = , cw_final = , censor_cw = "radius",
    centred = c("reference", "window"), frozen = "history",
    two_stage = "high",
    character()
  )
  for (argument in needed) {
    if (is.null(s[[argument]])) {
      abort_input(
        "The mechanism {.val {name}} needs the argument {.arg {argument}}.",
        arg = argument, call = call
      )
    }
  }
  clipped <- startsWith(name, "censor") ||
    name %in% c("public_scalar", "frozen", "two_stage", "centred")
  if (clipped || name == "weighted_e") {
    check_number(epsilon, above = 0, arg = "epsilon", call = call)
  }
  one_off <- s$margin_share * (epsilon %||% 0)
  rest <- (epsilon %||% 0) - one_off
  if (name == "two_stage") {
    s$epsilon0 <- s$epsilon0 %||% (0.2 * rest)
    rest <- rest - s$epsilon0
    one_off <- one_off + s$epsilon0
  }
  s$epsilon <- epsilon
  s$target <- s$target %||% if (!is.null(epsilon)) epsilon / 2
  width <- if (s$neighbours == "replace") rest / 2 else rest
  ends <- if (clipped) censor_ends(width, s) else c(-Inf, Inf)
  list(
    name = name, weights = grid_weights(name, s, call),
    own_value = name %in% c(
      "unweighted", "censor_uw", "public_scalar", "frozen", "two_stage",
      "centred"
    ),
    lower = ends[1], upper = ends[2], centred = name == "centred",
    public_alpha = if (name == "centred") min(1, width / (2 * s$window)) else 1,
    width = if (clipped) width,
    factor = if (name == "censor_cw" && s$shift > 0) s$scale / s$shift else 0,
    one_off = one_off, epsilon = epsilon, settings = s
  )
}

check_settings <- function(settings, call) {
  known <- names(mechanism_settings)
  unknown <- setdiff(names(settings), known)
  if (length(unknown) > 0 || any(!nzchar(names(settings) %||% character()))) {
    abort_input(
      c(
        "{.arg ...} must name settings of the mechanism.",
        x = if (length(unknown) > 0) {
          "{cli::qty(length(unknown))}Not known: {.val {unknown}}."
        },
        i = "They are {.val {known}}."
      ),
      arg = "...", call = call
    )
  }
  s <- mechanism_settings
  s[names(settings)] <- settings
  check_number(s$scale, min = 0, arg = "scale", call = call)
  check_number(s$shift, min = 0, arg = "shift", call = call)
  check_number(s$k, above = 0, max = 1, arg = "k", call = call)
  check_number(s$alpha, min = 0, max = 1, arg = "alpha", call = call)
  check_number(
    s$margin_share,
    min = 0, below = 1, arg = "margin_share", call = call
  )
  check_number(s$radius, above = 0, null = TRUE, arg = "radius", call = call)
  check_number(s$window, above = 0, null = TRUE, arg = "window", call = call)
  check_choice(s$map, c("linear", "softmax", "logistic"), "map", call)
  check_choice(
    s$interval, c("symmetric", "negative"),
    arg = "interval", call = call
  )
  check_choice(
    s$neighbours, c("add-remove", "replace"),
    arg = "neighbours", call = call
  )
  s
}

#' The interval; stated ends take the place of the one that epsilon gives, the
#' claim stays that of epsilon
#' @noRd
censor_ends <- function(width, s) {
  ends <- if (s$interval == "negative") c(-width, 0) else c(-width, width) / 2
  c(s$lower %||% ends[1], s$upper %||% ends[2])
}

#' What a mechanism makes of a database
#' @return (list) `alpha` (V), `centre` (V), `lower`, `upper`.
#' @noRd
grid_rule <- function(grid, mechanism = NULL, counts = NULL, database = NULL) {
  if (is.null(mechanism)) {
    return(plain_rule(grid, 1))
  }
  if (!is.null(mechanism$rule)) {
    return(mechanism$rule(grid, counts, database))
  }
  alpha <- mechanism$public_alpha *
    mechanism$weights(grid, counts, database)
  centre <- if (mechanism$centred) alpha * grid$reference_f else 0
  plain_rule(grid, alpha, mechanism$lower, mechanism$upper, centre)
}

# Weights ----------------------------------------------------------------------

#' @return function(grid, counts, database) -> alpha (V)
#' @noRd
grid_weights <- function(name, s, call) {
  lipschitz <- function(grid, counts, ...) {
    grid_lipschitz_weights(grid, counts, s)
  }
  count <- function(grid, counts, ...) grid_count_weights(grid, counts, s)
  reweighted <- function(first) {
    function(grid, counts, ...) {
      grid_reweighted(grid, counts, first(grid, counts), s$k)
    }
  }
  switch(name,
    lw = , censor_w = lipschitz,
    lw_final = reweighted(lipschitz),
    cw = , censor_cw = count,
    cw_final = reweighted(count),
    weighted_e = function(grid, counts, ...) {
      grid_truncated(grid, counts, lipschitz(grid, counts), s$epsilon)
    },
    scalar = {
      check_number(s$target, above = 0, arg = "target", call = call)
      function(grid, counts, ...) grid_scalar_weight(grid, counts, s$target)
    },
    public_scalar = function(grid, counts, ...) s$alpha,
    frozen = function(grid, counts, ...) grid_frozen_weights(grid, s),
    function(grid, counts, ...) 1
  )
}

#' Lipschitz weights by a rule that another database has fixed
#'
#' alpha(v) = clamp(c (1 - r_v) + g), r_v = (Delta_v - min) / (max - min), cut
#' to \[0, 1\]; Delta_v over the bulk of the history's posterior, min and max
#' over the history's records.
#' @noRd
grid_frozen_weights <- function(grid, s) {
  counts <- grid$history_counts
  delta <- database_bounds(grid, counts, rep(1, length(counts)))
  ends <- range(delta[counts > 0])
  risk <- if (ends[1] == ends[2]) 0 else (delta - ends[1]) / diff(ends)
  rep_len(clamp(s$scale * (1 - clamp(risk)) + s$shift), length(counts))
}

#' alpha_i = clamp((hi - |f_i(theta_0)|) / (hi - lo)), theta_0 a cell
#' @noRd
grid_two_stage_weights <- function(grid, cell, s) {
  clamp((s$high - abs(grid$f[cell, ])) / (s$high - s$low))
}

# Mechanisms of fits and of functions ------------------------------------------

#' A mechanism that the user has programmed
#'
#' @param mechanism (function) Of a data frame; gives `weights` (N), `lower`,
#'   `upper` and, if centred, `centre` (N).
#' @noRd
function_mechanism <- function(mechanism, epsilon, call) {
  force(mechanism)
  rule <- function(grid, counts, database) {
    found <- database()
    made <- mechanism(found$data)
    n <- nrow(found$data)
    part <- function(name, default) {
      value <- made[[name]] %||% default
      if (!is.numeric(value) || !length(value) %in% c(1L, n) || anyNA(value)) {
        abort_input(
          "{.arg mechanism} must give a list with numeric {.val weights}, one a
           record, and {.val lower}, {.val upper} or neither.",
          arg = "mechanism", call = call
        )
      }
      as.double(value)
    }
    by_type <- function(value) {
      value <- rep_len(value, n)
      first <- match(seq_len(ncol(grid$f)), found$type)
      of_type <- value[first]
      if (any(abs(value - of_type[found$type]) > 1e-9)) {
        abort_input(
          "{.arg mechanism} must treat equal records alike.",
          arg = "mechanism", call = call
        )
      }
      of_type[is.na(first)] <- 0
      of_type
    }
    plain_rule(
      grid, by_type(part("weights", 1)), part("lower", -Inf)[1],
      part("upper", Inf)[1], by_type(part("centre", 0))
    )
  }
  list(
    name = "a function", rule = rule, own_value = FALSE, epsilon = epsilon,
    width = epsilon, factor = 0, one_off = 0, settings = list()
  )
}

#' The mechanism that made a fit
#'
#' Each scheme says what it makes of a database: weights made from the file are
#' made anew, those that depend on the record alone come from their definition.
#' What was paid once, such as the first stage of two-stage weights or a
#' histogram, is taken as spent in full.
#' @param margin_epsilon (number) Of the histogram, add/remove-one.
#' @noRd
fit_mechanism <- function(fit, margin_epsilon, call) {
  weights <- fit$privacy_weights
  censor <- fit$censor
  node <- if (!is.null(weights)) node_of(weights)
  dependency <- dependency_of(node)
  rule <- function(grid, counts, database) {
    alpha <- if (is.null(node)) {
      1
    } else {
      grid_values(node, grid, counts, database, call)
    }
    if (is.null(censor)) {
      return(plain_rule(grid, alpha))
    }
    model <- unclass(fit)[c("family", "prior", "response", "design")]
    model$data <- grid$data
    spec <- weighted_spec(
      grid$spec, model, rep_len(alpha, ncol(grid$f)), censor
    )
    plain_rule(
      grid, spec$alpha, spec$censor$lower, spec$censor$upper,
      spec$censor$centre
    )
  }
  paid <- total_charges(dependency$charges)$epsilon[["add/remove-one"]]
  list(
    name = mechanism_of(fit), rule = rule, own_value = dependency$kind == "own",
    width = if (!is.null(censor)) censor$upper - censor$lower,
    factor = dependency$factor[["add/remove-one"]] - 1,
    one_off = margin_epsilon + paid, epsilon = censor$epsilon,
    settings = mechanism_settings
  )
}
