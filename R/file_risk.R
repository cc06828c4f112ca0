#' Measure what synthetic files reveal about persons
#'
#' Measures in one call what an intruder learns from the sets. The intruder
#' knows some columns of a person, the keys. There are three kinds of measures.
#' They show how many persons are unique by their keys, and how well the
#' intruder guesses each other column (see [attribute_risk()]). If rows belong
#' to persons, they also show how many persons' rows the intruder finds. For
#' comparison, the first two are also given for the file itself.
#'
#' @param synthetic ([`synthetic_data`][synthetic_data]) Sets of whole files.
#' @param data (data frame) The confidential file. It must be given, because
#'   sets do not hold it.
#' @param keys (character) Columns that the intruder knows, synthesized or
#'   published, at least one. There is no default: what somebody can know about
#'   a person is a policy choice. Missing values and codes are treated like any
#'   other value.
#' @param variables (character or `NULL`) The columns that the intruder guesses.
#'   Default `NULL`: all columns that are not keys.
#' @param intervals (count, at least 2) An amount with more distinct values in
#'   the file than this is cut into this many intervals at quantiles of the
#'   file. The intruder then guesses the interval. The amount's codes, zero and
#'   missing values stay separate. Default 20, as in [attribute_risk()].
#' @param object A `file_risk`.
#' @param ... Must be empty.
#'
#' @return A `file_risk`: a list with
#'   * `table`: one row for each of `variables`, with means over the sets. Its
#'     columns are `column`, `status` (`"synthetic"` or `"published"`) and, as
#'     defined at [attribute_risk()], `attribution`, `attribution_file`,
#'     `attribution_margin`, `disclosive_file`, `disclosive_set`,
#'     `disclosive_right` and `disclosive_both`. A further column is `tcap`, the
#'     targeted correct attribution probability (Taub and others 2018). This is
#'     `disclosive_right` divided by `disclosive_set`: how often the intruder is
#'     right if all synthetic records with the keys agree. It is `NA` if they
#'     never agree. A published column is known without guessing, whatever is
#'     synthesized, so read its measures as those of the file;
#'   * `set`: the same columns for each set, with the set's number as `set`;
#'   * `overall` (named numbers): `unique_file`, `unique_in_set`, `unique_both`
#'     and `in_set`, defined at [attribute_risk()]. They depend on the keys
#'     alone;
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
#'     matched to persons by the published columns. `NULL` if nothing is
#'     published, because a row then belongs to nobody, or if the published rows
#'     are not the file's;
#'   * `keys`, `intervals`, `m` and `n_records` (the file's).
#'
#'   All of it is confidential. `summary()` returns `set`.
#' @section Privacy:
#' A label bounds what any intruder learns. These measures describe one intruder
#' and one release. A high `attribution` is not a breach if a relation between
#' columns explains it: compare it with `attribution_margin`.
#' @section Error types: `pseudosynth_error_input`: the sets are not whole
#'   files, a column is missing in the file or in a set, or no keys are given.
#' @references Taub, Elliot, Pampaka and Smith (2018), Differential correct
#'   attribution probability for synthetic data. Raab, Nowok and Dibben (2024),
#'   Practical privacy metrics for synthetic data. Reiter and Mitra (2009),
#'   Estimating risks of identification disclosure in partially synthetic data,
#'   Journal of Privacy and Confidentiality 1.
#' @seealso [attribute_risk()], [replicated_uniques()], [utility()]
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "earner", "region")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' risk <- file_risk(
#'   synthesize(release), people,
#'   keys = c("sex", "age", "region")
#' )
#' risk
#' plot(risk)
#' @export
file_risk <- function(synthetic, data = NULL, keys, variables = NULL,
                      intervals = 20, ...) {
  check_present(synthetic)
  check_no_dots(..., hint = "See {.fn file_risk}.")
  check_that(
    are_files(synthetic), synthetic,
    "{.arg synthetic} must be sets of whole files.",
    i = "For one synthetic column, use {.fn attribute_risk}."
  )
  intervals <- check_count(intervals, min = 2)
  data <- confidential_file(data, synthetic)
  sets <- lapply(release_sets(synthetic, data), without_labels)
  names <- names(sets[[1]])
  check_columns(names, data, "data")
  keys <- check_keys(rlang::maybe_missing(keys), names)
  check_names(variables, names)
  variables <- variables %||% setdiff(names, keys)
  refuse_if(
    length(variables) == 0 || any(variables %in% keys),
    "{.arg variables} must be columns that are not {.arg keys}.",
    arg = "variables"
  )
  pattern <- known_pattern(data, keys)
  drawn <- lapply(sets, match_pattern, pattern$table)
  specs <- column_specs(synthetic$codebook)
  found <- lapply(variables, function(name) {
    cut <- file_classes(specs[[name]], data[[name]], intervals)
    attribute_shares(
      pattern$code, cut(data[[name]], name, "data"), drawn,
      lapply(sets, function(set) cut(set[[name]], name, "synthetic"))
    )
  })
  status <- ifelse(
    variables %in% synthetic$columns$name, "synthetic", "published"
  )
  set <- do.call(rbind, Map(function(x, name, status) {
    shares <- do.call(rbind, lapply(x, `[[`, "shares"))
    shares$tcap <- ifelse(
      shares$disclosive_set > 0,
      shares$disclosive_right / shares$disclosive_set, NA
    )
    data.frame(set = seq_along(x), column = name, status = status, shares)
  }, found, variables, status))
  of_keys <- c("unique_file", "unique_in_set", "unique_both", "in_set")
  measures <- c(
    grep("^attribution", names(set), value = TRUE),
    grep("^disclosive", names(set), value = TRUE), "tcap"
  )
  means <- lapply(set[measures], function(x) {
    x <- colMeans(matrix(x, length(sets)), na.rm = TRUE)
    ifelse(is.nan(x), NA, x)
  })
  row.names(set) <- NULL
  new_result(
    "file_risk",
    table = data.frame(column = variables, status = status, means),
    set = set[c("set", "column", "status", measures)],
    overall = colMeans(set[set$column == variables[1], of_keys]),
    uniques = file_uniques(sets, data, keys, names),
    identification = pattern_matches(synthetic, sets, data, pattern, drawn),
    keys = keys, intervals = intervals, m = length(sets), n_records = nrow(data)
  )
}

#' @param keys (character) As it was given, or missing.
#' @noRd
check_keys <- function(keys, columns) {
  refuse_if(
    rlang::is_missing(keys) || is.null(keys),
    "{.arg keys} must name at least one column.",
    i = "It states what an intruder knows about a person, such as
         {.code c(\"age\", \"sex\", \"region\")}.", arg = "keys"
  )
  check_names(keys, columns)
  unique(keys)
}

file_uniques <- function(sets, data, keys, names) {
  of <- function(columns, called) {
    data.frame(columns = called, replicated_uniques(sets, data, columns))
  }
  rbind(of(keys, "keys"), of(names, "all"))
}

# Identification ---------------------------------------------------------------

#' How many persons a row at random of those with their keys belongs to
#'
#' @param drawn (list of integer) The pattern of each row of a set, from 0.
#' @return (data frame or `NULL`) See file_risk().
#' @noRd
pattern_matches <- function(synthetic, sets, data, pattern, drawn) {
  published <- setdiff(names(sets[[1]]), synthetic$columns$name)
  own_rows <- length(published) > 0 && all(vapply(sets, function(set) {
    nrow(set) == nrow(data) && in_same_order(set, data, published)
  }, TRUE))
  if (!own_rows) {
    return(NULL)
  }
  do.call(rbind, lapply(seq_along(drawn), function(i) {
    close <- tabulate(drawn[[i]] + 1L, pattern$n)[pattern$code + 1L]
    own <- drawn[[i]] == pattern$code
    single <- close == 1
    data.frame(
      set = i, expected_match_risk = sum(1 / close[own]),
      true_match_rate = mean(single & own),
      false_match_rate = if (any(single)) mean(!own[single]) else NA_real_,
      unique_matches = sum(single)
    )
  }))
}

# Methods ----------------------------------------------------------------------

print_lines.file_risk <- function(x) {
  share <- function(name) format_share(x$overall[[name]])
  shown <- x$table[order(-x$table$attribution + x$table$attribution_margin), ]
  percent <- function(x) ifelse(is.na(x), "-", format_share(x))
  table <- data.frame(
    column = shown$column,
    "guessed right" = percent(shown$attribution),
    "from the file" = percent(shown$attribution_file),
    "from its margin" = percent(shown$attribution_margin),
    "one value, right" = percent(shown$disclosive_right),
    TCAP = percent(shown$tcap), check.names = FALSE
  )
  published <- shown$status == "published"
  table[published, 2:6] <- "known"
  uniques <- x$uniques
  of <- function(columns) {
    one <- uniques[uniques$columns == columns, ]
    sprintf(
      "%s of %s", format_count(round(mean(one$replicated))),
      format_count(one$unique_file[1])
    )
  }
  matches <- x$identification
  c(
    sprintf(
      "Risk of synthetic files: N = %s records, mean over %s",
      format_count(x$n_records), counted(x$m, "set")
    ),
    wrap_line(paste("keys:", toString(x$keys))),
    sprintf("  unique by keys: %s of records", share("unique_file")),
    sprintf("  of these, also unique by keys in a set: %s", of("keys")),
    sprintf("  unique by all columns, and also in a set: %s", of("all")),
    if (is.null(matches)) {
      "  no row of a set belongs to a person: no column is published"
    } else {
      sprintf(
        "  persons expected to be found by keys: %s of %s",
        format_figure(mean(matches$expected_match_risk)),
        format_count(x$n_records)
      )
    },
    paste0("  ", format_table(table)),
    paste0("  ", confidential_line())
  )
}

#' @rdname file_risk
#' @export
summary.file_risk <- function(object, ...) object$set
