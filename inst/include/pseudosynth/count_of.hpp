// Sizes as the core counts: in int, which a file's records, columns and draws
// fit into (Records and CodedFile see to it), and which indexes without a cast.
#ifndef PSEUDOSYNTH_COUNT_OF_HPP
#define PSEUDOSYNTH_COUNT_OF_HPP

#include <cassert>
#include <cstdint>
#include <limits>

namespace pseudosynth {

/// How many elements a vector, buffer or map has.
template <class Container>
int count_of(const Container& x) {
  assert(static_cast<std::uint64_t>(x.size()) <=
         static_cast<std::uint64_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(x.size());
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COUNT_OF_HPP
