#' Which privacy guarantee an object carries
#'
#' Computes the label from how the object was made. Nothing weaker than a proof
#' is called epsilon-differentially private:
#'
#' * `"strict"`: the likelihood is clipped to a public interval, no draw was
#'   dropped, the weights are absent, public or paid for, and nothing that is
#'   released was read from the file, see [public_response()].
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
#' @section Charges:
#' A label is made once, when sets are drawn, and is read ever after. It holds
#' what was paid for as a list of charges: the parameter draws, a margin's
#' histogram, the draw of a first stage. All figures are derived from them.
#' A charge has an identity, a random word that says nothing: the same histogram
#' is paid once however many sets use it, two histograms are paid twice. Every
#' call of [synthesize()] takes other draws and is a charge of its own, so that
#' what several releases cost together is the sum over the charges of all their
#' labels, those of the same identity once. A seed gives the same draws of a fit
#' again, and the same identity.
#'
#' Pure epsilons add up. Where a charge is of zero-concentrated differential
#' privacy, all are turned into rho, added, and turned into an epsilon at a
#' public delta (Canonne, Kamath and Steinke 2020, Proposition 12). Where all of
#' them are exact Gaussian noise, the epsilon is the smallest that holds for it
#' (Balle and Wang 2018, Theorem 8), which is 5 to 8% smaller.
#'
#' @section Edited objects:
#' A label tells how an object was made. Fits, synthetic data, noisy histograms,
#' jobs, studies and labels hold a hash over the parts that it rests on; where
#' these were changed afterwards, saved files included, the label is `"none"`,
#' and what needs them (`update()`, [truncate_draws()], a rule of [freeze()], a
#' [censor()] rule) refuses. Weights count as given by hand, see
#' [privacy_weights]. The hash finds mistakes. It is no signature: who wants to
#' deceive writes a label of his own.
#'
#' @param x A `synthesizer`, `synthetic_data` or `pseudo_posterior`.
#' @param m (count) How many parameter draws are to be released. Default 1.
#'   Synthetic data and jobs know their own m and have a label for no other.
#' @param public (flag) Give the version that may leave the agency? It states an
#'   epsilon only where that was fixed beforehand (`"strict"`); an asymptotic
#'   one names the mechanism and withholds the number, which is computed from
#'   the confidential file. Default `FALSE`; synthetic data and histograms have
#'   no other, and `FALSE` is an error.
#' @param study (`replicate_study` or `NULL`) A study of this very fit, for the
#'   label `"probabilistic"`. Default `NULL`: none.
#' @param ... Not used.
#'
#' @return A `privacy_guarantee`: a list with `label`, `mechanism` (a word),
#'   `title` (the same in words), `what`
#'   (parameter draws or synthetic data), `relations` (the first one matters
#'   most), `epsilon` (list: `per_draw`, `one_off` and `total`, each named by
#'   relation, and `delta`, which is 0 where `total` is a pure epsilon; `NA`
#'   where nothing is claimed or the number is withheld), `charges` (data frame,
#'   one row each: `id`, `what`, `add_remove` and `replace` in epsilon or
#'   `rho_add_remove` and `rho_replace` where `zcdp`, `gap` (of Gaussian noise),
#'   `delta`, `times`), `draws`
#'   (which charge grows with m: its `id`, `NA` for none), `fit` (the identity
#'   of the fit drawn from), `holds` (is it proven?), `m`, `n_records`,
#'   `n_draws`, `draw_quantile`,
#'   `delta` and `oscillation` (confidential, `NA` in the public version),
#'   `unit`, `public_inputs` (named character), `reasons`, `empirical`,
#'   `converged`, `reproducible`, `public`; with a study also `exceedance` (a
#'   list: `above`, `replicates`, `share`, `share_upper`, `confidence`; not in
#'   the public version). `format()` gives one line, `as.list()` a plain list,
#'   [to_json()] a machine-readable text. What is proven is printed to its last
#'   digit, what is claimed to three; no option of the session changes either.
#'
#' @section Error types:
#' `pseudosynth_error_input`: an object without a label, an `m` below 1, another
#' `m` than that of synthetic data, an argument that nothing takes.
#' Class `pseudosynth_error_edited` (a `pseudosynth_error_privacy`): a study or
#' another part that was changed after it was made.
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
#' Definition 3 and Theorem 1. Canonne, Kamath and Steinke (2020), The discrete
#' Gaussian for differential privacy.
#' @seealso [synthesize()], [public_response()], [to_json()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' guarantee(fit)
#' # Clipped, with a margin: two charges
#' strict <- update(fit, censor = censor(2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1)
#' ))
#' margin <- perturbed_histogram(log(income) ~ 1, small,
#'   bounds = c(10, 2e6), epsilon = 0.5
#' )
#' guarantee(synthesize(strict, m = 2, margin = margin))
#' @name guarantee
NULL

#' @rdname guarantee
#' @export
guarantee.synthesizer <- function(x, m = 1, public = FALSE, study = NULL,
                                  ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_class(x, "synthesizer")
  m <- check_count(m, min = 1)
  check_flag(public)
  label <- label_of_fit(x, m)
  if (!is.null(study)) {
    label <- probabilistic_guarantee(label, x, study, rlang::current_env())
  }
  if (public) publish_guarantee(label) else label
}

#' @rdname external_fit
#' @param m,public As in [guarantee()].
#' @export
guarantee.external_fit <- function(x, m = 1, public = FALSE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  m <- check_count(m, min = 1)
  check_flag(public)
  label <- label_of_fit(x, m)
  if (public) publish_guarantee(label) else label
}
