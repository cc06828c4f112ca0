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

template <class Family>
class CellDensity {
 public:
  using At = typename Family::At;

  explicit CellDensity(const RecordCells& cells)
      : n_rows_(simd::whole_lanes(static_cast<std::size_t>(cells.n_rows))),
        y_(simd::whole_lanes(cells.size())) {
    std::copy(cells.y.begin(), cells.y.end(), y_.data());
  }

  /// Rows, rounded up to whole lanes: the length of eta and d_eta below.
  std::size_t n_rows() const { return n_rows_; }

  struct Work {
    Work(const CellDensity& of, bool with_gradient)
        : eta(of.y_.size()),
          f(of.y_.size()),
          slope(with_gradient ? (E + 1) * of.y_.size() : 0) {}
    simd::AlignedBuffer eta, f;
    simd::AlignedBuffer slope;  // in eta and each extra parameter
  };

  /// sum of alpha f, of clip(alpha f - a) where censored.
  double value(const Family& family, const At& at, const RecordCells& cells,
               const double* eta, Work& work) const {
    fill<false>(family, at, cells, eta, work);
    return cells.sum(work.f.data());
  }

  /// The same; fills d_eta, adds to d_extra.
  double gradient(const Family& family, const At& at, const RecordCells& cells,
                  const double* eta, Work& work, double* d_eta,
                  double* d_extra) const {
    fill<true>(family, at, cells, eta, work);
    const double* slope = work.slope.data();
    const double total =
        cells.sum_slopes(work.f.data(), E + 1, y_.size(), work.slope.data());
    std::fill(d_eta, d_eta + n_rows_, 0.0);
    for (std::size_t c = 0; c < cells.size(); ++c)
      d_eta[cells.row[c]] += slope[c];
    for (int e = 0; e < E; ++e) {
      slope += y_.size();
      for (std::size_t c = 0; c < cells.size(); ++c) d_extra[e] += slope[c];
    }
    return total;
  }

 private:
  static constexpr int E = Family::kExtras;

  template <bool kGradient>
  void fill(const Family& family, const At& at, const RecordCells& cells,
            const double* eta, Work& work) const {
    for (std::size_t c = 0; c < cells.size(); ++c)
      work.eta[c] = eta[cells.row[c]];
    if constexpr (kHasLaneForm<Family>) {
      double unfinite;
      detail::fill_cells<Family, kGradient>(family, at, y_.size(), y_.data(),
                                            work.eta.data(), work.f.data(),
                                            work.slope.data(), unfinite);
      if (unfinite == 0.0) return;
    }
    double d_eta = 0.0, d_extra[E + 1] = {};
    for (std::size_t c = 0; c < cells.size(); ++c) {
      // Cells that only differ in weight and centre share f.
      if (cells.repeats(c)) {
        work.f[c] = work.f[c - 1];
      } else if constexpr (kGradient) {
        work.f[c] = family.derivatives(y_[c], work.eta[c], at, d_eta, d_extra);
      } else {
        work.f[c] = family.log_lik(y_[c], work.eta[c], at);
      }
      if constexpr (kGradient) {
        work.slope[c] = d_eta;
        for (std::size_t e = 0; e < E; ++e)
          work.slope[(e + 1) * y_.size() + c] = d_extra[e];
      }
    }
  }

  std::size_t n_rows_;
  simd::AlignedBuffer y_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_CELL_DENSITY_HPP
