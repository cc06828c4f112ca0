// Passes of the mixture's likelihood in lanes: over tiles of records, and over
// design rows from coefficients to linear predictors and back.
#ifndef PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_PASS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_PASS_HPP

#include <cstddef>

#include "../design/design.hpp"
#include "../math.hpp"
#include "../simd.hpp"

namespace pseudosynth {
namespace detail {

// Records are taken in tiles of this many; a multiple of every lane count.
constexpr int kTile = 16;

/// One tile: component-major arrays of K x kTile.
struct MixtureTile {
  int K;
  const double* offset;     // K: log pi_k - log sigma_k - log(2 pi)/2
  const double* inv_sigma;  // K
  double* residual;         // K x kTile: y - eta in; alpha r z / sigma out
  double* scratch;          // K x kTile
  const double* alpha;      // kTile, 0 for padding
  const double* lower;      // kTile clip bounds on alpha f
  const double* upper;
  double* f;           // kTile: alpha_i f_i before clipping, out
  double* weight;      // kTile: alpha_i / s_i, 0 where clipped
  double* weight_sum;  // K x lanes: sum of alpha r, accumulated
  double* square_sum;  // K x lanes: sum of alpha r (z^2 - 1), accumulated
};

template <int W>
PSEUDOSYNTH_INLINE void mixture_tile_kernel(const MixtureTile& t,
                                            bool with_gradient) {
  typedef simd::Real<W> R;
  for (int l = 0; l < kTile; l += W) {
    R high;
    simd::fill<W>(-kInfinity, high);
    for (int k = 0; k < t.K; ++k) {
      R z;
      simd::load<W>(t.residual + k * kTile + l, z);
      z = z * t.inv_sigma[k];
      const R term = t.offset[k] - 0.5 * z * z;
      simd::store<W>(term, t.scratch + k * kTile + l);
      high = term > high ? term : high;
      if (with_gradient) simd::store<W>(z, t.residual + k * kTile + l);
    }
    R sum, zero, nothing;
    simd::fill<W>(0.0, sum);
    simd::fill<W>(0.0, zero);
    simd::fill<W>(-kInfinity, nothing);
    // Where every term is -Inf so is f; the rest must not make it NaN.
    const R base = high > nothing ? high : zero;
    for (int k = 0; k < t.K; ++k) {
      R term;
      simd::load<W>(t.scratch + k * kTile + l, term);
      term -= base;
      simd::exp_in_place<W>(term);
      sum += term;
      if (with_gradient) simd::store<W>(term, t.scratch + k * kTile + l);
    }
    R log_sum = sum;
    simd::log_in_place<W>(log_sum);
    R alpha;
    simd::load<W>(t.alpha + l, alpha);
    const R f = alpha * (high > nothing ? base + log_sum : nothing);
    simd::store<W>(f, t.f + l);
    if (!with_gradient) continue;
    // Where the clip is active the contribution is flat.
    R lower, upper;
    simd::load<W>(t.lower + l, lower);
    simd::load<W>(t.upper + l, upper);
    R weight = alpha / sum;
    weight = f < lower ? zero : weight;
    weight = f > upper ? zero : weight;
    simd::store<W>(weight, t.weight + l);
  }
  if (!with_gradient) return;
  for (int k = 0; k < t.K; ++k) {
    R weight_sum, square_sum;
    simd::load<W>(t.weight_sum + k * W, weight_sum);
    simd::load<W>(t.square_sum + k * W, square_sum);
    for (int l = 0; l < kTile; l += W) {
      R r, z, weight;
      simd::load<W>(t.scratch + k * kTile + l, r);
      simd::load<W>(t.residual + k * kTile + l, z);
      simd::load<W>(t.weight + l, weight);
      r *= weight;
      const R rz = r * z;
      weight_sum += r;
      square_sum += rz * z - r;
      simd::store<W>(rz * t.inv_sigma[k], t.residual + k * kTile + l);
    }
    simd::store<W>(weight_sum, t.weight_sum + k * W);
    simd::store<W>(square_sum, t.square_sum + k * W);
  }
}
PSEUDOSYNTH_DISPATCH(mixture_tile, (const MixtureTile& t, bool with_gradient),
                     (t, with_gradient))

// Rows are sorted, so neighbours share their leading factors: `partial` keeps
// one sum per factor and row r goes on from the first factor that changed. Both
// directions cost two or three additions a row instead of one per factor.

/// Linear predictors of all rows with components in lanes. b is padded to Kp
/// components and one zero column; eta is n_rows x Kp; partial has
/// (n_factors + 1) x kWidest.
constexpr int kWidest = 8;

template <int W>
PSEUDOSYNTH_INLINE void mixture_rows_kernel(const Design& design,
                                            const double* b, int Kp,
                                            double* partial, double* eta) {
  typedef simd::Real<W> R;
  const int F = design.n_factors(), Q = design.n_numeric();
  for (int c = 0; c < Kp; c += W) {
    R total, column;
    simd::fill<W>(0.0, total);
    if (design.has_intercept()) simd::load<W>(b + c, total);
    simd::store<W>(total, partial);
    for (int r = 0; r < design.n_rows(); ++r) {
      const int* active = design.active_columns(r);
      int f = design.first_change(r);
      simd::load<W>(partial + f * kWidest, total);
      for (; f < F; ++f) {
        simd::load<W>(b + static_cast<std::size_t>(active[f]) * Kp + c, column);
        total += column;
        simd::store<W>(total, partial + (f + 1) * kWidest);
      }
      const double* x = design.numeric_values(r);
      for (int q = 0; q < Q; ++q) {
        simd::load<W>(
            b + static_cast<std::size_t>(design.numeric_column(q)) * Kp + c,
            column);
        total += x[q] * column;
      }
      simd::store<W>(total, eta + static_cast<std::size_t>(r) * Kp + c);
    }
  }
}
PSEUDOSYNTH_DISPATCH(mixture_rows,
                     (const Design& design, const double* b, int Kp,
                      double* partial, double* eta),
                     (design, b, Kp, partial, eta))

/// The transpose: d_b (padded) += X' d_eta.
template <int W>
PSEUDOSYNTH_INLINE void mixture_rows_back_kernel(const Design& design,
                                                 const double* d_eta, int Kp,
                                                 double* partial, double* d_b) {
  typedef simd::Real<W> R;
  const int F = design.n_factors(), Q = design.n_numeric();
  const int rows = design.n_rows();
  R zero;
  simd::fill<W>(0.0, zero);
  for (int c = 0; c < Kp; c += W) {
    for (int f = 0; f <= F; ++f) simd::store<W>(zero, partial + f * kWidest);
    for (int r = 0; r < rows; ++r) {
      R in, column;
      simd::load<W>(d_eta + static_cast<std::size_t>(r) * Kp + c, in);
      const double* x = design.numeric_values(r);
      for (int q = 0; q < Q; ++q) {
        double* out =
            d_b + static_cast<std::size_t>(design.numeric_column(q)) * Kp + c;
        simd::load<W>(out, column);
        simd::store<W>(column + x[q] * in, out);
      }
      // Sums of the factors that change after this row are complete.
      const int* active = design.active_columns(r);
      const int keep = r + 1 < rows ? design.first_change(r + 1) : 0;
      for (int f = F - 1; f >= keep; --f) {
        R sum;
        simd::load<W>(partial + (f + 1) * kWidest, sum);
        in += sum;
        simd::store<W>(zero, partial + (f + 1) * kWidest);
        double* out = d_b + static_cast<std::size_t>(active[f]) * Kp + c;
        simd::load<W>(out, column);
        simd::store<W>(column + in, out);
      }
      R sum;
      simd::load<W>(partial + keep * kWidest, sum);
      simd::store<W>(sum + in, partial + keep * kWidest);
    }
    if (design.has_intercept()) {
      R column, sum;
      simd::load<W>(d_b + c, column);
      simd::load<W>(partial, sum);
      simd::store<W>(column + sum, d_b + c);
    }
  }
}
PSEUDOSYNTH_DISPATCH(mixture_rows_back,
                     (const Design& design, const double* d_eta, int Kp,
                      double* partial, double* d_b),
                     (design, d_eta, Kp, partial, d_b))

}  // namespace detail
}  // namespace pseudosynth

#endif
