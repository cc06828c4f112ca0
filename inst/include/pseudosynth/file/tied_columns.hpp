// Columns that rules tie together: where none of them can move alone, they move
// as one, column after column in an order that asks each rule early.
#ifndef PSEUDOSYNTH_FILE_TIED_COLUMNS_HPP
#define PSEUDOSYNTH_FILE_TIED_COLUMNS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "forbidden_cells.hpp"

namespace pseudosynth {

/// @brief Columns, and the rules that are decided when each of them is set
/// after those before it.
struct TiedColumns {
  std::vector<std::size_t> column;
  std::vector<std::vector<ForbiddenCells::Place>> decided;

  std::size_t size() const { return column.size(); }
  bool has(std::size_t j) const {
    return std::find(column.begin(), column.end(), j) != column.end();
  }
};

/// @brief The columns in the order in which they are set: next is the one with
/// most rules of columns that are set already, then the one with most rules. A
/// filter comes before its questions.
/// @param columns other columns of their rules are set before.
inline TiedColumns in_order(const ForbiddenCells& forbidden,
                            std::vector<std::size_t> columns,
                            std::size_t n_columns) {
  std::vector<char> open(n_columns, 0);
  for (const std::size_t j : columns) open[j] = 1;
  // Of its columns, and of those that are not set
  const auto counts = [&](const ForbiddenCells::Place& at) {
    const std::vector<int>& all = forbidden.columns_of(at.rule);
    const auto left = std::count_if(all.begin(), all.end(),
                                    [&](int j) { return open[j] != 0; });
    return std::make_pair(all.size(), static_cast<std::size_t>(left));
  };
  TiedColumns tied;
  while (!columns.empty()) {
    auto next = columns.begin();
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (auto j = columns.begin(); j != columns.end(); ++j) {
      const auto& places = forbidden.places_of(static_cast<int>(*j));
      std::pair<std::size_t, std::size_t> own{0, places.size()};
      for (const auto& at : places) {
        const auto [all, left] = counts(at);
        own.first += left < all;
      }
      if (j == columns.begin() || own > best) {
        best = own;
        next = j;
      }
    }
    std::vector<ForbiddenCells::Place> decided;
    for (const auto& at : forbidden.places_of(static_cast<int>(*next))) {
      if (counts(at).second == 1) decided.push_back(at);
    }
    open[*next] = 0;
    tied.column.push_back(*next);
    tied.decided.push_back(std::move(decided));
    columns.erase(next);
  }
  return tied;
}

/// @brief All groups of columns, none fixed, that rules tie, through others,
/// too. A group alone is a column of which each rule has no other that moves.
inline std::vector<std::vector<std::size_t>> tied_groups(
    const std::vector<char>& fixed, const ForbiddenCells& forbidden) {
  std::vector<char> seen(fixed.begin(), fixed.end());
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t first = 0; first < fixed.size(); ++first) {
    if (seen[first] || !forbidden.concerns(static_cast<int>(first))) continue;
    std::vector<std::size_t> group{first};
    seen[first] = 1;
    for (std::size_t g = 0; g < group.size(); ++g) {
      for (const auto& at : forbidden.places_of(static_cast<int>(group[g]))) {
        for (const int k : forbidden.columns_of(at.rule)) {
          const std::size_t column = static_cast<std::size_t>(k);
          if (seen[column]) continue;
          seen[column] = 1;
          group.push_back(column);
        }
      }
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  return groups;
}

/// @brief A column and all that share a rule with it, none of them fixed.
inline std::vector<std::size_t> tied_around(std::size_t j,
                                            const std::vector<char>& fixed,
                                            const ForbiddenCells& forbidden) {
  std::vector<std::size_t> found{j};
  for (const auto& at : forbidden.places_of(static_cast<int>(j))) {
    for (const int k : forbidden.columns_of(at.rule)) {
      const std::size_t column = static_cast<std::size_t>(k);
      if (!fixed[column]) found.push_back(column);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_TIED_COLUMNS_HPP
