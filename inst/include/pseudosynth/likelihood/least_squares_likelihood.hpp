// The likelihood of normal errors: sufficient statistics as long as nothing is
// censored, records otherwise.
#ifndef PSEUDOSYNTH_LIKELIHOOD_LEAST_SQUARES_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_LEAST_SQUARES_LIKELIHOOD_HPP

#include <cmath>
#include <memory>
#include <utility>

#include "least_squares.hpp"
#include "record_likelihood.hpp"

namespace pseudosynth {

/// @brief Uncensored: O(P^2) per evaluation, no record is touched.
template <class Family>
class LeastSquaresLikelihood {
 public:
  /// @param cells of the records.
  LeastSquaresLikelihood(const Records& records, const Family& family,
                         const LeastSquares& sums,
                         std::shared_ptr<const RecordCells> cells)
      : censored_(records.censor.active),
        records_(records, family, std::move(cells)),
        sums_(sums),
        step_(sums.anchor.size()),
        pull_(sums.anchor.size()) {}

  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    if (censored_) return records_.gradient(b, extra, d_b, d_extra);
    const double sigma = extra[0], precision = 1.0 / (sigma * sigma);
    const Eigen::Index P = step_.size();
    step_ = Eigen::Map<const Vector>(b, P) - sums_.anchor;
    pull_ = sums_.residual_moment;
    pull_.noalias() -= sums_.gram * step_;
    // d'(2 moment - gram d) = d'(moment + pull)
    const double squares = sums_.residual_squares -
                           step_.dot(sums_.residual_moment) - step_.dot(pull_);
    Eigen::Map<Vector>(d_b, P) += precision * pull_;
    d_extra[0] += (squares * precision - sums_.total_weight) / sigma;
    return -sums_.total_weight * (std::log(sigma) + kHalfLogTwoPi) -
           0.5 * squares * precision;
  }

 private:
  bool censored_;
  RecordLikelihood<Family> records_;
  LeastSquares sums_;
  Vector step_, pull_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_LEAST_SQUARES_LIKELIHOOD_HPP
