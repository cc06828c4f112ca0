#' Measure what synthetic data reveal about persons
#'
#' Measures what an intruder learns from the sets. The intruder knows some
#' columns of a person, the keys, and looks at the synthetic records with the
#' same values (the same pattern). There are three kinds of measures. They show
#' how many persons are unique by their keys, and how well the intruder guesses
#' each other column. If rows belong to persons, they also show how many
#' persons' rows the intruder finds. For comparison, the first two are also
#' given for the file itself, for guesses from a column's overall shares, and
#' for a fresh sample: as many records as a set has, drawn from the file with
#' replacement.
#'
#' If all synthetic records of the pattern have one value, the intruder takes it
#' as the person's value. Otherwise the intruder may draw one of the records at
#' random. Let pattern q of the keys have \eqn{d_q} records in the file and
#' \eqn{s_q} in a set, \eqn{d_{tq}} and \eqn{s_{tq}} of them with value t. Each
#' measure is a share of the N records of the file:
#'
#' | column | share of the file's records | in synthpop |
#' |---|---|---|
#' | `unique_file` | whose pattern is unique in the file | UiO |
#' | `unique_in_set` | unique in the file, and the set has the pattern | UiOiS |
#' | `unique_both` | unique in the file and in the set | repU |
#' | `in_set` | whose pattern the set has | iS |
#' | `disclosive_file` | whose pattern has one value in the file | Dorig |
#' | `disclosive_set` | whose pattern has one value in the set | DiS |
#' | `disclosive_right` | the same, and it is the record's own value | DiSCO |
#' | `disclosive_both` | the same, and it has one value in the file | DiSDiO |
#' | `disclosive_fresh` | `disclosive_right` of a fresh sample | |
#' | `attribution` | guessed by a draw from the set's records | DCAP |
#' | `attribution_file` | guessed by a draw from the file's records | CAPd |
#' | `attribution_margin` | guessed from the variable's shares | baseCAPd |
#' | `attribution_fresh` | guessed by a draw from a fresh sample | |
#'
#' In symbols, `attribution` is \eqn{\sum_{t, q} d_{tq} s_{tq} / s_q / N}.
#' `tcap` is `disclosive_right / disclosive_set`, the targeted correct
#' attribution probability (Taub and others 2018): how often the intruder is
#' right if all synthetic records with the keys agree. It is `NA` if they never
#' agree. synthpop's UiS, Dsyn and CAPs describe the set alone: they are
#' `unique_file`,
#' `disclosive_file` and `attribution_file` of `risk(set, set, keys)`. synthpop
#' reports all of them as percentages.
#'
#' A high `disclosive_right`, or an `attribution` well above
#' `attribution_margin`, does not by itself show a breach. It can also come from
#' relations between columns, which synthetic data are meant to show. An
#' `attribution` close to `attribution_file` suggests that values were copied.
#'
#' @param synthetic ([`synthetic_data`][synthetic_data], `pseudo_posterior`,
#'   data frame or list of data frames) The sets, of one synthetic column or of
#'   whole files. Rows may be in any order.
#' @param data (data frame or `NULL`) The confidential file. `NULL`, the
#'   default, takes the file of a `pseudo_posterior`.
#' @param keys (character) Columns that the intruder knows, at least one. Of
#'   whole files, any columns; otherwise published ones. There is no default:
#'   what somebody can know about a person is a policy choice.
#' @param variables (character or `NULL`) The columns that the intruder guesses.
#'   Default `NULL`: of whole files all columns that are not keys, otherwise the
#'   synthetic column. It must be given if `synthetic` names none.
#' @param intervals (count, at least 2) If a numeric column has more distinct
#'   values than this, it is cut into at most this many intervals at quantiles
#'   of the file. The intruder can then learn only the interval. Codes, zero and
#'   missing values of an amount stay separate. Default 20. synthpop groups
#'   numbers only if its `ngroups_target` asks for it.
#' @param object A `risk`.
#' @param ... Must be empty.
#'
#' @return A `risk`: a list with
#'   * `table`: one row for each of `variables`, with means over the sets:
#'     `column`, `status` (`"synthetic"` or `"published"`), the columns of the
#'     above table that begin with `attribution` and `disclosive`, and `tcap`. A
#'     published column is known without guessing, whatever is synthesized, so
#'     read its measures as those of the file;
#'   * `set`: the same columns for each set, with the set's number as `set`;
#'   * `figures`: a row for each `set` with `unique_file`, `unique_in_set`,
#'     `unique_both` and `in_set`, which depend on the keys alone; the other
#'     measures, averaged over the synthetic columns among `variables`; and
#'     those of `identification`, if there is one;
#'   * `overall` (named numbers): means of `figures`; `fresh` (named numbers):
#'     the same of a fresh sample, `NA` of what it has not;
#'   * `uniques`: [replicated_uniques()] of the keys (`columns` is `"keys"`) and
#'     of all columns (`"all"`);
#'   * `identification` (data frame or `NULL`): one row per set. If columns are
#'     published, each row of a set belongs to a person. The intruder picks at
#'     random one of the rows with the person's keys. Let \eqn{c_i} be the
#'     number of rows that have person i's keys, and let \eqn{T_i = 1} if the
#'     person's own row is among them, otherwise 0. `expected_match_risk` is how
#'     many persons the intruder finds in this way on average,
#'     \eqn{\sum_i T_i / c_i}. `true_match_rate`, `false_match_rate` and
#'     `unique_matches` are as in [identification_risk()]. Rows are
#'     matched to persons by the published columns. `NULL` for one variable, if
#'     nothing is published, because a row then belongs to nobody, or if the
#'     published rows are not the file's;
#'   * `record` (data frame, N rows): `attribution` (the chance that a draw
#'     gives the record's value) and `disclosed` (the share of sets in which all
#'     records of the pattern have that value), both averaged over sets; and
#'     `pattern_size` (how many records of the file have the pattern). Of
#'     several variables, the one that is guessed best in a set counts;
#'   * `of` (string: `"files"`, or the synthetic column), `known` (the keys),
#'     `variable` (character: the columns that are guessed), `intervals` (count,
#'     or `NA` if no values were grouped), `m` and `n_records` (the file's).
#'
#'   All of it is confidential. `summary()` returns `set`. [top_risks()] lists
#'   the records at highest risk.
#' @section Privacy:
#' A label bounds what any intruder learns. These measures describe one intruder
#' and one release. A high `attribution` is not a breach if a relation between
#' columns explains it: compare it with `attribution_margin`.
#' @section Error types: `pseudosynth_error_input`: a column is missing in the
#'   file or in a set, no keys are given, a variable is among the keys, or
#'   values are missing. In whole files, a missing value or a code is treated
#'   like any other value, not as an error.
#' @references Raab, Nowok and Dibben (2024), Practical privacy metrics for
#'   synthetic data. Taub, Elliot, Pampaka and Smith (2018), Differential
#'   correct attribution probability for synthetic data. Reiter and Mitra
#'   (2009), Estimating risks of identification disclosure in partially
#'   synthetic data, Journal of Privacy and Confidentiality 1.
#' @seealso [identification_risk()], [replicated_uniques()], [utility()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' found <- risk(
#'   synthesize(fit, m = 3), ce, keys = c("age", "earner"), intervals = 5
#' )
#' found
#' top_risks(found, 5)
#'
#' # Whole files: all columns that are not keys
#' people <- ce_income[c("sex", "age", "marital", "earner", "region")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' found <- risk(
#'   synthesize(release), people, keys = c("sex", "age", "region")
#' )
#' found
#' plot(found)
#' @export
risk <- function(synthetic, data = NULL, keys, variables = NULL,
                 intervals = 20, ...) {
  check_present(synthetic)
  check_no_dots(..., hint = "See {.fn risk}.")
  intervals <- check_count(intervals, min = 2)
  data <- confidential_file(data, synthetic)
  case <- risk_case(
    synthetic, data, rlang::maybe_missing(keys), variables, intervals
  )
  found <- judgement(case, risk_measures())
  set <- found$rows$set
  means <- lapply(
    set[setdiff(names(set), c("set", "column", "status"))], function(x) {
      over_all(t(matrix(x, length(case$variables))))
    }
  )
  new_result(
    "risk",
    table = data.frame(column = case$variables, status = case$status, means),
    set = set, overall = found$overall, fresh = found$fresh,
    uniques = found$rows$uniques, identification = found$rows$identification,
    record = found$record, of = case$of, known = case$pattern$keys,
    variable = case$variables, intervals = case$intervals,
    figures = found$table, m = length(case$sets), n_records = nrow(data)
  )
}

#' All measures of risk. The papers' identification risk stands for itself: it
#' asks for a radius and for rows that are the file's.
#' @noRd
risk_measures <- function() {
  list(
    uniques = measure_uniques, attribute = measure_attribute,
    matches = measure_matches
  )
}

#' What measures of risk take
#' @return (list) `data`, `sets`, `columns` (all that file and sets share),
#'   `published` (of whole files), `pattern` (of the keys),
#'   `variables`, `status` and `cuts` (how the values of each are told apart),
#'   `of` (what the sets are of), `intervals`.
#' @noRd
risk_case <- function(synthetic, data, keys, variables, intervals) {
  whole <- are_files(synthetic)
  sets <- release_sets(synthetic, data, if (!whole) variables)
  if (whole) {
    sets <- lapply(sets, without_labels)
    check_columns(names(sets[[1]]), data, "data")
  } else {
    variables <- synthetic_variable(synthetic, variables, "variables")
    check_columns(variables, data, "data")
  }
  columns <- intersect(names(sets[[1]]), names(data))
  check_keys(keys)
  keys <- if (whole) {
    check_names(keys, columns)
    unique(keys)
  } else {
    check_known(keys, data, variables, "keys")
  }
  check_names(variables, columns)
  variables <- variables %||% setdiff(columns, keys)
  refuse_if(
    length(variables) == 0 || any(variables %in% keys),
    "{.arg variables} must be columns that are not {.arg keys}.",
    arg = "variables"
  )
  for (set in sets) {
    check_columns(c(keys, variables), set, "synthetic")
    refuse_if(
      # How many records a file has may be what is protected
      !whole && nrow(set) != nrow(data),
      "Each set must have as many records as the file.",
      x = "A set has {nrow(set)}, the file {nrow(data)}.",
      i = "Give the sets that were drawn for the whole file.", arg = "synthetic"
    )
  }
  specs <- if (whole) column_specs(synthetic$codebook)
  cuts <- lapply(stats::setNames(nm = variables), function(name) {
    if (whole) {
      file_classes(specs[[name]], data[[name]], intervals)
    } else {
      value_classes(data[[name]], intervals)
    }
  })
  own <- sets_of(synthetic)
  drawn <- if (inherits(own, "synthetic_data")) own$columns$name
  grouped <- stats::na.omit(vapply(cuts, attr, 1L, "intervals"))
  list(
    data = data, sets = sets, columns = columns,
    # Of one variable, keys are published, and find their rows by design
    published = if (whole) setdiff(columns, drawn),
    of = if (whole) "files" else variables,
    pattern = file_patterns(data, keys), variables = variables,
    status = ifelse(
      variables %in% (drawn %||% variables), "synthetic", "published"
    ),
    cuts = cuts, intervals = if (length(grouped) > 0) max(grouped) else NA
  )
}

#' @param keys (character) As they were given, or missing.
#' @noRd
check_keys <- function(keys) {
  refuse_if(
    rlang::is_missing(keys) || is.null(keys),
    "{.arg keys} must name at least one column.",
    i = "It states what an intruder knows about a person, such as
         {.code c(\"age\", \"sex\", \"region\")}.", arg = "keys"
  )
}

# Methods ----------------------------------------------------------------------

print_lines.risk <- function(x) {
  c(
    sprintf(
      "Risk of synthetic %s: N = %s records, mean over %s", x$of,
      format_count(x$n_records), counted(x$m, "set")
    ),
    wrap_line(paste0(
      "keys: ", toString(x$known),
      if (!is.na(x$intervals)) {
        sprintf("; numbers: one of %d intervals", x$intervals)
      }
    )),
    unique_lines(x), match_lines(x),
    paste0("  ", format_table(guess_table(x$table))),
    paste0("  ", confidential_line())
  )
}

unique_lines <- function(x) {
  of <- function(columns) {
    one <- x$uniques[x$uniques$columns == columns, ]
    sprintf(
      "%s of %s (fresh sample: %s)", format_count(round(mean(one$replicated))),
      format_count(one$unique_file[1]), format_count(round(mean(one$fresh)))
    )
  }
  c(
    sprintf(
      "  unique by keys: %s of records",
      format_share(x$overall[["unique_file"]])
    ),
    sprintf("  of these, also unique by keys in a set: %s", of("keys")),
    sprintf("  unique by all columns, and also in a set: %s", of("all"))
  )
}

match_lines <- function(x) {
  if (is.null(x$identification)) {
    return(if (x$of == "files") {
      "  no row of a set belongs to a person: no column is published"
    })
  }
  sprintf(
    "  persons expected to be found by keys: %s of %s",
    format_figure(x$overall[["expected_match_risk"]]),
    format_count(x$n_records)
  )
}

#' How well each column is guessed, the riskiest first
#' @noRd
guess_table <- function(table) {
  table <- table[order(-table$attribution + table$attribution_margin), ]
  percent <- function(x) ifelse(is.na(x), "-", format_share(x))
  shown <- data.frame(
    column = table$column, "guessed right" = percent(table$attribution),
    "fresh sample" = percent(table$attribution_fresh),
    "the file" = percent(table$attribution_file),
    "its margin" = percent(table$attribution_margin),
    "one value, right" = percent(table$disclosive_right),
    TCAP = percent(table$tcap), check.names = FALSE
  )
  shown[table$status == "published", -1] <- "known"
  shown
}

#' @rdname risk
#' @export
summary.risk <- function(object, ...) object$set
