// The passes of MixtureMetric, in single precision with the components in
// lanes, Kp of them. A lower triangle lies row by row, one vector of components
// per element.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_METRIC_PASS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_METRIC_PASS_HPP

#include <cmath>
#include <cstddef>

#include "../../simd_float.hpp"

namespace pseudosynth {
namespace detail {

/// The first element of row i of a triangle, beyond int for many coefficients
/// and components.
inline constexpr std::size_t triangle_row(int i) {
  return static_cast<std::size_t>(i) * (static_cast<std::size_t>(i) + 1) / 2;
}

struct MixtureMetricPass {
  int P;
  int Kp;
  const float* gram;       // P x P lower triangle, one number per element
  const float* prior;      // P
  const float* precision;  // Kp
  float* scale;            // P x Kp, out
  float* inverse;          // triangle, out
};

/// Cholesky's factor of precision gram + diag(prior), rows and columns scaled
/// to a diagonal of 1, then its inverse in place.
template <int W>
PSEUDOSYNTH_INLINE void metric_factor_kernel(const MixtureMetricPass& p) {
  constexpr int L = W < 4 ? 4 : 8;
  typedef simd::Floats<L> R;
  // A pivot that rounding took away counts as this.
  constexpr float kSmallest = 1e-6f;
  const int Kp = p.Kp;
  for (int l = 0; l < Kp; l += L) {
    R precision, x, y;
    simd::load_floats<L>(p.precision + l, precision);
    for (int i = 0; i < p.P; ++i) {
      const float* gram = p.gram + triangle_row(i);
      float* row = p.inverse + triangle_row(i) * Kp + l;
      R own = precision * gram[i] + p.prior[i];
      for (int lane = 0; lane < L; ++lane)
        own[lane] = 1.0f / std::sqrt(own[lane]);
      simd::store_floats<L>(own, p.scale + i * Kp + l);
      R pivot = 1.0f - R{};
      for (int j = 0; j < i; ++j) {
        const float* other = p.inverse + triangle_row(j) * Kp + l;
        simd::load_floats<L>(p.scale + j * Kp + l, x);
        R sum = precision * gram[j] * own * x;
        for (int q = 0; q < j; ++q) {
          simd::load_floats<L>(row + q * Kp, x);
          simd::load_floats<L>(other + q * Kp, y);
          sum -= x * y;
        }
        // The diagonal holds its reciprocal.
        simd::load_floats<L>(other + j * Kp, y);
        sum *= y;
        simd::store_floats<L>(sum, row + j * Kp);
        pivot -= sum * sum;
      }
      for (int lane = 0; lane < L; ++lane)
        pivot[lane] =
            1.0f / std::sqrt(pivot[lane] > kSmallest ? pivot[lane] : kSmallest);
      simd::store_floats<L>(pivot, row + i * Kp);
    }
    for (int i = 0; i < p.P; ++i) {
      float* row = p.inverse + triangle_row(i) * Kp + l;
      R pivot;
      simd::load_floats<L>(row + i * Kp, pivot);
      for (int j = 0; j < i; ++j) {
        R sum{};
        for (int q = j; q < i; ++q) {
          simd::load_floats<L>(row + q * Kp, x);
          simd::load_floats<L>(p.inverse + (triangle_row(q) + j) * Kp + l, y);
          sum -= x * y;
        }
        simd::store_floats<L>(sum * pivot, row + j * Kp);
      }
    }
  }
}
PSEUDOSYNTH_DISPATCH(metric_factor, (const MixtureMetricPass& p), (p))

/// x <- W' W x, W the triangle; `half` is work space, P x Kp.
template <int W>
PSEUDOSYNTH_INLINE void metric_apply_kernel(int P, int Kp,
                                            const float* triangle, float* half,
                                            float* x) {
  constexpr int L = W < 4 ? 4 : 8;
  typedef simd::Floats<L> R;
  for (int l = 0; l < Kp; l += L) {
    R w, to;
    for (int i = 0; i < P; ++i) {
      const float* row = triangle + triangle_row(i) * Kp + l;
      R sum{};
      for (int j = 0; j <= i; ++j) {
        simd::load_floats<L>(row + j * Kp, w);
        simd::load_floats<L>(x + j * Kp + l, to);
        sum += w * to;
      }
      simd::store_floats<L>(sum, half + i * Kp + l);
    }
    for (int i = 0; i < P; ++i) {
      const float* row = triangle + triangle_row(i) * Kp + l;
      R from, none{};
      simd::load_floats<L>(half + i * Kp + l, from);
      simd::store_floats<L>(none, x + i * Kp + l);
      for (int j = 0; j <= i; ++j) {
        simd::load_floats<L>(row + j * Kp, w);
        simd::load_floats<L>(x + j * Kp + l, to);
        simd::store_floats<L>(to + w * from, x + j * Kp + l);
      }
    }
  }
}
PSEUDOSYNTH_DISPATCH(metric_apply,
                     (int P, int Kp, const float* triangle, float* half,
                      float* x),
                     (P, Kp, triangle, half, x))

}  // namespace detail
}  // namespace pseudosynth

#endif
