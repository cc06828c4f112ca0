// Level numbers of some records, from files that have one column each.
#ifndef PSEUDOSYNTH_FILE_STORED_CODES_HPP
#define PSEUDOSYNTH_FILE_STORED_CODES_HPP

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace pseudosynth {

/// A column in a file, each number in so many bytes, in this machine's order.
struct StoredColumn {
  std::string path;
  int bytes;   // 1, 2 or 4
  int levels;  // numbers are from 1 to this
};

namespace detail {

/// @return are all of them levels?
template <class Stored>
bool read_levels(std::istream& from, std::size_t n, int levels, int* to) {
  std::vector<Stored> some(n);
  if (!from.read(reinterpret_cast<char*>(some.data()),
                 static_cast<std::streamsize>(n * sizeof(Stored))))
    return false;
  const std::uint32_t most = static_cast<std::uint32_t>(levels);
  bool fine = true;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t level = some[i];
    // 0 is less by one than any number
    fine = fine && level - 1u < most;
    to[i] = static_cast<int>(level);
  }
  return fine;
}

}  // namespace detail

/// @brief Numbers of n records after the first `before`.
/// @return false where the file does not have them, or has others.
inline bool read_codes(const StoredColumn& column, double before, std::size_t n,
                       int* to) {
  std::ifstream from(column.path, std::ios::binary);
  from.seekg(static_cast<std::streamoff>(before * column.bytes));
  if (!from) return false;
  switch (column.bytes) {
    case 1:
      return detail::read_levels<std::uint8_t>(from, n, column.levels, to);
    case 2:
      return detail::read_levels<std::uint16_t>(from, n, column.levels, to);
    default:
      return detail::read_levels<std::uint32_t>(from, n, column.levels, to);
  }
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_STORED_CODES_HPP
