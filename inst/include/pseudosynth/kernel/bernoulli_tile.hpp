// Bernoulli densities over a tile of draws: both responses once per row.
#ifndef PSEUDOSYNTH_KERNEL_BERNOULLI_TILE_HPP
#define PSEUDOSYNTH_KERNEL_BERNOULLI_TILE_HPP

#include <algorithm>

#include "../family/bernoulli.hpp"
#include "tile_parts.hpp"

namespace pseudosynth {
namespace detail {

/// log P(y = 0) and log P(y = 1).
template <int W>
PSEUDOSYNTH_INLINE void bernoulli_row_kernel(const double* eta, double* zero,
                                             double* one, double& outside) {
  typedef simd::Real<W> R;
  R bad{};
  const R nil{};
  for (int l = 0; l < kDrawTile; l += W) {
    R x;
    simd::load<W>(eta + l, x);
    mark_outside<W>(x, bad);
    R soft = x > nil ? -x : x;
    simd::exp_in_place<W>(soft);
    simd::log1p_in_place<W>(soft);
    simd::store<W>(-soft - (x > nil ? x : nil), zero + l);
    simd::store<W>(-soft + (x > nil ? nil : x), one + l);
  }
  outside = simd::sum<W>(bad);
}
PSEUDOSYNTH_DISPATCH(bernoulli_row,
                     (const double* eta, double* zero, double* one,
                      double& outside),
                     (eta, zero, one, outside))

}  // namespace detail

template <>
class TileDensity<Bernoulli> : public ScalarTile<Bernoulli> {
 public:
  TileDensity(const Bernoulli& family, const Records& records, CellRange cells)
      : ScalarTile(family, records, cells), zero_(kDrawTile), one_(kDrawTile) {}

  void row(const double* eta) {
    ScalarTile::row(eta);
    detail::bernoulli_row(eta, zero_.data(), one_.data(), outside_);
  }

  void log_lik(int cell, double* f) {
    if (outside_ != 0.0) return ScalarTile::log_lik(cell, f);
    const double* from =
        records_->cell_response(cell) > 0.5 ? one_.data() : zero_.data();
    std::copy(from, from + kDrawTile, f);
  }

 private:
  simd::AlignedBuffer zero_, one_;
  double outside_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_BERNOULLI_TILE_HPP
