// The likelihood class that suits what a family offers.
#ifndef PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP
#define PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP

#include <type_traits>

#include "../family/forms.hpp"
#include "least_squares.hpp"
#include "least_squares_likelihood.hpp"
#include "record_likelihood.hpp"
#include "row_sums.hpp"

namespace pseudosynth {

/// @brief Cell by cell; from sums where the family's density adds up.
template <class Family>
struct LikelihoodOf {
  using Type =
      std::conditional_t<kHasRowForm<Family>,
                         RecordLikelihood<Family, RowSums<Family>>,
                         std::conditional_t<kHasLeastSquares<Family>,
                                            LeastSquaresLikelihood<Family>,
                                            RecordLikelihood<Family>>>;

  static Type make(const Records& records, const Family& family,
                   const LeastSquares& sums) {
    if constexpr (kHasLeastSquares<Family>)
      return Type(records, family, sums);
    else
      return Type(records, family);
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP
