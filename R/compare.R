#' Compare synthetic sets or mechanisms on the same file
#'
#' Measures how close synthetic sets are to the confidential file, next to the
#' epsilon of their label. On request, it also measures their identification
#' risk. Given jobs or sets, `compare()` measures those. Given a formula, it
#' runs mechanisms of [pseudo_posterior()] on the file and measures what they
#' would release.
#'
#' If `compare()` runs mechanisms, the epsilon stated is the total for *one*
#' released set, and the figures are means over `m` such releases. For existing
#' jobs and sets, the epsilon covers all their sets, and the figures are means
#' per set.
#'
#' @param ... Sets: [`pseudo_posterior`][pseudo_posterior] jobs,
#'   [`synthetic_data`][synthetic_data], data frames or lists of data frames,
#'   preferably named. Without a name, the expression is used.
#'
#'   After a formula: settings of the mechanisms, such as `reference`, `rule` or
#'   `top` of `"topcode"`; `bounds` and other arguments of [pseudo_posterior()];
#'   arguments of [fit_synthesizer()] such as `prior`. A setting applies to the
#'   mechanisms that have it; at least one must. Without `prior`, each mechanism
#'   takes its own default.
#' @param formula,family As in [fit_synthesizer()].
#' @param data (data frame or `NULL`) The confidential file. Default `NULL` for
#'   sets: the file of the first `pseudo_posterior`.
#' @param variable (string or `NULL`) The synthetic column. Default `NULL`: the
#'   synthetic column of the first sets.
#' @param mechanisms (character or list) Names of [mechanisms] or objects, such
#'   as `list("centred", mechanism("lw", scale = 0.5))`; also
#'   `"perturbed_histogram"` (needs `bounds`) and `"topcode"` (needs `top`).
#' @param epsilon (positive numbers) Total epsilons, for add-remove neighbours
#'   unless `neighbours` says otherwise. Default 5 and 1.
#' @param grid (data frame or `NULL`) One row for each run, instead of
#'   `mechanisms` and `epsilon`. Its columns are named after arguments of
#'   [pseudo_posterior()]: `mechanism` (required), `epsilon`, `neighbours`,
#'   `bounds`, `bins`, `margin_share`, and settings of mechanisms such as
#'   `scale` or `window`. A setting applies to the rows whose mechanism has it;
#'   `NA` means not stated. Default `NULL`.
#' @param m (count) How many releases of each mechanism are measured. Default
#'   20. A model is fitted once, and each release takes its own draw and, if
#'   calibrated, its own histogram. Mechanisms that only add noise take new
#'   noise for each release.
#' @param groups,regression The columns and the linear model that [utility()]
#'   measures. Default `NULL`: none. After a formula with a continuous response,
#'   however, the default regression is that formula.
#' @param radius,known What an intruder knows, as in [identification_risk()].
#'   With a `radius`, the mean identification risk is measured. After a formula,
#'   `radius`, `known` and, in `...`, `relative` are also passed to the
#'   mechanisms that have these settings. Settings in a mechanism object or in a
#'   column of `grid` take precedence.
#' @param calibrate (character) Which censored mechanisms are calibrated to a
#'   margin within `bounds`. The default is `"centred"`. Censored mechanisms
#'   that are not named stay as they were published in the papers. `"score"` is
#'   always calibrated. With a `grid`, all censored mechanisms are calibrated.
#' @param file (string or `NULL`) Where to keep finished rows, so that the same
#'   call can continue an interrupted run. Needs a `seed`. The file is
#'   confidential. Default `NULL`: nowhere.
#' @param seed As in [pseudo_posterior()].
#'
#' @return A `mechanism_comparison`: a list. Its data frame `table` has a row
#'   for each of the sets given, for each mechanism and epsilon, or for each row
#'   of `grid`, and these columns:
#'   * `mechanism` (or the name of the sets), `asked` (the epsilon asked for)
#'     and the other columns of `grid`;
#'   * `label`, `add_remove`, `replace`: what [guarantee()] states, namely its
#'     label and the totals claimed or proven;
#'   * `ecdf_max`, `ecdf_mean_squared`, `mean_ratio`, `sd_ratio`, `total_ratio`,
#'     `q90_ratio`, `q95_ratio`, `q99_ratio`, `shares`, `groups`, `r_squared`,
#'     `overlap`: means over sets, see [utility()]; `risk`: mean identification
#'     risk; and the Monte Carlo errors of these, ending in `_se` (over releases
#'     drawn from a fit, without the variation from refitting);
#'   * `seconds`, `problem` (why a row is empty), `remarks`.
#'
#'   The list also has `settings` (the columns of `grid` that the table has),
#'   `m`, `confidential` (the file's R2), `variable` and `interrupted` (flag: if
#'   `TRUE`, the table holds only the finished rows). If there is a reference
#'   and no `grid`, the row `"reference"` shows what the reference alone gives,
#'   without this file. The comparison is confidential.
#'
#' @section Error types:
#' `pseudosynth_error_input`: sets of different records, sets with other values
#' in a shared column, sets without a column that is measured, or wrong
#' arguments as in [pseudo_posterior()]. If a mechanism cannot reach its target,
#' or a fit has not converged, the row is empty and its `problem` says why.
#' @section Privacy:
#' The table is computed from the file and from sets that are not released: it
#' is for the agency only. Settings chosen from the table depend on the file.
#' For a strict label, compare on a historical or public file instead. Labels of
#' weighted mechanisms are claims; see [guarantee()].
#' @section Many cores:
#' Rows run on the workers of the future package if a plan is set:
#' `future::plan("multisession")` uses the cores of this machine, `"cluster"`
#' those of other machines with this package. Forked workers (`"multicore"`) are
#' refused, because threads do not survive a fork. Results do not depend on the
#' number of workers. A worker that dies is an error of class
#' `pseudosynth_error_worker`; finished rows are in `file`.
#' @seealso [pseudo_posterior()], [utility()], [identification_risk()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:300, ]
#' lw <- pseudo_posterior(log(income) ~ ., small, gaussian(), "lw",
#'   m = 2, prior = prior_normal(), chains = 2, draws = 1000, seed = 1
#' )
#' reference <- list("(Intercept)" = 10.8, sigma = 1)
#' strict <- pseudo_posterior(log(income) ~ ., small, gaussian(), "score",
#'   epsilon = 2, m = 5, reference = reference, bounds = c(10, 2e6), seed = 1
#' )
#' coded <- topcode(income ~ age + earner, small, top = 150000)
#' compare(lw, strict, coded, groups = "age", radius = 0.2, known = "age")
#' \donttest{
#' # Run several mechanisms
#' compare(log(income) ~ ., small, student_t(3),
#'   mechanisms = c("centred", "unweighted"), epsilon = 2,
#'   reference = reference, bounds = c(10, 2e6), groups = c("age", "earner"),
#'   m = 2, chains = 2, draws = 500
#' )
#' # Vary the settings of one
#' grid <- expand.grid(mechanism = "score", epsilon = 2, bins = c(20, 40))
#' compare(log(income) ~ ., small, student_t(3),
#'   grid = grid, reference = reference, bounds = c(10, 2e6), m = 2
#' )
#' }
#' @export
compare <- function(...) {
  UseMethod("compare")
}

#' @rdname compare
#' @export
compare.default <- function(..., data = NULL, variable = NULL, groups = NULL,
                            regression = NULL, radius = NULL, known = NULL) {
  releases <- named_sets(list(...), as.list(substitute(list(...)))[-1])
  data <- confidential_file(data, releases)
  variable <- synthetic_variable(releases[[1]], variable)
  check_same_file(releases, data, variable)
  sets <- lapply(releases, release_sets, data, variable)
  columns <- lapply(unlist(sets, recursive = FALSE), names)
  measure <- comparison_measure(
    data, Reduce(intersect, columns, names(data)), variable,
    release_transform(releases[[1]]), groups, regression, radius, known
  )
  rows <- Map(function(release, name, sets) {
    job <- if (is_job(release)) release
    comparison_row(name, job$epsilon, measure, list(
      sets = sets, remarks = job$remarks,
      label = if (knows_itself(release)) guarantee(release)
    ))
  }, releases, names(releases), sets)
  new_comparison(do.call(rbind, unname(rows)), measure, variable)
}

#' @rdname compare
#' @export
compare.formula <- function(formula, data, family = student_t(),
                            mechanisms = c(
                              "centred", "censor_uw", "lw", "lw_final",
                              "unweighted"
                            ),
                            epsilon = c(5, 1), ..., grid = NULL, m = 20,
                            groups = NULL, regression = NULL, radius = NULL,
                            known = NULL, calibrate = "centred", file = NULL,
                            seed = NULL) {
  m <- check_argument(m)
  check_rows_file(file, seed)
  if (is.null(grid)) {
    each <- if (length(epsilon) > 0) as.list(epsilon) else list(epsilon)
    for (value in each) check_argument(value, arg = "epsilon")
    calibrate <- check_calibrate(calibrate)
    one <- inherits(mechanisms, "privacy_mechanism")
    named <- if (one) list(mechanisms) else mechanisms
    check_mechanism_names(named, "mechanisms")
  } else {
    refuse_if(
      !missing(mechanisms) || !missing(epsilon),
      "With {.arg grid}, leave {.arg mechanisms} and {.arg epsilon} out.",
      i = "{.arg grid} states the mechanisms and their epsilons.",
      arg = if (missing(mechanisms)) "epsilon" else "mechanisms"
    )
    grid <- check_grid(grid)
    calibrate <- NULL
    named <- grid$mechanism
  }
  chosen <- lapply(
    named, choose_mechanism, c("stages", "release"),
    if (is.null(grid)) "mechanisms" else "mechanism"
  )
  open <- open_mechanisms(chosen)
  # The intruder of the weights is that of the risk
  taken <- intersect(c("radius", "known"), unlist(lapply(open, settings_of)))
  given <- sort_arguments(
    c(given_dots(...), mget(as.character(taken))), open,
    also = c(
      "margin", "neighbours", "allow_unconverged", "relative",
      if (is.null(grid)) "reference"
    )
  )
  # Every column must be taken by a mechanism of the grid
  settings <- setdiff(names(grid), c("mechanism", "epsilon"))
  sort_arguments(as.list(grid[settings]), open, "neighbours")
  job <- new_job(
    formula, data, family, given$fit,
    given$also$neighbours %||% "add-remove", seed,
    given$also$allow_unconverged %||% FALSE
  )
  if (is.null(regression) && job$family$kind == "continuous") {
    regression <- histogram_formula(job$formula, job$family)
  }
  response <- job$model$response
  relative <- given$also$relative %||% TRUE
  # Sets hold the columns of the model and no others
  measure <- comparison_measure(
    job$data, model_columns(job$model), response$name, response$transform,
    groups, regression, radius, known, relative
  )
  cases <- if (is.null(grid)) {
    crossed_cases(chosen, given, epsilon)
  } else {
    Map(list, mechanism = chosen, row = grid_rows(grid))
  }
  jobs <- lapply(cases, case_job, job, given, calibrate)
  if (!is_no_margin(given$margin)) {
    check_margin_taken(
      jobs, c(names(given$margin), names(given$also), settings)
    )
  }
  found <- run_comparison(
    jobs, m, measure, list(groups, regression, radius, known, relative), file
  )
  table <- do.call(rbind, found$rows)
  if (length(settings) > 0) {
    varied <- grid[found$numbers, settings, drop = FALSE]
    table <- cbind(table[1:2], varied, table[-(1:2)])
  }
  rownames(table) <- NULL
  new_comparison(
    table, measure, response$name, m, if (!is.null(grid)) settings,
    found$interrupted
  )
}

#' @param m (count or `NULL`) Releases of a mechanism; `NULL`: the sets existed.
#' @param settings (character or `NULL`) Varied in a grid; `NULL`: no grid.
#' @noRd
new_comparison <- function(table, measure, variable, m = NULL, settings = NULL,
                           interrupted = FALSE) {
  new_result(
    "mechanism_comparison",
    table = table, settings = settings, m = m, variable = variable,
    confidential = measure$confidential, interrupted = interrupted
  )
}

# Sets that exist --------------------------------------------------------------

#' Sets by the names that were given, or as they were written
#' @noRd
named_sets <- function(releases, written) {
  given <- rlang::names2(releases)
  strange <- !vapply(releases, is_release, TRUE)
  misspelt <- given[strange & given != ""]
  refuse_if(
    length(releases) == 0 || any(strange),
    "{.arg ...} must be jobs, synthetic data, data frames or lists of these.",
    x = if (length(misspelt) > 0) {
      "{cli::qty(length(misspelt))}{.arg {misspelt}} {?is neither a set nor an
       argument/are neither sets nor arguments} of {.fn compare}."
    } else if (any(strange)) {
      "It holds {describe_type(releases[[which(strange)[1]]])}."
    },
    i = "Draw sets with {.fn synthesize}. To run mechanisms, give a formula
         first.",
    arg = "..."
  )
  names <- Map(function(release, given, written) {
    # Written as a whole call: by what it did
    called <- if (is_job(release)) release$mechanism else "sets"
    if (is.symbol(written)) called <- as.character(written)
    if (given != "") given else called
  }, releases, given, written)
  stats::setNames(releases, make.unique(unlist(names)))
}

#' Does it say itself what it is of?
#' @noRd
knows_itself <- function(x) inherits(x, c("pseudo_posterior", "synthetic_data"))

is_release <- function(x) {
  knows_itself(x) || is.data.frame(x) ||
    is.list(x) && !is.object(x) && length(x) > 0 &&
      all(vapply(x, is.data.frame, NA))
}

check_same_file <- function(releases, data, variable) {
  same <- vapply(releases, function(release) {
    if (!knows_itself(release)) {
      return(TRUE)
    }
    file <- if (is_job(release)) job_data(release) else data
    # A job holds the columns of its model, or more: what both hold must agree
    shared <- intersect(names(file), names(data))
    identical(synthetic_variable(release, NULL), variable) &&
      nrow(file) == nrow(data) && variable %in% shared &&
      all(mapply(function(a, b) identical(plain_values(a), plain_values(b)),
        file[shared], data[shared]
      ))
  }, TRUE)
  other <- names(releases)[!same]
  refuse_if(
    length(other) > 0, "All sets must be of the same records.",
    x = "{.val {other}} {?is/are} of another file or response.", arg = "..."
  )
}

# Mechanisms to run ------------------------------------------------------------

#' Mechanisms that can have a margin, by our names
#' @noRd
check_calibrate <- function(calibrate) {
  if (length(calibrate) > 0) check_mechanism_names(calibrate, "calibrate")
  vapply(calibrate, function(name) {
    found <- find_mechanism(name, "stages", "calibrate")
    refuse_if(
      found$kind != "censored",
      "{.arg calibrate} must name censored mechanisms.",
      x = "{.val {found$name}} is not censored and cannot have a margin.",
      arg = "calibrate"
    )
    found$name
  }, "", USE.NAMES = FALSE)
}

#' A list of names or mechanisms, and no column of a file
#' @noRd
check_mechanism_names <- function(x, arg) {
  named <- (is.list(x) && !is.data.frame(x)) ||
    (is.character(x) && length(x) <= 2 * length(mechanisms()))
  check_that(
    named && length(x) > 0, x, "{.arg {arg}} must be names of mechanisms.",
    arg = arg
  )
}

check_grid <- function(grid) {
  grid <- as.data.frame(check_data_frame(grid))
  grid[] <- lapply(grid, function(x) if (is.factor(x)) as.character(x) else x)
  fitted <- intersect(names(grid), fit_arguments())
  refuse_if(
    !"mechanism" %in% names(grid) || length(fitted) > 0,
    "The columns of {.arg grid} must be {.code mechanism} and other
     arguments of {.fn pseudo_posterior}.",
    x = if (length(fitted) > 0) {
      "{cli::qty(length(fitted))}{.val {fitted}} cannot differ between rows:
       give {?it/them} in {.arg ...}."
    },
    arg = "grid"
  )
  grid
}

#' What each row states; NA is not stated
#' @noRd
grid_rows <- function(grid) {
  lapply(seq_len(nrow(grid)), function(i) {
    Filter(function(x) {
      !(is.atomic(x) && length(x) == 1 && is.na(x))
    }, lapply(grid, `[[`, i))
  })
}

#' Mechanisms that claim an epsilon at each of them, the others once, and what a
#' reference gives alone
#' @return (list) `mechanism` and `row` of each case, see case_job().
#' @noRd
crossed_cases <- function(chosen, given, epsilon) {
  chosen <- lapply(chosen, with_settings, given$settings)
  own <- lapply(chosen, function(x) x$settings$reference)
  reference <- Filter(Negate(is.null), c(given$also["reference"], own))
  if (length(reference) > 0) {
    alone <- new_mechanism(
      definition_reference(), list(reference = reference[[1]])
    )
    names <- vapply(chosen, `[[`, "", "name")
    chosen <- c(chosen, if (!alone$name %in% names) list(alone))
  }
  cases <- lapply(chosen, function(mechanism) {
    values <- if (claims_epsilon(mechanism)) epsilon else list(NULL)
    lapply(values, function(value) {
      list(mechanism = mechanism, row = list(epsilon = value))
    })
  })
  unlist(cases, recursive = FALSE)
}

#' The job of a case
#' @param case (list) `mechanism`: one, or a definition; `row`: what takes the
#'   place of what is given for all cases.
#' @param given (list) See sort_arguments().
#' @param calibrate (character or `NULL`) Censored mechanisms with a margin;
#'   `NULL`: all.
#' @noRd
case_job <- function(case, job, given, calibrate) {
  row <- case$row
  put <- function(x, names) {
    own <- intersect(names(row), names)
    x[own] <- row[own]
    x
  }
  job$neighbours <- check_argument(
    row$neighbours %||% job$neighbours, arg = "neighbours"
  )
  mechanism <- with_settings(
    case$mechanism, put(given$settings, settings_of(case$mechanism))
  )
  margin <- resolve_margin(
    given$also$margin, put(given$margin, margin_arguments)
  )
  takes <- takes_margin(mechanism) && (mechanism$kind != "censored" ||
    mechanism$name %in% (calibrate %||% mechanism$name))
  # What a row states for itself must be of use to it
  states <- any(c("bins", "margin_share") %in% names(row))
  assign_mechanism(
    job, mechanism, row$epsilon,
    margin = if (takes || states) margin,
    # The margin's bounds are public ends for all rows
    bounds = row$bounds %||% given$margin$bounds %||% margin_ends(margin)
  )
}

#' A margin that no row has
#' @param stated (character) Names of arguments that were given.
#' @noRd
check_margin_taken <- function(jobs, stated) {
  taken <- vapply(jobs, function(job) !is.null(job$margin), TRUE)
  names <- unique(vapply(jobs, function(job) job$mechanism$name, ""))
  refuse_if(
    any(c("margin", "bins", "margin_share") %in% stated) && !any(taken),
    "At least one mechanism of the comparison must use the {.arg margin}.",
    x = "{.val {names}} {?does/do} not.",
    i = "Censored mechanisms use it if {.arg calibrate} names them; {.val score}
         and {.val perturbed_histogram} always do.",
    i = "Leave {.arg margin}, {.arg bins} and {.arg margin_share} out.",
    arg = "margin"
  )
}

# Rows -------------------------------------------------------------------------

#' Run the jobs of all rows, the unweighted fit once
#' @param measure (list) See comparison_measure().
#' @param measured (list) What it was made of.
#' @param file (string or `NULL`) Where finished rows are kept.
#' @return (list) See finished_rows().
#' @noRd
run_comparison <- function(jobs, m, measure, measured, file) {
  for (job in jobs) {
    own_draws <- job$mechanism$kind != "scores" && is.null(job$margin) &&
      !is.null(definition_of(job$mechanism)$stages)
    if (own_draws) check_enough_draws(job, m, "m")
  }
  kept <- open_rows_file(file, vapply(jobs, comparison_key, "", m, measured))
  starts <- setdiff(which(vapply(jobs, function(job) {
    definition_of(job$mechanism)$from_unweighted
  }, TRUE)), kept$numbers)
  if (length(starts) > 0) {
    first <- told_already(unweighted_fit(jobs[[starts[1]]]))
    jobs[starts] <- lapply(jobs[starts], replace, "first", list(first))
  }
  finished_rows(
    length(jobs), row_of_job(m, measure), "a mechanism",
    item = function(i) {
      job <- jobs[[i]]
      job$run$threads <- worker_threads(job$run$threads)
      job
    }, kept = kept
  )
}

#' A function of a job that a worker can be sent without the other jobs
#' @noRd
row_of_job <- function(m, measure) {
  force(m)
  force(measure)
  function(job) run_row(job, m, measure)
}

#' All that decides a row; the threads do not
#' @noRd
comparison_key <- function(job, m, measured) {
  job$run$threads <- job$fit_arguments$threads <- NULL
  row_key(unclass(job), m, measured)
}

# The measures of a row, in the order of the table
comparison_figures <- c(
  "ecdf_max", "ecdf_mean_squared", "mean_ratio", "sd_ratio", "total_ratio",
  "q90_ratio", "q95_ratio", "q99_ratio", "shares", "groups", "r_squared",
  "overlap", "risk"
)

#' What is measured of every release
#' @param columns (character) Those that all sets have.
#' @return (list) `of` (function of sets; gives a data frame, a row for each
#'   set), `confidential` (the file's R2).
#' @noRd
comparison_measure <- function(data, columns, variable, transform, groups,
                               regression, radius, known, relative = TRUE) {
  check_groups(groups, columns, variable)
  if (!is.null(radius)) check_radius(radius, relative)
  known <- check_known(known, data, variable)
  if (!is.null(regression)) {
    check_formula(regression)
    regression <- without_dot(regression, columns, names(data))
    check_names(all.vars(regression), columns, arg = "regression")
  }
  if (!transform %in% utility_scales) transform <- "identity"
  list(
    of = function(sets) {
      case <- variable_case(
        sets, data, variable, groups, transform,
        list(regression = check_models(regression))
      )
      table <- judgement(case, utility_measures(), fresh = FALSE)$table
      if (!is.null(radius)) {
        table$risk <- identification_risk(
          sets, data, known, radius, relative, variable
        )$set$mean_risk
      }
      table
    },
    confidential = if (!is.null(regression)) {
      model_fit(regression, data)$r_squared
    }
  )
}

#' A job, released `m` times and measured
#' @noRd
run_row <- function(job, m, measure) {
  started <- proc.time()[["elapsed"]]
  definition <- definition_of(job$mechanism)
  at <- if (!is.null(job$epsilon)) c(", epsilon ", format_figure(job$epsilon))
  tell_step(paste(c(definition$short, at), collapse = ""))
  release <- definition$release %||% release_jobs
  found <- tryCatch(
    suppressMessages(release(job, m), classes = "pseudosynth_message_bounds"),
    pseudosynth_error_privacy = function(e) list(problem = e),
    pseudosynth_error_sampler = function(e) list(problem = e)
  )
  asked <- if (definition$kind == "no data") 0 else job$epsilon
  comparison_row(definition$name, asked, measure, found, started)
}

#' @param found (list) `sets`, their `label` and `remarks`, as far as there are
#'   any; or `problem`, the error in their place.
#' @param started (number) By the clock.
#' @noRd
comparison_row <- function(mechanism, asked, measure, found,
                           started = NA_real_) {
  total <- found$label$epsilon$total
  row <- data.frame(
    mechanism = mechanism, asked = asked %||% NA_real_,
    label = found$label$label %||% "-",
    add_remove = total[["add-remove"]] %||% NA_real_,
    replace = total[["replace"]] %||% NA_real_
  )
  row[c(comparison_figures, paste0(comparison_figures, "_se"))] <- NA_real_
  if (is.null(found$problem)) {
    table <- measure$of(found$sets)
    table <- table[intersect(comparison_figures, names(table))]
    row[names(table)] <- colMeans(table)
    row[paste0(names(table), "_se")] <- vapply(table, stats::sd, 0) /
      sqrt(nrow(table))
  }
  row$seconds <- proc.time()[["elapsed"]] - started
  problem <- if (is.null(found$problem)) "" else conditionMessage(found$problem)
  # One line, so that a table keeps its rows
  row$problem <- trimws(gsub("[[:space:]]+", " ", cli::ansi_strip(problem)))
  row$remarks <- paste(found$remarks, collapse = " ")
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
      fit, 1, what = "synthetic data", margin = margin_part(draws$margin)
    )
  )
}

synthesize_sets <- function(job, fit, m) {
  margin <- NULL
  made <- lapply(seq_len(if (is.null(job$margin)) 1 else m), function(j) {
    if (!is.null(job$margin)) {
      # One release takes one histogram: a new one for each
      job["seed"] <- list(stage_seed(job$seed, "release", j))
      margin <<- suppressMessages(job_margin(job))
    }
    as.list(draw_sets(
      fit, if (is.null(margin)) m else 1,
      margin = margin, seed = stage_seed(job$seed, "sets"),
      allow_unconverged = job$allow_unconverged, bounds = job$bounds
    )$synthetic)
  })
  list(sets = unlist(made, recursive = FALSE), margin = margin)
}

# Printing ---------------------------------------------------------------------

#' First line of a comparison
#' @noRd
comparison_headline <- function(x) {
  if (is.null(x$m)) {
    return(sprintf(
      "Sets of %s: epsilon covers all sets; measures are averages over sets",
      x$variable
    ))
  }
  paste0(
    "Mechanisms on ", x$variable, ": one set per release, means over ",
    counted(x$m, "release"), if (x$interrupted) " (interrupted)"
  )
}

#' The columns of a comparison that are shown
#' @noRd
comparison_shown <- function(x) {
  table <- x$table
  shown <- data.frame(
    mechanism = table$mechanism, epsilon = table$asked, table[x$settings],
    label = table$label, "add-remove" = table$add_remove,
    replace = table$replace, check.names = FALSE
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
ratios_note <- "Mean and 95% quantile are ratios to the file's."

# Under every comparison
claims_note <-
  "Epsilons under the label \"asymptotic\" are claimed, not proven."

print_lines.mechanism_comparison <- function(x) {
  c(
    comparison_headline(x), paste0("  ", format_table(comparison_shown(x))),
    text_if(
      !is.null(x$confidential), "  R2 of the file: %s",
      format_figure(x$confidential)
    ),
    unlist(lapply(problem_lines(x$table), wrap_line)),
    remark_lines(row_remarks(x$table)),
    if (any(is.finite(x$table$mean_ratio))) paste0("  ", ratios_note),
    paste0("  ", claims_note), paste0("  ", confidential_line())
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

#' What the fits of rows leave open, each remark once, with whose it is
#' @noRd
row_remarks <- function(table) {
  table <- table[nzchar(table$remarks), ]
  called <- function(mechanism) toString(unique(mechanism))
  names <- tapply(table$mechanism, table$remarks, called)
  sprintf("%s: %s", names, names(names))
}
