# Rows of compare_mechanisms() and risk_utility(): one job each, released `sets`
# times and measured against the file.

#' The job of a comparison without a mechanism
#' @param given (list) See sort_arguments().
#' @noRd
comparison_job <- function(formula, data, family, given, seed, call) {
  new_job(
    formula, data, family, given$fit,
    given$also$neighbours %||% "add-remove", seed,
    given$also$allow_unconverged %||% FALSE, call
  )
}

#' Run the jobs of all rows, the unweighted fit once
#' @param measure (list) See comparison_measure().
#' @param measured (list) What it was made of.
#' @param file (string or `NULL`) Where finished rows are kept.
#' @return (list) See finished_rows().
#' @noRd
run_comparison <- function(jobs, sets, measure, measured, file) {
  call <- jobs[[1]]$call
  own_draws <- vapply(jobs, function(job) {
    job$mechanism$kind != "sums" && is.null(job$margin) &&
      !is.null(definition_of(job$mechanism)$stages)
  }, TRUE)
  for (job in jobs[own_draws]) check_enough_draws(job, sets, "sets")
  kept <- open_rows_file(
    file, vapply(jobs, comparison_key, "", sets, measured), call
  )
  starts <- setdiff(which(vapply(jobs, function(job) {
    definition_of(job$mechanism)$from_unweighted
  }, TRUE)), kept$numbers)
  if (length(starts) > 0) {
    job <- jobs[[starts[1]]]
    first <- told_already(blame(unweighted_fit(job), job$call))
    jobs[starts] <- lapply(jobs[starts], function(job) {
      job[["first"]] <- first
      job
    })
  }
  finished_rows(
    length(jobs), row_of_job(sets, measure), "a mechanism",
    item = function(i) {
      job <- jobs[[i]]
      job$run$threads <- worker_threads(job$run$threads, call)
      job
    }, kept = kept, call = call
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
      c(
        "A margin is for clipped mechanisms, in a comparison for those in
         {.arg calibrate}.",
        x = "None of {.val {names}} is.",
        i = "Leave {.arg bounds} out."
      ),
      arg = "bounds", call = jobs[[1]]$call
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
  check_number(
    risk_radius, above = 0, null = TRUE, arg = "risk_radius", call = job$call
  )
  known <- check_known(
    risk_known, job$data, response$variable, call = job$call
  )
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
  check_groups(
    groups, columns, job$model$response$variable,
    call = job$call
  )
  if (is.null(regression)) {
    return(NULL)
  }
  check_formula(regression, arg = "regression", call = job$call)
  regression <- without_dot(regression, columns, names(job$data))
  used <- all.vars(regression)
  if (length(used) > 0) {
    check_names(used, columns, arg = "regression", call = job$call)
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
