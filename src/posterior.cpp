#include "posterior.h"

#include <pseudosynth/make_posterior.hpp>
#include <pseudosynth/sampler/family_surrogate_model.hpp>

namespace binding {

ps::AnyPosterior new_posterior(const ps::ModelKind& kind,
                               const ps::Records& records,
                               const ps::CoefficientPrior& prior) {
  return ps::make_posterior(kind, records, prior);
}

std::unique_ptr<ps::SurrogateModel> new_surrogate_model(
    const ps::ModelKind& kind, const ps::Records& records,
    const ps::SurrogatePrior& prior) {
  return ps::make_surrogate_model(kind, records, prior);
}

}  // namespace binding
