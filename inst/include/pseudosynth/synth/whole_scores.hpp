// Scores of records as whole numbers: clipped, and rounded with halves up.
#ifndef PSEUDOSYNTH_SYNTH_WHOLE_SCORES_HPP
#define PSEUDOSYNTH_SYNTH_WHOLE_SCORES_HPP

#include <algorithm>
#include <cmath>

namespace pseudosynth {

/// @brief What a record adds to the sums of a step. A score that has no value
/// adds nothing.
struct WholeScore {
  double q;      // -steps .. steps
  bool counted;  // above its lowest and below the clip

  /// @param clip in the score's own unit, `steps` in whole ones.
  WholeScore(double score, double clip, double lowest, double steps)
      : q(0.0), counted(score > lowest && score < clip) {
    const double share = score / clip;
    if (std::isnan(share)) return;
    q = std::floor(std::min(std::max(share, -1.0), 1.0) * steps + 0.5);
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SYNTH_WHOLE_SCORES_HPP
