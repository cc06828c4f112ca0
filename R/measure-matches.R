# Identification: how many persons an intruder finds who looks for their keys
# among the rows of a set.

#' How many persons a row at random of those with their keys belongs to
#'
#' A row belongs to a person where columns are published. No row of a fresh
#' sample does.
#' @param case (list) See risk_case(): `pattern`, `published`.
#' @return (list or `NULL`) See judgement(). Rows are `identification`, see
#'   risk().
#' @noRd
measure_matches <- function(case) {
  own_rows <- length(case$published) > 0 && all(vapply(case$sets, function(x) {
    nrow(x) == nrow(case$data) && in_same_order(x, case$data, case$published)
  }, TRUE))
  if (!own_rows) {
    return(NULL)
  }
  list(of = function(set, whose) {
    drawn <- match_pattern(set, case$pattern$table)
    close <- tabulate(drawn + 1L, case$pattern$n)[case$pattern$code + 1L]
    own <- drawn == case$pattern$code
    single <- close == 1
    found <- c(
      expected_match_risk = sum(1 / close[own]),
      true_match_rate = mean(single & own),
      false_match_rate = if (any(single)) mean(!own[single]) else NA_real_,
      unique_matches = sum(single)
    )
    list(
      figures = found,
      rows = list(identification = as.data.frame(as.list(found)))
    )
  }, fresh = function(n) NA_real_)
}
