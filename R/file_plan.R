# The plan of a file: what happens to each column of it, before anything is
# spent.

#' Plan what happens to each column of a file
#'
#' Checks a file against its [codebook()] and codes it for a release. Every
#' category and every flag becomes a column of level numbers. So does every
#' amount: its levels are its parts (see below). These columns are the discrete
#' block. The values of an amount are kept beside it, for the records whose part
#' has values. No record is dropped. [decode_file()] turns codes back into a
#' file. [file_release()] releases the plan.
#'
#' @section Parts of amounts:
#' Every value of an amount, a count or a date belongs to exactly one part:
#' `missing`, `zero`, a `code`, `negative`, a `multiple of` a heap's step, or
#' another `value`. Parts exist only where the codebook states them. A value
#' that is a code is in no other part; multiples of 1,000 are not among the
#' multiples of 100. Records in the parts negative, multiple and other value
#' have a number that is modelled. Records in the other parts do not.
#'
#' @section Rules:
#' A rule is a one-sided formula, or a quoted expression, that must hold for
#' every record, such as `~ benefit == 0 | age >= 65`. It may use `|`, `&`, `!`,
#' comparisons, `%in%`, `is.na()`, `xor()`, `+`, `-`, `*`, `/`, `c()` and `:`.
#' In a rule, categories are text. Ordered categories, and categories that are
#' numbers, can be compared by `<` and `>`. A rule may use of an amount what its
#' part tells: `benefit == 0`, `benefit > 0`, `is.na(benefit)`, or
#' `part(benefit) == "value"`. A rule may have one comparison of values, by `<`,
#' `<=`, `>` or `>=`. It compares two amounts, as in `~ tax <= income`, or an
#' amount and a number, as in `~ hours <= 60 | status == "self-employed"`. A
#' code, such as -9, is compared as that number. If a missing value makes a rule
#' `NA`, the rule counts as met.
#'
#' Several comparisons are several rules. Rules hold in every row of every
#' synthetic file, without a second look at the confidential one: levels that
#' leave no value are never drawn, and each amount is drawn within what those
#' before it leave. If a published amount leaves some protected level or part
#' without a value, the rule is an error here.
#'
#' @param data (data frame) The confidential file.
#' @param codebook (`codebook`, data frame or string) See [codebook()]. One row
#'   for each column of the file.
#' @param publish (character or `NULL`) Columns that are released as they are;
#'   all others are protected. `NULL`, the default: none. Under `"add-remove"`
#'   the number of records is then protected, too.
#' @param unit (string or `NULL`) The column that says which records belong to
#'   one unit, such as a household. It must have type `"id"` in the codebook,
#'   whose field `records` states how many records a unit may have at most.
#'   `NULL`, the default: every record is a unit.
#' @param rules (formula, quoted expression, list of them, or `NULL`) What must
#'   hold for every record. `NULL`, the default: nothing.
#' @param survey_weights (string or `NULL`) The column with survey weights: an
#'   `"amount"` of the codebook with `lower` above 0 and `transform` `"log"`,
#'   without `missing`, `zero` or `codes`. If it is protected, it is drawn last,
#'   given all other columns, so that weighted shares of a set are near those of
#'   the file. `NULL`, the default: no weights.
#' @return A `file_plan`, confidential:
#'   * `table`: one row a column of the file, in its order: `column`, `type`,
#'     `role` (`"protected"`, `"published"`, `"survey weight"`: protected and
#'     drawn last, `"published survey weight"`, `"left out"` or `"constant"`:
#'     one level only), `levels` (in the discrete block), `amount` (are there
#'     values?), `transform`, `family`;
#'   * `codes`: integer matrix, one row a record, one column for each column of
#'     the file with two levels or more; `levels`: the names of their levels;
#'   * `amounts`: for each amount the `records` in parts with values, and their
#'     `values`;
#'   * `rules`: for each rule its `text`, the `columns` of `codes` that it
#'     names, the `forbidden` combinations of their levels, one a row, and what
#'     it compares (`compared`: the comparison, and the `cells` where it must
#'     hold);
#'   * `unit`: `column`, `records` (the codebook's maximum), `index` (which unit
#'     each record belongs to); `NULL` without units;
#'   * `survey_weights`: their column, or `NULL`;
#'   * `outside` (named integer): how many records of each column have a value
#'     outside the codebook, which a level or a bound stands for;
#'   * `codebook`, `published` (names), `n_records`, `schema` (each column's
#'     type and attributes), `left_out` (what does not come back), `tibble`.
#' @section Error types: `pseudosynth_error_input`: columns without a row in the
#'   codebook, or the other way round; values that the codebook does not have
#'   (class `pseudosynth_error_outside`; the condition's field `rows` has the
#'   records, and `by_column` those of each column); a column that is missing
#'   for all records; units with more records than stated; a rule that names an
#'   unknown column, that no row can meet, or that records of the file break,
#'   rules that compare amounts in a circle, and published amounts that leave
#'   other columns no value (class `pseudosynth_error_rule`, with their
#'   `rows`); a weight of another type or without positive bounds; records
#'   without a survey weight above 0.
#' @section Warning types:
#' `pseudosynth_warning_determined`: published columns that nearly tell a
#' synthesized one, with the share (field `share`, named by the synthesized
#' columns; field `by` has the published ones). Of the records that do not have
#' the synthesized column's most common value, so many have the value that is
#' most common among other records with the same published value. Of an amount
#' it may also be the rank correlation or the R2 of published columns: from 99%.
#' @section Privacy: Names, order, types, formats and labels of columns count as
#'   public. Types include the storage type: whether a column is stored as
#'   integers or as numbers with decimals. Levels and bounds are those of the
#'   codebook. A print or plot of a plan shows the codebook and no value of a
#'   record.
#'
#'   A survey weight counts as an attribute of its own record, protected or
#'   published like any other column. Weights that were calibrated to totals or
#'   corrected for non-response were computed from other records, too. What they
#'   tell about those others is outside the guarantee.
#' @seealso [codebook()], [decode_file()], [plot.file_plan]
#' @examples
#' book <- confirm_codebook(draft_codebook(ce_income))
#' plan <- file_plan(ce_income, book,
#'   publish = c("sex", "region"),
#'   rules = ~ marital != "widowed" | age != "20 or under"
#' )
#' plan
#' plot(plan)
#' @export
file_plan <- function(data, codebook, publish = NULL, unit = NULL,
                      rules = NULL, survey_weights = NULL) {
  check_data_frame(data, columns = 1)
  check_present(codebook)
  # The function of that name, not the argument
  book <- read_book(codebook)
  check_book_columns(data, book)
  book <- with_whole_digits(book, data)
  specs <- column_specs(book)[names(data)]
  check_publish(publish, specs)
  check_survey_column(survey_weights, data, specs)
  for (name in names(data)) {
    check_column_kind(data[[name]], name)
    check_integer_bounds(data[[name]], specs[[name]])
    if (specs[[name]]$type != "id") check_has_value(data[[name]], name)
  }
  found <- code_file(data, specs)
  levels <- lapply(specs, block_levels)
  levels <- levels[lengths(levels) > 1]
  amounts <- file_amounts(data, specs, found)
  codes <- matrix(
    0L, nrow(data), length(levels), dimnames = list(NULL, names(levels))
  )
  for (name in names(levels)) codes[, name] <- found[[name]]
  rm(found)
  schema <- Map(column_schema, as.list(data), specs)
  plan <- new_result(
    "file_plan",
    table = plan_table(specs, publish, survey_weights), codes = codes,
    levels = levels, amounts = amounts,
    rules = file_rules(rules, specs, levels, codes, amounts),
    unit = file_unit(data, unit, specs), survey_weights = survey_weights,
    codebook = book, outside = taken_outside(data, specs),
    published = publish %||% character(), n_records = nrow(data),
    schema = schema, left_out = what_is_left_out(data, schema),
    tibble = is_tibble(data)
  )
  check_published_room(plan, specs)
  if (length(publish) > 0) warn_determined(plan, data)
  seal(plan)
}

read_book <- function(x) {
  check_that(
    inherits(x, "codebook") || is.data.frame(x) || is_string(x), x,
    "{.arg codebook} must be a codebook, a data frame or the path of a CSV
     file.", i = "Make one with {.fn codebook} or {.fn draft_codebook}.",
    arg = "codebook"
  )
  codebook(x)
}

#' A codebook row for each column, and no other
#' @noRd
check_book_columns <- function(data, book) {
  specs <- column_specs(book)
  unknown <- setdiff(names(data), names(specs))
  absent <- setdiff(names(specs), names(data))
  refuse_if(
    length(unknown) + length(absent) > 0,
    "The codebook must have a row for each column of the file, and no other.",
    x = if (length(unknown) > 0) "It lacks {.val {unknown}}.",
    x = if (length(absent) > 0) "The file lacks {.val {absent}}.",
    i = "A column of type {.val id} is left out of every release.",
    arg = "codebook"
  )
}

#' The codebook of a file whose integers stay integers
#' @noRd
with_whole_digits <- function(book, data) {
  table <- unclass(book)$table
  whole <- table$type == "amount" &
    vapply(data[table$column], is_whole_column, TRUE)
  table$digits[whole] <- pmin(table$digits[whole], 0L, na.rm = TRUE)
  for (i in which(whole)) check_book_heaps(column_spec(table[i, ]), "codebook")
  new_result("codebook", table = table)
}

is_whole_column <- function(x) typeof(x) == "integer" && !is.factor(x)

check_publish <- function(publish, specs) {
  check_names(publish, names(specs))
  twice <- publish[duplicated(publish)]
  refuse_if(
    length(twice) > 0, "{.arg publish} must name every column once.",
    x = "{.val {twice}} {?is/are} named again.", arg = "publish"
  )
  ids <- identifiers_among(publish, specs)
  refuse_if(
    length(ids) > 0, "{.arg publish} must not name identifiers.",
    x = "{.val {ids}} {?is/are} of type {.val id} in the codebook.",
    arg = "publish"
  )
}

#' Level numbers of all columns; an error that counts what is in no codebook
#' @return (named list of integer)
#' @noRd
code_file <- function(data, specs) {
  found <- Map(code_column, lapply(names(data), function(j) data[[j]]), specs)
  names(found) <- names(specs)
  wrong <- Filter(Negate(is.null), lapply(found, `[[`, "wrong"))
  refuse_if(
    length(wrong) > 0,
    "The columns {.val {names(wrong)}} must be of the codebook's type.",
    x = "{.val {names(wrong)[1]}}: {wrong[[1]]}", arg = "data"
  )
  codes <- lapply(found, `[[`, "codes")
  lost <- lapply(codes, function(code) which(is.na(code)))
  lost <- lost[lengths(lost) > 0]
  if (length(lost) > 0) abort_outside(lost, data, specs)
  codes
}

abort_outside <- function(lost, data, specs) {
  why <- lapply(stats::setNames(nm = names(lost)), function(name) {
    why_outside(column_values(data[[name]])[lost[[name]]], specs[[name]])
  })
  texts <- vapply(why, function(own) {
    n <- table(factor(own, unique(own)))
    toString(paste(vapply(n, counted, "", "record"), names(n)))
  }, "")
  shown <- sprintf("`%s`: %s.", names(lost), texts)
  more <- length(shown) - 5
  bullets <- c(
    "The file must hold nothing but what the codebook states.",
    x_bullets(utils::head(shown, 5)),
    if (more > 0) c(x = "{more} more column{?s}."),
    if (nan_word %in% unlist(why)) {
      c(i = "No codebook has {.code NaN}: set it to {.code NA}.")
    },
    if (!all(unlist(why) == nan_word)) {
      c(i = "State the levels, bounds, codes, or {.code missing = TRUE}. By
             {.field outside} a level takes all others, or a bound those
             beyond.")
    }
  )
  abort_input(
    bullets, arg = "data", rows = sort(unique(unlist(lost))),
    class = "pseudosynth_error_outside", by_column = lost
  )
}

#' How many values of each column a level takes, or a bound, by `outside`
#' @return (named integer) Of columns with any.
#' @noRd
taken_outside <- function(data, specs) {
  taken <- vapply(names(data), function(name) {
    spec <- specs[[name]]
    if (is.na(spec$outside)) {
      return(0L)
    }
    values <- column_values(data[[name]])
    if (is_amount(spec)) {
      return(sum(amount_column(data[[name]], spec) != values, na.rm = TRUE))
    }
    levels <- if (is.numeric(values)) text_number(spec$levels) else spec$levels
    sum(!values %in% levels & !(is.na(values) & !is.nan(values)))
  }, 1L)
  taken[taken > 0]
}

nan_word <- "with NaN"

#' What is wrong with values that a codebook does not have
#' @return (character)
#' @noRd
why_outside <- function(values, spec) {
  lacks <- ifelse(
    is.nan(values), nan_word, ifelse(is.na(values), "without a value", "")
  )
  if (!is_amount(spec)) {
    return(ifelse(nzchar(lacks), lacks, "with none of the levels"))
  }
  unit <- amount_unit(spec)
  decimals <- if (spec$type == "date") {
    "with a part of a day"
  } else {
    "with more decimals than stated"
  }
  beyond <- !is.finite(values) | values < spec$lower | values > spec$upper
  # What is within the bounds and in no part: zero under a logarithm aside
  fine <- unit > 0 & !is_multiple(values, max(unit, 1e-300))
  ifelse(nzchar(lacks), lacks, ifelse(
    beyond, "beyond the bounds", ifelse(fine, decimals, "in no part")
  ))
}

#' The values of records whose part has values
#' @noRd
file_amounts <- function(data, specs, found) {
  amounts <- Filter(is_amount, specs)
  lapply(stats::setNames(nm = names(amounts)), function(name) {
    valued <- amount_parts(specs[[name]])$valued[found[[name]]]
    records <- which(valued)
    list(
      records = records,
      values = amount_column(data[[name]], specs[[name]])[records]
    )
  })
}

plan_table <- function(specs, publish, survey_weights) {
  field <- function(f) {
    unname(vapply(specs, function(spec) as.character(spec[[f]]), ""))
  }
  levels <- unname(lengths(lapply(specs, block_levels)))
  amount <- unname(vapply(specs, function(spec) {
    is_amount(spec) && any(amount_parts(spec)$valued)
  }, TRUE))
  role <- rep("protected", length(specs))
  role[levels == 1 & !amount] <- "constant"
  role[names(specs) %in% survey_weights] <- "survey weight"
  published <- names(specs) %in% publish
  role[published] <- ifelse(
    role[published] == "survey weight", "published survey weight", "published"
  )
  role[field("type") == "id"] <- "left out"
  data.frame(
    column = names(specs), type = field("type"), role = role,
    levels = levels, amount = amount, transform = field("transform"),
    family = field("family")
  )
}

#' What of a file does not come back, in words
#' @noRd
what_is_left_out <- function(data, schema) {
  names <- attr(data, "row.names")
  lost <- lapply(schema, `[[`, "left_out")
  lost <- lost[lengths(lost) > 0]
  c(
    if (is.character(names)) "row names",
    sprintf(
      "attributes of `%s`: %s", names(lost), vapply(lost, toString, "")
    )
  )
}

# Units ------------------------------------------------------------------------

file_unit <- function(data, unit, specs) {
  if (is.null(unit)) {
    return(NULL)
  }
  check_string(unit)
  check_names(unit, names(specs))
  most <- specs[[unit]]$records
  refuse_if(
    specs[[unit]]$type != "id" || is.na(most),
    "{.arg unit} must be an identifier whose largest number of records is
    stated.",
    i = "In the codebook set {.field type} of {.val {unit}} to {.val id} and
         {.field records} to the most records that a unit may have.",
    arg = "unit"
  )
  values <- column_values(data[[unit]])
  unnamed <- which(is.na(values))
  refuse_if(
    length(unnamed) > 0, "Every record must belong to a unit.",
    x = "{.val {unit}} is missing for {length(unnamed)} record{?s}.",
    arg = "unit", rows = unnamed
  )
  index <- match(values, unique(values))
  size <- tabulate(index)
  large <- sum(size > most)
  refuse_if(
    large > 0,
    "A unit of {.val {unit}} must have at most {most} record{?s}: the codebook
    says so.",
    x = "{large} unit{?s} {?has/have} more.", arg = "unit",
    rows = which(size[index] > most)
  )
  list(column = unit, records = most, index = index)
}

#' Refuse to spend on a draft
#' @noRd
check_confirmed <- function(plan) {
  draft <- unconfirmed(plan$codebook)
  refuse_privacy(
    length(draft) > 0,
    "For a guarantee the codebook must be confirmed.",
    x = "Levels, bounds or codes of {.val {draft}} were read from the file.",
    i = "Edit them by public knowledge, then call {.fn confirm_codebook} and
         make the plan again.",
    arg = "plan", class = "pseudosynth_error_unconfirmed"
  )
  invisible(plan)
}
