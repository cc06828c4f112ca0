// Student-t errors around a linear predictor, degrees of freedom public.
#ifndef PSEUDOSYNTH_FAMILY_STUDENT_T_HPP
#define PSEUDOSYNTH_FAMILY_STUDENT_T_HPP

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../rng.hpp"
#include "../simd_special.hpp"
#include "../special.hpp"
#include "forms.hpp"
#include "log_scale.hpp"

namespace pseudosynth {

/// @brief (y - eta)/sigma ~ t(df), sigma ~ half-t(3, 0, 1), u = log sigma.
struct StudentT : LogScale, LaneForm<StudentT> {
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

  template <int W>
  struct Draw {
    simd::Real<W> sigma, inverse, offset;
  };
  using At = Draw<1>;

  At at(const double* extra) const {
    return At{extra[0], 1.0 / extra[0], constant - std::log(extra[0])};
  }

  /// f = offset - (df + 1)/2 log(1 + z^2/df); one lane also where z^2
  /// overflows.
  template <int W>
  PSEUDOSYNTH_INLINE void density(const simd::Real<W>& y,
                                  const simd::Real<W>& eta, const Draw<W>& at,
                                  simd::Real<W>& f, simd::Real<W>& d_eta,
                                  simd::Real<W>* d_extra) const {
    typedef simd::Real<W> R;
    const R z = (y - eta) * at.inverse, size = z < 0.0 ? -z : z;
    R tail = z * z * (1.0 / df);
    bool overflows = false;
    if constexpr (W == 1) overflows = tail > 1e290;
    simd::log1p_in_place<W>(tail);
    if (overflows) {
      tail = size;
      simd::log_in_place<W>(tail);
      tail = 2.0 * tail - std::log(df);
    }
    f = at.offset - 0.5 * (df + 1.0) * tail;
    // The pull of a record falls as 1/z: heavy tails bound it.
    const R near = z / (df + z * z), far = 1.0 / (df / z + z);
    d_eta = (df + 1.0) * (size > 1.0 ? far : near) * at.inverse;
    const R share = 1.0 / (1.0 + df / (z * z));  // z^2/(df + z^2)
    d_extra[0] = ((df + 1.0) * share - 1.0) * at.inverse;
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
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_STUDENT_T_HPP
