# Did the chains converge? The mixture's components exchange places, so that
# its parameters say nothing: it is judged by quantities that do not depend on
# the labels.

# How many of the worst records are computed exactly, by each of two criteria.
n_worst_records <- 20L

#' Diagnose a fit
#'
#' @param fit (`synthesizer`) With draws, monitor and the sampler's record.
#' @return The fit with `diagnostics` (data frame: `variable`, `rhat`,
#'   `ess_bulk`, `ess_tail`), `problems` (character, in the user's words: why
#'   it has not converged, or what to know about the run), `remarks` (character:
#'   what the prior alone decides) and `converged` (flag).
#' @noRd
diagnose <- function(fit) {
  values <- fit$monitor
  if (!is_mixture(fit$family)) values <- cbind(fit$draws, values)
  # Without any weight the weighted log-likelihood is 0 at every draw; where all
  # records are censored all over the posterior it is another constant. Chains
  # that are stuck are so in their parameters, too.
  constant <- !is.null(fit$censor) && !is_mixture(fit$family) &&
    length(unique(fit$monitor[, "log_lik"])) == 1
  if (constant || !has_active(fit)) {
    values <- values[, colnames(values) != "log_lik", drop = FALSE]
  }
  table <- diagnose_columns(values, fit$chain, fit$control$threads)
  if (is_mixture(fit$family)) table <- rbind(table, diagnose_worst_record(fit))
  fit$diagnostics <- table
  fit$met <- if (!is.null(fit$censor) && fit$control$sampler != "grid") {
    measure_meeting(values, fit$chain, fit$sampler$meeting)
  }
  judged <- judge(fit)
  fit$problems <- judged$problems
  fit$converged <- judged$converged
  fit$remarks <- remarks_of(fit)
  fit
}

#' R-hat and effective sample sizes of columns of draws
#'
#' The figures are those of the package posterior.
#' @param values (numeric matrix, S x M)
#' @param chain (integer, S)
#' @return (data frame, M rows) `variable`, `rhat`, `ess_bulk`, `ess_tail`; `NA`
#'   where a column did not move, or not to finite values.
#' @noRd
diagnose_columns <- function(values, chain, threads = 1L) {
  figures <- convergence_(values, length(unique(chain)), threads)
  list2DF(c(list(variable = colnames(values)), figures))
}

#' How far apart chains from independent starts have ended
#'
#' @param values (numeric matrix, S x M)
#' @param meeting (numeric) Sweeps after which coupled pairs of chains met.
#' @return (list) `distance`: the largest Kolmogorov distance of one chain's
#'   draws from those of all others, over all variables, `NA` for one chain;
#'   `chains`; `pairs`, `apart` (how many did not meet within warmup) and
#'   `latest`: the sweep at which the last pair met.
#' @noRd
measure_meeting <- function(values, chain, meeting) {
  each <- unique(chain)
  distance <- if (length(each) > 1) {
    max(apply(values, 2, function(x) {
      rank <- match(x, sort(unique(x)))
      max(vapply(each, function(c) one_against_others(rank, chain == c), 1))
    }))
  }
  meeting <- as.double(meeting)
  list(
    distance = distance %||% NA_real_, chains = length(each),
    pairs = length(meeting), apart = sum(!is.finite(meeting)),
    latest = max(0, meeting[is.finite(meeting)])
  )
}

#' The Kolmogorov distance of a part of a sample from the rest
#' @param rank (integer) Of the whole sample, equal for equal values.
#' @noRd
one_against_others <- function(rank, is_one) {
  n <- max(rank)
  one <- cumsum(tabulate(rank[is_one], n)) / sum(is_one)
  others <- cumsum(tabulate(rank[!is_one], n)) / sum(!is_one)
  max(abs(one - others))
}

#' The worst of all records' log-likelihoods
#'
#' A screen finds the records with the largest R-hat and the smallest effective
#' sample size; these few are then computed exactly. One row, which does not
#' say which record it was.
#' @noRd
diagnose_worst_record <- function(fit) {
  screen <- record_screen_(
    fit$spec, fit$draws, n_chains(fit), fit$control$threads
  )
  n <- min(n_worst_records, n_records(fit))
  worst <- unique(c(
    utils::head(order(-screen$rhat), n), utils::head(order(screen$ess), n)
  ))
  values <- log_lik_(subset_spec(fit$spec, worst), fit$draws)
  colnames(values) <- rep("record", ncol(values))
  table <- diagnose_columns(values, fit$chain)
  data.frame(
    variable = "log_lik[worst record]", rhat = max(table$rhat),
    ess_bulk = min(table$ess_bulk), ess_tail = min(table$ess_tail)
  )
}

#' Compare the diagnostics with the thresholds
#' @return (list) `problems` (character), `converged` (flag).
#' @noRd
judge <- function(fit) {
  control <- fit$control
  table <- fit$diagnostics
  failures <- c(
    text_if(
      fit$interrupted, "The run was interrupted: %s of %s draws are kept.",
      format_count(n_draws(fit)), format_count(control$draws * control$chains)
    ),
    judge_grid(fit$sampler), judge_stuck(table), judge_rhat(table, control),
    judge_distance(fit$met),
    if (fit$spec$prior$kind != "hierarchical") judge_pairs(fit$met),
    judge_crossing(fit), judge_ess(table, "ess_bulk", "Bulk", control),
    if (!is_mixture(fit$family)) judge_ess(table, "ess_tail", "Tail", control)
  )
  notes <- c(
    judge_replaced(control$replaced),
    if (length(failures) > 0 && is.null(fit$censor)) {
      c(judge_acceptance(fit$sampler$accept_stat, control), judge_ties(fit))
    } else if (length(failures) > 0) {
      judge_clipped(fit)
    },
    judge_depth(fit$sampler$treedepth, control)
  )
  divergent <- sum(fit$sampler$divergent)
  n <- length(fit$sampler$divergent)
  diverged <- text_if(
    divergent > 0,
    "%s of %s draws diverged: the chains may have missed a region; raise %s.",
    format_count(divergent), format_count(n), "`adapt_delta`"
  )
  many <- isTRUE(divergent > control$max_divergent * n)
  failures <- c(failures, if (many) diverged)
  list(
    problems = as.character(c(failures, notes, if (!many) diverged)),
    converged = length(failures) == 0
  )
}

#' Cells that hold mass and could not be split as far as wanted, and points that
#' were drawn too seldom
#' @noRd
judge_grid <- function(sampler) {
  if (length(sampler$grid) == 0) {
    return(NULL)
  }
  unresolved <- sampler$grid[["unresolved"]]
  share <- paste("a share of", format_figure(unresolved, 2))
  if (!is.finite(unresolved)) share <- "an unknown share"
  remedy <- "use `sampler_control(\"surrogate\")`"
  c(
    # Without a figure, where the likelihood overflows, nothing is resolved
    text_if(
      !isTRUE(unresolved <= 0.05),
      "The grid leaves %s of the posterior unresolved; %s.", share, remedy
    ),
    text_if(
      sampler$n_nonfinite > 0.02 * length(sampler$accept_stat),
      "At %s draws the density was higher than on the grid around them; %s.",
      format_count(sampler$n_nonfinite), remedy
    )
  )
}

judge_stuck <- function(table) {
  stuck <- table$variable[is.na(table$rhat) | is.na(table$ess_bulk)]
  text_if(
    length(stuck) > 0,
    "%s did not move, or became infinite: the chains are stuck.",
    name_some(stuck)
  )
}

judge_rhat <- function(table, control) {
  bad <- which(table$rhat > control$max_rhat)
  worst <- bad[order(-table$rhat[bad])]
  text_if(
    length(bad) > 0,
    "R-hat reaches %s (%s; the limit is %s): the chains disagree; %s.",
    format_rhat(table$rhat[worst[1]]), name_some(table$variable[worst]),
    format(control$max_rhat), more_of(control)
  )
}

# Chains that start from the prior, and coupled pairs of them.
# With an effective size of 100 in one chain and 300 in the others, the least
# that passes, chains of one law are farther apart than this once in 3,000 times
# a variable.
largest_distance_of_chains <- 0.25
largest_share_apart <- 0.1

judge_distance <- function(met) {
  text_if(
    met$distance > largest_distance_of_chains, unwrapped("The draws of one chain
       are at Kolmogorov distance %s from those of the others (the limit is
       %s)."),
    format_figure(met$distance, 2), largest_distance_of_chains
  )
}

# Not under the hierarchical prior: pairs must meet in all scales and
# correlations there, by one proposal for all, long after each has found the
# posterior. The label tells how many did.
judge_pairs <- function(met) {
  text_if(
    met$apart > largest_share_apart * met$pairs,
    "%s of %s coupled pairs of chains did not meet within warmup; %s.",
    format_count(met$apart), format_count(met$pairs),
    "raise `warmup`, or use a larger `epsilon` or a narrower prior"
  )
}

# The least share of proposals that each chain of a censored model accepts.
# These moves alone cross from one mode or plateau to another; slices and moves
# of one level stay; chains without others may agree in the wrong place. Pairs
# of chains show that moves cross; without them, as under the hierarchical prior
# with more than 12 parameters, proposals that are often accepted do. Honest
# fits accept a share of .18 and more with four parameters, .57 and more around
# a reference, and .015 where a narrow mode or many hyperparameters are in the
# way; those that stay where they were, 1e-8 and less.
least_accepted <- list(pairs = 0.001, no_pairs = 0.1)

#' Censored chains that hardly ever cross
#' @param fit (`synthesizer`) With `met`.
#' @noRd
judge_crossing <- function(fit) {
  if (is.null(fit$met) || fit$control$sampler != "surrogate") {
    return(NULL)
  }
  share <- min(tapply(fit$sampler$accept_stat, fit$chain, mean))
  has_pairs <- fit$met$pairs > 0
  least <- least_accepted[[if (has_pairs) "pairs" else "no_pairs"]]
  text_if(
    !isTRUE(share >= least), unwrapped("A chain accepted only a share of %s of
       its proposals (the limit%s is %s): it may be stuck in one of several
       modes."),
    format_figure(share, 2), if (has_pairs) "" else " without coupled pairs",
    format(least)
  )
}

judge_ess <- function(table, column, name, control) {
  bad <- which(table[[column]] < control$min_ess)
  worst <- bad[order(table[[column]][bad])]
  text_if(
    length(bad) > 0,
    "%s ESS falls to %s (%s; the limit is %s): %s; %s.", name,
    format_count(round(table[[column]][worst[1]])),
    name_some(table$variable[worst]), format(control$min_ess),
    "too few independent draws", more_of(control)
  )
}

judge_depth <- function(treedepth, control) {
  n_full <- sum(treedepth >= control$max_treedepth)
  text_if(
    control$sampler == "nuts" && n_full > 0.1 * length(treedepth),
    "%s of %s draws reached `max_treedepth`: they are valid but slow.",
    format_count(n_full), format_count(length(treedepth))
  )
}

# A reference, around which few records are censored, helps at any number of
# coefficients; a prior that does not reach where all are censored where there
# are few. Both are public knowledge, whose numbers are the user's own.
judge_clipped <- function(fit) {
  few <- fit$spec$n_columns <= 12
  remedies <- c(
    if (is.null(fit$censor$reference)) {
      "a `reference` for `censor()` (in a job `mechanism = \"centred\"`)"
    },
    if (fit$spec$prior$kind == "hierarchical" && few) "`prior_normal()`"
  )
  text_if(
    length(remedies) > 0,
    "Public knowledge helps a censored model to converge: %s.",
    paste(remedies, collapse = ", or ")
  )
}

judge_replaced <- function(reason) {
  text_if(
    !is.null(reason), "The surrogate sampler %s: NUTS ran instead.", reason
  )
}

# The posterior is far from any quadratic. Of censored ones judge_crossing() and
# judge_clipped() speak.
judge_acceptance <- function(accept_stat, control) {
  share <- mean(accept_stat)
  text_if(
    control$sampler == "surrogate" && share < control$min_acceptance,
    "The surrogate sampler accepted a share of %s of its proposals; %s.",
    format_figure(share, 2), "`prior_normal()` may help"
  )
}

#' The largest share of weight that equal values have
#' @noRd
largest_tie <- function(y, weight) {
  sorted <- order(y, method = "radix")
  ends <- c(which(diff(y[sorted]) != 0), length(y))
  weight <- cumsum(weight[sorted])[ends]
  max(diff(c(0, weight))) / weight[length(weight)]
}

#' Values so many of which are equal that a t density has no bound around them:
#' the posterior has no mass elsewhere, and no chain comes back from there
#' @noRd
judge_ties <- function(fit) {
  df <- fit$family$df
  if (fit$family$name != "student_t" || is.null(df)) {
    return(NULL)
  }
  share <- largest_tie(fit$spec$y, alpha_of(fit))
  text_if(
    share > df / (1 + df), unwrapped("%s of the values are equal. Above %s, a t
       density with df = %s is unbounded there, and longer runs do not help; use
       another family."),
    format_share(share), format_share(df / (1 + df)), format(df)
  )
}

more_of <- function(control) {
  longer <- "raise `warmup` and `draws`"
  augmented <- "raise `thin` or `warmup` and `draws`, or use a smaller K"
  if (control$sampler == "augmentation") augmented else longer
}

# Warn about a fit that has problems, once, when it is made.
warn_unless_converged <- function(fit) {
  if (length(fit$problems) > 0) {
    verdict <- "The fit has not converged: do not synthesize from it."
    if (fit$converged) verdict <- "The fit has converged, with a remark."
    warn_of(
      "convergence", verdict, x_bullets(fit$problems), problems = fit$problems
    )
  }
  invisible(fit)
}

# The check before every stage that uses a fit.

#' Refuse a fit that has not converged
#'
#' Later stages (weights, re-weighting, synthesis) call this first.
#' @param fit (`synthesizer`)
#' @param allow (flag) Has the user said to go on all the same?
#' @param arg (string) The argument by which the user allows it.
#' @return `fit`, invisibly.
#' @noRd
check_converged <- function(fit, allow = FALSE, arg = "allow_unconverged") {
  check_flag(allow, arg = arg)
  longer <- if (!inherits(fit, "external_fit")) {
    ", by more {.arg warmup} and {.arg draws}"
  }
  refuse_if(
    !isTRUE(fit$converged) && !allow, "The fit must have converged.",
    x_bullets(fit$problems), i = paste0("Run it longer", longer, ". Or use it as
     it is, by {.code {arg} = TRUE}: the label is then {.val none}."),
    problems = fit$problems, abort = abort_privacy
  )
  invisible(fit)
}

# Chains that agree and have too few independent draws go on from where they
# are: what they have drawn is worth as much as what a longer run would draw.

#' Does the next run only make up for draws that an earlier one lacks?
#' @param fit (`synthesizer`) The earlier run, diagnosed.
#' @param control Settings of the next one.
#' @noRd
goes_on <- function(fit, control) {
  control$sampler == fit$control$sampler && has_too_few(fit) &&
    control$thin %% fit$control$thin == 0
}

#' What the core is asked for, so that with the draws of an earlier run there
#' are as many sweeps as `thin` wants
#'
#' A state holds no correlations of the hierarchical prior: a short warmup finds
#' them again. The random numbers are of a stream of its own.
#' @param control,fit As in `goes_on()`.
#' @param run The seed and the purpose of the first run.
#' @noRd
continued_control <- function(control, fit, run) {
  times <- control$thin / fit$control$thin
  control[c("seed", "init", "draws", "warmup", "thin")] <- list(
    seed_words(run$seed, run$purpose, control$thin), fit$state,
    as.integer((times - 1) * control$draws), min(control$warmup, 100L),
    fit$control$thin
  )
  control
}

#' The draws of a run and of its continuation, chain after chain, thinned
#' @param result What the core returned for the continuation.
#' @return `result`, as if one run had made both.
#' @noRd
join_runs <- function(fit, result, control) {
  n <- c(nrow(fit$draws), nrow(result$draws))
  rows <- rbind(
    matrix(seq_len(n[1]), ncol = control$chains),
    n[1] + matrix(seq_len(n[2]), ncol = control$chains)
  )
  every <- control$thin / fit$control$thin
  kept <- as.vector(rows[seq(every, nrow(rows), by = every), ])
  join <- function(first, second) {
    both <- if (is.matrix(second)) rbind(first, second) else c(first, second)
    keep_rows(both, kept, sum(n))
  }
  parts <- c("draws", "hyper", "monitor")
  result[parts] <- Map(join, fit[parts], result[parts])
  result$sampler$accept_stat <-
    join(fit$sampler$accept_stat, result$sampler$accept_stat)
  result$sampler$n_nonfinite <-
    fit$sampler$n_nonfinite + result$sampler$n_nonfinite
  result$seconds <- fit$seconds$chains + result$seconds
  result
}
