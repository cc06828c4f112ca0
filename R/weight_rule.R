# The class `weight_rule`: what freeze() returns, a function of one record and
# of what was fixed beforehand.

#' @param node (list) Of the weights that were frozen.
#' @param scheme (string) Their scheme.
#' @noRd
new_weight_rule <- function(node, scheme, history) {
  columns <- columns_read(node)
  seal(structure(
    list(
      scheme = scheme, history = history, response = columns$response,
      predictors = columns$predictors, node = node
    ),
    class = "weight_rule"
  ))
}

#' @rdname freeze
#' @method predict weight_rule
#' @importFrom stats predict
#' @export
predict.weight_rule <- function(object, newdata, ...) {
  check_no_dots(..., hint = "See {.fn freeze}.")
  check_sealed(object, "freeze")
  check_data_frame(newdata)
  call <- rlang::current_env()
  used <- c(object$response, object$predictors)
  absent <- setdiff(used, names(newdata))
  if (length(absent) > 0) {
    abort_input(
      c(
        "The weights were frozen on other variables.",
        x = "{.arg newdata} has no column{?s} {.val {absent}}.",
        i = "The rule reads {.val {used}}."
      ),
      arg = "newdata", class = "pseudosynth_error_frozen_variables"
    )
  }
  alpha <- tryCatch(
    rule_values(object$node, newdata, call),
    pseudosynth_error_input = function(e) {
      abort_input(
        c(
          "The weights were frozen on other variables than these.",
          x = "{cli_escape(conditionMessage(e))}"
        ),
        arg = "newdata", call = call, rows = e$rows,
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
    } else if (!isTRUE(values_are_own(object$node, newdata, alpha, call))) {
      NA_character_
    },
    records = if (length(used) > 0) record_marks(newdata, used)
  )
}

#' @rdname freeze
#' @param x An object.
#' @export
is_weight_rule <- function(x) {
  inherits(x, "weight_rule")
}

#' @export
format.weight_rule <- function(x, ...) {
  sprintf(
    "frozen %s, %s history", scheme_title(x$node), x$history
  )
}

#' @export
print.weight_rule <- function(x, ...) {
  reads <- c(x$response, x$predictors)
  cat(
    paste0("Weight rule: ", format(x)),
    paste0("  ", strwrap(
      if (length(reads) > 0) {
        paste("reads of each record:", toString(reads))
      } else {
        "the same weight for every record"
      }, 76,
      exdent = 2
    )),
    if (x$history == "confidential") {
      paste0(
        "  Made from records that were not released: confidential, and they ",
        "need a\n  label of their own."
      )
    } else {
      "  Made from a file that the user states to be public."
    },
    sep = "\n"
  )
  invisible(x)
}
