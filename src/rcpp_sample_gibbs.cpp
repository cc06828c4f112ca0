// The Gibbs sampler of the normal family.

#include <pseudosynth/sampler/gaussian_gibbs.hpp>

#include "rcpp_regression_prior.h"
#include "rcpp_sample.h"

namespace binding {

Sampling gibbs_sampling(const Rcpp::List& spec, const ps::Records& records,
                        const Control& control) {
  if (Rcpp::as<std::string>(spec["family"]) != "gaussian")
    Rcpp::stop("The Gibbs sampler is for the gaussian family.");
  ps::RegressionPrior from;
  if (!read_regression_prior(spec, from))
    Rcpp::stop("The Gibbs sampler knows normal and hierarchical priors.");
  if (records.censor.active)
    Rcpp::stop("The Gibbs sampler is for uncensored models.");
  const auto sums =
      std::make_shared<ps::LeastSquares>(records, records.y, from.location);
  return {[=](int chain, const ps::ChainHandlers& handlers) {
            return ps::run_gaussian_gibbs(*sums, from, control.length,
                                          control.seed, chain, handlers,
                                          control.start(chain));
          },
          control.length.iterations()};
}

}  // namespace binding
