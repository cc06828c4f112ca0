// The grid sampler from start to kept draws, for models of up to three
// parameters: one adaptive grid that all chains share, then independent draws
// from it. Nothing moves from draw to draw, so that there is nothing to
// converge.
#ifndef PSEUDOSYNTH_SAMPLER_RUN_GRID_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_RUN_GRID_CHAIN_HPP

#include <cmath>
#include <cstdint>

#include "adaptive_grid.hpp"
#include "chain_length.hpp"
#include "chain_result.hpp"
#include "grid_setup.hpp"
#include "grid_target.hpp"
#include "hierarchical_sweep.hpp"

namespace pseudosynth {

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
    return target.value_or_none(theta);
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
