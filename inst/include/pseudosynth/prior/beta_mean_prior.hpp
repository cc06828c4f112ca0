// The mean of an intercept-only logit model with a beta prior, as the papers'
// beta synthesizer has it.
#ifndef PSEUDOSYNTH_PRIOR_BETA_MEAN_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_BETA_MEAN_PRIOR_HPP

#include <cmath>
#include <memory>
#include <stdexcept>

#include "../transforms.hpp"
#include "coefficient_prior.hpp"

namespace pseudosynth {

/// @brief inverse-logit(b_0k) ~ Beta(shape1, shape2); one column, no
/// hyperparameters. The density is that of b, the Jacobian included.
class BetaMeanPrior : public CoefficientPrior {
 public:
  /// @throw std::invalid_argument if a shape is not positive.
  BetaMeanPrior(double shape1, double shape2)
      : shape1_(shape1), shape2_(shape2) {
    if (!(shape1 > 0.0) || !(shape2 > 0.0) || !std::isfinite(shape1 + shape2))
      throw std::invalid_argument("a beta prior needs two positive shapes");
    log_constant_ =
        log_gamma(shape1 + shape2) - log_gamma(shape1) - log_gamma(shape2);
  }

  int n_columns() const override { return 1; }
  int n_unconstrained() const override { return 0; }
  int n_stored() const override { return 0; }

  double log_density(const double* b, int K, const double*, double* d_b,
                     double*) override {
    double sum = 0.0;
    for (int k = 0; k < K; ++k) {
      sum += log_constant_ - shape1_ * log1p_exp(-b[k]) -
             shape2_ * log1p_exp(b[k]);
      d_b[k] += shape1_ * inv_logit(-b[k]) - shape2_ * inv_logit(b[k]);
    }
    return sum;
  }

  void constrain(const double*, double*) const override {}
  void unconstrain(const double*, double*) const override {}
  double centre(int) const override { return std::log(shape1_ / shape2_); }
  void initial(const double*, int, Rng&, double*) const override {}

  void draw(int K, Rng& rng, double* b, double*) override {
    for (int k = 0; k < K; ++k) {
      const double success = rng.log_gamma_draw(shape1_);
      b[k] = success - rng.log_gamma_draw(shape2_);
    }
  }

  std::unique_ptr<CoefficientPrior> clone() const override {
    return std::unique_ptr<CoefficientPrior>(new BetaMeanPrior(*this));
  }

 private:
  double shape1_, shape2_;
  double log_constant_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_BETA_MEAN_PRIOR_HPP
