// Where the fitting of records starts: every cell from its column's margin, no
// rule broken.
#ifndef PSEUDOSYNTH_FILE_RECORD_START_HPP
#define PSEUDOSYNTH_FILE_RECORD_START_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../rng.hpp"
#include "record_fitting.hpp"

namespace pseudosynth {

/// A record breaks a rule whatever its cells that are not fixed are.
struct RuleUnmet : std::runtime_error {
  RuleUnmet() : std::runtime_error("a record cannot meet the rules") {}
};

/// @brief Draws the cells that are not fixed.
class RecordStart {
 public:
  /// @param margins counts by column and level, of each column some above 0.
  RecordStart(const FittingTask& task,
              const std::vector<std::vector<double>>& margins)
      : task_(task) {
    for (std::size_t j = 0; j < task.levels.size(); ++j) {
      if (margins[j].size() != static_cast<std::size_t>(task.levels[j]))
        throw std::invalid_argument("a margin differs from its column");
      if (!task.fixed[j]) moved_.push_back(static_cast<int>(j));
      std::vector<double> sums;
      double total = 0.0;
      for (const double count : margins[j])
        sums.push_back(total += std::max(count, 0.0));
      if (!task.fixed[j] && !(total > 0.0))
        throw std::invalid_argument("a margin holds nothing");
      sums_.push_back(sums);
    }
  }

  /// @param record its fixed cells set.
  /// @throw RuleUnmet where no other cells make it an allowed one.
  void draw(std::uint16_t* record, Rng& rng) const {
    // A draw given that it is allowed; where that is rare, any allowed one
    for (int trial = 0; trial < 200; ++trial) {
      for (const int j : moved_)
        record[j] = level(sums_[static_cast<std::size_t>(j)], rng);
      if (!task_.forbidden.broken(record)) return;
    }
    std::vector<int> ruled;
    for (const int j : moved_) {
      if (task_.forbidden.concerns(j)) ruled.push_back(j);
    }
    if (!search(record, ruled, 0, rng)) throw RuleUnmet();
  }

 private:
  static std::uint16_t level(const std::vector<double>& sums, Rng& rng) {
    const double u = rng.uniform() * sums.back();
    const auto at = std::upper_bound(sums.begin(), sums.end() - 1, u);
    return static_cast<std::uint16_t>(at - sums.begin());
  }

  /// Every combination of the cells from place `k` on, each column's levels
  /// from a random one.
  bool search(std::uint16_t* record, const std::vector<int>& ruled,
              std::size_t k, Rng& rng) const {
    if (k == ruled.size()) return !task_.forbidden.broken(record);
    const int L = task_.levels[static_cast<std::size_t>(ruled[k])];
    const int from = rng.integer(L);
    for (int v = 0; v < L; ++v) {
      record[ruled[k]] = static_cast<std::uint16_t>((from + v) % L);
      if (search(record, ruled, k + 1, rng)) return true;
    }
    return false;
  }

  const FittingTask& task_;
  std::vector<int> moved_;
  std::vector<std::vector<double>> sums_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_START_HPP
