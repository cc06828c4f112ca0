// Cells of a box and a log density at their middles: laid, split in halves and
// found again by a point.
#ifndef PSEUDOSYNTH_SAMPLER_GRID_CELLS_HPP
#define PSEUDOSYNTH_SAMPLER_GRID_CELLS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "grid_constants.hpp"

namespace pseudosynth {

/// @brief One axis: the unit interval to (lower, upper), finest at `centre`.
/// x = centre + width sinh(z), z linear in the unit interval.
struct GridAxis {
  double lower, upper, centre, width;

  double low_z() const { return std::asinh((lower - centre) / width); }
  double high_z() const { return std::asinh((upper - centre) / width); }
  /// @param[out] log_slope log dx/dt
  double at(double t, double& log_slope) const {
    const double low = low_z(), range = high_z() - low;
    const double z = low + t * range;
    log_slope = std::log(range * width * std::cosh(z));
    return centre + width * std::sinh(z);
  }
};

class GridCells {
 public:
  static constexpr int kMaxDimension = 3;
  using LogDensity = std::function<double(const Vector&)>;
  using Stop = std::function<bool()>;

  /// @param log_density up to a constant; -Inf where there is no mass.
  /// @param stop asked now and then; true gives up: interrupted() tells.
  GridCells(const std::vector<GridAxis>& axes, LogDensity log_density,
            const Stop& stop)
      : axes_(axes),
        d_(count_of(axes)),
        density_(std::move(log_density)),
        stop_(stop),
        point_(d_) {
    if (d_ < 1 || d_ > kMaxDimension)
      throw std::invalid_argument("a grid takes one to three parameters");
    lay();
  }

  struct Cell {
    std::array<double, kMaxDimension> low, high;
    std::array<double, kMaxDimension> vary;  // log density, across the cell
    double value;                            // at the middle, axes included
    int last;                                // axis of the last split
    int node;                                // in the tree that finds cells
  };
  using Unit = std::array<double, kMaxDimension>;
  static constexpr double kNoMass = -1e300;

  int dimension() const { return d_; }
  const GridAxis& axis(int j) const { return axes_[j]; }
  bool interrupted() const { return interrupted_; }
  std::vector<Cell>& cells() { return cells_; }
  const std::vector<Cell>& cells() const { return cells_; }
  double log_density(const Vector& at) { return density_(at); }

  double log_volume(const Cell& cell) const {
    double sum = 0.0;
    for (int j = 0; j < d_; ++j) sum += std::log(cell.high[j] - cell.low[j]);
    return sum;
  }
  double variation(const Cell& cell) const {
    double sum = 0.0;
    for (int j = 0; j < d_; ++j) sum += cell.vary[j];
    return sum;
  }
  double log_mass() const {
    double high = -kInfinity;
    for (const Cell& cell : cells_)
      high = std::max(high, cell.value + log_volume(cell));
    double total = 0.0;
    for (const Cell& cell : cells_)
      total += std::exp(cell.value + log_volume(cell) - high);
    return high + std::log(total);
  }

  /// Halves the cell across the axis that varies most; now and then the others
  /// get their turn, since what they vary by is inherited.
  /// @return the index of the new cell; the old index holds the lower half.
  std::size_t split(std::size_t index) {
    const Cell& cell = cells_[index];
    int axis = 0;
    for (int j = 1; j < d_; ++j)
      if (cell.vary[j] > cell.vary[axis]) axis = j;
    if (axis == cell.last && d_ > 1 &&
        ++repeats_ % GridConstants::kOthersTurn == 0)
      axis = (axis + 1 +
              static_cast<int>((repeats_ / GridConstants::kOthersTurn) %
                               (d_ - 1))) %
             d_;
    return split(index, axis);
  }

  std::size_t split(std::size_t index, int axis) {
    Cell low = cells_[index];
    const double parent = low.value;
    Cell high = low;
    const double middle = 0.5 * (low.low[axis] + low.high[axis]);
    low.high[axis] = high.low[axis] = middle;
    low.last = high.last = axis;
    evaluate(low);
    evaluate(high);
    const double across = std::fabs(high.value - low.value);
    const double kept = GridConstants::kInherited * low.vary[axis];
    // The parent's middle lies on the common face
    low.vary[axis] =
        std::max({across, kept, 2.0 * std::fabs(low.value - parent)});
    high.vary[axis] =
        std::max({across, kept, 2.0 * std::fabs(high.value - parent)});
    const std::size_t other = cells_.size(), at = nodes_.size();
    nodes_[low.node] = {axis, middle, at, at + 1};
    nodes_.push_back({-1, 0.0, index, 0});
    nodes_.push_back({-1, 0.0, other, 0});
    low.node = static_cast<int>(at);
    high.node = static_cast<int>(at + 1);
    cells_[index] = low;
    cells_.push_back(high);
    return other;
  }

  /// The cell that holds a point of the unit cube.
  std::size_t find(const Unit& t) const {
    const int n = GridConstants::n_first(d_);
    std::size_t at = 0, stride = 1;
    for (int j = 0; j < d_; ++j, stride *= static_cast<std::size_t>(n))
      at += stride * static_cast<std::size_t>(
                         std::min(n - 1, static_cast<int>(t[j] * n)));
    while (nodes_[at].axis >= 0) {
      const Node& node = nodes_[at];
      const bool above = t[node.axis] > node.middle;
      at = above ? node.high : node.low;
    }
    return nodes_[at].low;
  }

  double axis_t(int j, double x) const {
    const GridAxis& axis = axes_[j];
    const double low = axis.low_z();
    return (std::asinh((x - axis.centre) / axis.width) - low) /
           (axis.high_z() - low);
  }

  bool stopped(std::size_t step) {
    if (!stop_ || step % GridConstants::kAsked != 0 || !stop_())
      return interrupted_;
    return interrupted_ = true;
  }

 private:
  /// Where a cell was split, or (axis < 0) which cell is here.
  struct Node {
    int axis;
    double middle;
    std::size_t low, high;  // nodes; low is the cell of a leaf
  };

  double evaluate(Cell& cell) {
    double slopes = 0.0;
    for (int j = 0; j < d_; ++j) {
      double slope;
      point_[j] = axes_[j].at(0.5 * (cell.low[j] + cell.high[j]), slope);
      slopes += slope;
    }
    const double value = density_(point_) + slopes;
    // No mass is a finite number here, so that differences are
    cell.value = value > kNoMass ? value : kNoMass;
    return cell.value;
  }

  /// The first grid, and how its values vary between neighbours.
  void lay() {
    const int n = GridConstants::n_first(d_);
    std::size_t total = 1;
    for (int j = 0; j < d_; ++j) total *= static_cast<std::size_t>(n);
    cells_.resize(total);
    nodes_.resize(total);
    for (std::size_t i = 0; i < total; ++i) {
      Cell& cell = cells_[i];
      std::size_t rest = i;
      for (int j = 0; j < d_; ++j) {
        const double k =
            static_cast<double>(rest % static_cast<std::size_t>(n));
        rest /= static_cast<std::size_t>(n);
        cell.low[j] = k / n;
        cell.high[j] = (k + 1.0) / n;
        cell.vary[j] = 0.0;
      }
      cell.last = d_ - 1;
      cell.node = static_cast<int>(i);
      nodes_[i] = {-1, 0.0, i, 0};
      evaluate(cell);
      if (stopped(i)) return;
    }
    std::size_t stride = 1;
    for (int j = 0; j < d_; ++j, stride *= static_cast<std::size_t>(n)) {
      for (std::size_t i = 0; i < total; ++i) {
        if ((i / stride) % static_cast<std::size_t>(n) == 0) continue;
        Cell &here = cells_[i], &before = cells_[i - stride];
        const double gap = std::fabs(here.value - before.value);
        here.vary[j] = std::max(here.vary[j], gap);
        before.vary[j] = std::max(before.vary[j], gap);
      }
    }
  }

  std::vector<GridAxis> axes_;
  int d_;
  LogDensity density_;
  Stop stop_;
  Vector point_;
  std::vector<Cell> cells_;
  std::vector<Node> nodes_;
  long repeats_ = 0;
  bool interrupted_ = false;
};

}  // namespace pseudosynth

#endif
