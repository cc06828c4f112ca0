// The tile that suits what a family offers.
#ifndef PSEUDOSYNTH_KERNEL_TILE_DENSITY_HPP
#define PSEUDOSYNTH_KERNEL_TILE_DENSITY_HPP

#include <type_traits>

#include "../family/forms.hpp"
#include "categorical_tile.hpp"
#include "draw_tile.hpp"
#include "lane_tile.hpp"
#include "mixture_tile.hpp"
#include "row_tile.hpp"

namespace pseudosynth {
namespace detail {

template <class Family>
struct TileOf {
  using Type = std::conditional_t<
      kHasRowForm<Family>, RowTile<Family>,
      std::conditional_t<kHasLaneForm<Family>, LaneTile<Family>,
                         ScalarTile<Family>>>;
};
template <>
struct TileOf<NormalMixture> {
  using Type = NormalMixtureTile;
};

template <>
struct TileOf<Categorical> {
  using Type = CategoricalTile;
};

}  // namespace detail

/// @brief What stream_log_lik() uses; see ScalarTile.
template <class Family>
using TileDensity = typename detail::TileOf<Family>::Type;

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_KERNEL_TILE_DENSITY_HPP
