// The mixture's log pseudo posterior with the indicators summed out, and its
// gradient, in what a Hamiltonian move of the mixture moves: coefficients,
// weights and scales, given m, tau and gamma.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_MARGINAL_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_MARGINAL_HPP

#include <cmath>

#include "../family/normal_mixture.hpp"
#include "mixture_workspace.hpp"

namespace pseudosynth {

/// A point, a momentum or a gradient.
struct MixturePoint {
  Matrix b;          // P x K
  Vector log_mass;   // K; pi = exp(log_mass) over its sum
  Vector log_sigma;  // K

  static MixturePoint zero(int P, int K) {
    return {Matrix::Zero(P, K), Vector::Zero(K), Vector::Zero(K)};
  }
};

class MixtureMarginal {
 public:
  MixtureMarginal(const Records& records, int P, int K)
      : P_(P),
        K_(K),
        likelihood_(records, K),
        b_(K, P),
        d_b_(K, P),
        sigma_(K),
        log_pi_(K) {}

  /// Log density at x, up to a constant; fills the gradient. Masses are
  /// independent gamma(gamma/K), which makes pi ~ Dirichlet(gamma/K).
  double operator()(const MixtureWorkspace& chain, const MixturePoint& x,
                    MixturePoint& gradient) {
    b_ = x.b.transpose();
    log_pi_ = x.log_mass.array() - log_sum_exp(x.log_mass.data(), K_);
    sigma_ = x.log_sigma.array().exp();
    d_b_.setZero();
    gradient.log_mass.setZero();
    gradient.log_sigma.setZero();
    double value = likelihood_.gradient(
        b_.data(), log_pi_.data(), sigma_.data(), d_b_.data(),
        gradient.log_mass.data(), gradient.log_sigma.data());
    gradient.b = d_b_.transpose();
    const double total = gradient.log_mass.sum();
    const double shape = chain.state.gamma / K_;
    for (int k = 0; k < K_; ++k) {
      const double mass = std::exp(x.log_mass[k]);
      value += shape * x.log_mass[k] - mass;
      gradient.log_mass[k] += shape - mass - total * std::exp(log_pi_[k]);
      // sigma_k ~ half-t(3, 0, 1), with the Jacobian of the logarithm
      const double q = square(sigma_[k]) / 3.0;
      value += x.log_sigma[k] - 2.0 * std::log1p(q);
      gradient.log_sigma[k] =
          gradient.log_sigma[k] * sigma_[k] + 1.0 - 4.0 * q / (1.0 + q);
    }
    for (int j = 0; j < P_; ++j) {
      const double precision = 1.0 / square(chain.prior_scale(j));
      for (int k = 0; k < K_; ++k) {
        const double away = x.b(j, k) - chain.prior_mean(j);
        value -= 0.5 * precision * away * away;
        gradient.b(j, k) -= precision * away;
      }
    }
    return value;
  }

 private:
  int P_, K_;
  NormalMixtureLikelihood likelihood_;
  Matrix b_, d_b_;  // K x P, as the likelihood wants them
  Vector sigma_, log_pi_;
};

}  // namespace pseudosynth

#endif
