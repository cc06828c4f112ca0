// Normal coefficients of levels against a baseline that makes no difference.
#ifndef PSEUDOSYNTH_PRIOR_LEVEL_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_LEVEL_PRIOR_HPP

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "coefficient_prior.hpp"

namespace pseudosynth {

/// @brief b_jk ~ N(location_j, scale_j^2) for the levels k = 1 .. K of K + 1,
/// half of whose variance is the baseline's: the correlations are 1/2, and the
/// prior is the same whichever level the others are held against (where the
/// location is 0). No hyperparameters.
class LevelPrior : public CoefficientPrior {
 public:
  /// @throw std::invalid_argument if lengths differ or a scale is not positive.
  LevelPrior(Vector location, Vector scale)
      : location_(std::move(location)), scale_(std::move(scale)) {
    if (location_.size() != scale_.size() || !(scale_.array() > 0.0).all())
      throw std::invalid_argument(
          "a prior of levels needs one location and one positive scale per "
          "column");
  }

  int n_columns() const override { return static_cast<int>(scale_.size()); }
  int n_unconstrained() const override { return 0; }
  int n_stored() const override { return 0; }

  /// The covariance is scale^2 (I + 11') / 2, its inverse
  /// 2 / scale^2 (I - 11' / (K + 1)), its determinant
  /// scale^(2 K) (K + 1) / 2^K.
  double log_density(const double* b, int K, const double*, double* d_b,
                     double*) override {
    const double levels = K + 1.0;
    double sum = 0.0;
    for (int j = 0; j < n_columns(); ++j) {
      const double precision = 2.0 / (scale_[j] * scale_[j]);
      double total = 0.0, squares = 0.0;
      for (int k = 0; k < K; ++k) {
        const double far = b[j * K + k] - location_[j];
        total += far;
        squares += far * far;
      }
      sum -= 0.5 * precision * (squares - total * total / levels);
      for (int k = 0; k < K; ++k) {
        const double far = b[j * K + k] - location_[j];
        d_b[j * K + k] -= precision * (far - total / levels);
      }
      sum -= K * (std::log(scale_[j]) - 0.5 * std::log(2.0) + kHalfLogTwoPi) +
             0.5 * std::log(levels);
    }
    return sum;
  }

  void constrain(const double*, double*) const override {}
  void unconstrain(const double*, double*) const override {}
  double centre(int j) const override { return location_[j]; }
  void initial(const double*, int, Rng&, double*) const override {}

  void draw(int K, Rng& rng, double* b, double*) override {
    for (int j = 0; j < n_columns(); ++j) {
      const double half = scale_[j] / std::sqrt(2.0);
      const double baseline = half * rng.normal();
      for (int k = 0; k < K; ++k)
        b[j * K + k] = location_[j] + half * rng.normal() - baseline;
    }
  }

  std::unique_ptr<CoefficientPrior> clone() const override {
    return std::unique_ptr<CoefficientPrior>(new LevelPrior(*this));
  }

 private:
  Vector location_, scale_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_LEVEL_PRIOR_HPP
