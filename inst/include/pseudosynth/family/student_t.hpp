// Student-t errors around a linear predictor, degrees of freedom public.
#ifndef PSEUDOSYNTH_FAMILY_STUDENT_T_HPP
#define PSEUDOSYNTH_FAMILY_STUDENT_T_HPP

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../rng.hpp"
#include "../special.hpp"
#include "log_scale.hpp"

namespace pseudosynth {

/// @brief (y - eta)/sigma ~ t(df), sigma ~ half-t(3, 0, 1), u = log sigma.
struct StudentT : LogScale {
  /// @throw std::invalid_argument unless df is positive and finite.
  explicit StudentT(double df = 3.0) : df(df) {
    if (!(df > 0 && df < kInfinity))
      throw std::invalid_argument("degrees of freedom must be positive");
    // log Gamma((df+1)/2) - log Gamma(df/2) - log(df pi)/2 without cancellation
    // for large df.
    const double half = 0.5 * df;
    constant = half * std::log1p(1.0 / df) - 0.5 - kHalfLogTwoPi +
               stirling_remainder(half + 0.5) - stirling_remainder(half);
  }

  struct At {
    double sigma, inverse, offset;
  };

  At at(const double* extra) const {
    return At{extra[0], 1.0 / extra[0], constant - std::log(extra[0])};
  }

  double log_lik(double y, double eta, const At& at) const {
    return at.offset - tail((y - eta) * at.inverse);
  }

  double derivatives(double y, double eta, const At& at, double& d_eta,
                     double* d_extra) const {
    const double z = (y - eta) * at.inverse;
    // The pull of a record falls as 1/z: heavy tails bound it.
    const double w = 1.0 / (1.0 + df / (z * z));  // z^2/(df + z^2)
    d_eta = std::fabs(z) > 1.0 ? (df + 1.0) / (df / z + z) * at.inverse
                               : (df + 1.0) * z / (df + z * z) * at.inverse;
    d_extra[0] = ((df + 1.0) * w - 1.0) * at.inverse;
    return at.offset - tail(z);
  }

  double simulate(Rng& rng, double eta, const At& at) const {
    // t = normal / sqrt(chi^2_df / df); the chi^2 by its log, for small df.
    const double z = rng.normal();
    const double log_scale =
        0.5 * (std::log(0.5 * df) - rng.log_gamma_draw(0.5 * df));
    return eta + at.sigma * z * std::exp(log_scale);
  }

  void initial(double spread, Rng& rng, double* u) const {
    u[0] = std::log(std::max(0.7 * spread, 1e-3)) + rng.uniform() - 0.5;
  }

  double df, constant;

 private:
  /// (df + 1)/2 log(1 + z^2/df), also where z^2 overflows.
  double tail(double z) const {
    const double ratio = z * z / df;
    return 0.5 * (df + 1.0) *
           (ratio < 1e290 ? std::log1p(ratio)
                          : 2.0 * std::log(std::fabs(z)) - std::log(df));
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_STUDENT_T_HPP
