# The class `privacy_guarantee`, a label: what is in it and what may leave.

# What labels call a generator, and what is drawn from it
generator_words <- c(
  model = "a generator", sets = "synthetic data of a generator"
)

#' Make a label
#'
#' What was paid comes as charges; the epsilons are derived from them here and
#' nowhere else, so that no figure can differ from what was charged.
#'
#' @param verdict (list) `label`, `reasons`.
#' @param title (string) The mechanism in words.
#' @param draws (charge or `NULL`) What is paid for each of m; `NULL` where all
#'   is paid once.
#' @param paid (charges) What is paid once.
#' @param fit (string) Identity of the fit that is drawn from; `NA` for none.
#' @param failure (number) The public delta at which charges of zCDP are stated.
#' @param ... The other fields, see guarantee().
#' @noRd
new_privacy_guarantee <- function(verdict, mechanism, title, what, draws = NULL,
                                  paid = no_charges(), m = 1L,
                                  fit = NA_character_,
                                  n_records = NA_integer_,
                                  n_draws = NA_integer_, draw_quantile = 1,
                                  delta = NA_real_, oscillation = NA_real_,
                                  unit, public_inputs, empirical = character(),
                                  converged = TRUE, reproducible = FALSE,
                                  public = FALSE, failure = 0) {
  relations <- if (what == "parameter draws") {
    relation_names
  } else {
    rev(relation_names)
  }
  derive_epsilon(structure(
    list(
      label = verdict$label, mechanism = mechanism, title = title, what = what,
      relations = relations, epsilon = list(delta = failure),
      charges = join_charges(draws, paid),
      draws = if (is.null(draws)) NA_character_ else draws$id,
      holds = verdict$label == "strict", m = m, fit = fit,
      n_records = n_records, n_draws = n_draws, draw_quantile = draw_quantile,
      delta = delta, oscillation = oscillation, unit = unit,
      public_inputs = public_inputs, reasons = verdict$reasons,
      empirical = empirical, converged = converged,
      reproducible = reproducible, public = public
    ),
    class = "privacy_guarantee"
  ))
}

#' What a label's charges come to
#'
#' `epsilon`: `per_draw`, `one_off` and `total`, each by relation in the label's
#' order, and `delta`, which goes with the total.
#' @noRd
derive_epsilon <- function(x) {
  drawn <- x$charges$id %in% x$draws
  one <- x$charges[drawn, , drop = FALSE]
  one$times <- rep(1, nrow(one))
  failure <- x$epsilon$delta
  total <- total_charges(x$charges, failure)
  by_part <- function(charges) {
    total_charges(charges, failure)$epsilon[x$relations]
  }
  x$epsilon <- list(
    per_draw = by_part(one),
    one_off = by_part(x$charges[!drawn, , drop = FALSE]),
    total = total$epsilon[x$relations],
    delta = total$delta
  )
  seal(x)
}

#' The label with another epsilon of a parameter draw
#' @noRd
charge_draws <- function(x, epsilon) {
  drawn <- x$charges$id %in% x$draws
  x$charges$add_remove[drawn] <- epsilon[["add/remove-one"]]
  x$charges$replace[drawn] <- epsilon[["replace-one"]]
  derive_epsilon(x)
}

#' The version that may leave the agency
#'
#' Built anew from fields that are public by rule; whatever was computed from
#' the file is withheld unless it was fixed beforehand.
#' @noRd
publish_guarantee <- function(x) {
  if (x$label != "strict") {
    for (part in names(x$epsilon)) {
      x$epsilon[[part]][] <- NA_real_
    }
    x$charges[charge_costs] <- lapply(x$charges[charge_costs], `*`, NA)
  }
  x$delta <- NA_real_
  x$oscillation <- NA_real_
  x$exceedance <- NULL
  # What was measured of the sampler is computed from the file
  if (x$label == "strict") x$empirical <- character()
  x$public <- TRUE
  seal(x)
}

#' What may leave the agency has no other label
#' @noRd
check_public_only <- function(public, call = rlang::caller_env()) {
  check_flag(public, call = call)
  if (!public) {
    abort_input(
      c(
        "{.arg public} must be {.code TRUE}.",
        x = "Synthetic data and histograms hold nothing but the public label."
      ),
      arg = "public", call = call
    )
  }
}

#' A label as it was made; one that was edited claims nothing
#' @noRd
intact_label <- function(x) {
  if (is_sealed(x)) x else void_label(x, "label")
}

#' The label of what was edited
#' @param what (string) What that was.
#' @noRd
void_label <- function(x, what) {
  x[c("label", "reasons")] <- edited_verdict(what)
  x$holds <- FALSE
  for (part in names(x$epsilon)) {
    x$epsilon[[part]][] <- NA_real_
  }
  x$charges <- no_charges()
  x["exceedance"] <- NULL
  seal(x)
}

#' @export
as.list.privacy_guarantee <- function(x, ...) {
  x <- unclass(intact_label(x))
  attr(x, "seal") <- NULL
  x$epsilon <- lapply(x$epsilon, function(part) {
    if (is.null(names(part))) part else as.list(part)
  })
  x$charges <- lapply(seq_len(nrow(x$charges)), function(i) {
    as.list(x$charges[i, ])
  })
  # Lists stay arrays in JSON, also where they have one element
  for (field in c("public_inputs", "relations", "reasons", "empirical")) {
    x[[field]] <- as.list(x[[field]])
  }
  x
}
