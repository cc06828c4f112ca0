// Univariate slice sampling with stepping out and shrinkage (Neal 2003),
// reversible with respect to its target.
#ifndef PSEUDOSYNTH_SAMPLER_SLICE_HPP
#define PSEUDOSYNTH_SAMPLER_SLICE_HPP

#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// One update of x in (lower, upper) under the log density `log_density`, which
/// must be finite at x.
template <class LogDensity>
double slice_sample(Rng& rng, double x, LogDensity&& log_density, double width,
                    double lower = -kInfinity, double upper = kInfinity) {
  constexpr int kMaxSteps = 64;
  const double level = log_density(x) - rng.exponential();
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
    if (log_density(proposal) > level) return proposal;
    if (proposal < x)
      left = proposal;
    else
      right = proposal;
    // The interval has closed around x: nothing else is on the slice.
    if (!(right - left > 1e-14 * (1.0 + std::fabs(x)))) return x;
  }
}

}  // namespace pseudosynth

#endif
