// Exact draws from the generalised inverse Gaussian distribution.
#ifndef PSEUDOSYNTH_SAMPLER_GENERALISED_INVERSE_GAUSSIAN_HPP
#define PSEUDOSYNTH_SAMPLER_GENERALISED_INVERSE_GAUSSIAN_HPP

#include <cmath>

#include "../rng.hpp"

namespace pseudosynth {

/// A draw q with density proportional to
///   q^(lambda - 1) exp(-(chi / q + q) / 2), q > 0, lambda > 0, chi >= 0.
///
/// u = log q has a log-concave density, so rejection from a hat of one constant
/// piece around the mode and two exponential tails is exact; about two thirds
/// of the proposals are accepted.
inline double draw_generalised_inverse_gaussian(Rng& rng, double lambda,
                                                double chi) {
  auto log_density = [&](double u) {
    return lambda * u - 0.5 * (chi * std::exp(-u) + std::exp(u));
  };
  auto slope = [&](double u) {
    return lambda + 0.5 * (chi * std::exp(-u) - std::exp(u));
  };
  const double mode = std::log(lambda + std::sqrt(lambda * lambda + chi));
  const double top = log_density(mode);
  // Where the log density has dropped by about one to either side.
  const double width =
      1.4 / std::sqrt(0.5 * (chi * std::exp(-mode) + std::exp(mode)));
  double left = mode - width, right = mode + width;
  while (log_density(left) > top - 0.5) left -= width;
  while (log_density(right) > top - 0.5) right += width;
  const double left_height = log_density(left) - top, left_slope = slope(left);
  const double right_height = log_density(right) - top,
               right_slope = -slope(right);
  // The tangents reach the height of the mode inside [left, right].
  const double from = left - left_height / left_slope;
  const double to = right + right_height / right_slope;
  const double middle = to - from;
  const double left_area = 1.0 / left_slope, right_area = 1.0 / right_slope;
  for (;;) {
    double v = rng.uniform() * (left_area + middle + right_area);
    double u, hat;
    if (v < middle) {
      u = from + v;
      hat = 0.0;
    } else if (v < middle + left_area) {
      const double e = rng.exponential();
      u = from - e / left_slope;
      hat = -e;
    } else {
      const double e = rng.exponential();
      u = to + e / right_slope;
      hat = -e;
    }
    if (std::log(rng.uniform()) < log_density(u) - top - hat)
      return std::exp(u);
  }
}

}  // namespace pseudosynth

#endif
