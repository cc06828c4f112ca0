// Univariate slice sampling with stepping out and shrinkage (Neal 2003),
// reversible with respect to its target.
#ifndef PSEUDOSYNTH_SAMPLER_SLICE_HPP
#define PSEUDOSYNTH_SAMPLER_SLICE_HPP

#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// One update of x in (lower, upper) under the log density `log_density`. Its
/// value at x, finite, comes in `value`, which leaves with that of the result.
template <class LogDensity>
double slice_sample_from(Rng& rng, double x, double& value,
                         LogDensity&& log_density, double width,
                         double lower = -kInfinity, double upper = kInfinity) {
  constexpr int kMaxSteps = 64;
  const double level = value - rng.exponential();
  double left = x - width * rng.uniform();
  double right = left + width;
  // The number of steps to each side is drawn beforehand, which keeps the
  // update reversible when it is limited.
  int left_steps = rng.integer(kMaxSteps);
  int right_steps = kMaxSteps - 1 - left_steps;
  while (left_steps-- > 0 && left > lower && log_density(left) > level)
    left -= width;
  while (right_steps-- > 0 && right < upper && log_density(right) > level)
    right += width;
  left = left < lower ? lower : left;
  right = right > upper ? upper : right;
  for (;;) {
    const double proposal = left + rng.uniform() * (right - left);
    const double there = log_density(proposal);
    if (there > level) {
      value = there;
      return proposal;
    }
    if (proposal < x)
      left = proposal;
    else
      right = proposal;
    // The interval has closed around x: nothing else is on the slice.
    if (!(right - left > 1e-14 * (1.0 + std::fabs(x)))) return x;
  }
}

/// The same where the value at x is not at hand.
template <class LogDensity>
double slice_sample(Rng& rng, double x, LogDensity&& log_density, double width,
                    double lower = -kInfinity, double upper = kInfinity) {
  double value = log_density(x);
  return slice_sample_from(rng, x, value, log_density, width, lower, upper);
}

}  // namespace pseudosynth

#endif
