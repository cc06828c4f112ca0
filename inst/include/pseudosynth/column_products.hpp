// Products of the columns of two matrices, in lanes and blocks: what hundreds
// of coefficients need, where R's own products take most of the time.
#ifndef PSEUDOSYNTH_COLUMN_PRODUCTS_HPP
#define PSEUDOSYNTH_COLUMN_PRODUCTS_HPP

#include <algorithm>
#include <cstddef>

#include "aligned_array.hpp"
#include "math.hpp"
#include "simd.hpp"

namespace pseudosynth {

namespace detail {

/// Some rows of four columns, `stride` apart, by four others: added to out,
/// 4 x 4, by column.
struct ColumnBlock {
  std::size_t stride, rows;
  const double *a, *b;
  double out[16];
};

// A loop that is not unrolled would keep all sums in memory: four times as
// slow.
template <int W>
PSEUDOSYNTH_INLINE void column_block_kernel(ColumnBlock& p) {
  simd::Real<W> sum[16], x[4], y;
#pragma GCC unroll 16
  for (std::size_t k = 0; k < 16; ++k) sum[k] = simd::Real<W>{};
  for (std::size_t i = 0; i < p.rows; i += W) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k)
      simd::load<W>(p.a + k * p.stride + i, x[k]);
#pragma GCC unroll 4
    for (std::size_t l = 0; l < 4; ++l) {
      simd::load<W>(p.b + l * p.stride + i, y);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < 4; ++k) sum[4 * l + k] += x[k] * y;
    }
  }
#pragma GCC unroll 16
  for (std::size_t k = 0; k < 16; ++k) p.out[k] += simd::sum<W>(sum[k]);
}
PSEUDOSYNTH_DISPATCH(column_block, (ColumnBlock & p), (p))

/// Columns padded with zeros to whole lanes, and to whole blocks of them.
class PaddedColumns {
 public:
  template <class Columns>
  explicit PaddedColumns(const Columns& x)
      : stride_(simd::whole_lanes(static_cast<std::size_t>(x.rows()))) {
    const std::size_t blocks = static_cast<std::size_t>(x.cols() + 3) / 4;
    values_.assign(4 * blocks * stride_);
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      double* to = values_.data() + static_cast<std::size_t>(j) * stride_;
      for (Eigen::Index i = 0; i < x.rows(); ++i) to[i] = x(i, j);
    }
  }
  std::size_t stride() const { return stride_; }
  const double* block(Eigen::Index k) const {
    return values_.data() + static_cast<std::size_t>(4 * k) * stride_;
  }

 private:
  std::size_t stride_;
  simd::AlignedBuffer values_;
};

}  // namespace detail

/// @brief a'b, a group of b's columns after the other: groups may be made on
/// several threads.
class ColumnProducts {
 public:
  /// @param symmetric is it known that a'b is? Then what is above the diagonal
  ///   is not computed: see mirror().
  template <class A, class B>
  ColumnProducts(const A& a, const B& b, bool symmetric = false)
      : rows_(a.cols()),
        columns_(b.cols()),
        symmetric_(symmetric),
        left_(a),
        right_(b) {}

  int groups() const {
    return static_cast<int>((columns_ + kGroup - 1) / kGroup);
  }

  /// Adds the products of a group to `out`. No two groups write to one entry.
  void add(int group, Matrix& out) const {
    const Eigen::Index first = group * (kGroup / 4);
    const Eigen::Index last = std::min(first + kGroup / 4, (columns_ + 3) / 4);
    // Of so many rows the group's columns stay in the fastest cache
    for (std::size_t i = 0; i < left_.stride(); i += kRows) {
      for (Eigen::Index k = symmetric_ ? first : 0; 4 * k < rows_; ++k) {
        for (Eigen::Index l = first; l < last; ++l) {
          if (!symmetric_ || k >= l) add_block(k, l, i, out);
        }
      }
    }
  }

 private:
  static constexpr Eigen::Index kGroup = 16;
  static constexpr std::size_t kRows = 256;

  void add_block(Eigen::Index k, Eigen::Index l, std::size_t i,
                 Matrix& out) const {
    detail::ColumnBlock block{left_.stride(),
                              std::min(kRows, left_.stride() - i),
                              left_.block(k) + i,
                              right_.block(l) + i,
                              {}};
    detail::column_block(block);
    for (Eigen::Index j = 4 * l; j < std::min(4 * l + 4, columns_); ++j)
      for (Eigen::Index r = 4 * k; r < std::min(4 * k + 4, rows_); ++r)
        out(r, j) += block.out[4 * (j - 4 * l) + (r - 4 * k)];
  }

  Eigen::Index rows_, columns_;
  bool symmetric_;
  detail::PaddedColumns left_, right_;
};

/// Above the diagonal what is below it.
inline void mirror(Matrix& x) {
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) x(i, j) = x(j, i);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMN_PRODUCTS_HPP
