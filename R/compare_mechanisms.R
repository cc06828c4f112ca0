#' Compare mechanisms on the same data at the same epsilon
#'
#' Runs mechanisms of [pseudo_posterior()] and the comparisons on one file and
#' measures what they would release. Every row is for *one* released set, m = 1,
#' at the total epsilon stated; `sets` independent releases are averaged.
#'
#' @param formula,data,family As in [fit_synthesizer()].
#' @param mechanisms (character or list) Names of [mechanisms] or objects, such
#'   as `list("centred", mechanism_lw(scale = 0.5))`; also
#'   `"perturbed_histogram"` (needs `bounds`) and `"topcode"` (needs `top`).
#' @param epsilon (positive numbers) Totals, add/remove-one unless `neighbours`
#'   says otherwise. Default 5 and 1.
#' @param ... Settings of the mechanisms, such as `reference`, `radius`, `rule`,
#'   each for those that take it, at least one; `bounds` and what else
#'   [pseudo_posterior()] takes, and of [fit_synthesizer()] such as `prior`. A
#'   prior that is not given is the default of each mechanism.
#' @param sets (count) Releases averaged. Default 20.
#' @param groups,regression Columns and linear model that [utility()] measures.
#'   `regression = NULL`, the default, is the model's own formula for a
#'   continuous response.
#' @param calibrate (character) Clipped mechanisms that get the margin of
#'   `bounds`, as `"score"` does in any case. Default `"centred"`; the others
#'   stay as published.
#' @param top (number or `NULL`) The threshold of `"topcode"`.
#' @param risk_radius (number or `NULL`) Radius, relative to the true value, of
#'   the balls of [identification_risk()], whose mean risk is then measured too:
#'   0.2 is 20%. `NULL`, the default: it is not measured.
#' @param risk_known (character or `NULL`) Published columns that the intruder
#'   knows. `NULL`, the default: none.
#' @param file (string or `NULL`) Where finished rows are kept, for a run that
#'   is interrupted: the same call then goes on with the others. Needs a `seed`.
#'   The file is confidential. `NULL`, the default: nowhere.
#' @param seed As in [pseudo_posterior()].
#'
#' @return A `mechanism_comparison`: a list with `table` (data frame, one row
#'   for each mechanism and epsilon) with the columns `mechanism`, `asked`
#'   (epsilon), `label`, `add_remove`, `replace` (claimed or proven totals for
#'   one set), `ecdf_max`, `ecdf_mean_squared`, `mean_ratio`, `sd_ratio`,
#'   `total_ratio`, `q90_ratio`, `q95_ratio`, `q99_ratio`, `shares`, `groups`,
#'   `r_squared`, `overlap` (means over sets, see [utility()]), `risk` (mean
#'   identification risk, where asked for), the Monte Carlo errors of these with
#'   `_se` (of the releases drawn from a fit; refitting is not in them),
#'   `seconds` and `problem` (why a row is empty); `confidential` (the file's
#'   R2), `sets`, `interrupted` (flag: the table then holds the mechanisms that
#'   were finished). Where a reference is used, the row `"reference"` is what it
#'   gives alone, without this file. Confidential.
#'
#' @section Error types: As [pseudo_posterior()] for wrong arguments. A target
#' that a mechanism cannot reach, or a fit that has not converged, is an empty
#' row with its `problem`.
#' @section Privacy:
#' The table is computed from the file and from sets that are not released: for
#' the agency only. Labels of weighted mechanisms are claims; see [guarantee()].
#' @section Many cores:
#' Rows run on the workers of the package future's plan where one is set:
#' `future::plan("multisession")` for the cores of this machine, `"cluster"` for
#' those of others on which this package is installed. Forked workers
#' (`"multicore"`) are refused: threads do not survive a fork. Results are the
#' same at any number of workers. A worker that dies is an error of class
#' `pseudosynth_error_worker`; rows that were finished are in `file`.
#' @seealso [pseudo_posterior()], [utility()]
#' @examples
#' \donttest{
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' compared <- compare_mechanisms(log(income) ~ ., ce, student_t(3),
#'   mechanisms = c("centred", "censor_uw", "unweighted"), epsilon = 2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   groups = c("age", "earner"), sets = 5, chains = 2, draws = 500
#' )
#' compared
#' }
#' @export
compare_mechanisms <- function(formula, data, family = normal_mixture(),
                               mechanisms = c(
                                 "centred", "censor_uw", "lw", "lw_final",
                                 "unweighted"
                               ),
                               epsilon = c(5, 1), ..., sets = 20,
                               groups = NULL, regression = NULL,
                               calibrate = "centred", top = NULL,
                               risk_radius = NULL, risk_known = NULL,
                               file = NULL, seed = NULL) {
  sets <- check_count(sets, min = 1)
  check_rows_file(file, seed)
  check_epsilons(epsilon)
  calibrate <- check_calibrate(calibrate)
  chosen <- compared_mechanisms(mechanisms)
  given <- sort_arguments(
    c(list(...), list(top = top)), open_mechanisms(chosen),
    also = c(
      "margin", "support", "neighbours", "allow_unconverged", "reference"
    )
  )
  job <- comparison_job(formula, data, family, given, seed)
  measure <- comparison_measure(
    job, groups, regression, risk_radius, risk_known
  )
  margin <- resolve_margin(given$also$margin, given$margin)
  jobs <- comparison_jobs(
    job, lapply(chosen, with_settings, given$settings), epsilon, margin,
    calibrate, given$also$reference, given$also$support
  )
  found <- run_comparison(
    jobs, sets, measure,
    measured = list(groups, regression, risk_radius, risk_known), file
  )
  structure(
    list(
      table = do.call(rbind, found$rows), sets = sets,
      confidential = measure$confidential, variable = measure$variable,
      neighbours = job$neighbours, interrupted = found$interrupted
    ),
    class = c("mechanism_comparison", "pseudosynth_result")
  )
}

check_epsilons <- function(epsilon) {
  if (!is.numeric(epsilon) || length(epsilon) == 0) {
    abort_input(
      "{.arg epsilon} must be positive numbers.",
      x = "It is {describe_type(epsilon)}.",
      arg = "epsilon"
    )
  }
  for (value in epsilon) {
    check_number(value, above = 0, arg = "epsilon")
  }
}

#' Mechanisms that can have a margin, by our names
#' @noRd
check_calibrate <- function(calibrate) {
  check_mechanism_names(calibrate, "calibrate")
  vapply(calibrate, function(name) {
    found <- find_mechanism(name, "stages", "calibrate")
    if (found$kind != "clipped") {
      abort_input(
        "{.arg calibrate} must name clipped mechanisms.",
        x = "{.val {found$name}} is none: it can have no margin.",
        arg = "calibrate"
      )
    }
    found$name
  }, "", USE.NAMES = FALSE)
}

#' A list of names or mechanisms, and no column of a file
#' @noRd
check_mechanism_names <- function(x, arg) {
  named <- is.null(x) || (is.list(x) && !is.data.frame(x)) ||
    (is.character(x) && length(x) <= 2 * length(mechanisms()))
  if (!named) {
    abort_input(
      "{.arg {arg}} must be names of mechanisms.",
      x = "It is {describe_type(x)}.",
      arg = arg
    )
  }
}

compared_mechanisms <- function(mechanisms) {
  if (inherits(mechanisms, "privacy_mechanism")) mechanisms <- list(mechanisms)
  if (length(mechanisms) == 0) {
    abort_input(
      "{.arg mechanisms} must name at least one.",
      arg = "mechanisms"
    )
  }
  check_mechanism_names(mechanisms, "mechanisms")
  lapply(mechanisms, choose_mechanism, c("stages", "release"), "mechanisms")
}

#' A job for each row: mechanisms that claim an epsilon at each of them, the
#' others once, and what a reference gives alone
#' @noRd
comparison_jobs <- function(job, mechanisms, epsilon, margin, calibrate,
                            reference, support = NULL) {
  own <- lapply(mechanisms, function(x) x$settings$reference)
  reference <- c(list(reference), own)
  reference <- Filter(Negate(is.null), reference)
  if (length(reference) > 0) {
    alone <- mechanism_reference(reference[[1]])
    names <- vapply(mechanisms, `[[`, "", "name")
    mechanisms <- c(mechanisms, if (!alone$name %in% names) list(alone))
  }
  jobs <- lapply(mechanisms, function(mechanism) {
    claims <- mechanism$kind %in% c("clipped", "weighted", "noise", "sums")
    lapply(if (claims) epsilon else list(NULL), function(value) {
      assign_mechanism(
        job, mechanism, value,
        margin = if (mechanism$name %in% calibrate ||
          mechanism$kind %in% c("noise", "sums")) margin,
        # The margin's bounds are public ends for all rows
        support = support %||% margin_ends(margin)
      )
    })
  })
  jobs <- unlist(jobs, recursive = FALSE)
  check_margin_taken(jobs, !is.null(margin))
  jobs
}

# Printing ---------------------------------------------------------------------

#' The columns of a comparison that are shown
#' @noRd
comparison_shown <- function(x) {
  table <- x$table
  shown <- data.frame(
    mechanism = table$mechanism, epsilon = table$asked, label = table$label,
    "add/remove" = table$add_remove, replace = table$replace,
    check.names = FALSE
  )
  figures <- c(
    # The others of the file's multiples are in the table
    ecdf_max = "max-ECDF", mean_ratio = "mean", q95_ratio = "95%",
    shares = "shares", groups = "groups", r_squared = "R2",
    overlap = "overlap", risk = "risk"
  )
  for (name in names(figures)) {
    if (!all(is.na(table[[name]]))) shown[[figures[[name]]]] <- table[[name]]
  }
  shown
}

# Under every comparison of numbers
ratios_note <- "Mean and 95% quantile are multiples of the file's."

# Under every comparison
claims_note <-
  "Epsilons of the label \"asymptotic\" are claims, not bounds that hold."

print_lines.mechanism_comparison <- function(x) {
  c(
    releases_headline("Mechanisms", x),
    paste0("  ", format_table(comparison_shown(x))),
    if (!is.null(x$confidential)) {
      sprintf("  R2 of the file %s", format_figure(x$confidential))
    },
    wrap_line(problem_lines(x$table)),
    remark_lines(row_remarks(x$table)),
    if (any(is.finite(x$table$mean_ratio))) paste0("  ", ratios_note),
    paste0("  ", claims_note),
    paste0("  ", confidential_line())
  )
}

#' Why rows are empty, a line for each of them
#' @noRd
problem_lines <- function(table) {
  table <- table[nzchar(table$problem), ]
  sprintf(
    "%s at %s: %s", table$mechanism, format_figure(table$asked),
    first_words(table$problem)
  )
}

# Rows of compare_mechanisms() and risk_utility(): one job each, released `sets`
# times and measured against the file.

#' The job of a comparison without a mechanism
#' @param given (list) See sort_arguments().
#' @noRd
comparison_job <- function(formula, data, family, given, seed) {
  new_job(
    formula, data, family, given$fit,
    given$also$neighbours %||% "add-remove", seed,
    given$also$allow_unconverged %||% FALSE
  )
}

#' Run the jobs of all rows, the unweighted fit once
#' @param measure (list) See comparison_measure().
#' @param measured (list) What it was made of.
#' @param file (string or `NULL`) Where finished rows are kept.
#' @return (list) See finished_rows().
#' @noRd
run_comparison <- function(jobs, sets, measure, measured, file) {
  own_draws <- vapply(jobs, function(job) {
    job$mechanism$kind != "sums" && is.null(job$margin) &&
      !is.null(definition_of(job$mechanism)$stages)
  }, TRUE)
  for (job in jobs[own_draws]) check_enough_draws(job, sets, "sets")
  kept <- open_rows_file(
    file, vapply(jobs, comparison_key, "", sets, measured)
  )
  starts <- setdiff(which(vapply(jobs, function(job) {
    definition_of(job$mechanism)$from_unweighted
  }, TRUE)), kept$numbers)
  if (length(starts) > 0) {
    job <- jobs[[starts[1]]]
    first <- told_already(unweighted_fit(job))
    jobs[starts] <- lapply(jobs[starts], function(job) {
      job[["first"]] <- first
      job
    })
  }
  finished_rows(
    length(jobs), row_of_job(sets, measure), "a mechanism",
    item = function(i) {
      job <- jobs[[i]]
      job$run$threads <- worker_threads(job$run$threads)
      job
    }, kept = kept
  )
}

#' A function of a job that a worker can be sent without the other jobs
#' @noRd
row_of_job <- function(sets, measure) {
  force(sets)
  force(measure)
  function(job) comparison_row(job, sets, measure)
}

#' All that decides a row; the threads do not
#' @noRd
comparison_key <- function(job, sets, measured) {
  job$run$threads <- job$fit_arguments$threads <- NULL
  row_key(unclass(job), sets, measured)
}

#' A margin that no row has
#' @param given (flag)
#' @noRd
check_margin_taken <- function(jobs, given) {
  taken <- vapply(jobs, function(job) !is.null(job$margin), TRUE)
  if (given && !any(taken)) {
    names <- unique(vapply(jobs, function(job) job$mechanism$name, ""))
    abort_input(
      "A margin is for clipped mechanisms, in a comparison for those in
       {.arg calibrate}.",
      x = "None of {.val {names}} is.",
      i = "Leave {.arg bounds} out.",
      arg = "bounds"
    )
  }
}

# The measures of a row, in the order of the table
comparison_figures <- c(
  "ecdf_max", "ecdf_mean_squared", "mean_ratio", "sd_ratio", "total_ratio",
  "q90_ratio", "q95_ratio", "q99_ratio", "shares", "groups", "r_squared",
  "overlap", "risk"
)

#' What is measured of every release
#' @param risk_radius,risk_known See [compare_mechanisms()].
#' @return (list) `of` (function of sets; gives a data frame, a row for each
#'   set), `confidential`, `variable`.
#' @noRd
comparison_measure <- function(job, groups, regression, risk_radius,
                               risk_known) {
  response <- job$model$response
  check_number(risk_radius, above = 0, null = TRUE, arg = "risk_radius")
  known <- check_known(risk_known, job$data, response$variable)
  if (is.null(regression) && job$family$kind == "continuous") {
    regression <- histogram_formula(job$formula, job$family)
  }
  regression <- check_measured(job, groups, regression)
  truth <- if (!is.null(regression)) {
    regression_of(regression, job$data)$r_squared
  }
  transform <- if (response$transform %in% utility_scales) response$transform
  list(
    of = function(sets) {
      measure_sets(
        sets, job$data, response$variable, groups, regression,
        transform %||% "identity", risk_radius, known
      )
    },
    confidential = truth, variable = response$variable
  )
}

#' @param sets (list of data frames) In the order of `data`.
#' @return (data frame) A row for each set.
#' @noRd
measure_sets <- function(sets, data, variable, groups, regression, transform,
                         risk_radius, known) {
  table <- utility(sets, data, variable, groups, regression, transform)$table
  if (!is.null(risk_radius)) {
    table$risk <- identification_risk(
      sets, data, known, risk_radius,
      variable = variable
    )$set$mean_risk
  }
  table
}

#' Sets hold the columns of the model and no others
#' @return The regression, its `.` written out.
#' @noRd
check_measured <- function(job, groups, regression) {
  columns <- names(job$model$data)
  check_groups(groups, columns, job$model$response$variable)
  if (is.null(regression)) {
    return(NULL)
  }
  check_formula(regression, arg = "regression")
  regression <- without_dot(regression, columns, names(job$data))
  used <- all.vars(regression)
  if (length(used) > 0) {
    check_names(used, columns, arg = "regression")
  }
  regression
}

comparison_row <- function(job, sets, measure) {
  started <- proc.time()[["elapsed"]]
  definition <- definition_of(job$mechanism)
  at <- if (!is.null(job$epsilon)) {
    paste0(", epsilon ", format_figure(job$epsilon))
  }
  tell_step("{definition$short}{at}")
  release <- definition$release %||% release_jobs
  result <- tryCatch(
    suppressMessages(
      release(job, sets),
      classes = "pseudosynth_message_support"
    ),
    pseudosynth_error_privacy = function(e) list(problem = e),
    pseudosynth_error_sampler = function(e) list(problem = e)
  )
  row <- data.frame(
    mechanism = definition$name,
    asked = if (definition$kind == "free") 0 else job$epsilon %||% NA_real_,
    label = "-", add_remove = NA_real_, replace = NA_real_
  )
  problem <- result$problem
  if (is.null(problem)) {
    label <- result$label
    row$label <- label$label
    row$add_remove <- label$epsilon$total[["add/remove-one"]]
    row$replace <- label$epsilon$total[["replace-one"]]
  }
  row <- finish_row(row, result$sets, measure, started, problem)
  row$remarks <- paste(result$remarks, collapse = " ")
  row
}

#' What the fits of rows leave open, each remark once, with whose it is
#' @noRd
row_remarks <- function(table) {
  table <- table[nzchar(table$remarks), ]
  names <- vapply(split(table$mechanism, table$remarks), function(mechanism) {
    toString(unique(mechanism))
  }, "")
  sprintf("%s: %s", names, names(names))
}

finish_row <- function(row, sets, measure, started, problem = NULL) {
  errors <- paste0(comparison_figures, "_se")
  row[c(comparison_figures, errors)] <- NA_real_
  if (is.null(problem)) {
    table <- measure$of(sets)
    table <- table[intersect(comparison_figures, names(table))]
    row[names(table)] <- colMeans(table)
    row[paste0(names(table), "_se")] <- vapply(table, stats::sd, 0) /
      sqrt(nrow(table))
  }
  row$seconds <- proc.time()[["elapsed"]] - started
  row$problem <- if (is.null(problem)) {
    ""
  } else {
    # One line, so that a table keeps its rows
    trimws(gsub("[[:space:]]+", " ", cli::ansi_strip(
      conditionMessage(problem)
    )))
  }
  row
}

#' Independent releases of one fit: a draw and a histogram of its own each
#' @return (list) `sets` (list of data frames), `label` of one release.
#' @noRd
release_jobs <- function(job, sets) {
  fits <- suppressMessages(run_mechanism(job))
  fit <- fits[[length(fits)]]
  draws <- synthesize_sets(job, fit, sets)
  list(
    sets = draws$sets, remarks = remarks_of_model(fit),
    label = label_of_fit(
      fit, 1,
      what = "synthetic data", margin = margin_part(draws$margin)
    )
  )
}

synthesize_sets <- function(job, fit, sets) {
  if (is.null(job$margin)) {
    return(list(sets = as.list(draw_sets(
      fit, sets,
      seed = stage_seed(job$seed, "sets"),
      allow_unconverged = job$allow_unconverged, support = job$support
    )$synthetic)))
  }
  margin <- NULL
  made <- lapply(seq_len(sets), function(j) {
    # One release takes one histogram: a new one for each
    job["seed"] <- list(stage_seed(job$seed, "release", j))
    margin <<- suppressMessages(job_margin(job))
    draw_sets(
      fit, 1,
      margin = margin, seed = stage_seed(job$seed, "sets"),
      allow_unconverged = job$allow_unconverged, support = job$support
    )$synthetic[[1]]
  })
  list(sets = made, margin = margin)
}

#' First line of a table of releases
#' @noRd
releases_headline <- function(what, x) {
  if (isTRUE(x$jobs)) {
    return(sprintf(
      "Jobs on %s: epsilon of all their sets, measures of one, mean of them",
      x$variable
    ))
  }
  sprintf(
    "%s on %s, one released set each, mean of %d release%s%s",
    what, x$variable, x$sets, if (x$sets == 1) "" else "s",
    if (x$interrupted) " (interrupted)" else ""
  )
}
