#' Compare finished jobs
#'
#' What [compare_mechanisms()] shows of mechanisms that it runs itself, for jobs
#' that are there: their labels, how near their sets come to the file, and on
#' request the identification risk.
#'
#' @param ... ([`pseudo_posterior`][pseudo_posterior]) Jobs on the same file,
#'   best named; without a name they are called as they are written.
#' @param groups,regression As in [compare_mechanisms()]; `regression = NULL`,
#'   the default, measures none.
#' @param risk_radius,risk_known As in [compare_mechanisms()].
#' @return A `mechanism_comparison`, see [compare_mechanisms()]: a row for each
#'   job. Its epsilons are those of all sets of the job, its measures those of
#'   one set, averaged over them; `asked` is the job's `epsilon`. Confidential.
#' @section Error types:
#' `pseudosynth_error_input`: other objects, jobs on other records or with
#' other values of a column that both hold, columns that a job has not
#' published.
#' @seealso [compare_mechanisms()], which also runs them
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:300, ]
#' lw <- pseudo_posterior(log(income) ~ ., small, gaussian(), "lw",
#'   m = 2, prior = prior_normal(), chains = 2, draws = 500, seed = 1
#' )
#' strict <- pseudo_posterior(log(income) ~ ., small, gaussian(), "score",
#'   epsilon = 2, m = 5, reference = list("(Intercept)" = 10.8, sigma = 1),
#'   bounds = c(10, 2e6), seed = 1
#' )
#' compare(lw, strict, groups = "age", risk_radius = 0.2, risk_known = "age")
#' @export
compare <- function(..., groups = NULL, regression = NULL, risk_radius = NULL,
                    risk_known = NULL) {
  jobs <- named_jobs(list(...), as.list(substitute(list(...)))[-1])
  data <- job_data(jobs[[1]])
  variable <- only_column(jobs[[1]]$synthetic)$name
  check_same_file(jobs, data, variable)
  check_groups(groups, names(data), variable)
  check_number(risk_radius, above = 0, null = TRUE)
  known <- check_known(risk_known, data, variable)
  if (!is.null(regression)) {
    check_formula(regression)
    regression <- without_dot(regression, Reduce(intersect, lapply(
      jobs, function(job) names(job$synthetic[[1]])
    )), names(data))
  }
  own <- only_column(jobs[[1]]$synthetic)$transform
  measure <- list(of = function(sets) {
    measure_sets(
      sets, data, variable, groups, regression,
      if (own %in% utility_scales) own else "identity", risk_radius, known
    )
  })
  rows <- Map(function(job, name) {
    label <- guarantee(job)
    total <- label$epsilon$total
    row <- finish_row(
      data.frame(
        mechanism = name, asked = job$epsilon %||% NA_real_,
        label = label$label, add_remove = total[["add/remove-one"]],
        replace = total[["replace-one"]]
      ),
      as.list(job$synthetic), measure, NA_real_
    )
    row$remarks <- paste(job$remarks, collapse = " ")
    row
  }, jobs, names(jobs))
  structure(
    list(
      table = do.call(rbind, unname(rows)),
      confidential = if (!is.null(regression)) {
        regression_of(regression, data)$r_squared
      },
      variable = variable, interrupted = FALSE, jobs = TRUE
    ),
    class = c("mechanism_comparison", "pseudosynth_result")
  )
}

#' Jobs by the names that were given, or as they were written
#' @noRd
named_jobs <- function(jobs, written) {
  if (length(jobs) == 0) {
    abort_input("At least one job must be given.", arg = "...")
  }
  given <- names(jobs) %||% rep("", length(jobs))
  misspelt <- given[given != "" & !vapply(jobs, is_job, TRUE)]
  if (length(misspelt) > 0) {
    takes <- setdiff(names(formals(compare)), "...")
    abort_input(
      "{cli::qty(length(misspelt))}{.arg {misspelt}} {?is no job and no
       argument/are no jobs and no arguments} of {.fn compare}.",
      i = "Beside jobs it takes {.arg {takes}}.",
      arg = "..."
    )
  }
  for (job in jobs) {
    if (inherits(job, "synthetic_data") || is.data.frame(job)) {
      abort_input(
        "{.arg ...} must be finished jobs of {.fn pseudo_posterior}.",
        x = "It holds {describe_type(job)}.",
        i = "Sets are measured against a file by
             {.code utility(synthetic, data)}.",
        arg = "..."
      )
    }
    check_class(
      job, "pseudo_posterior", "Make one with {.fn pseudo_posterior}.",
      arg = "..."
    )
  }
  plain <- given == ""
  given[plain] <- vapply(written[plain], function(x) {
    if (is.symbol(x)) as.character(x) else ""
  }, "")
  # Written as a whole call: by what they did
  unnamed <- given == ""
  given[unnamed] <- vapply(jobs[unnamed], function(job) job$mechanism, "")
  stats::setNames(jobs, make.unique(given))
}

check_same_file <- function(jobs, data, variable) {
  same <- vapply(jobs, function(job) {
    file <- job_data(job)
    # A job holds the columns of its model, or more: what both hold must agree
    shared <- intersect(names(file), names(data))
    identical(only_column(job$synthetic)$name, variable) &&
      nrow(file) == nrow(data) && variable %in% shared &&
      all(mapply(same_values, file[shared], data[shared]))
  }, TRUE)
  if (!all(same)) {
    other <- names(jobs)[!same]
    abort_input(
      "All jobs must be on the same records.",
      x = "{.val {other}} {?is/are} of another file or response than
           {.val {names(jobs)[1]}}.",
      arg = "..."
    )
  }
}

#' Are two columns the same values, whatever type holds them?
#' @noRd
same_values <- function(a, b) {
  plain <- function(x) {
    if (is.numeric(x)) as.double(x) else as.character(x)
  }
  identical(plain(a), plain(b))
}
