// Passes of the moves of weights with the indicators summed out: the pseudo
// log-likelihood, relative to the shifts, as one or two components change.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_MASS_PASS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_MASS_PASS_HPP

#include "mixture_density_pass.hpp"

namespace pseudosynth {
namespace detail {

/// to += factor from.
template <int W>
PSEUDOSYNTH_INLINE void add_scaled_kernel(int n, double factor,
                                          const double* from, double* to) {
  for (int i = 0; i < n; i += W) {
    simd::Real<W> x, total;
    simd::load<W>(from + i, x);
    simd::load<W>(to + i, total);
    simd::store<W>(total + factor * x, to + i);
  }
}
PSEUDOSYNTH_DISPATCH(add_scaled,
                     (int n, double factor, const double* from, double* to),
                     (n, factor, from, to))

/// log_s_i = log(others_i + weight d_i) and result = sum_i alpha_i log_s_i, not
/// finite where a log sum is marked.
template <int W>
PSEUDOSYNTH_INLINE void mass_pass_kernel(int n, const double* others,
                                         const double* d, const double* alpha,
                                         double weight, double* log_s,
                                         double& result) {
  simd::Real<W> total;
  simd::fill<W>(0.0, total);
  for (int i = 0; i < n; i += W) {
    simd::Real<W> s, x, a;
    simd::load<W>(others + i, s);
    simd::load<W>(d + i, x);
    simd::load<W>(alpha + i, a);
    s += weight * x;
    log_sum_in_place<W>(s);
    simd::store<W>(s, log_s + i);
    total += a * s;
  }
  result = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(mass_pass,
                     (int n, const double* others, const double* d,
                      const double* alpha, double weight, double* log_s,
                      double& result),
                     (n, others, d, alpha, weight, log_s, result))

/// sum_i alpha_i log s_i with components j and k replaced: with the residual of
/// their mean, e_m = mean e_j + (1 - mean) e_k, the new residuals are
/// e_m + first (e_j - e_k) and e_m + second (e_j - e_k).
struct PairPass {
  int n;
  const double* others;  // sum of pi d over the other components
  const double* shift;
  const double* alpha;  // 0 in the padding
  const double* residual_j;
  const double* residual_k;
  double mean, first, second;
  ComponentDensity density_j, density_k;  // offsets include log pi
  double* log_s;                          // out
  double log_lik;  // out, not finite where a log sum is marked
};

template <int W>
PSEUDOSYNTH_INLINE void pair_pass_kernel(PairPass& p) {
  typedef simd::Real<W> R;
  R total, high;
  simd::fill<W>(0.0, total);
  simd::fill<W>(kLargestExponent, high);
  for (int i = 0; i < p.n; i += W) {
    R s, shift, alpha, e, difference;
    simd::load<W>(p.others + i, s);
    simd::load<W>(p.shift + i, shift);
    simd::load<W>(p.alpha + i, alpha);
    simd::load<W>(p.residual_j + i, difference);
    simd::load<W>(p.residual_k + i, e);
    difference -= e;
    e += p.mean * difference;
    R j = (e + p.first * difference) * p.density_j.inv_sigma;
    R k = (e + p.second * difference) * p.density_k.inv_sigma;
    j = p.density_j.offset - 0.5 * j * j - shift;
    k = p.density_k.offset - 0.5 * k * k - shift;
    j = j < high ? j : high;
    k = k < high ? k : high;
    simd::exp_in_place<W>(j);
    simd::exp_in_place<W>(k);
    s += j + k;
    log_sum_in_place<W>(s);
    simd::store<W>(s, p.log_s + i);
    total += alpha * s;
  }
  p.log_lik = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(pair_pass, (PairPass & p), (p))

}  // namespace detail
}  // namespace pseudosynth

#endif
