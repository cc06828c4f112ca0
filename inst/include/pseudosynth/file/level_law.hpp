// The law of a level that a record's cell moves to.
#ifndef PSEUDOSYNTH_FILE_LEVEL_LAW_HPP
#define PSEUDOSYNTH_FILE_LEVEL_LAW_HPP

#include <algorithm>
#include <cstddef>

#include "../simd_float.hpp"

namespace pseudosynth {

namespace detail {

/// The law of a level: cumulative exp(-beta energy), where energies are sums of
/// n runs of L numbers and of what comes in, less `self` at level `own`.
/// @param run lanes are read beyond the last level: simd::whole_float_lanes().
/// @param[in,out] law what is beside the runs, then the law: L numbers, and
///   room for whole lanes of floats.
/// @return by `least` the least energy, which the exponentials are beside.
template <int W>
PSEUDOSYNTH_INLINE void level_law_kernel(const float* const* run, std::size_t n,
                                         std::size_t L, std::size_t own,
                                         double self, double beta, double* law,
                                         double& least) {
  alignas(64) float rough[2 * W];
  for (std::size_t v = 0; v < L; v += 2 * W) {
    simd::Floats<2 * W> x, sum{}, beside{};
    // In two sums: an addition waits for the one before
    std::size_t a = 0;
    for (; a + 1 < n; a += 2) {
      simd::load_floats<2 * W>(run[a] + v, x);
      sum += x;
      simd::load_floats<2 * W>(run[a + 1] + v, x);
      beside += x;
    }
    if (a < n) {
      simd::load_floats<2 * W>(run[a] + v, x);
      sum += x;
    }
    sum += beside;
    simd::store_floats<2 * W>(sum, rough);
    for (int half = 0; half < 2 * W; half += W) {
      simd::Floats<W> of_runs;
      simd::load_floats<W>(rough + half, of_runs);
      simd::Real<W> energy;
      simd::load<W>(law + v + half, energy);
      energy += __builtin_convertvector(of_runs, simd::Real<W>);
      simd::store<W>(energy, law + v + half);
    }
  }
  law[own] -= self;
  least = law[0];
  for (std::size_t v = 1; v < L; ++v) least = std::min(least, law[v]);
  simd::Real<W> x, from, factor;
  simd::broadcast<W>(least, from);
  simd::broadcast<W>(-beta, factor);
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
                     (const float* const* run, std::size_t n, std::size_t L,
                      std::size_t own, double self, double beta, double* law,
                      double& least),
                     (run, n, L, own, self, beta, law, least))

}  // namespace detail

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_LEVEL_LAW_HPP
