// Normal coefficients of levels against a baseline that makes no difference.
#ifndef PSEUDOSYNTH_PRIOR_LEVEL_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_LEVEL_PRIOR_HPP

#include <cmath>
#include <memory>

#include "normal_prior.hpp"

namespace pseudosynth {

/// @brief b_jk ~ N(location_j, scale_j^2) for the levels k = 1 .. K of K + 1,
/// half of whose variance is the baseline's: the correlations are 1/2, and the
/// prior is the same whichever level the others are held against (where the
/// location is 0). No hyperparameters.
class LevelPrior : public NormalPrior {
 public:
  using NormalPrior::NormalPrior;

  /// The covariance is scale^2 (I + 11') / 2, its inverse
  /// 2 / scale^2 (I - 11' / (K + 1)), its determinant
  /// scale^(2 K) (K + 1) / 2^K.
  double log_density(const double* b, int K, const double*, double* d_b,
                     double*) override {
    const double levels = K + 1.0;
    double sum = 0.0;
    for (int j = 0; j < n_columns(); ++j) {
      const double precision = 2.0 / (scale()[j] * scale()[j]);
      double total = 0.0, squares = 0.0;
      for (int k = 0; k < K; ++k) {
        const double far = b[j * K + k] - location()[j];
        total += far;
        squares += far * far;
      }
      sum -= 0.5 * precision * (squares - total * total / levels);
      for (int k = 0; k < K; ++k) {
        const double far = b[j * K + k] - location()[j];
        d_b[j * K + k] -= precision * (far - total / levels);
      }
      sum -= K * (std::log(scale()[j]) - 0.5 * std::log(2.0) + kHalfLogTwoPi) +
             0.5 * std::log(levels);
    }
    return sum;
  }

  void draw(int K, Rng& rng, double* b, double*) override {
    for (int j = 0; j < n_columns(); ++j) {
      const double half = scale()[j] / std::sqrt(2.0);
      const double baseline = half * rng.normal();
      for (int k = 0; k < K; ++k)
        b[j * K + k] = location()[j] + half * rng.normal() - baseline;
    }
  }

  std::unique_ptr<CoefficientPrior> clone() const override {
    return std::unique_ptr<CoefficientPrior>(new LevelPrior(*this));
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_LEVEL_PRIOR_HPP
