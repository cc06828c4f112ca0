# A weighting scheme: all that the package knows of one way to make privacy
# weights, in one object. Each has a file of its own, beside the function that
# makes the weights; weighting_schemes() is the list of them. What a label says
# is no scheme's business: it states what its weights depend on, and verdict.R
# judges.

#' Build a weighting scheme
#'
#' A `node` is how weights were made, see `node_of()`. `inner` are the same
#' things of the weights they were computed from (`node$of`): their words, their
#' dependencies, their values.
#'
#' @param name (string) As in `attr(weights, "scheme")`, for ever: saved weights
#'   have it.
#' @param title (string, or function of node and inner titles) In prints.
#' @param short (string, or function of node and inner ones) In figures.
#' @param word (string, or function of node and inner words) In labels and jobs.
#' @param clipped (named character or `NULL`) What a mechanism is called that
#'   censors under such weights, named `censored` or, around a reference,
#'   `centred`, where that is not `"censor_<word>"` or `"centred_<word>"`.
#'   `NULL`: as under the weights inside.
#' @param inputs (character, or function of a node) Names of the public
#'   arguments, which a label prints; or a function that gives the text.
#' @param dependency (function of node and the inner dependencies) What the
#'   values depend on, see `dependency()`.
#' @param rule (function(node, data, inner)) The weights of the records of
#'   `data`. The constructor computes its own by the same function, frozen rules
#'   and audits of weights that depend on the record alone take it.
#' @param reads (function(node)) `response` and `predictors`: the columns that
#'   the rule reads itself.
#' @param rescale (function(node, scale, shift)) The node of the weights scaled,
#'   where these are still of the scheme. `NULL`: they become `"scaled"`.
#' @param replay (function(node, records, run, inner)) The weights made again
#'   from other records by their constructor, where they depend on the file.
#'   `run(weights)` fits the records, by draws or on an exact audit's grid,
#'   `inner()` gives the inner weights made again. `NULL`, or a value of `NULL`:
#'   impossible.
#' @param why_not_freezable (string) Where there is no rule or no basis for it.
#' @noRd
new_weighting_scheme <- function(name, title, short, word, dependency,
                                 clipped = character(), inputs = character(),
                                 rule = NULL, reads = function(node) NULL,
                                 rescale = NULL, replay = NULL,
                                 why_not_freezable = "A part of the weights was
                                   made without a rule for other records.") {
  structure(
    mget(names(formals())), class = c("weighting_scheme", "pseudosynth_result")
  )
}

#' The columns that a model's densities are computed from
#' @noRd
reads_model <- function(node) {
  model <- node$basis$model
  list(
    response = model$response$name,
    predictors = c(
      model$design$variables, model$columns, model$survey$column
    )
  )
}

depends_on_file <- function(node, inner) {
  join_dependencies(c(inner, list(dependency("other records"))))
}

# Public numbers scale weights of a scheme that keeps its name -----------------

#' @param node (list) Of the weights when they are scaled.
#' @noRd
at_scale <- function(weights, node, scale = node$basis$scale,
                     shift = node$basis$shift) {
  weights_of_node(
    node, clamp(scale * as.double(weights) + shift), attr(weights, "records")
  )
}

#' @param solved (list or `NULL`) How the numbers were found from the file:
#'   see `solved_weights()`.
#' @param made_from (character) The file that they were solved from.
#' @noRd
scaled_node <- function(inner, scale, shift, solved = NULL,
                        made_from = character()) {
  list(
    scheme = "scaled",
    arguments = c(
      list(of = inner$scheme),
      if (is.null(solved)) {
        list(scaled_by = scale, shifted_by = shift)
      } else {
        solved
      }
    ),
    of = list(inner), basis = list(scale = scale, shift = shift),
    made_from = made_from
  )
}

#' Weights made from the weights and the record bounds of a weighted fit
#' @param arguments,basis (list) Of the new weights, besides what all have.
#' @param rule (function(alpha, delta))
#' @noRd
weights_from_weighted <- function(fit, scheme, arguments, basis, rule) {
  weights <- fit$privacy_weights
  model <- frozen_model(fit)
  inner <- node_of(weights)
  mark <- history_mark(fit)
  new_privacy_weights(
    rule(bare_numbers(weights), fit$bound$record), scheme,
    c(list(of = inner$scheme), arguments),
    made_from = mark %||% NA, of = list(inner),
    basis = if (!is.null(model)) {
      # Not the rows that the weights inside keep already
      own <- !isTRUE(mark %in% node_marks(inner))
      c(list(model = model), basis, list(history = if (own) fit_rows(fit)))
    },
    records = attr(weights, "records")
  )
}

#' Weights scaled once or more, clamped each time
#' @param steps (list or `NULL`) Of `scale` and `shift`.
#' @noRd
apply_steps <- function(alpha, steps) {
  for (step in steps) alpha <- clamp(step$scale * alpha + step$shift)
  alpha
}

#' A node with one more step
#' @noRd
with_step <- function(node, scale, shift) {
  node$basis$steps <- c(
    node$basis$steps, list(list(scale = scale, shift = shift))
  )
  node
}

#' What all steps come to, but for the clamp between
#' @return (list) `arguments` with `scaled_by` and `shifted_by`.
#' @noRd
with_scaling <- function(arguments, scale, shift) {
  by <- arguments[["scaled_by"]] %||% 1
  arguments[["shifted_by"]] <- scale * (arguments[["shifted_by"]] %||% 0) +
    shift
  arguments[["scaled_by"]] <- scale * by
  arguments[c(setdiff(names(arguments), scaling_names), scaling_names)]
}

scaling_names <- c("scaled_by", "shifted_by")

# What a rule keeps of the file that it was made from --------------------------

#' Hashes of the records that a fit was made from
#' @return See `row_hashes()`; `NULL` where the records are not known.
#' @noRd
fit_rows <- function(fit) {
  data <- if (inherits(fit, "external_fit") && !is.null(fit$log_lik$data)) {
    fit$log_lik$data
  } else if (knows_records(fit)) {
    fit$data[c(fit$response$name, fit$design$variables)]
  }
  if (is.data.frame(data)) row_hashes(as.list(data))
}

# Weights of unknown origin: given by hand, edited, made by an older version of
# the package or by a scheme that it does not know.

user_scheme <- function() {
  new_weighting_scheme(
    "user",
    title = "weights given by hand", short = "By hand", word = "weighted",
    dependency = function(node, inner) dependency("unknown"),
    # Other records keep the weights that they had
    replay = function(node, records, run, inner) {
      if (!is.null(records$alpha)) user_weights(records$alpha)
    },
    why_not_freezable = "A vector given by hand has no rule."
  )
}
