// Multinomial logit: level k of K has a probability proportional to
// exp(x' b_k), with b_0 = 0.
#ifndef PSEUDOSYNTH_FAMILY_CATEGORICAL_HPP
#define PSEUDOSYNTH_FAMILY_CATEGORICAL_HPP

#include <cmath>

#include "../rng.hpp"
#include "no_extras.hpp"

namespace pseudosynth {

/// @brief What the registry knows of it: K levels, 0 .. K - 1, and K - 1 linear
/// predictors; no extra parameter.
struct Categorical : NoExtras {
  explicit Categorical(int levels = 2) : K(levels) {}
  int K;
};
inline int n_predictors(const Categorical& family) {
  return family.K - 1;
}

/// @brief The log of sum_k exp(eta_k), eta_0 = 0, in two parts: the largest
/// term, and log1p of what the others are beside it. Their sum would lose the
/// log probability of a level that is all but certain.
struct LevelSum {
  double high = 0.0;
  double log_rest = 0.0;

  LevelSum(const double* eta, int K) {
    double rest = 0.0;
    for (int k = 0; k < K - 1; ++k) {
      const double ratio = std::exp(-std::fabs(eta[k] - high));
      rest = eta[k] > high ? (1.0 + rest) * ratio : rest + ratio;
      if (eta[k] > high) high = eta[k];
    }
    log_rest = std::log1p(rest);
  }
  /// log of a level's probability from its linear predictor.
  double log_share(double eta) const { return (eta - high) - log_rest; }
};

/// The linear predictor of a level.
inline double level_line(int level, const double* eta) {
  return level == 0 ? 0.0 : eta[level - 1];
}

inline double categorical_log_lik(double y, const double* eta, int K) {
  return LevelSum(eta, K).log_share(level_line(static_cast<int>(y), eta));
}

inline double categorical_simulate(Rng& rng, const double* eta, int K) {
  const LevelSum sum(eta, K);
  double u = rng.uniform();
  int level = K - 1;
  // From the last: with two levels these are the draws of bernoulli().
  for (; level > 0; --level) {
    const double share = std::exp(sum.log_share(eta[level - 1]));
    if (u < share) break;
    u -= share;
  }
  return level;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_CATEGORICAL_HPP
