// Combinations of levels that no record may have.
#ifndef PSEUDOSYNTH_FILE_FORBIDDEN_CELLS_HPP
#define PSEUDOSYNTH_FILE_FORBIDDEN_CELLS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coded_file.hpp"

namespace pseudosynth {

/// @brief Rules, each the forbidden cells of a table of a few columns.
class ForbiddenCells {
 public:
  explicit ForbiddenCells(std::size_t n_columns) : of_column_(n_columns) {}

  /// @param cells forbidden ones, in the order of `columns`' table.
  /// @throw std::overflow_error for a table of more than 2^27 cells.
  void add(const CrossedColumns& columns,
           const std::vector<std::size_t>& cells) {
    if (columns.cells > (std::size_t{1} << 27))
      throw std::overflow_error("a rule crosses too many levels");
    std::vector<char> forbidden(columns.cells, 0);
    for (const std::size_t c : cells) forbidden.at(c) = 1;
    const std::size_t rule = rules_.size();
    rules_.push_back({columns, std::move(forbidden)});
    for (std::size_t a = 0; a < columns.size(); ++a) {
      of_column_[columns.column[a]].push_back({rule, columns.stride[a]});
    }
  }

  bool empty() const { return rules_.empty(); }
  bool concerns(int column) const { return !of_column_[column].empty(); }

  std::size_t size() const { return rules_.size(); }
  const std::vector<int>& columns_of(std::size_t rule) const {
    return rules_[rule].columns.column;
  }

  /// Does a record break a rule? @param record levels from 0, of all columns.
  bool broken(const std::uint16_t* record) const {
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      if (broken_by(r, record)) return true;
    }
    return false;
  }

  /// The same of one rule. @param record is read in its columns alone.
  bool broken_by(std::size_t r, const std::uint16_t* record) const {
    return rules_[r].forbidden[cell(rules_[r].columns, record)] != 0;
  }

  /// A rule of a column, and how far apart its levels' cells are.
  struct Place {
    std::size_t rule, stride;
  };
  const std::vector<Place>& places_of(int column) const {
    return of_column_[column];
  }

  /// Levels of `column` that would break the rule get `barrier`.
  void bar(const Place& at, const std::uint16_t* record, int column, int levels,
           double barrier, double* bars) const {
    const Rule& rule = rules_[at.rule];
    const std::size_t here =
        cell(rule.columns, record) - at.stride * record[column];
    for (int v = 0; v < levels; ++v) {
      if (rule.forbidden[here + at.stride * static_cast<std::size_t>(v)])
        bars[v] = barrier;
    }
  }

 private:
  struct Rule {
    CrossedColumns columns;
    std::vector<char> forbidden;
  };

  static std::size_t cell(const CrossedColumns& columns,
                          const std::uint16_t* record) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < columns.size(); ++a)
      at += columns.stride[a] * record[columns.column[a]];
    return at;
  }

  std::vector<Rule> rules_;
  std::vector<std::vector<Place>> of_column_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_FORBIDDEN_CELLS_HPP
