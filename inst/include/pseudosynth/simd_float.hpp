// Vectors of floats for passes that may be rough: sixteen of them in a register
// that holds eight doubles. As in simd.hpp, on GCC's and Clang's extension.
#ifndef PSEUDOSYNTH_SIMD_FLOAT_HPP
#define PSEUDOSYNTH_SIMD_FLOAT_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "simd.hpp"

namespace pseudosynth {
namespace simd {

template <int L>
struct FloatLanes {
  typedef float Real __attribute__((vector_size(L * 4)));
  typedef std::uint32_t Bits __attribute__((vector_size(L * 4)));
};
template <int L>
using Floats = typename FloatLanes<L>::Real;

/// n rounded up to a multiple of every count of lanes of floats.
inline std::size_t whole_float_lanes(std::size_t n) {
  return (n + 15) / 16 * 16;
}

template <int L>
PSEUDOSYNTH_INLINE void load_floats(const float* from, Floats<L>& to) {
  std::memcpy(&to, from, sizeof(to));
}
template <int L>
PSEUDOSYNTH_INLINE void store_floats(const Floats<L>& from, float* to) {
  std::memcpy(to, &from, sizeof(from));
}

/// x <- 2^x for x <= 120, to about 3e-6; what lies below -120 gives 2^-120,
/// about 8e-37: the numbers below 1e-38 are slow to work with. As
/// simd::exp_in_place, with the minimax polynomial of degree 4.
template <int L>
PSEUDOSYNTH_INLINE void exp2_floats(Floats<L>& x) {
  typedef typename FloatLanes<L>::Real R;
  typedef typename FloatLanes<L>::Bits B;
  const R low = -120.0f - R{};
  x = x < low ? low : x;
  R n = x + 12582912.0f;  // 1.5 * 2^23 rounds
  B scale;
  std::memcpy(&scale, &n, sizeof(scale));
  const R r = x - (n - 12582912.0f);
  const R p =
      0.999999261f +
      r * (0.693121815f +
           r * (0.240247453f + r * (0.0559178586f + r * 0.00957008159f)));
  // What is above the integer in the bits of n falls out of the word.
  B bits;
  std::memcpy(&bits, &p, sizeof(bits));
  bits += scale << 23;
  std::memcpy(&x, &bits, sizeof(bits));
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

/// to = from with lanes l and l xor D exchanged.
template <int L, int D, std::size_t... l>
PSEUDOSYNTH_INLINE void exchange_lanes(const Floats<L>& from, Floats<L>& to,
                                       std::index_sequence<l...>) {
#if defined(__clang__)
  to = __builtin_shufflevector(from, from, static_cast<int>(l ^ D)...);
#else
  typedef std::int32_t Lane __attribute__((vector_size(L * 4)));
  const Lane lane = {static_cast<std::int32_t>(l ^ D)...};
  to = __builtin_shuffle(from, lane);
#endif
}

/// In each lane the sum of the C lanes that it is one of, C a power of 2.
template <int L, int C>
PSEUDOSYNTH_INLINE void sum_parts(Floats<L>& x) {
  if constexpr (C > 1) {
    sum_parts<L, C / 2>(x);
    Floats<L> other;
    exchange_lanes<L, C / 2>(x, other, std::make_index_sequence<L>());
    x += other;
  }
}

}  // namespace simd
}  // namespace pseudosynth

#endif
