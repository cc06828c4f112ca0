# Estimates of amounts from a file release, with errors that know the noise: the
# coefficients of an amount's own model, its mean and its quantiles.

#' Estimates of amounts from a file release
#'
#' Estimates amounts from a [file_release()]. `summary()` gives means and
#' quantiles. [coef(), vcov() and confint()][score-inference] give the
#' coefficients of an amount's model, with all other columns as predictors.
#' [tables()] gives estimates for the categories. For any other estimate, such
#' as means of groups, [synthesize()] with `uncertainty = TRUE` draws sets that
#' [pool()] combines.
#'
#' Coefficients are on the modelled scale (that of `log(income)` if the codebook
#' has the transform `"log"`) and are for records that have a value. The
#' reference level of a column is its most common level in a synthetic set.
#' `coef()` does not name it: it is the level without a coefficient. Amounts
#' that come earlier in the release are used as predictors in bins. The
#' covariance includes the noise, which is known exactly, the sampling error,
#' and the error of the family's shape.
#'
#' Each figure of `summary()` is an average over margins drawn from their
#' posterior given the noisy margin. An unbiased mean is not used: in the far
#' bins it would be mostly noise. If an amount with transform `"log"` has values
#' of both signs, its margin counts absolute values. The mean and quantiles are
#' then those of absolute values.
#'
#' Where noise hides a bin's records, the posterior follows the model. It then
#' assumes normal errors, with a standard error of a fifth (20%) for their
#' spread. State a transform under which errors are about normal. If they have
#' much heavier tails, means are too small and their intervals miss.
#'
#' @section Coverage:
#' The predictors are protected, too. The model is therefore estimated from the
#' released sums and from the predictors of a synthetic set, not from the
#' predictors of the file. Because the tables are noisy, the sums that the model
#' expects are not known exactly. The covariance includes this error.
#'
#' We counted how often 95% intervals covered the population's value in files of
#' 3,000 records, with five categorical columns and an amount with zeros. At an
#' add-remove epsilon of 1, in 500 files, the average coverage was 94.4% for
#' coefficients (94.6% when computed from the confidential files), 95% for means
#' (94% from the files) and 96% for quantiles. The worst coverage was 91%, for
#' the coefficient of a level with few amounts (3% of the records). The estimate
#' of this coefficient is .4 standard errors too near to 0. At epsilon 5, in 150
#' files, the coverage was 94% for coefficients and 95% for means and quantiles.
#'
#' In the same files, we tried intervals from pooled sets of
#' `synthesize(uncertainty = TRUE)`. They covered the population's value 95 to
#' 96% of the time on average, for means, means of groups, coefficients, shares
#' and cells of tables. The worst coverage was for the level with few amounts:
#' 88% for its coefficient and 89% for its mean. At epsilon 5, in 150 files, the
#' coverage was 96% for means of groups, 95% for all else and 90% for the worst,
#' a cell. Use [tables()] for cells, because its estimates are not shrunk. All
#' pooled sets have the released number of records. Standard errors of shares
#' include the noise of that number, but those of counts do not.
#'
#' The relation of two amounts is weaker in sets than in the file, because one
#' amount predicts the other only in bins. Intervals of a coefficient of one
#' amount on another do not account for this and may miss.
#' @param object (`file_release`)
#' @param ... Must be empty.
#' @return `summary()` returns a `summary_file_release`. Its `table` has a row
#'   for each statistic of each amount: `amount`, `statistic` (`mean`, of
#'   records with a value; `mean with zeros`, if zeros are a part of the amount;
#'   `10%` to `90%`), `estimate`, `noise` (standard deviation), `std_error`
#'   (noise and sample), `low` and `high` (95% interval).
#' @section Error types: `pseudosynth_error_input`: a release without protected
#'   amounts.
#' @section Privacy: Post-processing of what was released.
#' @seealso [tables()], [score-inference]
#' @name file-inference
#' @examples
#' columns <- c("income", "sex", "age", "marital", "earner")
#' people <- subset(ce_income, income > 0, columns)
#' book <- as.data.frame(draft_codebook(people))
#' book[1, c("lower", "upper", "transform")] <- c("1", "2e6", "log")
#' book <- confirm_codebook(codebook(book))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' summary(release)
#' head(confint(release), 3)
NULL

#' @rdname file-inference
#' @export
summary.file_release <- function(object, ...) {
  check_no_dots(..., hint = "See {.code help(\"file-inference\")}.")
  structure(
    list(
      # Without a protected amount no rows
      table = do.call(rbind, c(
        list(no_statistics()), lapply(names(object$amounts), function(name) {
          data.frame(amount = name, amount_statistics(object, name))
        })
      )),
      types = types_of(object$codebook), release = format(object),
      label = guarantee(object)
    ),
    class = c("summary_file_release", "pseudosynth_result")
  )
}

print_lines.summary_file_release <- function(x) {
  table <- x$table
  if (nrow(table) == 0) {
    return(c(
      "The release has no protected amount.",
      "  tables() gives estimates of categories.", print_lines(x$label)
    ))
  }
  places <- c("estimate", "low", "high")
  table[places] <- as_column_shows(table[places], x$types[table$amount])
  names(table)[5:7] <- c("std. error", "2.5%", "97.5%")
  c(
    "Amounts of a file release, over the records with a value",
    paste0("  ", format_table(table)),
    "  Standard errors include the noise of the release and sampling error.",
    if (any(x$types[x$table$amount] %in% c("date", "datetime"))) {
      "  Those of dates are in days, those of date-times in seconds."
    },
    print_lines(x$label)
  )
}

#' An amount's model as a score release has its own
#' @return (list) `coefficients`, `covariance`, `steps`, `family`.
#' @noRd
model_of.file_release <- function(x, amount = NULL) {
  amounts <- names(x$amounts)
  refuse_if(
    length(amounts) == 0, "The release has no protected amount.",
    i = "{.fn tables} gives estimates of categories.", arg = "object"
  )
  refuse_if(
    is.null(amount) && length(amounts) > 1, "{.arg amount} must name one.",
    x = "The release has {length(amounts)} amounts: {.val {amounts}}.",
    i = "Write for example {.code amount = \"{amounts[1]}\"}.",
    arg = "amount"
  )
  if (!is.null(amount)) check_choice(amount, amounts)
  amount <- amount %||% amounts
  one <- x$amounts[[amount]]
  terms <- amount_terms(x, one)
  # What earlier amounts say, the last one, has the amount's own unit
  unit <- rep(1, length(terms))
  if (!is.null(one$curve)) unit[length(unit)] <- one$unit_of_curve
  list(
    coefficients = stats::setNames(one$coefficients / unit, terms),
    covariance = structure(
      one$covariance / outer(unit, unit), dimnames = list(terms, terms)
    ),
    steps = one$steps, family = one$family
  )
}

#' Names of an amount's coefficients, as lm() names them
#' @noRd
amount_terms <- function(x, amount) {
  levels <- amount$near$levels %||% x$levels
  own <- match(amount$name, names(levels))
  if (!is.na(own)) levels[[own]] <- levels[[own]][amount$part]
  before <- names(x$amounts)
  before <- before[seq_len(match(amount$name, before) - 1)]
  if (!is.null(amount$near)) {
    levels <- levels[names(levels) %in% amount$near$columns]
    before <- intersect(before, amount$near$amounts)
  }
  levels <- c(levels, lapply(x$amounts[before], function(one) {
    # The first bin is for records without a value
    c("without", paste("bin", seq_len(levels_in_bins(one) - 1)))
  }))
  levels <- levels[lengths(levels) > 1]
  terms <- Map(
    function(name, levels, first) paste0(name, levels[-first]),
    names(levels), levels, amount$baseline[seq_along(levels)]
  )
  kept <- amount$lined[seq_along(terms)]
  c(
    "(Intercept)", unlist(terms[kept], use.names = FALSE),
    expected_name[!is.null(amount$curve)]
  )
}
