// Whole vectors of records, each with its own weight: what the sums of an
// amount add up. A record's vector depends on the record alone, to the last
// digit: not on its place in the file, nor on how many others there are.
#ifndef PSEUDOSYNTH_FILE_OWN_VECTORS_HPP
#define PSEUDOSYNTH_FILE_OWN_VECTORS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coded_file.hpp"

namespace pseudosynth {

/// @brief A record's row: a line for all records plus the line of each of its
/// levels, added column by column.
class LevelRows {
 public:
  /// @param lines one for all, then those of the levels of all columns; each
  ///   of `width` numbers.
  LevelRows(const CodedFile& file, std::vector<double> lines, std::size_t width)
      : file_(file), lines_(std::move(lines)), width_(width) {
    std::size_t n_lines = 1;
    for (const int L : file.levels) {
      first_.push_back(n_lines);
      n_lines += static_cast<std::size_t>(L);
    }
    if (width < 1 || lines_.size() != n_lines * width)
      throw std::invalid_argument("a level has no line, or a line no level");
  }

  std::size_t width() const { return width_; }
  std::size_t n_records() const { return file_.n; }

  /// @param[out] row `width` numbers.
  void read(std::size_t i, double* row) const {
    const double* line = lines_.data();
    for (std::size_t p = 0; p < width_; ++p) row[p] = line[p];
    for (std::size_t j = 0; j < first_.size(); ++j) {
      const std::size_t level =
          static_cast<std::size_t>(file_.column(static_cast<int>(j))[i] - 1);
      line = lines_.data() + width_ * (first_[j] + level);
      for (std::size_t p = 0; p < width_; ++p) row[p] += line[p];
    }
  }

 private:
  CodedFile file_;
  std::vector<double> lines_;
  std::size_t width_;
  std::vector<std::size_t> first_;
};

/// What limits a record's vector.
struct VectorLimit {
  /// Longer rows get a weight that makes them as long as this.
  double kappa;
  /// Of the whole vector.
  double unit;
  /// Its length, at most: a whole number.
  std::int64_t longest;
};

/// @brief scale times record i's row times min(1, kappa / its length), in whole
/// units, rounded towards 0. A vector that is longer than allowed, which is
/// checked in whole numbers, is 0.
/// @param row room for `width` numbers.
/// @param[out] z `width` whole numbers.
inline void own_vector(const LevelRows& rows, std::size_t i, double scale,
                       const VectorLimit& limit, double* row, std::int64_t* z) {
  const std::size_t P = rows.width();
  rows.read(i, row);
  double squared = 0.0;
  for (std::size_t p = 0; p < P; ++p) {
    row[p] *= scale;
    squared += row[p] * row[p];
  }
  const double length = std::sqrt(squared);
  const double weight = length > limit.kappa ? limit.kappa / length : 1.0;
  const double most = static_cast<double>(limit.longest);
  bool fits = true;
  for (std::size_t p = 0; p < P; ++p) {
    const double whole = std::trunc(row[p] * weight / limit.unit);
    fits = fits && whole <= most && whole >= -most;
    z[p] = fits ? static_cast<std::int64_t>(whole) : 0;
  }
  // Each number is at most `longest`: P of their squares are no overflow
  std::int64_t whole_squared = 0;
  for (std::size_t p = 0; p < P; ++p) whole_squared += z[p] * z[p];
  if (fits && whole_squared <= limit.longest * limit.longest) return;
  for (std::size_t p = 0; p < P; ++p) z[p] = 0;
}

/// @brief Adds q_i times the vectors of records `first` to `last` - 1 to sums.
///
/// Whole numbers: the cut into ranges changes nothing.
/// @param should_stop asked now and then; the sums are worth nothing once it
///   returns true.
template <class Stop>
void add_own_vectors(const LevelRows& rows, const double* scale,
                     const std::int64_t* q, const VectorLimit& limit,
                     std::size_t first, std::size_t last, Stop should_stop,
                     std::vector<std::int64_t>& sums) {
  std::vector<double> row(rows.width());
  std::vector<std::int64_t> z(rows.width());
  for (std::size_t i = first; i < last; ++i) {
    if (i % 1024 == 0 && should_stop()) return;
    own_vector(rows, i, scale[i], limit, row.data(), z.data());
    for (std::size_t p = 0; p < z.size(); ++p) sums[p] += q[i] * z[p];
  }
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_OWN_VECTORS_HPP
