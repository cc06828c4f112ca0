#' Check the claimed epsilon on simulated local databases
#'
#' Draws local databases and repeats the whole mechanism on each: unweighted
#' fit, weights, weighted fit, re-weighting with the same k. Database r gives an
#' epsilon of its own, \eqn{2\Delta_r}, which is compared with a stated
#' \eqn{\epsilon}. The papers compute \eqn{\epsilon = 2\Delta} on the
#' confidential file alone. The study shows how much \eqn{2\Delta_r} varies
#' between databases. It also shows the share of databases above the stated
#' \eqn{\epsilon}, which is the papers' \eqn{\delta}. With a study,
#' [guarantee()] gives the label `"probabilistic"`.
#'
#' @param fit (`synthesizer` or [external_fit()]) A converged fit with weights
#'   made from its file or, for comparison, without weights. The `refit` of a
#'   model fitted elsewhere must have an argument `data`.
#' @param epsilon (number > 0) The add-remove epsilon per parameter draw that
#'   you want to state. Choose it before you look at the study.
#' @param replicates (count) Number of local databases R, at most the number of
#'   draws of `fit`. Default 100, as in the papers. If no database exceeds
#'   epsilon, the share is at most about 3/R with 95% confidence.
#' @param generate (function or `NULL`) `function(r)` that returns local
#'   database r: a data frame with the response and the predictors, with any
#'   number of rows. `NULL`, the default, draws the response from `fit` for the
#'   predictors of the file, with another parameter draw for each database.
#' @param estimands (function or `NULL`) Function of a vector of responses that
#'   returns named numbers. It is computed on each local database and on one
#'   synthetic set of it. Default: mean, median, 15th and 90th percentile, as in
#'   the papers. The mean is left out if the model has none (Student's t of a
#'   logarithm). `NULL`: no estimands.
#' @param refit (function or `NULL`) `function(data)` that fits the model to a
#'   data frame. Needed for weights that cannot be remade from their arguments.
#'   Default `NULL`.
#' @param level (number in (0, 1)) Confidence level of the upper bound of the
#'   share. Default 0.95.
#' @param file (string or `NULL`) Where finished databases are saved, so that
#'   the same call continues an interrupted study and a call with more
#'   `replicates` extends it. Needs a `seed`. Objects that your functions use
#'   must not change in between. The file is confidential. `NULL`, the default:
#'   nothing is saved.
#' @param seed (count or `NULL`) For reproducible studies. It also sets R's own
#'   generator while `generate` and the other functions run. `NULL`, the
#'   default, takes the operating system's entropy.
#' @param ... Must be empty.
#'
#' @return A `replicate_study`: a list with
#'   * `table` (data frame): one row per database with `replicate`,
#'     `lipschitz_bound` (\eqn{\Delta_r}), `epsilon` (\eqn{2\Delta_r}),
#'     `oscillation` and `converged`;
#'   * `estimands` (data frame): `replicate`, `source` (`"local database"` or
#'     `"synthetic"`), `estimand`, `value`;
#'   * `epsilon`, `replicates`, `above` (number of databases above epsilon; an
#'     unconverged fit counts as above), `share`, `share_upper` (Clopper and
#'     Pearson), `level`;
#'   * `file` (\eqn{2\Delta} of `fit`), `file_rank` (share of the databases at
#'     or above it), `interrupted` (flag).
#'
#'   An interrupted study keeps the databases that were finished.
#'
#' @section Error types:
#' `pseudosynth_error_input`: arguments out of range, weights that cannot be
#' remade without `refit`, a result of `generate` without the columns of the
#' model, `estimands` that are not named numbers, or a failure of one of your
#' functions (the error names the local database).
#' `pseudosynth_error_privacy`: a fit that has not converged.
#'
#' @inheritSection compare Many cores
#' @section Privacy:
#' The share holds for databases like the generated ones and assumes that the
#' confidential file is one of them. If the file lies above all local databases,
#' that assumption fails and the study gives no label: fit a model with tails
#' like the file's, or supply your own `generate`.
#'
#' The share concerns \eqn{2\Delta_r}, not the privacy loss. An exact audit
#' finds losses above \eqn{2\Delta} when weights are made from the file
#' ([audit_guarantee()]). The study is confidential: default databases are drawn
#' from the confidential fit.
#'
#' @references
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy, supplement (R local
#' databases). Savitsky, Williams and Hu, Bayesian pseudo posterior mechanism
#' under differential privacy, for \eqn{\delta} as the probability that an
#' observed database exceeds \eqn{\epsilon}.
#' @seealso [guarantee()], [audit_guarantee()];
#'   `vignette("what-is-guaranteed")` has bounds of files of growing size.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, student_t(3),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 2
#' )
#' lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
#' study <- replicate_study(lw, epsilon = 15, replicates = 20, seed = 2)
#' study
#' guarantee(lw, study = study)
#' @export
replicate_study <- function(fit, epsilon, replicates = 100, generate = NULL,
                            estimands = location_estimands, refit = NULL,
                            level = 0.95, file = NULL, seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn replicate_study}.")
  check_present(fit)
  check_knows_records(fit)
  if (is.null(refit)) check_fits_others(fit)
  check_argument(epsilon)
  replicates <- check_argument(replicates, max = nrow(fit$draws))
  users <- list(generate = generate, estimands = estimands, refit = refit)
  check_function_of(generate, "the number of a local database")
  check_function_of(estimands, "a vector of responses")
  check_function_of(refit, "a data frame")
  check_argument(level)
  check_argument(seed)
  check_rows_file(file, seed)
  check_converged(fit, FALSE)
  # The default estimands go without the mean where a model has none
  finite <- has_finite_mean(fit$family, fit$response)
  if (identical(estimands, location_estimands) && !finite) {
    users$estimands <- quantile_estimands
  }
  # What fails on the file is refused before anything is fitted
  y <- fit$data[[fit$response$name]]
  if (!is.null(users$estimands) && is.numeric(y)) {
    what <- "estimands() of the file"
    with_r_seed(seed, estimand_values(users$estimands, y, what))
  }
  values <- if (is.null(generate)) local_values(fit, replicates, seed)
  item <- function(r) {
    list(
      number = r, seed = stage_seed(seed, "replicate", r), values = values[, r]
    )
  }
  of <- stable_hash(list(seal_of(fit), users))
  kept <- open_rows_file(file, vapply(seq_len(replicates), function(r) {
    row_key(of, item(r))
  }, ""))
  found <- finished_rows(
    replicates, local_database_row(fit, users), "a local database",
    item, users, kept, isTRUE(fit$control$progress)
  )
  new_replicate_study(
    do.call(rbind, lapply(found$rows, `[[`, "row")),
    do.call(rbind, lapply(found$rows, `[[`, "estimands")),
    fit, epsilon, level, found$interrupted, !is.null(generate)
  )
}

new_replicate_study <- function(table, estimands, fit, epsilon, level,
                                interrupted, generated) {
  # Who has not converged is not known to lie below
  above <- sum(!(table$epsilon <= epsilon & table$converged))
  n <- nrow(table)
  seal(new_result(
    "replicate_study",
    table = table, estimands = estimands, epsilon = epsilon,
    replicates = n, above = above, share = above / n,
    share_upper = stats::qbeta(level, above + 1, n - above),
    level = level, file = 2 * fit$bound$overall,
    file_rank = mean(table$lipschitz_bound >= fit$bound$overall),
    interrupted = interrupted, generated = generated,
    mechanism = mechanism_of(fit), title = describe_mechanism(fit),
    model = format_audit_model(fit), n_records = n_records(fit),
    unit = fit$bound$unit, of = mechanism_mark(fit)
  ))
}

#' A function that makes the mechanism again on a local database
#'
#' A worker is sent it and no more than it needs.
#' @param users (list of functions or `NULL`) `generate`, `estimands`, `refit`.
#' @return (function of an item) Of `number`, `seed` and `values`.
#' @noRd
local_database_row <- function(fit, users) {
  if (!is.null(fit$control)) {
    fit$control$threads <- worker_threads(fit$control$threads)
  }
  function(item) {
    with_r_seed(item$seed, {
      records <- if (is.null(users$generate)) {
        drawn_records(fit, item$values)
      } else {
        generated_records(fit, users$generate, item$number)
      }
      refit <- refit_of(users$refit, item$number)
      # Warnings of each of R fits would drown the study, which counts them
      made <- suppressWarnings(
        suppressMessages(replay(fit, records, refit, item$seed)),
        classes = "pseudosynth_warning_convergence"
      )
      row <- data.frame(
        replicate = item$number, lipschitz_bound = made$bound$overall,
        epsilon = 2 * made$bound$overall,
        oscillation = max(made$bound$oscillation),
        converged = isTRUE(made$converged)
      )
      estimands <- if (!is.null(users$estimands)) {
        replicate_estimands(
          made, records$data, users$estimands, item$number, item$seed
        )
      }
      list(row = row, estimands = estimands)
    })
  }
}

# Print ------------------------------------------------------------------------

print_lines.replicate_study <- function(x) {
  values <- x$table$epsilon
  figures <- c(
    min = min(values), median = stats::median(values), max = max(values)
  )
  c(
    sprintf(
      "Replicate study of %s: %s%s", x$title,
      counted(length(values), "local database"),
      if (x$interrupted) " (interrupted)" else ""
    ),
    paste0("  ", x$model, ", N = ", format_count(x$n_records)),
    if (x$generated) {
      "  databases: as generated"
    } else {
      "  databases: responses drawn from the fit"
    },
    sprintf(
      "  twice the Lipschitz bound: %s; this file %s", format_named(figures),
      format_figure(x$file)
    ),
    if (x$file_rank == 0) {
      "  this file lies above all databases: they do not resemble it"
    },
    paste0("  above epsilon ", format_figure(x$epsilon), ": ", share_text(x)),
    if (any(!x$table$converged)) {
      sprintf("  not converged, counted as above: %d", sum(!x$table$converged))
    },
    "  twice the bound does not limit the privacy loss: see ?audit_guarantee",
    paste0("  ", confidential_line())
  )
}

# What a replicate study takes from functions of the user: databases, estimands,
# fits. An error names the function and the replicate, and shows no value.

generated_records <- function(fit, generate, r) {
  what <- sprintf("generate(%d)", r)
  data <- user_result(generate(r), what, "generate")
  check_data_frame(data, arg = what)
  check_columns(model_columns(fit), data, what)
  spec <- tryCatch(
    record_spec(fit, data),
    pseudosynth_error_input = function(e) {
      abort_input(
        "The fit's model must accept the records of {what}.",
        arg = "generate", parent = e
      )
    }
  )
  list(data = data, spec = spec)
}

#' A fit of a local database by the user's own function
#' @param refit (function or `NULL`)
#' @return (function of a data frame or `NULL`)
#' @noRd
refit_of <- function(refit, r) {
  what <- sprintf("refit() of local database %d", r)
  if (!is.null(refit)) function(data) user_result(refit(data), what, "refit")
}

# Estimands --------------------------------------------------------------------

#' Mean, median, 15th and 90th percentile
#' @noRd
location_estimands <- function(y) c(mean = mean(y), quantile_estimands(y))

quantile_estimands <- function(y) {
  c(
    q15 = stats::quantile(y, 0.15, names = FALSE), median = stats::median(y),
    q90 = stats::quantile(y, 0.9, names = FALSE)
  )
}

replicate_estimands <- function(fit, data, estimands, r, seed) {
  name <- fit$response$name
  if (!is.numeric(data[[name]])) {
    return(NULL)
  }
  set <- drawn_records(fit, local_values(fit, 1, seed)[, 1])$data
  of <- function(source, what, y) {
    value <- estimand_values(
      estimands, y, sprintf("estimands() of %s %d", what, r)
    )
    data.frame(
      replicate = r, source = source, estimand = names(value),
      value = as.double(value)
    )
  }
  rbind(
    of("local database", "local database", data[[name]]),
    of("synthetic", "the synthetic set of local database", set[[name]])
  )
}

#' @param what (string) Which run it is, for the error.
#' @return (named numeric)
#' @noRd
estimand_values <- function(estimands, y, what) {
  value <- user_result(estimands(as.double(y)), what, "estimands")
  problem <- if (!is.numeric(value) || length(value) == 0) {
    describe_type(value)
  } else if (anyNA(value)) {
    "partly missing"
  } else if (!rlang::is_dictionaryish(value)) {
    "unnamed, or has one name twice"
  }
  refuse_if(
    !is.null(problem),
    "{.arg estimands} must return numbers with distinct names.",
    x = "The result of {what} is {problem}.",
    i = "For instance {.code function(y) c(mean = mean(y))}.", arg = "estimands"
  )
  value
}

# Files like the confidential one: its predictors, with responses drawn anew
# from a fit. A study looks at them and releases none: they need no public ends.

#' Responses drawn from the fit, on the modelled scale: a column a database
#' @noRd
local_values <- function(fit, replicates, seed) {
  rows <- random_rows(
    nrow(fit$draws), replicates, seed_words(seed, "database draws")
  )
  values_at_draws(
    fit, rows, newdata_spec(fit, fit$data), seed_words(seed, "databases")
  )
}

drawn_records <- function(fit, values) {
  data <- sets_of_values(fit$data, fit$response, matrix(values))[[1]]
  spec <- fit$spec
  # Not rounded: a rounded income of 0 has no logarithm
  spec$y <- values
  list(data = data, spec = spec)
}
