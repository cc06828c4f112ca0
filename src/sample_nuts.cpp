// NUTS, for any model.

#include <pseudosynth/sampler/run_nuts_chain.hpp>

#include "sampling.h"

namespace binding {

Sampling nuts_sampling(const ps::AnyPosterior& posterior,
                       const Control& control) {
  ps::NutsTuning tuning;
  static_cast<ps::ChainLength&>(tuning) = control.length;
  tuning.adapt_delta = control.adapt_delta;
  tuning.max_treedepth = control.max_treedepth;
  tuning.dense_metric = control.dense_metric;
  return {[=](int chain, const ps::ChainHandlers& handlers) {
            return ps::run_nuts_chain(posterior, tuning, control.seed, chain,
                                      handlers, control.start(chain));
          },
          tuning.iterations()};
}

}  // namespace binding
