// Independent draws of a few parameters without a Markov chain. Cells are split
// where mass is, or may be, until the density hardly varies within any that
// counts; a draw takes a cell by its mass and a point in it by rejection.
// Modes, plateaus and ridges far from each other are nothing special, which
// clipped likelihoods have and chains get lost in.
#ifndef PSEUDOSYNTH_SAMPLER_ADAPTIVE_GRID_HPP
#define PSEUDOSYNTH_SAMPLER_ADAPTIVE_GRID_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"
#include "grid_cells.hpp"
#include "grid_constants.hpp"

namespace pseudosynth {

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
  long tried = 0, above = 0, given_up = 0;
  double excess = 0.0;
};

class AdaptiveGrid {
 public:
  using LogDensity = GridCells::LogDensity;
  using Stop = GridCells::Stop;

  /// @param log_density up to a constant; -Inf where there is no mass.
  /// @param seeds points near which there may be narrow modes; the cells that
  ///   hold them are split until nothing varies, whatever the others are.
  /// @param stop asked now and then; true gives up: interrupted() tells.
  AdaptiveGrid(const std::vector<GridAxis>& axes, LogDensity log_density,
               const std::vector<Vector>& seeds = {},
               const GridTuning& tuning = {}, const Stop& stop = {})
      : grid_(axes, std::move(log_density), stop),
        d_(grid_.dimension()),
        tuning_(tuning) {
    for (const Vector& seed : seeds) follow(seed);
    refine();
    finish();
  }

  bool interrupted() const { return grid_.interrupted(); }
  std::size_t n_cells() const { return grid_.cells().size(); }
  /// Share of the mass in cells that could not be split as far as wanted.
  double unresolved() const { return unresolved_; }
  /// Shares of the mass in the cells at the lower and the upper end of each
  /// axis: what lies beyond is left out.
  std::vector<double> at_ends() const {
    std::vector<double> out(2 * static_cast<std::size_t>(d_), 0.0);
    const double total = grid_.log_mass();
    for (const GridCells::Cell& cell : grid_.cells()) {
      const double share =
          std::exp(cell.value + grid_.log_volume(cell) - total);
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
      const Cell& cell = grid_.cells()[std::min<std::size_t>(
          static_cast<std::size_t>(found - cumulative_.begin()),
          grid_.cells().size() - 1)];
      double log_slopes = 0.0;
      for (int j = 0; j < d_; ++j) {
        double slope;
        const double t =
            cell.low[j] + rng.uniform() * (cell.high[j] - cell.low[j]);
        point[j] = grid_.axis(j).at(t, slope);
        log_slopes += slope;
      }
      ++tally.tried;
      const double excess = log_density(point) + log_slopes - envelope(cell);
      if (excess > 0.0) {
        ++tally.above;
        tally.excess = std::max(tally.excess, excess);
      }
      if (std::log(rng.uniform()) < excess) return point;
      if (tries == GridConstants::kMostTries ||
          tally.given_up >= GridConstants::kMostGivenUp) {
        ++tally.given_up;
        return point;
      }
    }
  }

 private:
  using Cell = GridCells::Cell;
  using Unit = GridCells::Unit;

  struct Entry {
    double potential;
    std::size_t cell;
    bool operator<(const Entry& other) const {
      return potential < other.potential;
    }
  };

  /// What the log density may reach in the cell, as far as its neighbours tell.
  double envelope(const Cell& cell) const {
    return cell.value + 0.5 * grid_.variation(cell) + GridConstants::kHeadroom;
  }
  double potential(const Cell& cell) const {
    return envelope(cell) + grid_.log_volume(cell);
  }

  /// Tells wide cells what their neighbours have found: how much the density
  /// varies across a cell is known from its own past only, which an edge may
  /// have passed by.
  /// @return were there any to split?
  bool ask_neighbours(std::priority_queue<Entry>& queue, double least) {
    bool any = false;
    for (std::size_t i = 0; i < grid_.cells().size(); ++i) {
      const Cell cell = grid_.cells()[i];
      if (potential(cell) < least) continue;
      Unit middle{};
      for (int j = 0; j < d_; ++j)
        middle[j] = 0.5 * (cell.low[j] + cell.high[j]);
      for (int j = 0; j < d_; ++j) {
        const double hair = GridConstants::kHair * (cell.high[j] - cell.low[j]);
        for (const double t : {cell.low[j] - hair, cell.high[j] + hair}) {
          if (!(t > 0.0 && t < 1.0)) continue;
          Unit beyond = middle;
          beyond[j] = t;
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
    for (int depth = 0; depth < GridConstants::kMostHalvings * d_; ++depth) {
      const std::size_t index = grid_.find(beyond);
      Cell& other = grid_.cells()[index];
      const double gap = cell.value - other.value;
      if (0.5 * grid_.variation(other) + tuning_.max_variation >= gap)
        return any;
      int axis = -1;
      double most = GridConstants::kWider;
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
        other.vary[face] += 2.0 * gap - grid_.variation(other);
        queue.push({potential(other), index});
        return any;
      }
      const std::size_t half = grid_.split(index, axis);
      push(queue, index);
      push(queue, half);
    }
    return any;
  }

  /// Splits the cell that holds a point until it hardly varies.
  void follow(const Vector& seed) {
    if (seed.size() != d_ || !seed.allFinite()) return;
    Unit t{};
    for (int j = 0; j < d_; ++j) {
      t[j] = grid_.axis_t(j, seed[j]);
      if (!(t[j] > 0.0 && t[j] < 1.0)) return;
    }
    std::size_t index = grid_.find(t);
    // What the cell's middle has to come near to: wide cells see no spike
    double there = grid_.log_density(seed);
    for (int j = 0; j < d_; ++j) {
      double slope;
      grid_.axis(j).at(t[j], slope);
      there += slope;
    }
    for (int depth = 0; depth < GridConstants::kMostHalvings * d_; ++depth) {
      const Cell& cell = grid_.cells()[index];
      if (grid_.variation(cell) < tuning_.max_variation &&
          !(there > cell.value + tuning_.max_variation))
        break;
      grid_.split(index);
      index = grid_.find(t);
    }
  }

  void refine() {
    std::priority_queue<Entry> queue;
    for (std::size_t i = 0; i < grid_.cells().size(); ++i) push(queue, i);
    const std::size_t most = std::max<std::size_t>(
        static_cast<std::size_t>(tuning_.max_cells), 2 * grid_.cells().size());
    // A narrow plateau is followed from cell to cell, one a round
    for (int round = 0; round < GridConstants::kRounds; ++round) {
      split_all(queue, most);
      if (grid_.interrupted() || grid_.cells().size() >= most) return;
      if (!ask_neighbours(queue, least_potential())) return;
    }
    split_all(queue, most);
  }

  double least_potential() const {
    return grid_.log_mass() + std::log(tuning_.min_share);
  }

  void split_all(std::priority_queue<Entry>& queue, std::size_t most) {
    double least = least_potential();
    for (std::size_t step = 1; !queue.empty() && grid_.cells().size() < most;
         ++step) {
      const Entry top = queue.top();
      if (top.potential < least) break;
      queue.pop();
      // Asked for twice, split once
      if (top.potential != potential(grid_.cells()[top.cell])) continue;
      const std::size_t other = grid_.split(top.cell);
      push(queue, top.cell);
      push(queue, other);
      if (step % GridConstants::kSummed == 0) least = least_potential();
      if (grid_.stopped(step)) return;
    }
  }

  void push(std::priority_queue<Entry>& queue, std::size_t index) const {
    const Cell& cell = grid_.cells()[index];
    if (grid_.variation(cell) <= tuning_.max_variation ||
        cell.value <= GridCells::kNoMass)
      return;
    queue.push({potential(cell), index});
  }

  void finish() {
    if (grid_.interrupted()) return;
    const double total = grid_.log_mass();
    if (!(total > GridCells::kNoMass / 2))
      throw std::domain_error("The posterior has no mass on the grid.");
    cumulative_.resize(grid_.cells().size());
    double sum = 0.0;
    for (std::size_t i = 0; i < grid_.cells().size(); ++i) {
      const Cell& cell = grid_.cells()[i];
      const double share = std::exp(potential(cell) - total);
      sum += share;
      cumulative_[i] = sum;
      if (grid_.variation(cell) > 2.0 * tuning_.max_variation)
        unresolved_ += share;
    }
    unresolved_ /= sum;
  }

  GridCells grid_;
  int d_;
  GridTuning tuning_;
  std::vector<double> cumulative_;
  double unresolved_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_ADAPTIVE_GRID_HPP
