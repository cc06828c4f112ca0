// The surrogate sampler, for every model but a mixture, and the grid, for those
// of up to three parameters: in one file, since both look for modes and update
// hyperparameters.

#include <pseudosynth/sampler/run_grid_chain.hpp>
#include <pseudosynth/sampler/run_surrogate_chain.hpp>

#include "sampling.h"

namespace binding {

namespace {

/// How far sum_i g_i can move: the intervals of all records with a weight.
double range_of(const ps::Records& records) {
  if (!records.censor.active) return ps::kInfinity;
  double n = 0.0;
  for (const double alpha : records.alpha) n += alpha > 0.0 ? 1.0 : 0.0;
  return n * (records.censor.upper - records.censor.lower);
}

}  // namespace

Sampling surrogate_sampling(std::unique_ptr<ps::SurrogateModel> model,
                            const Control& control,
                            const std::function<bool()>& should_stop) {
  const auto setup = std::make_shared<const ps::SurrogateSetup>(
      std::move(model), control.seed, control.start(0), should_stop);
  return {
      [=](int chain, const ps::ChainHandlers& handlers) {
        return ps::run_surrogate_chain(*setup, control.length, control.seed,
                                       chain, handlers, control.start(chain),
                                       control.most_sweeps.value_or(0));
      },
      static_cast<std::int64_t>(control.length.warmup) + control.length.draws};
}

Sampling grid_sampling(std::unique_ptr<ps::SurrogateModel> model,
                       const ps::Records& records, const Control& control,
                       const std::function<bool()>& should_stop) {
  const auto setup = std::make_shared<const ps::GridSetup>(
      std::move(model), range_of(records), control.seed, should_stop);
  Sampling sampling{[=](int chain, const ps::ChainHandlers& handlers) {
                      return ps::run_grid_chain(*setup, control.length,
                                                control.seed, chain, handlers);
                    },
                    control.length.draws};
  sampling.grid = [=] {
    return NamedFigures{{"cells", static_cast<double>(setup->grid().n_cells())},
                        {"unresolved", setup->unresolved()}};
  };
  return sampling;
}

}  // namespace binding
