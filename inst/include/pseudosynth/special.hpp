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
  double series;
  stirling_series(1.0 / (x * x), series);
  return series / x;
}

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

/// out <- log(1 + x) - x for |x| <= 0.4; double or a vector of it.
template <class T>
inline __attribute__((always_inline)) void log1p_minus_near(const T& x,
                                                            T& out) {
  // log(1 + x) = 2 atanh(r), r = x/(2 + x); 2 r - x = -r x.
  const T r = x / (2.0 + x), y = r * r;
  T sum;
  atanh_series(y, sum);
  out = r * (2.0 * y * sum - x);
}

/// log(1 + x) - x for x > -1, never positive; no cancellation next to 0.
inline double log1p_minus(double x) {
  if (x > 0.4 || x < -0.4) return std::log1p(x) - x;
  double out;
  log1p_minus_near(x, out);
  return out;
}

/// log of the Poisson probability of y, less the part that depends on mean and
/// count together:
///   -log(2 pi y)/2 - D(y) = y log y - y - log Gamma(y + 1), y > 0.
inline double count_constant(double y) {
  return -0.5 * std::log(y) - kHalfLogTwoPi - stirling_remainder(y);
}

/// What a count y enters its density with: y, log y and count_constant(y), the
/// latter two 0 for y = 0.
inline void count_response(double y, double* r) {
  r[0] = y;
  r[1] = y > 0 ? std::log(y) : 0.0;
  r[2] = y > 0 ? count_constant(y) : 0.0;
}

/// out <- -(y log(y/mean) + mean - y), y > 0: that part. The mean may have
/// underflown, its logarithm has not. double or a vector of it.
template <class T>
inline __attribute__((always_inline)) void poisson_entropy(
    const T& y, const T& log_y, const T& mean, const T& log_mean, T& out) {
  // y (log(1 + u) - u) with u = (mean - y)/y, as log1p_minus_near().
  const T difference = mean - y, bound = 0.4 * y;
  const T r = difference / (mean + y), z = r * r;
  T sum;
  atanh_series(z, sum);
  const T near = r * (2.0 * y * z * sum - difference);
  // By its definition away from 0.
  const T far = y * (log_mean - log_y) - difference;
  out = difference > bound ? far : near;
  out = difference < -bound ? far : out;
}

/// log of the Poisson probability of the count y from the mean and its
/// logarithm. -Inf where the mean is infinite.
inline double poisson_log_density(double y, double mean, double log_mean) {
  if (y == 0) return -mean;
  double entropy;
  poisson_entropy(y, std::log(y), mean, log_mean, entropy);
  return entropy + count_constant(y);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SPECIAL_HPP
