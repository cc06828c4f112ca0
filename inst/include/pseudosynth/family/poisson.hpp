// Poisson counts with log link.
#ifndef PSEUDOSYNTH_FAMILY_POISSON_HPP
#define PSEUDOSYNTH_FAMILY_POISSON_HPP

#include <cmath>

#include "../rng.hpp"
#include "../special.hpp"

namespace pseudosynth {

/// @brief y ~ Poisson(exp(eta)); no extra parameter. f is -Inf where exp(eta)
/// overflows and exact where it underflows.
struct Poisson {
  static constexpr int kExtras = 0;

  struct At {};
  At at(const double*) const { return At{}; }

  double log_lik(double y, double eta, const At&) const {
    return poisson_log_density(y, std::exp(eta), eta);
  }

  double derivatives(double y, double eta, const At&, double& d_eta,
                     double*) const {
    const double mean = std::exp(eta);
    d_eta = y - mean;
    return poisson_log_density(y, mean, eta);
  }

  double simulate(Rng& rng, double eta, const At&) const {
    return rng.poisson(std::exp(eta));
  }

  void constrain(const double*, double*) const {}
  void unconstrain(const double*, double*) const {}
  double log_prior(const double*, double*) const { return 0.0; }
  void adjoint(const double*, const double*, double*) const {}

  double start_scale(double y) const { return std::log(y + 0.5); }
  void initial(double, Rng&, double*) const {}
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_POISSON_HPP
