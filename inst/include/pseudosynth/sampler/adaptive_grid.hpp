// Independent draws of a few parameters without a Markov chain. Cells are split
// where mass is, or may be, until the density hardly varies within any that
// counts; a draw takes a cell by its mass and a point in it by rejection.
// Modes, plateaus and ridges far from each other are nothing special, which
// clipped likelihoods have and chains get lost in.
#ifndef PSEUDOSYNTH_SAMPLER_ADAPTIVE_GRID_HPP
#define PSEUDOSYNTH_SAMPLER_ADAPTIVE_GRID_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <stdexcept>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"

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

/// @brief How far cells are split.
struct GridTuning {
  int max_cells = 300000;
  /// Log density may vary by this much within a cell that counts.
  double max_variation = 0.6;
  /// Cells whose share of the mass may reach this count.
  double min_share = 1e-8;
};

/// @brief What rejection met. Points whose density lay above their cell's
/// envelope were drawn too seldom, by a factor of exp(excess) at most: none
/// means that draws are exact, up to mass in cells that nobody has seen.
/// Points taken without rejection, because none was accepted for long, are
/// given up: the grid does not resolve the density where it says that most mass
/// is.
struct GridTally {
  static constexpr int kMostTries = 5000, kMostGivenUp = 5;
  long tried = 0, above = 0, given_up = 0;
  double excess = 0.0;
};

class AdaptiveGrid {
 public:
  static constexpr int kMaxDimension = 3;
  using LogDensity = std::function<double(const Vector&)>;
  using Stop = std::function<bool()>;

  /// @param log_density up to a constant; -Inf where there is no mass.
  /// @param seeds points near which there may be narrow modes; the cells that
  ///   hold them are split until nothing varies, whatever the others are.
  /// @param stop asked now and then; true gives up: interrupted() tells.
  AdaptiveGrid(const std::vector<GridAxis>& axes, LogDensity log_density,
               const std::vector<Vector>& seeds = {},
               const GridTuning& tuning = {}, const Stop& stop = {})
      : axes_(axes),
        d_(static_cast<int>(axes.size())),
        density_(std::move(log_density)),
        tuning_(tuning),
        stop_(stop),
        point_(d_) {
    if (d_ < 1 || d_ > kMaxDimension)
      throw std::invalid_argument("a grid takes one to three parameters");
    lay();
    for (const Vector& seed : seeds) follow(seed);
    refine();
    finish();
  }

  bool interrupted() const { return interrupted_; }
  std::size_t n_cells() const { return cells_.size(); }
  /// Share of the mass in cells that could not be split as far as wanted.
  double unresolved() const { return unresolved_; }
  /// Shares of the mass in the cells at the lower and the upper end of each
  /// axis: what lies beyond is left out.
  std::vector<double> at_ends() const {
    std::vector<double> out(2 * static_cast<std::size_t>(d_), 0.0);
    const double total = log_mass();
    for (const Cell& cell : cells_) {
      const double share = std::exp(cell.value + log_volume(cell) - total);
      for (int j = 0; j < d_; ++j) {
        if (cell.low[j] == 0.0) out[2 * static_cast<std::size_t>(j)] += share;
        if (cell.high[j] == 1.0)
          out[2 * static_cast<std::size_t>(j) + 1] += share;
      }
    }
    return out;
  }
  /// One independent draw. Cells are only read: chains may share a grid, each
  /// with its own density and tally.
  /// @param log_density the one the grid was made with.
  Vector draw(Rng& rng, const LogDensity& log_density, GridTally& tally) const {
    Vector point(d_);
    for (int tries = 1;; ++tries) {
      const double u = rng.uniform() * cumulative_.back();
      const auto found =
          std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
      const Cell& cell = cells_[std::min<std::size_t>(
          static_cast<std::size_t>(found - cumulative_.begin()),
          cells_.size() - 1)];
      double log_slopes = 0.0;
      for (int j = 0; j < d_; ++j) {
        double slope;
        const double t =
            cell.low[j] + rng.uniform() * (cell.high[j] - cell.low[j]);
        point[j] = axes_[static_cast<std::size_t>(j)].at(t, slope);
        log_slopes += slope;
      }
      ++tally.tried;
      const double excess = log_density(point) + log_slopes - envelope(cell);
      if (excess > 0.0) {
        ++tally.above;
        tally.excess = std::max(tally.excess, excess);
      }
      if (std::log(rng.uniform()) < excess) return point;
      if (tries == GridTally::kMostTries ||
          tally.given_up >= GridTally::kMostGivenUp) {
        ++tally.given_up;
        return point;
      }
    }
  }

 private:
  struct Cell {
    std::array<double, kMaxDimension> low, high;
    std::array<double, kMaxDimension> vary;  // log density, across the cell
    double value;                            // at the middle, axes included
    int last;                                // axis of the last split
    int node;                                // in the tree that finds cells
  };
  /// Where a cell was split, or (axis < 0) which cell is here.
  struct Node {
    int axis;
    double middle;
    std::size_t low, high;  // nodes; low is the cell of a leaf
  };
  struct Entry {
    double potential;
    std::size_t cell;
    bool operator<(const Entry& other) const {
      return potential < other.potential;
    }
  };

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
  /// What the log density may reach in the cell, as far as its neighbours tell.
  double envelope(const Cell& cell) const {
    return cell.value + 0.5 * variation(cell) + 0.05;
  }
  double potential(const Cell& cell) const {
    return envelope(cell) + log_volume(cell);
  }

  double evaluate(Cell& cell) {
    double slopes = 0.0;
    for (int j = 0; j < d_; ++j) {
      double slope;
      point_[j] = axes_[static_cast<std::size_t>(j)].at(
          0.5 * (cell.low[j] + cell.high[j]), slope);
      slopes += slope;
    }
    const double value = density_(point_) + slopes;
    // No mass is a finite number here, so that differences are
    cell.value = value > kNoMass ? value : kNoMass;
    return cell.value;
  }

  int n_first() const { return d_ == 1 ? 2048 : d_ == 2 ? 128 : 32; }

  /// The first grid, and how its values vary between neighbours.
  void lay() {
    const int n = n_first();
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

  /// Halves the cell across the axis that varies most; now and then the others
  /// get their turn, since what they vary by is inherited.
  /// @return the index of the new cell; the old index holds the lower half.
  std::size_t split(std::size_t index) {
    const Cell& cell = cells_[index];
    int axis = 0;
    for (int j = 1; j < d_; ++j)
      if (cell.vary[j] > cell.vary[axis]) axis = j;
    if (axis == cell.last && d_ > 1 && ++repeats_ % 4 == 0)
      axis = (axis + 1 + static_cast<int>((repeats_ / 4) % (d_ - 1))) % d_;
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
    const double kept = 0.25 * low.vary[axis];
    // The parent's middle lies on the common face
    low.vary[axis] =
        std::max({across, kept, 2.0 * std::fabs(low.value - parent)});
    high.vary[axis] =
        std::max({across, kept, 2.0 * std::fabs(high.value - parent)});
    const std::size_t other = cells_.size(), at = nodes_.size();
    nodes_[static_cast<std::size_t>(low.node)] = {axis, middle, at, at + 1};
    nodes_.push_back({-1, 0.0, index, 0});
    nodes_.push_back({-1, 0.0, other, 0});
    low.node = static_cast<int>(at);
    high.node = static_cast<int>(at + 1);
    cells_[index] = low;
    cells_.push_back(high);
    return other;
  }

  using Unit = std::array<double, kMaxDimension>;

  /// The cell that holds a point of the unit cube.
  std::size_t find(const Unit& t) const {
    const int n = n_first();
    std::size_t at = 0, stride = 1;
    for (int j = 0; j < d_; ++j, stride *= static_cast<std::size_t>(n))
      at += stride *
            static_cast<std::size_t>(std::min(
                n - 1, static_cast<int>(t[static_cast<std::size_t>(j)] * n)));
    while (nodes_[at].axis >= 0) {
      const Node& node = nodes_[at];
      const bool above = t[static_cast<std::size_t>(node.axis)] > node.middle;
      at = above ? node.high : node.low;
    }
    return nodes_[at].low;
  }

  /// Tells wide cells what their neighbours have found: how much the density
  /// varies across a cell is known from its own past only, which an edge may
  /// have passed by.
  /// @return were there any to split?
  bool ask_neighbours(std::priority_queue<Entry>& queue, double least) {
    bool any = false;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell cell = cells_[i];
      if (potential(cell) < least) continue;
      Unit middle{};
      for (int j = 0; j < d_; ++j)
        middle[static_cast<std::size_t>(j)] =
            0.5 * (cell.low[j] + cell.high[j]);
      for (int j = 0; j < d_; ++j) {
        const double hair = 1e-9 * (cell.high[j] - cell.low[j]);
        for (const double t : {cell.low[j] - hair, cell.high[j] + hair}) {
          if (!(t > 0.0 && t < 1.0)) continue;
          Unit beyond = middle;
          beyond[static_cast<std::size_t>(j)] = t;
          any = meet(cell, beyond, j, queue) || any;
        }
      }
    }
    return any;
  }

  /// Splits the neighbour at a point beyond the face until it is as small as
  /// the cell or has as much: an edge between equals is one to look at.
  bool meet(const Cell& cell, const Unit& beyond, int face,
            std::priority_queue<Entry>& queue) {
    bool any = false;
    for (int depth = 0; depth < 50 * d_; ++depth) {
      const std::size_t index = find(beyond);
      Cell& other = cells_[index];
      const double gap = cell.value - other.value;
      if (0.5 * variation(other) + tuning_.max_variation >= gap) return any;
      int axis = -1;
      double most = 1.5;
      for (int j = 0; j < d_; ++j) {
        const double ratio =
            (other.high[j] - other.low[j]) / (cell.high[j] - cell.low[j]);
        if (ratio > most) {
          most = ratio;
          axis = j;
        }
      }
      any = true;
      if (axis < 0) {
        other.vary[face] += 2.0 * gap - variation(other);
        queue.push({potential(other), index});
        return any;
      }
      const std::size_t half = split(index, axis);
      push(queue, index);
      push(queue, half);
    }
    return any;
  }

  bool stopped(std::size_t step) {
    if (!stop_ || step % 256 != 0 || !stop_()) return interrupted_;
    return interrupted_ = true;
  }

  double axis_t(int j, double x) const {
    const GridAxis& axis = axes_[static_cast<std::size_t>(j)];
    const double low = axis.low_z();
    return (std::asinh((x - axis.centre) / axis.width) - low) /
           (axis.high_z() - low);
  }

  /// Splits the cell that holds a point until it hardly varies.
  void follow(const Vector& seed) {
    if (seed.size() != d_ || !seed.allFinite()) return;
    Unit t{};
    for (int j = 0; j < d_; ++j) {
      t[static_cast<std::size_t>(j)] = axis_t(j, seed[j]);
      if (!(t[static_cast<std::size_t>(j)] > 0.0 &&
            t[static_cast<std::size_t>(j)] < 1.0))
        return;
    }
    std::size_t index = find(t);
    // What the cell's middle has to come near to: wide cells see no spike
    double there = density_(seed);
    for (int j = 0; j < d_; ++j) {
      double slope;
      axes_[static_cast<std::size_t>(j)].at(t[static_cast<std::size_t>(j)],
                                            slope);
      there += slope;
    }
    for (int depth = 0; depth < 50 * d_; ++depth) {
      const Cell& cell = cells_[index];
      if (variation(cell) < tuning_.max_variation &&
          !(there > cell.value + tuning_.max_variation))
        break;
      split(index);
      index = find(t);
    }
  }

  void refine() {
    std::priority_queue<Entry> queue;
    for (std::size_t i = 0; i < cells_.size(); ++i) push(queue, i);
    const std::size_t most = std::max<std::size_t>(
        static_cast<std::size_t>(tuning_.max_cells), 2 * cells_.size());
    // A narrow plateau is followed from cell to cell, one a round
    for (int round = 0; round < 200; ++round) {
      split_all(queue, most);
      if (interrupted_ || cells_.size() >= most) return;
      if (!ask_neighbours(queue, least_potential())) return;
    }
    split_all(queue, most);
  }

  double least_potential() const {
    return log_mass() + std::log(tuning_.min_share);
  }

  void split_all(std::priority_queue<Entry>& queue, std::size_t most) {
    double least = least_potential();
    for (std::size_t step = 1; !queue.empty() && cells_.size() < most; ++step) {
      const Entry top = queue.top();
      if (top.potential < least) break;
      queue.pop();
      // Asked for twice, split once
      if (top.potential != potential(cells_[top.cell])) continue;
      const std::size_t other = split(top.cell);
      push(queue, top.cell);
      push(queue, other);
      if (step % 2048 == 0) least = least_potential();
      if (stopped(step)) return;
    }
  }

  void push(std::priority_queue<Entry>& queue, std::size_t index) const {
    const Cell& cell = cells_[index];
    if (variation(cell) <= tuning_.max_variation || cell.value <= kNoMass)
      return;
    queue.push({potential(cell), index});
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

  void finish() {
    if (interrupted_) return;
    const double total = log_mass();
    if (!(total > kNoMass / 2))
      throw std::domain_error("The posterior has no mass on the grid.");
    cumulative_.resize(cells_.size());
    double sum = 0.0;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const Cell& cell = cells_[i];
      const double share = std::exp(potential(cell) - total);
      sum += share;
      cumulative_[i] = sum;
      if (variation(cell) > 2.0 * tuning_.max_variation) unresolved_ += share;
    }
    unresolved_ /= sum;
  }

  static constexpr double kNoMass = -1e300;

  std::vector<GridAxis> axes_;
  int d_;
  LogDensity density_;
  GridTuning tuning_;
  Stop stop_;
  Vector point_;
  std::vector<Cell> cells_;
  std::vector<Node> nodes_;
  std::vector<double> cumulative_;
  double unresolved_ = 0.0;
  long repeats_ = 0;
  bool interrupted_ = false;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_ADAPTIVE_GRID_HPP
