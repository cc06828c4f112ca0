// The multinomial logit's log-likelihood over a tile of draws.
#ifndef PSEUDOSYNTH_KERNEL_CATEGORICAL_TILE_HPP
#define PSEUDOSYNTH_KERNEL_CATEGORICAL_TILE_HPP

#include "../family/categorical.hpp"
#include "../records.hpp"
#include "../simd_special.hpp"
#include "draw_tile.hpp"

namespace pseudosynth {
namespace detail {

/// As LevelSum, for every draw of the tile.
template <int W>
PSEUDOSYNTH_INLINE void level_sums_kernel(int K, const double* eta,
                                          double* high, double* log_rest) {
  typedef simd::Real<W> R;
  for (int l = 0; l < kDrawTile; l += W) {
    R top, rest;
    simd::fill<W>(0.0, top);
    simd::fill<W>(0.0, rest);
    for (int k = 0; k < K - 1; ++k) {
      R line;
      simd::load<W>(eta + k * kDrawTile + l, line);
      R ratio = line > top ? top - line : line - top;
      simd::exp_in_place<W>(ratio);
      rest = line > top ? (1.0 + rest) * ratio : rest + ratio;
      top = line > top ? line : top;
    }
    simd::log1p_in_place<W>(rest);
    simd::store<W>(top, high + l);
    simd::store<W>(rest, log_rest + l);
  }
}
PSEUDOSYNTH_DISPATCH(level_sums,
                     (int K, const double* eta, double* high, double* log_rest),
                     (K, eta, high, log_rest))

}  // namespace detail

/// @brief As ScalarTile, with K - 1 linear predictors: the levels' sum is
/// worked out once for all cells of a row.
class CategoricalTile {
 public:
  CategoricalTile(const Categorical& family, const Records& records, CellRange)
      : K_(family.K), records_(&records), high_(kDrawTile), rest_(kDrawTile) {}

  int n_eta() const { return K_ - 1; }

  void load(const DrawMatrix&, int) {}

  void row(const double* eta) {
    eta_ = eta;
    detail::level_sums(K_, eta, high_.data(), rest_.data());
  }

  void log_lik(int cell, double* f) {
    const int level = static_cast<int>(records_->cell_response(cell));
    for (int l = 0; l < kDrawTile; ++l) {
      const double line = level == 0 ? 0.0 : eta_[(level - 1) * kDrawTile + l];
      f[l] = (line - high_[l]) - rest_[l];
    }
  }

 private:
  int K_;
  const Records* records_;
  const double* eta_ = nullptr;
  simd::AlignedBuffer high_, rest_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_CATEGORICAL_TILE_HPP
