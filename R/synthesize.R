#' Draw synthetic data sets
#'
#' Draws m synthetic sets from a fit or a noisy release. From a fit, each set
#' uses its own parameter draw \eqn{\theta_s}, chosen at random without
#' replacement from the kept draws, and
#' \eqn{y^*_i \sim p(\cdot | x_i, \theta_s)} is drawn for every record. Values
#' are in the variable's own unit and type: whole dollars stay whole. Under a
#' strict label decimals and type are those stated in [public_response()], not
#' those of the file. The predictors of the file are published as they are.
#'
#' @param fit (`synthesizer`, `score_release`, `file_release`,
#'   `file_synthesizer`, `perturbed_histogram` or `synthesis_generator`) What to
#'   draw from: a fit; a [score_release()], which needs `newdata`; a
#'   [file_release()] or the models of [fit_file()], which draw all columns; a
#'   [perturbed_histogram()], whose values do not depend on predictors; or a
#'   generator, which needs `newdata`, see [as_generator()].
#'   Only drawing from a fit costs privacy.
#' @param m (count) Number of sets, for a fit at most the number of kept draws.
#'   Default 1.
#' @param newdata (`NULL` or data frame) Predictors to draw for. `NULL`, the
#'   default: those of the file. The columns of `newdata` that the model has,
#'   but the response, are published as they are, so predictors of other records
#'   must be public. Other columns are left out.
#'   If the formula has an `offset()`, `newdata` needs its columns, too. From a
#'   histogram, one value is drawn per row; with `NULL`, as many values as the
#'   noisy counts sum to, without predictors.
#' @param margin (`perturbed_histogram` or `NULL`) Histogram of the same
#'   response on the same scale. Each synthetic value is replaced by the
#'   histogram's quantile at its rank within its set: the relations then come
#'   from the model and the margin from the histogram. The cost of the histogram
#'   is spent once for all sets. A part of the file as `newdata` would get the
#'   margin of the whole file: leave `margin` out, or draw from a
#'   [score_release()], which accounts for that. Offsets beyond those of the
#'   file, such as longer exposures, are an error. `NULL`, the default: no
#'   histogram.
#' @param assignment (string) How a mixture's cluster is drawn. `"prior"`, the
#'   default: from the mixing proportions, a function of the draw alone.
#'   `"posterior"`: given the record's confidential value, as in the papers.
#'   This reads the value a second time, outside the mechanism: the label is
#'   `"none"`. Use it only to reproduce the papers.
#' @param bounds (two numbers or `NULL`) Public smallest and largest value that
#'   may be released, in the variable's own unit. Values beyond are moved to
#'   them and counted, see [`synthetic_data`][synthetic_data]; the label states
#'   the bounds. A bound that equals the file's smallest or largest value is
#'   refused unless [public_response()] confirms it. For a histogram or a score
#'   release this is checked if `newdata` has the response, otherwise in
#'   [release()]. `NULL`, the default: the bounds of [public_response()], if
#'   stated.
#' @param seed (count or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. Data made with a seed are marked reproducible and must
#'   not be released. R's own random state is neither used nor changed.
#' @param allow_unconverged (flag) Draw from a fit that has not converged?
#'   Default `FALSE`: an error. With `TRUE` the label is `"none"`.
#' @param ledger ([ledger()] or `NULL`) Where the cost is recorded, or refused,
#'   before anything is drawn. `NULL`, the default: not recorded.
#' @param uncertainty (flag; for a [score_release()] or a [file_release()]) Draw
#'   sets that differ by what the release leaves unknown, so that [pool()] can
#'   combine estimates from them? Default `FALSE`: each set is the best single
#'   set; several sets differ only in where the values are placed. With `TRUE`
#'   each set is a file that the release may have come from. Noise-free sums and
#'   counts are drawn from their posterior given the noisy ones; then responses,
#'   or whole records, are drawn to match them. For a score release, `newdata`
#'   must have the published predictors of the whole file. Its noisy tables are
#'   not used: intervals rest on the margin and the scores alone, whose noise is
#'   known. They are valid, but the budget spent on tables does not make them
#'   shorter. If you need only intervals, release with `table_share = 0`. From a
#'   file release, sets have the released number of records. About 20 sets are
#'   enough. A single set of this kind is farther from the file than the best
#'   set. There is no additional privacy cost. For a fit, `TRUE` is an error,
#'   because its sets differ already.
#' @param n (count or `NULL`; for a [file_release()], [cleared_tables()] or
#'   [fit_file()]) Number of records per set. `NULL`, the default: the number of
#'   records of the file, or the noisy released number if it is protected. With
#'   published columns, `n` must be their number of records. Of a plan with
#'   [members()] it is the number of households, with [waves()] of persons.
#' @param into (string, table of dplyr, or `NULL`; for a [file_release()]) Where
#'   sets are written to. A string is the path of a new folder: files of at most
#'   a million records each, with their codebook and label. A table, such as
#'   `dplyr::tbl(con, "synthetic")`, takes one set (`m = 1`). It must be empty
#'   and have the set's columns; categories become text, and so do dates in
#'   SQLite. Only one part is in memory at a time, so `n` may be 1e8. Each part
#'   is drawn like a set of that size, so the tables of each part, and of all
#'   parts together, follow the release. The folder, or the rows of the table,
#'   appear only when everything is written. See *Sets that were not finished*.
#'   Published rows, which are in random order, are dealt to the parts so that
#'   each has the same tables of them; all of them are in memory. `into` cannot
#'   be used with `uncertainty = TRUE`. `NULL`, the default: sets are returned.
#' @param format (string) Files of the folder `into`: `"csv"`, the default, or
#'   `"parquet"`, which needs the package nanoparquet. Parquet files are smaller
#'   and written faster. They keep levels, dates and flags, and tell missing
#'   text from empty text. That a factor is ordered is in the codebook, which is
#'   text in both, as is the label.
#' @param ... Must be empty.
#'
#' @return [`synthetic_data`][synthetic_data]: m data frames and their public
#'   label. Beside published columns, rows are in random order, the same in all
#'   sets, unless the label is `"none"`.
#'
#'   With `into` a `written_sets`: `into` (the folder's path, or the table's
#'   name), `table` (data frame: `set`, `records` and, for a folder, `file`),
#'   `guarantee` (the public label), `m`, `n_records`.
#'
#' @section Messages:
#' `pseudosynth_message_continued`: with `into`, parts that an earlier call had
#' finished are kept. `pseudosynth_message_kept`: a call that writes to a table
#' ends before all parts are there, and where those that are there wait.
#' `pseudosynth_message_remarks`: differences between the sets and the file of a
#' fit, see [utility()]. [release()] reports them for all sets. For the agency
#' only.
#'
#' @section Sets that were not finished:
#' With `into`, the same call (the same release, `m`, `n`, `seed`, `format` and
#' target) goes on where a killed process stopped, with the parts that are
#' lacking, and gives the same records.
#'
#' In a folder this holds after a kill (on Linux). After an error or Ctrl-C
#' there is no folder.
#'
#' Parts for a table of a database wait beside it, in the same schema, in a
#' table `pseudosynth_parts_..`, with notes in `pseudosynth_notes_..`. Each part
#' is one transaction. The first one is tried in your table, so that what its
#' columns or constraints refuse shows at once. When all parts are there, one
#' transaction moves them into your table and removes both others. So the
#' database needs room for the set twice, and the role must be able to create
#' tables. After a kill, an error, Ctrl-C, a full disk or the end of the
#' connection, the finished parts stay, and a message names the two tables:
#' call again, or drop them. As long as they are there, another set for this
#' table is refused. A set of one part, at most 700,000 records, needs none of
#' this: it is one transaction.
#'
#' @section Many cores:
#' Sets of a whole file are drawn on the workers of the future package if a plan
#' is set, such as `future::plan("multisession")`. So are the parts of sets that
#' go to a folder. The parts of sets that go to a table are drawn in your own
#' session, which holds the connection. With a seed the sets are the same,
#' number for number, without a plan and on any number of workers. Sets of a
#' single column, and sets with fewer than 250,000 values in total (records
#' times columns), take about a second and are drawn in your own session. Each
#' worker is sent the release, or the fit with its file, and keeps nothing. Of a
#' part that goes to a folder it sends the finished files. It uses one thread.
#' Forked workers (`"multicore"`) are refused. If a worker dies, the error has
#' class `pseudosynth_error_worker`, and as after Ctrl-C no set is returned or
#' written.
#'
#' @section Error types:
#' `pseudosynth_error_input`: more sets than kept draws, `"posterior"` for a
#' model without clusters or with `newdata`, `uncertainty` where it does not
#' apply or for predictors other than the file's, unknown levels in `newdata`, a
#' margin of another response, bounds for a response with two values or levels,
#' or bounds that include no value of the response; class
#' `pseudosynth_error_target`: `into` is a view, or a table with triggers, rules
#' or policies, or parts of another set wait beside it.
#' `pseudosynth_error_privacy`: a fit that has not converged; `newdata` for a
#' histogram that was made from a vector and does not know its column; class
#' `pseudosynth_error_copied_response`: a published column that is a copy of the
#' response, see *What is published* in [guarantee()].
#'
#' @section Privacy:
#' Every set from a fit costs one parameter draw, see [guarantee()]. Every call
#' uses new draws, and their costs add up. The epsilon of a histogram or a
#' margin is spent once. The result holds no confidential value: no fit, draws,
#' weights, bounds, seed, formula or environment.
#' @references
#' Hu, Savitsky and Williams, Private tabular survey data products through
#' synthetic microdata generation, section 2.
#' @seealso [guarantee()], [pseudo_posterior()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' syn <- synthesize(fit, m = 2)
#' syn
#' head(syn[[1]])
#' @export
synthesize <- function(fit, m = 1, newdata = NULL, margin = NULL,
                       assignment = c("prior", "posterior"), seed = NULL,
                       allow_unconverged = FALSE, bounds = NULL, ledger = NULL,
                       uncertainty = FALSE, n = NULL, into = NULL,
                       format = c("csv", "parquet"), ...) {
  check_no_dots(..., hint = "See {.fn synthesize}.")
  check_source(fit)
  check_argument(ledger)
  format <- check_choice(format, part_formats)
  asked <- asked_sets(
    m, newdata, margin, assignment, seed, allow_unconverged, bounds,
    uncertainty, n
  )
  if (!is.null(into)) {
    check_into(into, fit, asked, format)
    target <- if (is_remote_table(into)) {
      table_target(into, decoded_columns(fit))
    }
    plan <- plan_sets(fit, asked, ledger, at_once = part_records)
    return(if (is.null(target)) {
      write_drawn(fit, plan, into, format)
    } else {
      write_to_table(fit, plan, target)
    })
  }
  refuse_if(
    format != "csv", "{.arg format} only applies with {.arg into}.",
    x = "It is {.val {format}}.",
    i = "Write other sets with {.fn release}.", arg = "format"
  )
  asked["seed"] <- list(NULL)
  arguments <- list(fit = fit, asked = asked, ledger = ledger)
  if (!is.null(ledger) && knows_records(fit)) {
    start_paid("synthesize", arguments, seed, run_sets)
  } else {
    # Sets of a release cost nothing: they are drawn again
    do.call(run_sets, c(arguments, list(seed = seed)), quote = TRUE)
  }
}

#' Refuse what is on the way to a source, with the line that leads there
#' @noRd
check_source <- function(fit) {
  check_present(fit)
  way <- if (is.data.frame(fit)) {
    c(
      i = "All columns: {.code synthesize_file(fit)}, or with a proven epsilon
           {.code file_release(file_plan(fit, codebook), epsilon)} first.",
      i = "One column:
           {.code synthesize(fit_synthesizer(y ~ ., fit, student_t()))}."
    )
  } else if (is.matrix(fit)) {
    c(i = "Make it a data frame: {.code synthesize_file(as.data.frame(fit))}.")
  } else if (is_remote_table(fit) || is.character(fit) ||
    rlang::is_bare_list(fit) && all(vapply(fit, is.data.frame, NA))) {
    c(i = "Plan it, and release it first:
           {.code synthesize(file_release(file_plan(fit, codebook), epsilon))}.
           {.fn draft_codebook} drafts the codebook.")
  } else if (inherits(fit, "file_plan")) {
    c(i = "Release it first: {.code synthesize(file_release(fit, epsilon))}, or
           use {.code synthesize_file(fit)}.")
  } else if (inherits(fit, "codebook")) {
    c(i = "It needs its file:
           {.code synthesize(file_release(file_plan(data, fit), epsilon))}.")
  } else if (inherits(fit, "pseudo_posterior")) {
    c(i = "A job has its sets: {.code fit$synthetic}.")
  }
  refuse_if(
    length(way) > 0,
    "{.arg fit} must be what sets are drawn from: a fit or a release.",
    x = "It is {describe_type(fit)}.", way, arg = "fit"
  )
}

#' Sets of a source, as a run
#' @noRd
run_sets <- function(fit, asked, ledger, seed) {
  asked["seed"] <- list(seed)
  sets <- draw_planned(fit, plan_sets(fit, asked, ledger))$synthetic
  if (knows_records(fit) && is.null(asked$newdata)) {
    tell_set_remarks(remarks_of_sets(sets, fit, fit$data))
  }
  sets
}

#' Every kind of source: one line each
#' @noRd
sources <- function() {
  list(
    synthesizer = fit_source(), score_release = score_source(),
    perturbed_histogram = histogram_source(),
    synthesis_generator = generator_source(), file_release = file_source(),
    cleared_tables = cleared_source(), file_synthesizer = sequence_source(),
    external_fit = fit_source()
  )
}

# Sources that draw all columns
whole_files <- c("file_release", "cleared_tables", "file_synthesizer")

#' Draw sets and make their label: the one place where both happen
#'
#' @return (list) `synthetic` (`synthetic_data`, with the public label) and
#'   `label`, the same with the agency's figures.
#' @noRd
draw_sets <- function(x, ..., ledger = NULL) {
  draw_planned(x, plan_sets(x, asked_sets(...), ledger))
}

#' @param plan (list) See plan_sets().
#' @noRd
draw_planned <- function(x, plan) {
  n <- NROW(plan$rows$data)
  give_back_memory(n)
  drawn <- plan$source$draw(x, plan$asked, plan$rows)
  # What has no guarantee does not leave, and risks ask for its own place
  order <- if (plan$label$label != "none") {
    function(sets, names) mixed_sets(sets, names, plan$asked$seed)
  } else {
    function(sets, names) sets
  }
  synthetic <- if (is.null(drawn$sets)) {
    build_synthetic_sets(
      drawn$values, plan$response, plan$rows, plan$label, plan$asked$assignment,
      plan$asked$bounds, drawn$margin, drawn$combine, order
    )
  } else {
    new_synthetic_data(
      order(drawn$sets, drawn$columns$name), drawn$columns, plan$label,
      plan$asked$assignment,
      drawn$combine, drawn$survey_weights, drawn$codebook, drawn$means,
      drawn$unit, drawn$tables, drawn$waves
    )
  }
  list(synthetic = synthetic, label = plan$label)
}

#' What synthesize() is asked for, see new_source(); unchecked
#' @noRd
asked_sets <- function(m = 1, newdata = NULL, margin = NULL,
                       assignment = "prior", seed = NULL,
                       allow_unconverged = FALSE, bounds = NULL,
                       uncertainty = FALSE, n = NULL) {
  mget(names(formals()))
}

#' What sets will be and cost: checked, and written down in the ledger
#'
#' @param asked (list) See new_source(); unchecked.
#' @param what (string) What is labelled, where it is not sets.
#' @param at_once (number) Records that are in memory together, at most.
#' @return (list) `source`, `asked`, `response`, `rows` and `label`.
#' @noRd
plan_sets <- function(x, asked, ledger, what = NULL, at_once = Inf,
                      pay = TRUE) {
  kind <- intersect(class(x), names(sources()))
  check_class(x, c(kind, "synthesizer")[1], arg = "fit")
  source <- sources()[[kind[1]]]
  asked$m <- check_argument(asked$m, arg = "m")
  check_argument(asked$seed, arg = "seed")
  check_flag(asked$uncertainty, arg = "uncertainty")
  check_argument(asked$allow_unconverged, arg = "allow_unconverged")
  asked$assignment <- check_choice(
    asked$assignment, c("prior", "posterior"), arg = "assignment"
  )
  if (is.data.frame(asked$newdata)) {
    asked$newdata <- plain_columns(asked$newdata)
  }
  check_taken(source, c(asked, list(ledger = ledger)))
  check_argument(asked$n, null = TRUE, arg = "n")
  refuse_if(
    !is.null(asked$n) && !inherits(x, whole_files),
    "{.arg n} only applies to whole files.",
    i = "Other sets have one record per row of {.arg newdata} or of the file.",
    arg = "n"
  )
  source$check(x, asked)
  # A file release has all columns of its sets; others have one response
  response <- if (!is.null(x$response)) with_bounds(x$response, asked$bounds)
  if (!is.null(x$family)) {
    check_finite_mean(x$family, response, asked$margin %||% x$margin)
  }
  rows <- source$rows(x, asked)
  name <- response$name %||% setdiff(rows$columns, names(rows$data))
  if (!is.null(response)) {
    check_public_ends(
      asked$bounds, source$secret(x) %||% rows$data[[name]], "bounds", response
    )
  }
  # A set's values are there three times: drawn, on their own scale, in the set
  check_memory(
    24 * min(as.double(asked$m) * rows$n, at_once),
    sprintf("%s sets", format_count(asked$m)), "m"
  )
  label <- source$label(x, asked, rows)
  if (!is.null(what)) label <- seal(replace(label, "what", what))
  if (pay) pay_sets(ledger, x, label, rows, run_of(asked$seed))
  if (label$holds && !is.null(response)) response <- released_response(response)
  list(
    source = source, asked = asked, response = response, rows = rows,
    label = label
  )
}

#' Charge a ledger for sets, before they are drawn
#' @param label,rows See plan_sets().
#' @param run (environment or `NULL`) Whoever draws, see new_run().
#' @noRd
pay_sets <- function(ledger, x, label, rows, run = NULL) {
  if (is.null(ledger)) {
    return(invisible())
  }
  name <- x$response$name %||% setdiff(rows$columns, names(rows$data))
  spend(
    ledger, label, name, rows$data[setdiff(rows$columns, name)],
    sources()[[intersect(class(x), names(sources()))[1]]]$secret(x),
    again = isTRUE(run$again),
    paid = function() note_charged(run, "sets", label$charges),
    # A fit has no unit: its charges are for records
    unit = if (!is.null(members_of(x))) {
      unit_of_ledger(list(members = members_of(x)), ledger)
    } else if (inherits(x, "file_release") && !is.null(x$unit$column)) {
      x$unit
    }
  )
}
