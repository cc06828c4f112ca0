// Half-t prior of a positive scale, on the natural and on the log scale.
#ifndef PSEUDOSYNTH_PRIOR_HALF_T_HPP
#define PSEUDOSYNTH_PRIOR_HALF_T_HPP

#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"
#include "../transforms.hpp"

namespace pseudosynth {

/// @brief half-t(df, 0, scale): the t distribution folded at 0. Gelman (2006).
class HalfT {
 public:
  /// @param df, scale positive.
  HalfT(double df, double scale)
      : df_(df),
        scale_(scale),
        log_root_(std::log(scale) + 0.5 * std::log(df)),
        log_constant_(kLogTwo + log_gamma(0.5 * (df + 1.0)) -
                      log_gamma(0.5 * df) - 0.5 * std::log(kPi) - log_root_) {}

  /// log density at x > 0. Through log x, so that no x overflows.
  double log_density(double x) const { return at_log(std::log(x)); }
  double derivative(double x) const {
    return -(df_ + 1.0) * x / (df_ * scale_ * scale_ + x * x);
  }

  /// log density of u = log x, the Jacobian included.
  double log_density_log(double u) const { return at_log(u) + u; }
  /// The same; adds d/du to d_u.
  double log_density_log(double u, double& d_u) const {
    d_u += 1.0 - (df_ + 1.0) * inv_logit(2.0 * (u - log_root_));
    return log_density_log(u);
  }

  /// log density of u = log(x - floor) for x truncated to x > floor, up to the
  /// constant mass above the (fixed) floor; adds d/du to d_u.
  double log_density_above(double floor, double u, double& d_u) const {
    if (floor == 0.0) return log_density_log(u, d_u);
    const double excess = std::exp(u);
    d_u += derivative(floor + excess) * excess + 1.0;
    return at_log(std::log(floor + excess)) + u;
  }

  double draw(Rng& rng) const {
    const double z = std::fabs(rng.normal());
    return scale_ * z / std::sqrt(rng.gamma(0.5 * df_) / (0.5 * df_));
  }

 private:
  double at_log(double u) const {
    return log_constant_ - 0.5 * (df_ + 1.0) * log1p_exp(2.0 * (u - log_root_));
  }

  double df_, scale_;
  double log_root_;  // log(scale sqrt(df))
  double log_constant_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_HALF_T_HPP
