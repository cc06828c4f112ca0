// Binary responses with logit link.
#ifndef PSEUDOSYNTH_FAMILY_BERNOULLI_HPP
#define PSEUDOSYNTH_FAMILY_BERNOULLI_HPP

#include "../math.hpp"
#include "../rng.hpp"
#include "../simd_special.hpp"
#include "../transforms.hpp"
#include "forms.hpp"
#include "no_extras.hpp"

namespace pseudosynth {

/// @brief y in {0, 1}, P(y = 1) = 1/(1 + exp(-eta)); no extra parameter.
struct Bernoulli : NoExtras, RowForm<Bernoulli> {
  static constexpr int kStatistics = 2, kResponse = 2;

  template <int W>
  struct Draw {};
  using At = Draw<1>;
  At at(const double*) const { return At{}; }

  static void response(double y, double* r) {
    r[0] = y > 0.5 ? 1.0 : 0.0;
    r[1] = 1.0 - r[0];
  }
  static double constant(const double*) { return 0.0; }

  /// u = log P(1) and log P(0).
  template <int W>
  PSEUDOSYNTH_INLINE void row(const simd::Real<W>& eta, const Draw<W>&,
                              RowTerms<W, 2>& t) const {
    typedef simd::Real<W> R;
    const R zero{};
    R e = eta > zero ? -eta : eta;
    simd::exp_in_place<W>(e);
    const R far = 1.0 / (1.0 + e), near = e * far;
    simd::log1p_in_place<W>(e);
    t.value[0] = (eta > zero ? zero : eta) - e;
    t.value[1] = (eta > zero ? -eta : zero) - e;
    t.value[2] = zero;
    t.d_eta[0] = eta > zero ? near : far;
    t.d_eta[1] = -(eta > zero ? far : near);
    t.d_eta[2] = zero;
  }

  double simulate(Rng& rng, double eta, const At&) const {
    return rng.uniform() < inv_logit(eta) ? 1.0 : 0.0;
  }

  // Slopes of least squares on +-2 are near those of a logit away from 0, 1.
  double start_scale(double y) const { return y > 0.5 ? 2.0 : -2.0; }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_BERNOULLI_HPP
