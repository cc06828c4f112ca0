// How the grid is laid, split and drawn from. None of it changes the law of a
// draw but by what `unresolved` and `excess` report.
#ifndef PSEUDOSYNTH_SAMPLER_GRID_CONSTANTS_HPP
#define PSEUDOSYNTH_SAMPLER_GRID_CONSTANTS_HPP

namespace pseudosynth {

struct GridConstants {
  // Points of the first grid along each axis, by the number of axes: so dense
  // that few modes fall between them, and some ten thousand in all.
  static constexpr int n_first(int axes) {
    return axes == 1 ? 2048 : axes == 2 ? 128 : 32;
  }
  // A cell's half keeps so much of what the whole varied by: it may have seen
  // less than there is.
  static constexpr double kInherited = 0.25;
  // So often the axis that varies most waits for another.
  static constexpr int kOthersTurn = 4;
  // On top of half the variation that a cell has seen: what it has not.
  static constexpr double kHeadroom = 0.05;
  // A neighbour wider than this, in units of the cell, is split first.
  static constexpr double kWider = 1.5;
  // A point beyond a face, in units of the cell.
  static constexpr double kHair = 1e-9;
  // Halvings along an axis after which doubles end.
  static constexpr int kMostHalvings = 50;
  // Rounds in which cells ask neighbours: a narrow plateau is followed from
  // cell to cell, one a round.
  static constexpr int kRounds = 200;
  // Splits between two sums over all cells, and evaluations between two
  // questions whether to stop: neither takes a noticeable share of time.
  static constexpr int kSummed = 2048, kAsked = 256;

  // Draws refused in a row, and points given up, after which the grid says that
  // it does not resolve the density.
  static constexpr int kMostTries = 5000, kMostGivenUp = 5;

  // Nodes at which a hierarchical prior's tau is summed out: the sum is exact
  // to rounding for a smooth density.
  static constexpr int kNodes = 161;

  // Searches uphill for modes, exact fits of few records, and how many of these
  // seed the grid.
  static constexpr int kStarts = 24, kFits = 60, kKept = 20;
  // How far from the middle of the data a search may start, on the log scale.
  static constexpr double kStartSd = 2.0;
  // Log widths of the records around an exact fit, in steps of.
  static constexpr double kNarrowest = -8.0, kWidest = 14.0, kWidths = 0.5;
  // Cells are finest within this of the mode, in units of the prior.
  static constexpr double kFinest = 0.02;
  // Steps out along an axis grow by this factor, at most so often.
  static constexpr double kGrowth = 1.5;
  static constexpr int kMostSteps = 60;
  // A log density lower by this is no mass; exp() of a log scale beyond this is
  // no number.
  static constexpr double kNegligible = 60.0, kLargestLog = 500.0;
  // A share of mass at an end of the grid that moves the end out, by a factor
  // of 2 each time, at most so often.
  static constexpr double kAtEnd = 1e-7;
  static constexpr int kMostWidened = 12;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_GRID_CONSTANTS_HPP
