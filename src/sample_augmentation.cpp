// The augmentation sampler of the normal mixture.

#include <pseudosynth/sampler/mixture/run_mixture_chain.hpp>

#include "sampling.h"

namespace binding {

namespace {

double share(const std::vector<ps::MixtureAcceptance>& chains,
             long (ps::MixtureAcceptance::*kind)[2]) {
  double accepted = 0.0, proposed = 0.0;
  for (const auto& chain : chains) {
    accepted += static_cast<double>((chain.*kind)[0]);
    proposed += static_cast<double>((chain.*kind)[1]);
  }
  return proposed > 0 ? accepted / proposed : ps::kNaN;
}

}  // namespace

Sampling augmentation_sampling(const ps::Records& records, int K,
                               const ps::MixturePrior& prior,
                               const Control& control) {
  if (records.censor.active)
    throw std::invalid_argument(
        "The augmentation sampler is for uncensored models.");
  ps::MixtureTuning tuning;
  tuning.warmup = control.length.warmup;
  tuning.draws = control.length.draws;
  tuning.sweeps = control.length.thin;
  tuning.level_moves = control.level_moves.value_or(tuning.level_moves);
  tuning.shared_moves = control.shared_moves.value_or(tuning.shared_moves);
  tuning.hamiltonian_moves =
      control.hamiltonian_moves.value_or(tuning.hamiltonian_moves);
  tuning.pair_moves = control.pair_moves.value_or(tuning.pair_moves);
  // Each chain writes to its own element.
  const auto moves = std::make_shared<std::vector<ps::MixtureAcceptance>>(
      static_cast<std::size_t>(control.chains));
  Sampling out;
  out.run = [=, &records](int chain, const ps::ChainHandlers& handlers) {
    return ps::run_mixture_chain(records, K, prior, tuning, control.seed, chain,
                                 handlers, control.start(chain),
                                 &(*moves)[chain]);
  };
  out.iterations = static_cast<std::int64_t>(tuning.warmup) + tuning.draws;
  out.acceptance = [=]() -> NamedFigures {
    using Moves = ps::MixtureAcceptance;
    return {{"coefficients", share(*moves, &Moves::coefficients)},
            {"sigma", share(*moves, &Moves::sigma)},
            {"pi", share(*moves, &Moves::pi)},
            {"level", share(*moves, &Moves::level)},
            {"shared", share(*moves, &Moves::shared)},
            {"hamiltonian", share(*moves, &Moves::hamiltonian)}};
  };
  return out;
}

}  // namespace binding
