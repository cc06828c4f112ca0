// The log pseudo posterior of a family that is known by name.
#ifndef PSEUDOSYNTH_MAKE_POSTERIOR_HPP
#define PSEUDOSYNTH_MAKE_POSTERIOR_HPP

#include "any_posterior.hpp"
#include "family/registry.hpp"
#include "likelihood/categorical_likelihood.hpp"
#include "mixture_posterior.hpp"
#include "pseudo_posterior.hpp"

namespace pseudosynth {

namespace detail {

template <class Family>
AnyPosterior posterior_of(const Records& records, const CoefficientPrior& prior,
                          const Family& family) {
  return AnyPosterior(PseudoPosterior<Family>(records, prior, family));
}
inline AnyPosterior posterior_of(const Records& records,
                                 const CoefficientPrior& prior,
                                 const NormalMixture& family) {
  return AnyPosterior(
      MixturePosterior(records, prior, family.K, family.sigma_floor));
}

}  // namespace detail

/// The log pseudo posterior of `kind`; `records` must outlive it and its
/// copies.
/// @throw std::invalid_argument if prior and design differ in columns or the
///   family is not known.
inline AnyPosterior make_posterior(const ModelKind& kind,
                                   const Records& records,
                                   const CoefficientPrior& prior) {
  return visit_family(kind, [&](const auto& family) {
    return detail::posterior_of(records, prior, family);
  });
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_MAKE_POSTERIOR_HPP
