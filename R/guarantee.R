#' Which privacy guarantee an object carries
#'
#' Computes the label from how the object was made. Nothing weaker than a proof
#' is called epsilon-differentially private:
#'
#' * `"strict"`: the likelihood is clipped to a public interval, no draw was
#'   dropped, and the weights are absent or public.
#' * `"asymptotic"`: the papers' \eqn{\epsilon = 2\Delta}, for weights made from
#'   this file or given by hand; their claim, not a bound that holds.
#' * `"probabilistic"`: the same with a share of databases estimated by a
#'   replicate study.
#' * `"none"`: unweighted fits, fits that have not converged, mixtures
#'   synthesized with posterior-assigned clusters.
#'
#' Both neighbour relations are given. *Add/remove-one* drops one record's term
#' and costs \eqn{2\Delta}; *replace-one* changes one record's response and
#' costs twice as much. Replace-one comes first for synthetic data, whose
#' predictors and number of records are published, add/remove-one first for
#' parameter draws. Each of m sets takes a parameter draw of its own, so that
#' the costs add up.
#'
#' @param x A `synthesizer`, `synthetic_data` or `pseudo_posterior`.
#' @param m (count) How many parameter draws are to be released. Default 1.
#'   Synthetic data know their own m.
#' @param public (flag) Give the version that may leave the agency? It states an
#'   epsilon only where that was fixed beforehand (`"strict"`); an asymptotic
#'   one names the mechanism and withholds the number, which is computed from
#'   the confidential file. Default `FALSE`; always `TRUE` for synthetic data.
#' @param ... Not used.
#'
#' @return A `privacy_guarantee`: a list with `label`, `mechanism`, `what`
#'   (parameter draws or synthetic data), `relations` (the first one matters
#'   most), `epsilon` (list: `per_draw` and `total`, each named by relation,
#'   and `one_off`; `NA` where nothing is claimed or the number is withheld),
#'   `holds` (is it proven?), `m`, `n_records`, `n_draws`, `draw_quantile`,
#'   `delta` and `oscillation` (confidential, `NA` in the public version),
#'   `unit`, `public_inputs` (named character), `reasons`, `empirical`,
#'   `converged`, `reproducible`, `public`. `format()` gives one line,
#'   `as.list()` a plain list, [to_json()] a machine-readable text.
#'
#' @section Error types:
#' `pseudosynth_error_input`: an object without a label, an `m` below 1.
#'
#' @section Privacy:
#' An audit on exact posteriors (beta model, N = 2,000, weights recomputed from
#' each file) found add/remove losses of 7.9 on average and 19 at worst where
#' Lipschitz weights claimed 5.2.
#'
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55),
#' Definition 3 and Theorem 1.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' guarantee(fit)
#' @export
guarantee <- function(x, m = 1, ...) {
  UseMethod("guarantee")
}

#' @rdname guarantee
#' @export
guarantee.default <- function(x, m = 1, ...) {
  abort_input(
    c(
      "{.arg x} carries no privacy label.",
      x = "It is {describe_type(x)}.",
      i = "Labels belong to {.cls synthesizer}, {.cls synthetic_data} and
           {.cls pseudo_posterior} objects."
    ),
    arg = "x", call = rlang::caller_env()
  )
}

#' @rdname guarantee
#' @export
guarantee.synthesizer <- function(x, m = 1, public = FALSE, ...) {
  rlang::check_dots_empty()
  m <- check_count(m, min = 1)
  check_flag(public)
  label <- guarantee_of_fit(x, m)
  if (public) publish_guarantee(label) else label
}

#' @rdname guarantee
#' @export
guarantee.synthetic_data <- function(x, m = x$m, ...) {
  m <- check_count(m, min = 1)
  if (m != x$m) {
    abort_input(
      c(
        "Synthetic data carry the label of all their sets.",
        x = "{.arg m} is {m}, but there {cli::qty(x$m)}{?is/are} {x$m} set{?s}."
      ),
      arg = "m"
    )
  }
  x$guarantee
}

#' @rdname guarantee
#' @export
guarantee.pseudo_posterior <- function(x, m = x$m, public = FALSE, ...) {
  m <- check_count(m, min = 1)
  check_flag(public)
  label <- guarantee_of_fit(
    final_fit(x), m,
    what = "synthetic data", assignment = x$synthetic$made_by$assignment,
    reproducible = x$synthetic$guarantee$reproducible
  )
  if (public) publish_guarantee(label) else label
}

#' Label of a fit or of what is drawn from it
#'
#' @param what (string) `"parameter draws"` or `"synthetic data"`.
#' @param assignment (string) How a mixture's clusters were drawn.
#' @param reproducible (flag) Was a seed given anywhere on the way?
#' @noRd
guarantee_of_fit <- function(fit, m, what = "parameter draws",
                             assignment = "prior",
                             reproducible = isTRUE(fit$seed_given)) {
  mechanism <- mechanism_of(fit)
  verdict <- verdict_of(fit, mechanism, assignment)
  per_draw <- if (verdict$label == "none") NA_real_ else epsilon_of(fit)
  per_draw <- c("add/remove-one" = per_draw, "replace-one" = 2 * per_draw)
  if (what == "synthetic data") {
    per_draw <- rev(per_draw)
  }
  one_off <- 0
  new_privacy_guarantee(
    label = verdict$label,
    mechanism = mechanism,
    what = what,
    relations = names(per_draw),
    epsilon = list(
      per_draw = per_draw, one_off = one_off, total = one_off + m * per_draw
    ),
    holds = verdict$label == "strict",
    m = m,
    n_records = length(fit$bound$record),
    n_draws = nrow(fit$draws),
    draw_quantile = fit$quantile,
    delta = fit$bound$overall,
    oscillation = max(fit$bound$oscillation),
    unit = fit$bound$unit,
    public_inputs = public_inputs_of(fit),
    reasons = verdict$reasons,
    empirical = empirical_notes(fit, verdict$label),
    converged = isTRUE(fit$converged),
    reproducible = isTRUE(reproducible),
    public = FALSE
  )
}

new_privacy_guarantee <- function(...) {
  structure(list(...), class = "privacy_guarantee")
}

#' The version that may leave the agency
#'
#' Built anew from fields that are public by rule; whatever was computed from
#' the file is withheld unless it was fixed beforehand.
#' @noRd
publish_guarantee <- function(x) {
  if (x$label != "strict") {
    for (part in c("per_draw", "total")) {
      x$epsilon[[part]][] <- NA_real_
    }
    x$epsilon$one_off <- NA_real_
  }
  x$delta <- NA_real_
  x$oscillation <- NA_real_
  x$public <- TRUE
  x
}

#' @export
as.list.privacy_guarantee <- function(x, ...) {
  x <- unclass(x)
  x$epsilon <- lapply(x$epsilon, function(part) {
    if (is.null(names(part))) part else as.list(part)
  })
  # Lists stay arrays in JSON, also where they have one element
  for (field in c("public_inputs", "relations", "reasons", "empirical")) {
    x[[field]] <- as.list(x[[field]])
  }
  x
}
