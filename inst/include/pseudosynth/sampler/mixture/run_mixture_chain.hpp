// One chain of the augmentation sampler, from start to kept draws.
//
// A folder in sampler/ bears the name of the one family that its samplers draw
// from; what lies in sampler/ itself serves any family.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_RUN_MIXTURE_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_RUN_MIXTURE_CHAIN_HPP

#include <algorithm>
#include <cstdint>

#include "../chain_result.hpp"
#include "mixture_augmentation.hpp"
#include "mixture_chain.hpp"
#include "mixture_constants.hpp"
#include "mixture_hamiltonian_move.hpp"
#include "mixture_level_move.hpp"
#include "mixture_mass_move.hpp"
#include "mixture_pair_move.hpp"
#include "mixture_shared_move.hpp"

namespace pseudosynth {

/// A draw is kept after every `sweeps` Gibbs sweeps beyond warmup. Each sweep
/// is followed by moves that sum the indicators out: in levels, of what is
/// shared, and trajectories, each with mass and pair moves after it.
struct MixtureTuning {
  int warmup = 1000;
  int draws = 1000;
  int sweeps = 10;
  int level_moves = 3;        // tempered transitions per sweep
  int shared_moves = 1;       // trajectories of what is shared per sweep
  int hamiltonian_moves = 1;  // trajectories per sweep
  // Mass moves, and now and then as many pair moves, after each trajectory;
  // without trajectories after the sweep.
  int pair_moves = 1;
  /// Share of warmup that runs on powered components.
  double uncorrected_share = 0.2;
};

inline ChainResult run_mixture_chain(const Records& records, int K,
                                     const MixturePrior& prior,
                                     const MixtureTuning& tuning,
                                     std::uint64_t seed, int chain,
                                     const ChainHandlers& handlers,
                                     const Vector* init,
                                     MixtureAcceptance* acceptance) {
  ChainResult out;
  Rng rng(seed, static_cast<std::uint64_t>(chain));
  MixtureChain at(records, K, prior, rng);
  MixtureAugmentation sampler(at);
  const int P = records.design.n_columns();
  int uncorrected = static_cast<int>(tuning.uncorrected_share * tuning.warmup);
  if (init != nullptr && init->size() == MixtureState::packed_size(P, K)) {
    at.state.unpack(*init);
    at.state_changed();
    uncorrected = 0;
  }
  MixtureLevelMove level_move(at);
  MixtureSharedMove shared_move(at, records);
  MixtureHamiltonianMove hamiltonian_move(at, records);
  MixturePairMove pair_move(at);
  MixtureMassMove mass_move(at);

  out.allocate(P * K + 2 * K, MixtureState::n_hyper(prior.shared, P),
               tuning.draws);
  std::int64_t n_rounds = 0;
  const std::int64_t iterations =
      static_cast<std::int64_t>(tuning.warmup) + tuning.draws;
  for (std::int64_t i = 0; i < iterations; ++i) {
    if (i == tuning.warmup) {
      shared_move.settle();
      hamiltonian_move.settle();
    }
    // Warmup keeps nothing: there each iteration is one sweep.
    const int sweeps = i < tuning.warmup ? 1 : tuning.sweeps;
    for (int s = 0; s < sweeps; ++s) {
      if (handlers.stop_requested()) {
        out.interrupted = true;
        break;
      }
      sampler.sweep(i >= uncorrected);
      for (int move = 0; move < tuning.level_moves; ++move) level_move.move();
      if (i < uncorrected) continue;
      for (int move = 0; move < tuning.shared_moves; ++move)
        shared_move.move(i < tuning.warmup);
      for (int round = 0; round < std::max(1, tuning.hamiltonian_moves);
           ++round) {
        if (tuning.hamiltonian_moves > 0)
          hamiltonian_move.move(i < tuning.warmup);
        else
          at.refresh_densities();
        const bool pairs = ++n_rounds % MixtureConstants::kPairEvery == 0;
        for (int move = 0; move < tuning.pair_moves; ++move) {
          if (pairs) pair_move.move();
          mass_move.move();
        }
      }
    }
    if (out.interrupted) break;
    if (i >= tuning.warmup) {
      at.state.write_draw(out.draws.col(out.completed).data());
      at.state.write_hyper(prior.shared, out.hyper.col(out.completed).data());
      ++out.completed;
    }
    handlers.iteration_done(i + 1);
  }
  if (acceptance != nullptr) *acceptance = at.accepted;
  out.state = at.state.pack();
  out.finish();
  return out;
}

}  // namespace pseudosynth

#endif
