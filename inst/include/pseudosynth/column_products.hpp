// Products of the columns of two matrices, in lanes and blocks: what hundreds
// of coefficients need, where R's own products take most of the time.
#ifndef PSEUDOSYNTH_COLUMN_PRODUCTS_HPP
#define PSEUDOSYNTH_COLUMN_PRODUCTS_HPP

#include <algorithm>
#include <cstddef>

#include "aligned_array.hpp"
#include "math.hpp"
#include "simd.hpp"
#include "stop.hpp"

namespace pseudosynth {

namespace detail {

/// Four columns, `stride` apart, by four others: out is 4 x 4, by column.
struct ColumnBlock {
  std::size_t stride;
  const double *a, *b;
  double out[16];
};

template <int W>
PSEUDOSYNTH_INLINE void column_block_kernel(ColumnBlock& p) {
  simd::Real<W> sum[16], x[4], y;
  for (auto& one : sum) one = simd::Real<W>{};
  for (std::size_t i = 0; i < p.stride; i += W) {
    for (std::size_t k = 0; k < 4; ++k)
      simd::load<W>(p.a + k * p.stride + i, x[k]);
    for (std::size_t l = 0; l < 4; ++l) {
      simd::load<W>(p.b + l * p.stride + i, y);
      for (std::size_t k = 0; k < 4; ++k) sum[4 * l + k] += x[k] * y;
    }
  }
  for (std::size_t k = 0; k < 16; ++k) p.out[k] = simd::sum<W>(sum[k]);
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

/// a'b. Where `symmetric` is known of it, half of it is computed.
template <class A, class B>
Matrix column_products(const A& a, const B& b, bool symmetric = false) {
  const detail::PaddedColumns left(a), right(b);
  Matrix out(a.cols(), b.cols());
  for (Eigen::Index l = 0; 4 * l < b.cols(); ++l) {
    StopScope::poll(static_cast<int>(a.cols()));
    for (Eigen::Index k = symmetric ? l : 0; 4 * k < a.cols(); ++k) {
      detail::ColumnBlock block{
          left.stride(), left.block(k), right.block(l), {}};
      detail::column_block(block);
      for (Eigen::Index j = 4 * l; j < std::min(4 * l + 4, b.cols()); ++j)
        for (Eigen::Index i = 4 * k; i < std::min(4 * k + 4, a.cols()); ++i) {
          out(i, j) = block.out[4 * (j - 4 * l) + (i - 4 * k)];
          if (symmetric) out(j, i) = out(i, j);
        }
    }
  }
  return out;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMN_PRODUCTS_HPP
