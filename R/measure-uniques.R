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
#' @param households (flag) For sets with [members()]: count households, which
#'   are equal if their members are, one by one, in any order. An intruder who
#'   knows whom somebody lives with finds a household that is unique, although
#'   each of its members is like many. `data` needs the column of the
#'   households' numbers. Default `FALSE`: records.
#' @param ... Must be empty.
#'
#' @return A data frame with one row for each set: `set`; `unique_file` and
#'   `unique_set` (counts), the unique combinations of each; `in_file` (count),
#'   the unique combinations of the set that the file has at least once;
#'   `replicated` (count), the combinations that are unique in both; `share`,
#'   `replicated` divided by the number of records of the file; `fresh`, how
#'   many a fresh sample of the file would replicate on average. The counts are
#'   those of synthpop's function `replicated.uniques`. The attribute `rows` is
#'   a list with the rows of the file that are replicated in each set; of
#'   households the rows of all their members. All of it is confidential.
#' @section Error types: `pseudosynth_error_input`: columns that are missing in
#'   the file or in a set.
#' @section Privacy:
#' The count is not a guarantee. Removing replicated records from a set depends
#' on the file, and no label covers that.
#' @references Nowok, Raab and Dibben (2016), synthpop: bespoke creation of
#'   synthetic data in R, Journal of Statistical Software 74, section 4.3.
#' @seealso [risk()], [identification_risk()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' replicated_uniques(synthesize(fit, m = 3), ce)
#' @export
replicated_uniques <- function(synthetic, data = NULL, keys = NULL,
                               households = FALSE, ...) {
  check_no_dots(..., hint = "See {.fn replicated_uniques}.")
  check_present(synthetic)
  data <- confidential_file(data, synthetic)
  sets <- release_sets(synthetic, data)
  keys <- keys %||% intersect(names(data), names(sets[[1]]))
  check_names(keys, names(data), null = FALSE)
  check_flag(households)
  if (households) {
    return(replicated_households(sets_of(synthetic), data, keys))
  }
  file <- file_patterns(data, keys)
  found <- lapply(sets, function(set) {
    check_columns(keys, set, "synthetic")
    uniques_of_set(set, file)
  })
  uniques_table(found)
}

#' @param found (list) See uniques_of_set(), of each set.
#' @noRd
uniques_table <- function(found) {
  structure(
    data.frame(
      set = seq_along(found), do.call(rbind, lapply(found, `[[`, "counts"))
    ),
    rows = lapply(found, `[[`, "rows")
  )
}

#' The same of households: records of one column, what their members are like
#' @noRd
replicated_households <- function(sets, data, keys) {
  unit <- if (inherits(sets, "synthetic_data")) sets$unit
  refuse_if(
    is.null(unit), "{.arg synthetic} must be sets with households.",
    i = "Plan them by {.code file_plan(members = )}.", arg = "households"
  )
  check_columns(unit, data, "data")
  check_homes(data, unit)
  keys <- setdiff(keys, unit)
  as_homes <- function(file) {
    home <- homes_of(file, unit)
    person <- do.call(paste, c(
      lapply(unclass(file)[keys], as.character), sep = "\r"
    ))
    sorted <- order(home, person)
    data.frame(household = vapply(
      split(person[sorted], home[sorted]), paste, "", collapse = "\n",
      USE.NAMES = FALSE
    ))
  }
  file <- file_patterns(as_homes(data), "household")
  home <- homes_of(data, unit)
  uniques_table(lapply(sets$sets, function(set) {
    check_columns(keys, set, "synthetic")
    found <- uniques_of_set(as_homes(without_labels(set)), file)
    found$rows <- which(home %in% found$rows)
    found
  }))
}

#' Patterns of the file, and how many a fresh sample would replicate
#' @noRd
file_patterns <- function(data, keys) {
  c(known_pattern(data, keys), list(keys = keys, records = nrow(data)))
}

#' @param file (list) See file_patterns().
#' @return (list) `counts` (data frame, one row), `rows` (of the file).
#' @noRd
uniques_of_set <- function(set, file) {
  single <- count_same(known_pattern(set, file$keys)$code) == 1
  # -1: a combination that the file does not have
  shared <- match_pattern(set[single, , drop = FALSE], file$table)
  alone <- file$size == 1
  rows <- which(alone[file$code + 1L] & file$code %in% shared)
  counts <- data.frame(
    unique_file = sum(alone), unique_set = sum(single),
    in_file = sum(shared >= 0), replicated = length(rows),
    share = length(rows) / file$records,
    fresh = sum(alone) * drawn_once(file$records, nrow(set))
  )
  list(counts = counts, rows = rows)
}

#' How likely `n` draws of `records` have a given one just once
#' @noRd
drawn_once <- function(records, n) n / records * (1 - 1 / records)^(n - 1)

#' @param case (list) See risk_case(): `pattern`, `columns`.
#' @return (list) See judgement(). Rows are `uniques`, see risk().
#' @noRd
measure_uniques <- function(case) {
  # How many records of the file share a record's keys
  size <- case$pattern$size[case$pattern$code + 1L]
  of_all <- file_patterns(case$data, case$columns)
  of <- function(set, whose) {
    in_set <- tabulate(
      match_pattern(set, case$pattern$table) + 1L, case$pattern$n
    )[case$pattern$code + 1L]
    list(
      figures = c(
        unique_file = mean(size == 1),
        unique_in_set = mean(size == 1 & in_set > 0),
        unique_both = mean(size == 1 & in_set == 1), in_set = mean(in_set > 0)
      ),
      rows = list(uniques = data.frame(
        columns = c("keys", "all"), rbind(
          uniques_of_set(set, case$pattern)$counts,
          uniques_of_set(set, of_all)$counts
        )
      ))
    )
  }
  fresh <- function(n) {
    met <- 1 - (1 - size / nrow(case$data))^n
    c(
      unique_file = mean(size == 1), unique_in_set = mean((size == 1) * met),
      unique_both = mean(size == 1) * drawn_once(nrow(case$data), n),
      in_set = mean(met)
    )
  }
  list(of = of, fresh = fresh)
}
