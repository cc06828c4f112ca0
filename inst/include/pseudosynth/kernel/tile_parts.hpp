// What the vectorised tile densities share: Stirling's remainder on vectors
// and the range of linear predictors they are for.
#ifndef PSEUDOSYNTH_KERNEL_TILE_PARTS_HPP
#define PSEUDOSYNTH_KERNEL_TILE_PARTS_HPP

#include "../simd.hpp"
#include "../simd_special.hpp"
#include "../special.hpp"
#include "draw_tile.hpp"

namespace pseudosynth {
namespace detail {

/// Beyond this |eta|, and where eta is not a number, tiles take the family's
/// own log_lik(), which knows about overflow.
constexpr double kTileRange = 600.0;

/// Turns `bad` to 1 in the lanes whose |eta| is beyond kTileRange or NaN.
template <int W>
PSEUDOSYNTH_INLINE void mark_outside(const simd::Real<W>& eta,
                                     simd::Real<W>& bad) {
  simd::Real<W> one, range;
  simd::fill<W>(1.0, one);
  simd::fill<W>(kTileRange, range);
  bad = eta <= range ? bad : one;
  bad = eta >= -range ? bad : one;
}

/// x <- D(x), x > 0 and normal, from x and its logarithm. As
/// stirling_remainder(), with a shift by ten below 10.
template <int W>
PSEUDOSYNTH_INLINE void stirling_in_place(simd::Real<W>& x,
                                          const simd::Real<W>& log_x) {
  typedef simd::Real<W> R;
  const R below = x;
  R ten, any;
  simd::fill<W>(10.0, ten);
  simd::fill<W>(0.0, any);
  const R one = any + 1.0;
  any = x < ten ? one : any;
  const R y = x < ten ? x + 10.0 : x;
  const R inverse = 1.0 / y, z = inverse * inverse;
  x = (1.0 / 12 +
       z * (-1.0 / 360 +
            z * (1.0 / 1260 +
                 z * (-1.0 / 1680 +
                      z * (1.0 / 1188 + z * (-691.0 / 360360 + z / 156)))))) *
      inverse;
  if (simd::sum<W>(any) == 0.0) return;
  R product = below;
  for (int k = 1; k < 10; ++k) product *= below + static_cast<double>(k);
  product = below < ten ? product : one;
  R log_y = y;
  simd::log_in_place<W>(log_y);
  simd::log_in_place<W>(product);
  const R shifted =
      x + (y - 0.5) * log_y - 10.0 - product - (below - 0.5) * log_x;
  x = below < ten ? shifted : x;
}

/// x <- log(1 + x) - x for |x| <= 0.4, as log1p_minus().
template <int W>
PSEUDOSYNTH_INLINE void log1p_minus_in_place(simd::Real<W>& x) {
  typedef simd::Real<W> R;
  const R r = x / (2.0 + x), y = r * r;
  R sum;
  atanh_series(y, sum);
  x = r * (2.0 * y * sum - x);
}

}  // namespace detail
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_TILE_PARTS_HPP
