// The surrogate sampler from start to kept draws: a set-up that all chains
// share (mode, surrogate, pilot), then each chain by itself, nothing adapting.
#ifndef PSEUDOSYNTH_SAMPLER_RUN_SURROGATE_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_RUN_SURROGATE_CHAIN_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "chain_length.hpp"
#include "chain_result.hpp"
#include "lagged_pairs.hpp"
#include "surrogate_chain.hpp"
#include "surrogate_constants.hpp"
#include "surrogate_model.hpp"
#include "surrogate_setup.hpp"

namespace pseudosynth {

namespace detail {

/// A draw of the prior, which knows nothing of the records.
inline bool place_at_prior(const PriorReference& reference, bool hierarchical,
                           SurrogateChain& chain, Rng& rng) {
  for (int attempt = 0; attempt < SurrogateConstants::kPriorTries; ++attempt) {
    const Vector tau = hierarchical ? reference.draw_tau(rng) : Vector();
    if (!chain.at.place(reference.draw(tau, rng))) continue;
    if (hierarchical) chain.at.set_tau(tau);
    return true;
  }
  return false;
}

/// Of pairs of chains with this chain's moves.
inline PairsSeen seen_by_pairs(const SurrogateSetup& setup,
                               SurrogateModel& model,
                               const CrossingMoves& crossing, int warmup,
                               std::uint64_t seed, int chain) {
  constexpr std::uint64_t kStream = 0x2b1ULL << 32;
  // Chains that differ in tau propose differently but for what was explored
  const bool hierarchical = model.prior().hierarchical;
  if (hierarchical && crossing.mixture.empty()) return {};
  PairLength length;
  length.longest = warmup;
  return lagged_pairs(model, setup.proposal(), crossing, length, seed,
                      kStream + 64 * static_cast<std::uint64_t>(chain),
                      [&](SurrogateChain& state, Rng& rng) {
                        return place_at_prior(*setup.reference(), hierarchical,
                                              state, rng);
                      });
}

/// Sweeps for a draw, by what a chain's pairs have shown: these have random
/// numbers of their own, so that it is fixed before the chain starts.
/// @param most where there are no pairs, or one that did not meet.
inline int sweeps_a_draw(const PairsSeen& pairs, bool explored, int most) {
  if (pairs.meeting.empty()) return most;
  const double latest =
      *std::max_element(pairs.meeting.begin(), pairs.meeting.end());
  const double wanted = std::ceil(
      std::max(SurrogateConstants::kRepeats * (2.0 / pairs.accepted - 1.0),
               latest / (explored ? SurrogateConstants::kMeet
                                  : SurrogateConstants::kMeetOfMany)));
  // Also where nothing was accepted
  if (!(wanted < most)) return most;
  const int least = explored ? 1 : SurrogateConstants::kLeastOfMany;
  return std::min(most, std::max(least, static_cast<int>(wanted)));
}

/// Of a clipped model a draw of the prior, whatever earlier chains have seen.
/// Else `init`, or a start twice as far out as the
/// surrogate posterior, closer if the density is not finite there, and the
/// surrogate's centre at last.
inline void place_surrogate_start(const SurrogateSetup& setup,
                                  SurrogateChain& chain, const Vector* init,
                                  Rng& rng) {
  const int n = setup.model().size();
  if (setup.reference() != nullptr &&
      place_at_prior(*setup.reference(), setup.model().prior().hierarchical,
                     chain, rng))
    return;
  if (init != nullptr && init->size() == setup.n_state() && init->allFinite() &&
      chain.at.place(init->head(n))) {
    if (init->size() > n) chain.at.set_tau(init->tail(init->size() - n));
    return;
  }
  SurrogateConditional normal;
  const bool proper =
      normal.set(setup.proposal().lhat, setup.penalty().precision.asDiagonal(),
                 setup.penalty().location);
  const Vector centre = proper ? normal.mean() : setup.proposal().lhat.centre;
  double width = SurrogateConstants::kFarOut;
  for (int attempt = 0; attempt < SurrogateConstants::kStartTries && proper;
       ++attempt, width *= SurrogateConstants::kDrawnIn) {
    const Vector draw = normal.move(centre, 0.0, rng);
    if (chain.at.place(centre + width * (draw - centre))) return;
  }
  if (!chain.at.place(centre) && !chain.at.place(setup.model().start()))
    throw std::domain_error(
        "The log posterior is not finite at the start of a chain.");
}

}  // namespace detail

/// One chain. Draws [ b | extras ], hyper [ tau ] for the hierarchical prior,
/// monitor sum_i g_i.
/// @param setup shared by all chains; must outlive the call.
/// @param most_sweeps of a draw, where pairs of chains tell how many it takes;
///   0: `length` does.
inline ChainResult run_surrogate_chain(const SurrogateSetup& setup,
                                       ChainLength length, std::uint64_t seed,
                                       int chain, const ChainHandlers& handlers,
                                       const Vector* init,
                                       int most_sweeps = 0) {
  validate(length);
  ChainResult out;
  const StopScope scope(handlers.should_stop);
  Rng rng(seed, static_cast<std::uint64_t>(chain));
  const std::unique_ptr<SurrogateModel> model = setup.model().clone();
  CrossingMoves crossing;
  const bool clipped = setup.reference() != nullptr;
  if (clipped) {
    StoppableSurrogateModel stoppable(*model, handlers.should_stop);
    try {
      crossing = setup.crossing(stoppable, seed, chain);
      const PairsSeen pairs = detail::seen_by_pairs(setup, stoppable, crossing,
                                                    length.warmup, seed, chain);
      out.meeting = pairs.meeting;
      if (most_sweeps > 0)
        length.thin = out.sweeps = detail::sweeps_a_draw(
            pairs, model->size() <= SurrogateConstants::kExplored, most_sweeps);
    } catch (const Interrupted&) {
      out.interrupted = true;
      return out;
    }
  }
  SurrogateChain state(*model, setup.proposal(), rng,
                       clipped ? &crossing : nullptr);
  detail::place_surrogate_start(setup, state, init, rng);
  const bool hierarchical = model->prior().hierarchical;
  const int P = model->n_columns(), n = model->size();
  out.allocate(n, hierarchical ? P : 0, length.draws, 1);
  double accepted = 0.0;
  for (std::int64_t i = 0; i < length.iterations(); ++i) {
    if (handlers.stop_requested()) {
      out.interrupted = true;
      break;
    }
    // Lhat may be poor where a chain starts: slices bring it in.
    if (i < length.warmup / 2 &&
        i < (setup.is_close() ? SurrogateConstants::kSlicedClose
                              : SurrogateConstants::kSliced))
      for (int j = 0; j < n; ++j) state.slices.slice();
    accepted += state.sweep();
    if (length.keeps(i)) {
      model->constrain(state.at.theta, out.draws.col(out.completed).data());
      if (hierarchical) out.hyper.col(out.completed) = state.at.tau();
      out.monitor(0, out.completed) = state.at.log_lik();
      out.accept_stat.push_back(accepted / length.thin);
      ++out.completed;
    }
    if (i < length.warmup || length.keeps(i)) accepted = 0.0;
    // How many there will be is not known before
    if (i < length.warmup || length.keeps(i)) handlers.iteration_done(i + 1);
  }
  out.state = Vector(setup.n_state());
  out.state.head(n) = state.at.theta;
  if (hierarchical) out.state.tail(P) = state.at.tau();
  out.n_nonfinite = state.at.n_nonfinite;
  out.finish();
  return out;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_RUN_SURROGATE_CHAIN_HPP
