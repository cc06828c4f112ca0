// The Gibbs sampler of the normal family.

#include <pseudosynth/sampler/gaussian/gaussian_gibbs.hpp>

#include "sampling.h"

namespace binding {

Sampling gibbs_sampling(const ps::Records& records,
                        const ps::RegressionPrior& prior,
                        const Control& control) {
  if (records.censor.active)
    throw std::invalid_argument("The Gibbs sampler is for uncensored models.");
  const auto sums =
      std::make_shared<ps::LeastSquares>(records, records.y, prior.location);
  return {[=](int chain, const ps::ChainHandlers& handlers) {
            return ps::run_gaussian_gibbs(*sums, prior, control.length,
                                          control.seed, chain, handlers,
                                          control.start(chain));
          },
          control.length.iterations()};
}

}  // namespace binding
