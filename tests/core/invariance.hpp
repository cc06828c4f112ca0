// What the programs that test the invariance of single moves share.
//
// A sampler is right if each of its moves leaves the target as it is. Each move
// is tested alone: exact draws of the target, a few moves from each, and the
// mean of every quantity must be what it was. Draws are independent, so that
// the standard error of a mean difference is known. They may carry weights.
#ifndef PSEUDOSYNTH_TESTS_CORE_INVARIANCE_HPP
#define PSEUDOSYNTH_TESTS_CORE_INVARIANCE_HPP

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "pseudosynth/math.hpp"
#include "pseudosynth/rng.hpp"

namespace invariance {

/// Moves per test: the first argument of the program, else a number that takes
/// seconds.
inline long moves_asked(int argc, char** argv, long quick) {
  return argc > 1 ? std::atol(argv[1]) : quick;
}

template <class State>
struct Draw {
  double weight;
  State state;
};

/// Exact draws of a posterior: draws of the prior, kept in proportion to the
/// likelihood. What is above the largest value of a pilot is kept at a weight,
/// which makes means exact all the same.
/// @tparam Problem has draw_prior(rng, state) and log_lik(state).
template <class State, class Problem>
std::vector<Draw<State>> exact_draws(const Problem& problem, long n,
                                     pseudosynth::Rng& rng) {
  State state;
  double largest = -pseudosynth::kInfinity;
  for (int s = 0; s < 20000; ++s) {
    problem.draw_prior(rng, state);
    largest = std::fmax(largest, problem.log_lik(state));
  }
  std::vector<Draw<State>> out;
  while (static_cast<long>(out.size()) < n) {
    problem.draw_prior(rng, state);
    const double excess = problem.log_lik(state) - largest;
    if (excess > 0.0)
      out.push_back({std::exp(excess), state});
    else if (std::log(rng.uniform()) < excess)
      out.push_back({1.0, state});
  }
  return out;
}

/// Differences of quantities after and before some moves.
class Differences {
 public:
  void add(double weight, const std::vector<double>& before,
           const std::vector<double>& after, bool changed) {
    if (sum_.empty()) {
      sum_.assign(before.size(), 0.0);
      squares_.assign(before.size(), 0.0);
    }
    for (std::size_t q = 0; q < before.size(); ++q) {
      const double d = weight * (after[q] - before[q]);
      sum_[q] += d;
      squares_[q] += d * d;
    }
    ++n_;
    changed_ += changed;
  }

  /// Mean difference of a quantity in standard errors.
  double z(std::size_t q) const {
    // Nothing has moved this one.
    if (squares_[q] == 0.0) return 0.0;
    const double mean = sum_[q] / n_;
    const double variance = squares_[q] / n_ - mean * mean;
    return mean / std::sqrt(variance / n_);
  }

  /// The quantity that is farthest from 0, or one that is not finite.
  std::size_t worst() const {
    std::size_t at = 0;
    for (std::size_t q = 0; q < sum_.size(); ++q) {
      if (std::isnan(z(q))) return q;
      if (std::fabs(z(q)) > std::fabs(z(at))) at = q;
    }
    return at;
  }

  /// The share of draws that some move changed.
  double changed() const { return static_cast<double>(changed_) / n_; }

 private:
  std::vector<double> sum_, squares_;
  long n_ = 0, changed_ = 0;
};

/// Prints one line a move and counts failures.
class Report {
 public:
  void add(const std::string& problem, const std::string& move, long n_moves,
           const Differences& seen, const std::vector<std::string>& names) {
    const std::size_t at = seen.worst();
    const double z = seen.z(at);
    // A move that never moves is invariant, too.
    const bool good = std::fabs(z) < kLimit && seen.changed() > 0.001;
    failures_ += !good;
    ++lines_;
    const double size = std::fabs(z);
    largest_ = size > largest_ || z != z ? size : largest_;
    std::printf("%s %-26s %-14s %9ld moves, %5.1f%% moved, z %5.2f (%s)\n",
                good ? "ok  " : "FAIL", problem.c_str(), move.c_str(), n_moves,
                100.0 * seen.changed(), z, names[at].c_str());
    std::fflush(stdout);
  }
  /// A test statistic found elsewhere.
  void add_z(const std::string& problem, const std::string& what, double z) {
    const bool good = std::fabs(z) < kLimit;
    failures_ += !good;
    ++lines_;
    largest_ = std::fmax(largest_, std::fabs(z));
    std::printf("%s %-26s %-14s z %5.2f\n", good ? "ok  " : "FAIL",
                problem.c_str(), what.c_str(), z);
  }
  int status() const {
    std::printf("%d moves of samplers, %d not invariant, largest |z| %.2f\n",
                lines_, failures_, largest_);
    return failures_ == 0 ? 0 : 1;
  }

 private:
  static constexpr double kLimit = 4.0;
  int lines_ = 0, failures_ = 0;
  double largest_ = 0.0;
};

}  // namespace invariance

#endif
