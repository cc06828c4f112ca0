# Published columns that number the records, and factors of very many levels.

#' Columns in which nearly every record has a value of its own
#'
#' Nine of ten. Of few records any column does so by accident.
#' @param columns (list or data frame)
#' @return (character) Their names.
#' @noRd
distinct_columns <- function(columns) {
  alone <- vapply(columns, function(x) {
    once <- !duplicated(x) & !duplicated(x, fromLast = TRUE)
    length(x) >= 20 && mean(once) >= 0.9
  }, TRUE)
  as.character(names(columns)[alone])
}

#' Say at the fit what a release would refuse, and what will take long
#' @noRd
tell_distinct <- function(model) {
  columns <- model$data[setdiff(names(model$data), model$response$variable)]
  # What the formula names is wanted; what came in by a dot may be a case number
  told <- setdiff(distinct_columns(columns), all.vars(model$formula[[3]]))
  if (length(told) > 0) {
    cli::cli_inform(
      c(
        "!" = "Nearly every record has a value of its own of {.val {told}},
               which sets publish as {?it is/they are}.",
        i = "{.fn release} refuses {cli::qty(length(told))}{?it/them} unless
             {.arg public} names {?it/them}; if {?it is a case number/these are
             case numbers}, leave {?it/them} out of the formula."
      ),
      class = "pseudosynth_message_distinct"
    )
  }
  # A slope for each level: what is mostly forgotten is a case number as text
  n_levels <- lengths(model$design$levels)
  many <- n_levels > max(50, nrow(model$data) / 10)
  if (any(many)) {
    shown <- sprintf("%s (%d)", names(n_levels)[many], n_levels[many])
    cli::cli_inform(
      c(
        "!" = "Columns of very many levels: {shown}.",
        i = "Each level is a coefficient: sampling takes minutes where it took
             seconds. Merge levels, or leave the column out."
      ),
      class = "pseudosynth_message_many_levels"
    )
  }
}
