// Exact draws from the generalised inverse Gaussian distribution.
#ifndef PSEUDOSYNTH_SAMPLER_GENERALISED_INVERSE_GAUSSIAN_HPP
#define PSEUDOSYNTH_SAMPLER_GENERALISED_INVERSE_GAUSSIAN_HPP

#include <cmath>

#include "../rng.hpp"

namespace pseudosynth {

/// A draw q with density proportional to
///   q^(lambda - 1) exp(-(chi / q + q) / 2), q > 0, lambda > 0, chi >= 0.
///
/// t = log(q / mode) has a log-concave density, so rejection from a hat of one
/// constant piece around the mode and two exponential tails is exact; about two
/// thirds of the proposals are accepted. With w = sqrt(lambda^2 + chi) the log
/// density relative to the mode is
///   lambda t - (a (e^-t - 1) + b (e^t - 1)) / 2
///   = lambda (t - sinh t) - 2 w sinh^2(t / 2), a = w - lambda, b = w + lambda.
/// The first form is exact far from the mode, the second one near it, however
/// large chi is.
inline double draw_generalised_inverse_gaussian(Rng& rng, double lambda,
                                                double chi) {
  const double w = std::sqrt(lambda * lambda + chi);
  const double mode = lambda + w;
  // chi has overflowed: no draw is finite, and no search would end.
  if (!std::isfinite(mode)) return mode;
  const double a = chi / mode, b = mode;
  auto log_density = [&](double t) {
    if (std::abs(t) > 1.0)
      return lambda * t - 0.5 * (a * std::expm1(-t) + b * std::expm1(t));
    const double half = std::sinh(0.5 * t);
    return lambda * (t - std::sinh(t)) - 2.0 * w * half * half;
  };
  auto slope = [&](double t) {
    if (std::abs(t) > 1.0)
      return lambda + 0.5 * (a * std::exp(-t) - b * std::exp(t));
    return lambda * (1.0 - std::cosh(t)) - w * std::sinh(t);
  };
  // Where the log density has dropped by about one to either side.
  const double width = 1.4 / std::sqrt(w);
  double left = -width, right = width;
  while (log_density(left) > -0.5) left -= width;
  while (log_density(right) > -0.5) right += width;
  const double left_height = log_density(left), left_slope = slope(left);
  const double right_height = log_density(right), right_slope = -slope(right);
  // The tangents reach the height of the mode inside [left, right].
  const double from = left - left_height / left_slope;
  const double to = right + right_height / right_slope;
  const double middle = to - from;
  const double left_area = 1.0 / left_slope, right_area = 1.0 / right_slope;
  for (;;) {
    double v = rng.uniform() * (left_area + middle + right_area);
    double t, hat;
    if (v < middle) {
      t = from + v;
      hat = 0.0;
    } else if (v < middle + left_area) {
      const double e = rng.exponential();
      t = from - e / left_slope;
      hat = -e;
    } else {
      const double e = rng.exponential();
      t = to + e / right_slope;
      hat = -e;
    }
    if (std::log(rng.uniform()) < log_density(t) - hat)
      return mode * std::exp(t);
  }
}

}  // namespace pseudosynth

#endif
