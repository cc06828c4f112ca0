// NUTS, for any model.

#include <pseudosynth/sampler/run_nuts_chain.hpp>

#include "sampling.h"

namespace binding {

Sampling nuts_sampling(const ps::AnyPosterior& posterior, bool clipped,
                       const Control& control) {
  ps::NutsTuning tuning;
  static_cast<ps::ChainLength&>(tuning) = control.length;
  tuning.adapt_delta = control.adapt_delta;
  tuning.max_treedepth = control.max_treedepth;
  tuning.dense_metric = control.dense_metric;
  if (clipped) tuning.scouts = 8;
  return {[=](int chain, const ps::ChainHandlers& handlers) {
            // From the prior, whatever earlier chains have seen
            return ps::run_nuts_chain(posterior, tuning, control.seed, chain,
                                      handlers,
                                      clipped ? nullptr : control.start(chain));
          },
          tuning.iterations()};
}

}  // namespace binding
