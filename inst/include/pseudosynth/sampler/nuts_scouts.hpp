// What NUTS lacks on a clipped target, whose modes and plateaus trajectories do
// not cross: short chains, each from a start of its own, find some of them, and
// the chain then jumps among them by independence proposals, which makes their
// shares right. With many parameters such jumps are not accepted.
#ifndef PSEUDOSYNTH_SAMPLER_NUTS_SCOUTS_HPP
#define PSEUDOSYNTH_SAMPLER_NUTS_SCOUTS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "nuts.hpp"
#include "nuts_constants.hpp"
#include "nuts_tuning.hpp"
#include "student_mixture.hpp"

namespace pseudosynth {

namespace detail {

/// One component for each scout; empty without any, and above so many
/// parameters that no jump would be accepted.
template <class Metric, class Model>
StudentMixture scouted(Model& model, const NutsTuning& tuning, Rng& rng,
                       const ChainHandlers& handlers) {
  StudentMixture found;
  const int n = model.size();
  for (int scout = 0; scout < tuning.scouts && n <= NutsConstants::kMostScouted;
       ++scout) {
    Nuts<Model, Metric> nuts(model, n, tuning.max_treedepth, rng, handlers);
    place_start(nuts, model, rng, nullptr);
    NutsAdaptation<Nuts<Model, Metric>> adaptation(nuts, tuning,
                                                   NutsConstants::kScoutWarmup);
    std::vector<Vector> around;
    for (int i = 0; i < NutsConstants::kScoutWarmup +
                            std::max(NutsConstants::kScoutKept,
                                     NutsConstants::kScoutKeptEach * n);
         ++i) {
      const NutsTransition t = nuts.transition();
      if (t.interrupted || handlers.stop_requested()) return found;
      if (i < NutsConstants::kScoutWarmup)
        adaptation.observe(t, i);
      else
        around.push_back(nuts.state.q);
    }
    StudentMixture local;
    local.fit(around, 1, rng);
    if (!local.empty()) found.append(local, 1.0 / (found.size() + 1.0));
  }
  return found;
}

/// Metropolis and Hastings.
template <class Sampler>
void jump(Sampler& nuts, const StudentMixture& found, Rng& rng) {
  PhasePoint next(count_of(nuts.state.q));
  next.q = found.draw(rng);
  const double height = std::log(rng.uniform());
  if (!next.q.allFinite()) return;
  nuts.hamiltonian.evaluate(next);
  const double log_ratio =
      next.log_density - found.log_density(next.q) -
      (nuts.state.log_density - found.log_density(nuts.state.q));
  if (height < log_ratio) nuts.state = next;
}

}  // namespace detail

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_NUTS_SCOUTS_HPP
