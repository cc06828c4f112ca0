# Panels: a person's records as the waves of one wide record. Which waves there
# are is public; in which of them a person is, is not.

#' @rdname members
#' @param column (string) The column that says which wave a record is of: a
#'   category of the codebook.
#' @param codes (numbers, character or `NULL`) The waves, in their order. They
#'   are public. Default `NULL`: the levels of the codebook, in its order.
#' @param constant (character or `NULL`) Columns that never change for a person,
#'   such as the year of birth. Default `NULL`: none.
#' @param complete (flag) Is every person in every wave? `TRUE` is a public
#'   statement: a file in which somebody is not is refused. Default `FALSE`:
#'   persons may enter, leave and return.
#' @export
waves <- function(column, codes = NULL, constant = NULL, complete = FALSE) {
  check_present(column)
  check_string(column)
  if (is.factor(codes) || inherits(codes, "Date")) codes <- as_text(codes)
  fine <- is.null(codes) || (is.character(codes) || is.numeric(codes)) &&
    !is.object(codes) && length(codes) > 0 && !anyNA(codes)
  check_that(
    fine, codes, "{.arg codes} must be the codes of waves.",
    i = "For instance {.code codes = 2001:2005}.", arg = "codes"
  )
  if (!is.null(codes)) codes <- wave_codes(codes)
  refuse_if(
    length(codes) > most_waves || anyDuplicated(codes) > 0,
    "{.arg codes} must be at most {most_waves} different codes.",
    x = "There are {length(codes)}, {length(unique(codes))} of them different.",
    arg = "codes"
  )
  check_that(
    is.null(constant) || is.character(constant) && length(constant) > 0 &&
      !anyNA(constant), constant,
    "{.arg constant} must be names of columns.",
    i = "{.code NULL} means none.", arg = "constant"
  )
  check_flag(complete)
  seal(new_result(
    "household_members",
    household = unique(as.vector(constant)),
    waves = list(column = column, codes = codes, complete = complete)
  ))
}

most_waves <- 20

#' Codes as levels of a codebook are written
#' @noRd
wave_codes <- function(codes) {
  if (is.character(codes)) codes else format_exact(codes)
}

#' What the codebook says of waves
#' @param own (list) See check_members().
#' @param kept (character) Columns that sets have.
#' @return (list) `own`, with `slots`, and of `waves` the `codes` and the `hub`:
#'   the column that tells whether there is a wave.
#' @noRd
with_waves <- function(own, specs, kept) {
  name <- own$waves$column
  check_names(name, kept, arg = "column")
  spec <- specs[[name]]
  levels <- if (!spec$kind$valued) stated_levels(spec)
  refuse_if(
    is.null(levels) || spec$missing,
    "The column of waves must be a category without missing values.",
    x = "In the codebook {.val {name}} {if (is.null(levels)) 'is none' else
         'may be missing'}.",
    i = "{.code edit_codebook(book, {name} = list(type = \"ordered\", ...))}
         states its levels.", arg = "column"
  )
  refuse_if(
    is.null(own$waves$codes) && spec$kind$nominal && anyNA(text_number(levels)),
    "Waves must have an order.",
    x = "{.val {name}} is a category, and its levels are no numbers.",
    i = "State it: {.code waves(\"{name}\", codes = c(..))}, the first wave
         first. Or give the column type {.val ordered}.", arg = "codes"
  )
  codes <- own$waves$codes %||% levels
  unknown <- setdiff(codes, levels)
  refuse_if(
    length(unknown) > 0, "{.arg codes} must be levels of {.val {name}}.",
    x = "{length(unknown)} of {length(codes)} {?is/are} not.",
    i = "{.code codebook} lists the levels of {.val {name}}.", arg = "codes"
  )
  refuse_if(
    length(codes) > most_waves, "A plan may have at most {most_waves} waves.",
    x = "The codebook has {length(codes)}.", i = "State some by {.arg codes}.",
    arg = "codes"
  )
  refuse_if(
    name %in% own$household, "{.arg constant} must not name the waves.",
    x = "{.val {name}} is their column.", arg = "constant"
  )
  refuse_if(
    length(own$columns) == 0, "Something must be measured in each wave.",
    x = "All columns are {.arg constant}.", arg = "constant"
  )
  levels <- vapply(specs[own$columns], function(spec) {
    length(block_levels(spec))
  }, 1L)
  own$slots <- length(codes)
  own$waves$codes <- codes
  own$waves$hub <- own$columns[which.min(levels)]
  own
}

#' The wave of each record
#' @param home (integer) See home_numbers().
#' @return (list of integer) See member_places().
#' @noRd
wave_places <- function(plan, home, own) {
  name <- own$waves$column
  levels <- stated_levels(column_specs(plan$codebook)[[name]])
  slot <- match(levels[code_of(plan$codes, name)], own$waves$codes)
  rows <- which(is.na(slot))
  refuse_members(
    rows, "Every record must be of a stated wave.",
    x = "{.val {name}} of {length(rows)} record{?s} is another one.",
    i = "State it in {.arg codes}, or leave these records out."
  )
  at <- paste(home, slot)
  rows <- which(at %in% at[duplicated(at)])
  persons <- length(unique(home[rows]))
  refuse_members(
    rows, "A person must have one record in a wave.",
    x = "{counted(persons, 'person')} {cli::qty(persons)}{?has/have} several."
  )
  size <- tabulate(home)
  few <- which(size < own$slots)
  refuse_members(
    if (own$waves$complete) which(home %in% few),
    "Every person must be in every wave: {.arg complete} says so.",
    x = "{counted(length(few), 'person')} {cli::qty(length(few))}{?is/are}
         not.",
    i = "Without {.arg complete} persons may enter, leave and return."
  )
  list(home = home, slot = slot, size = size)
}
