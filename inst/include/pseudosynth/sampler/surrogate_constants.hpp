// How the surrogate sampler looks for its quadratic, explores clipped targets
// and starts. Its moves are exact whatever these numbers are: they decide how
// many draws are refused, not what draws are of.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_CONSTANTS_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_CONSTANTS_HPP

namespace pseudosynth {

struct SurrogateConstants {
  // THE QUADRATIC. Rounds of linearisation, which end where the covariance and
  // the centre move by less than these shares.
  static constexpr int kFitRounds = 4;
  static constexpr double kTraceMoved = 0.05, kCentreMoved = 0.1;
  // Halvings of a step whose gradient is no number.
  static constexpr int kShorter = 8;
  // What points say little about keeps its curvature: as much as this of the
  // quadratic's covariance counts beside theirs.
  static constexpr double kKeptCurvature = 0.1;
  // Curvature of extra parameters, which have no other prior.
  static constexpr double kLeastCurvature = 0.01;

  // THE PILOT. Sweeps, at least so many and so many a parameter; the share of
  // them, one in, that is thrown away; after slices of each state.
  static constexpr int kPilot = 120, kPilotEach = 4;
  static constexpr int kPilotWarmup = 4, kSliceWarmup = 5, kPilotSlices = 4;
  // Acceptance that needs no better fit, and below which slices and moments
  // help; refits at most.
  static constexpr double kVeryClose = 0.9, kPoor = 0.5;
  static constexpr int kRefits = 3;
  // Below this draws anew are worth little: proposals keep these shares of
  // where they are.
  static constexpr double kRarely = 0.35, kKept[2] = {0.5, 0.8};
  // Above kClose they lie across the mean, which makes up for what refused ones
  // cost. Clipped models expand again below kHopeless, growing slowly.
  static constexpr double kClose = 0.7, kAcross = -0.5;
  static constexpr double kHopeless = 0.1, kSlowGrowth = 0.25;
  // The squared distance from the centre varies less with more parameters, so
  // that fewer proposals need the flat quadratic.
  static constexpr int kFewParameters = 5;
  static constexpr double kFlatOfFew = 0.25, kFlatOfMany = 0.1;
  // Slices: beyond the clip the target is flat and the quadratic is not. One
  // takes some six evaluations, a proposal one: of many records, whose
  // posterior is nearly normal, too many.
  static constexpr double kClippedSlices = 0.5, kFewSlices = 0.03;
  static constexpr int kManyRecords = 100000;
  // Log widths at which a start is looked for where all records are clipped.
  static constexpr double kNarrowest = -7.0, kWidest = 13.0, kWidths = 0.5;
  // A log density higher by this is another mode.
  static constexpr double kHigher = 1.0;

  // EXPLORATION. Up to so many parameters a chain explores, with so many
  // points: a population this small finds nothing in more that slices do not.
  static constexpr int kExplored = 12, kPoints = 300;
  // Powers from the prior to the posterior: each keeps this share of the
  // points' worth, found by so many halvings; at most so many, rounds of moves.
  static constexpr double kWorthKept = 0.5;
  static constexpr int kHalvings = 40;
  static constexpr int kMaxSteps = 60, kRounds = 3, kLastRounds = 4;
  // Moves along differences of points: whole ones now and then, else 2.38 /
  // sqrt(2 d) and down to 10^-1.5 of it (ter Braak 2006), with some noise.
  static constexpr double kWhole = 0.15, kTerBraak = 2.38, kShortest = 1.5;
  static constexpr double kNoise = 1e-3;
  // Components of what was found, and the share of all weight that they get.
  static constexpr int kComponents = 6;
  static constexpr double kFoundShare = 0.25;
  // Fits that are exact for a few records, and how many of them are followed;
  // fewer where there are more parameters than explored, and then only those
  // less than kAboutAsHigh below the mode and kElsewhere away from it.
  static constexpr int kFits = 60, kKeptFits = 10;
  static constexpr int kFewerFits = 40, kFewerKept = 3;
  static constexpr double kAboutAsHigh = 10.0, kElsewhere = 1.0;
  // Their log widths; two this near are one.
  static constexpr double kFitWidths = 1.0, kSame = 1e-6;
  // Sweeps of slices around each: so many and so many a parameter; the width of
  // a slice, in units of the prior; every so manyth state is kept as a point.
  static constexpr int kAround = 10, kAroundEach = 4, kThinned = 4;
  static constexpr double kSliceWidth = 0.1;
  // Rounds of importance sampling, and what is drawn wide in them.
  static constexpr int kImproved = 3;
  static constexpr double kPriorShare = 0.1;
  // The exact fit of more columns takes too long.
  static constexpr int kExactColumns = 100;

  // CROSSING beyond kExplored, where nothing was explored: much of every move
  // if the pilot accepted less than this (of a hierarchical prior, whose far
  // tails good proposals need not reach; of another), else little.
  static constexpr double kHardHierarchical = 0.8, kHard = 0.5;
  static constexpr double kEasyJumps = 0.1, kEasyWide = 0.05;
  static constexpr int kHardScales = 4;
  static constexpr double kHardLevels = 0.5;
  // Share of jumps that go to what was explored; less where that is only part.
  static constexpr double kToExplored = 0.7, kToPart = 0.4, kWideOfPart = 0.5;

  // SWEEPS A DRAW, where pairs of chains tell. Independence proposals of which
  // a share a is accepted repeat themselves (2 - a) / a times: so many of these
  // leave 1,600 of 4,000 draws independent. Pairs that take longer than kMeet
  // sweeps to meet seldom cross between modes. With more parameters than are
  // explored the way from the prior alone takes longer, and now and then a draw
  // is repeated often, whatever share is accepted: with one sweep a draw 4 of
  // 12 fits to 5,478 records had too few independent draws in their tails.
  static constexpr double kRepeats = 0.6;
  static constexpr double kMeet = 10.0, kMeetOfMany = 40.0;
  static constexpr int kLeastOfMany = 2;

  // STARTS. Draws of the prior that are tried for one of finite density.
  static constexpr int kPriorTries = 100;
  // Else twice as far out as the posterior, drawn in by a factor each time.
  static constexpr double kFarOut = 2.0, kDrawnIn = 0.7;
  static constexpr int kStartTries = 40;
  // Sweeps with a slice along every axis: the quadratic may be poor where a
  // chain starts.
  static constexpr int kSliced = 10, kSlicedClose = 2;
};

/// A mixture of t distributions fitted to points.
struct StudentMixtureConstants {
  // Tails that an independence proposal needs, with a variance.
  static constexpr double kDf = 5.0;
  static constexpr int kRounds = 30;
  // Points that a component needs: so many a parameter, and one.
  static constexpr double kLeastPoints = 1.5;
  // Of what all points vary by: a component of few has no direction of none.
  static constexpr double kOverall = 1e-6;
  // Keeps the covariance of points that are all alike positive definite.
  static constexpr double kAlike = 1e-12, kNearlyAlike = 1e-9;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_CONSTANTS_HPP
