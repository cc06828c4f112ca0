// A row times a number, added to sums: in lanes.
#ifndef PSEUDOSYNTH_ADD_ROW_HPP
#define PSEUDOSYNTH_ADD_ROW_HPP

#include <cstddef>

#include "simd.hpp"

namespace pseudosynth {
namespace detail {

/// sums <- sums + q row.
/// @param width a whole number of lanes.
template <int W>
PSEUDOSYNTH_INLINE void add_row_kernel(const double* row, std::size_t width,
                                       double q, double* sums) {
  simd::Real<W> factor;
  simd::broadcast<W>(q, factor);
  for (std::size_t p = 0; p < width; p += W) {
    simd::Real<W> x, sum;
    simd::load<W>(row + p, x);
    simd::load<W>(sums + p, sum);
    sum += factor * x;
    simd::store<W>(sum, sums + p);
  }
}
PSEUDOSYNTH_DISPATCH(add_row,
                     (const double* row, std::size_t width, double q,
                      double* sums),
                     (row, width, q, sums))

}  // namespace detail
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_ADD_ROW_HPP
