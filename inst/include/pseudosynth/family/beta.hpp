// Responses in (0, 1): beta regression with logit link.
#ifndef PSEUDOSYNTH_FAMILY_BETA_HPP
#define PSEUDOSYNTH_FAMILY_BETA_HPP

#include <algorithm>
#include <cmath>

#include "../rng.hpp"
#include "../simd_special.hpp"
#include "../special.hpp"
#include "../transforms.hpp"
#include "forms.hpp"

namespace pseudosynth {

/// @brief y ~ Beta(a, b), a = m lambda, b = (1 - m) lambda,
/// m = 1/(1 + exp(-eta)); lambda ~ Pareto(0.1, 1.5), u = log(lambda - 0.1).
///
/// With G(x) = log(x)/2 - D(x), D Stirling's remainder, g = G(a) + G(b) -
/// G(lambda) - log(2 pi)/2, and KL the relative entropy of (m, 1 - m) to
/// (y, 1 - y),
///   f = a (log y - log m) + b (log(1 - y) - log(1 - m)) + g
///       - log y - log(1 - y),
/// the first two terms together -lambda KL where lambda is large: nothing
/// cancels; a and b that underflow enter by their logarithms.
struct Beta : RowForm<Beta> {
  static constexpr int kExtras = 1, kStatistics = 2, kResponse = 3;
  static constexpr bool kCancels = true;
  static constexpr double kLowest = 0.1;
  static constexpr double kShape = 1.5;

  template <int W>
  struct Draw {
    // lambda, log lambda, G(lambda), log lambda - digamma(lambda)
    simd::Real<W> precision, log_precision, gamma_part, entropy;
  };
  using At = Draw<1>;

  At at(const double* extra) const {
    const double lambda = extra[0], log_lambda = std::log(lambda);
    double remainder, entropy;
    simd::stirling<1>(lambda, log_lambda, remainder, entropy);
    return At{lambda, log_lambda, 0.5 * log_lambda - remainder,
              entropy / lambda};
  }

  static void response(double y, double* r) {
    r[0] = std::log(y);
    r[1] = std::log1p(-y);
    r[2] = y;
  }
  static double constant(const double* r) { return -r[0] - r[1]; }

  template <int W>
  PSEUDOSYNTH_INLINE void row(const simd::Real<W>& eta, const Draw<W>& at,
                              RowTerms<W, 2>& t) const {
    MeanPart<W> p;
    mean_part<W>(eta, at, p);
    t.value[0] = p.a;
    t.value[1] = p.b;
    t.value[2] = p.g - p.a * p.log_m - p.b * p.log_q;
    // log a - log b = eta, so that digamma(a) - digamma(b) does not cancel.
    t.d_eta[0] = p.a * p.q;
    t.d_eta[1] = -t.d_eta[0];
    t.d_eta[2] = p.q * p.entropy_a - p.m * p.entropy_b - t.d_eta[0] * eta;
    t.d_extra[0] = p.m;
    t.d_extra[1] = p.q;
    t.d_extra[2] = (p.entropy_a + p.entropy_b) / at.precision - at.entropy -
                   p.m * p.log_m - p.q * p.log_q;
  }

  // A sharper density cancels.
  static bool draw_splits(const At& at) { return at.precision < 500.0; }
  static double anchor(const double* mean) {
    return std::min(std::max(inv_logit(mean[0] - mean[1]), 1e-300),
                    1.0 - 1e-15);
  }

  template <int W>
  PSEUDOSYNTH_INLINE void exact(const simd::Real<W>* r,
                                const simd::Real<W>& eta, const Draw<W>& at,
                                const simd::Real<W>*, simd::Real<W>& f) const {
    typedef simd::Real<W> R;
    const R zero{};
    MeanPart<W> p;
    mean_part<W>(eta, at, p);
    // y - m from the side where both are small.
    const R difference = eta > zero ? p.q - (1.0 - r[2]) : r[2] - p.m;
    R below, above;
    side<W>(p.m, p.log_m, difference, r[0], below);
    side<W>(p.q, p.log_q, R(-difference), r[1], above);
    f = p.g - at.precision * (below + above) - r[0] - r[1];
  }

  /// Never exactly 0 or 1: a draw that rounds there becomes the nearest number
  /// inside.
  double simulate(Rng& rng, double eta, const At& at) const {
    const double log_a = at.log_precision - log1p_exp(-eta);
    const double log_b = at.log_precision - log1p_exp(eta);
    const double x = rng.log_gamma_draw(std::exp(log_a));
    const double z = rng.log_gamma_draw(std::exp(log_b));
    return std::min(std::max(inv_logit(x - z), kSmallest), kLargest);
  }

  void constrain(const double* u, double* extra) const {
    extra[0] = kLowest + std::exp(u[0]);
  }
  void unconstrain(const double* extra, double* u) const {
    u[0] = std::log(extra[0] - kLowest);
  }
  double log_prior(const double* u, double* d_u) const {
    const double excess = std::exp(u[0]), lambda = kLowest + excess;
    d_u[0] +=
        1.0 - (kShape + 1.0) * (excess < kInfinity ? excess / lambda : 1.0);
    // log lambda through u where exp(u) overflows.
    const double log_lambda = excess < kInfinity ? std::log(lambda) : u[0];
    return std::log(kShape) + kShape * std::log(kLowest) -
           (kShape + 1.0) * log_lambda + u[0];
  }
  void adjoint(const double* u, const double* d_extra, double* d_u) const {
    d_u[0] += d_extra[0] * std::exp(u[0]);
  }

  double start_scale(double y) const { return std::log(y) - std::log1p(-y); }
  void initial(double spread, Rng& rng, double* u) const {
    // The variance of logit y is about 1/(lambda m (1 - m)) for large lambda.
    const double guess = 4.0 / std::max(spread * spread, 1e-6);
    u[0] = std::log(std::max(guess, 0.2)) + rng.uniform() - 0.5;
  }

 private:
  static constexpr double kSmallest = 0x1.0p-1022;
  static constexpr double kLargest = 1.0 - 0x1.0p-53;

  template <int W>
  struct MeanPart {
    simd::Real<W> m, q;  // mean and 1 - mean, both to full relative accuracy
    simd::Real<W> log_m, log_q, a, b, g;
    simd::Real<W> entropy_a, entropy_b;  // a (log a - digamma(a)), 1 at 0
  };

  template <int W>
  PSEUDOSYNTH_INLINE static void mean_part(const simd::Real<W>& eta,
                                           const Draw<W>& at, MeanPart<W>& p) {
    typedef simd::Real<W> R;
    const R zero{};
    R e = eta > zero ? -eta : eta;
    simd::exp_in_place<W>(e);
    const R far = 1.0 / (1.0 + e), near = e * far;
    simd::log1p_in_place<W>(e);
    const R log_far = -e, log_near = (eta > zero ? -eta : eta) - e;
    const R large = at.precision * far, small = at.precision * near;
    const R log_large = at.log_precision + log_far;
    const R log_small = at.log_precision + log_near;
    R remainder_large, remainder_small, entropy_large, entropy_small;
    simd::stirling<W>(large, log_large, remainder_large, entropy_large);
    simd::stirling<W>(small, log_small, remainder_small, entropy_small);
    p.g = 0.5 * (log_large + log_small) - remainder_large - remainder_small -
          at.gamma_part - kHalfLogTwoPi;
    p.m = eta > zero ? far : near;
    p.q = eta > zero ? near : far;
    p.log_m = eta > zero ? log_far : log_near;
    p.log_q = eta > zero ? log_near : log_far;
    p.a = eta > zero ? large : small;
    p.b = eta > zero ? small : large;
    p.entropy_a = eta > zero ? entropy_large : entropy_small;
    p.entropy_b = eta > zero ? entropy_small : entropy_large;
  }

  /// m log(m/y) + (y - m).
  template <int W>
  PSEUDOSYNTH_INLINE static void side(const simd::Real<W>& m,
                                      const simd::Real<W>& log_m,
                                      const simd::Real<W>& difference,
                                      const simd::Real<W>& log_y,
                                      simd::Real<W>& out) {
    typedef simd::Real<W> R;
    const R u = difference / m;
    R near;
    log1p_minus_near(u, near);
    near *= -m;
    const R far = difference - m * (log_y - log_m);
    out = far;
    out = u > -0.4 ? near : out;
    out = u > 0.4 ? far : out;
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_BETA_HPP
