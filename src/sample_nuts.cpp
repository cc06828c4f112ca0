// NUTS, for any model.

#include <pseudosynth/sampler/climb.hpp>
#include <pseudosynth/sampler/run_nuts_chain.hpp>

#include "sampling.h"

namespace binding {

Sampling nuts_sampling(const ps::AnyPosterior& posterior, bool clipped,
                       const Control& control) {
  ps::NutsTuning tuning;
  static_cast<ps::ChainLength&>(tuning) = control.length;
  tuning.adapt_delta = control.adapt_delta;
  tuning.max_treedepth = control.max_treedepth;
  tuning.dense_metric = control.metric != "diagonal";
  if (control.metric == "curvature") {
    const ps::Matrix covariance = ps::covariance_at_mode(posterior);
    if (covariance.size() > 0)
      tuning.covariance = std::make_shared<const ps::Matrix>(covariance);
  }
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
