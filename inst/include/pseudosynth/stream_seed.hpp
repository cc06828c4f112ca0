// The word that seeds the streams of one purpose: a hash of (seed, purpose,
// stage), so that no two uses of a user's seed share a stream. The same on
// every platform: whole numbers of 64 bits, and bytes in their order.
#ifndef PSEUDOSYNTH_STREAM_SEED_HPP
#define PSEUDOSYNTH_STREAM_SEED_HPP

#include <cstdint>
#include <string_view>

namespace pseudosynth {

/// FNV-1a, 64 bits.
inline std::uint64_t word_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001B3ULL;
  }
  return hash;
}

/// A bijection of 64 bits: one step of splitmix64 from z.
inline std::uint64_t split_mix_step(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// mix(mix(mix(seed) ^ purpose) ^ stage). With two of the three alike the third
/// decides: as each step is a bijection, they never collide then.
inline std::uint64_t stream_seed(std::uint64_t seed, std::string_view purpose,
                                 std::uint64_t stage) {
  const std::uint64_t named =
      split_mix_step(split_mix_step(seed) ^ word_of(purpose));
  return split_mix_step(named ^ stage);
}

}  // namespace pseudosynth

#endif
