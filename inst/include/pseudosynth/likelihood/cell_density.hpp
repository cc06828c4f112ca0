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
      : y_(simd::whole_lanes(cells.size())) {
    std::copy(cells.y.begin(), cells.y.end(), y_.data());
  }

  struct Work {
    Work(const CellDensity& of, bool) : eta(of.y_.size()), f(of.y_.size()) {}
    simd::AlignedBuffer eta, f;
  };

  /// sum of alpha f.
  double value(const Family& family, const At& at, const RecordCells& cells,
               const double* eta, Work& work) const {
    fill(family, at, cells, eta, work);
    return cells.weighted_sum(work.f.data());
  }

  /// sum of clip(alpha f - a).
  double clipped_value(const Family& family, const At& at,
                       const RecordCells& cells, const double* eta,
                       Work& work) const {
    fill(family, at, cells, eta, work);
    return cells.clipped_sum(work.f.data());
  }

 private:
  void fill(const Family& family, const At& at, const RecordCells& cells,
            const double* eta, Work& work) const {
    for (std::size_t c = 0; c < cells.size(); ++c)
      work.eta[c] = eta[cells.row[c]];
    if constexpr (kHasLaneForm<Family>) {
      double unfinite;
      detail::fill_cells<Family>(family, at, y_.size(), y_.data(),
                                 work.eta.data(), work.f.data(), unfinite);
      if (unfinite == 0.0) return;
    }
    for (std::size_t c = 0; c < cells.size(); ++c)
      work.f[c] = family.log_lik(y_[c], work.eta[c], at);
  }

  simd::AlignedBuffer y_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_CELL_DENSITY_HPP
