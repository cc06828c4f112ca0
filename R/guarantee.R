#' Which privacy guarantee an object carries
#'
#' Computes the label from how the object was made. Nothing weaker than a proof
#' is called epsilon-differentially private:
#'
#' * `"strict"`: the likelihood is clipped to a public interval, no draw was
#'   dropped, and the weights are absent or public.
#' * `"asymptotic"`: the papers' \eqn{\epsilon = 2\Delta}, for weights made from
#'   this file or given by hand; their claim, not a bound that holds.
#' * `"probabilistic"`: the same at a stated epsilon, with the share of local
#'   databases above it estimated by a [replicate_study()]. Still the papers'
#'   claim: it is about \eqn{2\Delta}, not about the loss.
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
#' @param study (`replicate_study` or `NULL`) A study of this very fit, for the
#'   label `"probabilistic"`. Default `NULL`: none.
#' @param ... Not used.
#'
#' @return A `privacy_guarantee`: a list with `label`, `mechanism`, `what`
#'   (parameter draws or synthetic data), `relations` (the first one matters
#'   most), `epsilon` (list: `per_draw` and `total`, each named by relation,
#'   and `one_off`; `NA` where nothing is claimed or the number is withheld),
#'   `holds` (is it proven?), `m`, `n_records`, `n_draws`, `draw_quantile`,
#'   `delta` and `oscillation` (confidential, `NA` in the public version),
#'   `unit`, `public_inputs` (named character), `reasons`, `empirical`,
#'   `converged`, `reproducible`, `public`; with a study also `exceedance` (a
#'   list: `above`, `replicates`, `share`, `share_upper`, `confidence`; not in
#'   the public version). `format()` gives one line, `as.list()` a plain list,
#'   [to_json()] a machine-readable text.
#'
#' @section Error types:
#' `pseudosynth_error_input`: an object without a label, an `m` below 1.
#' `pseudosynth_error_privacy`: a study of another model, mechanism or file, of
#' a fit that is not asymptotic, or whose epsilon this file exceeds.
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
guarantee.synthesizer <- function(x, m = 1, public = FALSE, study = NULL,
                                  ...) {
  rlang::check_dots_empty()
  m <- check_count(m, min = 1)
  check_flag(public)
  label <- guarantee_of_fit(x, m)
  if (!is.null(study)) {
    label <- probabilistic_guarantee(label, x, study, rlang::current_env())
  }
  if (public) publish_guarantee(label) else label
}

#' Label of a fit or of what is drawn from it
#'
#' @param what (string) `"parameter draws"` or `"synthetic data"`.
#' @param assignment (string) How a mixture's clusters were drawn.
#' @param reproducible (flag) Was a seed given anywhere on the way?
#' @param margin (`perturbed_histogram` or `NULL`) Paid once.
#' @noRd
guarantee_of_fit <- function(fit, m, what = "parameter draws",
                             assignment = "prior",
                             reproducible = isTRUE(fit$seed_given),
                             margin = NULL) {
  mechanism <- mechanism_of(fit)
  dependency <- dependency_of(fit$privacy_weights)
  verdict <- verdict_of(fit, dependency, assignment)
  per_draw <- epsilon_of(fit)
  one_off <- total_charges(dependency$charges)$epsilon
  reproducible <- isTRUE(reproducible) || dependency$reproducible
  if (!is.null(margin)) {
    one_off <- one_off + histogram_epsilon(margin)
    verdict <- with_margin(verdict, margin)
    reproducible <- reproducible || margin$reproducible
  }
  if (verdict$label == "none") {
    per_draw[] <- NA_real_
  }
  order <- if (what == "synthetic data") 2:1 else 1:2
  per_draw <- per_draw[order]
  one_off <- one_off[order]
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
    public_inputs = public_inputs_of(fit, margin),
    reasons = verdict$reasons,
    empirical = empirical_notes(fit, verdict$label),
    converged = isTRUE(fit$converged),
    reproducible = isTRUE(reproducible),
    public = FALSE
  )
}

#' A margin keeps a label only where its own noise is exact
#' @noRd
with_margin <- function(verdict, margin) {
  own <- histogram_verdict(margin)
  if (own$label == "none") {
    return(own)
  }
  verdict$reasons <- c(verdict$reasons, paste(
    "The margin is a perturbed histogram of this file, paid for once; the map",
    "to it is post-processing."
  ))
  verdict
}

# Perturbed histograms ---------------------------------------------------------

# The object -------------------------------------------------------------------
