#' Measure how close synthetic sets are to the confidential file
#'
#' Compares distributions, group means, regression coefficients and, on request,
#' a propensity score, set by set. For sets of whole files it compares the
#' tables of every column and of every pair of columns, statistics of each
#' column, and, on request, models and propensity scores of all columns.
#'
#' @param synthetic ([`synthetic_data`][synthetic_data], `pseudo_posterior`,
#'   data frame or list of data frames) The sets.
#' @param data (data frame or `NULL`) The confidential file. `NULL`, the
#'   default, takes the file of a `pseudo_posterior`.
#' @param variable (string or `NULL`) The synthetic column. `NULL`, the default:
#'   the synthetic column of `synthetic`.
#' @param groups (character or `NULL`) Published columns. The means of
#'   `variable` in their groups are compared. `NULL`, the default: none.
#' @param regression (formula, list of formulas or `NULL`) Linear models, such
#'   as `log(income) ~ age + earner`, preferably named if there are several. A
#'   response with two levels gets a logistic regression. A model is fitted to
#'   the file and to each set; R2 and the overlap of the 95% intervals of the
#'   coefficients are compared. `.` stands for all other columns that the file
#'   and all sets have. `NULL`, the default: none.
#' @param transform (string) Scale of the group means: `"identity"`, `"log"`,
#'   `"log1p"` or `"sqrt"`. Default: the modelled scale of `synthetic` if it
#'   is one of these.
#' @param pmse (`FALSE`, `TRUE` or string) Compute the propensity mean squared
#'   error? The propensity model separates the records of the file from those of
#'   the set by all columns that both have. `"logit"` (same as `TRUE`): a
#'   logistic regression, see `propensity` below. `"cart"`: a classification
#'   tree, for one variable with leaves that hold at least 5% of all records;
#'   slower, needs the package rpart, and also finds nonlinear differences. For
#'   whole files it may be both, `c("logit", "cart")`. Default `FALSE`.
#' @param survey_weights (string or `NULL`) A column of survey weights in the
#'   file and the sets. The sets have this column if it is a predictor of the
#'   model. Distribution functions, group means, the linear model and the
#'   statistics are weighted by it; the propensity error is not. Intervals are
#'   those of weighted least squares and ignore the survey design. `NULL`, the
#'   default: no weights, or, for whole files, the weights of the plan, if it
#'   states any.
#' @param ... Must be empty.
#'
#' @return For sets of one variable a `utility`; for sets of whole files a
#'   `file_utility`, whose figures are in the section *Whole files*. Each is
#'   compared with a fresh sample: as many records as a set has, drawn from the
#'   file with replacement. Both are lists with
#'   * `table`: a data frame with one row per `set` and a column for each
#'     figure;
#'   * `overall` (named numbers): means of the figures over the sets; `fresh`
#'     (named numbers): the expected figures of a fresh sample. If there is no
#'     closed form, they are means over 20 samples (of large files fewer), the
#'     same ones in each call;
#'   * `statistics` (data frame): for each `set` and `column` the `statistic`,
#'     its `value` in the set and in the `file`, `fresh` (the mean absolute
#'     difference between a fresh sample and the file) and `ratio`, the absolute
#'     difference divided by `fresh` (`NA` where that is 0). A statistic is the
#'     `"share"` of a `level`; of numbers `"mean"`, `"sd"`, `"total"`, quantiles
#'     `"5%"` to `"99%"`, `"max"` (whose `ratio` is `NA`), and the share of
#'     values other than 0 that are `"multiples of"` 10, 100 and 1,000. Missing
#'     values, and codes beyond the bounds such as -8 for no answer, are not
#'     numbers. Without survey weights, the total of a set is scaled to the
#'     number of records of the file;
#'   * `models` (with `regression`): for each `set` and `model` the mean
#'     `overlap` of the 95% intervals, the mean absolute `std_difference`,
#'     `r_squared` and `r_squared_file`. `coefficients`: for each `term` that
#'     both fits have `estimate`, `std.error`, `conf.low`, `conf.high` of the
#'     set, the same of the file (`file`, `file_std.error`, `file_low`,
#'     `file_high`), `overlap` (0 to 1; each interval with its own standard
#'     error, unlike synthpop's) and `std_difference`, the difference in
#'     standard errors of the file's estimate (synthpop's). In a fresh sample as
#'     large as the file, `std_difference` is 0.8 on average in absolute value.
#'     A model treats codes of amounts as numbers. If the codes are not
#'     quantities, remove them from the columns that the formula uses;
#'   * `households` (of sets with [members()]): see the section *Households*;
#'   * `propensity` (with `pmse`): for each `set` and `method` `pmse`,
#'     `pmse_ratio` (divided by its expectation by chance), `parameters` and
#'     `levels` of the logistic regression, and `records` of the file that were
#'     used. `"logit"` has main effects and all interactions of two columns,
#'     like synthpop's `utility.gen()` with `maxorder = 1`. Numbers enter by
#'     their rank and its square, and the parts of an amount as levels. If this
#'     model has more than 400 parameters, the rarer levels of each category are
#'     joined, so that at most `levels` are left per category. If even two
#'     levels per category are too many, the model has main effects only. If a
#'     set is as large as the file and no column is published, the ratio is at
#'     most 4 times the number of records per parameter, so with few records it
#'     says little. `"cart"`: the value under chance is measured by permuting
#'     the labels 20 times, with R's random numbers. If the file or a set has
#'     more than 10,000 records, 10,000 of them are drawn with R's random
#'     numbers. The ratio is then the one for files of this size. If other
#'     columns agree, as published ones do, the value under chance counts only
#'     chance in the synthetic ones. The ratio is about 1 for a fresh sample and
#'     up to about 2 for a new sample from the same population. A copy of the
#'     file has ratio 0;
#'   * `remarks` (character or `NULL`): warnings that `print()` shows. Of one
#'     variable: a mean that is off by 5% or two standard errors; a standard
#'     deviation that is off by a third and by more than chance explains, or by
#'     a factor of 2; values of a sign or in a range that the file does not
#'     have; a value that 5% of the file's records share, or a rounding of the
#'     file's values, that is less than half as frequent in the sets. Of whole
#'     files: another number of records, by more than 5%; amounts beyond all
#'     values of the file; means that are off;
#'   * `records`: number of records of the file and of each set (of whole files,
#'     of a set); `survey_weights` (string or `NULL`); `variable`, `groups` (of
#'     one variable); `columns` (of whole files).
#'
#'   The figures of one variable are
#'   * `ecdf_max`, `ecdf_mean_squared`: largest and mean squared difference of
#'     the two empirical distribution functions at the pooled points (Woo and
#'     others 2009). Two levels count as 0 and 1;
#'   * `mean_ratio`, `sd_ratio`, `total_ratio`, `q90_ratio`, `q95_ratio`,
#'     `q99_ratio` (numbers only): the set's mean, standard deviation, total and
#'     upper quantiles divided by the file's, `NA` where the file's is 0. A few
#'     far values can move these although the distribution functions are close;
#'   * `shares` (more than two levels, instead of the above): total variation
#'     distance of the shares of the levels;
#'   * `groups`: mean absolute difference of the group means, weighted by group
#'     size and averaged over the columns of `groups`. For more than two levels:
#'     total variation distance of the two-way tables of `variable` and each of
#'     `groups`;
#'   * `r_squared`, `overlap` (mean over coefficients, 0 to 1; Karr and others
#'     2006) and `std_difference`, if `regression` is given;
#'   * `pmse`, `pmse_ratio`, if `pmse` is given.
#'
#'   All of this is confidential, because it is computed from the file.
#' @section Whole files:
#' For sets of whole files, the arguments are `data`, `regression`, `pmse` and
#' `survey_weights`. A ratio of 1 is as good as a fresh sample; with a ratio
#' below 1 the set is nearer to the file than a fresh sample. The figures are
#' * the mean total variation distance of the tables of one column (`one_way`)
#'   and of two (`two_way`); both divided by the mean expected distance of a
#'   fresh sample (`one_way_ratio`, `two_way_ratio`); and the mean `pmse_ratio`
#'   of these tables (`one_way_pmse_ratio`, `two_way_pmse_ratio`);
#' * `r_squared`, `overlap` and `std_difference`, means over models;
#' * `logit_pmse_ratio`, `cart_pmse_ratio`.
#'
#' A further element is `pairs`: for each set and table `first`, `second` (`NA`
#' for a table of one column), `distance` (0 to 1; synthpop's SPECKS of the
#' table, or half its MabsDD), `fresh` (the exact expected distance of a fresh
#' sample), `pmse` and `pmse_ratio` (synthpop's pMSE and S_pMSE: the propensity
#' error of a model with a parameter for each cell, and that error divided by
#' its expectation by chance). Categories have the codebook's levels, and
#' missing is a level. Amounts are cut into ten bins that have equal shares of
#' the sets' values; zero, codes and missing are levels of their own. Tables
#' count records, without survey weights. `"cart"` is a tree as `utility.gen()`
#' grows it.
#' @section Households:
#' Sets of a plan with [members()] are compared as households, too. `households`
#' has a row for each set and table: its `kind`, `column` and `table`, the
#' `distance` from the file and that of a `fresh` sample. The kinds are
#' * `sizes`: how many members a household has, alone and by each column that
#'   its members share;
#' * `numbers`: how many members have a level of a column, such as persons
#'   employed or children, and what their amounts sum to, in ten bins;
#' * `members`: a column of a member and of another one of the same household,
#'   where each member counts once: ages of couples, parents and children.
#'
#' Their means, and what they are divided by fresh samples, are in `overall` and
#' in `table`. Here a fresh sample is one of households: 20 are drawn from the
#' file, also for the tables and statistics of persons. Only models and
#' propensity scores are beside what single persons would have by chance.
#' Households of the file that have more members than `slots` are as they are.
#' `data` needs the column of the households' numbers.
#'
#' Of sets of a panel, see [waves()], the kinds are `patterns` (which waves a
#' person is in, how many, and these by `constant` columns), `transitions` (a
#' column in two neighbouring waves, of persons in both), `ever` (in how many
#' waves a person has a level of a column: ever, never, always) and
#' `correlations` (of amounts, on their modelled scale, over waves; the distance
#' is the difference). A fresh sample is one of persons.
#' @section Error types: `pseudosynth_error_input`: columns that are missing in
#'   the file or in a set; arguments that do not apply to whole files.
#' @references
#' Woo, Reiter, Oganian and Karr (2009), Global measures of data utility for
#' microdata masked for disclosure limitation. Karr, Kohnen, Oganian, Reiter and
#' Sanil (2006), A framework for evaluating the utility of data altered to
#' protect confidentiality. Snoke, Raab, Nowok, Dibben and Slavkovic (2018),
#' General and specific utility measures for synthetic data, for the ratio.
#' Raab, Nowok and Dibben (2021), Assessing, visualizing and improving the
#' utility of synthetic data, arXiv 2109.12717, for tables.
#' @seealso [compare()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' utility(synthesize(fit, m = 3), ce,
#'   groups = c("age", "earner"), regression = log(income) ~ age + earner
#' )
#'
#' # Whole files: all tables of one and two columns, and a model
#' people <- ce_income[c("sex", "age", "marital", "earner")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' utility(synthesize(release), people, regression = earner ~ sex + age)
#' @export
utility <- function(synthetic, data = NULL, variable = NULL, groups = NULL,
                    regression = NULL, transform = NULL, pmse = FALSE,
                    survey_weights = NULL, ...) {
  check_no_dots(
    ..., hint = "See {.fn utility}. Give a linear model as {.arg regression}."
  )
  check_present(synthetic)
  check_argument(survey_weights)
  data <- confidential_file(data, synthetic)
  asked <- list(
    regression = check_models(regression), survey_weights = survey_weights
  )
  if (are_files(synthetic)) {
    asked$methods <- check_pmse(pmse, 2)
    given <- list(variable = variable, groups = groups, transform = transform)
    return(file_utility(synthetic, data, asked, given))
  }
  asked$methods <- check_pmse(pmse)
  case <- variable_case(synthetic, data, variable, groups, transform, asked)
  found <- judgement(case, utility_measures())
  new_utility("utility", case, found, remarks = variable_remarks(case, found),
    variable = case$variable, groups = groups,
    records = c(nrow(data), vapply(case$sets, nrow, 0L))
  )
}

#' All measures of utility, in the order of their figures
#' @noRd
utility_measures <- function() {
  list(
    distribution = measure_distribution, tables = measure_tables,
    households = measure_households,
    statistics = measure_statistics, groups = measure_groups,
    models = measure_models, propensity = measure_propensity
  )
}

#' @param found (list) See judgement().
#' @noRd
new_utility <- function(class, case, found, ...) {
  rows <- found$rows
  new_result(
    class,
    table = found$table, overall = found$overall, fresh = found$fresh,
    pairs = rows$pairs, households = rows$households,
    statistics = said_statistics(rows$statistics),
    models = rows$models, coefficients = rows$coefficients,
    propensity = rows$propensity, survey_weights = case$survey_weights, ...
  )
}

# One variable -----------------------------------------------------------------

#' What measures of utility take of sets of one variable
#'
#' @param asked (list) `regression`, `methods`, `survey_weights`, see the
#'   measures.
#' @return (list) `data`, `sets`, `variable`, `groups`, `transform`, `levels`
#'   (of categories, `NULL` of numbers), `shares_alone` (flag: more than two
#'   levels, which have no order), `y` (function of a file: its values),
#'   `weights` (of a file: its survey weights), `columns` (list, by column:
#'   `spec`, `levels` and `codes`, a function of values: the numbers of their
#'   levels), `parts` (see propensity_parts()), `alike` (function of the file:
#'   its columns as those of the sets are) and what was asked.
#' @noRd
variable_case <- function(synthetic, data, variable, groups, transform,
                          asked) {
  sets <- release_sets(synthetic, data, variable)
  variable <- synthetic_variable(synthetic, variable)
  check_columns(variable, data, "data")
  check_groups(groups, names(data), variable)
  for (group in groups) check_finite_column(data[[group]], group)
  if (is.null(transform)) {
    own <- release_transform(synthetic)
    transform <- if (own %in% utility_scales) own else "identity"
  }
  transform <- check_choice(transform, utility_scales)
  check_survey_weights(data, asked$survey_weights, "data", variable)
  if (!is.null(groups)) check_scale(data[[variable]], transform, "data")
  for (set in sets) {
    check_data_frame(set, arg = "synthetic")
    check_columns(c(variable, groups), set, "synthetic")
    check_same_kind(data[[variable]], set[[variable]], variable)
    check_survey_weights(set, asked$survey_weights, "synthetic", variable)
    if (!is.null(groups)) check_scale(set[[variable]], transform, "synthetic")
    if (!is.null(asked$methods)) {
      common <- intersect(names(data), names(set))
      for (file in list(data, set)) {
        Map(check_finite_column, as.list(file)[common], common)
      }
    }
  }
  levels <- category_levels(data, sets, variable)
  # Two levels have an order, and so a distribution function; more have shares
  shares_alone <- length(levels) > 2
  values_of <- function(file, arg) {
    if (shares_alone) {
      return(factor(as.character(file[[variable]]), levels))
    }
    response_values(file, variable, levels, arg = arg)
  }
  column <- list(
    spec = list(
      column = variable, lower = -Inf, upper = Inf, codes = double(),
      kind = column_kinds[[if (is.null(levels)) "amount" else "category"]],
      levels = levels
    ),
    levels = levels,
    codes = function(x) match(as.character(x), levels, length(levels) + 1L)
  )
  c(asked, list(
    data = as.data.frame(data), sets = lapply(sets, as.data.frame),
    variable = variable, groups = groups, transform = transform,
    levels = levels, shares_alone = shares_alone, y = values_of,
    weights = weights_under(asked$survey_weights),
    columns = stats::setNames(list(column), variable),
    parts = function(name, both) plain_parts(both[[name]]), alike = identity
  ))
}

#' A function of a file: its survey weights, `NULL` where there are none
#' @noRd
weights_under <- function(name) {
  force(name)
  function(file) if (!is.null(name)) as.double(file[[name]])
}

#' Survey weights: what is weighted is not compared with what is not
#' @noRd
variable_remarks <- function(case, found) {
  if (is.null(case$levels)) {
    c(
      if (is.null(case$survey_weights)) {
        remarks_of_values(
          case$y(case$data, "data"), lapply(case$sets, case$y, "synthetic")
        )
      },
      heaping_remark(mean_statistics(found$rows$statistics))
    )
  } else if (is.null(case$survey_weights)) {
    of <- function(file) {
      factor(
        file[[case$variable]], case$levels,
        ordered = is.ordered(case$data[[case$variable]])
      )
    }
    remarks_of_values(of(case$data), lapply(case$sets, of))
  }
}

#' The labels of a response that has some, `NULL` of numbers
#'
#' Those of the sets that the file has not come last.
#' @noRd
category_levels <- function(data, sets, variable) {
  y <- data[[variable]]
  if (is.logical(y)) {
    return(c("FALSE", "TRUE"))
  }
  levels <- response_levels(y)
  if (!is.null(levels)) {
    columns <- lapply(c(list(data), sets), `[[`, variable)
    for (column in columns) check_finite_column(column, variable)
    unique(c(levels, unlist(lapply(lapply(columns[-1], as.character), unique))))
  }
}

#' `FALSE`, `TRUE` or a method's name
#' @param most (count) How many methods may be asked for.
#' @return (character or `NULL`)
#' @noRd
check_pmse <- function(pmse, most = 1) {
  if (is.character(pmse)) {
    methods <- c("logit", "cart")
    return(unique(if (length(pmse) > 1 && length(pmse) <= most) {
      vapply(pmse, check_choice, "", methods, arg = "pmse", USE.NAMES = FALSE)
    } else {
      check_choice(pmse, methods)
    }))
  }
  check_flag(pmse)
  if (pmse) "logit"
}

#' Groups are of published columns: by its own values a variable looks perfect
#' @param columns (character) Those that there are.
#' @noRd
check_groups <- function(groups, columns, variable, arg = "groups") {
  check_names(groups, columns, arg = arg)
  refuse_if(
    variable %in% groups, "{.arg {arg}} must be published columns.",
    x = "{.val {variable}} is synthetic itself.", arg = arg
  )
}

# Scales on which group means can be compared
utility_scales <- c("identity", "log", "log1p", "sqrt")

#' Refuse to compare numbers with labels: codes of a factor with its levels
#' @noRd
check_same_kind <- function(y, z, variable) {
  labels <- function(x) is.character(x) || is.factor(x)
  refuse_if(
    labels(y) != labels(z),
    "{.val {variable}} must have the same type in both files.",
    x = "In {.arg data} it is {describe_type(y)}, in {.arg synthetic}
         {describe_type(z)}.", arg = "data"
  )
}

#' Refuse values that have no finite mean on the scale
#' @noRd
check_scale <- function(y, transform, arg) {
  bad <- if (transform != "identity" && is.numeric(y)) {
    forward <- suppressWarnings(match.fun(transform)(y))
    which(!is.finite(forward) & !is.na(y))
  }
  refuse_if(
    length(bad) > 0,
    "{.arg transform} must suit the values whose group means are compared.",
    x = "{length(bad)} of {length(y)} record{?s} of {.arg {arg}} {?has/have} no
         finite {transform}.",
    i = "Use {.code transform = \"identity\"}.", arg = "transform", rows = bad
  )
}

# Whole files ------------------------------------------------------------------

#' @param sets (`synthetic_data`) Of whole files.
#' @param asked (list) See variable_case().
#' @param given (named list) Other arguments of utility(), as they were given.
#' @return (`file_utility`) See utility().
#' @noRd
file_utility <- function(sets, data, asked, given) {
  given <- names(Filter(Negate(is.null), given))
  refuse_if(
    length(given) > 0,
    "{.arg {given}} {?does/do} not apply to sets of whole files.",
    i = "Tables of all pairs of columns are compared. For one column give data
         frames: {.code utility(as.list(sets), data, \"income\")}.",
    arg = given[1]
  )
  case <- file_case(sets, data, asked)
  found <- judgement(case, utility_measures())
  new_utility("file_utility", case, found,
    columns = names(case$columns), types = types_of(sets$codebook),
    remarks = remarks_of_files(
      sets, case$data, means_beside(sets, case$data, case$survey_weights)
    ), records = c(nrow(case$data), sets$n_records)
  )
}

#' What measures of utility take of sets of whole files
#' @return (list) As variable_case(), without what is of one variable alone, and
#'   `published` (character), `unit` (string or `NULL`: what numbers
#'   households), `waves` (the same of the column of waves).
#' @noRd
file_case <- function(sets, data, asked = list()) {
  names <- names(sets$sets[[1]])
  check_columns(names, data, "data")
  if (!is.null(sets$unit)) check_homes(data, sets$unit)
  names <- setdiff(names, sets$unit)
  data <- as.data.frame(data)
  frames <- in_file_order(
    lapply(sets$sets, without_labels), data, sets$columns$name
  )
  asked["survey_weights"] <- list(asked$survey_weights %||% sets$survey_weights)
  check_survey_weights(data, asked$survey_weights, "data", NULL)
  for (set in frames) {
    check_survey_weights(set, asked$survey_weights, "synthetic", NULL)
  }
  columns <- file_levels(sets$codebook, frames, quantile_steps)[names]
  specs <- column_specs(sets$codebook)
  c(asked, list(
    data = data, sets = frames, weights = weights_under(asked$survey_weights),
    columns = lapply(columns, function(column) {
      c(column, list(codes = function(x) level_codes(x, column)))
    }),
    parts = function(name, both) propensity_parts(specs[[name]], both[[name]]),
    alike = function(data) as_kinds_have(data[names], specs),
    published = setdiff(names, sets$columns$name), unit = sets$unit,
    waves = sets$waves
  ))
}

#' @noRd
check_homes <- function(data, unit) {
  unnamed <- which(is.na(data[[unit]]))
  refuse_if(
    length(unnamed) > 0, "Every member must belong to a household.",
    x = "{.val {unit}} is missing for {length(unnamed)} record{?s}.",
    arg = "data", rows = unnamed
  )
}

# Printing ---------------------------------------------------------------------

print_lines.utility <- function(x) {
  c(
    utility_headline(x),
    paste0("  ", unlist(lapply(utility_shown(x), format_table))),
    wrap_line(utility_notes(x)), paste0("  ", confidential_line())
  )
}

utility_headline <- function(x) {
  sprintf(
    "Utility of synthetic %s, mean over %s%s", x$variable,
    counted(nrow(x$table), "set"),
    if (is.null(x$survey_weights)) "" else ", with survey weights"
  )
}

fresh_header <- "ratio to fresh sample"

#' Figures beside those of a fresh sample, models, and statistics beside the
#' file's
#' @noRd
utility_shown <- function(x) {
  statistics <- mean_statistics(x$statistics)
  heaps <- grepl("^multiples", statistics$statistic)
  # Nobody rounded: nothing to show
  if (!any(statistics$file[heaps] >= 0.2)) statistics <- statistics[!heaps, ]
  shown <- data.frame(
    statistic = ifelse(
      is.na(statistics$level), statistics$statistic, statistics$level
    ),
    file = statistics$file, synthetic = statistics$value,
    smallest = statistics$smallest, largest = statistics$largest,
    fresh = statistics$ratio
  )
  names(shown)[6] <- fresh_header
  # The mean, the smallest and the largest of one set are the same
  if (nrow(x$table) == 1) shown <- shown[-(4:5)]
  c(
    list(data.frame(
      figure = names(x$overall), synthetic = x$overall,
      "fresh sample" = x$fresh,
      row.names = NULL, check.names = FALSE
    )),
    if (!is.null(x$models)) list(model_table(x$models)), list(shown)
  )
}

#' Sets of another size than the file
#' @noRd
utility_notes <- function(x) {
  c(
    if (any(x$records[-1] != x$records[1])) {
      sprintf(
        "Records: %s in the file, %s in a set.", format_count(x$records[1]),
        paste(unique(format_count(range(x$records[-1]))), collapse = " to ")
      )
    },
    x$remarks
  )
}

print_lines.file_utility <- function(x) {
  c(
    sprintf(
      "Utility of synthetic files, mean over %s",
      counted(nrow(x$table), "set")
    ),
    table_lines(x), if (!is.null(x$households)) household_lines(x),
    propensity_lines(x$propensity),
    if (!is.null(x$models)) paste0("  ", format_table(model_table(x$models))),
    statistic_lines(x), wrap_line(x$remarks),
    sprintf(
      "  Records: %s in the file, %s in a set", format_count(x$records[1]),
      format_count(x$records[2])
    ),
    paste0("  ", confidential_line())
  )
}

table_lines <- function(x) {
  mean <- x$overall
  pairs <- x$pairs[!is.na(x$pairs$second), ]
  worst <- mean_pairs(pairs)
  worst <- utils::head(worst[order(-worst$ratio), ], 5)
  shown <- data.frame(
    tables = c("of one column", "of two columns"),
    distance = mean[c("one_way", "two_way")],
    fresh = mean[c("one_way_ratio", "two_way_ratio")],
    "pMSE, ratio" = mean[c("one_way_pmse_ratio", "two_way_pmse_ratio")],
    check.names = FALSE
  )
  named <- data.frame(
    pair = paste(worst$first, worst$second, sep = " x "),
    distance = worst$distance, fresh = worst$ratio,
    "pMSE, ratio" = worst$pmse_ratio, check.names = FALSE
  )
  names(shown)[3] <- names(named)[3] <- fresh_header
  c(
    paste0("  ", format_table(shown)),
    if (nrow(named) > 0) {
      c("  The pairs that are farthest off:", paste0("  ", format_table(named)))
    },
    wrap_line(paste(
      "Distances are total variation distances from the tables of the file. A",
      "fresh sample of the file, as large as a set, has a ratio of 1."
    ))
  )
}

#' What households, or panels, are like beside the file's
#' @noRd
household_lines <- function(x) {
  kinds <- household_kinds(x$households)
  panel <- "transitions" %in% names(kinds)
  shown <- data.frame(
    households = unname(kinds), distance = x$overall[names(kinds)],
    fresh = x$overall[paste0(names(kinds), "_ratio")]
  )
  if (panel) names(shown)[1] <- "waves"
  worst <- mean_households(x$households)
  worst <- utils::head(worst[order(-worst$ratio), ], 5)
  named <- data.frame(
    table = worst$table, distance = worst$distance, fresh = worst$ratio
  )
  names(shown)[3] <- names(named)[3] <- fresh_header
  whose <- if (panel) "persons" else "households"
  c(
    paste0("  ", format_table(shown[!is.na(shown$distance), ])),
    sprintf("  The tables of %s that are farthest off:", whose),
    paste0("  ", format_table(named)),
    wrap_line(paste0(
      "Fresh samples, of tables above, too, are samples of ", whose, "."
    ))
  )
}

#' @param x (data frame or `NULL`)
#' @noRd
propensity_lines <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  shown <- do.call(rbind, lapply(split(x, x$method), function(one) {
    data.frame(
      propensity = c(logit = "logistic regression", cart = "trees")[[
        one$method[1]
      ]],
      pMSE = mean(one$pmse), "by chance 1" = mean(one$pmse_ratio),
      check.names = FALSE
    )
  }))
  paste0("  ", format_table(shown))
}

model_table <- function(x) {
  shown <- do.call(rbind, lapply(unique(x$model), function(model) {
    one <- x[x$model == model, ]
    data.frame(
      model = paste0(
        substr(model, 1, 30), if (nchar(model) > 30) "..."
      ),
      overlap = mean(one$overlap), "std. difference" = mean(one$std_difference),
      R2 = mean(one$r_squared), "of the file" = one$r_squared_file[1],
      check.names = FALSE
    )
  }))
  # Logistic regressions have none
  if (all(is.na(shown$R2))) shown[1:3] else shown
}

#' The statistics that are farthest off, and means of all amounts
#' @noRd
statistic_lines <- function(x) {
  found <- mean_statistics(x$statistics)
  shown <- found[found$statistic %in% "mean", ]
  far <- found[!found$statistic %in% "mean" & !is.na(found$ratio), ]
  shown <- rbind(shown, utils::head(far[order(-far$ratio), ], 5))
  if (nrow(shown) == 0) {
    return(NULL)
  }
  shown <- data.frame(
    column = shown$column,
    statistic = ifelse(
      is.na(shown$level), shown$statistic, paste(shown$statistic, shown$level)
    ),
    file = shown$file, sets = shown$value, fresh = shown$ratio
  )
  names(shown)[5] <- fresh_header
  spread <- shown$statistic %in% c("sd", "total")
  shown[3:4] <- as_column_shows(
    shown[3:4], ifelse(spread, "amount", x$types[shown$column])
  )
  c(
    sprintf(
      "  Means, and the statistics that are farthest off%s:",
      if (is.null(x$survey_weights)) "" else ", with survey weights"
    ),
    paste0("  ", format_table(shown))
  )
}
