// Hashes of long columns: whether two are the same, value by value in their
// order. They find mistakes and keep nobody from making another column with the
// same hash.
#ifndef PSEUDOSYNTH_COLUMNS_VALUE_HASH_HPP
#define PSEUDOSYNTH_COLUMNS_VALUE_HASH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../stream_seed.hpp"

namespace pseudosynth {

/// @brief Words of 64 bits go into four lanes in turn, as in xxHash: a word
/// waits for the one four before it and for no other.
class ValueHash {
 public:
  void add(std::uint64_t word) {
    std::uint64_t& lane = lanes_[count_++ % 4];
    lane = mixed(lane, word);
  }

  void add_bytes(const void* from, std::size_t n) {
    const unsigned char* bytes = static_cast<const unsigned char*>(from);
    std::size_t i = 0;
    for (; i + 8 <= n && count_ % 4 != 0; i += 8) add(word_at(bytes + i));
    std::array<std::uint64_t, 4> lanes = lanes_;
    for (; i + 32 <= n; i += 32) {
      for (std::size_t k = 0; k < 4; ++k)
        lanes[k] = mixed(lanes[k], word_at(bytes + i + 8 * k));
      count_ += 4;
    }
    lanes_ = lanes;
    for (; i + 8 <= n; i += 8) add(word_at(bytes + i));
    if (i == n) return;
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes + i, n - i);
    add(rest);
  }

  /// 128 bits.
  std::array<std::uint64_t, 2> words() const {
    std::uint64_t first = split_mix_step(count_), second = ~first;
    for (const std::uint64_t lane : lanes_) {
      first = split_mix_step(first ^ lane);
      second = split_mix_step(second + (lane ^ (lane >> 29)) * kSecond);
    }
    return {first, second};
  }

 private:
  static constexpr std::uint64_t kFirst = 0x9E3779B185EBCA87ULL;
  static constexpr std::uint64_t kSecond = 0xC2B2AE3D27D4EB4FULL;

  static std::uint64_t word_at(const unsigned char* bytes) {
    std::uint64_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return word;
  }
  static std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
    lane += word * kSecond;
    lane = (lane << 31) | (lane >> 33);
    return lane * kFirst;
  }

  std::array<std::uint64_t, 4> lanes_{kFirst, kSecond, ~kFirst, ~kSecond};
  std::uint64_t count_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMNS_VALUE_HASH_HPP
