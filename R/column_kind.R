# A kind of column is what a codebook calls a column's type. It is all that the
# package has to know of it: what is stated, how a column is drafted, checked,
# coded, decoded, binned, described and compared. Each kind has a file of its
# own, kind-<name>.R, and is a line of the list in kinds.R. A row of a codebook
# as a list (a spec, see column_spec()) brings its kind along, so that no other
# file asks which one it is.
#
# There are two forms: level_kind() for columns of stated levels, and
# value_kind() for columns with values between their levels.

#' What a kind of column is
#'
#' @param name (string) A codebook's `type`.
#' @param fields (character) What a codebook states of it, see codebook_fields.
#' @param released (flag) Is it in a set? An identifier is not.
#' @param valued (flag) Has it values between its levels? Its levels are then
#'   parts, see amount_parts(), and `plan$amounts` has its values.
#' @param storages (character) What its column in a set can be stated to be.
#' @param class,attributes (character or `NULL`, list) Its own class in R, the
#'   one that says it first, and the attributes that all its columns have. The
#'   class has methods of time_forms(), time_number() and is_long().
#' @param response (string) What its columns are as a response.
#' @param nominal,ordered (flags) Have its levels no order? Is its factor an
#'   ordered one?
#' @param weighs (flag) Can it be the survey weight?
#' @param averaged,summed (flags) Does the mean of its values mean something,
#'   and their sum?
#' @param rounds (flag) Is a protected value between two steps rounded? If not,
#'   it is an error.
#' @param calendar (flag) Are its heaps periods of months?
#' @param families,transforms (character) Which may be stated, defaults first.
#' @param family (function of a transform) The default family.
#' @param defaults (function of a row and the kind) Named list: what counts
#'   where the row states nothing.
#' @param number (function of text) Numbers of bounds and codes, `NA` if none.
#' @param derived (function of the bounds' text) Named list of what more a spec
#'   has: `months`, the period that all values start.
#' @param check (function of a row and a spec) Refuses what cannot be.
#' @param storage (function of a spec) What its column in a set is if nothing is
#'   stated.
#' @param holds (function of a spec and a storage) Can that hold the column?
#' @param stated (function of a spec) What the codebook states, in a few words.
#' @param draft (function of plain values, the column and its name, or `NULL`)
#'   Fields of a draft; of columns with the kind's class, and of those that
#'   `takes` names. Of others see draft_row().
#' @param takes (function of a column) Is it text that `read` turns into the
#'   kind's class?
#' @param read (function of a column and its name) The column as the kind has
#'   it, where a file or a database has it in another form.
#' @param fits (function of a column and a spec) Can it be of this kind?
#' @param levels (function of a spec) Names of its levels in the block, none of
#'   what is left out; a missing one is named `"missing"`.
#' @param code (function of a column and a spec) Level numbers, `NA`: not in the
#'   codebook.
#' @param decode (function of level numbers, values, a spec and a schema) The
#'   column, in the schema's storage.
#' @param values (function of a spec) What its levels stand for; none: nothing.
#' @param find (function of a column, its plain values and a spec) Their places
#'   among `values`.
#' @param plain (function of numbers) Values as the plan has them.
#' @param unit (function of a spec) The step between values; 0: any.
#' @param heap_unit (function of a spec) What heaps are multiples of.
#' @param heap_name (function of a heap) The name of its part.
#' @param text (function of numbers) Values as people write them.
#' @param ends (function of a spec) The text of both bounds.
#' @param words (string) What bounds and codes are, in the plural.
#' @param off (function of a spec) What is wrong with a value between two steps.
#' @param typed (function of numbers) Numbers in the kind's class.
#' @param short (function of numbers) Breaks of bins as text.
#' @param breaks (function of two ends and a number) About so many round breaks.
#' @param rule_value (function of level numbers and a spec) What a level is in a
#'   rule.
#' @param rule_number (function of what a value is compared with) As a number.
#' @return (list) Of the arguments.
#' @noRd
new_column_kind <- function(
    name, fields, released = TRUE, valued = FALSE, storages = character(),
    class = NULL, attributes = list(), response = "categorical",
    nominal = FALSE, ordered = FALSE, weighs = FALSE, averaged = FALSE,
    summed = FALSE, rounds = FALSE, calendar = FALSE, families = character(),
    transforms = character(), family = function(transform) families[1],
    defaults = function(row, kind) list(), number = text_number,
    derived = function(ends) list(months = NA),
    check = function(row, spec) NULL,
    storage = function(spec) storages[1], holds = function(spec, storage) TRUE,
    stated = function(spec) character(), draft = NULL,
    takes = function(x) FALSE, read = function(x, name) x,
    fits = function(x, spec) TRUE, levels = function(spec) character(),
    code = NULL, decode = NULL, values = function(spec) character(),
    find = NULL, plain = identity,
    unit = function(spec) 1, heap_unit = unit,
    heap_name = function(step) paste("multiple of", format_exact(step)),
    text = function(x) vapply(x, format_exact, "", USE.NAMES = FALSE),
    ends = function(spec) text(c(spec$lower, spec$upper)), words = "numbers",
    off = function(spec) "with more decimals than stated", typed = identity,
    short = NULL, breaks = pretty, rule_value = NULL,
    rule_number = identity) {
  mget(names(formals()))
}

#' A file's columns as their kinds have them, see `read`
#' @noRd
as_kinds_have <- function(data, specs) {
  for (name in names(data)) {
    data[[name]] <- specs[[name]]$kind$read(data[[name]], name)
  }
  data
}
