// A univariate density known up to a constant, as a table that is drawn from
// and evaluated exactly: constant in cells, exponential tails. A proposal, not
// the density itself.
#ifndef PSEUDOSYNTH_TABULATED_DENSITY_HPP
#define PSEUDOSYNTH_TABULATED_DENSITY_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "count_of.hpp"
#include "math.hpp"
#include "rng.hpp"

namespace pseudosynth {

class TabulatedDensity {
 public:
  /// @param log_density finite on [lower, upper], falling out of both ends.
  template <class LogDensity>
  TabulatedDensity(LogDensity&& log_density, double lower, double upper,
                   int n_cells = 400)
      : lower_(lower), width_((upper - lower) / n_cells) {
    std::vector<double> log_mass;
    // Half of the slope at the ends: tails no lighter than those of the density
    left_rate_ = tail_rate(log_density, lower, 1.0);
    right_rate_ = tail_rate(log_density, upper, -1.0);
    log_mass.push_back(log_density(lower) - std::log(left_rate_));
    for (int k = 0; k < n_cells; ++k)
      log_mass.push_back(log_density(lower + (k + 0.5) * width_) +
                         std::log(width_));
    log_mass.push_back(log_density(upper) - std::log(right_rate_));
    const double total = log_sum_exp(log_mass.data(), count_of(log_mass));
    double sum = 0.0;
    for (const double mass : log_mass) {
      log_mass_.push_back(mass - total);
      sum += std::exp(mass - total);
      cumulative_.push_back(sum);
    }
  }

  double log_density(double x) const {
    const double at = (x - lower_) / width_;
    const std::size_t cells = log_mass_.size() - 2;
    if (at < 0.0)
      return log_mass_.front() + std::log(left_rate_) +
             left_rate_ * at * width_;
    if (at >= static_cast<double>(cells))
      return log_mass_.back() + std::log(right_rate_) -
             right_rate_ * (at - static_cast<double>(cells)) * width_;
    return log_mass_[1 + static_cast<std::size_t>(at)] - std::log(width_);
  }

  double draw(Rng& rng) const {
    const double p = rng.uniform() * cumulative_.back();
    const std::size_t k = static_cast<std::size_t>(
        std::lower_bound(cumulative_.begin(), cumulative_.end(), p) -
        cumulative_.begin());
    if (k == 0) return lower_ - rng.exponential() / left_rate_;
    const std::size_t cells = log_mass_.size() - 2;
    if (k > cells)
      return lower_ + static_cast<double>(cells) * width_ +
             rng.exponential() / right_rate_;
    return lower_ + (static_cast<double>(k - 1) + rng.uniform()) * width_;
  }

 private:
  template <class LogDensity>
  static double tail_rate(LogDensity&& log_density, double end, double inward) {
    const double slope = log_density(end + inward) - log_density(end);
    return std::max(0.5 * slope, 0.05);
  }

  double lower_, width_, left_rate_, right_rate_;
  std::vector<double> log_mass_, cumulative_;
};

/// Of a parameter's prior on the unconstrained scale.
template <class LogPrior>
TabulatedDensity tabulated_prior(LogPrior&& log_prior) {
  constexpr double kRange = 18.0;
  return TabulatedDensity(log_prior, -kRange, kRange);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_TABULATED_DENSITY_HPP
