// The pass of the moves within one level of a factor.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_LEVEL_PASS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_LEVEL_PASS_HPP

#include <cstddef>

#include "../../simd.hpp"
#include "mixture_density_pass.hpp"

namespace pseudosynth {
namespace detail {

/// Some records' sum_i alpha_i log(sum_k e_ik) with the densities of component
/// `k` (and of `k2` unless negative) replaced; new densities go to e_new.
struct LevelPass {
  int n;
  int K;
  const double* e;      // K x n, pi_k included
  const double* alpha;  // 0 in the padding
  const double* shift;
  int k;
  const double* residual;
  double shift_k;            // the residual moves by this much
  ComponentDensity density;  // offset includes log pi
  double* e_new;
  int k2;
  const double* residual2;
  double shift_k2;
  ComponentDensity density2;
  double* e_new2;
  double* log_s;   // log(sum_k e_ik), out
  double log_lik;  // out, not finite where a log sum is marked
};

template <int W>
PSEUDOSYNTH_INLINE void level_pass_kernel(LevelPass& p) {
  typedef simd::Real<W> R;
  R total, high;
  simd::fill<W>(0.0, total);
  simd::fill<W>(kLargestExponent, high);
  for (int i = 0; i < p.n; i += W) {
    R s, shift, alpha;
    simd::load<W>(p.shift + i, shift);
    simd::load<W>(p.alpha + i, alpha);
    R z;
    simd::load<W>(p.residual + i, z);
    z = (z - p.shift_k) * p.density.inv_sigma;
    s = p.density.offset - 0.5 * z * z - shift;
    s = s < high ? s : high;
    simd::exp_in_place<W>(s);
    simd::store<W>(s, p.e_new + i);
    if (p.k2 >= 0) {
      simd::load<W>(p.residual2 + i, z);
      z = (z - p.shift_k2) * p.density2.inv_sigma;
      R second = p.density2.offset - 0.5 * z * z - shift;
      second = second < high ? second : high;
      simd::exp_in_place<W>(second);
      simd::store<W>(second, p.e_new2 + i);
      s += second;
    }
    for (int k = 0; k < p.K; ++k) {
      if (k == p.k || k == p.k2) continue;
      R x;
      simd::load<W>(p.e + static_cast<std::size_t>(k) * p.n + i, x);
      s += x;
    }
    log_sum_in_place<W>(s);
    simd::store<W>(s, p.log_s + i);
    total += alpha * s;
  }
  p.log_lik = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(level_pass, (LevelPass & p), (p))

}  // namespace detail
}  // namespace pseudosynth

#endif
