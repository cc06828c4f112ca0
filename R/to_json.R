#' Convert a label or a score release to JSON
#'
#' Returns the fields as JSON text, for programs that read labels.
#'
#' @param x (`privacy_guarantee` or `score_release`) A label, see [guarantee()],
#'   or a [score_release()].
#' @param ... Passed to `jsonlite::toJSON()`, such as `pretty = FALSE`. An
#'   indent `pretty` is at most 20 blanks.
#'
#' @return (string) JSON text with the fields of the label, or the public and
#'   released numbers of a score release with its label. Fields that are
#'   withheld or not claimed are `null`. The function needs the package
#'   jsonlite.
#'
#' @section Error types:
#' `pseudosynth_error_input`: `x` is neither a label nor a score release, or
#' jsonlite is not installed.
#' @seealso [guarantee()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:100, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' if (requireNamespace("jsonlite", quietly = TRUE)) {
#'   to_json(guarantee(fit, public = TRUE))
#' }
#' @export
to_json <- function(x, ...) {
  check_present(x)
  if (!inherits(x, "score_release")) check_class(x, "privacy_guarantee")
  check_installed("jsonlite")
  tryCatch(json_text(as.list(x), ...), error = function(error) {
    abort_input(
      "{.arg ...} must be arguments of {.fn jsonlite::toJSON}.",
      x = cli_escape(conditionMessage(error))
    )
  })
}

#' A list as JSON text: vectors of one element as such, figures in full
#' @noRd
json_text <- function(x, ...) {
  arguments <- utils::modifyList(
    list(
      auto_unbox = TRUE, digits = NA, na = "null", null = "null", pretty = TRUE
    ),
    list(...)
  )
  # jsonlite indents by as many blanks as it is told, and never ends
  pretty <- arguments$pretty
  if (is.numeric(pretty) && !all(abs(pretty) %in% 0:20)) {
    stop("`pretty` must be TRUE, FALSE or an indent of at most 20 blanks.")
  }
  as.character(do.call(jsonlite::toJSON, c(list(x), arguments)))
}
