// Student-t densities over a tile of draws.
#ifndef PSEUDOSYNTH_KERNEL_STUDENT_T_TILE_HPP
#define PSEUDOSYNTH_KERNEL_STUDENT_T_TILE_HPP

#include "../family/student_t.hpp"
#include "tile_parts.hpp"

namespace pseudosynth {
namespace detail {

/// `unfinite` becomes NaN where some f is not finite.
template <int W>
PSEUDOSYNTH_INLINE void student_t_draws_kernel(double y, double df,
                                               const double* eta,
                                               const double* offset,
                                               const double* inv_sigma,
                                               double* f, double& unfinite) {
  typedef simd::Real<W> R;
  const double power = -0.5 * (df + 1.0), inv_df = 1.0 / df;
  R check{};
  for (int l = 0; l < kDrawTile; l += W) {
    R z, c, inverse;
    simd::load<W>(eta + l, z);
    simd::load<W>(offset + l, c);
    simd::load<W>(inv_sigma + l, inverse);
    z = (y - z) * inverse;
    R tail = z * z * inv_df;
    simd::log1p_in_place<W>(tail);
    c += power * tail;
    check += c - c;
    simd::store<W>(c, f + l);
  }
  unfinite = simd::sum<W>(check);
}
PSEUDOSYNTH_DISPATCH(student_t_draws,
                     (double y, double df, const double* eta,
                      const double* offset, const double* inv_sigma, double* f,
                      double& unfinite),
                     (y, df, eta, offset, inv_sigma, f, unfinite))

}  // namespace detail

template <>
class TileDensity<StudentT> : public ScalarTile<StudentT> {
 public:
  TileDensity(const StudentT& family, const Records& records, CellRange cells)
      : ScalarTile(family, records, cells),
        offset_(kDrawTile),
        inv_sigma_(kDrawTile) {}

  void load(const DrawMatrix& draws, int first) {
    ScalarTile::load(draws, first);
    for (std::size_t l = 0; l < at_.size(); ++l) {
      offset_[l] = at_[l].offset;
      inv_sigma_[l] = at_[l].inverse;
    }
  }

  void log_lik(int cell, double* f) {
    double unfinite;
    detail::student_t_draws(records_->cell_response(cell), family_.df, eta_,
                            offset_.data(), inv_sigma_.data(), f, unfinite);
    // A residual whose square overflows still has a density.
    if (unfinite != 0.0) ScalarTile::log_lik(cell, f);
  }

 private:
  simd::AlignedBuffer offset_, inv_sigma_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_STUDENT_T_TILE_HPP
