// Scalar mathematics shared by every layer. No clamps: a clamp would change
// the sensitivity that the package measures.
#ifndef PSEUDOSYNTH_MATH_HPP
#define PSEUDOSYNTH_MATH_HPP

#include <Eigen/Dense>
#include <cmath>
#include <limits>

namespace pseudosynth {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kLogTwoPi = 1.837877066409345483560659472811;
constexpr double kHalfLogTwoPi = 0.918938533204672741780329736406;
constexpr double kLogTwo = 0.693147180559945309417232121458;
constexpr double kPi = 3.141592653589793238462643383280;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline double square(double x) {
  return x * x;
}

/// log(exp(a) + exp(b)); -Inf only if both are.
inline double log_sum_exp(double a, double b) {
  const double high = a > b ? a : b;
  const double low = a > b ? b : a;
  if (low == -kInfinity || high == kInfinity) return high;
  return high + std::log1p(std::exp(low - high));
}

/// log(sum_k exp(x_k)); -Inf for an empty sum.
inline double log_sum_exp(const double* x, int n) {
  double high = -kInfinity;
  for (int k = 0; k < n; ++k) high = x[k] > high ? x[k] : high;
  if (high == -kInfinity || high == kInfinity) return high;
  double sum = 0.0;
  for (int k = 0; k < n; ++k) sum += std::exp(x[k] - high);
  return high + std::log(sum);
}

/// log(1 + exp(x)) without overflow.
inline double log1p_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// sum <- 1/12 - z/360 + .., which times 1/x is Stirling's remainder for
/// x >= 10, z = 1/x^2; double or a vector of it (by reference, see simd.hpp).
template <class T>
inline __attribute__((always_inline)) void stirling_series(const T& z, T& sum) {
  sum = 1.0 / 12 +
        z * (-1.0 / 360 +
             z * (1.0 / 1260 + z * (-1.0 / 1680 +
                                    z * (1.0 / 1188 + z * (-691.0 / 360360 +
                                                           z * (1.0 / 156))))));
}

/// sum <- the same for log x - digamma(x) - 1/(2 x), to be multiplied by z.
template <class T>
inline __attribute__((always_inline)) void digamma_series(const T& z, T& sum) {
  sum = 1.0 / 12 -
        z * (1.0 / 120 -
             z * (1.0 / 252 -
                  z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760)))));
}

/// log Gamma(x) for x > 0. The C library's lgamma writes a global sign and is
/// not safe between threads; this one shifts to x >= 10 and uses Stirling's
/// series, absolute error below 1e-14 max(1, |log Gamma|).
inline double log_gamma(double x) {
  if (!(x > 0)) return x == 0 ? kInfinity : kNaN;
  if (x == kInfinity) return kInfinity;
  double shift = 0.0;
  if (x < 10) {
    double product = 1.0;
    while (x < 10) {
      product *= x;
      x += 1.0;
    }
    shift = std::log(product);
  }
  double series;
  stirling_series(1.0 / (x * x), series);
  return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series / x - shift;
}

/// Derivative of log_gamma for x > 0.
inline double digamma(double x) {
  if (!(x > 0)) return kNaN;
  double shift = 0.0;
  while (x < 10) {
    shift += 1.0 / x;
    x += 1.0;
  }
  const double z = 1.0 / (x * x);
  double series;
  digamma_series(z, series);
  return std::log(x) - 0.5 / x - z * series - shift;
}

/// log density of N(mean, sd^2) at y.
inline double normal_log_density(double y, double mean, double sd) {
  const double z = (y - mean) / sd;
  return -0.5 * z * z - std::log(sd) - kHalfLogTwoPi;
}

/// Phi(x), the standard normal distribution function.
inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * 0.707106781186547524400844362105);
}

}  // namespace pseudosynth

#endif
