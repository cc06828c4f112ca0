// The draws of a tile as a family's forms read them.
#ifndef PSEUDOSYNTH_KERNEL_TILE_DRAWS_HPP
#define PSEUDOSYNTH_KERNEL_TILE_DRAWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "../family/forms.hpp"
#include "../roles.hpp"
#include "../simd.hpp"
#include "draw_tile.hpp"

namespace pseudosynth {
namespace detail {

/// Each field of Family::At at kDrawTile draws, fields one after another.
template <class Family>
class TileDraws {
  static_assert(role::OfFamily<Family>::kKept);

 public:
  TileDraws() : fields_(kFields * kDrawTile) {}

  /// Calls see(at) with every draw; the last is repeated beyond S.
  template <class See>
  void load(const Family& family, const DrawMatrix& draws, int first,
            int n_columns, See&& see) {
    double extra[Family::kExtras + 1] = {}, field[kFields + 1];
    for (int l = 0; l < kDrawTile; ++l) {
      const int s = std::min(first + l, draws.S - 1);
      for (int e = 0; e < Family::kExtras; ++e)
        extra[e] = draws(s, n_columns + e);
      const typename Family::At at = family.at(extra);
      std::memcpy(field, &at, kFields * sizeof(double));
      for (std::size_t k = 0; k < kFields; ++k)
        fields_[k * kDrawTile + static_cast<std::size_t>(l)] = field[k];
      see(at);
    }
  }

  const double* data() const { return fields_.data(); }

 private:
  static constexpr std::size_t kFields = kDrawFields<Family>;
  simd::AlignedBuffer fields_;
};

}  // namespace detail
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_TILE_DRAWS_HPP
