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
#include "tied_columns.hpp"

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
      std::vector<double> sums;
      double total = 0.0;
      for (const double count : margins[j])
        sums.push_back(total += std::max(count, 0.0));
      if (!task.fixed[j] && !(total > 0.0))
        throw std::invalid_argument("a margin holds nothing");
      sums_.push_back(sums);
    }
    for (std::size_t r = 0; r < task.forbidden.size(); ++r) {
      const std::vector<int>& all = task.forbidden.columns_of(r);
      if (std::all_of(all.begin(), all.end(),
                      [&](int j) { return task.fixed[j] != 0; }))
        given_.push_back(r);
    }
    std::vector<std::size_t> ruled;
    for (std::size_t j = 0; j < task.levels.size(); ++j) {
      if (task.fixed[j]) continue;
      (task.forbidden.concerns(static_cast<int>(j)) ? ruled : free_)
          .push_back(j);
    }
    ruled_ = in_order(task.forbidden, ruled, task.levels.size());
  }

  /// @param record its fixed cells set.
  /// @return false where it was stopped.
  /// @throw RuleUnmet where no other cells make it an allowed one.
  bool draw(std::uint16_t* record, Rng& rng,
            const std::function<bool()>& should_stop) const {
    for (const std::size_t r : given_) {
      if (task_.forbidden.broken_by(r, record)) throw RuleUnmet();
    }
    for (const std::size_t j : free_) record[j] = level(sums_[j], rng);
    // A draw given that it is allowed; where that is rare, any allowed one
    for (int trial = 0; trial < 200; ++trial) {
      if (is_drawn(record, rng)) return true;
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

  /// Each ruled cell from its margin, until a rule is broken.
  bool is_drawn(std::uint16_t* record, Rng& rng) const {
    for (std::size_t k = 0; k < ruled_.size(); ++k) {
      const std::size_t j = ruled_.column[k];
      record[j] = level(sums_[j], rng);
      if (breaks(record, k)) return false;
    }
    return true;
  }

  /// Is a rule broken that is decided when the ruled cells up to place `k` are
  /// set?
  bool breaks(const std::uint16_t* record, std::size_t k) const {
    const auto& decided = ruled_.decided[k];
    return std::any_of(decided.begin(), decided.end(),
                       [&](const ForbiddenCells::Place& at) {
                         return task_.forbidden.broken_by(at.rule, record);
                       });
  }

  /// Every combination of the ruled cells from place `k` on, each column's
  /// levels from one of its margin. A rule is asked as soon as its cells are
  /// set.
  template <class Stop>
  bool search(std::uint16_t* record, std::size_t k, Rng& rng,
              const Stop& stopped) const {
    if (k == ruled_.size()) return true;
    if (stopped()) return false;
    const std::size_t column = ruled_.column[k];
    const int L = task_.levels[column];
    const int from = level(sums_[column], rng);
    for (int v = 0; v < L; ++v) {
      record[column] = static_cast<std::uint16_t>((from + v) % L);
      if (!breaks(record, k) && search(record, k + 1, rng, stopped))
        return true;
    }
    return false;
  }

  const FittingTask& task_;
  // Rules of fixed columns alone; columns without a rule, and with one
  std::vector<std::size_t> given_, free_;
  TiedColumns ruled_;
  std::vector<std::vector<double>> sums_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_RECORD_START_HPP
