// Normal errors, and the model for every family of one linear predictor.
//
// A family is a small copyable type. Adding one means one header like this:
//
//   static constexpr int kExtras      E, extra parameters besides b
//   struct At; At at(extra)           what depends on the draw alone, formed
//                                     once for all records
//   log_lik(y, eta, at)               f of one record, unweighted
//   derivatives(y, eta, at, d_eta, d_extra)
//                                     returns f, sets df/d eta and df/d extra
//   simulate(rng, eta, at)            a draw of y
//   constrain(u, extra), unconstrain(extra, u)
//   log_prior(u, d_u)                 log prior of the extras with log |J|;
//                                     adds its gradient to d_u
//   adjoint(u, d_extra, d_u)          adds d extra / du * d_extra to d_u
//   start_scale(y)                    y on the scale of eta, roughly: starts
//   initial(spread, rng, u)           extras for a start; spread is the sd of
//                                     start_scale(y) around its fit
//
// No clamps: where f is -inf or NaN, it says so.
//
// That is all: samplers, bounds and synthesis then work, in this program or in
// another that includes the headers. registry.hpp gives the family a name.
// Where speed pays, the density is written in one of the forms of forms.hpp,
// from which log_lik() and derivatives() follow.
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
