// Special functions on vectors of doubles, for sums over many records.
#ifndef PSEUDOSYNTH_SIMD_SPECIAL_HPP
#define PSEUDOSYNTH_SIMD_SPECIAL_HPP

#include <cmath>

#include "math.hpp"
#include "simd.hpp"

namespace pseudosynth {
namespace simd {

/// x <- log(1 + x) for x >= 0.
template <int W>
PSEUDOSYNTH_INLINE void log1p_in_place(Real<W>& x) {
  typedef typename Lanes<W>::Real R;
  if constexpr (W == 1) {
    x = std::log1p(x);
    return;
  }
  const R sum = 1.0 + x;
  // What the sum has rounded away.
  const R lost = (x - (sum - 1.0)) / sum;
  R log_sum = sum;
  log_in_place<W>(log_sum);
  x = log_sum + lost;
}

/// Stirling's remainder D(x) (see special.hpp) and x (log x - digamma(x)),
/// which is 1 at 0, from x >= 0 and its logarithm: x may have underflown, log x
/// has not. Absolute error of D below 1e-14 max(1, |D|).
template <int W>
PSEUDOSYNTH_INLINE void stirling(const Real<W>& x, const Real<W>& log_x,
                                 Real<W>& remainder, Real<W>& entropy) {
  typedef typename Lanes<W>::Real R;
  R ten, one, any;
  fill<W>(10.0, ten);
  fill<W>(1.0, one);
  fill<W>(0.0, any);
  any = x < ten ? one : any;
  const R y = x < ten ? x + 10.0 : x;
  const R inverse = 1.0 / y, z = inverse * inverse;
  R series, slopes;
  stirling_series(z, series);
  digamma_series(z, slopes);
  remainder = series * inverse;
  const R at_y = 0.5 * inverse + z * slopes;  // log y - digamma(y)
  entropy = x * at_y;
  if (sum<W>(any) == 0.0) return;
  // Gamma(x + 10) = x (x + 1) .. (x + 9) Gamma(x), and its derivative. The
  // factor x enters by its logarithm.
  R product = x + 1.0, slope = one;
  for (int k = 2; k < 10; ++k) {
    const R factor = x + static_cast<double>(k);
    slope = slope * factor + product;
    product *= factor;
  }
  product = x < ten ? product : one;
  R log_y = y, log_product = product;
  log_in_place<W>(log_y);
  log_in_place<W>(log_product);
  const R shifted =
      remainder + (y - 0.5) * log_y - 10.0 - log_product - (x + 0.5) * log_x;
  const R entropy_below = x * (log_x - log_y + at_y + slope / product) + 1.0;
  remainder = x < ten ? shifted : remainder;
  entropy = x < ten ? entropy_below : entropy;
}

}  // namespace simd
}  // namespace pseudosynth

#endif
