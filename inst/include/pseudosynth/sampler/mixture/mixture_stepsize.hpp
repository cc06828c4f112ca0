// The steps of a trajectory: how long they are, how many, and what is learnt of
// them during warmup.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_STEPSIZE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_STEPSIZE_HPP

#include <algorithm>
#include <cmath>

#include "../../rng.hpp"
#include "../dual_averaging.hpp"
#include "mixture_constants.hpp"

namespace pseudosynth {

class MixtureStepsize {
 public:
  /// @param length the mean length of trajectories, in units of their metric.
  explicit MixtureStepsize(double length)
      : length_(length), adaptation_(MixtureConstants::kTargetAcceptance) {
    adaptation_.restart(value_);
  }

  double value() const { return value_; }
  /// Steps and lengths vary, so that no direction comes round in step.
  double draw(Rng& rng) const {
    return value_ * (MixtureConstants::kShortestStep +
                     MixtureConstants::kStepRange * rng.uniform());
  }
  int draw_number(Rng& rng) const {
    // The limit comes first: where nothing is accepted the step size goes to 0,
    // and the number of steps beyond any int.
    const int mean = static_cast<int>(
        std::min(static_cast<double>(MixtureConstants::kMaxMeanSteps),
                 std::ceil(length_ / value_)));
    return 1 + rng.integer(2 * mean - 1);
  }

  /// Which only warmup may do.
  void learn(double log_ratio) {
    const double accepted =
        std::isfinite(log_ratio) ? std::exp(std::min(0.0, log_ratio)) : 0.0;
    value_ = within(adaptation_.update(accepted));
  }
  /// Ends adaptation: from here on the step size stays.
  void settle() {
    if (adaptation_.has_updates()) value_ = within(adaptation_.averaged());
  }

 private:
  static double within(double stepsize) {
    return std::min(MixtureConstants::kLargestStep, stepsize);
  }

  double length_;
  double value_ = MixtureConstants::kFirstStep;
  DualAveraging adaptation_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_MIXTURE_STEPSIZE_HPP
