// A tile of draws for families with a LaneForm (see roles.hpp).
#ifndef PSEUDOSYNTH_KERNEL_LANE_TILE_HPP
#define PSEUDOSYNTH_KERNEL_LANE_TILE_HPP

#include "../family/forms.hpp"
#include "../records.hpp"
#include "../simd.hpp"
#include "draw_tile.hpp"
#include "tile_draws.hpp"

namespace pseudosynth {
namespace detail {

/// `unfinite` becomes NaN where some f is not finite and the family wants to
/// know.
template <int W, class Family>
PSEUDOSYNTH_INLINE void lane_tile_kernel(const Family& family, double y,
                                         const double* eta, const double* draws,
                                         double* f, double& unfinite) {
  typedef simd::Real<W> R;
  R response, check{};
  simd::broadcast<W>(y, response);
  for (int l = 0; l < kDrawTile; l += W) {
    R x, value, d_eta, d_extra[Family::kExtras + 1];
    typename Family::template Draw<W> at;
    load_draws<W, Family>(draws + l, kDrawTile, at);
    simd::load<W>(eta + l, x);
    family.template density<W>(response, x, at, value, d_eta, d_extra);
    if constexpr (Family::kLanesCheck) check += value - value;
    simd::store<W>(value, f + l);
  }
  unfinite = simd::sum<W>(check);
}
PSEUDOSYNTH_DISPATCH_FOR(lane_tile, (class Family), (Family),
                         (const Family& family, double y, const double* eta,
                          const double* draws, double* f, double& unfinite),
                         (family, y, eta, draws, f, unfinite))

}  // namespace detail

/// @brief As ScalarTile, in lanes over draws.
template <class Family>
class LaneTile {
 public:
  LaneTile(const Family& family, const Records& records, CellRange)
      : family_(family), records_(&records) {}

  static constexpr int n_eta() { return 1; }

  void load(const DrawMatrix& draws, int first) {
    draws_.load(family_, draws, first, records_->design.n_columns(),
                [](const typename Family::At&) {});
  }

  void row(const double* eta) { eta_ = eta; }

  void log_lik(int cell, double* f) {
    const double y = records_->cell_response(cell);
    double unfinite;
    detail::lane_tile<Family>(family_, y, eta_, draws_.data(), f, unfinite);
    if (Family::kLanesCheck && unfinite != 0.0)
      detail::lane_tile_kernel<1, Family>(family_, y, eta_, draws_.data(), f,
                                          unfinite);
  }

 private:
  Family family_;
  const Records* records_;
  detail::TileDraws<Family> draws_;
  const double* eta_ = nullptr;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_LANE_TILE_HPP
