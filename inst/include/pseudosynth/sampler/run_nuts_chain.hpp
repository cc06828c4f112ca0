// One NUTS chain from start to kept draws: start, adapt, sample.
#ifndef PSEUDOSYNTH_SAMPLER_RUN_NUTS_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_RUN_NUTS_CHAIN_HPP

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "chain_length.hpp"
#include "chain_result.hpp"
#include "dual_averaging.hpp"
#include "metric.hpp"
#include "nuts.hpp"
#include "warmup.hpp"

namespace pseudosynth {

/// @brief Tuning of one chain; the defaults are Stan's.
struct NutsTuning : ChainLength {
  double adapt_delta = 0.8;
  int max_treedepth = 10;
  bool dense_metric = false;
  double stepsize = 1.0;  ///< where the search for a step size starts
};

/// @throw std::invalid_argument naming the first value out of range.
inline void validate(const NutsTuning& t) {
  validate(static_cast<const ChainLength&>(t));
  if (!(t.adapt_delta > 0 && t.adapt_delta < 1)) {
    throw std::invalid_argument("NUTS needs adapt_delta between 0 and 1.");
  }
  if (t.max_treedepth < 1 || t.max_treedepth > 20) {
    throw std::invalid_argument("NUTS needs max_treedepth from 1 to 20.");
  }
  if (!(t.stepsize > 0) || !std::isfinite(t.stepsize)) {
    throw std::invalid_argument("NUTS needs a positive stepsize.");
  }
}

namespace detail {

/// Puts the sampler on `init` if it has the right size and a finite density,
/// else on a start of the model's own.
template <class Sampler, class Model>
void place_start(Sampler& nuts, Model& model, Rng& rng, const Vector* init) {
  if (init != nullptr && init->size() == model.size() && init->allFinite()) {
    nuts.state.q = *init;
    nuts.hamiltonian.evaluate(nuts.state);
    if (std::isfinite(nuts.state.log_density)) {
      return;
    }
  }
  nuts.state.q = model.initial(rng);
  nuts.hamiltonian.evaluate(nuts.state);
  if (!std::isfinite(nuts.state.log_density)) {
    throw std::domain_error(
        "The log posterior is not finite at the start of a chain.");
  }
}

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
  place_start(nuts, model, rng, init);

  nuts.stepsize = tuning.stepsize;
  nuts.find_stepsize();
  DualAveraging averaging(tuning.adapt_delta);
  averaging.restart(nuts.stepsize);
  WarmupSchedule schedule(tuning.warmup);

  for (std::int64_t i = 0; i < tuning.iterations(); ++i) {
    const NutsTransition t = nuts.transition();
    if (t.interrupted || handlers.stop_requested()) {
      out.interrupted = true;
      break;
    }
    if (i < tuning.warmup) {
      nuts.stepsize = averaging.update(t.accept_stat);
      if (schedule.in_window(i)) {
        nuts.hamiltonian.metric.observe(nuts.state.q);
      }
      if (schedule.ends_window(i)) {
        nuts.hamiltonian.metric.adapt();
        nuts.find_stepsize();
        averaging.restart(nuts.stepsize);
      }
      if (i == tuning.warmup - 1 && averaging.has_updates()) {
        nuts.stepsize = averaging.averaged();
      }
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
