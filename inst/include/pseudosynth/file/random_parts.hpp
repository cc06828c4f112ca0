// Many records in parts of which each is a random sample: what is done to a
// part needs no other part.
#ifndef PSEUDOSYNTH_FILE_RANDOM_PARTS_HPP
#define PSEUDOSYNTH_FILE_RANDOM_PARTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "../rng.hpp"

namespace pseudosynth {

/// Numbers 0 to n - 1 in random order.
inline std::vector<std::uint32_t> shuffled(std::size_t n, Rng& rng) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  for (std::size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[rng.integer(static_cast<int>(i))]);
  return order;
}

/// Parts of n items with at most `size` each; one where there is none.
inline std::size_t parts_of(std::size_t n, std::size_t size) {
  return std::max<std::size_t>(1, (n + size - 1) / size);
}

struct PartRange {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};

/// One of the parts, which are as large as each other but for one item.
inline PartRange part_of(std::size_t n, std::size_t parts, std::size_t part) {
  return {n * part / parts, n * (part + 1) / parts};
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RANDOM_PARTS_HPP
