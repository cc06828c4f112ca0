// Exact discrete Gaussian noise on integer arithmetic: no floating point, no
// table, no truncation. Canonne, Kamath and Steinke (2020), "The Discrete
// Gaussian for Differential Privacy", Algorithm 3.
#ifndef PSEUDOSYNTH_SYNTH_DISCRETE_GAUSSIAN_HPP
#define PSEUDOSYNTH_SYNTH_DISCRETE_GAUSSIAN_HPP

#include <cstdint>
#include <stdexcept>

#include "discrete_laplace.hpp"
#include "exact_coin.hpp"

namespace pseudosynth {

/// @brief P(X = x) proportional to exp(-x^2 / (2 sigma^2)), sigma whole.
///
/// Proposals are discrete Laplace of scale sigma and kept with probability
/// exp(-(|x| - sigma)^2 / (2 sigma^2)). A whole sigma keeps every ratio in 64
/// bits; sums with a unit as fine as one likes lose nothing by it.
///
/// @tparam Bits has `std::uint64_t bits()`: 64 fair bits at each call.
template <class Bits>
class DiscreteGaussian {
 public:
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;

  /// @param sigma 1 to 2^31.
  /// @throw std::invalid_argument outside of that.
  explicit DiscreteGaussian(std::uint64_t sigma)
      : sigma_(checked(sigma)), laplace_(1, sigma) {}

  std::int64_t operator()(Bits& source) const {
    for (;;) {
      const std::int64_t x = laplace_(source);
      const std::uint64_t size = static_cast<std::uint64_t>(x < 0 ? -x : x);
      const std::uint64_t d = size < sigma_ ? sigma_ - size : size - sigma_;
      if (kept(source, d / sigma_, d % sigma_)) return x;
    }
  }

 private:
  static std::uint64_t checked(std::uint64_t sigma) {
    if (sigma < 1 || sigma > kLargest)
      throw std::invalid_argument("sigma must be whole, from 1 to 2^31");
    return sigma;
  }

  /// exp(-d^2 / (2 sigma^2)) with d = q sigma + r, as the product
  /// exp(-1 / 2)^(q^2) exp(-r / sigma)^q exp(-r^2 / (2 sigma^2)).
  bool kept(Bits& source, std::uint64_t q, std::uint64_t r) const {
    for (std::uint64_t i = 0; i < q; ++i) {
      for (std::uint64_t j = 0; j < q; ++j) {
        if (!bernoulli_exp(source, 1, 2)) return false;
      }
    }
    for (std::uint64_t i = 0; i < q; ++i) {
      if (!bernoulli_exp(source, r, sigma_)) return false;
    }
    return bernoulli_exp(source, r * r, 2 * sigma_ * sigma_);
  }

  std::uint64_t sigma_;
  DiscreteLaplace<Bits> laplace_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SYNTH_DISCRETE_GAUSSIAN_HPP
