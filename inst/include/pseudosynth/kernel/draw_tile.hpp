// A tile of posterior draws, and the log-likelihood of one record at all of
// them: the innermost loops of the streaming kernels, vectorised over draws.
#ifndef PSEUDOSYNTH_KERNEL_DRAW_TILE_HPP
#define PSEUDOSYNTH_KERNEL_DRAW_TILE_HPP

#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../simd.hpp"

namespace pseudosynth {

/// Draws as a column-major S x D matrix, one draw per row:
/// [ b (P * K) | extras ].
struct DrawMatrix {
  const double* data = nullptr;
  int S = 0;
  int D = 0;
  double operator()(int s, int d) const {
    return data[static_cast<std::size_t>(d) * S + s];
  }
};

/// Draws per tile; a multiple of every lane count.
constexpr int kDrawTile = 32;

namespace detail {

template <int W>
PSEUDOSYNTH_INLINE void add_columns_kernel(int n, const double* a,
                                           const double* b, double* out) {
  for (int l = 0; l < n; l += W) {
    simd::Real<W> x, y;
    simd::load<W>(a + l, x);
    simd::load<W>(b + l, y);
    simd::store<W>(x + y, out + l);
  }
}
PSEUDOSYNTH_DISPATCH(add_columns,
                     (int n, const double* a, const double* b, double* out),
                     (n, a, b, out))

template <int W>
PSEUDOSYNTH_INLINE void gaussian_draws_kernel(double y, const double* eta,
                                              const double* offset,
                                              const double* inv_sigma,
                                              double* f) {
  for (int l = 0; l < kDrawTile; l += W) {
    simd::Real<W> z, c, inverse;
    simd::load<W>(eta + l, z);
    simd::load<W>(offset + l, c);
    simd::load<W>(inv_sigma + l, inverse);
    z = (y - z) * inverse;
    simd::store<W>(c - 0.5 * z * z, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(gaussian_draws,
                     (double y, const double* eta, const double* offset,
                      const double* inv_sigma, double* f),
                     (y, eta, offset, inv_sigma, f))

template <int W>
PSEUDOSYNTH_INLINE void mixture_draws_kernel(int K, double y, const double* eta,
                                             const double* offset,
                                             const double* inv_sigma,
                                             double* scratch, double* f) {
  typedef simd::Real<W> R;
  for (int l = 0; l < kDrawTile; l += W) {
    R high;
    simd::fill<W>(-kInfinity, high);
    for (int k = 0; k < K; ++k) {
      R z, c, inverse;
      simd::load<W>(eta + k * kDrawTile + l, z);
      simd::load<W>(offset + k * kDrawTile + l, c);
      simd::load<W>(inv_sigma + k * kDrawTile + l, inverse);
      z = (y - z) * inverse;
      const R term = c - 0.5 * z * z;
      high = term > high ? term : high;
      simd::store<W>(term, scratch + k * W);
    }
    R sum, zero, nothing;
    simd::fill<W>(0.0, sum);
    simd::fill<W>(0.0, zero);
    simd::fill<W>(-kInfinity, nothing);
    // Where every term is -Inf so is f.
    const R base = high > nothing ? high : zero;
    for (int k = 0; k < K; ++k) {
      R term;
      simd::load<W>(scratch + k * W, term);
      term -= base;
      simd::exp_in_place<W>(term);
      sum += term;
    }
    simd::log_in_place<W>(sum);
    sum = high > nothing ? base + sum : nothing;
    simd::store<W>(sum, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(mixture_draws,
                     (int K, double y, const double* eta, const double* offset,
                      const double* inv_sigma, double* scratch, double* f),
                     (K, y, eta, offset, inv_sigma, scratch, f))

}  // namespace detail

/// The densities of one tile. `family_extras` of a draw: sigma for K = 0 (one
/// normal regression), else pi[1..K], sigma[1..K].
class TileDensity {
 public:
  /// @param K components of the mixture, 0 for a single normal regression.
  explicit TileDensity(int K) : K_(K) {
    const std::size_t size = static_cast<std::size_t>(n_eta()) * kDrawTile;
    offset_.assign(size);
    inv_sigma_.assign(size);
    scratch_.assign(size);
  }

  int n_eta() const { return K_ == 0 ? 1 : K_; }

  /// `first`: the first draw of the tile; the last draw is repeated beyond S.
  void load(const DrawMatrix& draws, int n_columns, int first) {
    const int extras = n_columns * n_eta();
    for (int l = 0; l < kDrawTile; ++l) {
      const int s = std::min(first + l, draws.S - 1);
      for (int k = 0; k < n_eta(); ++k) {
        const double sigma = draws(s, K_ == 0 ? extras : extras + K_ + k);
        const double log_pi = K_ == 0 ? 0.0 : std::log(draws(s, extras + k));
        const std::size_t at = static_cast<std::size_t>(k) * kDrawTile + l;
        inv_sigma_[at] = 1.0 / sigma;
        offset_[at] = log_pi - std::log(sigma) - kHalfLogTwoPi;
      }
    }
  }

  /// f (kDrawTile) of a record with response y; eta is n_eta x kDrawTile.
  void log_lik(double y, const double* eta, double* f) {
    if (K_ == 0)
      detail::gaussian_draws(y, eta, offset_.data(), inv_sigma_.data(), f);
    else
      detail::mixture_draws(K_, y, eta, offset_.data(), inv_sigma_.data(),
                            scratch_.data(), f);
  }

 private:
  int K_;
  simd::AlignedBuffer offset_, inv_sigma_, scratch_;
};

}  // namespace pseudosynth

#endif
