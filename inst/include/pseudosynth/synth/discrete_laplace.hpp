// Exact discrete Laplace noise on integer arithmetic: no floating point, no
// table, no truncation. Canonne, Kamath and Steinke (2020), "The Discrete
// Gaussian for Differential Privacy", Algorithms 1 and 2.
#ifndef PSEUDOSYNTH_SYNTH_DISCRETE_LAPLACE_HPP
#define PSEUDOSYNTH_SYNTH_DISCRETE_LAPLACE_HPP

#include <cstdint>
#include <stdexcept>

#include "exact_coin.hpp"

namespace pseudosynth {

/// @brief P(X = x) = (1 - q) / (1 + q) q^|x| with q = exp(-s / t).
///
/// @tparam Bits has `std::uint64_t bits()`: 64 fair bits at each call.
template <class Bits>
class DiscreteLaplace {
 public:
  /// @param s,t the rate s / t, both at least 1 and below 2^42.
  /// @throw std::invalid_argument outside of that.
  DiscreteLaplace(std::uint64_t s, std::uint64_t t) : s_(s), t_(t) {
    constexpr std::uint64_t kLimit = std::uint64_t{1} << 42;
    if (s < 1 || t < 1 || s >= kLimit || t >= kLimit)
      throw std::invalid_argument("the rate must be a ratio of whole numbers");
  }

  std::int64_t operator()(Bits& source) const {
    for (;;) {
      const std::uint64_t u = below(source, t_);
      if (!bernoulli_exp(source, u, t_)) continue;
      std::uint64_t v = 0;
      while (bernoulli_exp(source, 1, 1)) ++v;
      const std::uint64_t magnitude = (u + t_ * v) / s_;
      const bool negative = below(source, 2) == 1;
      // 0 has two signs: one of them is sent back
      if (negative && magnitude == 0) continue;
      const std::int64_t x = static_cast<std::int64_t>(magnitude);
      return negative ? -x : x;
    }
  }

 private:
  std::uint64_t s_, t_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SYNTH_DISCRETE_LAPLACE_HPP
