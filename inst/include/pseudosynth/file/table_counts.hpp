// Many tables of a file in one pass over its records, in whole numbers.
#ifndef PSEUDOSYNTH_FILE_TABLE_COUNTS_HPP
#define PSEUDOSYNTH_FILE_TABLE_COUNTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "coded_file.hpp"

namespace pseudosynth {

/// Counts by table and cell.
using TableCounts = std::vector<std::vector<std::int64_t>>;

inline TableCounts empty_counts(const std::vector<CrossedColumns>& tables) {
  TableCounts counts;
  for (const CrossedColumns& table : tables)
    counts.emplace_back(table.cells, std::int64_t{0});
  return counts;
}

/// @brief Adds records `first` to `last` - 1 to the counts of all tables.
///
/// In blocks that stay in the cache while table after table reads them. Whole
/// numbers: the cut into ranges and blocks changes nothing.
///
/// @param file checked codes.
/// @param should_stop asked before each block; the counts are worth nothing
///   once it returns true.
template <class Stop>
void add_records(const CodedFile& file,
                 const std::vector<CrossedColumns>& tables, std::size_t first,
                 std::size_t last, Stop should_stop, TableCounts& counts) {
  constexpr std::size_t kBlock = 2048;
  std::vector<std::size_t> cell(kBlock);
  for (std::size_t start = first; start < last; start += kBlock) {
    if (should_stop()) return;
    const std::size_t n = std::min(kBlock, last - start);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const CrossedColumns& table = tables[t];
      std::int64_t* count = counts[t].data();
      std::fill_n(cell.begin(), n, std::size_t{0});
      for (std::size_t a = 0; a < table.size(); ++a) {
        const int* code = file.column(table.column[a]) + start;
        const std::size_t stride = table.stride[a];
        for (std::size_t i = 0; i < n; ++i)
          cell[i] += stride * static_cast<std::size_t>(code[i] - 1);
      }
      for (std::size_t i = 0; i < n; ++i) ++count[cell[i]];
    }
  }
}

/// The counts of a part of the records added to those of others.
inline void add_counts(const TableCounts& part, TableCounts& whole) {
  for (std::size_t t = 0; t < part.size(); ++t) {
    for (std::size_t c = 0; c < part[t].size(); ++c) whole[t][c] += part[t][c];
  }
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_TABLE_COUNTS_HPP
