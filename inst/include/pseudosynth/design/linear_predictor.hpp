// The linear predictor of one coefficient vector, offset + X b, and X' v:
// factors merged into a few groups whose cells hold the sum of their
// coefficients, one look-up per row and group; numeric predictors in lanes.
#ifndef PSEUDOSYNTH_DESIGN_LINEAR_PREDICTOR_HPP
#define PSEUDOSYNTH_DESIGN_LINEAR_PREDICTOR_HPP

#include <algorithm>
#include <memory>
#include <vector>

#include "../simd.hpp"
#include "design.hpp"
#include "factor_group.hpp"

namespace pseudosynth {

namespace detail {

/// eta += x slope for W rows from row r on; columns of x lie `stride` apart.
template <int W>
PSEUDOSYNTH_INLINE void add_slopes_at(int r, int n_columns, std::size_t stride,
                                      const double* x, const double* slope,
                                      double* eta) {
  simd::Real<W> sum, value;
  simd::load<W>(eta + r, sum);
  for (int q = 0; q < n_columns; ++q) {
    simd::load<W>(x + static_cast<std::size_t>(q) * stride + r, value);
    sum += value * slope[q];
  }
  simd::store<W>(sum, eta + r);
}

template <int W>
PSEUDOSYNTH_INLINE void add_slopes_kernel(int n, int n_columns,
                                          std::size_t stride, const double* x,
                                          const double* slope, double* eta) {
  int r = 0;
  for (; r + W <= n; r += W)
    add_slopes_at<W>(r, n_columns, stride, x, slope, eta);
  for (; r < n; ++r) add_slopes_at<1>(r, n_columns, stride, x, slope, eta);
}
PSEUDOSYNTH_DISPATCH(add_slopes,
                     (int n, int n_columns, std::size_t stride, const double* x,
                      const double* slope, double* eta),
                     (n, n_columns, stride, x, slope, eta))

}  // namespace detail

/// @brief Copies share the index and have their own work space.
class LinearPredictor {
 public:
  /// @param design must outlive this object and its copies.
  explicit LinearPredictor(const Design& design)
      : LinearPredictor(design,
                        std::max(16, std::min(512, design.n_rows() / 4))) {}

  /// @param max_cells of a group.
  LinearPredictor(const Design& design, int max_cells)
      : design_(&design),
        groups_(std::make_shared<const std::vector<FactorGroup>>(
            group_factors(design, max_cells))),
        stride_(simd::whole_lanes(static_cast<std::size_t>(design.n_rows()))),
        numeric_(numeric_columns(design, stride_)),
        slope_(static_cast<std::size_t>(design.n_numeric())),
        cells_(groups_->size()) {}

  /// eta (n_rows) = offset + X b.
  void operator()(const double* b, double* eta) {
    times(b, eta);
    if (!design_->has_offset()) return;
    for (int r = 0; r < design_->n_rows(); ++r) eta[r] += design_->offset(r);
  }

  /// out (n_rows) = X b: a step of coefficients moves no offset.
  void times(const double* b, double* out) {
    const Design& design = *design_;
    const int rows = design.n_rows();
    const double intercept = design.has_intercept() ? b[0] : 0.0;
    for (std::size_t g = 0; g < groups_->size(); ++g)
      fill_cells((*groups_)[g], b, g == 0 ? intercept : 0.0, cells_[g]);
    std::size_t g = 0;
    // Three look-ups at a time: fewer passes over out.
    if (groups_->size() >= 3) {
      const double *c0 = cells_[0].data(), *c1 = cells_[1].data(),
                   *c2 = cells_[2].data();
      const int *i0 = (*groups_)[0].cell.data(),
                *i1 = (*groups_)[1].cell.data(),
                *i2 = (*groups_)[2].cell.data();
      for (int r = 0; r < rows; ++r) out[r] = c0[i0[r]] + c1[i1[r]] + c2[i2[r]];
      g = 3;
    } else {
      std::fill(out, out + rows, groups_->empty() ? intercept : 0.0);
    }
    for (; g < groups_->size(); ++g) {
      const double* c = cells_[g].data();
      const int* index = (*groups_)[g].cell.data();
      for (int r = 0; r < rows; ++r) out[r] += c[index[r]];
    }
    if (design.n_numeric() == 0) return;
    for (int q = 0; q < design.n_numeric(); ++q)
      slope_[q] = b[design.numeric_column(q)];
    detail::add_slopes(rows, design.n_numeric(), stride_, numeric_->data(),
                       slope_.data(), out);
  }

  /// d_b (P) += X' d_eta.
  void add_gradient(const double* d_eta, double* d_b) {
    add_transpose(
        design_->n_rows(), [](int r) { return r; }, d_eta, d_b);
  }

  /// out (P) += X' v for n values, of rows row(0), .., row(n - 1).
  template <class Row>
  void add_transpose(int n, Row&& row, const double* v, double* out) {
    const Design& design = *design_;
    for (const FactorGroup& group : *groups_) {
      // Neighbouring rows often meet in a cell; taking turns on copies spares
      // each addition the wait for the last.
      const std::size_t size = static_cast<std::size_t>(group.n_cells);
      wider_.assign(size * kCopies, 0.0);
      double* sum = wider_.data();
      const int* index = group.cell.data();
      for (int e = 0; e < n; ++e)
        sum[static_cast<std::size_t>(e % kCopies) * size + index[row(e)]] +=
            v[e];
      for (std::size_t cell = 0; cell < size; ++cell) {
        for (int copy = 1; copy < kCopies; ++copy)
          sum[cell] += sum[static_cast<std::size_t>(copy) * size + cell];
        if (sum[cell] == 0.0) continue;
        for (int column : group.columns[cell]) out[column] += sum[cell];
      }
    }
    if (design.has_intercept()) {
      double total = 0.0;
      for (int e = 0; e < n; ++e) total += v[e];
      out[0] += total;
    }
    for (int q = 0; q < design.n_numeric(); ++q) {
      const double* x =
          numeric_->data() + static_cast<std::size_t>(q) * stride_;
      double total = 0.0;
      for (int e = 0; e < n; ++e) total += x[row(e)] * v[e];
      out[design.numeric_column(q)] += total;
    }
  }

 private:
  static constexpr int kCopies = 4;

  /// The numeric predictors, one column after the other, `stride` apart.
  static std::shared_ptr<const simd::AlignedBuffer> numeric_columns(
      const Design& design, std::size_t stride) {
    const auto out = std::make_shared<simd::AlignedBuffer>(
        stride * static_cast<std::size_t>(design.n_numeric()));
    for (int r = 0; r < design.n_rows(); ++r)
      for (int q = 0; q < design.n_numeric(); ++q)
        (*out)[static_cast<std::size_t>(q) * stride +
               static_cast<std::size_t>(r)] = design.numeric_values(r)[q];
    return out;
  }

  /// Cell values, `base` plus the coefficients that the cell switches on.
  void fill_cells(const FactorGroup& group, const double* b, double base,
                  std::vector<double>& cells) {
    cells.assign(1, base);
    for (std::size_t f = 0; f < group.factors.size(); ++f) {
      wider_.clear();
      for (double sum : cells) {
        wider_.push_back(sum);
        for (int code = 1; code < group.levels[f]; ++code)
          wider_.push_back(sum + b[group.first[f] + code - 1]);
      }
      cells.swap(wider_);
    }
  }

  const Design* design_;
  std::shared_ptr<const std::vector<FactorGroup>> groups_;
  std::size_t stride_;
  std::shared_ptr<const simd::AlignedBuffer> numeric_;
  // Work space.
  std::vector<double> slope_;
  std::vector<std::vector<double>> cells_;
  std::vector<double> wider_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_DESIGN_LINEAR_PREDICTOR_HPP
