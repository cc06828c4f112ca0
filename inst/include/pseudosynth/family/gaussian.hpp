// Normal errors: the shortest family. roles.hpp says what a family offers.
#ifndef PSEUDOSYNTH_FAMILY_GAUSSIAN_HPP
#define PSEUDOSYNTH_FAMILY_GAUSSIAN_HPP

#include <algorithm>
#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"
#include "forms.hpp"
#include "log_scale.hpp"

namespace pseudosynth {

/// @brief y ~ N(eta, sigma^2), sigma ~ half-t(3, 0, 1), u = log sigma.
struct Gaussian : LogScale, LaneForm<Gaussian> {
  static constexpr bool kLanesCheck = false;
  static constexpr bool kLeastSquares = true;

  template <int W>
  struct Draw {
    simd::Real<W> sigma, inverse, offset;
  };
  using At = Draw<1>;

  At at(const double* extra) const {
    return At{extra[0], 1.0 / extra[0], -std::log(extra[0]) - kHalfLogTwoPi};
  }

  template <int W>
  PSEUDOSYNTH_INLINE void density(const simd::Real<W>& y,
                                  const simd::Real<W>& eta, const Draw<W>& at,
                                  simd::Real<W>& f, simd::Real<W>& d_eta,
                                  simd::Real<W>* d_extra) const {
    const simd::Real<W> z = (y - eta) * at.inverse;
    f = at.offset - 0.5 * z * z;
    d_eta = z * at.inverse;
    d_extra[0] = (z * z - 1.0) * at.inverse;
  }

  double simulate(Rng& rng, double eta, const At& at) const {
    return eta + at.sigma * rng.normal();
  }

  void initial(double spread, Rng& rng, double* u) const {
    u[0] = std::log(std::max(spread, 1e-3)) + rng.uniform() - 0.5;
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_GAUSSIAN_HPP
