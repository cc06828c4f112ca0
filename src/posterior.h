// The posteriors that samplers run on. They are made in posterior.cpp alone, so
// that the likelihood of each family is compiled once.
#ifndef PSEUDOSYNTH_POSTERIOR_H
#define PSEUDOSYNTH_POSTERIOR_H

#include <memory>
#include <pseudosynth/any_posterior.hpp>
#include <pseudosynth/family/registry.hpp>
#include <pseudosynth/records.hpp>
#include <pseudosynth/sampler/surrogate_model.hpp>

namespace binding {

namespace ps = pseudosynth;

/// See make_posterior() of the core.
ps::AnyPosterior new_posterior(const ps::ModelKind& kind,
                               const ps::Records& records,
                               const ps::CoefficientPrior& prior);

/// See make_surrogate_model() of the core.
std::unique_ptr<ps::SurrogateModel> new_surrogate_model(
    const ps::ModelKind& kind, const ps::Records& records,
    const ps::SurrogatePrior& prior);

}  // namespace binding

#endif
