// The scale parameter of families of errors around a linear predictor.
#ifndef PSEUDOSYNTH_FAMILY_LOG_SCALE_HPP
#define PSEUDOSYNTH_FAMILY_LOG_SCALE_HPP

#include <cmath>

#include "../prior/half_t.hpp"

namespace pseudosynth {

/// @brief sigma ~ half-t(3, 0, 1), u = log sigma; y itself is on the scale of
/// eta. A family inherits these parts of its interface (see roles.hpp).
struct LogScale {
  static constexpr int kExtras = 1;

  void constrain(const double* u, double* extra) const {
    extra[0] = std::exp(u[0]);
  }
  void unconstrain(const double* extra, double* u) const {
    u[0] = std::log(extra[0]);
  }
  double log_prior(const double* u, double* d_u) const {
    return sigma_prior.log_density_log(u[0], d_u[0]);
  }
  void adjoint(const double* u, const double* d_extra, double* d_u) const {
    d_u[0] += d_extra[0] * std::exp(u[0]);
  }
  double start_scale(double y) const { return y; }

  HalfT sigma_prior{3.0, 1.0};
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_LOG_SCALE_HPP
