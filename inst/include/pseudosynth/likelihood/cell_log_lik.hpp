// f of every cell for families that do not split by design row, vectorised for
// those whose density is a few operations.
#ifndef PSEUDOSYNTH_LIKELIHOOD_CELL_LOG_LIK_HPP
#define PSEUDOSYNTH_LIKELIHOOD_CELL_LOG_LIK_HPP

#include "../family/gaussian.hpp"
#include "../family/student_t.hpp"
#include "../simd_special.hpp"
#include "record_cells.hpp"

namespace pseudosynth {

namespace detail {

/// z <- (y - eta[row]) inverse; n is a multiple of 8.
inline void cell_residuals(const RecordCells& cells, const double* eta,
                           double inverse, double* z) {
  for (std::size_t c = 0; c < cells.y.size(); ++c)
    z[c] = (cells.y[c] - eta[cells.row[c]]) * inverse;
}

/// z <- offset - power log(1 + z^2 scale)
template <int W>
PSEUDOSYNTH_INLINE void student_t_cells_kernel(int n, double offset,
                                               double power, double scale,
                                               double* z) {
  for (int c = 0; c < n; c += W) {
    simd::Real<W> x;
    simd::load<W>(z + c, x);
    // 1e140 squared is still a number
    simd::Real<W> far;
    simd::fill<W>(1e140, far);
    x = x < zero_minus<W>(far) ? zero_minus<W>(far) : x;
    x = x > far ? far : x;
    x = x * x * scale;
    simd::log1p_in_place<W>(x);
    simd::store<W>(offset - power * x, z + c);
  }
}

}  // namespace detail

}  // namespace pseudosynth

#endif
