// Passes of the correction for fractional weights (see
// mixture_augmentation.hpp).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_CORRECTION_PASS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_CORRECTION_PASS_HPP

#include <cstddef>

#include "../../simd.hpp"
#include "mixture_density_pass.hpp"

namespace pseudosynth {
namespace detail {

/// What a changed component k does to the correction term
///   h = sum_i (1 - alpha_i) log r_(i z_i):
/// new d, s and log s, and the change of h. `in` is 1 where z_i = k.
struct CorrectionPass {
  int n;
  double pi;
  const double* residual_new;
  ComponentDensity density_new;
  const double* residual_old;
  ComponentDensity density_old;
  const double* others;  // sum of pi_j d_ij over the other components
  const double* shift;
  const double* log_s_old;
  const double* rest;  // 1 - alpha_i, 0 in the padding
  const double* in;
  double* d_new;
  double* log_s_new;
  double change;  // out, not finite where a log sum is marked
};

template <int W>
PSEUDOSYNTH_INLINE void correction_pass_kernel(CorrectionPass& p) {
  typedef simd::Real<W> R;
  R change, high, marked;
  simd::fill<W>(0.0, change);
  simd::fill<W>(kLargestDensity, high);
  simd::fill<W>(kInfinity, marked);
  for (int i = 0; i < p.n; i += W) {
    R z, z_old, shift, others, rest, in, log_s_old;
    simd::load<W>(p.residual_new + i, z);
    simd::load<W>(p.residual_old + i, z_old);
    simd::load<W>(p.shift + i, shift);
    simd::load<W>(p.others + i, others);
    simd::load<W>(p.rest + i, rest);
    simd::load<W>(p.in + i, in);
    simd::load<W>(p.log_s_old + i, log_s_old);
    z *= p.density_new.inv_sigma;
    z_old *= p.density_old.inv_sigma;
    const R term = p.density_new.offset - 0.5 * z * z;
    const R term_old = p.density_old.offset - 0.5 * z_old * z_old;
    R d = term - shift;
    const auto within = d < high;
    d = within ? d : high;
    simd::exp_in_place<W>(d);
    d = within ? d : marked;
    simd::store<W>(d, p.d_new + i);
    R log_s = others + p.pi * d;
    log_sum_in_place<W>(log_s);
    simd::store<W>(log_s, p.log_s_new + i);
    change += rest * (in * (term - term_old) - (log_s - log_s_old));
  }
  p.change = simd::sum<W>(change);
}
PSEUDOSYNTH_DISPATCH(correction_pass, (CorrectionPass & p), (p))

/// Slope of h in the linear predictor of component k, NaN out of range:
///   slope_i = (1 - alpha_i) (1[z_i = k] - r_ik) residual_i / sigma_k^2.
/// The density's offset includes log pi.
template <int W>
PSEUDOSYNTH_INLINE void correction_slope_kernel(
    int n, const double* residual, ComponentDensity c, const double* others,
    const double* shift, const double* rest, const double* in, double* slope) {
  const double precision = c.inv_sigma * c.inv_sigma;
  simd::Real<W> high, marked;
  simd::fill<W>(kLargestExponent, high);
  simd::fill<W>(kNaN, marked);
  for (int i = 0; i < n; i += W) {
    simd::Real<W> e, shifted, other, weight, inside;
    simd::load<W>(residual + i, e);
    simd::load<W>(shift + i, shifted);
    simd::load<W>(others + i, other);
    simd::load<W>(rest + i, weight);
    simd::load<W>(in + i, inside);
    const simd::Real<W> z = e * c.inv_sigma;
    simd::Real<W> d = c.offset - 0.5 * z * z - shifted;
    d = d < high ? d : high;
    simd::exp_in_place<W>(d);
    simd::Real<W> sum = d + other;
    sum = sum > kSmallestSum ? sum : marked;
    sum = sum < kLargestSum ? sum : marked;
    simd::store<W>(weight * (inside - d / sum) * e * precision, slope + i);
  }
}
PSEUDOSYNTH_DISPATCH(correction_slope,
                     (int n, const double* residual, ComponentDensity c,
                      const double* others, const double* shift,
                      const double* rest, const double* in, double* slope),
                     (n, residual, c, others, shift, rest, in, slope))

/// total_k += sum_i rest_i pi_k d_ik / s_i with s from the given pi; NaN where
/// a density is marked.
template <int W>
PSEUDOSYNTH_INLINE void weighted_responsibility_kernel(int n, int K,
                                                       const double* d,
                                                       const double* pi,
                                                       const double* rest,
                                                       double* total) {
  for (int i = 0; i < n; i += W) {
    simd::Real<W> s, x, weight;
    simd::fill<W>(0.0, s);
    for (int k = 0; k < K; ++k) {
      simd::load<W>(d + static_cast<std::size_t>(k) * n + i, x);
      s += pi[k] * x;
    }
    simd::load<W>(rest + i, weight);
    weight /= s + 1e-300;
    for (int k = 0; k < K; ++k) {
      simd::load<W>(d + static_cast<std::size_t>(k) * n + i, x);
      total[k] += pi[k] * simd::sum<W>(x * weight);
    }
  }
}
PSEUDOSYNTH_DISPATCH(weighted_responsibility,
                     (int n, int K, const double* d, const double* pi,
                      const double* rest, double* total),
                     (n, K, d, pi, rest, total))

/// result = sum_i weight_i (log_s_new_i - log_s_old_i), not finite where one is
/// marked.
template <int W>
PSEUDOSYNTH_INLINE void weighted_difference_kernel(int n, const double* weight,
                                                   const double* after,
                                                   const double* before,
                                                   double& result) {
  simd::Real<W> total;
  simd::fill<W>(0.0, total);
  for (int i = 0; i < n; i += W) {
    simd::Real<W> w, a, b;
    simd::load<W>(weight + i, w);
    simd::load<W>(after + i, a);
    simd::load<W>(before + i, b);
    total += w * (a - b);
  }
  result = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(weighted_difference,
                     (int n, const double* weight, const double* after,
                      const double* before, double& result),
                     (n, weight, after, before, result))

}  // namespace detail
}  // namespace pseudosynth

#endif
