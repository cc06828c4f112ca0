# A file under one strict guarantee: the discrete block, then each amount, from
# noisy sums that are paid for once.

#' Release a whole file under one strict guarantee
#'
#' Measures a file once, with exact noise. Afterwards [synthesize()] draws any
#' number of synthetic files. It needs no access to the file for this, and there
#' is no additional privacy cost.
#'
#' Two things are measured. The first is all one- and two-way tables of the
#' categories, flags and parts of amounts. Before the noise is added, each table
#' is centred: what its smaller tables already say is subtracted (see
#' References). All pairs of columns can then be measured, and you need not
#' choose among them. Half of what pairs spend buys a first look at all of them.
#' The other half buys a second look, most of it at pairs where the first one
#' shows more than noise. The second is, for each amount, what [score_release()]
#' measures: a noisy histogram (the margin) and, in two steps, noisy sums of
#' clipped scores. The predictors are all other columns. Unlike in
#' [score_release()], they are protected as well. If the budget is large enough,
#' tables of the binned amount by every other column are also measured. An
#' amount weighs as two columns when the budget is divided: the tables of
#' categories, flags and parts get 30 to 60% of it.
#'
#' The bins of a margin go where the values are: a fifth of its budget buys a
#' first look in public bins, from which most of at most 160 bins are placed,
#' down to single values. So wide public bounds cost little. An amount of no
#' more than 128 possible values has a bin for each.
#'
#' Amounts that follow one another, such as a price and a weight, are linked.
#' For each pair the release measures how near the two normal scores of a record
#' are, and from this their correlation. The scores of strongly linked earlier
#' amounts (a correlation of at least .5) together are one predictor, in place
#' of their bins. `coef()` calls it `earlier amounts`.
#'
#' A synthetic set starts from the noisy margins. The tables are shrunk to
#' remove the noise expected in them, and records are fitted to the shrunken
#' tables. Each amount is then drawn from its model, given the record's other
#' columns. The shrinking weakens the relations between those columns, so the
#' model's slopes are enlarged to make up for it. Errors have the tails that the
#' noisy margin tells, from Student's with three degrees of freedom to normal
#' ones: with heavier tails than the file's, slopes would be 3% too small.
#' Finally, records swap amounts until the set agrees with the released sums and
#' tables.
#'
#' Some columns are functions of another: a code and its name, a state and its
#' region. If the noisy tables show that a column is such a function, and show
#' no exception, it is drawn as that function. The sets then have none of the
#' impossible combinations that noise would create. Printing the release names
#' these columns. Exceptions that the noise hides are lost. They concern fewer
#' records than the noise would otherwise move or, in a small table, about one
#' record in a hundred. Intervals from `synthesize(uncertainty = TRUE)` treat
#' the function as certain; those from [tables()] do not. A column is not drawn
#' in this way if a stated table names it, if a rule with other columns names
#' it, or if it follows a published column.
#'
#' The plan's rules hold in every record. Its published columns stay as they
#' are. In the tables, a published amount appears as five bins of equal counts.
#' These bins are an additional published column there, with a name such as
#' `income in bins`.
#'
#' @section What tables of pairs lose:
#' The release keeps relations of two columns. A relation of three columns that
#' no two of them show is lost. To keep it, name the three columns in `tables`.
#' Every further table makes the others noisier: at epsilon 1, ten useless
#' tables make the errors of the pairs 20 to 30% larger.
#'
#' @section Uncertain means:
#' Noise in the bins of rare, large values moves means most. So counts of bins,
#' and of levels that are numbers, are made to fall outwards beyond the tenth of
#' the records at either end, unless one stands above the noise. From released
#' numbers alone, the release says how far the mean of a set may be from that of
#' the file: `means` has a standard error for each column, the print shows two
#' of them as a share of the mean, and a message
#' (`pseudosynth_message_means`) names means that are uncertain by more than 5%,
#' and the number of records where it is noisy by as much. Tighter bounds help,
#' and so do another transform, a few ranges as levels in place of an amount,
#' and more epsilon. In 20 releases of `NMES1988` (package AER) as drafted, at
#' epsilon 1, 3% of the means of sets were farther off than two standard errors,
#' most of them of rare, skewed counts. All 74 that were more than 10% off were
#' named. The error takes values to be spread smoothly, with tails as heavy as
#' noise lets them be. It can be far too small where nearly all values are one
#' and a small group lies far from it, hidden by noise: then state tighter
#' bounds, or ranges as levels.
#'
#' @section Neighbour relations:
#' Under `"add-remove"`, the default, neighbouring files differ by one record
#' that is added or removed. If no column is published, the number of records is
#' also protected and is released with noise. If columns are published, all
#' their rows stay, so the number of records is public, and only the protected
#' part of a record is added or removed. Under `"replace"` the protected part of
#' a record is exchanged for another, and the number of records is public. The
#' label states the cost under both relations.
#'
#' @section Units:
#' If the plan has a unit, such as a household, the guarantee holds for all
#' records of a unit together. Noise grows in proportion to the largest number
#' of records that a unit may have: with 4 records it is 4 times as large. So do
#' not state more than a unit can have. Less noise would break the guarantee: a
#' household may have equal records, and k equal records move every sum k times
#' as far as one. One could limit the total contribution of a unit instead. That
#' would need less noise, because records of a household mostly differ: in the
#' Consumer Expenditure file four records move the tables only 2.5 times as far
#' as one. But it would give records of large units less weight, so that shares,
#' means and the number of records would lean towards small units. The package
#' does not do this. Under `"replace"` a unit keeps its number of records.
#'
#' @param plan (`file_plan`) See [file_plan()]. Its codebook must be confirmed.
#' @param epsilon (number from 1e-4 to 10) Total cost under `neighbours` at
#'   `delta`.
#' @param delta (number from 1e-30 to 0.1) The delta of (epsilon, delta)
#'   differential privacy; a public number. Default 1e-6. It should be far below
#'   1/N.
#' @param neighbours (string) The relation that `epsilon` refers to:
#'   `"add-remove"`, the default, or `"replace"`.
#' @param tables (list of character, or `NULL`) Further tables to measure. Each
#'   element holds the names of three or four columns. Default `NULL`: no
#'   further tables.
#' @param seed (whole number or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. With a seed the result is reproducible and must not leave
#'   the agency.
#' @param ledger ([ledger()] or `NULL`) The ledger that records or refuses the
#'   cost before any noise is drawn. Default `NULL`: no ledger.
#' @param public_n (count or `NULL`) A public figure for the number of records,
#'   such as last year's. It is useful if the number itself is protected: the
#'   warnings below then come before anything is spent. It has no effect on the
#'   release. Default `NULL`: these warnings come after the release and use its
#'   noisy number.
#' @param checkpoint (string or `NULL`) A folder that keeps every noisy number
#'   as it is drawn, so that nothing that was paid for is lost with the process.
#'   It is new, or that of the call that was killed. See *A process that is
#'   killed*. Default `NULL`: no folder.
#' @param ... Must be empty.
#'
#' @return A `file_release`: public and released numbers only. Published rows
#'   are in random order.
#'   * `tables`: data frame with one row per measured table: its `columns`,
#'     `cells` and `sd`, the standard deviation of the noise in a centred cell;
#'   * `block`: what sets are fitted to: `n` (number of records, noisy if it is
#'     protected), `margins`, `derived` (which columns are functions of
#'     another), `targets`, `residuals`;
#'   * `amounts`: for each amount its `margin`, `steps`, `coefficients`, `shape`
#'     and `tables`, as in a [score_release()];
#'   * `means`: for each protected amount, count and column whose levels are
#'     numbers (of members and waves over all of them), the `mean` of sets and
#'     its `error`: the standard error about the file's mean, see below;
#'   * `fixed`: published amounts; `codebook`, `schema`, `levels`, `published`,
#'     `rules`, `compared` (the comparisons that the rules make),
#'     `survey_weights`, `unit`: the plan's public part;
#'   * `proposed`: rules that the noisy tables show, a row each: `rule`, the
#'     text to paste into `rules` of the plan, and `expected`, the records that
#'     the forbidden combinations would have if the columns were independent.
#'     This is post-processing, and none of them is applied: a plan that states
#'     them is released and paid for anew. The noise may hide a few records that
#'     break one, so take only rules that must hold by what the columns mean;
#'   * `charges`, `epsilon`, `delta`, `neighbours`.
#' @section A process that is killed:
#' Without `checkpoint`, a release that dies with its process after the payment
#' is lost, and the next one is paid for anew. With `checkpoint = "folder"` the
#' same call in a new session, with a plan of the same records, goes on: it
#' hears the noisy numbers that were kept, draws those that are left, and
#' charges a `ledger` nothing more. Under a seed it gives what an undisturbed
#' call would have given. The records may come in any order. When the release is
#' finished, only it stays in the folder; remove the folder once you have it.
#'
#' The folder is **confidential** until then, and only you can read it. Neither
#' copy nor move it: a copy could draw what is left twice, for one payment, so a
#' copy with noise left to draw is refused. The plan is not in it: a plan of
#' many records on disk is made again, which takes far less time than the
#' release.
#'
#' @section Error types:
#' `pseudosynth_error_unconfirmed` (a `pseudosynth_error_privacy`): the codebook
#' is a draft. `pseudosynth_error_edited` (a `pseudosynth_error_privacy`): the
#' plan was edited. `pseudosynth_error_records` (a `pseudosynth_error_input`):
#' the records of a plan that left them on disk are not there any more.
#' `pseudosynth_error_budget` (a `pseudosynth_error_privacy`):
#' the ledger refuses the cost. `pseudosynth_error_input`: an epsilon out of
#' range or too small for exact noise, a table of unknown columns, rules that
#' some record cannot meet.
#' `pseudosynth_error_paid`: something failed after the release was paid for;
#' [resume()] goes on. `pseudosynth_error_checkpoint`: the folder of
#' `checkpoint` has another release, is a copy, is used by another process, or
#' can be read by others; see [resume()].
#' @section Warning types:
#' `pseudosynth_warning_tables`: more than three stated tables at an epsilon of
#' at most 1. `pseudosynth_warning_budget`: the noise of the median pair of
#' columns, or of all pairs of a column, is so large that the relation is lost.
#' The warning names these columns. `pseudosynth_warning_delta`: `delta` is
#' above 1/N. The last two depend on the number of records. If that number is
#' protected, they use `public_n` or, without it, the noisy number once it is
#' paid for. So neither a warning nor a progress message reveals anything else
#' about the file; no line says how long a release will take. If the number is
#' public, warnings come before anything is spent. Of records on disk a terminal
#' shows how far each pass is, for the agency's eyes only.
#' @section Privacy:
#' Each table and each sum adds up one vector of whole numbers per record. The
#' largest Euclidean length of such a vector decides how much noise is needed. A
#' record's weight in the scores is computed from its own predictors and from
#' released numbers. The length is checked in whole-number arithmetic: a vector
#' that is longer than the public limit counts as 0. The noise is sampled
#' exactly. No Markov chain is part of the guarantee.
#'
#' All amounts together have a fixed part of the budget. How this part is
#' divided among them depends on noisy numbers that were released before: an
#' amount that few records have gets less. So does a pair of columns in the
#' second look, if the first one shows no more than noise. The total is the same
#' for every division. With Gaussian noise this choice costs nothing extra,
#' because the total is fixed beforehand.
#' @references
#' Xiao, He, Zhang and Kifer (2023), An optimal and scalable matrix mechanism
#' for noisy marginals under convex loss functions, arXiv 2305.08175. Dong, Roth
#' and Su (2022), Gaussian differential privacy. Smith and Thakurta (2022),
#' Fully adaptive composition for Gaussian differential privacy, arXiv
#' 2210.17520. Canonne, Kamath and Steinke (2020), The discrete Gaussian for
#' differential privacy.
#' @seealso [file_plan()], [synthesize()], [guarantee()]
#' @examples
#' columns <- c("income", "sex", "age", "marital", "earner")
#' people <- subset(ce_income, income > 0, columns)
#' book <- as.data.frame(draft_codebook(people))
#' book[1, c("lower", "upper", "transform")] <- c("1", "2e6", "log")
#' book <- confirm_codebook(codebook(book))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' release
#' syn <- synthesize(release)
#' head(syn)
#' @export
file_release <- function(plan, epsilon, delta = 1e-6,
                         neighbours = c("add-remove", "replace"),
                         tables = NULL, seed = NULL, ledger = NULL,
                         public_n = NULL, checkpoint = NULL, ...) {
  check_no_dots(..., hint = "See {.fn file_release}.")
  check_argument(plan)
  check_sealed(plan)
  check_score_epsilon(epsilon)
  check_argument(delta)
  neighbours <- check_argument(neighbours)
  check_argument(seed)
  check_argument(ledger)
  check_count(public_n, min = 1, null = TRUE)
  check_confirmed(plan)
  check_release_levels(plan)
  arguments <- list(
    plan = plan, epsilon = epsilon, delta = delta, neighbours = neighbours,
    tables = tables, ledger = ledger, public_n = public_n
  )
  if (is.null(checkpoint)) {
    return(start_paid("file_release", arguments, seed, run_file_release))
  }
  check_path(checkpoint, "checkpoint")
  release_kept(checkpoint, arguments, seed, run_file_release)
}

#' A file release from its checked arguments
#' @noRd
run_file_release <- function(plan, epsilon, delta, neighbours, tables, ledger,
                             public_n, seed) {
  # A run that goes on reads them, too
  if (!is.null(plan$stored)) check_stored(plan)
  stated <- stated_tables(tables, plan)
  binned <- with_published_bins(plan)
  spending <- plan_file_release(binned, stated, epsilon, delta, neighbours)
  block <- spending$block
  check_block(
    binned$codes, block$levels, block$published, stated, block_rules(plan)
  )
  warn_tables(stated, epsilon)
  if (!block$secret) public_n <- plan$n_records
  warn_file_size(public_n, delta, block, binned)
  spending$charges <- pay_file(ledger, spending, plan, seed)

  # From here on figures are noisy, and paid for
  release <- release_file_plan(
    binned, spending, epsilon, delta, neighbours, seed, public_n
  )
  if (is.null(public_n)) warn_file_size(release$block$n, delta, block, binned)
  tell_means(release$means, release$block)
  release
}

#' A plan whose charges are paid
#' @param plan (list) See with_published_bins().
#' @param n (count or `NULL`) Public number of records, if there is one.
#' @return (`file_release`)
#' @noRd
release_file_plan <- function(plan, spending, epsilon, delta, neighbours,
                              seed, n = NULL) {
  tell_long_step("Measuring tables", max(
    (n %||% 0) * ncol(plan$codes),
    cells_as_table * length(spending$block$tables)
  ))
  if (has_public_size(plan)) plan <- in_random_order(plan, seed)
  block <- release_plan(
    plan$codes, spending$block, block_rules(plan), stage_seed(seed, "block"),
    plan_records(plan), plan$n_records, plan$fixed
  )
  amounts <- if (length(spending$amounts$each) > 0) {
    amounts_beside(plan, spending, block, seed)
  } else {
    list()
  }
  charges <- spending$charges
  # The same seed and outcome are the same release, which is paid once
  if (is_seeded(seed)) {
    charges$id <- vapply(
      charges$what, hashed_id, "",
      block[intersect(c("n", "residuals", "pooled_residuals"), names(block))],
      lapply(amounts, `[`, c("steps", "margin")), given_seed(seed)
    )
  }
  block[c("costs", "mu", "delta", "neighbours")] <- NULL
  parts <- list(
    tables = data.frame(
      columns = tables_named(block$tables, names(plan$levels)),
      cells = block$noise$cells, sd = sqrt(block$noise$variance)
    ),
    block = block,
    amounts = amounts,
    fixed = plan$amounts[intersect(names(plan$amounts), plan$published)],
    codebook = plan$codebook, schema = plan$schema, tibble = plan$tibble,
    levels = plan$levels, published = plan$published,
    rules = rule_texts(plan),
    proposed = proposed_rules(
      block, plan$levels, column_specs(plan$codebook), plan$members
    ),
    compared = compared_rules(plan), survey_weights = plan$survey_weights,
    confirmed = plan$confirmed,
    unit = plan$unit[c("column", "records")],
    members = if (!is.null(plan$members)) released_members(plan$members),
    charges = charges, epsilon = epsilon, delta = delta,
    neighbours = neighbours, reproducible = is_seeded(seed)
  )
  parts$means <- released_means(parts)
  do.call(new_noisy_release, c("file_release", parts))
}

#' The amounts, by the geometry of a set of the block
#' @noRd
amounts_beside <- function(plan, spending, block, seed) {
  # Geometry needs no more records than amount_rows, nor than a set of so many
  # columns grows from; of published ones, which are in random order, the first
  n <- min(round(block$n), amount_rows)
  if (has_public_size(plan)) {
    block$fixed <- utils::head(block$fixed, n)
  } else {
    n <- min(n, fitting_of_columns(length(block$levels))$particles)
  }
  tell_long_step("Fitting records to tables", fitting_work(block, block$n))
  set <- draw_block(
    block, 1, n, seed_words(stage_seed(seed, "geometry"), "sets"),
    some = !has_public_size(plan)
  )[[1]]
  colnames(set) <- colnames(plan$codes)
  release_amounts(plan, spending, block, set, seed)
}

#' A plan whose records are no longer in the order of the file
#'
#' A release keeps its published rows. If the file is sorted by a protected
#' column, their places would tell it. Sums and tables are the same, so records
#' on disk stay where they are.
#' @return (list) The plan with `fixed`: codes of its published columns, if any.
#' @noRd
in_random_order <- function(plan, seed) {
  n <- plan$n_records
  rows <- random_rows(n, n, seed_words(seed, "order"))
  shown <- names(plan$levels)[is_published_code(plan)]
  if (length(shown) > 0) {
    plan$fixed <- do.call(cbind, lapply(
      stats::setNames(nm = shown), function(name) {
        column_of_plan(plan, name)$codes[rows]
      }
    ))
  }
  place <- order(rows)
  for (name in intersect(names(plan$amounts), plan$published)) {
    own <- column_of_plan(plan, name)
    records <- place[own$records]
    moved <- order(records)
    plan$amounts[[name]] <- list(
      records = records[moved], values = own$values[moved]
    )
  }
  plan
}

#' Refuse columns of so many levels that their tables are noise
#' @noRd
check_release_levels <- function(plan) {
  n <- lengths(plan$levels)
  many <- names(n)[n > most_levels + 1]
  refuse_if(
    length(many) > 0, "A column must have at most {most_levels} levels.",
    x = "{.val {many}} {?has/have} more.",
    i = "Join levels, or state the frequent ones and {.field outside} for all
         others. Or make the column an amount or an {.val id}.", arg = "plan"
  )
}

#' Rules that forbid combinations of levels
#' @noRd
block_rules <- function(plan) {
  Filter(function(rule) nrow(rule$forbidden) > 0, plan$rules)
}

#' Stated tables as numbers of columns
#' @noRd
stated_tables <- function(tables, plan) {
  if (is.character(tables)) tables <- list(tables)
  check_that(
    is.null(tables) ||
      is.list(tables) && all(vapply(tables, is.character, TRUE)),
    tables, "{.arg tables} must be a list of names of columns."
  )
  lapply(tables, function(names) {
    check_names(
      names, colnames(plan$codes), arg = "tables", of = "columns of its tables"
    )
    refuse_if(
      !length(unique(names)) %in% 3:4 || anyDuplicated(names) > 0,
      "A table must name three or four different columns.",
      x = "One table names {length(names)} column{?s}, of which
           {length(unique(names))} differ.",
      i = "All pairs are measured anyway.", arg = "tables"
    )
    match(names, colnames(plan$codes))
  })
}

#' Write down what a file release will cost: no noise is drawn before
#' @noRd
pay_file <- function(ledger, spending, plan, seed) {
  own <- plan$members
  # Values of records on disk leave no mark, as those of a database
  file <- if (is.null(own)) {
    decode_records(plan, plan$codes, plan$amounts)
  } else {
    members_of_file(own)
  }
  published <- intersect(names(file), plan$published)
  protected <- setdiff(names(file), published)
  spend_noise(
    ledger, spending$charges, "file", protected, file[published],
    file[protected],
    # Of households the number of their members stays protected
    n_records = if (spending$block$secret || !is.null(own)) {
      NA_integer_
    } else {
      plan$n_records
    },
    seed = seed,
    unit = if (is.null(own)) plan$unit else unit_of_ledger(plan, ledger)
  )
}

# Warnings from public numbers -------------------------------------------------

#' What depends on the number of records
#' @param n (number or `NULL`) Public, or noisy. `NULL`: not known yet.
#' @noRd
warn_file_size <- function(n, delta, block, plan) {
  if (!is.null(n)) {
    warn_delta(delta, n, secret = TRUE)
    warn_file_budget(block, n, colnames(plan$codes))
  }
}

warn_tables <- function(tables, epsilon) {
  if (length(tables) > 3 && epsilon <= 1) {
    warn_of(
      "tables", "More than three stated tables make all others noisier.",
      x = "{length(tables)} are stated at epsilon {format_exact(epsilon)}.",
      i = "State only tables whose columns are related in a way that no pair of
           them shows."
    )
  }
}

#' Say which pairs have more noise than they can tell
#'
#' Total variation from noise alone, without shrinking, above a quarter: the
#' target is then little more than the product of the margins. Said where that
#' is so for most pairs, or for all of a column.
#' @noRd
warn_file_budget <- function(block, n, names) {
  # Of later members nobody expects to learn much
  pairs <- which(block$lengths$order == 2 & (block$emphasis %||% 1) >= 1)
  if (length(pairs) == 0) {
    return(invisible())
  }
  variance <- allocate_noise(block, n)[pairs]
  noise <- 0.4 * block$lengths$cells[pairs] * sqrt(variance) / n
  lost <- noise > 0.25
  columns <- vapply(block$tables[pairs], identity, integer(2))
  kept <- unique(as.vector(columns[, !lost]))
  alone <- names[setdiff(unique(as.vector(columns)), kept)]
  if (stats::median(noise) > 0.25 || length(alone) > 0) {
    warn_of(
      "budget",
      "The noise is so large that it hides relations between columns.",
      x = "In {sum(lost)} of {length(pairs)} pairs of columns, the noise hides
           how the two columns are related.",
      x = if (length(alone) > 0) {
        "The noise hides how {.val {alone}} {?is/are} related to any other
         column."
      },
      i = "Spend more {.arg epsilon}, join levels, or leave columns out of the
           plan."
    )
  }
}
