// Exact coins on integer arithmetic: no floating point, no table. Canonne,
// Kamath and Steinke (2020), "The Discrete Gaussian for Differential Privacy",
// Algorithm 1.
#ifndef PSEUDOSYNTH_SYNTH_EXACT_COIN_HPP
#define PSEUDOSYNTH_SYNTH_EXACT_COIN_HPP

#include <cstdint>

namespace pseudosynth {

/// Uniform on 0, .., n - 1 by rejection: exact.
///
/// @tparam Bits has `std::uint64_t bits()`: 64 fair bits at each call.
template <class Bits>
std::uint64_t below(Bits& source, std::uint64_t n) {
  const std::uint64_t limit = UINT64_MAX - UINT64_MAX % n;
  std::uint64_t x = source.bits();
  while (x >= limit) x = source.bits();
  return x % n;
}

/// True with probability exp(-a / b), a <= b: the first k at which a coin of
/// probability a / (b k) fails is odd.
template <class Bits>
bool bernoulli_exp(Bits& source, std::uint64_t a, std::uint64_t b) {
  // Where b k leaves the 64 bits, a coin of a / b and one of 1 / k
  const auto coin = [&](std::uint64_t k) {
    if (b <= UINT64_MAX / k) return below(source, b * k) < a;
    return below(source, k) == 0 && below(source, b) < a;
  };
  std::uint64_t k = 1;
  while (coin(k)) ++k;
  return k % 2 == 1;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SYNTH_EXACT_COIN_HPP
