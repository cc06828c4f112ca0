// Whole vectors of records, each with its own weight: what the sums of an
// amount add up. A record's vector depends on the record alone, to the last
// digit: not on its place in the file, nor on how many others there are.
#ifndef PSEUDOSYNTH_FILE_OWN_VECTORS_HPP
#define PSEUDOSYNTH_FILE_OWN_VECTORS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "../add_row.hpp"
#include "../aligned_array.hpp"
#include "coded_file.hpp"
#include "line_tiles.hpp"

namespace pseudosynth {

namespace detail {

/// row <- scale from, and the square of its length.
template <int W>
PSEUDOSYNTH_INLINE void scale_row_kernel(const float* from, std::size_t width,
                                         double scale, double* row,
                                         double& squared) {
  simd::Real<W> factor, total{};
  simd::broadcast<W>(scale, factor);
  for (std::size_t p = 0; p < width; p += W) {
    simd::Floats<W> rough;
    simd::load_floats<W>(from + p, rough);
    simd::Real<W> x = __builtin_convertvector(rough, simd::Real<W>);
    x *= factor;
    total += x * x;
    simd::store<W>(x, row + p);
  }
  squared = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(scale_row,
                     (const float* from, std::size_t width, double scale,
                      double* row, double& squared),
                     (from, width, scale, row, squared))

/// row <- by row, rounded towards 0, and the square of its length.
/// Numbers of 2^51 and more may come out wrong, but as large.
template <int W>
PSEUDOSYNTH_INLINE void whole_row_kernel(double* row, std::size_t width,
                                         double by, double& squared) {
  simd::Real<W> factor, total{}, shift, one;
  simd::broadcast<W>(by, factor);
  simd::broadcast<W>(6755399441055744.0, shift);
  simd::broadcast<W>(1.0, one);
  const simd::Real<W> zero{};
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> x;
    simd::load<W>(row + p, x);
    x *= factor;
    const simd::Real<W> size = x < zero ? -x : x;
    // Adding 1.5 * 2^52 rounds to the nearest whole number
    const simd::Real<W> near = (size + shift) - shift;
    const simd::Real<W> whole = near > size ? near - one : near;
    total += whole * whole;
    x = x < zero ? -whole : whole;
    simd::store<W>(x, row + p);
  }
  squared = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(whole_row,
                     (double* row, std::size_t width, double by,
                      double& squared),
                     (row, width, by, squared))

}  // namespace detail

/// @brief A record's row: a line for all records plus the line of each of its
/// levels, added column by column.
///
/// Rows of one number are sums of doubles. Those of many are sums of floats,
/// which take half as long, and are cut to whole units later; each depends on
/// the record alone, and on no instruction set.
class LevelRows {
 public:
  /// @param lines one for all, then those of the levels of all columns; each
  ///   of `width` numbers.
  LevelRows(const CodedFile& file, const std::vector<double>& lines,
            std::size_t width)
      : file_(file), width_(width) {
    std::size_t n_lines = 1;
    for (const int L : file.levels) {
      first_.push_back(n_lines);
      n_lines += static_cast<std::size_t>(L);
    }
    if (width < 1 || lines.size() != n_lines * width)
      throw std::invalid_argument("a level has no line, or a line no level");
    if (width == 1) {
      single_ = lines;
    } else {
      tiles_ = std::make_unique<LineTiles>(file.levels, lines, width);
    }
  }

  std::size_t width() const { return width_; }
  /// Numbers of a row with those that fill it up, which are 0.
  std::size_t stride() const { return width_ == 1 ? 1 : tiles_->stride(); }
  std::size_t n_columns() const { return first_.size(); }
  std::size_t n_records() const { return file_.n; }

  /// Rows of one number.
  double single(std::size_t i) const {
    double sum = single_[0];
    for (std::size_t j = 0; j < first_.size(); ++j) sum += single_[line(i, j)];
    return sum;
  }

  /// Rows of more.
  /// @param n records from `first`.
  /// @param at room for a number a column of each.
  /// @param[out] rows `stride` numbers of each.
  void read(std::size_t first, std::size_t n, std::uint32_t* at,
            float* rows) const {
    const std::size_t columns = first_.size();
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t i = 0; i < n; ++i)
        at[i * columns + j] = tiles_->at(line(first + i, j));
    }
    tiles_->add_up(at, n, rows);
  }

 private:
  std::size_t line(std::size_t i, std::size_t j) const {
    return first_[j] +
           static_cast<std::size_t>(file_.column(static_cast<int>(j))[i] - 1);
  }

  CodedFile file_;
  std::size_t width_;
  std::vector<double> single_;
  std::unique_ptr<const LineTiles> tiles_;
  std::vector<std::size_t> first_;
};

/// What limits a record's vector.
struct VectorLimit {
  /// Longer rows get a weight that makes them as long as this.
  double kappa;
  /// Of the whole vector.
  double unit;
  /// Its length, at most: a whole number, below 2^26.
  std::int64_t longest;
  /// Is a length the sum of absolute values, or Euclidean?
  bool absolute = false;
};

/// @brief Rows of records one after the other, in room of their own.
class RowReader {
 public:
  explicit RowReader(const LevelRows& rows)
      : rows_(rows),
        at_(kBlock * rows.n_columns()),
        block_(kBlock * rows.stride()),
        row_(rows.stride()) {}

  /// scale times record i's row times min(1, kappa / its length), in whole
  /// units, rounded towards 0. A vector that is longer than allowed, which is
  /// checked in whole numbers, is 0.
  /// @return `stride` whole numbers.
  const double* own_vector(std::size_t i, double scale,
                           const VectorLimit& limit) {
    const double length = scaled(i, scale);
    const double weight = length > limit.kappa ? limit.kappa / length : 1.0;
    const double by = weight / limit.unit;
    double squared = 0.0;
    if (row_.size() > 1) {
      detail::whole_row(row_.data(), row_.size(), by, squared);
    } else {
      row_[0] = std::trunc(row_[0] * by);
      squared = row_[0] * row_[0];
    }
    // Sums of whole numbers that are no larger than this are exact
    const double most = static_cast<double>(limit.longest * limit.longest);
    if (!(squared <= most) || (limit.absolute && too_long(limit))) row_.zero();
    return row_.data();
  }

 private:
  bool too_long(const VectorLimit& limit) const {
    double sum = 0.0;
    for (std::size_t p = 0; p < row_.size(); ++p) sum += std::fabs(row_[p]);
    return !(sum <= static_cast<double>(limit.longest));
  }

  /// Reads record i's row, scaled.
  /// @return its length.
  double scaled(std::size_t i, double scale) {
    double squared = 0.0;
    if (row_.size() == 1) {
      row_[0] = rows_.single(i) * scale;
      squared = row_[0] * row_[0];
    } else {
      if (i < first_ || i >= first_ + n_) {
        first_ = i;
        n_ = std::min(kBlock, rows_.n_records() - i);
        rows_.read(first_, n_, at_.data(), block_.data());
      }
      detail::scale_row(block_.data() + (i - first_) * row_.size(), row_.size(),
                        scale, row_.data(), squared);
    }
    return std::sqrt(squared);
  }

  /// Records that are read together
  static constexpr std::size_t kBlock = 64;

  const LevelRows& rows_;
  std::size_t first_ = 0, n_ = 0;
  std::vector<std::uint32_t> at_;
  simd::FloatBuffer block_;
  simd::AlignedBuffer row_;
};

/// @brief Adds q_i times the vectors of records `first` to `last` - 1 to sums.
///
/// Whole numbers: the cut into ranges changes nothing.
/// @param q whole, at most 2^41: of several records with the same row in all.
/// @param should_stop asked now and then; the sums are worth nothing once it
///   returns true.
template <class Stop>
void add_own_vectors(const LevelRows& rows, const double* scale,
                     const double* q, const VectorLimit& limit,
                     std::size_t first, std::size_t last, Stop should_stop,
                     std::vector<std::int64_t>& sums) {
  constexpr std::size_t kBlock = 1024;
  RowReader reader(rows);
  // Of a block: a double number is exact for so few
  simd::AlignedBuffer own(rows.stride());
  for (std::size_t start = first; start < last; start += kBlock) {
    if (should_stop()) return;
    own.zero();
    for (std::size_t i = start; i < std::min(last, start + kBlock); ++i) {
      const double* z = reader.own_vector(i, scale[i], limit);
      if (std::fabs(q[i]) > 1048576.0) {
        for (std::size_t p = 0; p < sums.size(); ++p)
          sums[p] +=
              static_cast<std::int64_t>(q[i]) * static_cast<std::int64_t>(z[p]);
      } else if (own.size() > 1) {
        detail::add_row(z, own.size(), q[i], own.data());
      } else {
        own[0] += q[i] * z[0];
      }
    }
    for (std::size_t p = 0; p < sums.size(); ++p)
      sums[p] += static_cast<std::int64_t>(own[p]);
  }
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_OWN_VECTORS_HPP
