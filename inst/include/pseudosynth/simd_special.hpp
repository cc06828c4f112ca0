// Special functions on vectors of doubles, for sums over many records.
#ifndef PSEUDOSYNTH_SIMD_SPECIAL_HPP
#define PSEUDOSYNTH_SIMD_SPECIAL_HPP

#include "math.hpp"
#include "simd.hpp"

namespace pseudosynth {
namespace simd {

/// x <- log Gamma(x), x > 0 and normal: shifted by ten below 10, then
/// Stirling's series. Absolute error below 1e-14 max(1, |log Gamma|).
template <int W>
PSEUDOSYNTH_INLINE void log_gamma_in_place(Real<W>& x) {
  typedef typename Lanes<W>::Real R;
  R one;
  fill<W>(1.0, one);
  R product = x;
  for (int k = 1; k < 10; ++k) product *= x + static_cast<double>(k);
  product = x < 10.0 ? product : one;
  const R y = x < 10.0 ? x + 10.0 : x;
  const R inverse = 1.0 / y, z = inverse * inverse;
  const R series =
      (1.0 / 12 +
       z * (-1.0 / 360 +
            z * (1.0 / 1260 +
                 z * (-1.0 / 1680 +
                      z * (1.0 / 1188 + z * (-691.0 / 360360 + z / 156)))))) *
      inverse;
  R log_y = y;
  log_in_place<W>(log_y);
  log_in_place<W>(product);
  x = (y - 0.5) * log_y - y + kHalfLogTwoPi + series - product;
}

/// x <- log(1 + x) for x >= 0.
template <int W>
PSEUDOSYNTH_INLINE void log1p_in_place(Real<W>& x) {
  typedef typename Lanes<W>::Real R;
  const R sum = 1.0 + x;
  // What the sum has rounded away.
  const R lost = (x - (sum - 1.0)) / sum;
  R log_sum = sum;
  log_in_place<W>(log_sum);
  x = log_sum + lost;
}

/// x <- log(1 + exp(x)) without overflow.
template <int W>
PSEUDOSYNTH_INLINE void log1p_exp_in_place(Real<W>& x) {
  typedef typename Lanes<W>::Real R;
  const R zero{};
  const R above = x > zero ? x : zero;
  R e = x > zero ? -x : x;
  exp_in_place<W>(e);
  log1p_in_place<W>(e);
  x = above + e;
}

}  // namespace simd
}  // namespace pseudosynth

#endif
