# Mechanisms on a grid: what each makes of a whole database, recomputed from its
# definition for every neighbour, so that an audit sees what one record does to
# the weights of all others.

#' A mechanism's version on the grid
#'
#' @param weights (function of the settings or `NULL`) Gives a function of the
#'   grid, of counts and of a database (a function that gives the neighbour's
#'   data frame): alpha (V). `NULL`: 1.
#' @param takes,needs (character) Names of settings.
#' @param clipped (flag) Does it clip? Then it takes the settings of a clip.
#' @param own_value (flag) Are the weights the same for all databases?
#' @param centred (flag) Is the ratio to a reference clipped?
#' @param factor (function of the settings) Added to what the width costs.
#' @param first (function of the settings and of epsilon, or `NULL`) A first
#'   stage whose draw the weights depend on: a list of `epsilon`, `rule`
#'   (function of the grid) and `weights` (function of the grid and a cell).
#' @noRd
grid_version <- function(weights = NULL, takes = character(),
                         needs = character(), clipped = FALSE,
                         own_value = is.null(weights), centred = FALSE,
                         factor = function(s) 0, first = NULL) {
  list(
    weights = weights %||% function(s) function(grid, counts, ...) 1,
    takes = c(takes, if (clipped) names(clip_settings)), needs = needs,
    clipped = clipped, own_value = own_value, centred = centred,
    factor = factor, first = first
  )
}

# Those of a clip: whatever clips takes them
clip_settings <- list(
  margin_share = 0, interval = "symmetric", neighbours = "add-remove",
  lower = NULL, upper = NULL
)

grid_settings <- c(clip_settings, list(
  scale = 1, shift = 0, map = "linear", k = 0.95, radius = NULL,
  relative = FALSE, target = NULL, window = NULL, reference = NULL,
  history = NULL, first_share = 0.2, weight_range = NULL, alpha = 1
))

#' A mechanism as the exact audit takes it
#'
#' @param settings (list) What [audit_guarantee()] was given in `...`.
#' @return (list) `name`; `weights`, see grid_version(); `own_value`; `lower`,
#'   `upper`, `centred`, `public_alpha`: the clip; `width`: upper - lower,
#'   `NULL` without a clip; `factor`; `first`; `one_off`: epsilon (add/remove)
#'   of what is paid once, such as a histogram; `epsilon`; `settings`.
#' @noRd
mechanism_on_grid <- function(definition, epsilon, settings) {
  version <- definition$grid
  s <- check_grid_settings(settings, definition)
  if (version$clipped || "epsilon" %in% version$needs) {
    check_number(epsilon, above = 0, arg = "epsilon")
  }
  s$epsilon <- epsilon
  s$target <- s$target %||% if (!is.null(epsilon)) epsilon / 2
  for (argument in version$needs) {
    check_given(s[[argument]], definition$name, NULL, argument)
  }
  one_off <- s$margin_share * (epsilon %||% 0)
  rest <- (epsilon %||% 0) - one_off
  first <- if (!is.null(version$first)) version$first(s, rest)
  if (!is.null(first)) {
    one_off <- one_off + first$epsilon
    rest <- rest - first$epsilon
  }
  width <- width_of_epsilon(rest, s$neighbours)
  ends <- if (version$clipped) censor_ends(width, s) else c(-Inf, Inf)
  list(
    name = definition$name, weights = version$weights(s),
    own_value = version$own_value,
    lower = ends[1], upper = ends[2], centred = version$centred,
    public_alpha = if (version$centred) min(1, width / (2 * s$window)) else 1,
    width = if (version$clipped) width, factor = version$factor(s),
    first = first, one_off = one_off, epsilon = epsilon, settings = s
  )
}

check_grid_settings <- function(settings, definition) {
  given <- names(settings) %||% character(length(settings))
  takes <- definition$grid$takes
  unused <- setdiff(given, takes)
  if (length(unused) > 0) {
    abort_input(
      "{.arg ...} must name settings of the mechanism.",
      x = "{.val {definition$name}} does not take {.val {unused}}.",
      i = if (length(takes) > 0) "It takes {.val {takes}}.",
      arg = "..."
    )
  }
  s <- grid_settings
  s[given] <- settings
  number <- function(arg, ...) {
    check_number(s[[arg]], ..., null = TRUE, arg = arg)
  }
  number("scale", min = 0)
  number("shift", min = 0)
  number("k", above = 0, max = 1)
  number("alpha", min = 0, max = 1)
  number("margin_share", min = 0, below = 1)
  number("radius", above = 0)
  number("window", above = 0)
  number("target", above = 0)
  number("first_share", above = 0, below = 1)
  if (!is.null(s$weight_range)) check_weight_range(s$weight_range)
  check_choice(s$map, c("linear", "softmax", "logistic"), "map")
  check_choice(s$interval, c("symmetric", "negative"), "interval")
  check_choice(s$neighbours, c("add-remove", "replace"), "neighbours")
  s
}

#' The interval; stated ends take the place of the one that epsilon gives, the
#' claim stays that of epsilon
#' @noRd
censor_ends <- function(width, s) {
  ends <- if (s$interval == "negative") c(-width, 0) else c(-width, width) / 2
  c(s$lower %||% ends[1], s$upper %||% ends[2])
}
