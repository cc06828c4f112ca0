// The likelihood class that suits each family.
#ifndef PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP
#define PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP

#include "gaussian_likelihood.hpp"
#include "least_squares.hpp"
#include "record_likelihood.hpp"
#include "row_likelihood.hpp"

namespace pseudosynth {

/// @brief Cell by cell; specialised where sums exist. All specialisations are
/// in this header, so that every user of a family sees the same one.
template <class Family>
struct LikelihoodOf {
  using Type = RecordLikelihood<Family>;
  static Type make(const Records& records, const Family& family,
                   const LeastSquares&) {
    return Type(records, family);
  }
};

template <>
struct LikelihoodOf<Gaussian> {
  using Type = GaussianLikelihood;
  static Type make(const Records& records, const Gaussian& family,
                   const LeastSquares& sums) {
    return Type(records, family, sums);
  }
};

namespace detail {

template <class Family>
struct LikelihoodByRow {
  using Type = RowLikelihood<Family>;
  static Type make(const Records& records, const Family& family,
                   const LeastSquares&) {
    return Type(records, family);
  }
};

}  // namespace detail

template <>
struct LikelihoodOf<Poisson> : detail::LikelihoodByRow<Poisson> {};
template <>
struct LikelihoodOf<NegBinomial> : detail::LikelihoodByRow<NegBinomial> {};
template <>
struct LikelihoodOf<Beta> : detail::LikelihoodByRow<Beta> {};
template <>
struct LikelihoodOf<Bernoulli> : detail::LikelihoodByRow<Bernoulli> {};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP
