// Where the adaptive grid of a model lies: its modes, and how far out along
// each axis there may be mass.
#ifndef PSEUDOSYNTH_SAMPLER_GRID_SETUP_HPP
#define PSEUDOSYNTH_SAMPLER_GRID_SETUP_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"
#include "adaptive_grid.hpp"
#include "grid_constants.hpp"
#include "grid_target.hpp"
#include "penalised_mode.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

/// @brief The grid that the chains of one (model, seed) pair share.
class GridSetup {
 public:
  /// @param range how far sum_i g_i can move over all parameters: the widths of
  ///   the clipped intervals, +Inf where nothing is clipped.
  /// @param should_stop polled at evaluations of the model; may be empty.
  /// @throw Interrupted once should_stop returns true.
  GridSetup(std::unique_ptr<SurrogateModel> model, double range,
            std::uint64_t seed, const std::function<bool()>& should_stop)
      : target_(std::move(model)) {
    if (target_.model().size() > GridCells::kMaxDimension)
      throw std::invalid_argument("a grid takes one to three parameters");
    // Polls at every evaluation: with many records a grid's step takes long
    GridTarget local(std::make_unique<StoppableSurrogateModel>(target_.model(),
                                                               should_stop));
    Rng rng(seed, kStream);
    const std::vector<Vector> modes = find_modes(local, rng);
    const Vector best = *std::max_element(
        modes.begin(), modes.end(), [&](const Vector& a, const Vector& b) {
          return local.value_or_none(a) < local.value_or_none(b);
        });
    std::vector<GridAxis> axes = find_axes(local, best, range);
    for (int round = 0;; ++round) {
      grid_ = std::make_unique<AdaptiveGrid>(
          axes, [&](const Vector& theta) { return local.value_or_none(theta); },
          modes, GridTuning(), should_stop);
      if (grid_->interrupted()) throw Interrupted();
      beyond_ = widen(axes);
      if (beyond_ == 0.0 || round == GridConstants::kMostWidened) break;
    }
  }

  const AdaptiveGrid& grid() const { return *grid_; }
  /// Share of the mass in cells that could not be split as far as wanted, or
  /// at an end of the grid that could not be moved out as far as wanted.
  double unresolved() const { return grid_->unresolved() + beyond_; }
  GridTarget target() const { return target_.clone(); }
  const SurrogateModel& model() const { return target_.model(); }

 private:
  // A random stream of its own, far from those of chains.
  static constexpr std::uint64_t kStream = 0x671dULL << 32;

  /// Uphill from the middle of the data and from draws of the prior: modes that
  /// the first, coarse grid might not see.
  std::vector<Vector> find_modes(GridTarget& local, Rng& rng) const {
    SurrogateModel& model = local.model();
    const int P = model.n_columns(), n = model.size();
    SurrogatePenalty penalty{Vector(P), Vector(P)};
    for (int j = 0; j < P; ++j) {
      penalty.location[j] = target_.location(j);
      penalty.precision[j] =
          model.is_folded() ? 0.0 : 1.0 / square(target_.scale(j));
    }
    const Vector middle = model.start();
    std::vector<Vector> modes;
    for (int s = 0; s < GridConstants::kStarts; ++s) {
      Vector start = middle;
      for (int j = 0; s > 0 && j < n; ++j) {
        if (s % 2 == 0 && j < P)
          start[j] = target_.location(j) + target_.scale(j) * rng.normal();
        else
          start[j] += GridConstants::kStartSd * rng.normal();
      }
      find_mode(model, penalty, start);
      if (start.allFinite()) modes.push_back(start);
    }
    modes.push_back(middle);
    add_exact_fits(local, rng, modes);
    return modes;
  }

  /// The best of many coefficients that fit some records exactly, at all
  /// widths: clones have plateaus that no slope leads to.
  static void add_exact_fits(GridTarget& local, Rng& rng,
                             std::vector<Vector>& modes) {
    struct Found {
      double value;
      Vector theta;
    };
    const int P = local.model().n_columns(), n = local.model().size();
    if (n == P) return;
    std::vector<Found> found;
    for (int k = 0; k < GridConstants::kFits; ++k) {
      Vector theta = local.model().exact_fit(rng);
      Found best{-kInfinity, theta};
      for (double u = GridConstants::kNarrowest; u < GridConstants::kWidest;
           u += GridConstants::kWidths) {
        theta.tail(n - P).setConstant(u);
        const double value = local.value_or_none(theta);
        if (value > best.value) best = {value, theta};
      }
      if (std::isfinite(best.value)) found.push_back(best);
    }
    std::sort(found.begin(), found.end(),
              [](const Found& a, const Found& b) { return a.value > b.value; });
    int kept = 0;
    double last = kInfinity;
    for (const Found& one : found) {
      // Clones give the same again
      if (one.value == last) continue;
      last = one.value;
      modes.push_back(one.theta);
      if (++kept == GridConstants::kKept) break;
    }
  }

  /// Out along each axis until what the prior loses exceeds what the records
  /// could make up for, by far.
  static std::vector<GridAxis> find_axes(GridTarget& target, const Vector& best,
                                         double range) {
    const int P = target.model().n_columns();
    const bool bounded = std::isfinite(range);
    std::vector<GridAxis> axes;
    const double top =
        bounded ? target.log_prior(best) : target.value_or_none(best);
    for (int j = 0; j < best.size(); ++j) {
      const double unit = j < P ? target.scale(j) : 1.0;
      GridAxis axis;
      axis.centre = best[j];
      axis.width = GridConstants::kFinest * unit;
      for (const double side : {-1.0, 1.0}) {
        double step = unit;
        Vector at = best;
        for (int doubling = 0; doubling < GridConstants::kMostSteps;
             ++doubling, step *= GridConstants::kGrowth) {
          at[j] = best[j] + side * step;
          const double there =
              bounded ? target.log_prior(at) : target.value_or_none(at);
          const double lost = top - there;
          if (!(lost < (bounded ? range : 0.0) + GridConstants::kNegligible))
            break;
          // exp() of what is sampled on the log scale must stay a number
          if (j >= P && std::fabs(at[j]) > GridConstants::kLargestLog) break;
        }
        (side < 0 ? axis.lower : axis.upper) = at[j];
      }
      axes.push_back(axis);
    }
    return axes;
  }

  /// Moves out the ends at which the grid has found mass: along its own axis a
  /// parameter may reach less far than together with others that follow it.
  /// @return the share of mass at the ends, 0 where there is none to speak of.
  double widen(std::vector<GridAxis>& axes) const {
    const int P = target_.model().n_columns();
    const std::vector<double> at_ends = grid_->at_ends();
    double beyond = 0.0;
    for (std::size_t j = 0; j < axes.size(); ++j) {
      GridAxis& axis = axes[j];
      for (const bool upper : {false, true}) {
        const double share = at_ends[2 * j + (upper ? 1 : 0)];
        if (share < GridConstants::kAtEnd) continue;
        beyond += share;
        double& end = upper ? axis.upper : axis.lower;
        const double out = axis.centre + 2.0 * (end - axis.centre);
        if (static_cast<int>(j) < P ||
            std::fabs(out) < 2.0 * GridConstants::kLargestLog)
          end = out;
      }
    }
    return beyond;
  }

  GridTarget target_;
  std::unique_ptr<AdaptiveGrid> grid_;
  double beyond_ = 0.0;  // share of the mass at ends
};

}  // namespace pseudosynth

#endif
