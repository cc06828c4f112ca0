// What a chain on a clipped target needs to cross from one mode or plateau to
// another, fixed before the chain starts.
#ifndef PSEUDOSYNTH_SAMPLER_CROSSING_MOVES_HPP
#define PSEUDOSYNTH_SAMPLER_CROSSING_MOVES_HPP

#include <vector>

#include "../math.hpp"
#include "prior_reference.hpp"
#include "student_mixture.hpp"

namespace pseudosynth {

struct CrossingMoves {
  const PriorReference* reference = nullptr;  ///< must outlive the chain
  StudentMixture mixture;                     ///< of the explored; or empty
  std::vector<Vector> points;                 ///< explored; or empty
  /// Of independence proposals: drawn from the prior given the hyperparameters,
  /// and from the mixture; the others come from the surrogate posterior.
  double prior_weight = 0.1, mixture_weight = 0.0;
  // Shares of sweeps with each move.
  double jump_share = 1.0, wide_share = 0.5, ellipse_share = 0.25;
  double level_share = 0.25;  ///< of a factor's reference level
  /// Scales of coefficients moved along with them, a sweep.
  int n_scales = 2;
  /// Moves of small groups of records, a sweep.
  int n_group_moves = 2;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_CROSSING_MOVES_HPP
