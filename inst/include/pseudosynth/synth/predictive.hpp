// Posterior predictive draws: y*_i ~ p(. | x_i, theta_s) for every record.
#ifndef PSEUDOSYNTH_SYNTH_PREDICTIVE_HPP
#define PSEUDOSYNTH_SYNTH_PREDICTIVE_HPP

#include <cmath>
#include <vector>

#include "../family/normal_mixture.hpp"
#include "../records.hpp"
#include "../rng.hpp"

namespace pseudosynth {

enum class Assignment {
  kPrior,     // component from pi, a function of theta alone
  kPosterior  // component given the true y_i: reads the confidential value
};

/// One synthetic response per record, in the order of the file, on the modelled
/// scale, from one draw [ b | extras ].
/// @param K components, 0 for a single normal regression.
inline void synthesize(const Records& records, int K, const double* draw,
                       Assignment assignment, Rng& rng, double* out) {
  const Design& design = records.design;
  const int n_eta = K == 0 ? 1 : K;
  std::vector<double> eta(static_cast<std::size_t>(design.n_rows()) * n_eta);
  design.linear_predictor(draw, n_eta, eta.data());
  const double* extras =
      draw + static_cast<std::size_t>(design.n_columns()) * n_eta;
  const double* sigma = K == 0 ? extras : extras + K;
  std::vector<double> share(static_cast<std::size_t>(n_eta));
  for (int i = 0; i < records.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const double* mean =
        eta.data() + static_cast<std::size_t>(design.row()[at]) * n_eta;
    double& y = out[design.order()[at]];
    if (K == 0) {
      y = mean[0] + sigma[0] * rng.normal();
      continue;
    }
    if (assignment == Assignment::kPrior) {
      y = normal_mixture_simulate(rng, mean, extras, sigma, K);
      continue;
    }
    double high = -kInfinity;
    for (int k = 0; k < K; ++k) {
      share[static_cast<std::size_t>(k)] =
          std::log(extras[k]) +
          normal_log_density(records.y[at], mean[k], sigma[k]);
      high = std::max(high, share[static_cast<std::size_t>(k)]);
    }
    double total = 0.0;
    for (double& s : share) total += s = std::exp(s - high);
    for (double& s : share) s /= total;
    y = normal_mixture_simulate(rng, mean, share.data(), sigma, K);
  }
}

}  // namespace pseudosynth

#endif
