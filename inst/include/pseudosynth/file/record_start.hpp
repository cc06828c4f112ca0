// Where the fitting of records starts: every cell from its column's margin, no
// rule broken.
#ifndef PSEUDOSYNTH_FILE_RECORD_START_HPP
#define PSEUDOSYNTH_FILE_RECORD_START_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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
    for (const int j : moved_) {
      if (task.forbidden.concerns(j)) ruled_.push_back(j);
    }
    decided_.resize(ruled_.size() + 1);
    for (std::size_t r = 0; r < task.forbidden.size(); ++r) {
      std::size_t last = 0;
      for (const int j : task.forbidden.columns_of(r)) {
        const auto at = std::find(ruled_.begin(), ruled_.end(), j);
        if (at == ruled_.end()) continue;
        last =
            std::max(last, static_cast<std::size_t>(at - ruled_.begin()) + 1);
      }
      decided_[last].push_back(r);
    }
  }

  /// @param record its fixed cells set.
  /// @return false where it was stopped.
  /// @throw RuleUnmet where no other cells make it an allowed one.
  bool draw(std::uint16_t* record, Rng& rng,
            const std::function<bool()>& should_stop) const {
    // A draw given that it is allowed; where that is rare, any allowed one
    for (int trial = 0; trial < 200; ++trial) {
      for (const int j : moved_)
        record[j] = level(sums_[static_cast<std::size_t>(j)], rng);
      if (!task_.forbidden.broken(record)) return true;
    }
    bool stopped = false;
    const auto ask = [&] { return stopped = should_stop && should_stop(); };
    if (!search(record, 0, rng, ask)) {
      if (stopped) return false;
      throw RuleUnmet();
    }
    return true;
  }

 private:
  static std::uint16_t level(const std::vector<double>& sums, Rng& rng) {
    const double u = rng.uniform() * sums.back();
    const auto at = std::upper_bound(sums.begin(), sums.end() - 1, u);
    return static_cast<std::uint16_t>(at - sums.begin());
  }

  /// Every combination of the ruled cells from place `k` on, each column's
  /// levels from one of its margin. A rule is asked as soon as its cells are
  /// set.
  template <class Stop>
  bool search(std::uint16_t* record, std::size_t k, Rng& rng,
              const Stop& stopped) const {
    for (const std::size_t r : decided_[k]) {
      if (task_.forbidden.broken_by(r, record)) return false;
    }
    if (k == ruled_.size()) return true;
    if (stopped()) return false;
    const std::size_t column = static_cast<std::size_t>(ruled_[k]);
    const int L = task_.levels[column];
    const int from = level(sums_[column], rng);
    for (int v = 0; v < L; ++v) {
      record[column] = static_cast<std::uint16_t>((from + v) % L);
      if (search(record, k + 1, rng, stopped)) return true;
    }
    return false;
  }

  const FittingTask& task_;
  std::vector<int> moved_;
  // Those that a rule concerns, and the rules that are decided when so many of
  // them are set
  std::vector<int> ruled_;
  std::vector<std::vector<std::size_t>> decided_;
  std::vector<std::vector<double>> sums_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_START_HPP
