// Negative binomial counts with log link.
#ifndef PSEUDOSYNTH_FAMILY_NEG_BINOMIAL_HPP
#define PSEUDOSYNTH_FAMILY_NEG_BINOMIAL_HPP

#include <algorithm>
#include <cmath>

#include "../prior/half_t.hpp"
#include "../rng.hpp"
#include "../simd_special.hpp"
#include "../special.hpp"
#include "forms.hpp"

namespace pseudosynth {

/// @brief Mean mu = exp(eta), size phi, variance mu + mu^2/phi;
/// 1/phi ~ half-Cauchy(0, 5), u = log phi.
///
/// With n = y + phi, L = log(1 + mu/phi), D Stirling's remainder,
///   f = y (log(mu/phi) - L) - phi L + A(y),
///   A = y log(n/y) + phi log(n/phi) + peak,
///   peak = D(n) - D(phi) - log(n/phi)/2 - D(y) - log(2 pi y)/2.
/// Where A is large, with d = (mu - y)/(mu + phi), h(x) = log(1 + x) - x <= 0,
///   f = y h(phi d/y) + phi h(-d) + peak:
/// nothing cancels from phi -> 0 to the Poisson limit phi -> Inf, and f stays
/// finite where exp(eta) overflows.
struct NegBinomial : RowForm<NegBinomial> {
  static constexpr int kExtras = 1, kStatistics = 1, kResponse = 3;
  static constexpr bool kTable = true, kCancels = true;

  template <int W>
  struct Draw {
    // phi, 1/phi, log phi, D(phi), log phi - digamma(phi)
    simd::Real<W> size, inverse, log_size, remainder, entropy;
  };
  using At = Draw<1>;

  At at(const double* extra) const {
    const double size = extra[0], log_size = std::log(size);
    double remainder, entropy;
    simd::stirling<1>(size, log_size, remainder, entropy);
    return At{size, 1.0 / size, log_size, remainder, entropy / size};
  }

  static void response(double y, double* r) { count_response(y, r); }
  static double constant(const double* r) { return r[2]; }

  template <int W>
  PSEUDOSYNTH_INLINE void row(const simd::Real<W>& eta, const Draw<W>& at,
                              RowTerms<W, 1>& t) const {
    typedef simd::Real<W> R;
    const R zero{};
    const R x = eta - at.log_size;
    // The smaller of mu and phi over the larger.
    R e = x > zero ? -eta : eta;
    simd::exp_in_place<W>(e);
    e *= x > zero ? at.size : at.inverse;
    const R far = 1.0 / (1.0 + e), near = e * far;
    const R share = x > zero ? far : near;  // mu/(mu + phi)
    simd::log1p_in_place<W>(e);
    const R L = (x > zero ? x : zero) + e;
    t.value[0] = (x > zero ? zero : x) - e;
    t.value[1] = -at.size * L;
    t.d_eta[0] = x > zero ? near : far;
    t.d_eta[1] = -at.size * share;
    t.d_extra[0] = -t.d_eta[0] * at.inverse;
    t.d_extra[1] = share - L;
  }

  template <int W>
  PSEUDOSYNTH_INLINE void table(const simd::Real<W>* r, const Draw<W>& at,
                                simd::Real<W>& value,
                                simd::Real<W>& d_extra) const {
    typedef simd::Real<W> R;
    const R zero{};
    CountPart<W> part;
    count_part<W>(r, at, part);
    value = r[0] * part.over_y + at.size * part.over_size + part.peak;
    d_extra = part.over_size + at.entropy - part.entropy;
    value = r[0] > zero ? value : zero;
    d_extra = r[0] > zero ? d_extra : zero;
  }

  template <int W>
  PSEUDOSYNTH_INLINE void exact(const simd::Real<W>* r,
                                const simd::Real<W>& eta, const Draw<W>& at,
                                const simd::Real<W>*, simd::Real<W>& f) const {
    typedef simd::Real<W> R;
    const R zero{};
    CountPart<W> part;
    count_part<W>(r, at, part);
    const R x = eta - at.log_size;
    // 1/mu or mu; the smaller of mu and phi over the larger.
    R e = x > zero ? -eta : eta;
    simd::exp_in_place<W>(e);
    R log_total = e * (x > zero ? at.size : at.inverse);
    const R d = (x > zero ? 1.0 - r[0] * e : (e - r[0]) * at.inverse) /
                (1.0 + log_total);
    simd::log1p_in_place<W>(log_total);
    log_total += x > zero ? eta : at.log_size;
    const R log_n = at.log_size + part.over_size;
    R near;
    log1p_minus_near(R(-d), near);
    R h = d > 0.4 ? log_n - log_total + d : near;
    h = d < -0.4 ? log_n - log_total + d : h;
    const R v = at.size * d / r[0];
    log1p_minus_near(v, near);
    const R by_definition = part.over_y + eta - log_total - v;
    R g = v > 0.4 ? by_definition : near;
    g = v < -0.4 ? by_definition : g;
    f = r[0] * g + at.size * h + part.peak + r[2];
  }

  /// A Poisson count whose mean is mu times a Gamma(phi, rate phi) draw, by
  /// logs: for small phi the draw itself underflows.
  double simulate(Rng& rng, double eta, const At& at) const {
    return rng.poisson(
        std::exp(eta - at.log_size + rng.log_gamma_draw(at.size)));
  }

  void constrain(const double* u, double* extra) const {
    extra[0] = std::exp(u[0]);
  }
  void unconstrain(const double* extra, double* u) const {
    u[0] = std::log(extra[0]);
  }
  double log_prior(const double* u, double* d_u) const {
    double d_log = 0.0;  // in log(1/phi) = -u
    const double value = dispersion_prior.log_density_log(-u[0], d_log);
    d_u[0] -= d_log;
    return value;
  }
  void adjoint(const double* u, const double* d_extra, double* d_u) const {
    d_u[0] += d_extra[0] * std::exp(u[0]);
  }

  double start_scale(double y) const { return std::log(y + 0.5); }
  void initial(double spread, Rng& rng, double* u) const {
    // The variance of log y is about 1/phi + 1/mu.
    u[0] = -2.0 * std::log(std::max(spread, 0.03)) + rng.uniform() - 0.5;
  }

  HalfT dispersion_prior{1.0, 5.0};

 private:
  template <int W>
  struct CountPart {
    simd::Real<W> over_y, over_size;  // log(n/y), log(n/phi)
    simd::Real<W> peak;               // without the part of y alone
    simd::Real<W> entropy;            // log n - digamma(n)
  };

  /// y > 0.
  template <int W>
  PSEUDOSYNTH_INLINE static void count_part(const simd::Real<W>* r,
                                            const Draw<W>& at,
                                            CountPart<W>& part) {
    typedef simd::Real<W> R;
    const R zero{};
    const R &y = r[0], n = y + at.size;
    R near = y > at.size ? at.size / y : y * at.inverse;
    simd::log1p_in_place<W>(near);
    const R difference = r[1] - at.log_size;
    part.over_y = near - (y > at.size ? zero : difference);
    part.over_size = near + (y > at.size ? difference : zero);
    const R log_n = at.log_size + part.over_size;
    R remainder;
    simd::stirling<W>(n, log_n, remainder, part.entropy);
    part.entropy /= n;
    part.peak = remainder - at.remainder - 0.5 * part.over_size;
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_NEG_BINOMIAL_HPP
