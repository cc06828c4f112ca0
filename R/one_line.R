# Our objects in one line: what format() gives and the cells of data frames
# show. R's default writes out all that an object holds, the file included,
# which takes minutes.

one_line <- function(x, ...) {
  paste0("<", class(x)[1], "> ", paste0(...))
}

counted <- function(n, noun) {
  sprintf("%s %s%s", format_count(n), noun, if (n == 1) "" else "s")
}

#' @export
format.pseudo_posterior <- function(x, ...) {
  one_line(
    x, x$synthetic$variable, ", ", x$mechanism, ", ", counted(x$m, "set"),
    " of ", counted(x$synthetic$n_records, "record")
  )
}

#' @export
format.synthetic_data <- function(x, ...) {
  one_line(
    x, x$variable, ", ", counted(x$m, "set"), " of ",
    counted(x$n_records, "record")
  )
}

#' @export
format.synthetic_fits <- function(x, ...) {
  one_line(x, counted(length(x), "result"))
}

#' @export
format.external_fit <- function(x, ...) {
  one_line(
    x, x$name, ", N = ", format_count(n_records(x)), ", S = ",
    format_count(n_draws(x))
  )
}

#' @export
format.lipschitz_bound <- function(x, ...) {
  one_line(
    x, "Delta = ", format_figure(x$overall), ", density of ", x$unit
  )
}

#' @export
format.identification_risk <- function(x, ...) {
  one_line(
    x, x$variable, ", mean ", format_figure(x$overall[["mean_risk"]]), ", ",
    counted(x$m, "set")
  )
}

#' @export
format.attribute_risk <- function(x, ...) {
  one_line(x, x$variable, ", ", counted(x$m, "set"))
}

#' @export
format.utility <- function(x, ...) {
  one_line(x, x$variable, ", ", counted(nrow(x$table), "set"))
}

#' @export
format.mechanism_comparison <- function(x, ...) {
  one_line(x, x$variable, ", ", counted(nrow(x$table), "row"))
}

#' @export
format.risk_utility_map <- function(x, ...) {
  one_line(x, x$variable, ", ", counted(nrow(x$table), "row"))
}

#' @export
format.replicate_study <- function(x, ...) {
  one_line(x, x$title, ", ", counted(nrow(x$table), "local database"))
}

#' @export
format.resampled_statistics <- function(x, ...) {
  one_line(x, x$variable, ", ", counted(x$resamples, "resample"))
}

#' @export
format.pooled_estimates <- function(x, ...) {
  one_line(
    x, counted(nrow(x$table), "term"), " of ", counted(x$m, "set")
  )
}

#' @export
format.privacy_ledger <- function(x, ...) {
  one_line(x, "epsilon ", format_exact(x$epsilon))
}

#' @export
format.sampler_control <- function(x, ...) {
  one_line(x, x$sampler)
}

#' @export
format.weighting_scheme <- function(x, ...) {
  one_line(x, x$name)
}

# A cell of a column I(list(..)) is what toString() gives, one of a plain list
# column what format() makes of unlist().
#' @rawNamespace
#' S3method(toString, attribute_risk, format.attribute_risk)
#' S3method(toString, external_fit, format.external_fit)
#' S3method(toString, identification_risk, format.identification_risk)
#' S3method(toString, lipschitz_bound, format.lipschitz_bound)
#' S3method(toString, mechanism_comparison, format.mechanism_comparison)
#' S3method(toString, perturbed_histogram, format.perturbed_histogram)
#' S3method(toString, pooled_estimates, format.pooled_estimates)
#' S3method(toString, privacy_guarantee, format.privacy_guarantee)
#' S3method(toString, pseudo_posterior, format.pseudo_posterior)
#' S3method(toString, replicate_study, format.replicate_study)
#' S3method(toString, resampled_statistics, format.resampled_statistics)
#' S3method(toString, risk_utility_map, format.risk_utility_map)
#' S3method(toString, score_release, format.score_release)
#' S3method(toString, synthesizer, format.synthesizer)
#' S3method(toString, synthetic_data, format.synthetic_data)
#' S3method(toString, utility, format.utility)
#' S3method(unlist, attribute_risk, format.attribute_risk)
#' S3method(unlist, external_fit, format.external_fit)
#' S3method(unlist, identification_risk, format.identification_risk)
#' S3method(unlist, lipschitz_bound, format.lipschitz_bound)
#' S3method(unlist, perturbed_histogram, format.perturbed_histogram)
#' S3method(unlist, pseudo_posterior, format.pseudo_posterior)
#' S3method(unlist, score_release, format.score_release)
#' S3method(unlist, synthesizer, format.synthesizer)
#' S3method(unlist, synthetic_data, format.synthetic_data)
NULL
