#' Compare mechanisms on the same data at the same epsilon
#'
#' Runs mechanisms of [pseudo_posterior()] and the comparisons on one file and
#' measures what they would release. Every row is for *one* released set, m = 1,
#' at the total epsilon stated; `sets` independent releases are averaged.
#'
#' @param formula,data,family As in [fit_synthesizer()].
#' @param mechanisms (character) Of [pseudo_posterior()], and
#'   `"perturbed_histogram"` (needs `bounds`) and `"topcode"` (needs `top`).
#' @param epsilon (positive numbers) Totals, add/remove-one unless `neighbours`
#'   says otherwise. Default 5 and 1.
#' @param ... Arguments of [pseudo_posterior()], such as `reference`, `bounds`,
#'   `radius`, `rule`, and of [fit_synthesizer()], such as `prior`. A prior
#'   that is not given is the default of each mechanism.
#' @param sets (count) Releases averaged. Default 20.
#' @param groups,regression Columns and linear model that [utility()] measures.
#'   `regression = NULL`, the default, is the model's own formula for a
#'   continuous response.
#' @param calibrate (character) Clipped mechanisms that get the margin of
#'   `bounds`. Default `"centred"`; the others stay as published.
#' @param top (number or `NULL`) The threshold of `"topcode"`.
#' @param seed As in [pseudo_posterior()].
#'
#' @return A `mechanism_comparison`: a list with `table` (data frame, one row
#'   for each mechanism and epsilon) with the columns `mechanism`, `asked`
#'   (epsilon), `label`, `add_remove`, `replace` (claimed or proven totals for
#'   one set),
#'   `ecdf_max`, `ecdf_mean_squared`, `groups`, `r_squared`, `overlap` (means
#'   over sets, see [utility()]), `seconds` and `problem` (why a row is empty);
#'   `confidential` (the file's R2), `sets`, `interrupted` (flag: the table then
#'   holds the mechanisms that were finished). Where a reference is used, the
#'   row `"reference"` is what it gives alone, without this file. Confidential.
#'
#' @section Error types: As [pseudo_posterior()] for wrong arguments. A target
#' that a mechanism cannot reach, or a fit that has not converged, is an empty
#' row with its `problem`.
#' @section Privacy:
#' The table is computed from the file and from sets that are not released: for
#' the agency only. Labels of weighted mechanisms are claims; see [guarantee()].
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
                               seed = NULL) {
  choices <- c(available_mechanisms, "perturbed_histogram", "topcode")
  for (mechanism in mechanisms) {
    check_mechanism(mechanism, choices)
  }
  for (value in epsilon) check_number(value, above = 0, arg = "epsilon")
  sets <- check_count(sets, min = 1)
  check_seed(seed)
  job <- comparison_job(formula, data, family, list(...), seed)
  cases <- comparison_cases(mechanisms, epsilon)
  check_cases(job, cases, calibrate, top)
  measure <- comparison_measure(job, groups, regression)
  if (any(mechanisms %in% c("unweighted", needs_unweighted))) {
    job[["first"]] <- first_fit(job)
  }
  found <- finished_rows(nrow(cases) + !is.null(job$reference), function(i) {
    if (i > nrow(cases)) {
      return(reference_row(job, sets, measure))
    }
    comparison_row(
      job, cases$mechanism[i], cases$epsilon[i], sets, measure, calibrate, top
    )
  }, "a mechanism")
  structure(
    list(
      table = do.call(rbind, found$rows), sets = sets,
      confidential = measure$confidential, variable = measure$variable,
      neighbours = job$neighbours, interrupted = found$interrupted
    ),
    class = "mechanism_comparison"
  )
}

#' Mechanisms at each epsilon; those that claim none once
#' @noRd
comparison_cases <- function(mechanisms, epsilon) {
  claims <- mechanisms %in% c(
    clipped_mechanisms, weighted_mechanisms, "perturbed_histogram"
  )
  do.call(rbind, Map(function(mechanism, claims) {
    data.frame(
      mechanism = mechanism, epsilon = if (claims) epsilon else NA_real_
    )
  }, mechanisms, claims))
}

#' What is missing is told before the first fit, not after an hour
#' @noRd
check_cases <- function(job, cases, calibrate, top,
                        call = rlang::caller_env()) {
  for (i in seq_len(nrow(cases))) {
    mechanism <- cases$mechanism[i]
    if (mechanism == "topcode") {
      check_number(top, call = call)
    } else if (mechanism == "perturbed_histogram") {
      check_bounds(job$bounds, call)
    } else {
      case <- case_job(job, mechanism, cases$epsilon[i], calibrate)
      check_job(case, call)
    }
  }
}

#' The job of one mechanism at one epsilon
#' @noRd
case_job <- function(job, mechanism, epsilon, calibrate) {
  job$mechanism <- mechanism
  job["epsilon"] <- list(if (is.na(epsilon)) NULL else epsilon)
  if (!mechanism %in% c(calibrate, "perturbed_histogram")) {
    job["bounds"] <- list(NULL)
  }
  job
}

#' A job with the defaults of pseudo_posterior()
#' @noRd
comparison_job <- function(formula, data, family, arguments, seed) {
  settings <- formals(pseudo_posterior)
  own <- setdiff(names(settings), c(
    "formula", "data", "family", "mechanism", "epsilon", "m", "...", "seed"
  ))
  job <- lapply(settings[own], eval)
  job$neighbours <- job$neighbours[1]
  job$map <- job$map[1]
  given <- intersect(names(arguments), own)
  job[given] <- arguments[given]
  c(job, list(
    formula = formula, data = data, family = as_synth_family(family), m = 1L,
    fit_arguments = arguments[setdiff(names(arguments), own)],
    seed = seed
  ))
}

#' What is measured of every release
#' @return (list) `of` (function of sets), `confidential`, `variable`.
#' @noRd
comparison_measure <- function(job, groups, regression) {
  response <- parse_response(job$formula, job$data, job$family)
  if (is.null(regression) && job$family$kind == "continuous") {
    regression <- histogram_formula(job$formula, job$family)
  }
  truth <- if (!is.null(regression)) {
    regression_of(regression, job$data)$r_squared
  }
  transform <- if (response$transform %in% utility_scales) response$transform
  list(
    of = function(synthetic) {
      summary(utility(
        synthetic, job$data, response$variable, groups, regression,
        transform %||% "identity"
      ))$means
    },
    confidential = truth, variable = response$variable
  )
}

comparison_row <- function(job, mechanism, epsilon, sets, measure, calibrate,
                           top) {
  started <- proc.time()[["elapsed"]]
  at <- if (!is.na(epsilon)) paste0(", epsilon ", format_figure(epsilon))
  cli::cli_progress_step("{mechanism_title(mechanism)}{at}")
  job <- case_job(job, mechanism, epsilon, calibrate)
  result <- tryCatch(
    switch(mechanism,
      perturbed_histogram = release_histograms(job, sets),
      topcode = list(
        sets = topcode(
          plain_left(job$formula), job$data, top
        ), label = NULL
      ),
      release_jobs(job, sets)
    ),
    pseudosynth_error_privacy = function(e) list(problem = e),
    pseudosynth_error_sampler = function(e) list(problem = e)
  )
  row <- data.frame(
    mechanism = mechanism, asked = epsilon,
    label = "-", add_remove = NA_real_, replace = NA_real_
  )
  problem <- result$problem
  if (is.null(problem)) {
    label <- result$label %||% guarantee(result$sets)
    row$label <- label$label
    row$add_remove <- label$epsilon$total[["add/remove-one"]]
    row$replace <- label$epsilon$total[["replace-one"]]
  }
  finish_row(row, result$sets, measure, started, problem)
}

finish_row <- function(row, sets, measure, started, problem = NULL) {
  figures <- c("ecdf_max", "ecdf_mean_squared", "groups", "r_squared",
    "overlap")
  row[figures] <- NA_real_
  if (is.null(problem)) {
    means <- measure$of(sets)
    found <- intersect(figures, names(means))
    row[found] <- as.list(means[found])
  }
  row$seconds <- proc.time()[["elapsed"]] - started
  row$problem <- if (is.null(problem)) {
    ""
  } else {
    cli::ansi_strip(conditionMessage(problem))
  }
  row
}

#' Independent releases of one fit: a draw and a histogram of its own each
#' @return (list) `sets` (list of data frames), `label` of one release.
#' @noRd
release_jobs <- function(job, sets) {
  job$budget <- split_epsilon(job)
  fits <- suppressMessages(run_mechanism(job))
  fit <- fits[[length(fits)]]
  draws <- synthesize_sets(job, fit, sets)
  list(sets = draws$sets, label = label_of_fit(
    fit, 1,
    what = "synthetic data", margin = margin_part(draws$margin)
  ))
}

synthesize_sets <- function(job, fit, sets) {
  if (is.null(job$bounds)) {
    return(list(sets = as.list(synthesize(
      fit, sets,
      seed = stage_seed(job$seed, 3), allow_unconverged = job$allow_unconverged
    ))))
  }
  margin <- NULL
  made <- lapply(seq_len(sets), function(j) {
    # One release takes one histogram: a new one for each
    job["seed"] <- list(stage_seed(job$seed, 100 * j))
    margin <<- suppressMessages(job_margin(job))
    synthesize(
      fit, 1,
      margin = margin, seed = stage_seed(job$seed, 3),
      allow_unconverged = job$allow_unconverged
    )[[1]]
  })
  list(sets = made, margin = margin)
}

release_histograms <- function(job, sets) {
  if (is.null(job$bounds)) {
    abort_input(
      "{.val perturbed_histogram} needs {.arg bounds}.",
      arg = "bounds", call = rlang::call2("compare_mechanisms")
    )
  }
  job$budget <- list(margin = job$epsilon)
  columns <- in_role(column_roles(job$formula, job$data), "published")
  made <- lapply(seq_len(sets), function(j) {
    job["seed"] <- list(stage_seed(job$seed, 100 * j))
    synthesize(
      suppressMessages(job_margin(job)), 1, job$data[columns],
      seed = stage_seed(job$seed, 3)
    )
  })
  list(
    sets = lapply(made, function(synthetic) synthetic[[1]]),
    label = guarantee(made[[1]])
  )
}

#' `log(income) ~ x` as `income ~ x`
#' @noRd
plain_left <- function(formula) {
  while (is.call(formula[[2]])) formula[[2]] <- formula[[2]][[2]]
  formula
}

# The reference alone ----------------------------------------------------------

#' What the reference gives without this file: epsilon 0
#' @noRd
reference_row <- function(job, sets, measure) {
  started <- proc.time()[["elapsed"]]
  row <- data.frame(
    mechanism = "reference", asked = 0, label = "no data", add_remove = 0,
    replace = 0
  )
  finish_row(row, synthesize_reference(job, sets), measure, started)
}

#' Sets drawn at the reference's parameters for the published predictors
#' @return (list of data frames)
#' @noRd
synthesize_reference <- function(job, sets) {
  call <- rlang::call2("compare_mechanisms")
  reference <- as_reference(job$reference)
  family <- job$family
  response <- new_response(job$formula, job$data, family, call)
  design <- new_design(
    job$formula, job$data, response$variable, call, job$fit_arguments$scaling
  )
  prior <- job$fit_arguments$prior %||% centred_prior(reference)
  model <- list(
    family = family, response = response, design = design,
    prior = resolve_prior(prior, family, design$columns)
  )
  model$data <- used_columns(job$data, model)
  spec <- model_spec(model, NULL, NULL, call)
  draw <- if (reference$origin == "history") {
    check_reference_model(reference, model, spec, call)
    parts <- design_parts(reference$design, model$data, call = call)
    spec[names(parts)] <- parts
    reference$values
  } else {
    reference_draw(reference$values, model, spec, call)
  }
  spec$y[] <- 0
  values <- synthesize_(
    spec, matrix(draw, sets, length(draw), byrow = TRUE),
    seed_words(stage_seed(job$seed, 6)), 0L
  )
  lapply(seq_len(sets), function(j) {
    set <- model$data
    set[[response$variable]] <- response_inverse(response, values[, j])
    set
  })
}

# Printing ---------------------------------------------------------------------

#' @export
print.mechanism_comparison <- function(x, ...) {
  table <- x$table
  shown <- data.frame(
    mechanism = table$mechanism, epsilon = table$asked, label = table$label,
    "add/remove" = table$add_remove, replace = table$replace,
    check.names = FALSE
  )
  figures <- c(
    ecdf_max = "max-ECDF", groups = "groups", r_squared = "R2",
    overlap = "overlap"
  )
  for (name in names(figures)) {
    if (!all(is.na(table[[name]]))) shown[[figures[[name]]]] <- table[[name]]
  }
  cat(
    releases_headline("Mechanisms", x),
    paste0("  ", format_table(shown)),
    if (!is.null(x$confidential)) {
      sprintf("  R2 of the file %s", format_figure(x$confidential))
    },
    problem_lines(table),
    paste0("  ", strwrap(paste(
      "Epsilons of the label \"asymptotic\" are claims, not bounds that hold."
    ), 76)),
    paste0("  ", confidential_line()),
    sep = "\n"
  )
  invisible(x)
}

#' First line of a table of releases
#' @noRd
releases_headline <- function(what, x) {
  sprintf(
    "%s on %s, one released set each, mean of %d release%s%s",
    what, x$variable, x$sets, if (x$sets == 1) "" else "s",
    if (x$interrupted) " (interrupted)" else ""
  )
}

problem_lines <- function(table) {
  table <- table[nzchar(table$problem), ]
  text <- sprintf(
    "%s at %s: %s", table$mechanism, format_figure(table$asked),
    first_words(gsub("\n", " ", table$problem))
  )
  unlist(lapply(text, function(line) {
    paste0("  ", strwrap(line, 76, exdent = 2))
  }))
}

first_words <- function(x, width = 160) {
  ifelse(nchar(x) > width, paste0(substr(x, 1, width - 3), "..."), x)
}

#' @export
as.data.frame.mechanism_comparison <- function(x, ...) {
  x$table
}
