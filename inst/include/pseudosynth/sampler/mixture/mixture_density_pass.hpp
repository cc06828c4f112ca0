// Densities of all records under the components, as the augmentation sampler of
// the mixture keeps them, vectorised over records: relative to a shift per
// record,
//   d_ik = N(y_i | eta_ik, sigma_k^2) exp(-shift_i),  s_i = sum_k pi_k d_ik.
//
// What a shift cannot bring within range, as for a record hundreds of standard
// deviations from every component, is marked and not approximated: a density
// that is too large is infinite, and so is the log of a sum beyond
// kLargestLogSum or without a value. Sums over records are then not finite, and
// the caller takes the marked records from their logs (MixtureChain).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_DENSITY_PASS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_DENSITY_PASS_HPP

#include "../../math.hpp"
#include "../../simd.hpp"

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

}  // namespace detail
}  // namespace pseudosynth

#endif
