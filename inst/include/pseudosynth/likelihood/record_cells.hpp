// Records that contribute the same are counted once: exact compression.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP

#include <vector>

#include "../records.hpp"
#include "../simd.hpp"

namespace pseudosynth {

namespace detail {

/// What a sum over cells reads, and how far it has come: cells come in blocks,
/// of whole lanes but for the last.
struct CellSum {
  int n;
  const double *f, *alpha;
  const double *centre, *count;  // clipped sums only
  double lower, upper;
  int n_slopes;        // arrays `stride` apart: the derivatives of f in, those
  std::size_t stride;  // of what a cell adds to the sum out
  double* slope;
  double lanes[8], rest;
  double total;
};

/// Adds W cells from cell c on: alpha f or, clipped, count clip(alpha f - a).
template <int W, bool kClipped, bool kSlopes>
PSEUDOSYNTH_INLINE void add_cells(const CellSum& p, int c, simd::Real<W>& sum) {
  typedef simd::Real<W> R;
  const R zero{};
  R g, factor;
  simd::load<W>(p.f + c, g);
  simd::load<W>(p.alpha + c, factor);
  g *= factor;
  if constexpr (kClipped) {
    R centre, count, lower, upper;
    simd::load<W>(p.centre + c, centre);
    simd::load<W>(p.count + c, count);
    simd::broadcast<W>(p.lower, lower);
    simd::broadcast<W>(p.upper, upper);
    g -= centre;
    // Strictly outside the interval it is flat.
    factor *= count;
    factor = g >= lower ? factor : zero;
    factor = g > upper ? zero : factor;
    g = g >= lower ? g : lower;  // NaN counts as lower
    g = g > upper ? upper : g;
    g *= count;
  }
  sum += g;
  if constexpr (kSlopes) {
    for (int k = 0; k < p.n_slopes; ++k) {
      double* to = p.slope + static_cast<std::size_t>(k) * p.stride + c;
      R slope;
      simd::load<W>(to, slope);
      slope = factor > zero ? factor * slope : zero;
      simd::store<W>(slope, to);
    }
  }
}

template <int W, bool kClipped, bool kSlopes>
PSEUDOSYNTH_INLINE void sum_cells_kernel(CellSum& p) {
  simd::Real<W> sum;
  simd::load<W>(p.lanes, sum);
  double rest = p.rest;
  int c = 0;
  for (; c + W <= p.n; c += W) add_cells<W, kClipped, kSlopes>(p, c, sum);
  for (; c < p.n; ++c) add_cells<1, kClipped, kSlopes>(p, c, rest);
  simd::store<W>(sum, p.lanes);
  p.rest = rest;
  p.total = simd::sum<W>(sum) + rest;
}
PSEUDOSYNTH_DISPATCH_FOR(sum_cells, (bool kClipped, bool kSlopes),
                         (kClipped, kSlopes), (CellSum & p), (p))

}  // namespace detail

/// @brief Distinct (row, y), with the sum of their weights; under censoring
/// distinct (row, y, alpha, centre), with their number. Records of weight 0 are
/// in `constant`.
struct RecordCells {
  bool censored;
  double lower, upper;
  int n_rows;
  double constant = 0.0;
  std::vector<int> row;
  std::vector<double> y, alpha;
  std::vector<double> centre, count;  // censored only

  explicit RecordCells(const Records& records)
      : censored(records.censor.active),
        lower(records.censor.lower),
        upper(records.censor.upper),
        n_rows(records.design.n_rows()) {
    const std::vector<int>& rows = records.design.row();
    // Records are sorted by row, response, weight and centre.
    for (int i = 0; i < records.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      if (records.alpha[at] == 0.0) {
        constant += records.contribution(i, 0.0);
        continue;
      }
      const bool same_cell =
          !row.empty() && row.back() == rows[at] && y.back() == records.y[at];
      if (same_cell && !censored) {
        alpha.back() += records.alpha[at];
        continue;
      }
      if (same_cell && alpha.back() == records.alpha[at] &&
          centre.back() == records.censor.centre[at]) {
        count.back() += 1.0;
        continue;
      }
      row.push_back(rows[at]);
      y.push_back(records.y[at]);
      alpha.push_back(records.alpha[at]);
      if (censored) {
        centre.push_back(records.censor.centre[at]);
        count.push_back(1.0);
      }
    }
  }

  std::size_t size() const { return y.size(); }

  /// @brief The sum of alpha f, clipped where censored, block by block: the
  /// same to the last bit, whatever the blocks are.
  class Sum {
   public:
    explicit Sum(const RecordCells& cells) : cells_(&cells) {
      pass_.lower = cells.lower;
      pass_.upper = cells.upper;
    }
    /// Adds cells first .. first + n - 1, n a multiple of 8 but for the last
    /// block. @param f of these cells, as all below.
    void add(std::size_t first, std::size_t n, const double* f) {
      add<false>(first, n, f, 0, 0, nullptr);
    }
    /// The same; its slopes take the place of those of f, n_slopes arrays that
    /// lie `stride` apart.
    void add_slopes(std::size_t first, std::size_t n, const double* f,
                    int n_slopes, std::size_t stride, double* slope) {
      add<true>(first, n, f, n_slopes, stride, slope);
    }
    double total() const { return pass_.total; }

   private:
    template <bool kSlopes>
    void add(std::size_t first, std::size_t n, const double* f, int n_slopes,
             std::size_t stride, double* slope) {
      pass_.n = static_cast<int>(n);
      pass_.f = f;
      pass_.alpha = cells_->alpha.data() + first;
      pass_.n_slopes = n_slopes;
      pass_.stride = stride;
      pass_.slope = slope;
      if (!cells_->censored) {
        detail::sum_cells<false, kSlopes>(pass_);
        return;
      }
      pass_.centre = cells_->centre.data() + first;
      pass_.count = cells_->count.data() + first;
      detail::sum_cells<true, kSlopes>(pass_);
    }

    const RecordCells* cells_;
    detail::CellSum pass_{};
  };

  /// The contribution of cell c, without a branch.
  double clipped(std::size_t c, double f) const {
    double g = alpha[c] * f - centre[c];
    g = g >= lower ? g : lower;  // NaN counts as lower
    g = g > upper ? upper : g;
    return count[c] * g;
  }

  /// The same; `weight` becomes the factor of its gradient, 0 strictly outside
  /// the interval, where it is flat.
  double clipped(std::size_t c, double f, double& weight) const {
    const double g = alpha[c] * f - centre[c];
    weight = 0.0;
    if (!(g >= lower)) return count[c] * lower;
    if (g > upper) return count[c] * upper;
    weight = count[c] * alpha[c];
    return count[c] * g;
  }

  /// True where f is that of cell c - 1: only weight or centre differ.
  bool repeats(std::size_t c) const {
    return c > 0 && row[c] == row[c - 1] && y[c] == y[c - 1];
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP
