# Survey weights of synthetic sets that meet public totals: post-processing by
# package survey.

# Rounds of raking, and how far off a total may be, as a share of it
raking_rounds <- 200
raking_tolerance <- 1e-6

#' Rake the survey weights of synthetic sets to public totals
#'
#' Changes the weights of each set so that their sums equal the totals that you
#' state, for instance the population by region and by age. For each table of
#' totals in turn, all weights of a level are multiplied by one factor. This is
#' repeated until all totals are met ([survey::rake()]). All weights stay above
#' 0.
#'
#' Without raking, the weights of a set sum to the totals of the file, up to
#' noise.
#'
#' @param sets (`synthetic_data`) Sets of a [file_release()] whose plan has a
#'   `survey_weights`.
#' @param totals (data frame or list of them) One data frame for each table of
#'   totals, with one row for each level or combination of levels. Its columns
#'   are `total` (numbers above 0) and one or more columns of the sets, which
#'   say what each total is for. `NA` is the level of missing values. All tables
#'   must have the same sum of totals.
#' @return `sets` with the raked weights and a new element `totals`. The weights
#'   are numbers with decimals, even if the file's weights are whole, and may
#'   lie outside the codebook's bounds.
#' @section Error types: `pseudosynth_error_input`: sets without weights; totals
#'   of unknown columns or of the weight itself; totals that are not above 0,
#'   stated twice, or have different sums; records of a set whose level has no
#'   total; totals whose level no record of a set has; or the package survey is
#'   not installed. `pseudosynth_error_totals` (a `pseudosynth_error_input`):
#'   weights that do not meet the totals after 200 rounds.
#' @section Privacy: State only totals that are public. Raking reads only the
#'   sets and the totals, so the cost stays the same. The label also names the
#'   columns of the totals as public inputs. Totals from the confidential file
#'   have a cost that no label shows.
#' @seealso [survey_design()], [file_plan()]
#' @examplesIf requireNamespace("survey", quietly = TRUE)
#' people <- subset(ce_income, income > 0, c("region", "sex", "age"))
#' people$weight <- runif(nrow(people), 10000, 30000)
#' book <- as.data.frame(draft_codebook(people))
#' book[4, c("lower", "upper", "transform")] <- c("1000", "1e5", "log")
#' plan <- file_plan(people, confirm_codebook(codebook(book)),
#'   survey_weights = "weight"
#' )
#' sets <- synthesize(file_release(plan, epsilon = 1))
#' raked <- rake_weights(sets, data.frame(
#'   sex = c("male", "female"), total = c(48e6, 50e6)
#' ))
#' tapply(raked[[1]]$weight, raked[[1]]$sex, sum)
#' @export
rake_weights <- function(sets, totals) {
  check_weighted_sets(sets)
  refuse_if(
    !is.null(sets$unit), "{.fn rake_weights} rakes weights of single records.",
    x = "These are weights of households: members would get different ones.",
    i = "Calibrate a set yourself: {.code as.data.frame(sets)} has the numbers
         of households in {.val {sets$unit}}.", arg = "sets"
  )
  check_installed("survey")
  totals <- check_totals(totals, sets)
  label <- guarantee(sets)
  for (k in seq_along(sets$sets)) {
    design <- raked_design(sets$sets[[k]], sets$survey_weights, totals, k)
    sets$sets[[k]][[sets$survey_weights]] <- with_attributes(
      unname(stats::weights(design)), sets$sets[[k]][[sets$survey_weights]]
    )
  }
  sets$totals <- totals
  label$public_inputs[["totals"]] <- paste(
    "stated as public, of", totals_of(totals)
  )
  sets$guarantee <- seal(label)
  seal(sets)
}

check_weighted_sets <- function(sets) {
  check_class(sets, "synthetic_data")
  refuse_if(
    is.null(sets$survey_weights), "{.arg sets} must have survey weights.",
    i = "Name their column by {.arg survey_weights} in {.fn file_plan}.",
    arg = "sets"
  )
}

#' Numbers with what describes a column
#' @noRd
with_attributes <- function(values, column) {
  attributes(values) <- attributes(column)
  if (inherits(column, "integer")) {
    class(values)[class(values) == "integer"] <- "double"
  }
  values
}

# Totals -----------------------------------------------------------------------

#' Check tables of public totals
#' @return (list of data frames) Their columns as text, `total` last.
#' @noRd
check_totals <- function(totals, sets) {
  check_present(totals)
  if (is.data.frame(totals)) totals <- list(totals)
  check_that(
    is.list(totals) && length(totals) > 0 &&
      all(vapply(totals, is.data.frame, TRUE)),
    totals, "{.arg totals} must be a data frame or a list of them."
  )
  found <- lapply(unname(totals), check_total, sets)
  of <- vapply(found, function(x) {
    toString(sort(setdiff(names(x), "total")))
  }, "")
  refuse_if(
    anyDuplicated(of) > 0,
    "{.arg totals} must not have two tables of the same columns.",
    x = "It has more than one for {.val {unique(of[duplicated(of)])}}.",
    arg = "totals"
  )
  sums <- vapply(found, function(x) sum(x$total), 0)
  refuse_if(
    any(abs(sums - sums[1]) > raking_tolerance * sums[1]),
    "All tables of {.arg totals} must have the same sum.",
    x = "The sums of {totals_of(found[c(1, which.max(abs(sums - sums[1])))])}
         differ.",
    i = "No weights can meet both.", arg = "totals"
  )
  found
}

check_total <- function(x, sets) {
  of <- setdiff(names(x), "total")
  refuse_if(
    !"total" %in% names(x) || length(of) == 0 || nrow(x) == 0,
    "Each table of {.arg totals} must have rows, a column {.val total} and
    columns of the sets.",
    x = "One table has {counted(nrow(x), 'row')} of {.val {names(x)}}.",
    arg = "totals"
  )
  columns <- setdiff(names(sets$sets[[1]]), sets$survey_weights)
  check_names(of, columns, arg = "totals")
  refuse_if(
    !is.numeric(x$total) || !all(is.finite(x$total)) || any(x$total <= 0),
    "Every total must be a number above 0.",
    x = "In the table of {toString(of)}, this fails for
         {counted(sum(!is_positive(x$total)), 'total')}.",
    arg = "totals"
  )
  plain <- as.data.frame(lapply(x[of], category_text), optional = TRUE)
  twice <- sum(duplicated(plain))
  refuse_if(
    twice > 0, "Each combination of levels must have one total.",
    x = "The table of {toString(of)} has {counted(twice, 'row')} with a second
         total for the same levels.",
    arg = "totals"
  )
  plain$total <- as.double(x$total)
  plain
}

is_positive <- function(x) is.numeric(x) & is.finite(x) & x > 0

#' The values of a column of categories as text
#' @noRd
category_text <- function(x) {
  if (is.logical(x)) as.character(x) else as_text(column_values(x))
}

# Raking -----------------------------------------------------------------------

#' A survey design whose weights meet public totals
#'
#' @param frame (data frame) A set.
#' @param totals (list of data frames) See check_totals().
#' @param k (count) The set's number, for messages.
#' @return (`survey.design2`)
#' @noRd
raked_design <- function(frame, weight, totals, k) {
  cells <- lapply(totals, total_cells, frame, k)
  names(cells) <- sprintf(".total%d", seq_along(cells))
  size <- prod(vapply(totals, nrow, 0L))
  refuse_if(
    size > 1e7, "{.arg totals} must have at most 10,000,000 combinations of
    levels over all tables.",
    x = "They have {format_count(size)}.", i = "State fewer tables.",
    arg = "totals"
  )
  design <- plain_design(cbind(frame, as.data.frame(cells)), frame[[weight]])
  # What it warns of is looked at below, as a share of each total
  design <- suppressWarnings(survey::rake(
    design, lapply(names(cells), stats::reformulate),
    Map(function(x, name) {
      stats::setNames(data.frame(seq_len(nrow(x)), x$total), c(name, "Freq"))
    }, totals, names(cells)),
    control = list(maxit = raking_rounds, epsilon = 1e-10, verbose = FALSE)
  ))
  check_raked(stats::weights(design), cells, totals, k)
  design$variables[names(cells)] <- NULL
  design
}

#' Which total each record of a set counts to
#' @return (integer) Rows of `total`.
#' @noRd
total_cells <- function(total, frame, k) {
  of <- setdiff(names(total), "total")
  key <- function(x) do.call(paste, c(unname(as.list(x)), sep = "\r"))
  found <- match(key(lapply(frame[of], category_text)), key(total[of]))
  none <- sum(is.na(found))
  refuse_if(
    none > 0, "{.arg totals} must have a total for every record of the sets.",
    x = "Set {k} has {counted(none, 'record')} whose levels are not in the table
         of {toString(of)}.",
    arg = "totals"
  )
  empty <- nrow(total) - length(unique(found))
  refuse_if(
    empty > 0, "Every total must have records in each set.",
    x = "Set {k} has no record for {counted(empty, 'total')} in the table of
         {toString(of)}.",
    i = "Join levels in the sets and in the totals.", arg = "totals"
  )
  found
}

check_raked <- function(weights, cells, totals, k) {
  off <- mapply(function(cell, total) {
    found <- as.vector(rowsum(weights, cell, reorder = TRUE))
    max(abs(found / total$total - 1))
  }, cells, totals)
  worst <- which.max(off)
  refuse_if(
    !all(is.finite(weights) & weights > 0) || !(off[worst] <= raking_tolerance),
    "The weights of set {k} do not meet the totals after {raking_rounds} rounds
    of raking.",
    x = "The farthest total is one of {totals_of(totals[worst])}: off by
         {format_figure(100 * off[worst], 2)}%.",
    i = "Combinations of levels without a record may leave no solution. Join
         levels, or leave out a table.",
    arg = "totals", class = "pseudosynth_error_totals"
  )
}

# Designs ----------------------------------------------------------------------

#' Weights as they are; every record is a unit of its own, where no `ids` say
#' which belong together
#' @noRd
plain_design <- function(frame, weights, ids = ~1) {
  survey::svydesign(ids = ids, data = frame, weights = as.double(weights))
}
