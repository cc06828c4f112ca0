// Mixture of normal regressions, indicators summed out:
//   f_i(theta) = log sum_k pi_k N(y_i | x_i' b_k, sigma_k^2)
// (Savitsky, Williams and Hu, appendix; Hu and Savitsky, equations 1 to 6).
#ifndef PSEUDOSYNTH_FAMILY_NORMAL_MIXTURE_HPP
#define PSEUDOSYNTH_FAMILY_NORMAL_MIXTURE_HPP

#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// @brief What the registry knows of the mixture: K linear predictors, extras
/// pi[1..K], sigma[1..K].
struct NormalMixture {
  int K = 1;
  double sigma_floor = 0.0;
};
inline int n_predictors(const NormalMixture& family) {
  return family.K;
}

/// f of one record from its K linear predictors.
inline double normal_mixture_log_lik(double y, const double* eta,
                                     const double* log_pi, const double* sigma,
                                     int K) {
  std::vector<double> term(static_cast<std::size_t>(K));
  for (int k = 0; k < K; ++k)
    term[k] = log_pi[k] + normal_log_density(y, eta[k], sigma[k]);
  return log_sum_exp(term.data(), K);
}

/// A draw from the mixture; the component comes from pi, a function of theta
/// alone.
inline double normal_mixture_simulate(Rng& rng, const double* eta,
                                      const double* pi, const double* sigma,
                                      int K) {
  double u = rng.uniform();
  int k = 0;
  while (k < K - 1 && u >= pi[k]) u -= pi[k++];
  return eta[k] + sigma[k] * rng.normal();
}

}  // namespace pseudosynth

#endif
