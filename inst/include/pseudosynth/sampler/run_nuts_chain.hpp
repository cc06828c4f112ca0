// One NUTS chain from start to kept draws: start, adapt, sample.
#ifndef PSEUDOSYNTH_SAMPLER_RUN_NUTS_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_RUN_NUTS_CHAIN_HPP

#include <cstdint>
#include <type_traits>

#include "chain_result.hpp"
#include "metric.hpp"
#include "nuts.hpp"
#include "nuts_scouts.hpp"
#include "nuts_tuning.hpp"

namespace pseudosynth {

namespace detail {

template <class Sampler>
void record(const Sampler& nuts, const NutsTransition& t, ChainResult& out) {
  out.divergent.push_back(t.divergent);
  out.treedepth.push_back(t.treedepth);
  out.n_leapfrog.push_back(t.n_leapfrog);
  out.accept_stat.push_back(t.accept_stat);
  out.energy.push_back(t.energy);
  out.log_density.push_back(nuts.state.log_density);
}

template <class Metric, class Model>
ChainResult run_nuts(Model& model, const NutsTuning& tuning, Rng& rng,
                     const ChainHandlers& handlers, const Vector* init) {
  ChainResult out;
  out.allocate(model.n_draw(), model.n_hyper(), tuning.draws);
  Nuts<Model, Metric> nuts(model, model.size(), tuning.max_treedepth, rng,
                           handlers);
  if constexpr (std::is_same_v<Metric, DenseMetric>) {
    if (tuning.covariance) nuts.hamiltonian.metric.keep(*tuning.covariance);
  }
  place_start(nuts, model, rng, init);

  NutsAdaptation<Nuts<Model, Metric>> adaptation(nuts, tuning, tuning.warmup);
  const StudentMixture found = scouted<Metric>(model, tuning, rng, handlers);

  for (std::int64_t i = 0; i < tuning.iterations(); ++i) {
    const NutsTransition t = nuts.transition();
    if (t.interrupted || handlers.stop_requested()) {
      out.interrupted = true;
      break;
    }
    for (int k = 0; k < NutsConstants::kJumps && !found.empty(); ++k)
      jump(nuts, found, rng);
    if (i < tuning.warmup) {
      adaptation.observe(t, i);
    } else if (tuning.keeps(i)) {
      model.constrain(nuts.state.q, out.draws.col(out.completed).data(),
                      out.hyper.col(out.completed).data());
      record(nuts, t, out);
      ++out.completed;
    }
    handlers.iteration_done(i + 1);
  }
  out.stepsize = nuts.stepsize;
  out.inverse_metric = nuts.hamiltonian.metric.inverse_diagonal();
  out.state = nuts.state.q;
  out.n_nonfinite = nuts.hamiltonian.n_nonfinite;
  out.finish();
  return out;
}

}  // namespace detail

/// @brief Runs one chain.
///
/// @tparam Model a copyable type with `int size() const`,
///   `double operator()(const Vector& theta, Vector& gradient)`,
///   `int n_draw() const`, `int n_hyper() const`,
///   `void constrain(const Vector& theta, double* draw, double* hyper) const`
///   and `Vector initial(Rng&)`.
/// @param model taken by value: every chain owns its scratch memory.
/// @param seed, chain the stream; equal pairs give equal draws.
/// @param init unconstrained start (an earlier result's `state`) or null.
/// @return draws, diagnostics and the final unconstrained state.
/// @throw std::invalid_argument for tuning out of range; std::domain_error if
///   even the model's own start has no finite density.
template <class Model>
ChainResult run_nuts_chain(Model model, const NutsTuning& tuning,
                           std::uint64_t seed, std::uint64_t chain,
                           const ChainHandlers& handlers = ChainHandlers(),
                           const Vector* init = nullptr) {
  validate(tuning);
  Rng rng(seed, chain);
  return tuning.dense_metric
             ? detail::run_nuts<DenseMetric>(model, tuning, rng, handlers, init)
             : detail::run_nuts<DiagonalMetric>(model, tuning, rng, handlers,
                                                init);
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_RUN_NUTS_CHAIN_HPP
