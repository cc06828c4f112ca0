// The mixture's log-likelihood over a tile of draws.
#ifndef PSEUDOSYNTH_KERNEL_MIXTURE_TILE_HPP
#define PSEUDOSYNTH_KERNEL_MIXTURE_TILE_HPP

#include <algorithm>
#include <cmath>

#include "../family/normal_mixture.hpp"
#include "../math.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "draw_tile.hpp"

namespace pseudosynth {
namespace detail {

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

/// @brief As ScalarTile, with K linear predictors.
class NormalMixtureTile {
 public:
  NormalMixtureTile(const NormalMixture& family, const Records& records,
                    CellRange)
      : K_(family.K), records_(&records) {
    const std::size_t size = static_cast<std::size_t>(K_) * kDrawTile;
    offset_.assign(size);
    inv_sigma_.assign(size);
    scratch_.assign(size);
  }

  int n_eta() const { return K_; }

  void load(const DrawMatrix& draws, int first) {
    const int extras = records_->design.n_columns() * K_;
    for (int l = 0; l < kDrawTile; ++l) {
      const int s = std::min(first + l, draws.S - 1);
      for (int k = 0; k < K_; ++k) {
        const double sigma = draws(s, extras + K_ + k);
        const std::size_t at = static_cast<std::size_t>(k) * kDrawTile + l;
        inv_sigma_[at] = 1.0 / sigma;
        offset_[at] =
            std::log(draws(s, extras + k)) - std::log(sigma) - kHalfLogTwoPi;
      }
    }
  }

  void row(const double* eta) { eta_ = eta; }

  void log_lik(int cell, double* f) {
    detail::mixture_draws(K_, records_->cell_response(cell), eta_,
                          offset_.data(), inv_sigma_.data(), scratch_.data(),
                          f);
  }

 private:
  int K_;
  const Records* records_;
  const double* eta_ = nullptr;
  simd::AlignedBuffer offset_, inv_sigma_, scratch_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_MIXTURE_TILE_HPP
