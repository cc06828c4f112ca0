// Coefficient vectors that share a mean: the mixture's default, because it
// lets empty components stay near the full ones and so lets chains mix.
#ifndef PSEUDOSYNTH_PRIOR_SHARED_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_SHARED_PRIOR_HPP

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include "../count_of.hpp"
#include "coefficient_prior.hpp"
#include "half_t.hpp"

namespace pseudosynth {

/// @brief b_jk ~ N(m_j, tau_j^2), m_j ~ N(location_j, m_scale_j^2),
/// tau_j ~ half-t(df, 0, scale). u = [ m | log tau ], stored [ tau | m ].
class SharedPrior : public CoefficientPrior {
 public:
  SharedPrior(double df, double scale, Vector location, Vector m_scale)
      : tau_prior_(df, scale),
        scale_(scale),
        location_(std::move(location)),
        m_scale_(std::move(m_scale)) {
    if (!(df > 0.0) || !(scale > 0.0) || location_.size() != m_scale_.size() ||
        !(m_scale_.array() > 0.0).all())
      throw std::invalid_argument(
          "a shared prior needs positive df and scales, one per column");
  }

  int n_columns() const override { return count_of(m_scale_); }
  int n_unconstrained() const override { return 2 * n_columns(); }
  int n_stored() const override { return 2 * n_columns(); }

  double log_density(const double* b, int K, const double* u, double* d_b,
                     double* d_u) override {
    const int P = n_columns();
    double sum = 0.0;
    for (int j = 0; j < P; ++j) {
      const double m = u[j], log_tau = u[P + j];
      const double inverse = std::exp(-log_tau);
      double squares = 0.0, pull = 0.0;
      for (int k = 0; k < K; ++k) {
        const double z = (b[j * K + k] - m) * inverse;
        d_b[j * K + k] -= z * inverse;
        squares += z * z;
        pull += z;
      }
      const double z = (m - location_[j]) / m_scale_[j];
      sum -= 0.5 * squares + K * (log_tau + kHalfLogTwoPi) + 0.5 * z * z +
             std::log(m_scale_[j]) + kHalfLogTwoPi;
      d_u[j] += pull * inverse - z / m_scale_[j];
      d_u[P + j] += squares - K;
      sum += tau_prior_.log_density_log(log_tau, d_u[P + j]);
    }
    return sum;
  }

  void constrain(const double* u, double* stored) const override {
    const int P = n_columns();
    for (int j = 0; j < P; ++j) {
      stored[j] = std::exp(u[P + j]);
      stored[P + j] = u[j];
    }
  }

  void unconstrain(const double* stored, double* u) const override {
    const int P = n_columns();
    for (int j = 0; j < P; ++j) {
      u[P + j] = std::log(stored[j]);
      u[j] = stored[P + j];
    }
  }

  double centre(int j) const override { return location_[j]; }

  /// m at the mean of the b_jk; tau not far below their spread, since a tau
  /// that is too small freezes its coefficients.
  void initial(const double* b, int K, Rng& rng, double* u) const override {
    const int P = n_columns();
    for (int j = 0; j < P; ++j) {
      double mean = 0.0, spread = 0.0;
      for (int k = 0; k < K; ++k) mean += b[j * K + k] / K;
      for (int k = 0; k < K; ++k) spread += square(b[j * K + k] - mean) / K;
      u[j] = mean;
      u[P + j] =
          std::log(std::max(std::sqrt(spread), scale_)) + rng.uniform() - 0.5;
    }
  }

  void draw(int K, Rng& rng, double* b, double* u) override {
    const int P = n_columns();
    for (int j = 0; j < P; ++j) {
      const double tau = tau_prior_.draw(rng);
      u[j] = location_[j] + m_scale_[j] * rng.normal();
      u[P + j] = std::log(tau);
      for (int k = 0; k < K; ++k) b[j * K + k] = u[j] + tau * rng.normal();
    }
  }

  std::unique_ptr<CoefficientPrior> clone() const override {
    return std::unique_ptr<CoefficientPrior>(new SharedPrior(*this));
  }

 private:
  HalfT tau_prior_;
  double scale_;
  Vector location_, m_scale_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_SHARED_PRIOR_HPP
