// Pairs of coupled chains with a lag, whose meeting times bound how far the law
// of a chain is from its target (Biswas, Jacob and Vanetti 2019): both start at
// draws of the prior, one is ahead by some sweeps, and every later sweep uses
// the same random numbers in both. They meet where both accept the same
// independence proposal, and stay together. Under the hierarchical prior these
// propose theta and tau; the correlations follow, whose update does not depend
// on where they were. How much they accept and how soon they meet also tells
// how many sweeps a draw needs.
#ifndef PSEUDOSYNTH_SAMPLER_LAGGED_PAIRS_HPP
#define PSEUDOSYNTH_SAMPLER_LAGGED_PAIRS_HPP

#include <cstdint>
#include <memory>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"
#include "surrogate_chain.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

struct PairLength {
  int pairs = 5;
  int lag = 25;        ///< sweeps by which one is ahead
  int longest = 1000;  ///< coupled sweeps after which a pair is given up
};

/// What pairs of chains have shown.
struct PairsSeen {
  /// Coupled sweeps until each pair met, +Inf where it did not.
  std::vector<double> meeting;
  /// Mean probability of acceptance of the chain ahead, near the posterior.
  double accepted = 0.0;
};

/// For chains with independence proposals that do not depend on their state.
/// @param place puts a chain at its start; false if there is none.
template <class Place>
PairsSeen lagged_pairs(SurrogateModel& model, const SurrogateProposal& proposal,
                       const CrossingMoves& crossing, const PairLength& length,
                       std::uint64_t seed, std::uint64_t stream,
                       Place&& place) {
  const std::unique_ptr<SurrogateModel> twin = model.clone();
  PairsSeen out;
  for (int pair = 0; pair < length.pairs; ++pair) {
    // The words of one stream are the seeds of the sweeps
    Rng seeds(seed, stream + static_cast<std::uint64_t>(pair));
    Rng one(seeds.bits()), other(seeds.bits());
    SurrogateChain ahead(model, proposal, one, &crossing);
    SurrogateChain behind(*twin, proposal, other, &crossing);
    double met = kInfinity;
    if (place(ahead, one) && place(behind, other)) {
      // The first half takes it from the prior to the posterior
      for (int t = 0; t < length.lag; ++t) {
        const double accepted = ahead.sweep();
        if (2 * t < length.lag) continue;
        out.accepted += accepted / (length.pairs * (length.lag / 2));
      }
      for (int t = 1; t <= length.longest && met == kInfinity; ++t) {
        one = Rng(seeds.bits());
        other = one;
        ahead.sweep();
        behind.sweep();
        if (ahead.at.is_where(behind.at)) met = t;
      }
    }
    out.meeting.push_back(met);
  }
  return out;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_LAGGED_PAIRS_HPP
