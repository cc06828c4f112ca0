#' Compare statistics of file and sets with their resampling error
#'
#' Resamples the file and each set with replacement, computes the statistics
#' each time and compares their distributions, as in the figures of the papers.
#' A difference matters only if it exceeds chance. The distributions of the m
#' sets are combined by their Wasserstein barycentre, the mean of their quantile
#' functions.
#'
#' @param synthetic ([`synthetic_data`][synthetic_data], data frame, list of
#'   data frames, a `pseudo_posterior`, or a named list of any of these) The
#'   release, or several releases by name.
#' @param data (data frame or `NULL`) The confidential file. `NULL`, the
#'   default, takes the file of the first `pseudo_posterior`.
#' @param statistics (character, function or named list of these) Statistics to
#'   compute: `"mean"`, `"median"`, `"sd"`, `"total"` or a quantile such as
#'   `"90%"` of the variable, or functions of a data frame that return numbers,
#'   such as `function(d) coef(lm(log(income) ~ age, d))`. Default: mean, median
#'   and 90% quantile, as in the papers.
#' @param variable (string or `NULL`) The column to compare. `NULL`, the
#'   default: the synthetic column of `synthetic`.
#' @param replicates (count) Number of resamples of the file and of each set.
#'   Default 500.
#' @param survey_weights (string or `NULL`) A column of survey weights in the
#'   file and the sets. All statistics except functions are weighted by it. The
#'   sets have this column if it is a predictor of the model. `NULL`, the
#'   default: no weights.
#' @param level (number in (0, 1)) Level of the intervals. Default 0.95.
#' @param ... Not used.
#'
#' @return A `resampled_statistics`: a list with
#'   * `table`: a data frame with a row for each statistic and release:
#'     `statistic`, `release` (`"confidential"` or the release's name),
#'     `estimate` (from the file itself, or the mean over the sets), `low` and
#'     `high` (of the resampling distribution), `overlap` (of the intervals of
#'     file and release, 0 to 1; Karr and others 2006) and `distance`
#'     (Wasserstein distance of the two distributions, in the statistic's unit);
#'   * `draws`: a data frame with the `replicates` values of each statistic and
#'     release, sorted;
#'   * `variable`, `replicates`, `level`.
#'
#'   All of it is confidential. `plot()` shows violins. Resampling uses R's
#'   random numbers: call `set.seed()` first to get the same result again.
#' @section Error types:
#' `pseudosynth_error_input`: missing columns; a statistic that fails, that
#' returns no number, that returns other named numbers for a set than for the
#' file, or that has the same name as another statistic.
#' @references Savitsky, Hu and Williams, Re-weighting of vector-weighted
#' mechanisms, section 3 and its figures. Srivastava, Li and Dunson (2018),
#' Scalable Bayes via barycenter in Wasserstein space.
#' @seealso [utility()], [pool()]
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' found <- resample_statistics(
#'   synthesize(fit, m = 3), ce,
#'   statistics = list("median", earner = function(d) {
#'     coef(lm(log(income) ~ earner, d))[2]
#'   }),
#'   replicates = 100
#' )
#' found
#' autoplot(found)
#' @export
resample_statistics <- function(synthetic, data = NULL,
                                statistics = c("mean", "median", "90%"),
                                variable = NULL, replicates = 500,
                                survey_weights = NULL, level = 0.95, ...) {
  check_present(synthetic)
  check_no_dots(..., hint = "See {.fn resample_statistics}.")
  replicates <- check_argument(replicates, min = 2)
  level <- check_argument(level)
  check_argument(survey_weights)
  releases <- named_release_list(synthetic)
  data <- confidential_file(data, releases)
  sets <- lapply(releases, release_sets, data, variable)
  variable <- synthetic_variable(releases[[1]], variable)
  check_columns(variable, data, "data")
  check_survey_weights(data, survey_weights, "data", variable)
  for (set in unlist(sets, recursive = FALSE)) {
    check_columns(variable, set, "synthetic")
    check_survey_weights(set, survey_weights, "synthetic", variable)
  }
  measure <- measure_of(statistics, variable, survey_weights)
  file <- resampled(data, measure, replicates, "the file")
  names <- names(file$estimate)
  rows <- list(statistic_rows(file, file, "confidential", level))
  draws <- list(statistic_draws(file, "confidential"))
  for (name in names(sets)) {
    each <- lapply(seq_along(sets[[name]]), function(j) {
      where <- paste("set", j, "of", name)
      resampled(sets[[name]][[j]], measure, replicates, where, names)
    })
    mixed <- barycentre(each)
    rows <- c(rows, list(statistic_rows(mixed, file, name, level)))
    draws <- c(draws, list(statistic_draws(mixed, name)))
  }
  table <- do.call(rbind, rows)
  table <- table[order(match(table$statistic, names)), ]
  rownames(table) <- NULL
  new_result(
    "resampled_statistics",
    table = table, draws = do.call(rbind, draws), variable = variable,
    replicates = replicates, level = level
  )
}

# Releases ---------------------------------------------------------------------

#' One release or several, with names
#' @noRd
named_release_list <- function(synthetic) {
  check_drawn(synthetic)
  single <- inherits(synthetic, c("synthetic_data", "pseudo_posterior")) ||
    is.data.frame(synthetic) || is_frame_list(synthetic)
  if (single) {
    return(list(synthetic = synthetic))
  }
  names <- names(synthetic) %||% ""
  refuse_if(
    !is.list(synthetic) || length(synthetic) == 0 || any(names == "") ||
      anyDuplicated(names) > 0 || "confidential" %in% names,
    "{.arg synthetic} must be synthetic data, a job, or a list of these with
     distinct names other than {.val confidential}.",
    x = "It is {describe_type(synthetic)}.",
    i = "For instance {.code list(LW = a, strict = b)}.", arg = "synthetic"
  )
  synthetic
}

is_frame_list <- function(x) {
  is.list(x) && length(x) > 0 && is.null(names(x)) &&
    all(vapply(x, is.data.frame, NA))
}

# Statistics -------------------------------------------------------------------

#' One function of a data frame from what the user asked for
#' @return (function of a data frame and what it is, in words) Named numbers.
#' @noRd
measure_of <- function(statistics, variable, survey_weights) {
  if (is.function(statistics)) statistics <- list(statistics)
  parts <- as.list(statistics)
  refuse_if(
    length(parts) == 0, "{.arg statistics} must name at least one statistic.",
    arg = "statistics"
  )
  parts <- Map(function(part, name) {
    own <- is.function(part)
    if (name == "") name <- if (own) "statistic" else part
    list(name = name, f = if (own) {
      part
    } else {
      plain_statistic(part, variable, survey_weights, length(parts) <= 10)
    })
  }, parts, rlang::names2(parts))
  function(data, where) {
    numbers <- unlist(lapply(unname(parts), function(part) {
      value <- statistic_value(part, data, where)
      stats::setNames(as.double(value), if (length(value) > 1) {
        names(value) %||% paste(part$name, seq_along(value))
      } else {
        part$name
      })
    }))
    # Under one name two statistics would be taken for one
    twice <- unique(names(numbers)[duplicated(names(numbers))])
    refuse_if(
      length(twice) > 0, "Every statistic must have a name of its own.",
      x = "{.val {twice}} {?appears/appear} more than once.",
      i = "For instance {.code list(center = \"median\", top = \"90%\")}.",
      arg = "statistics"
    )
    numbers[!is.na(numbers)]
  }
}

#' What one statistic gives, or an error that says where it gives none
#' @noRd
statistic_value <- function(part, data, where) {
  # A warning of another's function may show values, too
  value <- tryCatch(suppressWarnings(part$f(data)), error = function(e) {
    if (inherits(e, "pseudosynth_error")) stop(e)
    # The message of another's function may show values of the file
    abort_input(
      "Statistic {.val {part$name}} failed on {where}.",
      x = "It raised an error of class {.cls {class(e)[1]}}.",
      i = "Test it on a small data frame.", arg = "statistics"
    )
  })
  refuse_if(
    !is.numeric(value) || length(value) == 0,
    "A statistic must return numbers.", arg = "statistics",
    x = "{.val {part$name}} returns {describe_type(value)} on {where}."
  )
  value
}

#' @param shown (flag) May a word that is not known be told? It may be a value
#'   of a vector that was given by mistake.
#' @noRd
plain_statistic <- function(what, variable, survey_weights, shown) {
  quantile <- "^([0-9]+([.][0-9]+)?)%$"
  word <- is.character(what) && length(what) == 1
  plain <- if (word) {
    list(mean = weighted_mean, total = weighted_total, sd = weighted_sd)[[what]]
  }
  share <- if (word && what %in% "median") {
    0.5
  } else if (word && grepl(quantile, what)) {
    as.numeric(sub("%", "", what, fixed = TRUE)) / 100
  }
  refuse_if(
    is.null(plain) && !isTRUE(share <= 1),
    "{.arg statistics} must be {.val mean}, {.val median}, {.val sd}, {.val
     total}, a quantile such as {.val 90%}, or functions of a data frame.",
    x = if (shown && word) {
      "It contains {.val {what}}."
    } else {
      "It contains {describe_type(what)}."
    },
    arg = "statistics"
  )
  function(data) {
    y <- response_values(data, variable)
    w <- if (!is.null(survey_weights)) data[[survey_weights]]
    if (is.null(plain)) weighted_quantile(y, w, share) else plain(y, w)
  }
}

# Resampling -------------------------------------------------------------------

#' @param where (string) What `data` is, in words.
#' @return (list) `estimate` (named numeric), `draws` (matrix, a sorted column
#'   for each statistic).
#' @noRd
resampled <- function(data, measure, replicates, where, names = NULL) {
  estimate <- measure(data, where)
  refuse_if(
    length(estimate) == 0,
    "A statistic must return at least one number that is not missing.",
    arg = "statistics"
  )
  names <- names %||% names(estimate)
  refuse_if(
    !identical(names(estimate), names),
    "A statistic must return the same named numbers for every file.",
    x = "It returns {length(names)} for the file and {length(estimate)} for
         {where}, or their names differ.", arg = "statistics"
  )
  n <- nrow(data)
  data <- as.data.frame(data)
  draws <- matrix(NA_real_, replicates, length(names))
  for (r in seq_len(replicates)) {
    rows <- sample.int(n, n, replace = TRUE)
    value <- measure(data[rows, , drop = FALSE], paste("a resample of", where))
    # A resample may lack a level: its coefficient is then not there
    draws[r, ] <- value[names]
  }
  list(
    estimate = estimate,
    draws = vapply(seq_along(names), function(j) {
      x <- sort(draws[, j])
      if (length(x) == replicates) {
        return(x)
      }
      refuse_if(
        length(x) < replicates / 2,
        "Statistic {.val {names[j]}} is missing in more than half of the
         resamples of {where}.",
        arg = "statistics"
      )
      stats::quantile(x, stats::ppoints(replicates), names = FALSE)
    }, numeric(replicates))
  )
}

#' The mean of the quantile functions: sorted values, one by one
#' @noRd
barycentre <- function(each) {
  list(estimate = mean_over(each, "estimate"), draws = mean_over(each, "draws"))
}

statistic_draws <- function(x, release) {
  data.frame(
    statistic = rep(names(x$estimate), each = nrow(x$draws)),
    release = release, value = as.vector(x$draws)
  )
}

statistic_rows <- function(x, file, release, level) {
  ends <- c(1 - level, 1 + level) / 2
  interval <- function(y) t(apply(y$draws, 2, stats::quantile, ends))
  own <- interval(x)
  theirs <- interval(file)
  data.frame(
    statistic = names(x$estimate), release = release,
    estimate = unname(x$estimate), low = own[, 1], high = own[, 2],
    overlap = row_overlaps(own, theirs),
    distance = colMeans(abs(x$draws - file$draws)), row.names = NULL
  )
}

# Methods ----------------------------------------------------------------------

resampled_headline <- function(x) {
  sprintf(
    "Statistics of %s with %s%% intervals from %s resamples", x$variable,
    format(100 * x$level), format_count(x$replicates)
  )
}

print_lines.resampled_statistics <- function(x) {
  c(
    resampled_headline(x), paste0("  ", format_table(x$table)),
    paste0("  ", confidential_line())
  )
}
