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
#' @param regression (formula or `NULL`) A linear model, such as
#'   `log(income) ~ age + earner`. It is fitted to the file and to each set by
#'   least squares; R2 and the overlap of the 95% intervals of the coefficients
#'   are compared. `.` stands for all other columns that the file and all sets
#'   have. For whole files it may also be a list of formulas, preferably named,
#'   and a response with two levels gets a logistic regression. `NULL`, the
#'   default: none.
#' @param transform (string) Scale of the group means: `"identity"`, `"log"`,
#'   `"log1p"` or `"sqrt"`. Default: the modelled scale of `synthetic` if it
#'   is one of these.
#' @param pmse (`FALSE`, `TRUE` or string) Compute the propensity mean squared
#'   error? The propensity model separates the records of the file from those of
#'   the set by `variable` and all other common columns. `"logit"` (same as
#'   `TRUE`): a logistic regression on the rank of `variable`, its square, and
#'   the interactions of both with each other column. `"cart"`: a classification
#'   tree whose leaves hold at least 5% of all records; slower, needs the
#'   package rpart, and also finds nonlinear differences. Default `FALSE`. For
#'   whole files it may be both, `c("logit", "cart")`; the section on whole
#'   files describes their models.
#' @param survey_weights (string or `NULL`) A column of survey weights in the
#'   file and the sets, as in [resample_statistics()]. Distribution functions,
#'   group means, the linear model and the statistics are weighted by it; the
#'   propensity error is not. Intervals are those of weighted least squares and
#'   ignore the survey design. `NULL`, the default: no weights, or, for whole
#'   files, the weights of the plan, if it states any.
#' @param ... Must be empty.
#'
#' @return For sets of one variable a `utility`; for sets of whole files a
#'   `file_utility`, whose elements are in the section *Whole files*. A
#'   `utility` is a list with `table`, a data frame with one row per set and the
#'   columns
#'   * `set`;
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
#'     2006), if `regression` is given;
#'   * `pmse`, `pmse_ratio`, if `pmse` is given: the error, and the error
#'     divided by its value under chance alone. The ratio is about 1 for a
#'     resample of the file and up to about 2 for a new sample from the same
#'     population. If the other columns of file and set agree, as published
#'     predictors do, the value under chance counts only chance in `variable`. A
#'     copy of the file has ratio 0. For `"cart"` the value under chance is
#'     measured by permuting the labels 20 times, with R's random numbers;
#'
#'   and the elements
#'   * `statistics` (data frame): mean, standard deviation, total and quantiles
#'     of the file and of each set; for categories the share of each level;
#'   * `heaping` (data frame, numbers only): share of nonzero values that are
#'     multiples of 10, 100 and 1,000;
#'   * `remarks` (character or `NULL`, numbers only): warnings that `print()`
#'     shows: a mean that is off by 5% or two standard errors; a standard
#'     deviation that is off by a third and by more than chance explains, or by
#'     a factor of 2; values of a sign or in a range that the file does not
#'     have; a value that 5% of the file's records share, or a rounding of the
#'     file's values, that is less than half as frequent in the sets;
#'   * `confidential`: the file's own `r_squared`; `records`: number of records
#'     of the file and of each set; `variable`, `groups`, `survey_weights`: as
#'     given.
#'
#'   `summary()` gives means over the sets and, for the statistics, the smallest
#'   and the largest value. All of this is confidential, because it is computed
#'   from the file.
#' @section Whole files:
#' For sets of whole files, the arguments are `data`, `regression`, `pmse` and
#' `survey_weights`. Each figure is compared with the file's and, where that has
#' a meaning, with a fresh sample: as many records as a set has, drawn from the
#' file with replacement. A ratio of 1 is as good as a fresh sample; with a
#' ratio below 1 the set is nearer to the file than a fresh sample. The result
#' is a `file_utility`. It is confidential and has
#' * `table`: for each `set` the mean total variation distance of the tables of
#'   one column (`one_way`) and of two (`two_way`); both divided by the mean
#'   expected distance of a fresh sample (`one_way_ratio`, `two_way_ratio`); and
#'   the mean `pmse_ratio` of these tables (`one_way_pmse_ratio`,
#'   `two_way_pmse_ratio`);
#' * `pairs`: for each set and table `first`, `second` (`NA` for a table of one
#'   column), `distance` (0 to 1; synthpop's SPECKS of the table, or half its
#'   MabsDD), `fresh` (the exact expected distance of a fresh sample), `pmse`
#'   and `pmse_ratio` (synthpop's pMSE and S_pMSE: the propensity error of a
#'   model with a parameter for each cell, and that error divided by its
#'   expectation by chance). Categories have the codebook's levels, and missing
#'   is a level. Amounts are cut into ten bins that have equal shares of the
#'   sets' values; zero, codes and missing are levels of their own. Tables count
#'   records, without survey weights;
#' * `statistics`: for each `set` and `column` the `statistic`, its `value` in
#'   the set and in the `file`, `fresh` (the mean absolute difference between a
#'   fresh sample and the file) and `ratio`, the absolute difference divided by
#'   `fresh` (`NA` where that is 0). A statistic is the `"share"` of a `level`;
#'   for amounts also `"mean"`, `"sd"`, `"total"`, quantiles `"5%"` to `"99%"`,
#'   and the share of values other than 0 that are `"multiples of"` 10, 100 and
#'   1,000. Missing values, and codes beyond the bounds such as -8 for no
#'   answer, are not amounts. Statistics are weighted by the survey weights.
#'   Without survey weights, the total of a set is scaled to the number of
#'   records of the file;
#' * `models` (with `regression`): for each `set` and `model` the mean `overlap`
#'   of the 95% intervals, the mean absolute `std_difference`, `r_squared` and
#'   `r_squared_file`. `coefficients`: for each `term` that both fits have
#'   `estimate`, `std.error`, `conf.low`, `conf.high` of the set, the same of
#'   the file (`file`, `file_std.error`, `file_low`, `file_high`), `overlap` (0
#'   to 1; each interval with its own standard error, unlike synthpop's) and
#'   `std_difference`, the difference in standard errors of the file's estimate
#'   (synthpop's). In a fresh sample as large as the file, `std_difference` is
#'   0.8 on average in absolute value. A model treats codes of amounts as
#'   numbers. If the codes are not quantities, remove them from the columns that
#'   the formula uses;
#' * `propensity` (with `pmse`): for each `set` and `method` `pmse`,
#'   `pmse_ratio` (divided by its expectation by chance), `parameters` and
#'   `levels` of the logistic regression, and `records` of the file that were
#'   used. `"logit"` has main effects and all interactions of two columns, like
#'   synthpop's `utility.gen()` with `maxorder = 1`. Amounts enter by their rank
#'   and its square, and their parts as levels. If this model has more than 400
#'   parameters, the rarer levels of each category are joined, so that at most
#'   `levels` are left per category. If even two levels per category are too
#'   many, the model has main effects only. If a set is as large as the file and
#'   no column is published, the ratio is at most 4 times the number of records
#'   per parameter, so with few records it says little. `"cart"` is a tree as
#'   `utility.gen()` grows it; the value under chance is measured by permuting
#'   the labels 20 times. If the file or a set has more than 10,000 records,
#'   10,000 of them are drawn with R's random numbers. The ratio is then the one
#'   for files of this size. If columns are published, the value under chance
#'   counts only chance in the other columns;
#' * `overall` (named numbers): means over sets of the columns of `table`, of
#'   `overlap` and `std_difference`, and of `pmse_ratio` by method;
#' * `columns`; `records` of the file and of a set; `survey_weights` (string or
#'   `NULL`).
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
  check_string(survey_weights, null = TRUE)
  data <- confidential_file(data, synthetic)
  if (are_files(synthetic)) {
    return(file_utility(
      synthetic, data, check_pmse(pmse, 2), check_models(regression),
      survey_weights,
      list(variable = variable, groups = groups, transform = transform)
    ))
  }
  pmse <- check_pmse(pmse)
  sets <- release_sets(synthetic, data, variable)
  variable <- synthetic_variable(synthetic, variable)
  check_columns(variable, data, "data")
  check_survey_weights(data, survey_weights, "data", variable)
  check_groups(groups, names(data), variable)
  for (group in groups) check_finite_column(data[[group]], group)
  if (is.null(transform)) {
    own <- release_transform(synthetic)
    transform <- if (own %in% utility_scales) own else "identity"
  }
  transform <- check_choice(transform, utility_scales)
  if (!is.null(groups)) check_scale(data[[variable]], transform, "data")
  for (set in sets) {
    check_data_frame(set, arg = "synthetic")
    check_columns(c(variable, groups), set, "synthetic")
    check_same_kind(data[[variable]], set[[variable]], variable)
    check_survey_weights(set, survey_weights, "synthetic", variable)
    if (!is.null(groups)) check_scale(set[[variable]], transform, "synthetic")
  }
  if (!is.null(regression)) {
    check_formula(regression)
    regression <- without_dot(
      regression, Reduce(intersect, lapply(sets, names), names(data)),
      names(data)
    )
    for (file in c(list(data), sets)) {
      check_columns(all.vars(regression), file, "data")
    }
  }
  levels <- category_levels(data, sets, variable)
  # Two levels have an order, and so a distribution function; more have shares
  shares_alone <- length(levels) > 2
  refuse_if(
    shares_alone && !is.null(pmse),
    "{.arg pmse} must be {.code FALSE} for a variable of more than two levels.",
    x = "It ranks the values of {.val {variable}}, and levels have no order.",
    i = "Name {.arg groups} instead: their two-way tables are compared.",
    arg = "pmse"
  )
  values_of <- function(file, arg) {
    if (shares_alone) {
      return(factor(as.character(file[[variable]]), levels))
    }
    response_values(file, variable, levels, arg = arg)
  }
  y <- values_of(data, "data")
  values <- lapply(sets, values_of, "synthetic")
  weights <- lapply(c(list(data), sets), function(file) {
    if (!is.null(survey_weights)) as.double(file[[survey_weights]])
  })
  v <- weights[[1]]
  modelled <- coded_alike(c(list(data), sets), all.vars(regression))
  truth <- if (!is.null(regression)) {
    regression_of(regression, modelled[[1]], weights = survey_weights)
  }
  rows <- lapply(seq_along(sets), function(j) {
    set <- sets[[j]]
    z <- values[[j]]
    w <- weights[[j + 1]]
    row <- if (shares_alone) {
      data.frame(set = j, shares = share_error(list(y), list(z), v, w))
    } else {
      data.frame(set = j, ecdf_distance(y, z, v, w))
    }
    if (is.null(levels)) row <- cbind(row, statistic_ratios(y, z, v, w))
    if (!is.null(groups)) {
      row$groups <- mean(vapply(groups, function(group) {
        g <- data[[group]]
        h <- set[[group]]
        if (shares_alone) {
          share_error(list(g, y), list(h, z), v, w)
        } else {
          group_error(g, y, h, z, transform, v, w)
        }
      }, 0))
    }
    if (!is.null(regression)) {
      found <- regression_of(
        regression, modelled[[j + 1]], sprintf("set %d", j), survey_weights
      )
      row$r_squared <- found$r_squared
      row$overlap <- interval_overlap(truth, found)
    }
    if (!is.null(pmse)) {
      row[c("pmse", "pmse_ratio")] <- propensity_error(
        data, set, variable, pmse
      )
    }
    row
  })
  of_each <- function(measure) {
    cbind(
      release = c("file", paste("set", seq_along(sets))),
      do.call(rbind, Map(measure, c(list(y), values), weights))
    )
  }
  heaping <- if (is.null(levels)) of_each(heaping_of)
  new_result(
    "utility",
    table = do.call(rbind, rows),
    statistics = of_each(
      if (is.null(levels)) plain_statistics else shares_by_name(levels)
    ),
    heaping = heaping,
    remarks = if (is.null(levels)) {
      # Survey weights: what is weighted is not compared with what is not
      c(if (is.null(v)) remarks_of_values(y, values), heaping_remark(heaping))
    },
    variable = variable, groups = groups, survey_weights = survey_weights,
    records = c(nrow(data), vapply(sets, nrow, 0L)),
    confidential = list(r_squared = truth$r_squared)
  )
}

#' What a reader of the file would look up first
#' @noRd
plain_statistics <- function(y, w = NULL) {
  y <- as.double(y)
  quantiles <- weighted_quantile(y, w, shown_quantiles)
  data.frame(
    mean = weighted_mean(y, w), sd = weighted_sd(y, w),
    total = weighted_total(y, w),
    as.list(stats::setNames(quantiles, names(shown_quantiles))),
    max = max(y), check.names = FALSE
  )
}

# What a distribution function does not show: a few far values move them
ratio_columns <- c(
  mean_ratio = "mean", sd_ratio = "sd", total_ratio = "total",
  q90_ratio = "90%", q95_ratio = "95%", q99_ratio = "99%"
)

#' A set's statistics as multiples of the file's; none of a statistic that is 0
#' @noRd
statistic_ratios <- function(y, z, v = NULL, w = NULL) {
  file <- plain_statistics(y, v)[ratio_columns]
  ratio <- unlist(plain_statistics(z, w)[ratio_columns]) / unlist(file)
  ratio[!is.finite(ratio)] <- NA
  as.data.frame(as.list(stats::setNames(ratio, names(ratio_columns))))
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

#' Largest and mean squared difference of two empirical distribution functions
#' @param v,w (numeric or `NULL`) Survey weights of `y` and of `z`.
#' @noRd
ecdf_distance <- function(y, z, v = NULL, w = NULL) {
  points <- c(y, z)
  difference <- weighted_ecdf(y, v, points) - weighted_ecdf(z, w, points)
  list(ecdf_max = max(abs(difference)), ecdf_mean_squared = mean(difference^2))
}

#' Mean absolute difference of group means, weighted by confidential size
#' @param v,w (numeric or `NULL`) Survey weights of `y` and of `z`.
#' @noRd
group_error <- function(g, y, h, z, transform, v = NULL, w = NULL) {
  forward <- match.fun(transform)
  v <- v %||% rep(1, length(y))
  w <- w %||% rep(1, length(z))
  total <- function(x, by) {
    sums <- rowsum(x, as_text(by), reorder = FALSE)
    stats::setNames(as.vector(sums), rownames(sums))
  }
  size <- total(v, g)
  truth <- total(v * forward(y), g) / size
  found <- (total(w * forward(z), h) / total(w, h))[names(size)]
  # A group without weight has no mean
  there <- size > 0 & is.finite(found)
  stats::weighted.mean(abs(found - truth)[there], size[there])
}

#' @export
summary.utility <- function(object, ...) {
  kept <- c(
    "records", "variable", "survey_weights", "confidential", "heaping",
    "remarks"
  )
  means <- colMeans(object$table[setdiff(names(object$table), "set")])
  do.call(new_result, c("summary_utility", list(
    means = means, statistics = over_sets(object$statistics),
    n_sets = nrow(object$table)
  ), unclass(object)[kept]))
}

#' The file's statistics beside the sets' mean and range, one row each
#' @noRd
over_sets <- function(statistics) {
  values <- t(as.matrix(statistics[-1]))
  sets <- values[, -1, drop = FALSE]
  data.frame(
    statistic = rownames(values), file = values[, 1],
    synthetic = rowMeans(sets), smallest = apply(sets, 1, min),
    largest = apply(sets, 1, max), row.names = NULL
  )
}

utility_headline <- function(x) {
  sprintf(
    "Utility of synthetic %s, mean over %s%s", x$variable,
    counted(x$n_sets, "set"),
    if (is.null(x$survey_weights)) "" else ", with survey weights"
  )
}

#' Sets of another size than the file have other totals, whatever their values
#' @noRd
records_note <- function(records) {
  sizes <- unique(records[-1])
  text_if(
    any(sizes != records[1]),
    "Records: %s in the file, %s in a set. Totals are not comparable.",
    format_count(records[1]),
    paste(unique(format_count(range(sizes))), collapse = " to ")
  )
}

#' The two tables of a summary: distances, and statistics beside the file's
#' @noRd
utility_shown <- function(x) {
  # The mean, the smallest and the largest of one set are the same
  narrow <- function(table) if (x$n_sets == 1) table[1:3] else table
  measures <- setdiff(names(x$means), names(ratio_columns))
  ratios <- intersect(names(ratio_columns), names(x$means))
  c(
    list(as.data.frame(as.list(x$means[measures]))),
    if (length(ratios) > 0) {
      list(data.frame(
        "set / file" = "ratio", as.list(stats::setNames(
          x$means[ratios], ratio_columns[ratios]
        )), check.names = FALSE
      ))
    },
    list(narrow(x$statistics)),
    # Nobody rounded: nothing to show
    if (!is.null(x$heaping) && any(x$heaping[1, -1] >= 0.2)) {
      heaping <- over_sets(x$heaping)
      names(heaping)[1] <- "share at multiples of"
      list(narrow(heaping))
    }
  )
}

print_lines.summary_utility <- function(x) {
  c(
    utility_headline(x),
    paste0("  ", unlist(lapply(utility_shown(x), format_table))),
    if (!is.null(x$confidential$r_squared)) {
      sprintf("  R2 of the file %s", format_figure(x$confidential$r_squared))
    },
    paste0("  ", records_note(x$records), recycle0 = TRUE),
    wrap_line(x$remarks), paste0("  ", confidential_line())
  )
}

print_lines.utility <- function(x) print_lines(summary(x))

# Utility of categories, and of values at round numbers.

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

#' Total variation distance of two tables of shares: half the sum of the
#' absolute differences of all cells
#' @param a,b (list) The variables that are crossed, of the file and the set.
#' @param v,w (numeric or `NULL`) Survey weights of `a` and of `b`.
#' @noRd
share_error <- function(a, b, v = NULL, w = NULL) {
  n <- length(a[[1]])
  code <- pattern_code(
    Map(function(a, b) c(as.character(a), as.character(b)), a, b),
    n + length(b[[1]])
  )
  cells <- max(code)
  shares <- function(code, w) shares_of_codes(code, cells, w)
  sum(abs(shares(code[seq_len(n)], v) - shares(code[-seq_len(n)], w))) / 2
}

#' @param code (integer) 1 to `n`; `w` the weights, `NULL` where there are none.
#' @noRd
shares_of_codes <- function(code, n, w) {
  size <- if (is.null(w)) tabulate(code, n) else numeric(n)
  if (!is.null(w)) size[unique(code)] <- rowsum(w, code, reorder = FALSE)
  size / sum(size)
}

#' A function that gives the share of each level by its name
#' @noRd
shares_by_name <- function(levels) {
  force(levels)
  function(y, w = NULL) {
    # Two levels are measured as 0 and 1 and shown by name
    if (is.numeric(y)) y <- factor(levels[y + 1], levels)
    shares <- shares_of_codes(as.integer(y), length(levels), w)
    as.data.frame(as.list(stats::setNames(shares, levels)), optional = TRUE)
  }
}

#' What people rounded and sets did not
#'
#' A fifth of the values at a multiple is more than whole numbers have by
#' chance; half of it lost is more than chance takes away.
#' @param heaping (data frame) Of the file and of the sets.
#' @return (string or `NULL`)
#' @noRd
heaping_remark <- function(heaping) {
  file <- unlist(heaping[1, -1])
  sets <- colMeans(heaping[-1, -1, drop = FALSE])
  lost <- which(file >= 0.2 & sets < file / 2)
  # The step that lost most
  worst <- lost[which.max((file - sets)[lost])]
  text_if(
    length(worst) > 0,
    unwrapped("Heaping is lost: %s of the file's values are multiples of %s,
       but only %s of the values in sets."),
    format_share(file[worst]), names(heaping_steps)[worst],
    format_share(sets[worst])
  )
}
