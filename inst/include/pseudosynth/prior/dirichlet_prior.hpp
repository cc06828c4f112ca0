// Mixture weights: a sparse Dirichlet whose total concentration is learned.
#ifndef PSEUDOSYNTH_PRIOR_DIRICHLET_PRIOR_HPP
#define PSEUDOSYNTH_PRIOR_DIRICHLET_PRIOR_HPP

#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// @brief pi ~ Dirichlet(gamma/K, .., gamma/K), gamma ~ Gamma(1, 1).
class DirichletPrior {
 public:
  explicit DirichletPrior(int K) : K_(K) {}

  /// log p(pi | gamma) + log p(gamma) + log gamma, the last being the Jacobian
  /// of u = log gamma. The Jacobian of pi belongs to its transform.
  /// Adds to d_log_pi (each log pi_k taken as free) and to d_u.
  double log_density(const double* log_pi, double u, double* d_log_pi,
                     double& d_u) const {
    const double gamma = std::exp(u), a = gamma / K_;
    double total = 0.0;
    for (int k = 0; k < K_; ++k) {
      total += log_pi[k];
      d_log_pi[k] += a - 1.0;
    }
    // log Gamma(a) = log Gamma(a + 1) - log a keeps small a exact:
    // the derivative's poles -1/a and -1/gamma cancel into K - 1 below.
    const double log_constant = log_gamma(gamma + 1.0) - u -
                                K_ * (log_gamma(a + 1.0) - (u - std::log(K_)));
    d_u += gamma * (digamma(gamma + 1.0) - digamma(a + 1.0)) + (K_ - 1.0) +
           a * total - gamma + 1.0;
    return log_constant + (a - 1.0) * total - gamma + u;
  }

  /// @param log_pi filled, not normalised. @return log gamma.
  double draw(Rng& rng, double* log_pi) const {
    const double gamma = rng.exponential();
    for (int k = 0; k < K_; ++k) log_pi[k] = rng.log_gamma_draw(gamma / K_);
    return std::log(gamma);
  }

 private:
  int K_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PRIOR_DIRICHLET_PRIOR_HPP
