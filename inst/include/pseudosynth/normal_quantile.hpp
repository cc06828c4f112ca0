// The standard normal quantile function: Wichura (1988), "Algorithm AS 241: The
// percentage points of the normal distribution", Applied Statistics 37,
// procedure PPND16, relative error about 1e-16.
#ifndef PSEUDOSYNTH_NORMAL_QUANTILE_HPP
#define PSEUDOSYNTH_NORMAL_QUANTILE_HPP

#include <cmath>

#include "math.hpp"

namespace pseudosynth {

namespace detail {

/// The value at x of a polynomial of degree 7, highest coefficient first.
inline double degree_seven(const double* coefficient, double x) {
  double value = coefficient[0];
  for (int k = 1; k < 8; ++k) value = value * x + coefficient[k];
  return value;
}

}  // namespace detail

/// x with normal_cdf(x) = p; infinite at 0 and 1, NaN outside.
inline double normal_quantile(double p) {
  static const double kCentreAbove[] = {
      2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
      45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
      133.14166789178437745, 3.387132872796366608};
  static const double kCentreBelow[] = {
      5226.495278852545925,  28729.085735721942674,
      39307.89580009271061,  21213.794301586595867,
      5394.1960214247511077, 687.1870074920579083,
      42.313330701600911252, 1.0};
  static const double kMiddleAbove[] = {
      7.7454501427834140764e-4, .0227238449892691845833, .24178072517745061177,
      1.27045825245236838258,   3.64784832476320460504,  5.7694972214606914055,
      4.6303378461565452959,    1.42343711074968357734};
  static const double kMiddleBelow[] = {
      1.05075007164441684324e-9, 5.475938084995344946e-4,
      .0151986665636164571966,   .14810397642748007459,
      .68976733498510000455,     1.6763848301838038494,
      2.05319162663775882187,    1.0};
  static const double kFarAbove[] = {
      2.01033439929228813265e-7, 2.71155556874348757815e-5,
      .0012426609473880784386,   .026532189526576123093,
      .29656057182850489123,     1.7848265399172913358,
      5.4637849111641143699,     6.6579046435011037772};
  static const double kFarBelow[] = {
      2.04426310338993978564e-15, 1.4215117583164458887e-7,
      1.8463183175100546818e-5,   7.868691311456132591e-4,
      .0148753612908506148525,    .13692988092273580531,
      .59983220655588793769,      1.0};
  using detail::degree_seven;
  if (!(p >= 0.0 && p <= 1.0)) return kNaN;
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double x = 0.180625 - q * q;
    return q * degree_seven(kCentreAbove, x) / degree_seven(kCentreBelow, x);
  }
  const double tail = q < 0.0 ? p : 1.0 - p;
  if (tail == 0.0) return q < 0.0 ? -kInfinity : kInfinity;
  const double r = std::sqrt(-std::log(tail));
  const double z = r <= 5.0 ? degree_seven(kMiddleAbove, r - 1.6) /
                                  degree_seven(kMiddleBelow, r - 1.6)
                            : degree_seven(kFarAbove, r - 5.0) /
                                  degree_seven(kFarBelow, r - 5.0);
  return q < 0.0 ? -z : z;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_NORMAL_QUANTILE_HPP
