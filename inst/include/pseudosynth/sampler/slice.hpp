// Univariate slice sampling with stepping out and shrinkage (Neal 2003),
// reversible with respect to its target.
#ifndef PSEUDOSYNTH_SAMPLER_SLICE_HPP
#define PSEUDOSYNTH_SAMPLER_SLICE_HPP

#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// One update of x in (lower, upper) on the slice that `is_above` tells: points
/// whose density lies above a level drawn below the density at x. The last
/// point that it is asked about is the one returned, unless x stays.
template <class IsAbove>
double slice_sample_above(Rng& rng, double x, IsAbove&& is_above, double width,
                          double lower = -kInfinity, double upper = kInfinity) {
  constexpr int kMaxSteps = 64;
  double left = x - width * rng.uniform();
  double right = left + width;
  // The number of steps to each side is drawn beforehand, which keeps the
  // update reversible when it is limited.
  int left_steps = rng.integer(kMaxSteps);
  int right_steps = kMaxSteps - 1 - left_steps;
  while (left_steps-- > 0 && left > lower && is_above(left)) left -= width;
  while (right_steps-- > 0 && right < upper && is_above(right)) right += width;
  left = left < lower ? lower : left;
  right = right > upper ? upper : right;
  for (;;) {
    const double proposal = left + rng.uniform() * (right - left);
    if (is_above(proposal)) return proposal;
    if (proposal < x)
      left = proposal;
    else
      right = proposal;
    // The interval has closed around x: nothing else is on the slice.
    if (!(right - left > 1e-14 * (1.0 + std::fabs(x)))) return x;
  }
}

/// One update of x in (lower, upper) under the log density `log_density`. Its
/// value at x, finite, comes in `value`, which leaves with that of the result.
template <class LogDensity>
double slice_sample_from(Rng& rng, double x, double& value,
                         LogDensity&& log_density, double width,
                         double lower = -kInfinity, double upper = kInfinity) {
  const double level = value - rng.exponential();
  double there = value;
  const double to = slice_sample_above(
      rng, x,
      [&](double at) {
        there = log_density(at);
        return there > level;
      },
      width, lower, upper);
  if (there > level) value = there;
  return to;
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
