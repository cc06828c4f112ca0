// The surrogate sampler, for every model but a mixture.

#include <pseudosynth/sampler/run_surrogate_chain.hpp>

#include "rcpp_parallel.h"
#include "rcpp_posterior.h"
#include "rcpp_sample.h"

namespace binding {

Sampling surrogate_sampling(const Rcpp::List& spec, const ps::Records& records,
                            const Control& control) {
  const auto setup = std::make_shared<const ps::SurrogateSetup>(
      to_surrogate_model(spec, records), control.seed, control.start(0),
      InterruptPoll());
  return {[=](int chain, const ps::ChainHandlers& handlers) {
            return ps::run_surrogate_chain(*setup, control.length, control.seed,
                                           chain, handlers,
                                           control.start(chain));
          },
          control.length.iterations()};
}

}  // namespace binding
