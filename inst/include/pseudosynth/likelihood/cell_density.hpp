// Sums of f over cells at one draw, for families that do not split by design
// row: in lanes where the family has a form for it.
#ifndef PSEUDOSYNTH_LIKELIHOOD_CELL_DENSITY_HPP
#define PSEUDOSYNTH_LIKELIHOOD_CELL_DENSITY_HPP

#include <algorithm>

#include "../family/forms.hpp"
#include "../simd.hpp"
#include "record_cells.hpp"
#include "row_kernels.hpp"

namespace pseudosynth {

/// @brief Cells go through the processor's nearest memory in blocks.
template <class Family>
class CellDensity {
 public:
  using At = typename Family::At;

  explicit CellDensity(const RecordCells& cells)
      : n_rows_(simd::whole_lanes(static_cast<std::size_t>(cells.n_rows))) {}

  /// Rows, rounded up to whole lanes: the length of eta and d_eta below.
  std::size_t n_rows() const { return n_rows_; }

  struct Work {
    Work(const CellDensity&, bool with_gradient)
        : y(kBlock),
          eta(kBlock),
          f(kBlock),
          slope(with_gradient ? (E + 1) * kBlock : 0) {}
    simd::AlignedBuffer y, eta, f;
    simd::AlignedBuffer slope;  // in eta and each extra parameter
  };

  /// sum of alpha f, of clip(alpha f - a) where censored.
  double value(const Family& family, const At& at, const RecordCells& cells,
               const double* eta, Work& work) const {
    double total;
    if (!sum_value<kHasLaneForm<Family>>(family, at, cells, eta, work, total))
      sum_value<false>(family, at, cells, eta, work, total);
    return total;
  }

  /// The same; fills d_eta, adds to d_extra.
  double gradient(const Family& family, const At& at, const RecordCells& cells,
                  const double* eta, Work& work, double* d_eta,
                  double* d_extra) const {
    double total, extra[E + 1] = {};
    std::copy_n(d_extra, E, extra);
    if (!sum_gradient<kHasLaneForm<Family>>(family, at, cells, eta, work, d_eta,
                                            extra, total)) {
      std::copy_n(d_extra, E, extra);
      sum_gradient<false>(family, at, cells, eta, work, d_eta, extra, total);
    }
    std::copy_n(extra, E, d_extra);
    return total;
  }

 private:
  static constexpr int E = Family::kExtras;
  // Of whole lanes; the arrays of a gradient fit into 32 kB
  static constexpr std::size_t kBlock = 512;

  /// Of the cell before a block: cells that only differ in weight and centre
  /// share it.
  struct Last {
    double f = 0.0, d_eta = 0.0, d_extra[E + 1] = {};
  };

  /// False where lanes meet what one lane alone is right for.
  template <bool kLanes>
  bool sum_value(const Family& family, const At& at, const RecordCells& cells,
                 const double* eta, Work& work, double& total) const {
    RecordCells::Sum sum(cells);
    Last last;
    for (std::size_t first = 0; first < cells.size(); first += kBlock) {
      const std::size_t n = std::min(kBlock, cells.size() - first);
      if (!fill<false, kLanes>(family, at, cells, first, n, eta, work, last))
        return false;
      sum.add(first, n, work.f.data());
    }
    total = sum.total();
    return true;
  }

  template <bool kLanes>
  bool sum_gradient(const Family& family, const At& at,
                    const RecordCells& cells, const double* eta, Work& work,
                    double* d_eta, double* d_extra, double& total) const {
    RecordCells::Sum sum(cells);
    Last last;
    std::fill(d_eta, d_eta + n_rows_, 0.0);
    for (std::size_t first = 0; first < cells.size(); first += kBlock) {
      const std::size_t n = std::min(kBlock, cells.size() - first);
      if (!fill<true, kLanes>(family, at, cells, first, n, eta, work, last))
        return false;
      double* slope = work.slope.data();
      sum.add_slopes(first, n, work.f.data(), E + 1, kBlock, slope);
      const int* row = cells.row.data() + first;
      for (std::size_t c = 0; c < n; ++c) d_eta[row[c]] += slope[c];
      for (int e = 0; e < E; ++e) {
        slope += kBlock;
        for (std::size_t c = 0; c < n; ++c) d_extra[e] += slope[c];
      }
    }
    total = sum.total();
    return true;
  }

  /// f of a block and, with kGradient, its derivatives.
  template <bool kGradient, bool kLanes>
  bool fill(const Family& family, const At& at, const RecordCells& cells,
            std::size_t first, std::size_t n, const double* eta, Work& work,
            Last& last) const {
    const int* row = cells.row.data() + first;
    for (std::size_t c = 0; c < n; ++c) work.eta[c] = eta[row[c]];
    const double* y = cells.y.data() + first;
    if constexpr (kLanes) {
      if (n < kBlock) {
        // Lanes read beyond the last cell: it stands there again
        std::copy_n(y, n, work.y.data());
        std::fill(work.y.data() + n, work.y.data() + kBlock, y[n - 1]);
        std::fill(work.eta.data() + n, work.eta.data() + kBlock,
                  work.eta[n - 1]);
        y = work.y.data();
      }
      double unfinite;
      detail::fill_cells<Family, kGradient>(
          family, at, kGradient ? kBlock : simd::whole_lanes(n), y,
          work.eta.data(), work.f.data(), work.slope.data(), unfinite);
      return unfinite == 0.0;
    }
    for (std::size_t c = 0; c < n; ++c) {
      if (!cells.repeats(first + c)) {
        if constexpr (kGradient)
          last.f = family.derivatives(y[c], work.eta[c], at, last.d_eta,
                                      last.d_extra);
        else
          last.f = family.log_lik(y[c], work.eta[c], at);
      }
      work.f[c] = last.f;
      if constexpr (kGradient) {
        work.slope[c] = last.d_eta;
        for (std::size_t e = 0; e < E; ++e)
          work.slope[(e + 1) * kBlock + c] = last.d_extra[e];
      }
    }
    return true;
  }

  std::size_t n_rows_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_CELL_DENSITY_HPP
