# The plan of a file: what happens to each column of it, before anything is
# spent.

#' Plan what happens to each column of a file
#'
#' Checks a file against its [codebook()] and codes it for a release. Every
#' category and every flag becomes a column of level numbers. So does every
#' amount: its levels are its parts (see below). These columns are the discrete
#' block. The values of an amount are kept separately, for the records whose
#' part has values. No record is dropped. [decode_file()] turns codes back into
#' a file. [file_release()] releases the plan.
#'
#' @section Parts of amounts:
#' Every value of an amount, a count, a rate, a date or a date-time belongs to
#' exactly one part: `missing`, `zero`, a `code`, `negative`, a `multiple of` a
#' heap's step (of a date the `first of` a month or a year, of a date-time a
#' `full minute`, `full hour` or `full day`), or another `value`. Parts exist
#' only where the codebook states them. A value that is a code is in no other
#' part; multiples of 1,000 are not among the multiples of 100. Records in the
#' parts negative, multiple and other value have a number that is modelled.
#' Records in the other parts do not.
#'
#' @section Rules:
#' A rule is a one-sided formula, or a quoted expression, that must hold for
#' every record, such as `~ benefit == 0 | age >= 65`. It may use `|`, `&`, `!`,
#' comparisons, `%in%`, `is.na()`, `xor()`, `+`, `-`, `*`, `/`, `c()` and `:`.
#' In a rule, categories are text. Ordered categories, and categories that are
#' numbers, can be compared by `<` and `>`. About an amount, a rule can test
#' what the amount's part decides: `benefit == 0`, `benefit > 0`,
#' `is.na(benefit)`, or `part(benefit) == "value"`. A rule may contain one
#' comparison of values, by `<`, `<=`, `>` or `>=`. It compares two amounts, as
#' in `~ tax <= income`, or an amount and a number, as in
#' `~ hours <= 60 | status == "self-employed"`. A code, such as -9, is compared
#' as that number. If a missing value makes a rule `NA`, the rule counts as met.
#'
#' Write several comparisons as several rules. Rules hold in every row of every
#' synthetic file. This needs no second look at the confidential file.
#' Combinations of levels for which no value of an amount would meet the rules
#' are never drawn. Each amount is drawn from the values that the amounts drawn
#' before it allow. If a published amount leaves no value for some level or part
#' of a protected column, `file_plan()` refuses the rule with an error.
#'
#' @section Databases and files:
#' `data` may be a table in SQLite, PostgreSQL or DuckDB, such as
#' `dplyr::tbl(con, "persons")`, or paths of CSV or of Parquet files. Several
#' tables of one connection are given by `dplyr::union_all()`. The section on
#' databases of [score_release()] says which tables, dplyr steps and files are
#' accepted. R reads the records in parts, all from the state of the data at one
#' moment, and keeps level numbers and amounts.
#'
#' Up to two million records are in memory. The plan equals the plan of a data
#' frame with the same rows in the same order. More records stay on disk: the
#' plan's `codes` and `amounts` are then empty, and R needs no more memory for
#' more records. [file_release()] reads level numbers and amounts in parts, as
#' often as it needs them. The release equals that of a plan in memory.
#' `options(pseudosynth.records_in_memory = n)` sets another number than two
#' million. The first print of such a plan takes some seconds: it times a
#' release of 50,000 of the records, which nobody sees, and says about how long
#' one of all will take.
#' * The files are in the session's temporary folder, for their owner alone. A
#'   level number takes 1 or 2 bytes, an amount 8. The files are removed with
#'   the plan, and at the end of the session. A plan that was saved finds no
#'   records in a later session, and [file_release()] refuses it. A process that
#'   is killed leaves its temporary folder behind: delete it.
#' * A release holds its published columns in memory: 4 bytes for each value,
#'   and 12 more for one of an amount. To look whether they copy a protected
#'   column, `file_plan()` reads one such column at a time.
#' * With `members` all records are in memory, however many there are.
#'   [decode_file()], [fit_file()], [cleared_tables()], [record_vectors()] and
#'   [audit_guarantee()] read all records of a plan into memory. All of these
#'   refuse if memory does not suffice (option `pseudosynth.memory`, in bytes).
#' * A database has no order of rows. The release of a plan that publishes
#'   nothing does not depend on the order. Published rows come in the order in
#'   which the engine gives them, and a seed reproduces a release only for that
#'   order. Row numbers in errors (`rows`) also refer to that order.
#' * Text is read as text, including columns of DuckDB's type `ENUM`. Whole
#'   numbers become integers if R's integers can hold all of them. Columns of
#'   type `DATE` become dates; SQLite has no such type. Text such as 2020-01-31
#'   becomes a date, and 2020-01-31 23:59:59 a date-time, if the codebook says
#'   so; a blank or a `T` stands before the time, which is in UTC. Cast columns
#'   of type `TIMESTAMP` to such text. `NULL` is a missing value; `NaN` is an
#'   error, as in a data frame.
#' * Columns of other types are refused, as are whole numbers beyond 2^53, text
#'   with the NUL character and infinite dates. Leave such a column out by
#'   `select()`, for instance a case number.
#' * Identifiers are not read, except the column `unit`.
#' * [file_release()] reads only the plan. With a [ledger()] it also rebuilds
#'   the data frame once, because the ledger stores marks of its columns. If the
#'   records are on disk, the ledger knows columns by their names alone.
#'
#' @param data (data frame, table of a database, or character: paths of files)
#'   The confidential file. With `members` also a list of two such tables, of
#'   households and of persons, see [members()].
#' @param codebook (`codebook`, data frame or string) See [codebook()]. One row
#'   for each column of the file.
#' @param publish (character or `NULL`) Columns that are released as they are;
#'   all others are protected. Default `NULL`: none. In that case, the number of
#'   records is also protected under `"add-remove"`.
#' @param unit (string or `NULL`) The column that says which records belong to
#'   one unit, such as a household. It must have type `"id"` in the codebook,
#'   and the codebook's field `records` must state how many records a unit may
#'   have at most. Default `NULL`: every record is a unit.
#' @param rules (formula, quoted expression, text, list of them, or `NULL`)
#'   Conditions that every record must meet. Text is read as R code, so that
#'   `rules = release$proposed$rule` states what a release proposed. Default
#'   `NULL`: no rules.
#' @param survey_weights (string or `NULL`) The column with survey weights: an
#'   `"amount"` of the codebook with `lower` above 0 and `transform` `"log"`,
#'   without `missing`, `zero` or `codes`. If it is protected, it is drawn last,
#'   given all other columns, so that weighted shares of a set are near those of
#'   the file. Default `NULL`: no weights.
#' @param confirmed (numbers, dates or `NULL`) Stated numbers that are public
#'   although they are the file's own. An end, a code or a heap of the codebook,
#'   or a number or date in a rule, with more than three significant digits is
#'   refused if it equals a value of the column, its mean, sum, standard
#'   deviation or median, an extreme or a usual quantile, unless it is confirmed
#'   here. Of dates, the first and the last day of a month always pass, and of
#'   date-times the start and the end of a month. Codes such as 9999 and 9997
#'   do, too, and codes and heaps that three records have. Numbers and dates
#'   together are given as text. The label and the certificate list them.
#'   Default `NULL`: none. Columns of a draft are not looked at before
#'   they are confirmed, nor are published ones.
#' @param members ([members()], [waves()] or `NULL`) How the records of a unit
#'   become the members, or the waves, of one wide record, so that sets have
#'   households, or persons over time. The codebook and
#'   the rules are those of members, and `unit` needs no `records`. `table`,
#'   `codes`, `levels`, `amounts` and `n_records` of the plan are then those of
#'   households. Default `NULL`: records are drawn one by one.
#' @param ... Must be empty.
#' @return A `file_plan`, confidential:
#'   * `table`: a row for each column, in the file's order: `column`, `type`,
#'     `role` (`"protected"`, `"published"`, `"survey weight"`: protected and
#'     drawn last, `"published survey weight"`, `"left out"` or `"constant"`:
#'     one level only), `levels` (in the discrete block), `amount` (are there
#'     values?), `transform`, `family`;
#'   * `codes`: integer matrix with a row for each record and a column for each
#'     column of the file that has at least two levels; `levels`: the names of
#'     these levels;
#'   * `amounts`: for each amount the `records` in parts with values, and their
#'     `values`;
#'   * `rules`: for each rule its `text`, the `columns` of `codes` that it
#'     names, the `forbidden` combinations of their levels, one per row, and
#'     `compared` (the comparison that the rule makes, and the `cells` where it
#'     must hold);
#'   * `unit`: `column`, `records` (the codebook's maximum), `index` (which unit
#'     each record belongs to); `NULL` without units;
#'   * `survey_weights`: the name of their column, or `NULL`; `confirmed`: as
#'     given;
#'   * `outside` (named integer): for each column, how many records have a value
#'     outside the codebook that is replaced by a level or a bound; `rounded`
#'     the same of values with more decimals than stated;
#'   * `codebook`, `published` (names), `n_records`, `schema` (what each column
#'     of a set is: its storage, by the codebook, and attributes), `left_out`
#'     (what [decode_file()] does not restore), `tibble`;
#'   * `stored`: only of a plan that leaves its records on disk: the files.
#' @section Error types: `pseudosynth_error_engine`, `pseudosynth_error_rows`
#'   (both `pseudosynth_error_input`): a database that cannot give its state at
#'   one moment, or columns that R cannot read; `data` whose rows may not be
#'   single records. `pseudosynth_error_memory` (a `pseudosynth_error_input`):
#'   more records than memory holds, where all are needed.
#'   `pseudosynth_error_write` (a `pseudosynth_error_input`): records that could
#'   not be written to disk. `pseudosynth_error_input`: columns without a row in
#'   the codebook, or rows of the codebook without a column; values that the
#'   codebook does not have (class `pseudosynth_error_outside`; the condition's
#'   field `rows` has the records, and `by_column` has the records of each
#'   column); units with more records
#'   than stated; a rule that names an unknown column; a rule that no row can
#'   meet or that records of the file break, rules that compare amounts in a
#'   circle, and published amounts that leave other columns no value (class
#'   `pseudosynth_error_rule`; if records are the cause, the field `rows` has
#'   them); a weight of another type or without positive bounds; records without
#'   a survey weight above 0.
#'   `pseudosynth_error_copied_response` (a `pseudosynth_error_privacy`): a
#'   published column is a copy of a synthesized one, see
#'   *What is published* in [guarantee()].
#'   `pseudosynth_error_public_ends` (a `pseudosynth_error_privacy`): a stated
#'   number that is the file's own, see `confirmed`.
#' @section Warning types:
#' `pseudosynth_warning_determined`: published columns nearly determine a
#' synthesized one, see *What is published* in [guarantee()]. The fields
#' `share` and `by` are named by the synthesized columns; `by` has the published
#' ones. [release()] refuses sets of such a plan unless `public` names them.
#' @section Messages: `pseudosynth_message_rounded`: protected values that have
#'   more decimals than stated are rounded. `pseudosynth_message_no_value`: a
#'   column is missing for all records.
#' @section Privacy: Names, order, formats and labels of columns count as
#'   public. Types, storage, decimals, levels and bounds of a protected column
#'   are those of the codebook, whatever the file's are: a set of a file with
#'   one decimal more, or of a file read as text, is of the same kind. A print
#'   or plot of a plan shows the codebook and no value of a record.
#'
#'   A file that breaks the codebook or a rule is refused here, before anything
#'   is paid. Most refusals look at each record by itself: a value outside the
#'   codebook, a rule that it breaks, a missing survey weight or unit. One looks
#'   at the records of a unit together. In SQLite without declared types, a
#'   column of numbers and text is refused. All of these mean that a record,
#'   which one more or less would not change, is not one that the codebook
#'   allows. The rules for stated numbers and for published columns look at all
#'   records, see [guarantee()].
#'
#'   A survey weight counts as an attribute of its own record, protected or
#'   published like any other column. Weights that were calibrated to totals or
#'   corrected for non-response were computed from other records as well. What
#'   such weights reveal about the other records is outside the guarantee.
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
                      rules = NULL, survey_weights = NULL, confirmed = NULL,
                      members = NULL, ...) {
  check_no_dots(..., hint = "See {.fn file_plan}.")
  check_present(data)
  check_present(codebook)
  refuse_if(
    inherits(data, "codebook"), "{.arg data} must be the file.",
    x = "It is a codebook.",
    i = "The file comes first: {.code file_plan(data, codebook)}.", arg = "data"
  )
  # The function of that name, not the argument; before a long file is read
  book <- read_book(codebook)
  confirmed <- check_file_confirmed(confirmed)
  rules <- stated_rules(tryCatch(rules, error = function(error) {
    abort_input(
      "{.arg rules} must be one-sided formulas, quoted expressions or text of
       R code.", x = "R evaluates what was given, and fails.",
      i = "With a tilde it is a rule: {.code ~ income >= 0}.", arg = "rules"
    )
  }))
  with_file(data, function(file) {
    if (is.null(members)) {
      refuse_if(
        !is.null(file$tables), "Two linked tables need {.arg members}.",
        i = "How persons stand in their household:
             {.code members = members(~ -age, slots = 6)}.", arg = "members"
      )
      return(plan_of_file(
        file, book, publish, unit, rules, survey_weights, confirmed
      ))
    }
    check_book_columns(names(file$like), book)
    plan_of_members(
      plan_of_file, file, book, publish, unit, rules, survey_weights, confirmed,
      members
    )
  })
}

#' @param file (list) See with_file().
#' @param book (`codebook`)
#' @param rules,stated (list of code or `NULL`) See stated_rules(). The second
#'   state numbers, which must be public.
#' @noRd
plan_of_file <- function(file, book, publish = NULL, unit = NULL, rules = NULL,
                         survey_weights = NULL, confirmed = NULL,
                         stated = rules) {
  like <- file$like
  check_book_columns(names(like), book)
  specs <- column_specs(book)[names(like)]
  check_publish(publish, specs)
  check_survey_column(survey_weights, specs)
  check_unit(unit, specs)
  for (name in names(like)) check_column_kind(like[[name]], name)
  check_types(like, specs)
  tell_book_order(like, specs)
  levels <- block_columns(specs)
  stored <- if (isTRUE(file$in_chunks)) {
    store_of_plan(
      file$n, levels, names(Filter(is_amount, specs)), unit, publish
    )
  }
  found <- read_records(file, specs, unit, survey_weights, publish, stored)
  schema <- Map(column_schema, like, specs, names(like) %in% publish)
  plan <- new_result(
    "file_plan",
    table = plan_table(specs, publish, survey_weights), codes = found$codes,
    levels = levels, amounts = found$amounts, rules = list(),
    unit = if (is.null(stored)) {
      file_unit(found$unit, unit, specs)
    } else {
      stored_unit(stored, file, unit, specs)
    }, survey_weights = survey_weights,
    codebook = book, outside = found$outside, rounded = found$rounded,
    confirmed = confirmed, published = publish %||% character(),
    n_records = as.integer(file$n), schema = schema,
    left_out = what_is_left_out(file$row_names, like, schema),
    tibble = file$tibble
  )
  if (!is.null(stored)) plan$stored <- closed_store(stored)
  plan$rules <- file_rules(rules, specs, plan)
  tell_rounded(found$rounded)
  tell_no_value(plan)
  rm(found)
  check_file_numbers(plan, file, specs, stated)
  check_published_room(plan, specs)
  if (length(publish) > 0) check_plan_published(plan, specs)
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
check_book_columns <- function(columns, book) {
  specs <- column_specs(book)
  unknown <- setdiff(columns, names(specs))
  absent <- setdiff(names(specs), columns)
  refuse_if(
    length(unknown) + length(absent) > 0,
    "The codebook must have a row for each column of the file, and no other.",
    x = if (length(unknown) > 0) "It lacks {.val {unknown}}.",
    x = if (length(absent) > 0) "The file lacks {.val {absent}}.",
    i = "A column of type {.val id} is left out of every release.",
    arg = "codebook"
  )
  refuse_if(
    !any(vapply(specs, function(spec) spec$kind$released, NA)),
    "The codebook must have a column that is no {.val id}.",
    x = "All are left out of every release: nothing would be in a set.",
    i = "State what one is:
         {.code edit_codebook(book, {names(specs)[1]} = list(type = ..))}.",
    arg = "codebook"
  )
}

check_publish <- function(publish, specs) {
  check_names(publish, names(specs))
  twice <- publish[duplicated(publish)]
  refuse_if(
    length(twice) > 0, "{.arg publish} must name every column once.",
    x = "{.val {twice}} {?is/are} named more than once.", arg = "publish"
  )
  shown <- Filter(function(spec) spec$kind$released, specs)
  refuse_if(
    length(publish) > 0 && all(names(shown) %in% publish),
    "{.arg publish} must leave a column that is protected.",
    x = "It names all that sets have: a set would be the file itself.",
    arg = "publish"
  )
  ids <- identifiers_among(publish, specs)
  refuse_if(
    length(ids) > 0, "{.arg publish} must not name identifiers.",
    x = "{.val {ids}} {?is/are} of type {.val id} in the codebook.",
    arg = "publish"
  )
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
  role[!kinds_of(field("type"), "released")] <- "left out"
  data.frame(
    column = names(specs), type = field("type"), role = role,
    levels = levels, amount = amount, transform = field("transform"),
    family = field("family")
  )
}

#' Say whose levels sets have in another order than the file
#' @noRd
tell_book_order <- function(like, specs) {
  own <- names(Filter(isTRUE, vapply(names(like), function(name) {
    stated <- as_text(unname(specs[[name]]$levels))
    file <- if (is.factor(like[[name]])) as_text(levels(like[[name]]))
    !identical(intersect(file, stated), intersect(stated, file))
  }, NA)))
  if (length(own) > 0) {
    tell_of(
      "level_order",
      "!" = "The levels of {.val {own}} stand in the codebook's order, not in
             the file's.",
      i = "The first level is the one that models compare others with."
    )
  }
}

#' What of a file does not come back, in words
#' @noRd
what_is_left_out <- function(row_names, like, schema) {
  lost <- Map(function(x, own) {
    c(
      setdiff(
        names(attributes(x)), c(names(own$attributes), "levels", "class")
      ),
      if (has_tags(x)) "tags of missing values"
    )
  }, like, schema)
  lost <- lost[lengths(lost) > 0]
  c(
    if (row_names) "row names",
    sprintf(
      "attributes of `%s`: %s", names(lost), vapply(lost, toString, "")
    )
  )
}

# Units ------------------------------------------------------------------------

check_unit <- function(unit, specs) {
  if (is.null(unit)) {
    return(invisible())
  }
  check_string(unit)
  check_names(unit, names(specs))
  refuse_if(
    !"records" %in% specs[[unit]]$kind$fields || is.na(specs[[unit]]$records),
    "{.arg unit} must be an identifier whose largest number of records is
    stated.",
    i = "In the codebook set {.field type} of {.val {unit}} to {.val id} and
         {.field records} to the most records that a unit may have.",
    arg = "unit"
  )
}

#' @param values (vector) Of the column `unit`.
#' @noRd
file_unit <- function(values, unit, specs) {
  if (is.null(unit)) {
    return(NULL)
  }
  most <- specs[[unit]]$records
  unnamed <- which(is.na(values))
  refuse_no_unit(unnamed, unit)
  refuse_long_numbers(values, unit)
  index <- match(values, unique(values))
  size <- tabulate(index)
  refuse_large_units(sum(size > most), which(size[index] > most), unit, most)
  list(column = unit, records = most, index = index)
}

#' Refuse to spend on a codebook that is a draft, or leaves open what a set's
#' amounts are like
#' @noRd
check_confirmed <- function(plan) {
  book <- persons_of(plan)$codebook
  draft <- unconfirmed(book)
  refuse_privacy(
    length(draft) > 0,
    "For a guarantee, the codebook must be confirmed.",
    x = "Levels, bounds or codes of {.val {draft}} were read from the file.",
    i = "Edit them by public knowledge, then call {.fn confirm_codebook} and
         make the plan again.",
    arg = "plan", class = "pseudosynth_error_unconfirmed"
  )
  specs <- column_specs(book)
  specs <- specs[setdiff(names(specs), plan$published)]
  open <- names(Filter(function(spec) {
    "digits" %in% spec$kind$fields && !is_stated(spec$decimals)
  }, specs))
  line <- sprintf("edit_codebook(book, %s)", toString(sprintf(
    "%s = list(digits = 2)", vapply(lapply(open, as.name), rlang::expr_text, "")
  )))
  refuse_privacy(
    length(open) > 0,
    "For a guarantee, the codebook must state how many decimals an amount has.",
    x = "It does not for {.val {open}}: the file would decide.",
    i = "State 2 for cents, 0 for whole numbers, or {.val {any_digits}} for any
         decimals: {.code {line}}. Then make the plan again.",
    arg = "plan", class = "pseudosynth_error_digits"
  )
  invisible(plan)
}

# Stated numbers ---------------------------------------------------------------

#' @return (numbers or text or `NULL`) Plain: it travels in releases.
#' @noRd
check_file_confirmed <- function(confirmed) {
  text <- if (is.character(confirmed)) {
    known <- in_known_encoding(confirmed)
    number <- grepl("^[-+0-9.eE]+$", confirmed[known]) &
      is.finite(text_number(confirmed[known]))
    known[known] <- number | is.finite(moment_number(confirmed[known]))
    known
  }
  check_that(
    is.null(confirmed) ||
      (is.numeric(confirmed) && all(is.finite(bare_numbers(confirmed)))) ||
      (is_time(confirmed) && !anyNA(confirmed)) ||
      (is.character(confirmed) && !anyNA(confirmed) && all(text)),
    confirmed, "{.arg confirmed} must be numbers or dates."
  )
  if (is.numeric(confirmed)) {
    bare_numbers(confirmed)
  } else if (!is.null(confirmed)) {
    unname(value_text(confirmed))
  }
}

#' Refuse numbers of a codebook and of rules that are the file's own
#'
#' What is published is everybody's, and a draft claims nothing.
#' @param plan (list) As plan_of_file() makes it.
#' @param rules (list of code or `NULL`) See stated_rules().
#' @noRd
check_file_numbers <- function(plan, file, specs, rules) {
  drafted <- drafted_columns(plan$codebook)
  for (name in setdiff(names(plan$amounts), c(plan$published, drafted))) {
    spec <- specs[[name]]
    of_type <- spec$kind$typed
    if (is.null(plan$stored)) {
      values <- plan$amounts[[name]]$values
      # Read where there is a number to look for
      delayedAssign("all", amount_numbers(whole_column(file, name), spec))
    } else {
      values <- stored_values(plan, name)
      all <- function(f) {
        file$chunks(name, function(own) f(amount_numbers(own[[1]], spec)))
      }
    }
    ends <- c(spec$lower, spec$upper, rule_numbers(rules, spec))
    codes <- of_few(of_type(c(spec$codes, spec$heaps)), all)
    if (!name %in% plan$survey_weights) {
      check_own_scale(
        facts_of(values), spec$digits, plan$confirmed, name,
        "file_plan(confirmed = 1)"
      )
    }
    refuse_coincidence(
      of_type(unname(c(ends, codes))), function(x) {
        # With codes and without
        coincides(x, all) | coincides(x, values)
      }, plan$confirmed, name, "codebook",
      "Numbers that a codebook or a rule states",
      confirm = "file_plan(confirmed = c(...))"
    )
  }
  weights <- setdiff(plan$survey_weights, c(plan$published, drafted))
  for (name in weights) {
    values <- if (is.null(plan$stored)) {
      plan$amounts[[name]]$values
    } else {
      stored_values(plan, name)
    }
    check_own_weights(values, name, plan$confirmed)
  }
}

#' Codes and heaps that may be one record's own value
#'
#' Those that several records have are stated for that.
#' @param codes (numeric or `Date`)
#' @param column Numbers, see over_chunks().
#' @return (double)
#' @noRd
of_few <- function(codes, column) {
  long <- is_long(codes)
  codes <- as.double(codes)[long]
  codes <- codes[!is_usual_code(codes)]
  if (length(codes) == 0) {
    return(codes)
  }
  n <- over_chunks(column, function(own) {
    vapply(codes, function(x) sum(own == x, na.rm = TRUE), 1)
  })
  codes[n < 3]
}

#' Is a code written as surveys write them, such as 9999 or 9997?
#' @noRd
is_usual_code <- function(x) {
  grepl("^-?(9+[0-9]|([0-9])\\2+)$", sprintf("%.15g", x))
}

#' The numbers in rules that name a column; its dates and times are text there
#' @return (double)
#' @noRd
rule_numbers <- function(rules, spec) {
  codes <- Filter(function(code) spec$column %in% all.vars(code), rules)
  numbers <- unlist(lapply(codes, numbers_in_code))
  if (!is_time(spec$kind$typed(0))) {
    return(numbers)
  }
  texts <- unlist(lapply(codes, function(code) {
    Filter(is.character, rule_constants(code))
  }))
  times <- spec$kind$rule_number(as.character(texts))
  c(numbers, times[is.finite(times)])
}
