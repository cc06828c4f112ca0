// Values along lines between the points of a grid.
#ifndef PSEUDOSYNTH_COLUMNS_LINES_HPP
#define PSEUDOSYNTH_COLUMNS_LINES_HPP

#include <algorithm>
#include <cstddef>

namespace pseudosynth {

/// A place on an ascending grid of n > 1 points; beyond its ends the end is
/// taken.
struct Place {
  std::size_t left;
  double share;

  Place(const double* grid, std::size_t n, double x) {
    x = std::min(std::max(x, grid[0]), grid[n - 1]);
    left = static_cast<std::size_t>(
        std::upper_bound(grid + 1, grid + n - 1, x) - grid - 1);
    share = (x - grid[left]) / (grid[left + 1] - grid[left]);
  }

  double along(const double* values) const {
    return values[left] + share * (values[left + 1] - values[left]);
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMNS_LINES_HPP
