// The likelihood class that suits what a family offers.
#ifndef PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP
#define PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP

#include <memory>
#include <type_traits>
#include <utility>

#include "../family/forms.hpp"
#include "../roles.hpp"
#include "least_squares.hpp"
#include "least_squares_likelihood.hpp"
#include "record_likelihood.hpp"
#include "row_sums.hpp"

namespace pseudosynth {

/// @brief Cell by cell; from sums where the family's density adds up.
template <class Family>
struct LikelihoodOf {
  static_assert(role::OfFamily<Family>::kKept);
  using Type =
      std::conditional_t<kHasRowForm<Family>,
                         RecordLikelihood<Family, RowSums<Family>>,
                         std::conditional_t<kHasLeastSquares<Family>,
                                            LeastSquaresLikelihood<Family>,
                                            RecordLikelihood<Family>>>;

  static Type make(const Records& records, const Family& family,
                   const LeastSquares& sums) {
    return make(records, family, sums,
                std::make_shared<const RecordCells>(records));
  }
  /// @param cells of the records.
  static Type make(const Records& records, const Family& family,
                   const LeastSquares& sums,
                   std::shared_ptr<const RecordCells> cells) {
    if constexpr (kHasLeastSquares<Family>)
      return Type(records, family, sums, std::move(cells));
    else
      return Type(records, family, std::move(cells));
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_LIKELIHOOD_OF_HPP
