# The stages of a job: its fits, their table, their lines.

#' One row per stage
#' @noRd
stage_table <- function(fits) {
  rows <- lapply(names(fits), function(stage) {
    fit <- fits[[stage]]
    if (inherits(fit, "score_release")) {
      return(release_row(stage, fit))
    }
    label <- label_of_fit(fit, 1)
    # The weights themselves: a reference's factor is the rule's
    alpha <- alpha_of(fit)
    epsilon <- label$epsilon$per_draw
    data.frame(
      stage = stage,
      delta = fit$bound$overall,
      two_delta = 2 * fit$bound$overall,
      oscillation = max(fit$bound$oscillation),
      alpha_min = min(alpha),
      alpha_median = stats::median(alpha),
      epsilon_add_remove = epsilon[["add/remove-one"]],
      epsilon_replace = epsilon[["replace-one"]],
      label = label$label,
      converged = isTRUE(fit$converged),
      seconds = stage_seconds(fit)
    )
  })
  do.call(rbind, rows)
}

#' Noisy sums have no bound over draws and no weights of the file
#' @noRd
release_row <- function(stage, release) {
  label <- guarantee(release)
  data.frame(
    stage = stage, delta = NA_real_, two_delta = NA_real_,
    oscillation = NA_real_, alpha_min = NA_real_, alpha_median = NA_real_,
    epsilon_add_remove = label$epsilon$total[["add/remove-one"]],
    epsilon_replace = label$epsilon$total[["replace-one"]],
    label = label$label, converged = NA, seconds = NA_real_
  )
}

#' A re-weighted stage took all the refits of its search
#' @noRd
stage_seconds <- function(fit) {
  search <- fit$reweighting$search
  if (is.null(search)) fit$seconds$total %||% NA_real_ else sum(search$seconds)
}

stage_lines <- function(stages) {
  shown <- data.frame(
    stage = stages$stage, Delta = stages$delta, "2 Delta" = stages$two_delta,
    oscillation = stages$oscillation, "min alpha" = stages$alpha_min,
    "median alpha" = stages$alpha_median,
    converged = ifelse(stages$converged, "yes", "NO"), check.names = FALSE
  )
  # Without draws there is nothing to tell of them
  if (all(is.na(stages$converged))) {
    return(NULL)
  }
  paste0("  ", format_table(shown))
}

#' What a job repeats of its fits' remarks
#'
#' Noisy sums have none: they know no record. Sets that were drawn have ends
#' wherever their mean needs some.
#' @noRd
remarks_of_model <- function(fit) {
  if (inherits(fit, "synthesizer")) setdiff(fit$remarks, remark_no_mean(fit))
}

#' Lines of remarks, for prints that are confidential
#' @noRd
remark_lines <- function(remarks) {
  unlist(lapply(remarks, function(remark) {
    paste0("  ", strwrap(paste("remark:", remark), 76, exdent = 2))
  }))
}

#' The mechanism of a job in words
#' @noRd
describe_job <- function(x) {
  paste0(
    x$internal$label$title,
    if (!is.null(x$internal$margin)) ", calibrated to a perturbed histogram"
  )
}

#' @param drawn (list) `synthetic` and `label`, see draw_sets().
#' @noRd
new_pseudo_posterior <- function(drawn, fits, mechanism, epsilon, margin,
                                 data = NULL) {
  last <- fits[[length(fits)]]
  structure(
    list(
      synthetic = drawn$synthetic,
      internal = c(
        list(fits = fits, margin = margin, label = drawn$label),
        if (!is.null(data)) list(data = data)
      ),
      stages = stage_table(fits), mechanism = mechanism, m = drawn$synthetic$m,
      epsilon = epsilon,
      remarks = unique(as.character(c(
        unlist(lapply(fits, remarks_of_model)),
        remarks_of_sets(drawn$synthetic, last, data %||% last$data)
      )))
    ),
    class = "pseudo_posterior"
  )
}
