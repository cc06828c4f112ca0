#' Mixture of normal regressions
#'
#' Models the response by the density
#' \deqn{p(y_i \mid x_i) = \sum_{k=1}^K \pi_k N(y_i \mid x_i'b_k, \sigma_k^2),}
#' with the component indicators summed out, so a record's log-likelihood
#' depends only on the parameters. It is the papers' synthesizer for income.
#' Write `log(income) ~ ...` to model the log.
#'
#' The mixing proportions have the prior Dirichlet(gamma/K, ..., gamma/K) with
#' gamma ~ Gamma(1, 1), so components that are not needed stay nearly empty.
#' Each sigma_k has the prior half-t(3, 0, 1), truncated to `sigma_floor` and
#' above. The default prior of the coefficients is [prior_shared()].
#'
#' @param K (count, at least 1; default 10) The number of components. More
#'   components follow the margin more closely and take longer.
#' @param sigma_floor (positive number; default 0.3) A public lower limit for
#'   every sigma_k, in the unit of the *modelled* response. The default is meant
#'   for a log scale, where 0.3 is a relative spread of about 30 percent. State
#'   another value for other scales. The floor is needed because reported
#'   incomes are heaped. With exact ties, the density grows without limit as
#'   sigma_k goes to 0, so the posterior is improper and chains fall into
#'   spikes. The floor is part of the privacy label.
#' @return A `synth_family` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: `pseudosynth_error_input` for a `K` that is not a whole
#'   number of at least 1 or a floor that is not positive.
#' @references Hu, Savitsky and Williams (2022), "Private Tabular Survey Data
#'   Products through Synthetic Microdata Generation".
#' @seealso [lognormal()], [stats::gaussian()].
#' @examples
#' normal_mixture()
#' normal_mixture(K = 3, sigma_floor = 0.2)
#' @export
normal_mixture <- function(K = 10, sigma_floor = 0.3) {
  K <- check_count(K, min = 1, max = 1000)
  sigma_floor <- check_number(sigma_floor, above = 0)
  floor <- format(sigma_floor)
  new_synth_family(
    "normal_mixture", "normal_mixture",
    sprintf(
      "a mixture of %d normal regressions, each standard deviation >= %s",
      K, floor
    ),
    extras = c(
      pi = "pi ~ Dirichlet(gamma/K), gamma ~ Gamma(1, 1)",
      sigma = sprintf(
        "sigma ~ half-t(3, 0, 1) for each component, truncated to >= %s", floor
      )
    ),
    K = K, sigma_floor = sigma_floor,
    arguments = list(K = K, sigma_floor = sigma_floor)
  )
}

law_normal_mixture <- list(
  make = normal_mixture, link = "identity",
  window = 2, several = TRUE, prior = function(...) prior_shared()
)
