// Columns that rules tie together, and the combinations of their levels that
// the rules allow: where no cell can move alone, they move as one.
#ifndef PSEUDOSYNTH_FILE_TIED_COLUMNS_HPP
#define PSEUDOSYNTH_FILE_TIED_COLUMNS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "forbidden_cells.hpp"

namespace pseudosynth {

/// @brief Three or more columns, none fixed, each of which shares a rule with
/// another one.
struct TiedColumns {
  std::vector<std::size_t> column;
  /// Allowed combinations, one after the other, as far as rules that have no
  /// fixed column say.
  std::vector<std::uint16_t> combination;
  /// Rules with a fixed column, too.
  std::vector<std::size_t> rule;

  std::size_t n_combinations() const {
    return combination.size() / column.size();
  }
};

namespace detail {

/// Depth first, a rule asked as soon as its columns are set.
class CombinationSearch {
 public:
  /// @param most combinations, and `most_steps` levels set.
  CombinationSearch(const std::vector<int>& levels,
                    const ForbiddenCells& forbidden, std::size_t most,
                    std::size_t most_steps)
      : levels_(levels),
        forbidden_(forbidden),
        most_(most),
        steps_(most_steps),
        record_(levels.size(), 0) {}

  /// @return false where there are more than asked for.
  bool fill(TiedColumns& tied, const std::vector<std::size_t>& rules) {
    decided_.assign(tied.column.size() + 1, {});
    for (const std::size_t r : rules) {
      std::size_t last = 0;
      for (const int j : forbidden_.columns_of(r)) {
        const auto at = std::find(tied.column.begin(), tied.column.end(),
                                  static_cast<std::size_t>(j));
        last = std::max(last,
                        static_cast<std::size_t>(at - tied.column.begin()) + 1);
      }
      decided_[last].push_back(r);
    }
    return step(tied, 0);
  }

 private:
  bool step(TiedColumns& tied, std::size_t k) {
    for (const std::size_t r : decided_[k]) {
      if (forbidden_.broken_by(r, record_.data())) return true;
    }
    if (k == tied.column.size()) {
      if (tied.n_combinations() == most_) return false;
      for (const std::size_t j : tied.column)
        tied.combination.push_back(record_[j]);
      return true;
    }
    const std::size_t j = tied.column[k];
    for (int v = 0; v < levels_[j]; ++v) {
      if (steps_-- == 0) return false;
      record_[j] = static_cast<std::uint16_t>(v);
      if (!step(tied, k + 1)) return false;
    }
    return true;
  }

  const std::vector<int>& levels_;
  const ForbiddenCells& forbidden_;
  std::size_t most_, steps_;
  std::vector<std::uint16_t> record_;
  std::vector<std::vector<std::size_t>> decided_;
};

/// The smallest column that each is tied to, through others, too.
inline std::vector<std::size_t> tied_to(const std::vector<char>& fixed,
                                        const ForbiddenCells& forbidden) {
  std::vector<std::size_t> root(fixed.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t r = 0; r < forbidden.size(); ++r) {
      std::size_t least = fixed.size();
      for (const int j : forbidden.columns_of(r)) {
        const std::size_t own = static_cast<std::size_t>(j);
        if (!fixed[own]) least = std::min(least, root[own]);
      }
      for (const int j : forbidden.columns_of(r)) {
        const std::size_t own = static_cast<std::size_t>(j);
        if (fixed[own] || root[own] == least) continue;
        root[own] = least;
        changed = true;
      }
    }
  }
  return root;
}

}  // namespace detail

/// @brief All groups of tied columns with at most `most` combinations.
inline std::vector<TiedColumns> find_tied_columns(
    const std::vector<int>& levels, const std::vector<char>& fixed,
    const ForbiddenCells& forbidden, std::size_t most,
    std::size_t most_steps = 1000000) {
  const std::vector<std::size_t> root = detail::tied_to(fixed, forbidden);
  std::vector<TiedColumns> groups;
  for (std::size_t first = 0; first < levels.size(); ++first) {
    TiedColumns tied;
    for (std::size_t j = first; j < levels.size(); ++j) {
      if (!fixed[j] && root[j] == first) tied.column.push_back(j);
    }
    if (tied.column.size() < 3) continue;
    std::vector<std::size_t> inner;
    for (std::size_t r = 0; r < forbidden.size(); ++r) {
      bool own = false, other = false;
      for (const int j : forbidden.columns_of(r)) {
        const std::size_t column = static_cast<std::size_t>(j);
        if (fixed[column])
          other = true;
        else if (root[column] == first)
          own = true;
      }
      if (own) (other ? tied.rule : inner).push_back(r);
    }
    detail::CombinationSearch search(levels, forbidden, most, most_steps);
    if (search.fill(tied, inner)) groups.push_back(std::move(tied));
  }
  return groups;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_TIED_COLUMNS_HPP
