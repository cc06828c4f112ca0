# All columns of a file fitted under one weight a record: what a record adds is
# the sum over the regressions of its columns. Each regression has parameters
# and chains of its own, so that the largest sum over their draws is the sum of
# the largest.

#' Fit the regressions of all columns, or fit them again
#'
#' @param parts (list) What stays through all stages: `plan`, `predictors`,
#'   `mechanism` (string), `run` (see check_run()).
#' @param models (named list) Of public_regressions(); regressions that have a
#'   `fit` start from it.
#' @param weights (`privacy_weights` or `NULL`) One a record.
#' @param censor (`censoring_rule` or `NULL`) Of the whole record: its
#'   regressions share the interval's width.
#' @return A `file_synthesizer` with a bound.
#' @noRd
fit_jointly <- function(parts, models, weights = NULL, censor = NULL,
                        seed = NULL) {
  started <- proc.time()[["elapsed"]]
  n <- parts$plan$n_records
  weights <- as_privacy_weights(weights, n)
  check_joint_weights(weights, parts$plan)
  models <- map_regressions(models, function(own, k, name) {
    tell_long_step(paste("Fitting", name), as.double(n) * length(models)^2)
    alpha <- as.double(own$used) * if (is.null(weights)) 1 else weights
    # As a job of one column has it
    if (is.null(weights) && all(own$used)) alpha <- NULL
    # Its seed is also that of the job of a file with one regression
    seed <- if (k == 1) seed else stage_seed(seed, "column", k)
    rule <- shared_rule(censor, own$share / length(models))
    own$fit <- suppressWarnings(
      if (is.null(own$fit)) {
        fit_model(
          own$model, alpha, rule, replace(parts$run, "seed", list(seed))
        )
      } else {
        update(own$fit, privacy_weights = alpha, seed = seed)
      },
      classes = "pseudosynth_warning_convergence"
    )
    # Of the whole file is the label, and what is drawn
    own$fit$part_of_file <- TRUE
    own$fit <- seal(own$fit)
    # The fit has it
    own["model"] <- NULL
    own
  })
  new_joint_fit(
    parts, models, weights, censor, is_seeded(seed),
    proc.time()[["elapsed"]] - started, new_charge_id(seed)
  )
}

#' Refuse weights that were not made for whole records of this file
#'
#' A rule of a column, and weights of other records or in another order, would
#' have a label that says what it does not know. What a user gives by hand, and
#' a public number, say so themselves.
#' @noRd
check_joint_weights <- function(weights, plan) {
  if (is.null(weights)) {
    return(invisible())
  }
  mark <- plan_mark(plan)
  fits <- function(node) {
    inner <- node$of
    own <- node$scheme == "user" || !is.null(public_number(node)) ||
      identical(node$made_from, mark) ||
      length(node$made_from) == 0 && length(inner) > 0
    own && all(vapply(inner, fits, NA))
  }
  refuse_privacy(
    !fits(node_of(weights)),
    "{.arg privacy_weights} must be made for whole records of this file, in this
     order.",
    x = "They come from another file, another order of records, another model
         or the rule of a single column.",
    i = "Make them from the result of {.fn fit_file}, or leave them out.",
    arg = "privacy_weights", class = "pseudosynth_error_other_records"
  )
}

#' A mark of a plan's records
#' @noRd
plan_mark <- function(plan) {
  rlang::hash(list(
    plan$codes, lapply(plan$amounts, function(own) {
      unclass(own)[c("records", "values")]
    })
  ))
}

#' Marks of a plan's columns, as its file has them
#' @param first (character) Columns that are drawn.
#' @return (named character) See record_marks().
#' @noRd
plan_marks <- function(plan, first) {
  if (!is.null(plan$members)) {
    data <- members_of_file(plan$members)
    return(record_marks(data, names(data)))
  }
  data <- decode_records(plan, plan$codes, plan$amounts)
  record_marks(data, union(first, names(data)))
}

#' The share of a rule's interval that one regression has
#' @noRd
shared_rule <- function(censor, share) {
  if (is.null(censor)) {
    return(NULL)
  }
  censor(lower = share * censor$lower, upper = share * censor$upper)
}

#' Each regression of each column changed, in their order
#' @param f (function of a regression, its number and its column)
#' @noRd
map_regressions <- function(models, f) {
  k <- 0
  for (name in names(models)) {
    for (i in seq_along(models[[name]]$part$steps)) {
      k <- k + 1
      models[[name]]$part$steps[[i]] <- f(
        models[[name]]$part$steps[[i]], k, name
      )
    }
    if (!is.null(models[[name]]$value)) {
      k <- k + 1
      models[[name]]$value <- f(models[[name]]$value, k, name)
    }
  }
  models
}

#' The regressions of a column, or of all
#' @return (list)
#' @noRd
regressions_of <- function(model) {
  c(model$part$steps, if (!is.null(model$value)) list(model$value))
}

all_regressions <- function(models) {
  unlist(unname(lapply(models, regressions_of)), recursive = FALSE)
}

# The bound --------------------------------------------------------------------

#' The bound of a record in all columns: the sum of its bounds
#'
#' A set takes a draw of each regression, and draws of one say nothing of those
#' of another: the bounds add up. The largest sum is below the sum of the
#' largest, which no record need reach.
#' @param bounds (list of `lipschitz_bound`) Each of all records.
#' @return (`lipschitz_bound`) Without bounds of draws: there are as many as
#'   there are combinations.
#' @noRd
summed_bound <- function(bounds, weighted, whose = "a record") {
  total <- function(part) Reduce(`+`, lapply(bounds, `[[`, part))
  record <- total("record")
  new_result(
    "lipschitz_bound",
    overall = max(record), record = record, draw = numeric(),
    oscillation = total("oscillation"), kept = bounds[[1]]$kept, quantile = 1,
    nonfinite = counts_met(Reduce(`+`, lapply(bounds, function(bound) {
      counts_of_all(bound$nonfinite, length(record))
    }))),
    unit = paste("all columns of", whose), weighted = weighted
  )
}

#' What each column has of the largest sum, in the record that has it
#' @return (named numeric) Shares of 1.
#' @noRd
column_shares <- function(models, bound) {
  n <- length(models)
  if (!is.finite(bound$overall) || bound$overall == 0) {
    return(stats::setNames(rep(1 / n, n), names(models)))
  }
  most <- which.max(bound$record)
  vapply(models, function(model) {
    own <- vapply(regressions_of(model), function(own) {
      own$fit$bound$record[most]
    }, 1)
    sum(own) / bound$overall
  }, 1)
}

# The fit ----------------------------------------------------------------------

new_joint_fit <- function(parts, models, weights, censor, seeded, seconds, id) {
  fits <- lapply(all_regressions(models), `[[`, "fit")
  bound <- summed_bound(
    lapply(fits, `[[`, "bound"), !is.null(weights) || !is.null(censor),
    if (is.null(parts$plan$members)) "a record" else file_unit_text(parts$plan)
  )
  good <- vapply(fits, function(fit) isTRUE(fit$converged), TRUE)
  n <- parts$plan$n_records
  seeded <- seeded || (!is.null(weights) && is_reproducible(node_of(weights)))
  x <- new_result(
    c("file_synthesizer", "external_fit"),
    plan = parts$plan, models = models, predictors = parts$predictors,
    kinds = vapply(models, function(model) "regression", ""),
    mechanism = parts$mechanism, privacy_weights = weights, censor = censor,
    bound = bound, records_mark = plan_mark(parts$plan),
    column_marks = plan_marks(parts$plan, names(models)),
    shares = if (is.null(censor)) {
      column_shares(models, bound)
    } else {
      vapply(models, function(model) 1 / length(models), 1)
    },
    # Records and draws are counted in these, as in any other fit
    spec = list(alpha = rep(1, n), y = rep(NA_real_, n)),
    draws = matrix(numeric(), length(bound$kept), 0),
    converged = all(good), problems = unconverged_problems(models, good),
    # What a label asks of one fit holds of all, since all have one run
    prior = fits[[1]]$prior, control = slowest_control(fits), quantile = 1,
    dropped = 0L, seed_given = seeded, reproducible = seeded, id = id,
    seconds = list(total = seconds), run = parts$run,
    again = fit_jointly_again
  )
  x$inputs <- joint_inputs(x)
  if (seeded) x$id <- hashed_id(lapply(fits, `[[`, "id"))
  seal(x)
}

unconverged_problems <- function(models, good) {
  names <- rep(names(models), lengths(lapply(models, regressions_of)))
  vapply(unique(names[!good]), function(name) {
    n <- sum(names == name & !good)
    sprintf(
      "%s of `%s` %s not converged.", counted(n, "regression"), name,
      if (n == 1) "has" else "have"
    )
  }, "", USE.NAMES = FALSE)
}

#' Of a run of chains, if any of the fits was one
#' @noRd
slowest_control <- function(fits) {
  chains <- vapply(fits, function(fit) fit$control$sampler != "grid", TRUE)
  fits[[c(which(chains), 1L)[1]]]$control
}

#' What the label rests on and the plan states
#' @return (named character)
#' @noRd
joint_inputs <- function(x) {
  plan <- x$plan
  fits <- lapply(all_regressions(x$models), `[[`, "fit")
  plans <- unique(vapply(fits, function(fit) plan_text(fit$control), ""))
  priors <- unique(vapply(fits, function(fit) format(fit$prior), ""))
  c(
    values = "as in the codebook, which was confirmed as public",
    confirmed_text(plan$confirmed),
    predictors = published_text(plan$published),
    if (!is.null(plan$members)) c(unit = file_unit_text(plan)),
    members_inputs(plan),
    models = paste(
      "regressions of", toString(names(x$models)),
      "on the columns before them; levels by repeated halving, amounts by",
      "part and value;",
      "bins, centres and scales of the codebook"
    ),
    prior = paste(priors, collapse = "; "),
    if (length(rule_texts(plan)) > 0) {
      c(rules = paste(rule_texts(plan), collapse = "; "))
    },
    scheme_inputs(x$privacy_weights),
    if (!is.null(x$censor)) {
      ends <- vapply(x$censor[c("lower", "upper")], format_exact, "")
      c(
        interval = sprintf(
          paste(
            "[%s, %s] for a whole %s: columns share it evenly, and the",
            "regressions of a column share its part"
          ), ends[1], ends[2],
          if (is.null(plan$members)) "record" else "household"
        ),
        "sampling plan" = paste(plans, collapse = "; ")
      )
    }
  )
}

#' The same regressions of the same records under other weights
#'
#' What update() does with a fit that knows how it is made again, see
#' update.external_fit().
#' @noRd
fit_jointly_again <- function(object, privacy_weights, ..., seed = NULL) {
  check_no_dots(..., hint = "See {.fn fit_file}.")
  check_sealed(object)
  check_argument(seed)
  if (missing(privacy_weights)) privacy_weights <- object$privacy_weights
  fit_jointly(
    unclass(object)[c("plan", "predictors", "mechanism", "run")],
    object$models, privacy_weights, object$censor, seed
  )
}
