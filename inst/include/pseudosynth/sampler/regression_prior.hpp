// Priors of b as samplers with conditional draws of it take them.
#ifndef PSEUDOSYNTH_SAMPLER_REGRESSION_PRIOR_HPP
#define PSEUDOSYNTH_SAMPLER_REGRESSION_PRIOR_HPP

#include "../math.hpp"

namespace pseudosynth {

/// Normal or hierarchical prior of b.
struct RegressionPrior {
  bool hierarchical = false;
  Vector location, scale;                           // normal
  double lkj = 1.0, tau_df = 3.0, tau_scale = 1.0;  // hierarchical
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_REGRESSION_PRIOR_HPP
