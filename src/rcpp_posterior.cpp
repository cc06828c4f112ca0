#include "rcpp_posterior.h"

#include <pseudosynth/make_posterior.hpp>
#include <pseudosynth/sampler/family_surrogate_model.hpp>

#include "rcpp_regression_prior.h"

namespace binding {

ps::AnyPosterior to_posterior(const Rcpp::List& spec,
                              const ps::Records& records) {
  return ps::make_posterior(to_kind(spec), records, *to_prior(spec));
}

std::unique_ptr<ps::SurrogateModel> to_surrogate_model(
    const Rcpp::List& spec, const ps::Records& records) {
  // Priors of other kinds are folded into what the surrogate expands.
  ps::SurrogatePrior prior;
  if (!read_regression_prior(spec, prior)) prior.folded = to_prior(spec);
  if (prior.folded && prior.folded->n_unconstrained() > 0)
    Rcpp::stop("The surrogate sampler does not know this prior.");
  return ps::make_surrogate_model(to_kind(spec), records, prior);
}

}  // namespace binding
