// Negative binomial counts with log link.
#ifndef PSEUDOSYNTH_FAMILY_NEG_BINOMIAL_HPP
#define PSEUDOSYNTH_FAMILY_NEG_BINOMIAL_HPP

#include <algorithm>
#include <cmath>

#include "../prior/half_t.hpp"
#include "../rng.hpp"
#include "../special.hpp"

namespace pseudosynth {

/// @brief Mean mu = exp(eta), size phi, variance mu + mu^2/phi;
/// 1/phi ~ half-Cauchy(0, 5), u = log phi.
///
/// With n = y + phi, d = (mu - y)/(mu + phi), D Stirling's remainder and
/// h(x) = log(1 + x) - x <= 0,
///   f = y h(phi d/y) + phi h(-d) + D(n) - D(phi) - log(1 + y/phi)/2
///       - D(y) - log(2 pi y)/2:
/// nothing cancels from phi -> 0 to the Poisson limit phi -> Inf, and f stays
/// finite where exp(eta) overflows.
struct NegBinomial {
  static constexpr int kExtras = 1;

  struct At {
    double size, log_size, remainder, entropy;  // phi, log phi, D, P
  };

  At at(const double* extra) const {
    const double size = extra[0];
    return At{size, std::log(size), stirling_remainder(size),
              log_minus_digamma(size)};
  }

  double log_lik(double y, double eta, const At& at) const {
    return density(y, mean_part(y, eta, at), at);
  }

  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double* d_extra) const {
    const MeanPart m = mean_part(y, eta, at);
    d_eta = -at.size * m.d;
    d_extra[0] = m.h + at.entropy;
    if (y == 0) {
      d_extra[0] -= at.entropy;
      return m.entropy;
    }
    const double n = y + at.size, log_ratio = std::log1p(y / at.size);
    const StirlingPair at_n(n, at.log_size + log_ratio);
    d_extra[0] -= at_n.entropy;
    return m.entropy + at_n.remainder - at.remainder - 0.5 * log_ratio +
           count_constant(y);
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
  struct MeanPart {
    double d;        // (mu - y)/(mu + phi)
    double h;        // h(-d)
    double entropy;  // y h(phi d/y) + phi h(-d)
  };

  MeanPart mean_part(double y, double eta, const At& at) const {
    const double mean = std::exp(eta), total = mean + at.size;
    const double log_total =
        total < kInfinity ? std::log(total) : log_sum_exp(eta, at.log_size);
    MeanPart m;
    m.d = mean < kInfinity ? (mean - y) / total : 1.0;
    m.h =
        m.d > 0.5 ? std::log(y + at.size) - log_total + m.d : log1p_minus(-m.d);
    m.entropy = at.size * m.h;
    if (y == 0) {
      // Without the linear term that the term in y would cancel.
      m.entropy -= at.size * m.d;
      return m;
    }
    const double v = at.size * m.d / y;
    m.entropy += y * (v < -0.5 ? std::log1p(at.size / y) + eta - log_total - v
                               : log1p_minus(v));
    return m;
  }

  double density(double y, const MeanPart& m, const At& at) const {
    if (y == 0) return m.entropy;
    return m.entropy + stirling_remainder(y + at.size) - at.remainder -
           0.5 * std::log1p(y / at.size) + count_constant(y);
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_NEG_BINOMIAL_HPP
