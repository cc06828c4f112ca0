// Poisson counts with log link.
#ifndef PSEUDOSYNTH_FAMILY_POISSON_HPP
#define PSEUDOSYNTH_FAMILY_POISSON_HPP

#include <algorithm>
#include <cmath>

#include "../rng.hpp"
#include "../special.hpp"
#include "forms.hpp"
#include "no_extras.hpp"

namespace pseudosynth {

/// @brief y ~ Poisson(exp(eta)); no extra parameter. f = y eta - mu - log y! is
/// -Inf where mu = exp(eta) overflows and exact where it underflows.
struct Poisson : NoExtras, RowForm<Poisson> {
  static constexpr int kStatistics = 1, kResponse = 3;
  static constexpr bool kCancels = true;

  template <int W>
  struct Draw {};
  using At = Draw<1>;
  At at(const double*) const { return At{}; }

  static void response(double y, double* r) { count_response(y, r); }
  static double constant(const double* r) {
    return r[2] + r[0] - r[0] * r[1];  // -log y!
  }

  template <int W>
  PSEUDOSYNTH_INLINE void row(const simd::Real<W>& eta, const Draw<W>&,
                              RowTerms<W, 1>& t) const {
    simd::Real<W> mean = eta;
    simd::exp_in_place<W>(mean);
    t.value[0] = eta;
    t.value[1] = -mean;
    simd::fill<W>(1.0, t.d_eta[0]);
    t.d_eta[1] = -mean;
  }

  // Above this y eta - log y! loses digits.
  static bool response_splits(const double* r) { return r[0] <= 200.0; }
  static double anchor(const double* mean) { return std::max(mean[0], 1e-300); }

  template <int W>
  PSEUDOSYNTH_INLINE void exact(const simd::Real<W>* r,
                                const simd::Real<W>& eta, const Draw<W>&,
                                const simd::Real<W>* value,
                                simd::Real<W>& f) const {
    const simd::Real<W> mean = -value[1];
    poisson_entropy(r[0], r[1], mean, eta, f);
    f += r[2];
  }

  double simulate(Rng& rng, double eta, const At&) const {
    return rng.poisson(std::exp(eta));
  }

  double start_scale(double y) const { return std::log(y + 0.5); }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_POISSON_HPP
