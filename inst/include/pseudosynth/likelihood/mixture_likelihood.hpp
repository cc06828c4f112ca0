// sum_i g_i and its gradient for the mixture of normal regressions. The privacy
// weight multiplies the log of the sum over components, so the pseudo
// likelihood raises the marginal density to alpha_i, not the complete-data
// density.
#ifndef PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../records.hpp"
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

/// sum_i g_i and its gradient for the mixture. Holds the work space, so one
/// object serves one thread.
class NormalMixtureLikelihood {
 public:
  NormalMixtureLikelihood(const Records& records, int K)
      : records_(&records), K_(K), Kp_((K + 7) / 8 * 8) {
    const std::size_t P = static_cast<std::size_t>(records.design.n_columns());
    const std::size_t rows = static_cast<std::size_t>(records.design.n_rows());
    const std::size_t lanes = static_cast<std::size_t>(K) * detail::kTile;
    b_.assign((P + 1) * static_cast<std::size_t>(Kp_));
    d_b_.assign(b_.size());
    partial_.assign(static_cast<std::size_t>(records.design.n_factors() + 1) *
                    detail::kWidest);
    eta_.assign(rows * static_cast<std::size_t>(Kp_));
    d_eta_.assign(eta_.size());
    residual_.assign(lanes);
    scratch_.assign(lanes);
    weight_sum_.assign(lanes);
    square_sum_.assign(lanes);
    offset_.assign(static_cast<std::size_t>(K));
    inv_sigma_.assign(static_cast<std::size_t>(K));
  }

  /// sum_i g_i at (b, log_pi, sigma); b[j * K + k].
  double value(const double* b, const double* log_pi, const double* sigma) {
    return evaluate(b, log_pi, sigma, false);
  }

  /// The same, and adds the gradient to d_b (P x K), d_log_pi (K, with pi taken
  /// as free weights: sum_i alpha_i r_ik) and d_sigma (K).
  double gradient(const double* b, const double* log_pi, const double* sigma,
                  double* d_b, double* d_log_pi, double* d_sigma) {
    const double total = evaluate(b, log_pi, sigma, true);
    const int P = records_->design.n_columns();
    const int lanes = simd::lanes();
    for (int j = 0; j < P; ++j) {
      for (int k = 0; k < K_; ++k) {
        d_b[static_cast<std::size_t>(j) * K_ + k] +=
            d_b_[static_cast<std::size_t>(j) * Kp_ + k];
      }
    }
    for (int k = 0; k < K_; ++k) {
      for (int l = 0; l < lanes; ++l) {
        d_log_pi[k] += weight_sum_[static_cast<std::size_t>(k * lanes + l)];
        d_sigma[k] += square_sum_[static_cast<std::size_t>(k * lanes + l)] *
                      inv_sigma_[static_cast<std::size_t>(k)];
      }
    }
    return total;
  }

 private:
  double evaluate(const double* b, const double* log_pi, const double* sigma,
                  bool with_gradient) {
    const Records& records = *records_;
    const Design& design = records.design;
    const int P = design.n_columns(), N = records.size();
    for (int j = 0; j < P; ++j) {
      for (int k = 0; k < K_; ++k) {
        b_[static_cast<std::size_t>(j) * Kp_ + k] =
            b[static_cast<std::size_t>(j) * K_ + k];
      }
    }
    for (int k = 0; k < K_; ++k) {
      const std::size_t at = static_cast<std::size_t>(k);
      inv_sigma_[at] = 1.0 / sigma[k];
      offset_[at] = log_pi[k] - std::log(sigma[k]) - kHalfLogTwoPi;
    }
    detail::mixture_rows(design, b_.data(), Kp_, partial_.data(), eta_.data());
    if (with_gradient) {
      d_eta_.zero();
      d_b_.zero();
      weight_sum_.zero();
      square_sum_.zero();
    }

    alignas(64) double alpha[detail::kTile], f[detail::kTile],
        lower[detail::kTile], upper[detail::kTile], weight[detail::kTile];
    std::fill(lower, lower + detail::kTile, -kInfinity);
    std::fill(upper, upper + detail::kTile, kInfinity);
    detail::MixtureTile tile{K_,
                             offset_.data(),
                             inv_sigma_.data(),
                             residual_.data(),
                             scratch_.data(),
                             alpha,
                             lower,
                             upper,
                             f,
                             weight,
                             weight_sum_.data(),
                             square_sum_.data()};
    const std::vector<int>& row = design.row();
    double total = 0.0;
    for (int first = 0; first < N; first += detail::kTile) {
      const int n = std::min(detail::kTile, N - first);
      for (int l = 0; l < detail::kTile; ++l) {
        // Padding repeats the last record at weight 0.
        const std::size_t i =
            static_cast<std::size_t>(first + std::min(l, n - 1));
        const double* eta =
            eta_.data() + static_cast<std::size_t>(row[i]) * Kp_;
        const double y = records.y[i];
        alpha[l] = l < n ? records.alpha[i] : 0.0;
        double* residual = residual_.data() + l;
        if (alpha[l] == 0.0) {
          // Whatever f is there, the record contributes exactly 0.
          for (int k = 0; k < K_; ++k) residual[k * detail::kTile] = 0.0;
        } else {
          for (int k = 0; k < K_; ++k) residual[k * detail::kTile] = y - eta[k];
        }
        if (records.censor.active) {
          lower[l] = records.censor.lower + records.censor.centre[i];
          upper[l] = records.censor.upper + records.censor.centre[i];
        }
      }
      detail::mixture_tile(tile, with_gradient);
      for (int l = 0; l < n; ++l) {
        if (alpha[l] == 0.0) {
          total += records.contribution(first + l, 0.0);
        } else if (records.censor.active) {
          // A comparison with NaN is false: it becomes the lower end
          double bounded = f[l] >= lower[l] ? f[l] : lower[l];
          bounded = bounded > upper[l] ? upper[l] : bounded;
          total += bounded -
                   records.censor.centre[static_cast<std::size_t>(first + l)];
        } else {
          total += f[l];
        }
      }
      if (!with_gradient) continue;
      for (int l = 0; l < n; ++l) {
        if (alpha[l] == 0.0) continue;
        double* d_eta =
            d_eta_.data() +
            static_cast<std::size_t>(row[static_cast<std::size_t>(first + l)]) *
                Kp_;
        for (int k = 0; k < K_; ++k)
          d_eta[k] +=
              residual_[static_cast<std::size_t>(k * detail::kTile + l)];
      }
    }
    if (with_gradient)
      detail::mixture_rows_back(design, d_eta_.data(), Kp_, partial_.data(),
                                d_b_.data());
    return total;
  }

  const Records* records_;
  int K_;
  int Kp_;  // components padded to a multiple of every lane count
  simd::AlignedBuffer b_, d_b_, partial_, eta_, d_eta_, residual_, scratch_;
  simd::AlignedBuffer weight_sum_, square_sum_, offset_, inv_sigma_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_MIXTURE_LIKELIHOOD_HPP
