// Independent normal coefficients with public constants.
#ifndef PSEUDOSYNTH_PRIOR_NORMAL_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_NORMAL_PRIOR_HPP

#include <memory>
#include <stdexcept>
#include <utility>

#include "../count_of.hpp"
#include "coefficient_prior.hpp"

namespace pseudosynth {

/// @brief b_jk ~ N(location_j, scale_j^2); no hyperparameters.
class NormalPrior : public CoefficientPrior {
 public:
  /// @throw std::invalid_argument if lengths differ or a scale is not positive.
  NormalPrior(Vector location, Vector scale)
      : location_(std::move(location)), scale_(std::move(scale)) {
    if (location_.size() != scale_.size() || !(scale_.array() > 0.0).all())
      throw std::invalid_argument(
          "normal coefficients need one location and one positive scale per "
          "column");
  }

  int n_columns() const override { return count_of(scale_); }
  int n_unconstrained() const override { return 0; }
  int n_stored() const override { return 0; }

  double log_density(const double* b, int K, const double*, double* d_b,
                     double*) override {
    double sum = 0.0;
    for (int j = 0; j < n_columns(); ++j) {
      const double inverse = 1.0 / scale_[j];
      for (int k = 0; k < K; ++k) {
        const double z = (b[j * K + k] - location_[j]) * inverse;
        sum -= 0.5 * z * z;
        d_b[j * K + k] -= z * inverse;
      }
      sum -= K * (std::log(scale_[j]) + kHalfLogTwoPi);
    }
    return sum;
  }

  void constrain(const double*, double*) const override {}
  void unconstrain(const double*, double*) const override {}
  double centre(int j) const override { return location_[j]; }
  void initial(const double*, int, Rng&, double*) const override {}

  void draw(int K, Rng& rng, double* b, double*) override {
    for (int j = 0; j < n_columns(); ++j)
      for (int k = 0; k < K; ++k)
        b[j * K + k] = location_[j] + scale_[j] * rng.normal();
  }

  std::unique_ptr<CoefficientPrior> clone() const override {
    return std::unique_ptr<CoefficientPrior>(new NormalPrior(*this));
  }

  const Vector& location() const { return location_; }
  const Vector& scale() const { return scale_; }

 private:
  Vector location_, scale_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_NORMAL_PRIOR_HPP
