// The papers' prior: correlated coefficients with learned scales (Savitsky,
// Williams and Hu 2022; Hu, Savitsky and Williams 2021).
#ifndef PSEUDOSYNTH_PRIOR_HIERARCHICAL_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_HIERARCHICAL_PRIOR_HPP

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "coefficient_prior.hpp"
#include "half_t.hpp"
#include "lkj.hpp"

namespace pseudosynth {

/// @brief b_k ~ MVN(0, diag(tau) Omega diag(tau)), tau_j ~ half-t(df, 0,
/// scale), Omega ~ LKJ(shape), shared by all k. u = [ log tau | partial
/// correlations ]; stored [ tau ].
class HierarchicalPrior : public CoefficientPrior {
 public:
  HierarchicalPrior(int P, double shape, double df, double scale)
      : P_(P),
        scale_(scale),
        tau_prior_(df, scale),
        omega_prior_(P, shape),
        omega_(P),
        d_L_(P, P),
        z_(P),
        w_(P),
        inverse_tau_(P) {
    if (P < 1 || !(shape > 0.0) || !(df > 0.0) || !(scale > 0.0))
      throw std::invalid_argument(
          "a hierarchical prior needs positive lkj, df and scale");
  }

  int n_columns() const override { return P_; }
  int n_unconstrained() const override {
    return P_ + n_partial_correlations(P_);
  }
  int n_stored() const override { return P_; }

  double log_density(const double* b, int K, const double* u, double* d_b,
                     double* d_u) override {
    double* d_partial = d_u + P_;
    omega_.constrain(u + P_);
    double sum = omega_prior_.log_density_unconstrained(omega_, d_partial) -
                 K * (P_ * kHalfLogTwoPi + omega_.log_determinant());
    for (int l = 0; l < n_partial_correlations(P_); ++l)
      d_partial[l] += K * omega_.z(l);  // d log sech / du = -tanh
    for (int j = 0; j < P_; ++j) {
      inverse_tau_[j] = std::exp(-u[j]);
      sum += tau_prior_.log_density_log(u[j], d_u[j]) - K * u[j];
      d_u[j] -= K;
    }

    // With c_k = b_k / tau, z_k = L^-1 c_k and w_k = L^-T z_k:
    // -1/2 |z_k|^2 has gradient -w_k in c_k and w_k z_k' in L.
    const auto L = omega_.L().triangularView<Eigen::Lower>();
    d_L_.setZero();
    for (int k = 0; k < K; ++k) {
      for (int j = 0; j < P_; ++j) z_[j] = b[j * K + k] * inverse_tau_[j];
      L.solveInPlace(z_);
      w_ = z_;
      L.adjoint().solveInPlace(w_);
      sum -= 0.5 * z_.squaredNorm();
      for (int j = 0; j < P_; ++j) {
        const double pull = w_[j] * inverse_tau_[j];
        d_b[j * K + k] -= pull;
        d_u[j] += pull * b[j * K + k];
        d_L_.col(j).tail(P_ - j) += z_[j] * w_.tail(P_ - j);
      }
    }
    omega_.adjoint_add(d_L_, d_partial);
    return sum;
  }

  void constrain(const double* u, double* stored) const override {
    for (int j = 0; j < P_; ++j) stored[j] = std::exp(u[j]);
  }

  void unconstrain(const double* stored, double* u) const override {
    for (int j = 0; j < P_; ++j) u[j] = std::log(stored[j]);
    std::fill(u + P_, u + n_unconstrained(), 0.0);
  }

  double centre(int) const override { return 0.0; }

  /// tau near the size of its coefficients, Omega near the identity.
  void initial(const double* b, int K, Rng& rng, double* u) const override {
    for (int j = 0; j < P_; ++j) {
      double largest = 0.5 * scale_;
      for (int k = 0; k < K; ++k)
        largest = std::max(largest, std::fabs(b[j * K + k]));
      u[j] = std::log(largest) + rng.uniform() - 0.5;
    }
    for (int l = P_; l < n_unconstrained(); ++l)
      u[l] = 0.2 * (rng.uniform() - 0.5);
  }

  void draw(int K, Rng& rng, double* b, double* u) override {
    for (int j = 0; j < P_; ++j) u[j] = std::log(tau_prior_.draw(rng));
    omega_prior_.draw(rng, u + P_);
    omega_.constrain(u + P_);
    for (int k = 0; k < K; ++k) {
      for (int j = 0; j < P_; ++j) z_[j] = rng.normal();
      w_ = omega_.L() * z_;
      for (int j = 0; j < P_; ++j) b[j * K + k] = std::exp(u[j]) * w_[j];
    }
  }

  std::unique_ptr<CoefficientPrior> clone() const override {
    return std::unique_ptr<CoefficientPrior>(new HierarchicalPrior(*this));
  }

 private:
  int P_;
  double scale_;
  HalfT tau_prior_;
  Lkj omega_prior_;
  CholeskyCorrelation omega_;
  Matrix d_L_;
  Vector z_, w_, inverse_tau_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_HIERARCHICAL_PRIOR_HPP
