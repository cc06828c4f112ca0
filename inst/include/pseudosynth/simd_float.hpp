// Vectors of floats for passes that may be rough: sixteen of them in a register
// that holds eight doubles. As in simd.hpp, on GCC's and Clang's extension.
#ifndef PSEUDOSYNTH_SIMD_FLOAT_HPP
#define PSEUDOSYNTH_SIMD_FLOAT_HPP

#include <cstdint>
#include <cstring>

#include "simd.hpp"

namespace pseudosynth {
namespace simd {

template <int L>
struct FloatLanes {
  typedef float Real __attribute__((vector_size(L * 4)));
  typedef std::int32_t Int __attribute__((vector_size(L * 4)));
};
template <int L>
using Floats = typename FloatLanes<L>::Real;

template <int L>
PSEUDOSYNTH_INLINE void load_floats(const float* from, Floats<L>& to) {
  std::memcpy(&to, from, sizeof(to));
}
template <int L>
PSEUDOSYNTH_INLINE void store_floats(const Floats<L>& from, float* to) {
  std::memcpy(to, &from, sizeof(from));
}

/// x <- exp(x) for x <= 80, to about 2e-7; what lies below -80 gives exp(-80),
/// about 2e-35: the numbers below 1e-38 are slow to work with. As
/// simd::exp_in_place, with the polynomial of degree 7.
template <int L>
PSEUDOSYNTH_INLINE void exp_floats(Floats<L>& x) {
  typedef typename FloatLanes<L>::Real R;
  typedef typename FloatLanes<L>::Int I;
  const R low = -80.0f - R{};
  x = x < low ? low : x;
  R n = x * 1.44269504f + 12582912.0f;  // 1.5 * 2^23 rounds
  I bits;
  std::memcpy(&bits, &n, sizeof(bits));
  n -= 12582912.0f;
  R r = x - n * 0.693359375f;
  r -= n * -2.12194440e-4f;
  const R r2 = r * r;
  const R p0 = 1.0f + r + r2 * (0.5f + r * (1.0f / 6));
  const R p1 =
      (1.0f / 24 + r * (1.0f / 120)) + r2 * (1.0f / 720 + r * (1.0f / 5040));
  const R p = p0 + r2 * r2 * p1;
  const I scale = (bits + 127) << 23;
  R two_n;
  std::memcpy(&two_n, &scale, sizeof(two_n));
  x = p * two_n;
}

template <int L>
PSEUDOSYNTH_INLINE float sum_floats(const Floats<L>& x) {
  if constexpr (L > 4) {
    Floats<L / 2> low, high;
    std::memcpy(&low, &x, sizeof(low));
    std::memcpy(&high, reinterpret_cast<const char*>(&x) + sizeof(low),
                sizeof(high));
    low += high;
    return sum_floats<L / 2>(low);
  } else {
    return (x[0] + x[1]) + (x[2] + x[3]);
  }
}

}  // namespace simd
}  // namespace pseudosynth

#endif
