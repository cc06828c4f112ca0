// Factors merged into one: a row's codes become one cell number.
#ifndef PSEUDOSYNTH_DESIGN_FACTOR_GROUP_HPP
#define PSEUDOSYNTH_DESIGN_FACTOR_GROUP_HPP

#include <vector>

#include "../count_of.hpp"
#include "design.hpp"

namespace pseudosynth {

struct FactorGroup {
  std::vector<int> factors;
  std::vector<int> levels;  // codes of each factor
  std::vector<int> first;   // first column of each factor, that of code 1
  int n_cells = 1;
  std::vector<int> cell;                  // n_rows
  std::vector<std::vector<int>> columns;  // n_cells: columns switched on
};

/// Factors go into the first group that stays within max_cells cells.
inline std::vector<FactorGroup> group_factors(const Design& design,
                                              int max_cells) {
  std::vector<FactorGroup> groups;
  for (int f = 0; f < design.n_factors(); ++f) {
    FactorGroup* target = nullptr;
    for (FactorGroup& group : groups) {
      if (group.n_cells * design.n_levels(f) <= max_cells) {
        target = &group;
        break;
      }
    }
    if (target == nullptr) {
      groups.emplace_back();
      target = &groups.back();
    }
    target->factors.push_back(f);
    target->levels.push_back(design.n_levels(f));
    target->first.push_back(design.factor_column(f));
    target->n_cells *= design.n_levels(f);
  }
  for (FactorGroup& group : groups) {
    for (int r = 0; r < design.n_rows(); ++r) {
      int cell = 0;
      for (std::size_t f = 0; f < group.factors.size(); ++f) {
        const int column = design.active_column(r, group.factors[f]);
        const int code =
            column == design.n_columns() ? 0 : column - group.first[f] + 1;
        cell = cell * group.levels[f] + code;
      }
      group.cell.push_back(cell);
    }
    for (int cell = 0; cell < group.n_cells; ++cell) {
      std::vector<int> columns;
      int left = cell;
      for (int f = count_of(group.factors) - 1; f >= 0; --f) {
        const int code = left % group.levels[f];
        left /= group.levels[f];
        if (code > 0) columns.push_back(group.first[f] + code - 1);
      }
      group.columns.push_back(columns);
    }
  }
  return groups;
}

}  // namespace pseudosynth

#endif
