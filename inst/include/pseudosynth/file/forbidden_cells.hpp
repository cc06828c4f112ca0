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
      of_column_[columns.column[a]].push_back(place_of(rule, a));
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
    return rules_[r].forbidden[rules_[r].columns.cell(record)] != 0;
  }

  /// What a rule says of one of its columns, given the others.
  struct Place {
    std::size_t rule, stride, levels;
    struct Other {
      std::size_t column, stride, step;
    };
    /// The rule's other columns: how far apart the cells of their levels are,
    /// and the bits.
    std::vector<Other> others;
    /// Where its bits start, if they are kept.
    std::size_t bits;
  };
  const std::vector<Place>& places_of(int column) const {
    return of_column_[column];
  }

  /// Levels are barred by bits, so many in a word.
  static constexpr std::size_t kBits = 64;

  /// Sets the bits of levels of the place's column that would break the rule.
  /// @param record is read in the rule's other columns alone.
  void bar(const Place& at, const std::uint16_t* record,
           std::uint64_t* barred) const {
    if (at.bits != kNowhere) {
      const std::uint64_t* bits = bits_.data() + at.bits;
      for (const Place::Other& one : at.others)
        bits += one.step * record[one.column];
      for (std::size_t w = 0; w * kBits < at.levels; ++w) barred[w] |= bits[w];
      return;
    }
    std::size_t here = 0;
    for (const Place::Other& one : at.others)
      here += one.stride * record[one.column];
    bar_from(at, here, barred);
  }

 private:
  struct Rule {
    CrossedColumns columns;
    std::vector<char> forbidden;
  };

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  // Rules of more cells keep no bits of their own: they would take memory
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  Place place_of(std::size_t rule, std::size_t own) {
    const CrossedColumns& all = rules_[rule].columns;
    const auto levels = [&](std::size_t a) {
      return (a + 1 < all.size() ? all.stride[a + 1] : all.cells) /
             all.stride[a];
    };
    Place place{rule, all.stride[own], levels(own), {}, kNowhere};
    const std::size_t words = (place.levels + kBits - 1) / kBits;
    // Cells of the others, and where the bits of each start
    std::vector<std::size_t> here{0};
    for (std::size_t a = 0; a < all.size(); ++a) {
      if (a == own) continue;
      place.others.push_back({static_cast<std::size_t>(all.column[a]),
                              all.stride[a], words * here.size()});
      if (all.cells > kMost) continue;
      const std::size_t before = here.size();
      for (std::size_t v = 1; v < levels(a); ++v) {
        for (std::size_t c = 0; c < before; ++c)
          here.push_back(here[c] + v * all.stride[a]);
      }
    }
    if (all.cells > kMost) return place;
    place.bits = bits_.size();
    bits_.resize(bits_.size() + words * here.size(), 0);
    for (std::size_t c = 0; c < here.size(); ++c)
      bar_from(place, here[c], bits_.data() + place.bits + words * c);
    return place;
  }

  /// The same as bar(), where the column's first level has the cell `here`.
  void bar_from(const Place& at, std::size_t here,
                std::uint64_t* barred) const {
    const std::vector<char>& forbidden = rules_[at.rule].forbidden;
    for (std::size_t v = 0; v < at.levels; ++v) {
      if (forbidden[here + at.stride * v])
        barred[v / kBits] |= std::uint64_t{1} << v % kBits;
    }
  }

  std::vector<Rule> rules_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::vector<Place>> of_column_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_FORBIDDEN_CELLS_HPP
