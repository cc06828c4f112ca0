#' Count records that are unique both in the file and in a synthetic set
#'
#' Counts combinations of values that exactly one record of the file and exactly
#' one record of a synthetic set have. Such a synthetic record looks like the
#' person, even if it arose by chance; some agencies remove it before release.
#'
#' @param synthetic ([`synthetic_data`][synthetic_data], `pseudo_posterior`,
#'   data frame or list of data frames) The release; rows may be in any order.
#' @param data (data frame or `NULL`) The confidential file. `NULL`, the
#'   default, takes the file of a `pseudo_posterior`.
#' @param keys (character or `NULL`) The columns that form the combination.
#'   `NULL`, the default: all columns that the file and the sets share. Include
#'   a synthesized column: otherwise the key is published and every unique
#'   record is replicated.
#' @param ... Must be empty.
#'
#' @return A data frame with one row for each set: `set`; `unique_file` and
#'   `unique_set` (counts), the unique combinations of each; `in_file` (count),
#'   the unique combinations of the set that the file has at least once;
#'   `replicated` (count), the combinations that are unique in both; `share`,
#'   `replicated` divided by the number of records of the file. These are the
#'   four counts of synthpop's function `replicated.uniques`. The attribute
#'   `rows` is a list with the rows of the file that are replicated in each set.
#'   All of it is confidential.
#' @section Error types: `pseudosynth_error_input`: columns that are missing in
#'   the file or in a set.
#' @section Privacy:
#' The count is not a guarantee. Removing replicated records from a set depends
#' on the file, and no label covers that.
#' @references Nowok, Raab and Dibben (2016), synthpop: bespoke creation of
#'   synthetic data in R, Journal of Statistical Software 74, section 4.3.
#' @seealso [attribute_risk()], [identification_risk()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' replicated_uniques(synthesize(fit, m = 3), ce)
#' @export
replicated_uniques <- function(synthetic, data = NULL, keys = NULL, ...) {
  check_no_dots(..., hint = "See {.fn replicated_uniques}.")
  check_present(synthetic)
  data <- confidential_file(data, synthetic)
  sets <- release_sets(synthetic, data)
  keys <- keys %||% intersect(names(data), names(sets[[1]]))
  check_names(keys, names(data), null = FALSE)
  file <- known_pattern(data, keys)
  alone <- file$size == 1
  rows <- lapply(sets, function(set) {
    check_columns(keys, set, "synthetic")
    single <- count_same(known_pattern(set, keys)$code) == 1
    # -1: a combination that the file does not have
    shared <- match_pattern(set[single, , drop = FALSE], file$table)
    list(
      unique = sum(single), in_file = sum(shared >= 0),
      rows = which(alone[file$code + 1L] & file$code %in% shared)
    )
  })
  found <- lapply(rows, `[[`, "rows")
  structure(
    data.frame(
      set = seq_along(sets), unique_file = sum(alone),
      unique_set = vapply(rows, `[[`, 0L, "unique"),
      in_file = vapply(rows, `[[`, 0L, "in_file"),
      replicated = lengths(found), share = lengths(found) / nrow(data)
    ),
    rows = found
  )
}
