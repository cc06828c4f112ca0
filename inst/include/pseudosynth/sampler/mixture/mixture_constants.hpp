// How the moves of the mixture propose. Each is exact whatever these numbers
// are; they decide how far a chain gets in a sweep. What a user may set is in
// MixtureTuning.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_CONSTANTS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_CONSTANTS_HPP

namespace pseudosynth {

struct MixtureConstants {
  // The start: components differ from the ridge regression by so much in the
  // intercept, in residual standard deviations, and in log sigma, around a
  // scale smaller than that of all together; and what keeps a scale of records
  // that fit exactly above 0.
  static constexpr double kStartIntercept = 0.7, kStartLogSigma = 0.5;
  static constexpr double kStartNarrower = 0.7, kStartLeast = 1e-8;

  // The width of a slice of log sigma given n records: three of its standard
  // deviations, or as wide as the prior where there are this few.
  static constexpr double kSigmaSds = 3.0, kFewRecords = 4.0;
  // The width of other slices on log scales, about that of their priors.
  static constexpr double kLogWidth = 1.0;

  // Tempered transitions within a level: temperatures down to kLowest, more of
  // them for more records, none for so many that none would be accepted; the
  // step of a walk in posterior standard deviations; exchanges a temperature.
  static constexpr int kSteps = 6, kRecordsPerStep = 250, kMaxRecords = 2000;
  static constexpr double kLowest = 0.4, kWalk = 1.7;
  static constexpr int kSwaps = 3;
  // What a move costs beside its records, in records.
  static constexpr double kLevelCost = 200.0;

  // Trajectories of what is shared, in units of their metric.
  static constexpr double kSharedLength = 4.0;

  // Trajectories. The copies hold back what they are copied from: with noise
  // much smaller than the way a component's mass goes as it grows from one of
  // few records to one of many, long trajectories turn around early. Beyond
  // this the metric fits too badly and steps shrink.
  static constexpr double kMassNoise = 0.8, kScaleNoise = 0.2;
  static constexpr double kTargetAcceptance = 0.75, kFirstStep = 0.4;
  // In units of the metric, which is too stiff for overlapping components:
  // their slow directions take many times pi/2.
  static constexpr double kMeanLength = 14.0, kLargestStep = 1.0;
  static constexpr int kMaxMeanSteps = 60;
  // Steps vary by this share of themselves, so that no length is a period.
  static constexpr double kShortestStep = 0.8, kStepRange = 0.4;

  // Pairs: components whose log weights differ by more have nothing to
  // exchange. The power by which a difference shrinks: 1/2 is what records
  // alone ask for; a prior asks for less. Widths of slices of length and scale.
  static constexpr double kWidestPair = 9.0, kLargestPower = 0.6;
  static constexpr double kPairWidth = 0.2;
  // After every so manyth trajectory, since one costs a quarter of it.
  static constexpr int kPairEvery = 4;

  // The mass of one component: the largest log ratio to all others, and steps
  // for a component of many records or for one of none.
  static constexpr double kLargestMass = 300.0;
  static constexpr double kMassStep = 0.5, kMassLeap = 5.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_MIXTURE_CONSTANTS_HPP
