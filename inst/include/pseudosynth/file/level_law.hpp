// The law of a level that a record's cell moves to.
#ifndef PSEUDOSYNTH_FILE_LEVEL_LAW_HPP
#define PSEUDOSYNTH_FILE_LEVEL_LAW_HPP

#include <algorithm>
#include <cstddef>

#include "../simd.hpp"

namespace pseudosynth {

namespace detail {

/// The law of a level: cumulative exp(-beta energy), where energies are sums of
/// n runs of L numbers, less `self` at level `own`.
/// @param run lanes are read beyond the last level.
/// @param[out] law L numbers, and room for whole lanes.
/// @return by `least` the least energy, which the exponentials are beside.
template <int W>
PSEUDOSYNTH_INLINE void level_law_kernel(const double* const* run,
                                         std::size_t n, std::size_t L,
                                         std::size_t own, double self,
                                         double beta, double* law,
                                         double& least) {
  simd::Real<W> x, lane, from, factor;
  for (int l = 0; l < W; ++l) lane[l] = l;
  simd::broadcast<W>(-beta, factor);
  for (std::size_t v = 0; v < L; v += W) {
    simd::Real<W> sum{}, beside{}, at, less;
    // In two sums: an addition waits for the one before
    std::size_t a = 0;
    for (; a + 1 < n; a += 2) {
      simd::load<W>(run[a] + v, x);
      sum += x;
      simd::load<W>(run[a + 1] + v, x);
      beside += x;
    }
    if (a < n) {
      simd::load<W>(run[a] + v, x);
      sum += x;
    }
    sum += beside;
    simd::broadcast<W>(static_cast<double>(own) - static_cast<double>(v), at);
    simd::broadcast<W>(self, less);
    sum = lane == at ? sum - less : sum;
    simd::store<W>(sum, law + v);
  }
  least = law[0];
  for (std::size_t v = 1; v < L; ++v) least = std::min(least, law[v]);
  simd::broadcast<W>(least, from);
  for (std::size_t v = 0; v < L; v += W) {
    simd::load<W>(law + v, x);
    x = factor * (x - from);
    simd::exp_in_place<W>(x);
    simd::store<W>(x, law + v);
  }
  double total = 0.0;
  for (std::size_t v = 0; v < L; ++v) law[v] = total += law[v];
}
PSEUDOSYNTH_DISPATCH(level_law,
                     (const double* const* run, std::size_t n, std::size_t L,
                      std::size_t own, double self, double beta, double* law,
                      double& least),
                     (run, n, L, own, self, beta, law, least))

}  // namespace detail

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_LEVEL_LAW_HPP
