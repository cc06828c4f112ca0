// What NUTS does not let its user choose. Stan's values are kept, so that a
// chain here does what a reader of Stan's manual expects.
#ifndef PSEUDOSYNTH_SAMPLER_NUTS_CONSTANTS_HPP
#define PSEUDOSYNTH_SAMPLER_NUTS_CONSTANTS_HPP

namespace pseudosynth {

struct NutsConstants {
  // A trajectory whose energy is off by this much has left the posterior: its
  // points would have a weight of exp(-1000). Stan's.
  static constexpr double kMaxEnergyError = 1000.0;
  // The first step size is doubled or halved until one step's acceptance
  // crosses this (Hoffman and Gelman 2014), within what is still a step.
  static constexpr double kFirstAcceptance = 0.8;
  static constexpr double kSmallestStep = 1e-12, kLargestStep = 1e7;

  // Dual averaging (Hoffman and Gelman 2014, section 3.2.1): shrinkage, early
  // iterations that count less, how fast the average forgets. Stan's.
  static constexpr double kGamma = 0.05, kOffset = 10.0, kKappa = 0.75;
  // Where the search starts, in first step sizes: too large is found out fast.
  static constexpr double kStartsAt = 10.0;

  // Iterations of warmup without a metric, of the first window that learns one
  // (each next is twice as long), and of the end, for the step size. Stan's.
  static constexpr int kFirst = 75, kWindow = 25, kLast = 50;
  // A window's variances count as if so many more draws had said kUnit. Stan's.
  static constexpr double kPriorDraws = 5.0, kUnit = 1e-3;

  // Scouts, of clipped models alone. Above so many parameters no jump to where
  // one was is accepted.
  static constexpr int kMostScouted = 20;
  // Long enough for a metric of one window and for a covariance; draws are at
  // least so many and so many a parameter.
  static constexpr int kScoutWarmup = 150, kScoutKept = 100;
  static constexpr int kScoutKeptEach = 6;
  // Jumps after each transition: about what a short trajectory costs.
  static constexpr int kJumps = 4;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_NUTS_CONSTANTS_HPP
