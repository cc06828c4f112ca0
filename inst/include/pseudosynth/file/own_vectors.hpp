// Whole vectors of records, each with its own weight: what the sums of an
// amount add up. A record's vector depends on the record alone, to the last
// digit: not on its place in the file, nor on how many others there are.
#ifndef PSEUDOSYNTH_FILE_OWN_VECTORS_HPP
#define PSEUDOSYNTH_FILE_OWN_VECTORS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../simd.hpp"
#include "coded_file.hpp"

namespace pseudosynth {

namespace detail {

/// The first line plus those that start at `at`, in turn.
/// @param width a whole number of lanes.
template <int W>
PSEUDOSYNTH_INLINE void add_lines_kernel(const double* lines,
                                         const std::size_t* at,
                                         std::size_t columns, std::size_t width,
                                         double* row) {
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> sum, line;
    simd::load<W>(lines + p, sum);
    for (std::size_t j = 0; j < columns; ++j) {
      simd::load<W>(lines + at[j] + p, line);
      sum += line;
    }
    simd::store<W>(sum, row + p);
  }
}
PSEUDOSYNTH_DISPATCH(add_lines,
                     (const double* lines, const std::size_t* at,
                      std::size_t columns, std::size_t width, double* row),
                     (lines, at, columns, width, row))

/// row <- scale row, and the square of its length.
template <int W>
PSEUDOSYNTH_INLINE void scale_row_kernel(double* row, std::size_t width,
                                         double scale, double& squared) {
  simd::Real<W> factor, total{};
  simd::broadcast<W>(scale, factor);
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> x;
    simd::load<W>(row + p, x);
    x *= factor;
    total += x * x;
    simd::store<W>(x, row + p);
  }
  squared = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(scale_row,
                     (double* row, std::size_t width, double scale,
                      double& squared),
                     (row, width, scale, squared))

/// row <- weight row / unit, rounded towards 0, and the square of its length.
/// Numbers of 2^51 and more may come out wrong, but as large.
template <int W>
PSEUDOSYNTH_INLINE void whole_row_kernel(double* row, std::size_t width,
                                         double weight, double unit,
                                         double& squared) {
  simd::Real<W> factor, divisor, total{}, shift, one;
  simd::broadcast<W>(weight, factor);
  simd::broadcast<W>(unit, divisor);
  simd::broadcast<W>(6755399441055744.0, shift);
  simd::broadcast<W>(1.0, one);
  const simd::Real<W> zero{};
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> x;
    simd::load<W>(row + p, x);
    x = x * factor / divisor;
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
                     (double* row, std::size_t width, double weight,
                      double unit, double& squared),
                     (row, width, weight, unit, squared))

/// sums <- sums + q row.
template <int W>
PSEUDOSYNTH_INLINE void add_row_kernel(const double* row, std::size_t width,
                                       double q, double* sums) {
  simd::Real<W> factor;
  simd::broadcast<W>(q, factor);
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> x, sum;
    simd::load<W>(row + p, x);
    simd::load<W>(sums + p, sum);
    sum += factor * x;
    simd::store<W>(sum, sums + p);
  }
}
PSEUDOSYNTH_DISPATCH(add_row,
                     (const double* row, std::size_t width, double q,
                      double* sums),
                     (row, width, q, sums))

}  // namespace detail

/// @brief A record's row: a line for all records plus the line of each of its
/// levels, added column by column.
class LevelRows {
 public:
  /// @param lines one for all, then those of the levels of all columns; each
  ///   of `width` numbers.
  LevelRows(const CodedFile& file, const std::vector<double>& lines,
            std::size_t width)
      : file_(file),
        width_(width),
        stride_(width == 1 ? 1 : simd::whole_lanes(width)) {
    std::size_t n_lines = 1;
    for (const int L : file.levels) {
      first_.push_back(n_lines);
      n_lines += static_cast<std::size_t>(L);
    }
    if (width < 1 || lines.size() != n_lines * width)
      throw std::invalid_argument("a level has no line, or a line no level");
    lines_.assign(n_lines * stride_, 0.0);
    for (std::size_t g = 0; g < n_lines; ++g) {
      for (std::size_t p = 0; p < width; ++p)
        lines_[g * stride_ + p] = lines[g * width + p];
    }
  }

  std::size_t width() const { return width_; }
  /// Numbers of a row with those that fill it up, which are 0.
  std::size_t stride() const { return stride_; }
  std::size_t n_columns() const { return first_.size(); }
  std::size_t n_records() const { return file_.n; }

  /// @param at room for a number a column.
  /// @param[out] row `stride` numbers.
  void read(std::size_t i, std::size_t* at, double* row) const {
    for (std::size_t j = 0; j < first_.size(); ++j) {
      const std::size_t level =
          static_cast<std::size_t>(file_.column(static_cast<int>(j))[i] - 1);
      at[j] = stride_ * (first_[j] + level);
    }
    if (stride_ > 1) {
      detail::add_lines(lines_.data(), at, first_.size(), stride_, row);
      return;
    }
    row[0] = lines_[0];
    for (std::size_t j = 0; j < first_.size(); ++j) row[0] += lines_[at[j]];
  }

 private:
  CodedFile file_;
  std::size_t width_, stride_;
  std::vector<double> lines_;
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
      : rows_(rows), at_(rows.n_columns()), row_(rows.stride()) {}

  const double* read(std::size_t i) {
    rows_.read(i, at_.data(), row_.data());
    return row_.data();
  }

  /// Of record i's row.
  double length(std::size_t i) {
    read(i);
    return scaled(1.0);
  }

  /// scale times record i's row times min(1, kappa / its length), in whole
  /// units, rounded towards 0. A vector that is longer than allowed, which is
  /// checked in whole numbers, is 0.
  /// @return `stride` whole numbers.
  const double* own_vector(std::size_t i, double scale,
                           const VectorLimit& limit) {
    read(i);
    const double length = scaled(scale);
    const double weight = length > limit.kappa ? limit.kappa / length : 1.0;
    double squared = 0.0;
    if (row_.size() > 1) {
      detail::whole_row(row_.data(), row_.size(), weight, limit.unit, squared);
    } else {
      row_[0] = std::trunc(row_[0] * weight / limit.unit);
      squared = row_[0] * row_[0];
    }
    // Sums of whole numbers that are no larger than this are exact
    const double most = static_cast<double>(limit.longest * limit.longest);
    if (!(squared <= most) || (limit.absolute && too_long(limit)))
      row_.assign(row_.size(), 0.0);
    return row_.data();
  }

 private:
  bool too_long(const VectorLimit& limit) const {
    double sum = 0.0;
    for (const double x : row_) sum += std::fabs(x);
    return !(sum <= static_cast<double>(limit.longest));
  }

  double scaled(double scale) {
    double squared = 0.0;
    if (row_.size() > 1) {
      detail::scale_row(row_.data(), row_.size(), scale, squared);
    } else {
      row_[0] *= scale;
      squared = row_[0] * row_[0];
    }
    return std::sqrt(squared);
  }

  const LevelRows& rows_;
  std::vector<std::size_t> at_;
  std::vector<double> row_;
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
  std::vector<double> own(rows.stride());
  for (std::size_t start = first; start < last; start += kBlock) {
    if (should_stop()) return;
    own.assign(own.size(), 0.0);
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
