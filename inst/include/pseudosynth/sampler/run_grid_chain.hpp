// The grid sampler from start to kept draws, for models of up to three
// parameters: one adaptive grid that all chains share, then independent draws
// from it. Nothing moves from draw to draw, so that there is nothing to
// converge.
#ifndef PSEUDOSYNTH_SAMPLER_RUN_GRID_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_RUN_GRID_CHAIN_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "adaptive_grid.hpp"
#include "chain_length.hpp"
#include "chain_result.hpp"
#include "hierarchical_sweep.hpp"
#include "surrogate_fit.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

/// @brief The whole log pseudo posterior in theta = [ b | u ], the
/// hyperparameters of b integrated out. One object per thread.
class GridTarget {
 public:
  explicit GridTarget(std::unique_ptr<SurrogateModel> model)
      : model_(std::move(model)) {
    const SurrogatePrior& prior = model_->prior();
    if (!prior.hierarchical) return;
    if (model_->n_columns() > 1)
      throw std::invalid_argument(
          "a grid takes the hierarchical prior of one coefficient only");
    // tau = scale exp(t): half-t weights of the normals that are mixed
    for (int k = 0; k < kNodes; ++k) {
      const double t = -12.0 + 24.0 * k / (kNodes - 1);
      const double tau = std::exp(t);
      log_tau_.push_back(t + std::log(prior.tau_scale));
      log_weight_.push_back(t - 0.5 * (prior.tau_df + 1.0) *
                                    std::log1p(tau * tau / prior.tau_df));
    }
    work_.resize(kNodes);
  }

  SurrogateModel& model() { return *model_; }
  const SurrogateModel& model() const { return *model_; }
  GridTarget clone() const { return GridTarget(model_->clone()); }

  double operator()(const Vector& theta) {
    return model_->value(theta) + log_coefficient_prior(theta);
  }
  /// What is left without the records.
  double log_prior(const Vector& theta) {
    return model_->log_prior(theta) + log_coefficient_prior(theta);
  }
  /// sum_i g_i
  double log_lik(const Vector& theta) {
    return model_->value(theta) - model_->log_prior(theta);
  }

  /// Where the prior of b_j has its middle, and how wide it is.
  double location(int j) const {
    const SurrogatePrior& prior = model_->prior();
    if (prior.folded) return prior.folded->centre(j);
    return prior.hierarchical ? 0.0 : prior.location[j];
  }
  double scale(int j) const {
    const SurrogatePrior& prior = model_->prior();
    if (prior.folded) return 1.0;
    return prior.hierarchical ? prior.tau_scale : prior.scale[j];
  }

 private:
  static constexpr int kNodes = 161;

  double log_coefficient_prior(const Vector& theta) {
    const SurrogatePrior& prior = model_->prior();
    if (prior.folded) return 0.0;
    if (prior.hierarchical) {
      const double b2 = square(theta[0]);
      for (std::size_t k = 0; k < work_.size(); ++k)
        work_[k] = log_weight_[k] - log_tau_[k] -
                   0.5 * b2 * std::exp(-2.0 * log_tau_[k]);
      return log_sum_exp(work_.data(), kNodes);
    }
    double sum = 0.0;
    for (int j = 0; j < model_->n_columns(); ++j)
      sum -= 0.5 * square((theta[j] - prior.location[j]) / prior.scale[j]);
    return sum;
  }

  std::unique_ptr<SurrogateModel> model_;
  std::vector<double> log_tau_, log_weight_, work_;
};

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
    if (target_.model().size() > AdaptiveGrid::kMaxDimension)
      throw std::invalid_argument("a grid takes one to three parameters");
    // Polls at every evaluation: with many records a grid's step takes long
    GridTarget local(std::make_unique<StoppableSurrogateModel>(target_.model(),
                                                               should_stop));
    Rng rng(seed, kStream);
    const std::vector<Vector> modes = find_modes(local, rng);
    const Vector best = *std::max_element(
        modes.begin(), modes.end(), [&](const Vector& a, const Vector& b) {
          return value_or_none(local, a) < value_or_none(local, b);
        });
    std::vector<GridAxis> axes = find_axes(local, best, range);
    for (int round = 0;; ++round) {
      grid_ = std::make_unique<AdaptiveGrid>(
          axes,
          [&](const Vector& theta) { return value_or_none(local, theta); },
          modes, GridTuning(), should_stop);
      if (grid_->interrupted()) throw Interrupted();
      beyond_ = widen(axes);
      if (beyond_ == 0.0 || round == kMostWidened) break;
    }
  }

  const AdaptiveGrid& grid() const { return *grid_; }
  /// Share of the mass in cells that could not be split as far as wanted, or
  /// at an end of the grid that could not be moved out as far as wanted.
  double unresolved() const { return grid_->unresolved() + beyond_; }
  GridTarget target() const { return target_.clone(); }
  const SurrogateModel& model() const { return target_.model(); }

  static double value_or_none(GridTarget& target, const Vector& theta) {
    const double value = target(theta);
    return std::isfinite(value) ? value : -kInfinity;
  }

 private:
  // A random stream of its own, far from those of chains.
  static constexpr std::uint64_t kStream = 0x671dULL << 32;
  static constexpr int kStarts = 24;
  static constexpr int kFits = 60, kKept = 20;
  // Log widths of the records around an exact fit
  static constexpr double kNarrowest = -8.0, kWidest = 14.0;

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
    for (int s = 0; s < kStarts; ++s) {
      Vector start = middle;
      for (int j = 0; s > 0 && j < n; ++j) {
        if (s % 2 == 0 && j < P)
          start[j] = target_.location(j) + target_.scale(j) * rng.normal();
        else
          start[j] += 2.0 * rng.normal();
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
    for (int k = 0; k < kFits; ++k) {
      Vector theta = local.model().exact_fit(rng);
      Found best{-kInfinity, theta};
      for (double u = kNarrowest; u < kWidest; u += 0.5) {
        theta.tail(n - P).setConstant(u);
        const double value = value_or_none(local, theta);
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
      if (++kept == kKept) break;
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
        bounded ? target.log_prior(best) : value_or_none(target, best);
    for (int j = 0; j < best.size(); ++j) {
      const double unit = j < P ? target.scale(j) : 1.0;
      GridAxis axis;
      axis.centre = best[j];
      axis.width = 0.02 * unit;
      for (const double side : {-1.0, 1.0}) {
        double step = unit;
        Vector at = best;
        for (int doubling = 0; doubling < 60; ++doubling, step *= 1.5) {
          at[j] = best[j] + side * step;
          const double there =
              bounded ? target.log_prior(at) : value_or_none(target, at);
          const double lost = top - there;
          if (!(lost < (bounded ? range : 0.0) + kNegligible)) break;
          // exp() of what is sampled on the log scale must stay a number
          if (j >= P && std::fabs(at[j]) > kLargestLog) break;
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
        if (share < kAtEnd) continue;
        beyond += share;
        double& end = upper ? axis.upper : axis.lower;
        const double out = axis.centre + 2.0 * (end - axis.centre);
        if (static_cast<int>(j) < P || std::fabs(out) < 2.0 * kLargestLog)
          end = out;
      }
    }
    return beyond;
  }

  static constexpr double kNegligible = 60.0, kLargestLog = 500.0;
  static constexpr double kAtEnd = 1e-7;
  static constexpr int kMostWidened = 12;

  GridTarget target_;
  std::unique_ptr<AdaptiveGrid> grid_;
  double beyond_ = 0.0;  // share of the mass at ends
};

/// One chain of independent draws. Draws [ b | extras ], hyper [ tau ] for the
/// hierarchical prior, monitor sum_i g_i; `accept_stat` is the share of points
/// that rejection took. Warmup and thinning have nothing to do.
/// @param setup shared by all chains; must outlive the call.
inline ChainResult run_grid_chain(const GridSetup& setup,
                                  const ChainLength& length, std::uint64_t seed,
                                  int chain, const ChainHandlers& handlers) {
  validate(length);
  ChainResult out;
  Rng rng(seed, static_cast<std::uint64_t>(chain));
  GridTarget target = setup.target();
  const AdaptiveGrid::LogDensity density = [&](const Vector& theta) {
    return GridSetup::value_or_none(target, theta);
  };
  const SurrogatePrior& prior = target.model().prior();
  const int P = target.model().n_columns(), n = target.model().size();
  out.allocate(n, prior.hierarchical ? P : 0, length.draws, 1);
  GridTally tally;
  Vector theta = Vector::Zero(n);
  for (int s = 0; s < length.draws; ++s) {
    if (handlers.stop_requested()) {
      out.interrupted = true;
      break;
    }
    const long before = tally.tried;
    theta = setup.grid().draw(rng, density, tally);
    target.model().constrain(theta, out.draws.col(s).data());
    if (prior.hierarchical) {
      // tau was integrated out: drawn anew given b
      HierarchicalSweep hyper(P, prior.lkj, prior.tau_df, prior.tau_scale);
      hyper.tau[0] = 0.5 * prior.tau_scale + std::fabs(theta[0]);
      for (int k = 0; k < 25; ++k) hyper.update(theta.head(P), rng, false);
      out.hyper.col(s) = hyper.tau;
    }
    out.monitor(0, s) = target.log_lik(theta);
    out.accept_stat.push_back(1.0 / static_cast<double>(tally.tried - before));
    ++out.completed;
    handlers.iteration_done(s + 1);
  }
  out.state = Vector(0);
  out.n_nonfinite = tally.above + tally.given_up;
  out.finish();
  return out;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_RUN_GRID_CHAIN_HPP
