// Random numbers: one xoshiro256++ stream per (seed, stream) pair and our own
// distributions, so that draws are the same on every platform and at any
// number of threads. Blackman and Vigna (2021); Marsaglia and Tsang (2000);
// Hoermann (1993).
#ifndef PSEUDOSYNTH_RNG_HPP
#define PSEUDOSYNTH_RNG_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "special.hpp"

namespace pseudosynth {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    // Two rounds of splitmix64 keep neighbouring seeds and streams apart.
    std::uint64_t x = seed;
    const std::uint64_t mixed_seed = split_mix(x);
    x = mixed_seed ^ (stream * 0xD1342543DE82EF95ULL + 0x9E3779B97F4A7C15ULL);
    for (auto& word : state_) word = split_mix(x);
  }

  std::uint64_t bits() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform on the open interval (0, 1), 52 bits.
  double uniform() { return open_unit(bits()); }

  /// With 53 bits the largest numbers plus a half would round to 1.
  static double open_unit(std::uint64_t word) {
    return (static_cast<double>(word >> 12) + 0.5) * 0x1.0p-52;
  }

  /// 0, .., n - 1, without modulo bias.
  int integer(int n) {
    const std::uint64_t range = static_cast<std::uint64_t>(n);
    const std::uint64_t limit = UINT64_MAX - UINT64_MAX % range;
    std::uint64_t x = bits();
    while (x >= limit) x = bits();
    return static_cast<int>(x % range);
  }

  /// Standard normal, Marsaglia's polar method.
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    double u, v, s;
    do {
      u = 2.0 * uniform() - 1.0;
      v = 2.0 * uniform() - 1.0;
      s = u * u + v * v;
    } while (s >= 1.0 || s == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(s) / s);
    spare_ = v * factor;
    has_spare_ = true;
    return u * factor;
  }

  double exponential() { return -std::log(uniform()); }

  /// Gamma(shape, scale 1).
  double gamma(double shape) {
    return shape < 1 ? std::exp(log_gamma_draw(shape)) : gamma_above_one(shape);
  }

  /// The log of a Gamma(shape, 1) draw. For shape << 1 the draw itself
  /// underflows; its log does not.
  double log_gamma_draw(double shape) {
    if (shape >= 1) return std::log(gamma_above_one(shape));
    const double boosted = std::log(gamma_above_one(shape + 1.0));
    return boosted + std::log(uniform()) / shape;
  }

  double beta(double a, double b) {
    const double x = log_gamma_draw(a);
    const double y = log_gamma_draw(b);
    return 1.0 / (1.0 + std::exp(y - x));
  }

  /// Poisson count as a double. An infinite or undefined mean comes back as it
  /// is; above 2^53 counts are rounded.
  double poisson(double mean) {
    if (!(mean < 1e300)) return mean;
    if (mean >= 10) return poisson_above_ten(mean);
    // Arrivals of a unit process before time `mean`.
    const double limit = std::exp(-mean);
    double product = uniform();
    int count = 0;
    while (product > limit) {
      product *= uniform();
      ++count;
    }
    return count;
  }

 private:
  static std::uint64_t split_mix(std::uint64_t& x) {
    std::uint64_t z = (x += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  static std::uint64_t rotate(std::uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
  }

  /// @throw std::domain_error for a shape without a gamma distribution: no
  /// proposal would ever be accepted.
  double gamma_above_one(double shape) {
    if (!(shape >= 1.0 && shape <= std::numeric_limits<double>::max()))
      throw std::domain_error("a gamma draw needs a positive, finite shape");
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      double x, v;
      do {
        x = normal();
        v = 1.0 + c * x;
      } while (v <= 0);
      v = v * v * v;
      const double u = uniform();
      if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

  /// Transformed rejection with squeeze (Hoermann 1993, PTRS).
  double poisson_above_ten(double mean) {
    const double log_mean = std::log(mean);
    const double b = 0.931 + 2.53 * std::sqrt(mean);
    const double a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    const double squeeze = 0.9277 - 3.6224 / (b - 2.0);
    for (;;) {
      const double u = uniform() - 0.5, v = uniform();
      const double side = 0.5 - std::fabs(u);
      const double count = std::floor((2.0 * a / side + b) * u + mean + 0.43);
      if (side >= 0.07 && v <= squeeze) return count;
      if (count < 0 || (side < 0.013 && v > side)) continue;
      if (std::log(v * inverse_alpha / (a / (side * side) + b)) <=
          poisson_log_density(count, mean, log_mean))
        return count;
    }
  }

  std::uint64_t state_[4];
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace pseudosynth

#endif
