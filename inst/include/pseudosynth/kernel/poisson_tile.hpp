// Poisson densities over a tile of draws: the mean once per row.
#ifndef PSEUDOSYNTH_KERNEL_POISSON_TILE_HPP
#define PSEUDOSYNTH_KERNEL_POISSON_TILE_HPP

#include <cmath>
#include <vector>

#include "../family/poisson.hpp"
#include "tile_parts.hpp"

namespace pseudosynth {
namespace detail {

template <int W>
PSEUDOSYNTH_INLINE void poisson_row_kernel(const double* eta, double* mean,
                                           double& outside) {
  typedef simd::Real<W> R;
  R bad{};
  for (int l = 0; l < kDrawTile; l += W) {
    R x;
    simd::load<W>(eta + l, x);
    mark_outside<W>(x, bad);
    simd::exp_in_place<W>(x);
    simd::store<W>(x, mean + l);
  }
  outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH(poisson_row,
                     (const double* eta, double* mean, double& outside),
                     (eta, mean, outside))

/// f = y eta - mean - log y!
template <int W>
PSEUDOSYNTH_INLINE void small_count_kernel(double y, double constant,
                                           const double* eta,
                                           const double* mean, double* f) {
  for (int l = 0; l < kDrawTile; l += W) {
    simd::Real<W> x, mu;
    simd::load<W>(eta + l, x);
    simd::load<W>(mean + l, mu);
    simd::store<W>(y * x - mu + constant, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(small_count,
                     (double y, double constant, const double* eta,
                      const double* mean, double* f),
                     (y, constant, eta, mean, f))

/// f = y h(mean/y - 1) + constant, h(x) = log(1 + x) - x, by its definition
/// away from 0.
template <int W>
PSEUDOSYNTH_INLINE void large_count_kernel(double y, double log_y,
                                           double constant, const double* eta,
                                           const double* mean, double* f) {
  typedef simd::Real<W> R;
  for (int l = 0; l < kDrawTile; l += W) {
    R x, mu;
    simd::load<W>(eta + l, x);
    simd::load<W>(mean + l, mu);
    const R u = (mu - y) / y;
    R near = u;
    log1p_minus_in_place<W>(near);
    near *= y;
    const R far = y * (x - log_y) - (mu - y);
    R entropy = u > 0.4 ? far : near;
    entropy = u < -0.4 ? far : entropy;
    simd::store<W>(entropy + constant, f + l);
  }
}
PSEUDOSYNTH_DISPATCH(large_count,
                     (double y, double log_y, double constant,
                      const double* eta, const double* mean, double* f),
                     (y, log_y, constant, eta, mean, f))

}  // namespace detail

template <>
class TileDensity<Poisson> : public ScalarTile<Poisson> {
 public:
  TileDensity(const Poisson& family, const Records& records, CellRange cells)
      : ScalarTile(family, records, cells),
        first_cell_(cells.first),
        mean_(kDrawTile) {
    for (int c = first_cell_; c < cells.last; ++c) {
      const double y = records.cell_response(c);
      constant_.push_back(y > kLarge ? count_constant(y) : -log_gamma(y + 1.0));
    }
  }

  void row(const double* eta) {
    ScalarTile::row(eta);
    detail::poisson_row(eta, mean_.data(), outside_);
  }

  void log_lik(int cell, double* f) {
    if (outside_ != 0.0) return ScalarTile::log_lik(cell, f);
    const double y = records_->cell_response(cell);
    const double constant =
        constant_[static_cast<std::size_t>(cell - first_cell_)];
    if (y > kLarge)
      detail::large_count(y, std::log(y), constant, eta_, mean_.data(), f);
    else
      detail::small_count(y, constant, eta_, mean_.data(), f);
  }

 private:
  // Above this y eta - log y! loses digits.
  static constexpr double kLarge = 200.0;

  int first_cell_;
  simd::AlignedBuffer mean_;
  std::vector<double> constant_;
  double outside_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_POISSON_TILE_HPP
