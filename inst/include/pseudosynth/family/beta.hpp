// Responses in (0, 1): beta regression with logit link.
#ifndef PSEUDOSYNTH_FAMILY_BETA_HPP
#define PSEUDOSYNTH_FAMILY_BETA_HPP

#include <algorithm>
#include <cmath>

#include "../rng.hpp"
#include "../special.hpp"
#include "../transforms.hpp"

namespace pseudosynth {

/// @brief y ~ Beta(a, b), a = m lambda, b = (1 - m) lambda,
/// m = 1/(1 + exp(-eta)); lambda ~ Pareto(0.1, 1.5), u = log(lambda - 0.1).
///
/// With G(x) = log(x)/2 - D(x), D Stirling's remainder, and KL the relative
/// entropy of (m, 1 - m) to (y, 1 - y),
///   f = -lambda KL + G(a) + G(b) - G(lambda) - log(2 pi)/2
///       - log y - log(1 - y):
/// nothing cancels for large lambda; a and b that underflow enter by their
/// logarithms.
struct Beta {
  static constexpr int kExtras = 1;
  static constexpr double kLowest = 0.1;
  static constexpr double kShape = 1.5;

  struct At {
    double precision, log_precision, gamma_part, entropy;
  };

  At at(const double* extra) const {
    const double lambda = extra[0], log_lambda = std::log(lambda);
    return At{lambda, log_lambda, half_log_less_remainder(lambda, log_lambda),
              log_minus_digamma(lambda)};
  }

  double log_lik(double y, double eta, const At& at) const {
    return density(y, mean_part(y, eta, at), at);
  }

  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double* d_extra) const {
    const MeanPart p = mean_part(y, eta, at);
    const GammaPart a =
        gamma_part(at.precision * p.m, at.log_precision + p.log_m);
    const GammaPart b =
        gamma_part(at.precision * p.q, at.log_precision + p.log_q);
    const double log_y = std::log(y), log_rest = std::log1p(-y);
    // log a - log b = eta, so that digamma(a) - digamma(b) does not cancel.
    d_eta = p.q * a.entropy - p.m * b.entropy +
            at.precision * p.m * p.q * (log_y - log_rest - eta);
    d_extra[0] =
        (a.entropy + b.entropy - p.divergence) / at.precision - at.entropy;
    return a.value + b.value - at.gamma_part - p.divergence - kHalfLogTwoPi -
           log_y - log_rest;
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

  struct MeanPart {
    double m, q;  // mean and 1 - mean, both to full relative accuracy
    double log_m, log_q;
    double divergence;  // lambda KL
  };

  struct GammaPart {
    double value;    // G(x)
    double entropy;  // x P(x), 1 at x = 0
  };

  static GammaPart gamma_part(double x, double log_x) {
    if (x < 1e-300) return GammaPart{log_x + kHalfLogTwoPi, 1.0};
    const StirlingPair pair(x, log_x);
    return GammaPart{0.5 * log_x - pair.remainder, x * pair.entropy};
  }

  MeanPart mean_part(double y, double eta, const At& at) const {
    MeanPart p;
    p.m = inv_logit(eta);
    p.q = inv_logit(-eta);
    p.log_m = -log1p_exp(-eta);
    p.log_q = -log1p_exp(eta);
    // y - m from the side where both are small.
    const double difference = eta > 0 ? p.q - (1.0 - y) : y - p.m;
    p.divergence =
        at.precision * (side(p.m, p.log_m, difference, std::log(y)) +
                        side(p.q, p.log_q, -difference, std::log1p(-y)));
    return p;
  }

  /// m log(m/y) + (y - m).
  static double side(double m, double log_m, double difference, double log_y) {
    const double u = difference / m;
    if (u > -0.9 && u < 1e8) return -m * log1p_minus(u);
    return difference - m * (log_y - log_m);
  }

  double density(double y, const MeanPart& p, const At& at) const {
    const double log_a = at.log_precision + p.log_m;
    const double log_b = at.log_precision + p.log_q;
    return half_log_less_remainder(at.precision * p.m, log_a) +
           half_log_less_remainder(at.precision * p.q, log_b) - at.gamma_part -
           p.divergence - kHalfLogTwoPi - std::log(y) - std::log1p(-y);
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_BETA_HPP
