#' pseudosynth: synthetic microdata from privacy-weighted Bayesian models
#'
#' Turns a confidential microdata file into synthetic microdata by drawing
#' from a Bayesian model (the *synthesizer*) that was fitted under a
#' privacy-weighted likelihood, and states which privacy guarantee the result
#' carries.
#'
#' @section Workflow:
#' 1. [fit_synthesizer()] fits the unweighted model.
#' 2. [lipschitz()] computes every record's bound, [lipschitz_weights()] turns
#'    the bounds into privacy weights, and `update()` refits with them.
#' 3. [reweight()] raises the weights of records that lie below the overall
#'    bound, at the same bound.
#' 4. [guarantee()] states what the fit promises, and under which assumptions.
#' 5. [synthesize()] draws the synthetic sets.
#'
#' [pseudo_posterior()] does all of this in one call, for every mechanism of the
#' papers; [compare()] shows them side by side. A proven epsilon needs a
#' censored likelihood, [censor()], with weights that are absent, public or
#' frozen ([freeze()]), or the noisy sums of [score_release()].
#' [audit_guarantee()] searches for the largest privacy loss. [external_fit()]
#' does the same for models fitted elsewhere. [ce_income], [sdr_salary] and
#' [sdr_simulated] are data to try the package on; [read_ce()] and [read_sdr()]
#' read the agencies' own files.
#'
#' @section Glossary:
#' The same letters are used in the documentation, the R code and the C++
#' code.
#'
#' * **record** \eqn{i = 1..N}: one row of the confidential file.
#' * **draw** \eqn{s = 1..S}: a kept posterior draw, chains merged.
#' * **chain** \eqn{c = 1..C}: one run of the sampler.
#' * **response** \eqn{y_i}: the sensitive variable.
#' * **predictors** \eqn{x_i}: variables that are published as they are.
#' * **parameters** \eqn{\theta}: what the synthesizer estimates.
#' * **log-likelihood** \eqn{f_i(\theta) = \log p(y_i | x_i, \theta)}, always
#'   unweighted and uncensored: the log density of the *modelled* response (for
#'   `log(income) ~ ...` that of the log), in a stated public unit.
#' * **privacy weight** \eqn{\alpha_i} in \eqn{[0, 1]}: the power to which
#'   record \eqn{i}'s likelihood is raised; never a survey weight.
#' * **survey weight** \eqn{w_i}: how many units of the population record
#'   \eqn{i} stands for; divided by their mean or by a public number it is a
#'   second power, which multiplies the first.
#' * **contribution** \eqn{g_i(\theta)}: \eqn{\alpha_i f_i(\theta)}, or what
#'   censoring leaves of it: what record \eqn{i} adds to the log pseudo
#'   posterior.
#' * **log pseudo posterior** \eqn{\log \xi(\theta)}: the sum of the
#'   contributions and the log prior, up to a constant.
#' * **record bound** \eqn{\Delta_i}: the largest \eqn{|g_i(\theta_s)|} over
#'   the kept draws.
#' * **draw bound** \eqn{\Delta(\theta_s)}: the largest
#'   \eqn{|g_i(\theta_s)|} over the records.
#' * **Lipschitz bound** \eqn{\Delta}: the largest record bound; the papers'
#'   \eqn{\epsilon} is \eqn{2 \Delta}.
#' * **oscillation** of a record: its largest minus its smallest
#'   \eqn{g_i(\theta_s)}; independent of units and never above
#'   \eqn{2 \Delta_i}.
#' * **censoring**: clips a record's contribution to an interval, see
#'   [censor()].
#' * **parameter draw**: one draw of the parameters that a set is made from.
#' * **synthetic set**: one synthetic file; m sets are drawn.
#' * **margin**: the distribution of the response alone.
#' * **codebook**: what is publicly known of each column of a file, see
#'   [codebook()]; a **plan** codes a file by it, see [file_plan()].
#' * **part** of an amount: missing, zero, negative, a code, a heap or a value.
#' * **unit**: the records that are protected together, such as a household.
#' * **label**: what [guarantee()] returns: `strict` (proven), `asymptotic`
#'   (claimed by the papers, not proven), `probabilistic`, or `none`.
#' * **charge**: what a step costs; the **ledger** adds charges up.
#'
#' @section Confidential and public objects:
#' A fit, its draws, bounds and weights are computed from the confidential
#' file and must stay inside the agency. Only synthetic data, and releases that
#' their own help pages name, may leave it.
#'
#' @references
#' Savitsky, Williams and Hu (2019), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, <https://arxiv.org/abs/1909.11796>.
#'
#' Savitsky, Hu and Williams (2020), Vector-weighted mechanisms for utility
#' maximization under differential privacy,
#' <https://arxiv.org/abs/2006.01230>.
#'
#' Hu, Savitsky and Williams (2019), Risk-efficient Bayesian data synthesis
#' for privacy protection, <https://arxiv.org/abs/1908.07639>.
#'
#' Hu, Williams and Savitsky (2022), Mechanisms for global differential
#' privacy under Bayesian data synthesis, <https://arxiv.org/abs/2205.05003>.
#'
#' @useDynLib pseudosynth, .registration = TRUE
#' @importFrom Rcpp sourceCpp
#' @importFrom RcppParallel RcppParallelLibs
#' @keywords internal
"_PACKAGE"

#' The version that what is made today is stamped with
#' @noRd
own_version <- function() {
  unname(getNamespaceVersion("pseudosynth"))
}
