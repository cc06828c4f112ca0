// How long a chain runs and which of its states are kept.
#ifndef PSEUDOSYNTH_SAMPLER_CHAIN_LENGTH_HPP
#define PSEUDOSYNTH_SAMPLER_CHAIN_LENGTH_HPP

#include <cstdint>
#include <stdexcept>

namespace pseudosynth {

struct ChainLength {
  int warmup = 1000;  ///< iterations thrown away
  int draws = 1000;   ///< kept draws, after thinning
  int thin = 1;       ///< iterations per kept draw

  /// In 64 bits, which hold the product of any two ints.
  std::int64_t iterations() const {
    return warmup + static_cast<std::int64_t>(draws) * thin;
  }
  /// True if iteration `i` (0-based) ends with a draw to keep.
  bool keeps(std::int64_t i) const {
    return i >= warmup && (i - warmup + 1) % thin == 0;
  }
};

/// @throw std::invalid_argument for values out of range.
inline void validate(const ChainLength& length) {
  if (length.warmup < 0 || length.draws < 1 || length.thin < 1)
    throw std::invalid_argument(
        "A chain needs warmup >= 0, draws >= 1 and thin >= 1.");
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_CHAIN_LENGTH_HPP
