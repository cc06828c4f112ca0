// Vectors of doubles on GCC's and Clang's vector extension, exp and log on
// them, and dispatch at run time to the widest instruction set of the machine.
//
// A kernel is written once as an always-inlined template in the lane count W.
// PSEUDOSYNTH_DISPATCH then compiles it for the baseline (2 lanes), AVX2 with
// FMA (4) and AVX-512 (8) and picks one by the processor, so the package needs
// no compiler flag and runs on any machine. Results agree between instruction
// sets to rounding and are identical between runs on one machine.
#ifndef PSEUDOSYNTH_SIMD_HPP
#define PSEUDOSYNTH_SIMD_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "aligned_array.hpp"

// Rounding to whole numbers and the refusal of NaN, which guarantees rest on,
// are what such a compiler leaves out.
#ifdef __FAST_MATH__
#error "pseudosynth must be compiled without -ffast-math and -Ofast"
#endif

#define PSEUDOSYNTH_INLINE inline __attribute__((always_inline))

// GCC for Windows keeps a stack of 16 bytes and spills wider lanes to it as if
// it had 32 (GCC bug 54412): two lanes there.
#if defined(_WIN32) && !defined(__clang__)
#define PSEUDOSYNTH_X86 0
#elif defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define PSEUDOSYNTH_X86 1
#else
#define PSEUDOSYNTH_X86 0
#endif

namespace pseudosynth {
namespace simd {

// Bits are unsigned: they may be shifted into the sign.
template <int W>
struct Lanes {
  typedef double Real __attribute__((vector_size(W * 8)));
  typedef std::uint64_t Bits __attribute__((vector_size(W * 8)));
};
/// One lane is a plain double, with the C library's functions: right for any
/// argument, where more lanes have a range.
template <>
struct Lanes<1> {
  typedef double Real;
  typedef std::uint64_t Bits;
};

template <int W>
using Real = typename Lanes<W>::Real;

// Values go in and out by reference: a by-value vector argument would depend
// on the instruction set of the caller.
template <int W>
PSEUDOSYNTH_INLINE void load(const double* from, Real<W>& to) {
  std::memcpy(&to, from, sizeof(to));
}
template <int W>
PSEUDOSYNTH_INLINE void store(const Real<W>& from, double* to) {
  std::memcpy(to, &from, sizeof(from));
}
/// A constant in all lanes.
template <int W>
PSEUDOSYNTH_INLINE void fill(double value, Real<W>& to) {
  to = value - Real<W>{};
}
/// The same for a number that is only known when the program runs: GCC makes
/// one broadcast of it, where fill() becomes a masked one for each lane. Not
/// for constants: GCC 12 fails to compile some comparisons with them.
template <int W>
PSEUDOSYNTH_INLINE void broadcast(double value, Real<W>& to) {
  if constexpr (W == 1) {
    to = value;
  } else {
    Real<W> lanes{};
    for (int l = 0; l < W; ++l) lanes[l] = value;
    to = lanes;
  }
}
template <int W>
PSEUDOSYNTH_INLINE double sum(const Real<W>& x) {
  if constexpr (W == 1) {
    return x;
  } else {
    double total = 0.0;
    for (int l = 0; l < W; ++l) total += x[l];
    return total;
  }
}

/// x <- exp(x) for x <= 700; what lies below -708 gives exp(-708), about
/// 3e-308. Relative error below 3e-16. Cody-Waite reduction, then the Taylor
/// polynomial of degree 13 on |r| <= log(2)/2.
template <int W>
PSEUDOSYNTH_INLINE void exp_in_place(Real<W>& x) {
  typedef typename Lanes<W>::Real R;
  typedef typename Lanes<W>::Bits B;
  if constexpr (W == 1) {
    x = std::exp(x);
    return;
  }
  R low;
  fill<W>(-708.0, low);
  x = x < low ? low : x;
  // Adding 1.5 * 2^52 rounds to the nearest integer, which is then in the low
  // bits of the sum.
  R n = x * 1.4426950408889634074 + 6755399441055744.0;
  B bits;
  std::memcpy(&bits, &n, sizeof(bits));
  n -= 6755399441055744.0;
  R r = x - n * 6.93147180369123816490e-01;
  r -= n * 1.90821492927058770002e-10;
  const R r2 = r * r;
  const R r4 = r2 * r2;
  const R p0 = 1.0 + r + r2 * (0.5 + r * (1.0 / 6));
  const R p1 = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r / 5040);
  const R p2 = (1.0 / 40320 + r * (1.0 / 362880)) +
               r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
  const R p3 = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
  const R p = p0 + r4 * (p1 + r4 * (p2 + r4 * p3));
  const B scale = (bits + 1023) << 52;
  R two_n;
  std::memcpy(&two_n, &scale, sizeof(two_n));
  x = p * two_n;
}

/// x <- log(x) for positive normal x; NaN stays NaN. The argument reduction and
/// polynomial of fdlibm's log; absolute error below one unit in the last place.
template <int W>
PSEUDOSYNTH_INLINE void log_in_place(Real<W>& x) {
  typedef typename Lanes<W>::Real R;
  typedef typename Lanes<W>::Bits B;
  if constexpr (W == 1) {
    x = std::log(x);
    return;
  }
  B bits;
  std::memcpy(&bits, &x, sizeof(bits));
  // Split x = 2^n m with m in [sqrt(1/2), sqrt(2)).
  bits += 0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL;
  const B exponent = (bits >> 52) - 0x3ff;
  bits = (bits & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL;
  R m;
  std::memcpy(&m, &bits, sizeof(m));
  // 64-bit integer to double through the mantissa of 1.5 * 2^52.
  const B shifted = exponent + 0x4338000000000000ULL;
  R n;
  std::memcpy(&n, &shifted, sizeof(n));
  n -= 6755399441055744.0;
  const R f = m - 1.0;
  const R half_f2 = 0.5 * f * f;
  const R s = f / (2.0 + f);
  const R z = s * s;
  const R w = z * z;
  const R even =
      w * (3.999999999940941908e-01 +
           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const R odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 +
                w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const R result = n * 6.93147180369123816490e-01 -
                   ((half_f2 - (s * (half_f2 + even + odd) +
                                n * 1.90821492927058770002e-10)) -
                    f);
  // The bits of a NaN would pass for a large number.
  x = x == x ? result : x;
}

enum class Level { kBaseline, kAvx2, kAvx512 };

/// n rounded up to a multiple of every lane count.
inline std::size_t whole_lanes(std::size_t n) {
  return (n + 7) / 8 * 8;
}

/// The instruction set of this processor, found once.
inline Level level() {
#if PSEUDOSYNTH_X86
  static const Level found = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      return Level::kAvx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      return Level::kAvx2;
    return Level::kBaseline;
  }();
  return found;
#else
  return Level::kBaseline;
#endif
}

/// Doubles a vector holds at level().
inline int lanes() {
  switch (level()) {
    case Level::kAvx512:
      return 8;
    case Level::kAvx2:
      return 4;
    default:
      return 2;
  }
}

}  // namespace simd
}  // namespace pseudosynth

// PSEUDOSYNTH_DISPATCH(name, (parameters), (arguments)) defines
// name(parameters) from the template `template <int W> PSEUDOSYNTH_INLINE void
// name_kernel(..)`. PSEUDOSYNTH_DISPATCH_FOR(name, (template parameters),
// (template arguments), (parameters), (arguments)) does so for a kernel
// `template <int W, template parameters>`.
#define PSEUDOSYNTH_LIST(...) __VA_ARGS__
#if PSEUDOSYNTH_X86
#define PSEUDOSYNTH_DISPATCH(name, parameters, arguments)                   \
  __attribute__((target("avx2,fma"))) inline void name##_avx2 parameters {  \
    name##_kernel<4> arguments;                                             \
  }                                                                         \
  __attribute__((target(                                                    \
      "avx512f,avx512dq,avx2,fma"))) inline void name##_avx512 parameters { \
    name##_kernel<8> arguments;                                             \
  }                                                                         \
  inline void name parameters {                                             \
    switch (::pseudosynth::simd::level()) {                                 \
      case ::pseudosynth::simd::Level::kAvx512:                             \
        name##_avx512 arguments;                                            \
        break;                                                              \
      case ::pseudosynth::simd::Level::kAvx2:                               \
        name##_avx2 arguments;                                              \
        break;                                                              \
      default:                                                              \
        name##_kernel<2> arguments;                                         \
    }                                                                       \
  }
#define PSEUDOSYNTH_DISPATCH_FOR(name, names, types, parameters, arguments) \
  template <PSEUDOSYNTH_LIST names>                                         \
  __attribute__((target("avx2,fma"))) inline void name##_avx2 parameters {  \
    name##_kernel<4, PSEUDOSYNTH_LIST types> arguments;                     \
  }                                                                         \
  template <PSEUDOSYNTH_LIST names>                                         \
  __attribute__((target(                                                    \
      "avx512f,avx512dq,avx2,fma"))) inline void name##_avx512 parameters { \
    name##_kernel<8, PSEUDOSYNTH_LIST types> arguments;                     \
  }                                                                         \
  template <PSEUDOSYNTH_LIST names>                                         \
  inline void name parameters {                                             \
    switch (::pseudosynth::simd::level()) {                                 \
      case ::pseudosynth::simd::Level::kAvx512:                             \
        name##_avx512<PSEUDOSYNTH_LIST types> arguments;                    \
        break;                                                              \
      case ::pseudosynth::simd::Level::kAvx2:                               \
        name##_avx2<PSEUDOSYNTH_LIST types> arguments;                      \
        break;                                                              \
      default:                                                              \
        name##_kernel<2, PSEUDOSYNTH_LIST types> arguments;                 \
    }                                                                       \
  }
#else
#define PSEUDOSYNTH_DISPATCH(name, parameters, arguments) \
  inline void name parameters {                           \
    name##_kernel<2> arguments;                           \
  }
#define PSEUDOSYNTH_DISPATCH_FOR(name, names, types, parameters, arguments) \
  template <PSEUDOSYNTH_LIST names>                                         \
  inline void name parameters {                                             \
    name##_kernel<2, PSEUDOSYNTH_LIST types> arguments;                     \
  }
#endif

#endif
