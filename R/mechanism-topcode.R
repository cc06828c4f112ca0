# The agencies' present practice, for comparisons.

definition_topcode <- function() {
  mechanism_definition(
    name = "topcode", kind = "no claim", label = "none", title = "top-coding",
    does = "values above a threshold become the threshold",
    short = "Top-coding", colour = "#AA4499", aliases = c("top_coded", "tc"),
    settings = list(
      top = needed("Values above {.arg top} are replaced by it.")
    ),
    prepare = checked_by(function(job) {
      histogram_values(plain_left(job$formula), job$data)
    }),
    release = function(job, sets) {
      coded <- topcode(
        plain_left(job$formula), job$data, job$mechanism$settings$top
      )
      list(sets = coded, label = guarantee(coded))
    }
  )
}

#' `log(income) ~ x` as `income ~ x`
#' @noRd
plain_left <- function(formula) {
  while (is.call(formula[[2]])) formula[[2]] <- formula[[2]][[2]]
  formula
}
