// What checks ask of a column of numbers, in one pass that keeps nothing.
#ifndef PSEUDOSYNTH_COLUMNS_NUMBER_FACTS_HPP
#define PSEUDOSYNTH_COLUMNS_NUMBER_FACTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../math.hpp"

namespace pseudosynth {

/// @brief The smallest and the largest number, how many have no value, and
/// whether all others are whole.
struct NumberFacts {
  double least = kInfinity, most = -kInfinity;
  std::size_t missing = 0;
  bool whole = true;

  void add(double x) {
    if (std::isnan(x)) {
      ++missing;
      return;
    }
    least = std::min(least, x);
    most = std::max(most, x);
    whole = whole && std::nearbyint(x) == x;
  }
};

inline NumberFacts number_facts(const double* x, std::size_t n) {
  NumberFacts facts;
  // Without a branch, and in lanes
  double least = kInfinity, most = -kInfinity;
  std::size_t missing = 0, broken = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool lost = std::isnan(x[i]);
    missing += lost ? 1 : 0;
    broken += !lost && std::nearbyint(x[i]) != x[i] ? 1 : 0;
    least = x[i] < least ? x[i] : least;
    most = x[i] > most ? x[i] : most;
  }
  facts.least = least;
  facts.most = most;
  facts.missing = missing;
  facts.whole = broken == 0;
  return facts;
}

/// @param lost the number that stands for none.
inline NumberFacts number_facts(const int* x, std::size_t n, int lost) {
  NumberFacts facts;
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] == lost) {
      ++facts.missing;
      continue;
    }
    const double value = x[i];
    facts.least = std::min(facts.least, value);
    facts.most = std::max(facts.most, value);
  }
  return facts;
}

/// Are all numbers multiples of a step, up to their rounding? What is not
/// finite is none.
inline bool all_on_grid(const double* x, std::size_t n, double step) {
  constexpr double kRounding = 4.0 * 2.220446049250313e-16;
  for (std::size_t i = 0; i < n; ++i) {
    const double gap = std::fabs(std::nearbyint(x[i] / step) * step - x[i]);
    if (!(gap <= kRounding * std::fabs(x[i]))) return false;
  }
  return true;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_COLUMNS_NUMBER_FACTS_HPP
