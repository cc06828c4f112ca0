#' Top-code a variable, for comparison
#'
#' Replaces values above a threshold by the threshold or by the mean of the
#' values above it, as agencies do at present. It gives no guarantee.
#'
#' @param formula (formula) `income ~ age + region`: the untransformed variable
#'   on the left, the published columns on the right. `.` stands for all other
#'   columns.
#' @param data (data frame) The confidential file.
#' @param top (number) Values above it, in the variable's unit, are replaced.
#' @param bottom (number or `NULL`) Values below it are replaced, too. `NULL`,
#'   the default: none.
#' @param replace (string) `"threshold"`, the default, or `"mean"`: the mean of
#'   the values beyond the threshold, as in the Consumer Expenditure Surveys.
#' @param ... Must be empty.
#' @return [`synthetic_data`][synthetic_data] of one set with the label
#'   `"none"`, because all other values are the confidential ones.
#' @section Error types: `pseudosynth_error_input`: a variable that is not
#'   numeric, missing values, a threshold that is not a number.
#' @seealso [compare()]
#' @examples
#' coded <- topcode(income ~ age + earner, subset(ce_income, income > 0),
#'   top = 250000
#' )
#' max(coded[[1]]$income)
#' @export
topcode <- function(formula, data, top, bottom = NULL,
                    replace = c("threshold", "mean"), ...) {
  check_no_dots(..., hint = "See {.fn topcode}.")
  replace <- check_choice(replace, c("threshold", "mean"))
  check_formula(formula)
  check_data_frame(data)
  values <- histogram_values(formula, data)
  check_right_side(formula, data, values$response$name)
  check_argument(top)
  check_number(bottom, below = top, null = TRUE)
  y <- values$y
  y <- code_beyond(y, y > top, top, replace)
  if (!is.null(bottom)) y <- code_beyond(y, y < bottom, bottom, replace)
  response <- values$response
  response$transform <- "identity"
  response$constant <- 1
  # Nothing is promised here: the file's own decimals and type
  response$type <- typeof(data[[response$name]])
  response$digits <- response_digits(values$y)
  columns <- intersect(
    names(data), c(response$name, columns_published_by(formula, data))
  )
  build_synthetic_sets(
    matrix(y), response,
    list(data = data, columns = columns, tibble = is_tibble(data)),
    new_privacy_guarantee(
      list(
        label = "none",
        reasons = "All values within the thresholds are the confidential ones."
      ),
      mechanism = "topcode", title = "top-coding", what = "synthetic data",
      paid = charge(
        new_charge_id(), "the values as they are", by_relation(NA_real_)
      ),
      n_records = length(y), unit = response$name,
      public_inputs = c(response = response$name, top = format_exact(top))
    ),
    "none"
  )
}

code_beyond <- function(y, beyond, threshold, replace) {
  if (any(beyond)) {
    y[beyond] <- if (replace == "mean") mean(y[beyond]) else threshold
  }
  y
}
