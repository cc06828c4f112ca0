// The mixture's log pseudo posterior with the indicators summed out, in what a
// Hamiltonian move of the mixture moves: coefficients, weights and scales,
// given m, tau and gamma.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_MARGINAL_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_MARGINAL_HPP

#include <cmath>

#include "mixture_chain.hpp"
#include "mixture_slope.hpp"

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
      : P_(P), K_(K), slope_(records, K), log_pi_(K) {}

  /// Log prior density at x, up to a constant. Masses are independent
  /// gamma(gamma/K), which makes pi ~ Dirichlet(gamma/K).
  double log_prior(const MixtureChain& chain, const MixturePoint& x) const {
    const double shape = chain.state.gamma / K_;
    double value = 0.0;
    for (int k = 0; k < K_; ++k) {
      value += shape * x.log_mass[k] - std::exp(x.log_mass[k]);
      value += chain.sigma_prior().log_density_log(x.log_sigma[k]);
    }
    for (int j = 0; j < P_; ++j) {
      const double precision = 1.0 / square(chain.prior_scale(j));
      const double mean = chain.prior_mean(j);
      for (int k = 0; k < K_; ++k)
        value -= 0.5 * precision * square(x.b(j, k) - mean);
    }
    return value;
  }

  /// The gradient of the log density at x, the likelihood's in single
  /// precision: for trajectories only (see MixtureSlope).
  void slope(const MixtureChain& chain, const MixturePoint& x,
             MixturePoint& gradient) {
    log_pi_ = x.log_mass.array() - log_sum_exp(x.log_mass.data(), K_);
    slope_(x.b, log_pi_, x.log_sigma, gradient.b, gradient.log_mass,
           gradient.log_sigma);
    const double total = gradient.log_mass.sum();
    const double shape = chain.state.gamma / K_;
    for (int k = 0; k < K_; ++k) {
      gradient.log_mass[k] +=
          shape - std::exp(x.log_mass[k]) - total * std::exp(log_pi_[k]);
      chain.sigma_prior().log_density_log(x.log_sigma[k],
                                          gradient.log_sigma[k]);
    }
    for (int j = 0; j < P_; ++j) {
      const double precision = 1.0 / square(chain.prior_scale(j));
      const double mean = chain.prior_mean(j);
      for (int k = 0; k < K_; ++k)
        gradient.b(j, k) -= precision * (x.b(j, k) - mean);
    }
  }

 private:
  int P_, K_;
  MixtureSlope slope_;
  Vector log_pi_;
};

}  // namespace pseudosynth

#endif
