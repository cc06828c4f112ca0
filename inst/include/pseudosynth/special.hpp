// Parts of log Gamma and of relative entropies that keep their accuracy where
// the textbook formulas cancel: counts in the millions, a dispersion next to
// the Poisson limit, a beta precision of 1e8. Loader (2000), "Fast and accurate
// computation of binomial probabilities", writes the discrete densities so.
#ifndef PSEUDOSYNTH_SPECIAL_HPP
#define PSEUDOSYNTH_SPECIAL_HPP

#include <cmath>

#include "math.hpp"

namespace pseudosynth {

/// Stirling's remainder for x > 0:
///   D(x) = log Gamma(x) - (x - 1/2) log x + x - log(2 pi)/2,
/// which is 1/(12 x) - 1/(360 x^3) + .. for large x. Absolute error below
/// 1e-14 max(1, |D|).
inline double stirling_remainder(double x) {
  if (x < 10) return log_gamma(x) - (x - 0.5) * std::log(x) + x - kHalfLogTwoPi;
  const double z = 1.0 / (x * x);
  return (1.0 / 12 +
          z * (-1.0 / 360 +
               z * (1.0 / 1260 +
                    z * (-1.0 / 1680 + z * (1.0 / 1188 + z * (-691.0 / 360360 +
                                                              z / 156)))))) /
         x;
}

/// P(x) = log x - digamma(x) for x > 0, about 1/(2 x) for large x and 1/x for
/// small.
inline double log_minus_digamma(double x) {
  if (x < 10) return std::log(x) - digamma(x);
  const double z = 1.0 / (x * x);
  return 0.5 / x +
         z * (1.0 / 12 - z * (1.0 / 120 -
                              z * (1.0 / 252 -
                                   z * (1.0 / 240 -
                                        z * (1.0 / 132 - z * 691.0 / 32760)))));
}

/// log(x)/2 - D(x) = x log x - x - log Gamma(x) + log(2 pi)/2, from x and its
/// logarithm: x may have underflown, log x has not.
inline double half_log_less_remainder(double x, double log_x) {
  if (x >= 10) return 0.5 * log_x - stirling_remainder(x);
  if (x < 1e-300) return log_x + kHalfLogTwoPi;
  return x * log_x - x - log_gamma(x) + kHalfLogTwoPi;
}

/// D(x) and P(x) together from x >= 1e-300 and its logarithm.
struct StirlingPair {
  double remainder, entropy;
  StirlingPair(double x, double log_x) {
    if (x >= 10) {
      remainder = stirling_remainder(x);
      entropy = log_minus_digamma(x);
      return;
    }
    // Gamma(x + 10) = x (x + 1) .. (x + 9) Gamma(x), and its derivative.
    double product = x, slope = 1.0;
    for (int k = 1; k < 10; ++k) {
      slope = slope * (x + k) + product;
      product *= x + k;
    }
    const double y = x + 10.0, log_y = std::log(y);
    remainder = stirling_remainder(y) + (y - 0.5) * log_y - 10.0 -
                std::log(product) - (x - 0.5) * log_x;
    entropy = log_minus_digamma(y) + log_x - log_y + slope / product;
  }
};

/// sum <- (atanh(r) - r)/r^3 = 1/3 + y/5 + y^2/7 + .. for y = r^2 <= 1/16,
/// truncated below 1e-17; double or a vector of it (by reference, see
/// simd.hpp).
template <class T>
inline __attribute__((always_inline)) void atanh_series(const T& y, T& sum) {
  const T y2 = y * y, y4 = y2 * y2;
  const T low = (1.0 / 3 + y * (1.0 / 5)) + y2 * (1.0 / 7 + y * (1.0 / 9));
  const T middle =
      (1.0 / 11 + y * (1.0 / 13)) + y2 * (1.0 / 15 + y * (1.0 / 17));
  const T high = (1.0 / 19 + y * (1.0 / 21)) + y2 * (1.0 / 23 + y * (1.0 / 25));
  sum = low + y4 * (middle + y4 * (high + y4 * (1.0 / 27 + y * (1.0 / 29))));
}

/// log(1 + x) - x for x > -1, never positive; no cancellation next to 0.
inline double log1p_minus(double x) {
  if (x > 0.4 || x < -0.4) return std::log1p(x) - x;
  // log(1 + x) = 2 atanh(r), r = x/(2 + x); 2 r - x = -r x.
  const double r = x / (2.0 + x), y = r * r;
  double sum;
  atanh_series(y, sum);
  return r * (2.0 * y * sum - x);
}

/// log of the Poisson probability of y, less the part that depends on mean and
/// count together:
///   -log(2 pi y)/2 - D(y) = y log y - y - log Gamma(y + 1), y > 0.
inline double count_constant(double y) {
  return -0.5 * std::log(y) - kHalfLogTwoPi - stirling_remainder(y);
}

/// log of the Poisson probability of the count y from the mean and its
/// logarithm: the mean may have underflown, its logarithm has not. -Inf where
/// the mean is infinite.
inline double poisson_log_density(double y, double mean, double log_mean) {
  if (y == 0) return -mean;
  if (mean == kInfinity) return -kInfinity;
  const double u = (mean - y) / y;
  // -(y log(y/mean) + mean - y)
  const double entropy =
      u < -0.5 ? y * (log_mean - std::log(y)) - mean + y : y * log1p_minus(u);
  return entropy + count_constant(y);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SPECIAL_HPP
