// The discrete columns of a file as numbers of levels, and which of them a
// table crosses.
#ifndef PSEUDOSYNTH_FILE_CODED_FILE_HPP
#define PSEUDOSYNTH_FILE_CODED_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "../count_of.hpp"

namespace pseudosynth {

/// @brief A view of N x d codes, column-major, level k of column j as k + 1.
struct CodedFile {
  const int* codes = nullptr;
  std::size_t n = 0;
  std::vector<int> levels;

  std::size_t n_columns() const { return levels.size(); }
  const int* column(int j) const {
    return codes + static_cast<std::size_t>(j) * n;
  }

  /// @throw std::invalid_argument for a code that is no level.
  void check() const {
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const int* code = column(static_cast<int>(j));
      for (std::size_t i = 0; i < n; ++i) {
        if (code[i] < 1 || code[i] > levels[j])
          throw std::invalid_argument("a code is no level of its column");
      }
    }
  }
};

/// @brief Columns that are crossed; the first one's level runs fastest.
struct CrossedColumns {
  std::vector<int> column;
  std::vector<std::size_t> stride;
  std::size_t cells = 1;

  /// @throw std::invalid_argument for columns that are not there or come
  ///   twice; std::overflow_error for more cells than whole numbers.
  CrossedColumns(const std::vector<int>& columns,
                 const std::vector<int>& levels)
      : column(columns) {
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    for (std::size_t a = 0; a < columns.size(); ++a) {
      const int j = columns[a];
      if (j < 0 || j >= count_of(levels))
        throw std::invalid_argument("a table names a column that is not there");
      for (std::size_t b = 0; b < a; ++b) {
        if (columns[b] == j)
          throw std::invalid_argument("a table names a column twice");
      }
      stride.push_back(cells);
      cells *= static_cast<std::size_t>(levels[j]);
      if (cells > kMost)
        throw std::overflow_error("a table has too many cells");
    }
  }

  std::size_t size() const { return column.size(); }

  /// The cell of a record, levels from 0.
  std::size_t cell(const std::uint16_t* record) const {
    std::size_t at = 0;
    for (std::size_t a = 0; a < column.size(); ++a)
      at += stride[a] * record[column[a]];
    return at;
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_CODED_FILE_HPP
