// The surrogate sampler from start to kept draws: a set-up that all chains
// share (mode, surrogate, pilot), then each chain by itself, nothing adapting.
#ifndef PSEUDOSYNTH_SAMPLER_RUN_SURROGATE_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_RUN_SURROGATE_CHAIN_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "chain_result.hpp"
#include "surrogate_chain.hpp"
#include "surrogate_fit.hpp"

namespace pseudosynth {

/// @brief What one (model, seed) pair needs once, whatever the chains do.
template <class Family>
class SurrogateSetup {
 public:
  using Model = SurrogateModel<Family>;

  /// @param start an earlier state (see SurrogateSetup::pack) or null.
  SurrogateSetup(const Records& records, const Family& family,
                 const SurrogatePrior& prior, std::uint64_t seed,
                 const Vector* start = nullptr)
      : prior_(prior), model_(records, family, prior) {
    const int P = model_.n_columns(), n = model_.size();
    if (!prior.folded && !prior.hierarchical &&
        (prior.location.size() != P || prior.scale.size() != P))
      throw std::invalid_argument("prior and design differ in columns");
    Rng rng(seed, kStream);
    Vector mode = model_.start();
    if (start != nullptr && start->size() == n_state() && start->allFinite())
      mode = start->head(n);
    penalty_ = penalty(mode);
    const Matrix inverse = find_mode(model_, penalty_, mode);
    Fit fit(model_, penalty_, rng);
    fit.from_mode(mode, inverse);
    set(fit.lhat, proposal_);
    // Beyond the clip the target is flat and Lhat is not.
    if (records.censor.active) proposal_.slice_share = kClippedSlices;
    pilot(fit, mode, rng);
  }

  /// Puts another proposal in its place: draws stay exact, however poor it is.
  void set_proposal(const SurrogateQuadratic& lhat, double keep) {
    set(lhat, proposal_);
    proposal_.keep = keep;
  }

  const Model& model() const { return model_; }
  const SurrogatePrior& prior() const { return prior_; }
  const SurrogateProposal& proposal() const { return proposal_; }
  const SurrogatePenalty& penalty() const { return penalty_; }

  /// A chain's state is [ theta | tau ], tau for the hierarchical prior.
  int n_state() const {
    return model_.size() + (prior_.hierarchical ? model_.n_columns() : 0);
  }

 private:
  using Fit = SurrogateFit<Model>;
  using Chain = SurrogateChain<Model>;
  // A random stream of its own, far from those of chains.
  static constexpr std::uint64_t kStream = 0x5e7ULL << 32;
  static constexpr int kPilot = 120;
  static constexpr double kClippedSlices = 0.5;

  /// The squared distance from the centre varies by sqrt(2/n) of itself: a
  /// power that is about one of its standard deviations wider.
  static void set(const SurrogateQuadratic& lhat, SurrogateProposal& proposal) {
    proposal.lhat = lhat;
    const double n = static_cast<double>(lhat.centre.size());
    proposal.flat_share = n < 5 ? 0.25 : 0.1;
    proposal.flat = lhat.power(1.0 / (1.0 + std::sqrt(2.0 / n)));
  }

  SurrogatePenalty penalty(const Vector& near) const {
    const int P = model_.n_columns();
    SurrogatePenalty out;
    out.location = Vector::Zero(P);
    out.precision = Vector::Zero(P);
    if (prior_.hierarchical) {
      for (int j = 0; j < P; ++j)
        out.precision[j] = 1.0 / (square(prior_.tau_scale) + square(near[j]));
    } else if (!prior_.folded) {
      out.location = prior_.location;
      out.precision = prior_.scale.cwiseAbs2().cwiseInverse();
    }
    return out;
  }

  /// Runs a chain with what there is, refits to its points, and keeps the
  /// better of the two, as often as that helps.
  void pilot(Fit& fit, const Vector& mode, Rng& rng) {
    Vector from = mode, tau;
    std::vector<Vector> points;
    double best = acceptance(proposal_, from, tau, points, rng);
    for (int round = 0; round < 3 && best < 0.9; ++round) {
      const bool poor = best < 0.5;
      // Slices find the posterior whatever the proposals are worth.
      if (poor) slice_points(from, tau, points, rng);
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
        const double found = acceptance(other, from, tau, points, rng);
        if (found <= best) continue;
        proposal_ = other;
        best = found;
        better = true;
      }
      if (!better) break;
    }
    // Shorter moves where draws anew are rarely accepted.
    for (double keep : {0.5, 0.8}) {
      if (best > 0.35) break;
      SurrogateProposal other = proposal_;
      other.keep = keep;
      other.slice_share = 1.0;
      best = acceptance(other, from, tau, points, rng);
      proposal_ = other;
    }
  }

  void slice_points(Vector& from, Vector& tau, std::vector<Vector>& points,
                    Rng& rng) {
    Chain chain(model_, prior_, proposal_, rng);
    if (!chain.place(from)) return;
    if (tau.size() > 0) chain.set_tau(tau);
    points.clear();
    const int length = pilot_length();
    for (int i = 0; i < length; ++i) {
      chain.sweep();
      for (int j = 0; j < 4; ++j) chain.slice();
      if (i >= length / 5) points.push_back(chain.theta);
    }
    from = chain.theta;
    tau = chain.tau();
  }

  int pilot_length() const { return std::max(kPilot, 4 * model_.size()); }

  double acceptance(const SurrogateProposal& proposal, Vector& from,
                    Vector& tau, std::vector<Vector>& points, Rng& rng) {
    Chain chain(model_, prior_, proposal, rng);
    if (!chain.place(from)) {
      points.assign(1, from);
      return 0.0;
    }
    if (tau.size() > 0) chain.set_tau(tau);
    const int length = pilot_length();
    for (int i = 0; i < length / 4; ++i) chain.sweep();
    points.clear();
    double sum = 0.0;
    for (int i = 0; i < length; ++i) {
      sum += chain.sweep();
      points.push_back(chain.theta);
    }
    from = chain.theta;
    tau = chain.tau();
    return sum / length;
  }

  SurrogatePrior prior_;
  Model model_;
  SurrogatePenalty penalty_;
  SurrogateProposal proposal_;
};

namespace detail {

/// A start twice as far out as the surrogate posterior, closer if the density
/// is not finite there, and the surrogate's centre at last.
template <class Family>
void place_surrogate_start(const SurrogateSetup<Family>& setup,
                           SurrogateChain<SurrogateModel<Family>>& chain,
                           const Vector* init, Rng& rng) {
  const int n = setup.model().size();
  if (init != nullptr && init->size() == setup.n_state() && init->allFinite() &&
      chain.place(init->head(n))) {
    if (init->size() > n) chain.set_tau(init->tail(init->size() - n));
    return;
  }
  SurrogateConditional normal;
  const bool proper =
      normal.set(setup.proposal().lhat, setup.penalty().precision.asDiagonal(),
                 setup.penalty().location);
  const Vector centre = proper ? normal.mean() : setup.proposal().lhat.centre;
  double width = 2.0;
  for (int attempt = 0; attempt < 40 && proper; ++attempt, width *= 0.7) {
    const Vector draw = normal.move(centre, 0.0, rng);
    if (chain.place(centre + width * (draw - centre))) return;
  }
  if (!chain.place(centre) && !chain.place(setup.model().start()))
    throw std::domain_error(
        "The log posterior is not finite at the start of a chain.");
}

}  // namespace detail

/// One chain. Draws [ b | extras ], hyper [ tau ] for the hierarchical prior,
/// monitor sum_i g_i. Only `warmup`, `draws` and `thin` of the tuning matter.
/// @param setup shared by all chains; must outlive the call.
template <class Family>
ChainResult run_surrogate_chain(const SurrogateSetup<Family>& setup,
                                const GibbsTuning& tuning, std::uint64_t seed,
                                int chain, const ChainHandlers& handlers,
                                const Vector* init) {
  const auto begin = std::chrono::steady_clock::now();
  Rng rng(seed, static_cast<std::uint64_t>(chain));
  SurrogateModel<Family> model(setup.model());
  SurrogateChain<SurrogateModel<Family>> state(model, setup.prior(),
                                               setup.proposal(), rng);
  detail::place_surrogate_start(setup, state, init, rng);
  const bool hierarchical = setup.prior().hierarchical;
  const int P = model.n_columns(), n = model.size();
  ChainResult out;
  out.allocate(n, hierarchical ? P : 0, tuning.draws);
  out.monitor.setZero(1, tuning.draws);
  const int iterations = tuning.warmup + tuning.draws * tuning.thin;
  double accepted = 0.0;
  for (int i = 0; i < iterations; ++i) {
    if (handlers.stop_requested()) {
      out.interrupted = true;
      break;
    }
    // Lhat may be poor where a chain starts: slices bring it in.
    if (i < tuning.warmup / 2 && i < 10)
      for (int j = 0; j < n; ++j) state.slice();
    accepted += state.sweep();
    if (i >= tuning.warmup && (i - tuning.warmup + 1) % tuning.thin == 0) {
      model.constrain(state.theta, out.draws.col(out.completed).data());
      if (hierarchical) out.hyper.col(out.completed) = state.tau();
      out.monitor(0, out.completed) = state.log_lik();
      out.accept_stat.push_back(accepted / tuning.thin);
      ++out.completed;
    }
    if (i < tuning.warmup || (i - tuning.warmup + 1) % tuning.thin == 0)
      accepted = 0.0;
    handlers.iteration_done(i + 1);
  }
  out.state = Vector(setup.n_state());
  out.state.head(n) = state.theta;
  if (hierarchical) out.state.tail(P) = state.tau();
  out.n_nonfinite = state.n_nonfinite;
  out.trim();
  out.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return out;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_RUN_SURROGATE_CHAIN_HPP
