// Posterior predictive draws: y*_i ~ p(. | x_i, theta_s) for every record.
#ifndef PSEUDOSYNTH_SYNTH_PREDICTIVE_HPP
#define PSEUDOSYNTH_SYNTH_PREDICTIVE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../family/categorical.hpp"
#include "../family/normal_mixture.hpp"
#include "../records.hpp"
#include "../rng.hpp"

namespace pseudosynth {

enum class Assignment {
  kPrior,     // component from pi, a function of theta alone
  kPosterior  // component given the true y_i: reads the confidential value
};

namespace detail {

/// Calls use(i, k) for the i-th record of the file and its position k in row
/// order. Random numbers are spent in the order of the file: the order within a
/// row follows the confidential response.
template <class Use>
void in_file_order(const Records& records, Use&& use) {
  const std::vector<int>& order = records.design.order();
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    position[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  for (std::size_t i = 0; i < position.size(); ++i)
    use(i, static_cast<std::size_t>(position[i]));
}

}  // namespace detail

/// One synthetic response per record, in the order of the file, on the modelled
/// scale, from one draw [ b | extras ].
template <class Family>
void synthesize(const Records& records, const Family& family,
                const double* draw, Assignment, Rng& rng, double* out) {
  const Design& design = records.design;
  std::vector<double> eta(static_cast<std::size_t>(design.n_rows()));
  design.linear_predictor(draw, 1, eta.data());
  const auto at = family.at(draw + design.n_columns());
  detail::in_file_order(records, [&](std::size_t i, std::size_t k) {
    out[i] = family.simulate(
        rng, eta[static_cast<std::size_t>(design.row()[k])], at);
  });
}

/// The same for the mixture.
inline void synthesize(const Records& records, const NormalMixture& family,
                       const double* draw, Assignment assignment, Rng& rng,
                       double* out) {
  const Design& design = records.design;
  const int K = family.K;
  std::vector<double> eta(static_cast<std::size_t>(design.n_rows()) * K);
  design.linear_predictor(draw, K, eta.data());
  const double* pi = draw + static_cast<std::size_t>(design.n_columns()) * K;
  const double* sigma = pi + K;
  std::vector<double> share(static_cast<std::size_t>(K));
  detail::in_file_order(records, [&](std::size_t i, std::size_t at) {
    const double* mean =
        eta.data() + static_cast<std::size_t>(design.row()[at]) * K;
    if (assignment == Assignment::kPrior) {
      out[i] = normal_mixture_simulate(rng, mean, pi, sigma, K);
      return;
    }
    double high = -kInfinity;
    for (int k = 0; k < K; ++k) {
      share[static_cast<std::size_t>(k)] =
          std::log(pi[k]) +
          normal_log_density(records.y[at], mean[k], sigma[k]);
      high = std::max(high, share[static_cast<std::size_t>(k)]);
    }
    double total = 0.0;
    for (double& s : share) total += s = std::exp(s - high);
    for (double& s : share) s /= total;
    out[i] = normal_mixture_simulate(rng, mean, share.data(), sigma, K);
  });
}

/// The same for levels.
inline void synthesize(const Records& records, const Categorical& family,
                       const double* draw, Assignment, Rng& rng, double* out) {
  const Design& design = records.design;
  const int L = family.K - 1;
  std::vector<double> eta(static_cast<std::size_t>(design.n_rows()) * L);
  design.linear_predictor(draw, L, eta.data());
  detail::in_file_order(records, [&](std::size_t i, std::size_t k) {
    const std::size_t row = static_cast<std::size_t>(design.row()[k]);
    out[i] = categorical_simulate(rng, eta.data() + row * L, family.K);
  });
}

}  // namespace pseudosynth

#endif
