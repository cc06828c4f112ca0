// f of every cell for families that do not split by design row; vectorised for
// those whose density is a few operations.
#ifndef PSEUDOSYNTH_LIKELIHOOD_CELL_LOG_LIK_HPP
#define PSEUDOSYNTH_LIKELIHOOD_CELL_LOG_LIK_HPP

#include "../family/student_t.hpp"
#include "../simd_special.hpp"
#include "record_cells.hpp"

namespace pseudosynth {

namespace detail {

/// z <- offset - power log(1 + scale z^2), n a multiple of 8.
template <int W>
PSEUDOSYNTH_INLINE void student_t_cells_kernel(int n, double offset,
                                               double power, double scale,
                                               double* z) {
  typedef simd::Real<W> R;
  for (int c = 0; c < n; c += W) {
    R x, far;
    simd::load<W>(z + c, x);
    // Residuals whose square is no number: nobody is there.
    simd::fill<W>(1e140, far);
    x = x < -far ? -far : x;
    x = x > far ? far : x;
    x = x * x * scale;
    simd::log1p_in_place<W>(x);
    simd::store<W>(offset - power * x, z + c);
  }
}
PSEUDOSYNTH_DISPATCH(student_t_cells,
                     (int n, double offset, double power, double scale,
                      double* z),
                     (n, offset, power, scale, z))

}  // namespace detail

/// f (cells, room for a multiple of 8) given eta by design row.
template <class Family>
void cell_log_lik(const Family& family, const RecordCells& cells,
                  const double* eta, const double* extra, double* f) {
  const auto at = family.at(extra);
  for (std::size_t c = 0; c < cells.size(); ++c)
    f[c] = family.log_lik(cells.y[c], eta[cells.row[c]], at);
}

inline void cell_log_lik(const StudentT& family, const RecordCells& cells,
                         const double* eta, const double* extra, double* f) {
  const auto at = family.at(extra);
  for (std::size_t c = 0; c < cells.size(); ++c)
    f[c] = (cells.y[c] - eta[cells.row[c]]) * at.inverse;
  detail::student_t_cells(static_cast<int>((cells.size() + 7) / 8 * 8),
                          at.offset, 0.5 * (family.df + 1.0), 1.0 / family.df,
                          f);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_CELL_LOG_LIK_HPP
