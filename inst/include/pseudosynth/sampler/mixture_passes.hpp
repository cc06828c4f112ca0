// Passes over all records that the augmentation sampler of the mixture makes,
// vectorised over records. Densities are kept relative to a shift per record,
//   d_ik = N(y_i | eta_ik, sigma_k^2) exp(-shift_i),  s_i = sum_k pi_k d_ik.
//
// What a shift cannot bring within range, as for a record hundreds of standard
// deviations from every component, is marked and not approximated: a density
// that is too large is infinite, and so is the log of a sum beyond
// kLargestLogSum or without a value. Sums over records are then not finite, and
// the caller takes the marked records from their logs (MixtureWorkspace).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_PASSES_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_PASSES_HPP

#include "../math.hpp"
#include "../simd.hpp"

namespace pseudosynth {
namespace detail {

/// One component's normal density as offset - (residual * inv_sigma)^2 / 2.
struct ComponentDensity {
  double offset;  // -log sigma - log(2 pi)/2
  double inv_sigma;
};

/// out = max(out, log density): builds the shift component by component.
template <int W>
PSEUDOSYNTH_INLINE void raise_shift_kernel(int n, const double* residual,
                                           ComponentDensity c, double* shift) {
  for (int i = 0; i < n; i += W) {
    simd::Real<W> z, high;
    simd::load<W>(residual + i, z);
    simd::load<W>(shift + i, high);
    z *= c.inv_sigma;
    const simd::Real<W> term = c.offset - 0.5 * z * z;
    high = term > high ? term : high;
    simd::store<W>(high, shift + i);
  }
}
PSEUDOSYNTH_DISPATCH(raise_shift,
                     (int n, const double* residual, ComponentDensity c,
                      double* shift),
                     (n, residual, c, shift))

// Below exp(-708) an exponential is cut off, below exp(-709) a weight is 0:
// next to a sum above exp(-kLargestLogSum) neither is seen, nor is such a
// weight times a density below exp(kLargestDensity).
constexpr double kLargestLogSum = 550.0;
constexpr double kSmallestSum = 1e-238, kLargestSum = 1e238;  // the same
constexpr double kLargestDensity = 100.0;
// An exponent beyond every mark for which the exponential is still right.
constexpr double kLargestExponent = 690.0;
// Logs of a density beyond this have lost the digits that the moves need.
constexpr double kLowestShift = -1e9;

/// x <- log x, infinite beyond kLargestLogSum and where x has no value.
template <int W>
PSEUDOSYNTH_INLINE void log_sum_in_place(simd::Real<W>& x) {
  simd::Real<W> marked;
  simd::fill<W>(kInfinity, marked);
  simd::log_in_place<W>(x);
  x = x * x < kLargestLogSum * kLargestLogSum ? x : marked;
}

/// Takes the value from shifts that are too low, and with it from all densities
/// relative to them.
template <int W>
PSEUDOSYNTH_INLINE void drop_low_shifts_kernel(int n, double* shift) {
  simd::Real<W> none;
  simd::fill<W>(kNaN, none);
  for (int i = 0; i < n; i += W) {
    simd::Real<W> x;
    simd::load<W>(shift + i, x);
    x = x > kLowestShift ? x : none;
    simd::store<W>(x, shift + i);
  }
}
PSEUDOSYNTH_DISPATCH(drop_low_shifts, (int n, double* shift), (n, shift))

/// d = exp(log density - shift); s += pi d.
template <int W>
PSEUDOSYNTH_INLINE void component_density_kernel(int n, const double* residual,
                                                 ComponentDensity c, double pi,
                                                 const double* shift, double* d,
                                                 double* s) {
  simd::Real<W> high, marked;
  simd::fill<W>(kLargestDensity, high);
  simd::fill<W>(kInfinity, marked);
  for (int i = 0; i < n; i += W) {
    simd::Real<W> z, low, total;
    simd::load<W>(residual + i, z);
    simd::load<W>(shift + i, low);
    simd::load<W>(s + i, total);
    z *= c.inv_sigma;
    simd::Real<W> x = c.offset - 0.5 * z * z - low;
    const auto within = x < high;
    x = within ? x : high;
    simd::exp_in_place<W>(x);
    x = within ? x : marked;
    simd::store<W>(x, d + i);
    simd::store<W>(total + pi * x, s + i);
  }
}
PSEUDOSYNTH_DISPATCH(component_density,
                     (int n, const double* residual, ComponentDensity c,
                      double pi, const double* shift, double* d, double* s),
                     (n, residual, c, pi, shift, d, s))

/// log_s = log s, or the mark.
template <int W>
PSEUDOSYNTH_INLINE void log_pass_kernel(int n, const double* s, double* log_s) {
  for (int i = 0; i < n; i += W) {
    simd::Real<W> x;
    simd::load<W>(s + i, x);
    log_sum_in_place<W>(x);
    simd::store<W>(x, log_s + i);
  }
}
PSEUDOSYNTH_DISPATCH(log_pass, (int n, const double* s, double* log_s),
                     (n, s, log_s))

/// z_i = number of components whose cumulated pi d stays at or below u_i s_i:
/// a draw from r_i = pi d_i / s_i. d is component-major with stride n.
template <int W>
PSEUDOSYNTH_INLINE void draw_indicators_kernel(int n, int K, const double* d,
                                               const double* pi,
                                               const double* s, const double* u,
                                               double* z) {
  for (int i = 0; i < n; i += W) {
    simd::Real<W> target, total, cumulated, count, one, zero;
    simd::load<W>(u + i, target);
    simd::load<W>(s + i, total);
    target *= total;
    simd::fill<W>(0.0, zero);
    simd::fill<W>(1.0, one);
    cumulated = zero;
    count = zero;
    for (int k = 0; k + 1 < K; ++k) {
      simd::Real<W> x;
      simd::load<W>(d + static_cast<std::size_t>(k) * n + i, x);
      cumulated += pi[k] * x;
      count += cumulated <= target ? one : zero;
    }
    simd::store<W>(count, z + i);
  }
}
PSEUDOSYNTH_DISPATCH(draw_indicators,
                     (int n, int K, const double* d, const double* pi,
                      const double* s, const double* u, double* z),
                     (n, K, d, pi, s, u, z))

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

/// s = sum_k pi_k d_k.
template <int W>
PSEUDOSYNTH_INLINE void mix_densities_kernel(int n, int K, const double* d,
                                             const double* pi, double* s) {
  for (int i = 0; i < n; i += W) {
    simd::Real<W> total, x;
    simd::fill<W>(0.0, total);
    for (int k = 0; k < K; ++k) {
      simd::load<W>(d + static_cast<std::size_t>(k) * n + i, x);
      total += pi[k] * x;
    }
    simd::store<W>(total, s + i);
  }
}
PSEUDOSYNTH_DISPATCH(mix_densities,
                     (int n, int K, const double* d, const double* pi,
                      double* s),
                     (n, K, d, pi, s))

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
