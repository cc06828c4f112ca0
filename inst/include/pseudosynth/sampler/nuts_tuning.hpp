// How NUTS is set: by its caller, by where it starts, and by what it learns
// while it warms up.
#ifndef PSEUDOSYNTH_SAMPLER_NUTS_TUNING_HPP
#define PSEUDOSYNTH_SAMPLER_NUTS_TUNING_HPP

#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>

#include "../math.hpp"
#include "../rng.hpp"
#include "chain_length.hpp"
#include "dual_averaging.hpp"
#include "nuts.hpp"
#include "warmup.hpp"

namespace pseudosynth {

/// @brief Tuning of one chain; the defaults are Stan's.
struct NutsTuning : ChainLength {
  double adapt_delta = 0.8;
  int max_treedepth = 10;
  bool dense_metric = false;
  /// The dense metric's, kept as it is; null: learnt in warmup.
  std::shared_ptr<const Matrix> covariance;
  double stepsize = 1.0;  ///< where the search for a step size starts
  int scouts = 0;         ///< short chains before each, see nuts_scouts.hpp
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

/// @brief Learns the step size and the metric of a chain while it warms up.
template <class Sampler>
class NutsAdaptation {
 public:
  /// @param nuts at its start; must outlive this object.
  NutsAdaptation(Sampler& nuts, const NutsTuning& tuning, int warmup)
      : nuts_(&nuts),
        averaging_(tuning.adapt_delta),
        schedule_(warmup),
        warmup_(warmup) {
    nuts.stepsize = tuning.stepsize;
    nuts.find_stepsize();
    averaging_.restart(nuts.stepsize);
  }

  /// After iteration i (0-based) of warmup.
  void observe(const NutsTransition& t, std::int64_t i) {
    nuts_->stepsize = averaging_.update(t.accept_stat);
    if (schedule_.in_window(i)) {
      nuts_->hamiltonian.metric.observe(nuts_->state.q);
    }
    if (schedule_.ends_window(i)) {
      nuts_->hamiltonian.metric.adapt();
      nuts_->find_stepsize();
      averaging_.restart(nuts_->stepsize);
    }
    if (i == warmup_ - 1 && averaging_.has_updates()) {
      nuts_->stepsize = averaging_.averaged();
    }
  }

 private:
  Sampler* nuts_;
  DualAveraging averaging_;
  WarmupSchedule schedule_;
  int warmup_;
};

}  // namespace detail

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_NUTS_TUNING_HPP
