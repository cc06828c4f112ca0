// Step size adaptation by Nesterov's dual averaging (Hoffman and Gelman 2014,
// section 3.2, equation 6; constants as in Stan).
#ifndef PSEUDOSYNTH_SAMPLER_DUAL_AVERAGING_HPP
#define PSEUDOSYNTH_SAMPLER_DUAL_AVERAGING_HPP

#include <algorithm>
#include <cmath>

#include "nuts_constants.hpp"

namespace pseudosynth {

/// @brief Drives the mean acceptance statistic to `target`.
class DualAveraging {
 public:
  explicit DualAveraging(double target) : target_(target) {}

  /// @brief Starts over around ten times `stepsize`: larger steps are cheap to
  /// reject, so the search leans towards them.
  void restart(double stepsize) {
    mu_ = std::log(NutsConstants::kStartsAt * stepsize);
    count_ = 0;
    mean_gap_ = 0;
    log_average_ = 0;
  }

  /// @brief Takes one iteration's acceptance statistic, gives the next step.
  double update(double accept_stat) {
    ++count_;
    const double n = static_cast<double>(count_);
    const double weight = 1.0 / (n + NutsConstants::kOffset);
    const double gap = target_ - std::min(1.0, accept_stat);
    mean_gap_ = (1.0 - weight) * mean_gap_ + weight * gap;
    const double log_step =
        mu_ - mean_gap_ * std::sqrt(n) / NutsConstants::kGamma;
    const double decay = std::pow(n, -NutsConstants::kKappa);
    log_average_ = (1.0 - decay) * log_average_ + decay * log_step;
    return std::exp(log_step);
  }

  /// @brief The averaged step size, used after warmup.
  double averaged() const { return std::exp(log_average_); }
  bool has_updates() const { return count_ > 0; }

 private:
  double target_;
  double mu_ = 0, mean_gap_ = 0, log_average_ = 0;
  long count_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_DUAL_AVERAGING_HPP
