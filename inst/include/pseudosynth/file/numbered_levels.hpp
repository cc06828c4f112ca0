// Levels of records, numbered through all columns.
#ifndef PSEUDOSYNTH_FILE_NUMBERED_LEVELS_HPP
#define PSEUDOSYNTH_FILE_NUMBERED_LEVELS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "coded_file.hpp"

namespace pseudosynth {

/// @brief Each record as a row of numbers, one a column: level k of the t-th
/// column in order is first(t) + k. What is kept by level then lies in one
/// array.
class NumberedLevels {
 public:
  /// @param file checked codes.
  /// @param order of the columns, each once.
  NumberedLevels(const CodedFile& file, const std::vector<std::size_t>& order)
      : d_(order.size()), numbers_(file.n * d_) {
    std::size_t first = 0;
    for (std::size_t t = 0; t < d_; ++t) {
      first_.push_back(first);
      const int* code = file.column(static_cast<int>(order[t]));
      for (std::size_t i = 0; i < file.n; ++i)
        numbers_[i * d_ + t] = static_cast<std::uint32_t>(
            first + static_cast<std::size_t>(code[i] - 1));
      first += static_cast<std::size_t>(file.levels[order[t]]);
    }
    first_.push_back(first);
  }

  std::size_t n_columns() const { return d_; }
  std::size_t n_records() const { return d_ ? numbers_.size() / d_ : 0; }
  /// Levels of all columns before the t-th.
  std::size_t first(std::size_t t) const { return first_[t]; }
  const std::uint32_t* row(std::size_t i) const {
    return numbers_.data() + i * d_;
  }
  /// A record's levels are needed soon.
  void fetch(std::size_t i) const {
    constexpr std::size_t kLine = 64 / sizeof(std::uint32_t);
    for (std::size_t t = 0; t < d_; t += kLine) __builtin_prefetch(row(i) + t);
  }

 private:
  std::size_t d_;
  std::vector<std::uint32_t> numbers_;
  std::vector<std::size_t> first_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_NUMBERED_LEVELS_HPP
