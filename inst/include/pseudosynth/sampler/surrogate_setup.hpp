// What the surrogate sampler finds once for all chains of a model: mode,
// surrogate and how far proposals reach, by a pilot.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_SETUP_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_SETUP_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"
#include "penalised_mode.hpp"
#include "prior_exploration.hpp"
#include "prior_reference.hpp"
#include "surrogate_chain.hpp"
#include "surrogate_constants.hpp"
#include "surrogate_fit.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

/// @brief What one (model, seed) pair needs once, whatever the chains do.
class SurrogateSetup {
 public:
  /// @param start an earlier chain's state or null.
  /// @param should_stop polled at every evaluation of the model; may be empty.
  /// @throw Interrupted once should_stop returns true.
  SurrogateSetup(std::unique_ptr<SurrogateModel> of, std::uint64_t seed,
                 const Vector* start = nullptr,
                 const std::function<bool()>& should_stop = nullptr)
      : model_(std::move(of)) {
    StoppableSurrogateModel model(*model_, should_stop);
    Rng rng(seed, kStream);
    Vector mode = model.start();
    if (start != nullptr && start->size() == n_state() && start->allFinite())
      mode = start->head(model.size());
    penalty_ = penalty(mode);
    Matrix inverse = find_mode(model, penalty_, mode);
    if (model.is_clipped()) look_for_higher(model, mode, inverse);
    expand(model, mode, inverse, 0.0, rng);
    if (!model.is_clipped()) return;
    if (accepted_ < SurrogateConstants::kHopeless) {
      const SurrogateProposal first = proposal_;
      const double accepted = accepted_;
      expand(model, mode, inverse, SurrogateConstants::kSlowGrowth, rng);
      if (accepted_ < accepted) {
        proposal_ = first;
        accepted_ = accepted;
      }
    }
    reference_ = std::make_unique<PriorReference>(model);
    mode_ = mode;
  }

  /// Puts another proposal in its place: draws stay exact, however poor it is.
  void set_proposal(const SurrogateQuadratic& lhat, double keep) {
    set(lhat, proposal_);
    proposal_.keep = keep;
  }

  const SurrogateModel& model() const { return *model_; }
  const SurrogateProposal& proposal() const { return proposal_; }
  const SurrogatePenalty& penalty() const { return penalty_; }
  /// Null for a model that is not clipped.
  const PriorReference* reference() const { return reference_.get(); }
  /// The share of proposals that the pilot accepted.
  double accepted() const { return accepted_; }

  /// What one chain needs to cross between modes: its own exploration, of which
  /// other chains know nothing.
  CrossingMoves crossing(SurrogateModel& model, std::uint64_t seed,
                         int chain) const {
    CrossingMoves out;
    out.reference = reference_.get();
    Rng rng(seed, kExploration + static_cast<std::uint64_t>(chain));
    const int n = model.size();
    if (n > SurrogateConstants::kExplored) {
      // A population this small finds nothing there that slices do not
      // Scales tau make far tails, which good proposals need not reach
      const bool hard = accepted_ < (model.prior().hierarchical
                                         ? SurrogateConstants::kHardHierarchical
                                         : SurrogateConstants::kHard);
      out.jump_share = hard ? 1.0 : SurrogateConstants::kEasyJumps;
      out.wide_share = hard ? 1.0 : SurrogateConstants::kEasyWide;
      out.ellipse_share = hard ? 1.0 : 0.0;
      out.n_scales = hard ? SurrogateConstants::kHardScales : 0;
      out.level_share = hard ? SurrogateConstants::kHardLevels : 0.0;
      // Yet many records that share a value may make a narrow mode
      const PriorExploration found(model, *reference_, mode_, rng);
      if (found.mixture().empty()) return out;
      out.points = found.all_points();
      out.mixture = found.mixture();
      out.mixture_weight = SurrogateConstants::kToPart;
      out.jump_share = 1.0;
      out.wide_share = SurrogateConstants::kWideOfPart;
      return out;
    }
    const PriorExploration found(model, *reference_,
                                 SurrogateConstants::kPoints, rng);
    out.points = found.all_points();
    out.mixture = found.mixture();
    out.mixture_weight = SurrogateConstants::kToExplored;
    return out;
  }

  /// A chain's state is [ theta | tau ], tau for the hierarchical prior.
  int n_state() const {
    return model_->size() +
           (model_->prior().hierarchical ? model_->n_columns() : 0);
  }

  /// Were nearly all proposals of the pilot accepted?
  bool is_close() const {
    return proposal_.keep == SurrogateConstants::kAcross;
  }

 private:
  // A random stream of its own, far from those of chains.
  static constexpr std::uint64_t kStream = 0x5e7ULL << 32;
  static constexpr std::uint64_t kExploration = 0x3a9ULL << 32;

  /// The squared distance from the centre varies by sqrt(2/n) of itself: a
  /// power that is about one of its standard deviations wider.
  static void set(const SurrogateQuadratic& lhat, SurrogateProposal& proposal) {
    proposal.lhat = lhat;
    const double n = static_cast<double>(lhat.centre.size());
    proposal.flat_share = n < SurrogateConstants::kFewParameters
                              ? SurrogateConstants::kFlatOfFew
                              : SurrogateConstants::kFlatOfMany;
    proposal.flat = lhat.power(1.0 / (1.0 + std::sqrt(2.0 / n)));
  }

  /// Where all records are clipped there is no slope: another start has the
  /// extra parameters, all at one value, at which the density is highest.
  void look_for_higher(SurrogateModel& model, Vector& mode,
                       Matrix& inverse) const {
    const int P = model.n_columns(), n = model.size();
    if (n == P) return;
    Vector best = model.start(), at = best, unused = Vector::Zero(n);
    double highest = -kInfinity;
    for (double u = SurrogateConstants::kNarrowest;
         u < SurrogateConstants::kWidest; u += SurrogateConstants::kWidths) {
      at.tail(n - P).setConstant(u);
      const double value = model.value(at);
      if (!(value > highest)) continue;
      highest = value;
      best = at;
    }
    const auto height = [&](const Vector& theta) {
      return model.value(theta) + penalty_.add(theta, unused);
    };
    const Matrix other = find_mode(model, penalty_, best);
    // The same mode is found from both, nearly always
    if (!(height(best) > height(mode) + SurrogateConstants::kHigher)) return;
    mode = best;
    inverse = other;
  }

  /// The quadratic around the mode, and the pilot.
  void expand(SurrogateModel& model, const Vector& mode, const Matrix& inverse,
              double least_curvature, Rng& rng) {
    SurrogateFit fit(model, penalty_, rng);
    fit.least_curvature = least_curvature;
    fit.from_mode(mode, inverse);
    proposal_ = SurrogateProposal();
    set(fit.lhat, proposal_);
    // Beyond the clip the target is flat and Lhat is not.
    if (model.is_clipped())
      proposal_.slice_share = SurrogateConstants::kClippedSlices;
    pilot(model, fit, mode, rng);
  }

  SurrogatePenalty penalty(const Vector& near) const {
    const SurrogatePrior& prior = model_->prior();
    const int P = model_->n_columns();
    SurrogatePenalty out;
    out.location = Vector::Zero(P);
    out.precision = Vector::Zero(P);
    if (prior.hierarchical) {
      for (int j = 0; j < P; ++j)
        out.precision[j] = 1.0 / (square(prior.tau_scale) + square(near[j]));
    } else if (!prior.folded) {
      out.location = prior.location;
      out.precision = prior.scale.cwiseAbs2().cwiseInverse();
    }
    return out;
  }

  /// Runs a chain with what there is, refits to its points, and keeps the
  /// better of the two, as often as that helps.
  void pilot(SurrogateModel& model, SurrogateFit& fit, const Vector& mode,
             Rng& rng) {
    Vector from = mode, tau;
    std::vector<Vector> points;
    double best = acceptance(model, proposal_, from, tau, points, rng);
    for (int round = 0; round < SurrogateConstants::kRefits &&
                        best < SurrogateConstants::kVeryClose;
         ++round) {
      const bool poor = best < SurrogateConstants::kPoor;
      // Slices find the posterior whatever the proposals are worth.
      if (poor) slice_points(model, from, tau, points, rng);
      const std::vector<Vector> seen = points;
      bool better = false;
      for (int way = 0; way < (poor ? 2 : 1); ++way) {
        SurrogateProposal other = proposal_;
        fit.lhat = proposal_.lhat;
        if (way == 0)
          fit.from_points(seen);
        else
          fit.from_moments(seen);
        set(fit.lhat, other);
        const double found = acceptance(model, other, from, tau, points, rng);
        if (found <= best) continue;
        proposal_ = other;
        best = found;
        better = true;
      }
      if (!better) break;
    }
    // Shorter moves where draws anew are rarely accepted.
    for (double keep : SurrogateConstants::kKept) {
      if (best > SurrogateConstants::kRarely) break;
      SurrogateProposal other = proposal_;
      other.keep = keep;
      other.slice_share = 1.0;
      best = acceptance(model, other, from, tau, points, rng);
      proposal_ = other;
    }
    accepted_ = best;
    // Proposals across the mean, where nearly all are accepted: they make up
    // for what the refused ones and slow hyperparameters cost.
    if (best > SurrogateConstants::kClose && !model.is_clipped()) {
      proposal_.keep = SurrogateConstants::kAcross;
      // Slices then only guard against tails that the pilot has not seen
      if (best > SurrogateConstants::kVeryClose &&
          model.n_records() >= SurrogateConstants::kManyRecords)
        proposal_.slice_share = SurrogateConstants::kFewSlices;
    }
  }

  void slice_points(SurrogateModel& model, Vector& from, Vector& tau,
                    std::vector<Vector>& points, Rng& rng) {
    SurrogateChain chain(model, proposal_, rng);
    if (!chain.at.place(from)) return;
    if (tau.size() > 0) chain.at.set_tau(tau);
    points.clear();
    const int length = pilot_length();
    for (int i = 0; i < length; ++i) {
      chain.sweep();
      for (int j = 0; j < SurrogateConstants::kPilotSlices; ++j)
        chain.slices.slice();
      if (i >= length / SurrogateConstants::kSliceWarmup)
        points.push_back(chain.at.theta);
    }
    from = chain.at.theta;
    tau = chain.at.tau();
  }

  int pilot_length() const {
    return std::max(SurrogateConstants::kPilot,
                    SurrogateConstants::kPilotEach * model_->size());
  }

  double acceptance(SurrogateModel& model, const SurrogateProposal& proposal,
                    Vector& from, Vector& tau, std::vector<Vector>& points,
                    Rng& rng) {
    SurrogateChain chain(model, proposal, rng);
    if (!chain.at.place(from)) {
      points.assign(1, from);
      return 0.0;
    }
    if (tau.size() > 0) chain.at.set_tau(tau);
    const int length = pilot_length();
    for (int i = 0; i < length / SurrogateConstants::kPilotWarmup; ++i)
      chain.sweep();
    points.clear();
    double sum = 0.0;
    for (int i = 0; i < length; ++i) {
      sum += chain.sweep();
      points.push_back(chain.at.theta);
    }
    from = chain.at.theta;
    tau = chain.at.tau();
    return sum / length;
  }

  std::unique_ptr<SurrogateModel> model_;
  SurrogatePenalty penalty_;
  SurrogateProposal proposal_;
  std::unique_ptr<PriorReference> reference_;
  Vector mode_;  // of a clipped model
  double accepted_ = 0.0;
};

}  // namespace pseudosynth

#endif
