# What a file may hold that models of single columns do not see.

#' Warn of levels that a single record has
#' @noRd
warn_rare_levels <- function(plan, specs) {
  drawn <- setdiff(colnames(plan$codes), plan$published)
  single <- vapply(drawn, function(name) {
    counts <- tabulate(plan$codes[, name], length(plan$levels[[name]]))
    # A part of an amount with values is no value
    if (is_amount(specs[[name]])) {
      counts[amount_parts(specs[[name]])$valued] <- 0L
    }
    sum(counts == 1)
  }, 1L)
  single <- single[single > 0]
  if (length(single) > 0) {
    warn_of(
      "rare_levels",
      "{sum(single)} level{?s} {?has/have} only one record in the file.",
      x = "{cli::qty(sum(single))}The level{?s} {?is/are} in
           {.val {names(single)}}.",
      x = "{cli::qty(sum(single))}A synthetic set may or may not contain
           {?it/them}.",
      i = "Join levels, or state {.field outside} in the codebook."
    )
  }
}

#' Name columns whose regressions have not converged
#' @noRd
warn_unconverged <- function(models) {
  failed <- vapply(fits_of_models(models), function(fits) {
    sum(!vapply(fits, function(fit) fit$converged %||% TRUE, TRUE))
  }, 1L)
  failed <- failed[failed > 0]
  if (length(failed) > 0) {
    warn_of(
      "convergence",
      "{sum(failed)} regression{?s} {?has/have} not converged.",
      x = "{cli::qty(length(failed))}The column{?s} {?is/are}
           {.val {names(failed)}}.",
      i = "Join levels, leave out predictors, or use
           {.code model = \"tree\"}."
    )
  }
}
