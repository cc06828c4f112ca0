// Binary responses with logit link.
#ifndef PSEUDOSYNTH_FAMILY_BERNOULLI_HPP
#define PSEUDOSYNTH_FAMILY_BERNOULLI_HPP

#include "../math.hpp"
#include "../rng.hpp"
#include "../transforms.hpp"

namespace pseudosynth {

/// @brief y in {0, 1}, P(y = 1) = 1/(1 + exp(-eta)); no extra parameter.
struct Bernoulli {
  static constexpr int kExtras = 0;

  struct At {};
  At at(const double*) const { return At{}; }

  double log_lik(double y, double eta, const At&) const {
    return -log1p_exp(y > 0.5 ? -eta : eta);
  }

  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double*) const {
    d_eta = y > 0.5 ? inv_logit(-eta) : -inv_logit(eta);
    return log_lik(y, eta, at);
  }

  double simulate(Rng& rng, double eta, const At&) const {
    return rng.uniform() < inv_logit(eta) ? 1.0 : 0.0;
  }

  void constrain(const double*, double*) const {}
  void unconstrain(const double*, double*) const {}
  double log_prior(const double*, double*) const { return 0.0; }
  void adjoint(const double*, const double*, double*) const {}

  // Slopes of least squares on +-2 are near those of a logit away from 0, 1.
  double start_scale(double y) const { return y > 0.5 ? 2.0 : -2.0; }
  void initial(double, Rng&, double*) const {}
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_BERNOULLI_HPP
