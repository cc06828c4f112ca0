# The label "probabilistic": a study of the very fit.

#' The label of a fit with a study of it
#' @noRd
probabilistic_guarantee <- function(label, fit, study, call) {
  check_class(
    study, "replicate_study", "Make one with {.fn replicate_study}.",
    arg = "study", call = call
  )
  check_sealed(study, "replicate_study", call = call)
  refuse <- function(...) {
    abort_privacy(
      c("The study cannot give this fit a probabilistic label.", ...),
      call = call
    )
  }
  if (label$label != "asymptotic" || !is.null(fit$censor)) {
    refuse(
      x = "Its own label is {.val {label$label}}{if (!is.null(fit$censor))
          ', from clipping'}; a study speaks of weights made from a file."
    )
  }
  if (!identical(study$of, mechanism_mark(fit))) {
    refuse(
      x = "The study is of another model, mechanism or file.",
      i = "Make one of this very fit."
    )
  }
  if (2 * fit$bound$overall > study$epsilon) {
    refuse(
      x = "2 Delta of this file lies above the stated epsilon.",
      i = "A study of a larger {.arg epsilon} can."
    )
  }
  if (study$file_rank == 0) {
    refuse(
      x = "2 Delta of this file lies above that of every local database: they
           are not like it.",
      i = "Fit a model with tails like the file's, or give {.arg generate}."
    )
  }
  label$label <- "probabilistic"
  label <- charge_draws(label, by_relation(study$epsilon))
  label$exceedance <- study[c(
    "above", "replicates", "share", "share_upper", "confidence"
  )]
  label$reasons <- c(
    paste(
      "Epsilon was stated; which share of databases like this one exceeds it",
      "was estimated on local databases",
      if (study$generated) "made by a rule." else "drawn from this fit."
    ),
    label$reasons
  )
  seal(label)
}

#' What a study must share with the fit that it speaks of
#' @noRd
mechanism_mark <- function(fit) {
  weights <- fit$privacy_weights
  rlang::hash(list(
    deparse1(fit$formula), format(fit$family), format(fit$prior),
    if (!is.null(weights)) stated_arguments(node_of(weights)), fit$quantile,
    fit$bound$unit, history_mark(fit)
  ))
}

#' Schemes and arguments of weights and of all that they were computed from
#' @noRd
stated_arguments <- function(node) {
  c(node[c("scheme", "arguments")], lapply(node$of, stated_arguments))
}
