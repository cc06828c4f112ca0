#' Release noisy statistics, then draw any number of synthetic sets
#'
#' Releases noisy statistics once: two sums of clipped scores, a histogram of
#' the response (the margin) and, where the budget bears them, tables of the
#' response by each predictor. Everything computed from them afterwards costs no
#' privacy: the posterior of the coefficients given the sums and their *known*
#' noise, and any number of sets. No posterior of the file is sampled. The
#' release may leave the agency: [synthesize()] draws from it for published
#' predictors without the file.
#'
#' The predictors X, the number of records N, the prior and the reference are
#' public. Public weights \eqn{w_i = \min(1, \kappa / l_i)} with
#' \eqn{l_i = (x_i' A x_i)^{1/2}} and \eqn{A = (X'WX + P)^{-1} = LL'} give all
#' records the same maximal influence. A step releases \eqn{L'X'Wu} with noise,
#' where \eqn{u_i} is the score of record i with respect to its linear
#' predictor, clipped to \eqn{\pm c}. The first step is taken at the reference,
#' the second at the result of the first. Each step also releases the number of
#' unclipped scores, from which the family's shape, such as the scale of the
#' errors, is estimated. The margin is a noisy histogram on public bins. Sets
#' are drawn from the counts that are most likely given the noisy counts and the
#' family's law. They are close to the law where the noise exceeds the counts,
#' and close to the noisy counts elsewhere. Noise in distant, empty bins
#' therefore does not raise means and upper quantiles. Tables count bins of the
#' response by each predictor. They show what the model misses, such as a
#' different spread in one group. In a set with a margin, records then swap
#' values so that the set's tables and scores come close to the released ones.
#' The values themselves do not change. All parts are sums of whole numbers with
#' exact noise; see `vignette("score-release")` for the proof.
#'
#' @param formula,data As in [fit_synthesizer()], but without an offset. `data`
#'   may also be a table of a database, or paths of CSV or Parquet files: see
#'   the section on databases. Levels of factors keep their order, which counts
#'   as public. Those of [stats::reorder()] are sorted, because their order
#'   could reveal the order of the responses. The first level is the baseline;
#'   `relevel(group, ref = "c")` in the formula sets another.
#' @param family (`synth_family`) [stats::gaussian()], [student_t()] (the
#'   default), [bernoulli()], [stats::poisson()], [neg_binomial()],
#'   [beta_response()] or [categorical()]. For [categorical()] a single step
#'   releases noisy sums by level; `reference`, `clip` and `shares` do not
#'   apply.
#' @param epsilon (number from 1e-4 to 10) Total cost of the release under
#'   `neighbours` at `delta`. Below a few hundredths the noise may be too large
#'   to sample exactly; this is an error and nothing is spent.
#' @param delta (0, or a number up to 0.1) The public probability that goes with
#'   `epsilon`. Default 1e-6. With 0 the noise is discrete Laplace and epsilon
#'   is pure. That is better for a small epsilon and up to about a dozen
#'   coefficients: for `ce_income` on age, education and earner at epsilon 0.25
#'   the margin's error was 0.020 instead of 0.031, and the groups' error 0.060
#'   instead of 0.067. Laplace noise grows with the number of coefficients: with
#'   37 coefficients, at epsilon 1, the groups' error was 0.05 instead of 0.04.
#' @param neighbours (string) The relation that `epsilon` refers to:
#'   `"add-remove"`, the default, or `"replace"`. The label states the cost
#'   under both.
#' @param reference (named list; none for [categorical()]) Public values: the
#'   intercept, the family's shape (`sigma`, `size` or `precision`), and slopes
#'   if they are known; slopes that are not stated are 0. Scores are computed
#'   with the public shape.
#' @param bounds,bins For the margin: smallest and largest value in the
#'   response's own unit, from public knowledge, and the number of bins (default
#'   40). `bounds = NULL`, the default: no margin; synthetic values then follow
#'   the family's own distribution. For counts, breaks lie between whole
#'   numbers, and there are at most as many bins as whole numbers. A margin does
#'   not correct a family that is too narrow. For counts that vary more than
#'   Poisson counts, `poisson()` clips most of their relation to the predictors:
#'   a log ratio of 0.50 becomes 0.24 (0.44 under `neg_binomial()`). `bounds` do
#'   not apply to a response with levels or two values. Sets for predictors
#'   other than the file's, such as those of some of its records, get the part
#'   of the margin that belongs to these predictors.
#' @param prior ([prior_normal()] or `NULL`) `NULL`, the default, is
#'   `prior_normal(s, c(b, 2.5 s))`, where b is the reference's intercept and s
#'   the larger of 1 and the reference's sigma.
#' @param clip (two positive numbers) Where scores are clipped in the two steps,
#'   in units of their public standard deviation under the reference.
#'   Default `c(1.5, 0.8)`, for counts `c(1.5, 1)`, for `bernoulli()` `c(1, 1)`.
#' @param shares (three positive numbers) Shares of the budget for the margin,
#'   the first and the second step. The budget is mu squared, or epsilon if
#'   delta is 0. Default `c(0.3, 0.12, 0.58)`. Without a margin the two steps
#'   divide the whole budget in the ratio of their shares.
#' @param table_share (number from 0 to below 1) Share of the budget for tables
#'   of up to 20 bins of the response by each predictor (a numeric predictor is
#'   cut into fifths). The other parts share the rest. Default 0.35; in tests on
#'   months 1 and 7 of the survey, shares from 0.3 to 0.6 hardly differed. With
#'   0 there are no tables. There are also none without a margin, for
#'   [bernoulli()] and [categorical()], with `delta = 0`, or if a level has on
#'   average fewer records than 32 standard deviations of the noise (for
#'   `ce_income`: below an epsilon of about 0.7). The other parts then share the
#'   whole budget. Only sets gain from tables. If you need only estimates with
#'   intervals, or sets with `uncertainty = TRUE`, state 0.
#' @param spread (positive number or `NULL`) kappa, as a multiple of the median
#'   of the \eqn{l_i}. `NULL`, the default, is 1, or 0.7 for [categorical()].
#' @param response,scaling As in [fit_synthesizer()].
#' @param seed (whole number or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. With a seed the result is reproducible and must not leave
#'   the agency.
#' @param ledger ([ledger()] or `NULL`) Where the cost is recorded, or refused,
#'   before any noise is drawn. Later draws from the release add no cost.
#'   `NULL`, the default: not recorded.
#' @param ... Must be empty.
#'
#' @return A `score_release`: a list of public and released numbers only:
#'   * `steps`: for each step the noisy `sum` and `share` of unclipped records,
#'     their `noise`, `clip`, where it was taken (`b`, `geometry`, with kappa),
#'     and the cost;
#'   * `margin`: `breaks`, `noisy` counts and their noise; `NULL` without a
#'     margin;
#'   * `tables`: `breaks` of the response's bins on the modelled scale, noisy
#'     `residuals` by predictor (counts, centred along levels and bins), their
#'     `noise`, the public number of `records` of each level, `excess` (per
#'     record of a level, the share in each bin beyond what the model expects,
#'     shrunk to remove noise) and the cost; `NULL` without tables;
#'   * `population`: what drawing needs of the published predictors: the column
#'     means of their design; with a margin also a hundred design rows along the
#'     linear predictor, and the coding of predictors in tables;
#'   * `coefficients`, `covariance`: posterior under the stated prior, for
#'     inference, see [coef()][score-inference];
#'   * `draws`: mean and covariance from which synthetic data are drawn, under a
#'     prior variance of the slopes that is estimated from the sums. With a
#'     margin sets have the mean alone: it makes up for the spread that the
#'     uncertainty of the slopes takes from linear predictors. [categorical()]
#'     has only the mean, under the stated prior, because drawn coefficients can
#'     turn a rare level into a common one;
#'   * `counts`: what sets draw values from, in parts of the margin's bins:
#'     noisy counts without what is only noise;
#'   * `shape`: the family's shape, estimated from the released share; `NULL` if
#'     the family has none;
#'   * `slope_scale`, `family`, `prior`, `response`, `design`, `reference`,
#'     `n_records`, `charges`, `delta`, `neighbours`.
#'
#' @section Databases:
#' `data` may be a table in SQLite, PostgreSQL or DuckDB, such as
#' `dplyr::tbl(con, "persons")`. The database computes the sums of whole numbers
#' and R adds the noise. At the same seed the release is the same as for a data
#' frame, number for number. R reads each combination of the predictors with its
#' count and its sums. If only one record has a combination, the sums are this
#' record's own, so R must run inside the agency. No query returns a response.
#' [release_queries()] shows the queries.
#' * The name must be that of a table that itself holds the records. Views,
#'   virtual tables and queries of your own are refused, because
#'   in them a record could, undetected, be several rows or depend on other
#'   records. A table may have partitions.
#' * In PostgreSQL other servers may hold partitions, or the table itself, as
#'   foreign tables of `postgres_fdw`. Each server shows its records as of one
#'   moment, and adds up its own. The role needs `SELECT` on each partition,
#'   `USAGE` on the servers and `TEMP` on the database: the package looks
#'   whether each foreign table stands for a table with the same columns, and
#'   whether all records are within the bounds of their partition. Whatever it
#'   cannot be certain of is an error with the reason, before anything is
#'   spent: a foreign table that stands for a view or for a table of a further
#'   server, columns of another type there, text in no encoding, another
#'   wrapper than `postgres_fdw`, whose servers need not show one moment, or a
#'   foreign table that inherits from another and has no bounds. So is a table
#'   that Citus spreads over servers. What the package cannot see is a record
#'   that moves from one server to another meanwhile.
#' * Of dplyr's steps, `select()`, `rename()` and `filter()` are accepted. A
#'   filter compares columns with constants or with each other, by `==`, `!=`,
#'   `<`, `<=`, `>`, `>=`, `%in%` and `is.na()`, joined by `&`, `|` and `!`. It
#'   compares text by `==`, `!=` and `%in%` only. `union_all()` takes several
#'   tables as one file, see below. For any other step, write its result to a
#'   table first.
#' * All queries see the data at one moment, because they run in a read-only
#'   transaction. The connection must not have another transaction open.
#'   Settings of the session, such as PostgreSQL's search path, affect only
#'   which table the name refers to.
#' * If the database lets your role see only some of the rows, only these are
#'   released. The rule that selects them must decide on each row by that row
#'   alone.
#' * The response is modelled as `y`, `log(y)` or `sqrt(y)`. Each term of the
#'   formula is computed from a record alone. Predictors have at most a million
#'   combinations of values. Each predictor has at most half as many distinct
#'   values as there are records, or at most 20.
#' * Columns hold numbers, text, or true and false, not dates. Text is compared
#'   in bytes; PostgreSQL's `char(n)` is read without its padding blanks. State
#'   the levels of the response in `response`.
#' * The engine computes the first sums before anything is spent, so that a
#'   failure there costs nothing. If it fails later, the error says that the
#'   cost stays spent.
#' * Copies of the response among the predictors are refused, and what nearly
#'   determines it is told, as for a data frame: see *What is published* in
#'   [guarantee()]. The query for it counts the response in classes between
#'   public numbers. No query has a number in it that was read from the file.
#' * A ledger does not recognise the response under another name.
#' * SQLite needs its mathematical functions for `log(y)`:
#'   `RSQLite::initExtension(con, "math")`.
#' * In DuckDB only one table may have the name; if several have it, state the
#'   schema by [DBI::Id()]. Sessions with a changed collation or sort order, or
#'   with macros named like a function, are refused.
#'
#' `data` may also be paths of CSV files or of Parquet files, such as
#' `c("persons1.parquet", "persons2.parquet")`. They need package duckdb, which
#' reads them into a database in R's temporary folder. That database is removed
#' at the end. All files together are one table. Columns are matched by name. A
#' file and its copy are refused; a record that is in two files counts twice.
#' CSV files have commas between columns. A column that holds only numbers, only
#' dates such as 2020-01-31, or only the words `TRUE` and `FALSE` is read as
#' such. Everything else, such as `01`, is text. Empty fields and `NA` are
#' missing values.
#'
#' It may also be the path of a folder of Parquet files. Folders in it may name
#' columns (hive partitions), such as `persons/year=2024/part-0.parquet`. All
#' name the same ones, which no file has itself. Such a column is text, unless
#' all of its values are written as whole numbers. Files whose names begin with
#' `_` or `.` are passed over, and no other kind of file may be in it.
#'
#' Several tables of one connection may hold the file between them, such as one
#' for each year: `dplyr::union_all(tbl(con, "y2023"), tbl(con, "y2024"))`. The
#' release is that of one table with all records.
#' * The tables may lie in files that SQLite or DuckDB has attached:
#'   `tbl(con, DBI::Id("file", "persons"))`. Those of several servers are
#'   partitions of one table of PostgreSQL, see above.
#' * They have the same columns, in any order. A column holds the same kind of
#'   values in all of them. A table may have no records, or no values in a
#'   column.
#' * The guarantee relies on one row per record. A table that is given twice is
#'   refused, even under another filter or name of its file, or as a partition
#'   of another. A copy of a table cannot be detected. Nor can a record that
#'   moves from one attached file to another meanwhile: each file is read as of
#'   one moment, but two files one after the other. Make sure that nobody writes
#'   to them.
#' * A view is refused, also one with `UNION ALL`: of its text nobody can be
#'   certain. Name its tables.
#'
#' @section Error types:
#' `pseudosynth_error_paid`: something failed after the payment; [resume()]
#' goes on.
#' `pseudosynth_error_engine` (a `pseudosynth_error_input`): a database that
#' cannot do what the release needs, or a column of another type.
#' `pseudosynth_error_rows` (a `pseudosynth_error_input`): `data` whose rows may
#' not be single records. `pseudosynth_error_unstated` (a
#' `pseudosynth_error_privacy`): a factor or text response without stated
#' levels, see [public_response()]. `pseudosynth_error_input`: an epsilon,
#' delta, clip or share out of range, a reference that is not a list of public
#' values, an unsupported family, another prior than [prior_normal()], a bound
#' that equals the file's smallest or largest value.
#' `pseudosynth_error_copied_response`: a predictor that copies the response.
#' @section Warning types:
#' All are computed from what is released.
#' * `pseudosynth_warning_budget`: the noise dominates the coefficients or the
#'   margin.
#' * `pseudosynth_warning_reference`: nearly all scores of the last step are
#'   clipped, because the reference is many standard deviations from the file
#'   (about six for location models, a factor of seven for counts). Intervals
#'   are then invalid.
#' * `pseudosynth_warning_family`: counts vary more than [stats::poisson()]
#'   allows. Intervals are then invalid, and values drawn from a margin have
#'   too large a mean and spread.
#' @section Privacy:
#' The guarantee is exact. Each record contributes a whole number times a public
#' vector of whole numbers, so the sensitivity is counted, not estimated. The
#' noise is sampled exactly, from the operating system's entropy. No Markov
#' chain is involved. Reference, bounds, prior and clip must be chosen without
#' the data.
#' @references
#' Canonne, Kamath and Steinke (2020), The discrete Gaussian for differential
#' privacy. Dong, Roth and Su (2022), Gaussian differential privacy. Balle and
#' Wang (2018), Improving the Gaussian mechanism for differential privacy.
#' @seealso [synthesize()], [guarantee()], [audit_guarantee()],
#'   [release_queries()]
#' @examples
#' positive <- subset(ce_income, income > 0)
#' release <- score_release(log(income) ~ age + education + earner, positive,
#'   epsilon = 1, reference = list("(Intercept)" = 10.8, sigma = 1),
#'   bounds = c(10, 2e6)
#' )
#' release
#' guarantee(release)
#' # Predictors are published, so that drawing needs nothing else
#' synthesize(release, m = 5, newdata = positive)
#' confint(release)
#' @export
score_release <- function(formula, data, family = student_t(), epsilon,
                          delta = 1e-6, neighbours = c("add-remove", "replace"),
                          reference = NULL, bounds = NULL, bins = 40,
                          prior = NULL,
                          clip = NULL, shares = c(0.3, 0.12, 0.58),
                          table_share = 0.35, spread = NULL, response = NULL,
                          scaling = NULL, seed = NULL, ledger = NULL, ...) {
  check_no_dots(..., hint = "See {.fn score_release}.")
  check_argument(ledger)
  check_formula(formula)
  check_present(data)
  if (!has_engine(data)) check_data_frame(data)
  family <- check_score_family(family)
  # Nothing is asked for that a call with this left side could not use
  if (has_engine(data)) {
    refuse_several(formula, all.vars(formula), family)
  } else {
    parse_response(formula, data, family)
  }
  settings <- score_settings(
    reference, delta, bounds, bins, clip, shares, spread, family, table_share
  )
  check_score_epsilon(epsilon)
  neighbours <- check_argument(neighbours)
  check_argument(seed)
  start_paid("score_release", list(
    formula = formula, data = data, family = family, epsilon = epsilon,
    neighbours = neighbours, settings = settings, prior = prior,
    response = response, scaling = scaling, ledger = ledger
  ), seed, run_score_release)
}

#' A score release from its checked arguments
#' @noRd
run_score_release <- function(formula, data, family, epsilon, neighbours,
                              settings, prior, response, scaling, ledger,
                              seed) {
  stated_prior <- prior
  prior <- prior %||% released_prior(settings$reference, family)
  if (has_engine(data)) {
    return(with_engine(data, function(engine) {
      open <- open_score_file(
        engine, formula, family, settings, prior, stated_prior, response,
        scaling
      )
      release_scores(
        open$model, settings, epsilon, neighbours, seed, ledger,
        file = open$file
      )
    }))
  }
  model <- new_model(
    formula, used_levels(data), family, prior, response, scaling,
    count = rep(1, nrow(data))
  )
  check_score_design(model$design)
  check_response_is_public(model$response)
  check_public_centre(settings$reference, stated_prior, model)
  y <- model$data[[model$response$name]]
  if (is.numeric(y)) {
    response <- model$response
    check_own_scale(
      facts_of(y), stated_digits(response), response$confirmed, response$name
    )
  }
  tell_published(model, time_of_score_levels)
  release_scores(model, settings, epsilon, neighbours, seed, ledger)
}

#' A file whose factors have no level but those that records have
#'
#' A release names its levels: one that nobody has may be the name of somebody
#' who was taken out.
#' @noRd
used_levels <- function(data) {
  if (!is.data.frame(data)) {
    return(data)
  }
  data <- plain_columns(data)
  factors <- vapply(data, is.factor, TRUE)
  data[factors] <- lapply(data[factors], function(x) {
    # One without a name is refused with the other predictors
    if (anyNA(levels(x))) x else without_unused(x)
  })
  data
}

#' What may be stated without the file
#' @return (list) `reference`, `delta`, `bounds`, `bins`, `clip`, `shares`,
#'   `spread`, `table_share`.
#' @noRd
score_settings <- function(reference, delta, bounds, bins, clip, shares,
                           spread, family = NULL, table_share = 0) {
  if (!is.null(family) && is_categorical(family)) {
    reference <- check_no_reference(reference, clip)
  }
  refuse_if(
    is.null(reference), "A score release needs {.arg reference}.",
    i = "State rough public values, for instance
         {.code {reference_example(family)}}.", arg = "reference"
  )
  reference <- as_reference(reference)
  refuse_if(
    reference$origin != "public",
    "{.arg reference} must be a list of public values.",
    i = "Write out rounded values, such as those of a fit to other, public
         data.", arg = "reference"
  )
  delta <- check_score_delta(delta)
  clip <- check_positive(clip, 2, "clip", null = TRUE)
  shares <- check_positive(shares, 3, "shares")
  spread <- check_argument(spread)
  list(
    reference = reference, delta = delta,
    bounds = if (!is.null(bounds)) check_bounds(bounds),
    bins = check_count(bins, min = 2, max = 500), clip = clip,
    shares = shares / sum(shares), spread = spread,
    table_share = check_argument(table_share)
  )
}

#' A reference as code, with the shape that the family has
#' @noRd
reference_example <- function(family) {
  example <- c(
    "\"(Intercept)\"" = if (is_location(family)) 10.8 else 0,
    law_of(family)$example
  )
  sprintf("list(%s)", paste(names(example), "=", example, collapse = ", "))
}

#' Levels' sums have neither a centre nor a clip
#' @return (list) A prior's centre, 0.
#' @noRd
check_no_reference <- function(reference, clip) {
  arg <- if (is.null(reference)) "clip" else "reference"
  refuse_if(
    !is.null(reference) || !is.null(clip),
    "{.arg {arg}} does not apply to {.fn categorical}.",
    i = "The sums of its levels are neither centred nor clipped.", arg = arg
  )
  no_centre
}

no_centre <- list("(Intercept)" = 0)

# With a delta of 0, pure epsilon
check_score_delta <- function(delta) {
  if (isTRUE(all.equal(delta, 0, tolerance = 0))) 0 else check_argument(delta)
}

# Above 10 the conversions that the budget and the label use are no longer one.
check_score_epsilon <- function(epsilon) {
  check_argument(epsilon, above = -Inf, min = 1e-4, max = 10)
}

#' @return `x` as plain numbers.
#' @noRd
check_positive <- function(x, n, arg, null = FALSE) {
  if (null && is.null(x)) {
    return(NULL)
  }
  check_that(
    are_numbers(x, n) && all(x >= 1e-6 & x <= 1e6), x,
    "{.arg {arg}} must be {n} numbers from 1e-6 to 1e6.", arg = arg
  )
  as.double(x)
}

check_score_family <- function(family) {
  family <- as_synth_family(family, arg = "family")
  offered <- Filter(function(law) !is.null(law$clip), families)
  offered <- sprintf("%s()", setdiff(names(offered), "binomial"))
  refuse_if(
    is.null(law_of(family)$clip),
    "A score release supports the families {.code {offered}}.",
    x = "{.arg family} is {.code {format(family)}}.", arg = "family"
  )
  family
}

# A score release of a checked model: what is paid, in its order, and what
# follows from it.

#' The default prior: of location models in units of the reference's sigma
#'
#' Unless that is below 1: slopes are then small in any unit.
#' @noRd
released_prior <- function(reference, family) {
  sigma <- if (is_location(family)) as.list(reference$values)$sigma
  centred_prior(reference, max(1, sigma))
}

#' @param model (list) See new_model().
#' @param settings (list) See score_settings().
#' @param ledger,m Where the cost is written before any noise is drawn, and for
#'   how many sets.
#' @return (`score_release`)
#' @noRd
release_scores <- function(model, settings, epsilon, neighbours, seed,
                           ledger = NULL, m = 1L, file = score_file(model)) {
  family <- model$family
  if (is_categorical(family)) {
    return(release_levels(
      model, settings, epsilon, neighbours, seed, ledger, m, file
    ))
  }
  settings$spread <- settings$spread %||% 1
  start <- score_start(model, settings, file$spec)
  prior <- start$prior
  b <- start$b
  shape <- start$shape
  clip <- start$clip
  budget <- release_budget(
    settings, family, file, epsilon, neighbours, length(b) + 1
  )
  paid <- lapply(budget[2:3], function(budget) {
    own_cost(paid_by(step_measurement("", length(b)), budget))
  })
  warn_delta(settings$delta, file$n)
  plan <- if (!is.null(settings$bounds)) {
    plan_margin(file, model, settings, b, shape, budget$margin)
  }
  tables <- plan_score_tables(file, budget, length(plan$breaks) - 1)
  charges <- plan_charges(list(
    "noisy margin" = plan$noise, "noisy scores, step 1" = paid$first,
    "noisy scores, step 2" = paid$second, "noisy tables" = tables$cost
  ))
  rehearse_sums(file, family, b, shape, clip[1], plan$breaks)
  charges <- pay_release(ledger, charges, model, m, seed, file)

  # From here on figures are noisy, and paid for
  margin <- if (!is.null(plan)) {
    score_margin(
      file$margin(plan$breaks), plan, settings$bounds,
      stage_seed(seed, "margin"), file$n
    )
  }
  file$codes <- design_codes(seq_along(file$count), file$x)
  like <- list(
    what = paste("noisy scores, step", 1:2), n = file$n, family = family,
    shape = shape, prior = prior, clip = clip, coding = row_coding(file$x),
    spread = settings$spread, rounds = 3
  )
  noisy <- noisy_response(
    file, file, like, margin, budget, b, seed, names = model$design$columns
  )
  told <- noisy$told
  warn_budget(
    sqrt(typical_variance(told$covariance, file)),
    line_unit(family, shape), margin, file$n
  )
  if (!warn_saturated(c(told, list(family = family)))) {
    eta <- drop(file$x %*% told$coefficients)
    warn_wide_counts(family, noisy$last, eta, file$count)
  }
  told$slope_scale <- noisy$found$slope_scale
  made <- score_parts(model, settings, neighbours, told, file)
  if (!is.null(tables)) {
    made$tables <- release_score_tables(
      made, file, tables, stage_seed(seed, "tables")
    )
  }
  new_score_release(made, charges, seed)
}

#' Ask an engine for the first sums, so that what it fails at costs nothing
#'
#' They are kept without their noise until it is paid for, see engine_file().
#' @noRd
rehearse_sums <- function(file, family, b, shape, clip, breaks) {
  if (!is.null(file$paid)) {
    frame <- score_frame(family, drop(file$x %*% b), shape)
    file$whole(frame, clip, counted_above(family, frame, clip))
    if (!is.null(breaks)) file$margin(breaks)
  }
}

#' Where scores are taken first: all public
#' @return (list) `prior`, see score_prior(); `b` and `shape` of the reference;
#'   `clip` of both steps.
#' @noRd
score_start <- function(model, settings, spec) {
  family <- model$family
  prior <- score_prior(model)
  b <- reference_draw(settings$reference$values, model, spec)
  shape <- if (length(family$extras) > 0) b[length(b)]
  # Its square and what it is compared with must be numbers
  refuse_if(
    !is.null(shape) && !(shape >= 1e-50 && shape <= 1e50),
    "{.arg reference} must state a {.field {names(family$extras)}} from
     1e-50 to 1e50.",
    x = "It is {format(shape)}.", i = "Measure the response in another unit.",
    arg = "reference"
  )
  check_score_margin(settings, model$response)
  list(
    prior = prior, b = b[seq_along(prior$location)], shape = shape,
    clip = (settings$clip %||% law_of(family)$clip) * line_unit(family, shape)
  )
}

#' What the parts of a release may spend: tables where the budget bears them
#' @param columns (count) Noisy numbers of a step.
#' @noRd
release_budget <- function(settings, family, file, epsilon, neighbours,
                           columns) {
  levels <- coded_levels(file$coding)
  cells <- settings$bins * sum(levels)
  coordinates <- c(settings$bins, columns, columns, cells)
  budget <- function(tables) {
    score_budget(settings, epsilon, neighbours, coordinates, tables)
  }
  share <- settings$table_share
  if (share > 0 && can_have_tables(settings, family)) {
    whole <- budget(share)
    if (bears_tables(file$n, levels, whole$tables$amount)) {
      return(whole)
    }
  }
  budget(0)
}

#' All of the margin that is public, before its noise is drawn
#' @return (list) See margin_measurement().
#' @noRd
plan_margin <- function(file, model, settings, b, shape, budget) {
  ends <- stated_ends(model, settings)
  tell_outside(file$outside(settings$bounds))
  breaks <- margin_breaks(file, model, settings, b, shape, ends)
  paid_by(margin_measurement(breaks, kind = budget$noise), budget)
}

#' The margin's public ends, see histogram_breaks()
#' @noRd
stated_ends <- function(model, settings) {
  response <- released_response(model$response)
  # None where a database holds the records, and checks them
  y <- model$data[[response$name]]
  values <- list(y = if (!is.null(y)) as.double(y), response = response)
  histogram_breaks(values, settings$bounds, settings$bins)
}

margin_breaks <- function(file, model, settings, b, shape,
                          ends = stated_ends(model, settings)) {
  centre <- stats::weighted.mean(drop(file$x %*% b), file$count)
  score_breaks(model$family, range(ends$scale), centre, shape, settings$bins)
}
