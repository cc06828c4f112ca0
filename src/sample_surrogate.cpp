// The surrogate sampler, for every model but a mixture.

#include <pseudosynth/sampler/run_surrogate_chain.hpp>

#include "sampling.h"

namespace binding {

Sampling surrogate_sampling(std::unique_ptr<ps::SurrogateModel> model,
                            const Control& control,
                            const std::function<bool()>& should_stop) {
  const auto setup = std::make_shared<const ps::SurrogateSetup>(
      std::move(model), control.seed, control.start(0), should_stop);
  return {[=](int chain, const ps::ChainHandlers& handlers) {
            return ps::run_surrogate_chain(*setup, control.length, control.seed,
                                           chain, handlers,
                                           control.start(chain));
          },
          control.length.iterations()};
}

}  // namespace binding
