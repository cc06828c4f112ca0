// Streams the unweighted log-likelihood f_i(theta_s) of a block of cells,
// cell by cell (records that share row and response share f) and draw tile by
// draw tile. The S x N matrix never exists;
// visitors reduce it on the way (lipschitz.hpp, log_lik.hpp, ..).
#ifndef PSEUDOSYNTH_KERNEL_STREAM_LOG_LIK_HPP
#define PSEUDOSYNTH_KERNEL_STREAM_LOG_LIK_HPP

#include <functional>

#include "../records.hpp"
#include "../simd.hpp"
#include "draw_tile.hpp"
#include "tile_density.hpp"

namespace pseudosynth {

/// What is done with a cell c and its tile of draws s .. s + n - 1: f holds
/// kDrawTile values of which n count. One call for a tile is cheap beside its
/// densities, and a family is compiled once for all that is done with it.
using TileVisitor = std::function<void(int c, int s, int n, const double* f)>;
using ShouldStop = std::function<bool()>;

namespace detail {

template <int W>
PSEUDOSYNTH_INLINE void add_columns_kernel(int n, const double* a,
                                           const double* b, double* out) {
  for (int l = 0; l < n; l += W) {
    simd::Real<W> x, y;
    simd::load<W>(a + l, x);
    simd::load<W>(b + l, y);
    simd::store<W>(x + y, out + l);
  }
}
PSEUDOSYNTH_DISPATCH(add_columns,
                     (int n, const double* a, const double* b, double* out),
                     (n, a, b, out))

/// out = base plus an offset plus Q columns of n numbers, each times its x;
/// columns are named by their place among those at b.
template <int W>
PSEUDOSYNTH_INLINE void add_numeric_kernel(int n, const double* base,
                                           double offset, int Q,
                                           const double* x, const int* place,
                                           const double* b, double* out) {
  for (int l = 0; l < n; l += W) {
    simd::Real<W> sum, column, factor;
    simd::load<W>(base + l, sum);
    sum += offset;
    for (int q = 0; q < Q; ++q) {
      simd::load<W>(b + static_cast<std::size_t>(place[q]) * n + l, column);
      simd::broadcast<W>(x[q], factor);
      sum += factor * column;
    }
    simd::store<W>(sum, out + l);
  }
}
PSEUDOSYNTH_DISPATCH(add_numeric,
                     (int n, const double* base, double offset, int Q,
                      const double* x, const int* place, const double* b,
                      double* out),
                     (n, base, offset, Q, x, place, b, out))

}  // namespace detail

/// Calls visit(c, s, n, f) for every cell c of the range and every tile of
/// draws. `should_stop` is polled once per tile.
///
/// Rows are sorted, so neighbours share their leading predictors: partial sums
/// of the linear predictor are kept per factor and only what changed is added.
template <class Family>
void stream_log_lik(const Records& records, const Family& family,
                    const DrawMatrix& draws, CellRange cells,
                    const TileVisitor& visit, const ShouldStop& should_stop) {
  if (cells.first >= cells.last) return;
  const Design& design = records.design;
  const int P = design.n_columns(), F = design.n_factors();
  TileDensity<Family> density(family, records, cells);
  const int first_row = records.row_of_cell(cells.first);
  const int last_row = records.row_of_cell(cells.last - 1) + 1;
  const int width = density.n_eta() * kDrawTile;
  // Coefficients of the tile, n_eta x kDrawTile per column, one zero column.
  simd::AlignedBuffer b(static_cast<std::size_t>(P + 1) * width);
  simd::AlignedBuffer partial(static_cast<std::size_t>(F + 2) * width);
  alignas(64) double f[kDrawTile];

  for (int s = 0; s < draws.S; s += kDrawTile) {
    if (should_stop()) return;
    const int n = std::min(kDrawTile, draws.S - s);
    for (int d = 0; d < P * density.n_eta(); ++d) {
      for (int l = 0; l < kDrawTile; ++l)
        b[static_cast<std::size_t>(d) * kDrawTile + l] =
            draws(std::min(s + l, draws.S - 1), d);
    }
    density.load(draws, s);
    partial.zero();
    if (design.has_intercept())
      std::copy(b.data(), b.data() + width, partial.data());
    for (int r = first_row; r < last_row; ++r) {
      const int* active = design.active_columns(r);
      const int from = r > first_row ? design.first_change(r) : 0;
      for (int level = from; level < F; ++level)
        detail::add_columns(
            width, partial.data() + static_cast<std::size_t>(level) * width,
            b.data() + static_cast<std::size_t>(active[level]) * width,
            partial.data() + static_cast<std::size_t>(level + 1) * width);
      const double* eta = partial.data() + static_cast<std::size_t>(F) * width;
      if (design.n_numeric() > 0 || design.has_offset()) {
        double* total =
            partial.data() + static_cast<std::size_t>(F + 1) * width;
        detail::add_numeric(width, eta, design.offset(r), design.n_numeric(),
                            design.numeric_values(r),
                            design.numeric_columns().data(), b.data(), total);
        eta = total;
      }
      density.row(eta);
      const std::size_t at = static_cast<std::size_t>(r);
      const int end = std::min(records.row_cell[at + 1], cells.last);
      for (int c = std::max(records.row_cell[at], cells.first); c < end; ++c) {
        density.log_lik(c, f);
        visit(c, s, n, f);
      }
    }
  }
}

}  // namespace pseudosynth

#endif
