#' Freeze weights into a rule for another file
#'
#' Turns the weights of an earlier or public file into a fixed rule for the
#' current file. Weights computed from the current file depend on all of its
#' records: one record changes the weights of the others, and no limit on the
#' privacy loss from this is known. A *frozen* rule gives each record a weight
#' that depends only on that record and on the rule. With [censor()], such
#' weights carry a strict label.
#'
#' The scheme decides what is frozen:
#'
#' * Lipschitz weights: the fit's kept draws; the minimum, maximum, mean and
#'   standard deviation of its Lipschitz bounds; and map, scale and shift. A
#'   record's bound is \eqn{\max_s |f_i(\theta_s)|} at these draws. Its relative
#'   risk is cut to \[0, 1\].
#' * Count weights: the historical file's responses, sorted within pattern. A
#'   record whose pattern is not in that file has no close values: IR = 1.
#' * Re-weighted and truncated weights: the rule of the first weights, the
#'   weighted fit's draws and its Lipschitz bound, and k or epsilon.
#' * Scaled and combined weights: the rules of their parts.
#' * Scalar weights: the number.
#' * Two-stage weights: the draw that they are made from.
#'
#' Risk weights cannot be frozen: they compare a record with its own synthetic
#' value, which a new record does not have. Weights given by hand, and Lipschitz
#' weights made from a matrix or a bound alone, have no rule to freeze.
#'
#' On the file that a rule was made from, `predict()` returns the original
#' weights to the last bit. These depend on the whole file, so they carry no
#' strict label.
#'
#' @section Overlapping histories:
#' You state that the historical file (the history) has other records, and the
#' label says that you do. The package looks for evidence against this. A rule
#' keeps salted hashes of the history's records (response and predictors). It
#' counts as made from the current file if
#'
#' * the responses are the same, in any order; or
#' * more than half of the records of one file are found in the other, and this
#'   is more than chance explains. Files from one population share values. The
#'   share expected by chance is the share of the other file's records that have
#'   the same values as another record of that file. Three standard errors are
#'   added to it; or
#' * both files hold the same values except for at most \eqn{\sqrt{N} / 10}
#'   records. If single values reveal nothing, as with yes and no, this still
#'   recognises a file that lacks a few of its rows, even if the history holds
#'   the file several times over. Of pairs of files with different records, at
#'   most one in twenty is this similar and is denied the strict label by
#'   mistake.
#'
#' Numbers are compared to ten digits. A smaller overlap, records with changed
#' values, and synthetic records of the current file cannot be told from chance.
#' [censor()] refuses a reference fit by the same tests.
#'
#' A further test checks that each weight depends on its own record alone.
#' `predict()` and the label ask the rule for the weights of up to 200 records,
#' then of about three of these, then of all but one. If a record's weight
#' changes with the other records, the weights count as made from the file.
#'
#' @param weights ([privacy_weights]) Weights of the historical file.
#' @param history (string) `"confidential"`, the default: the historical records
#'   were never released, so they need their own guarantee. `"public"`: you
#'   state that the historical file is public or was released (synthetic data,
#'   for instance).
#' @param object (`weight_rule`) What `freeze()` returns.
#' @param newdata (data frame) The current records with the response and all
#'   predictors of the rule.
#' @param ... Not used.
#'
#' @return `freeze()` returns a `weight_rule`: a list with `scheme`, `history`,
#'   `response` and `predictors` (names of columns) and `node` (how the weights
#'   were made).
#'   `predict()` returns [`privacy_weights`][privacy_weights] of scheme
#'   `"frozen"`, one for each row of `newdata`. Both are confidential.
#'
#' @section Invariants:
#' `predict(freeze(w), data)` equals `w` for the data that `w` was made from.
#' Leaving a row out of `newdata` does not change the weights of the others.
#'
#' @section Error types: `pseudosynth_error_privacy` (class
#' `pseudosynth_error_not_freezable`): the weights have a scheme that cannot be
#' frozen. `pseudosynth_error_input` (class
#' `pseudosynth_error_frozen_variables`): `newdata` has other variables, kinds
#' or levels than the rule.
#'
#' @section Privacy:
#' With censoring, frozen weights protect the records of the current file
#' strictly, provided that the history has other records. They do not protect
#' the records of the history: the rule is a function of that file.
#' @references
#' Hu, Williams and Savitsky, Mechanisms for global differential privacy under
#' Bayesian data synthesis, section 4.5, where settings are taken from a
#' historical database; the weights themselves are frozen here as well.
#' @seealso [lipschitz_weights()], [count_weights()], [guarantee()]
#' @examples
#' columns <- c("income", "age", "earner")
#' ce <- subset(ce_income, income > 0, columns)
#' last_year <- ce[1:200, ]
#' this_year <- ce[201:400, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, last_year, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' rule <- freeze(lipschitz_weights(fit))
#' rule
#' w <- predict(rule, this_year)
#' w
#' @export
freeze <- function(weights, history = c("confidential", "public")) {
  history <- check_choice(history, c("confidential", "public"))
  check_class(
    weights, "privacy_weights",
    how = "A plain vector has no rule. Freeze the weights that
           {.fn lipschitz_weights} or another scheme returned."
  )
  node <- node_of(weights)
  why <- why_not_freezable(node)
  refuse_privacy(
    !is.null(why), "These weights cannot be frozen.", x = why,
    class = "pseudosynth_error_not_freezable"
  )
  scheme <- node$scheme
  # Weights of a rule give that rule
  if (scheme == frozen_scheme()$name) {
    scheme <- node$arguments[["rule"]]
    history <- node$arguments[["history"]]
    node <- node$of[[1]]
  }
  columns <- columns_read(node)
  seal(new_result(
    "weight_rule",
    scheme = scheme, history = history, response = columns$response,
    predictors = columns$predictors, node = node
  ))
}

# The class `weight_rule`: what freeze() returns, a function of one record and
# of what was fixed beforehand.

#' @rdname freeze
#' @method predict weight_rule
#' @importFrom stats predict
#' @export
predict.weight_rule <- function(object, newdata, ...) {
  check_no_dots(..., hint = "See {.fn freeze}.")
  check_sealed(object)
  check_data_frame(newdata)
  used <- c(object$response, object$predictors)
  alpha <- tryCatch(
    {
      check_columns(used, newdata, "newdata")
      rule_values(object$node, newdata)
    },
    pseudosynth_error_input = function(e) {
      abort_input(
        "The rule cannot be applied to {.arg newdata}.",
        x = "{cli_escape(conditionMessage(e))}", arg = "newdata", rows = e$rows,
        class = "pseudosynth_error_frozen_variables"
      )
    }
  )
  frozen_weights(
    alpha, object$node,
    c(
      list(rule = object$scheme, history = object$history),
      if (length(object$response) == 1) list(response = object$response)
    ),
    own = if (is_own_history(object$node, newdata)) {
      file_marks(object, newdata)[1]
    } else if (!isTRUE(values_are_own(object$node, newdata, alpha))) {
      NA_character_
    },
    records = if (length(used) > 0) record_marks(newdata, used)
  )
}

#' @export
format.weight_rule <- function(x, ...) {
  sprintf("frozen %s, %s history", scheme_title(x$node), x$history)
}

print_lines.weight_rule <- function(x) {
  reads <- c(x$response, x$predictors)
  c(
    paste0("Weight rule: ", format(x)),
    wrap_line(if (length(reads) > 0) {
      paste("columns read:", toString(reads))
    } else {
      "the same weight for every record"
    }),
    wrap_line(if (x$history == "confidential") {
      unwrapped("Made from records that were not released: the rule is
         confidential, and these records need their own guarantee.")
    } else {
      "Made from a file that the user states to be public."
    })
  )
}
