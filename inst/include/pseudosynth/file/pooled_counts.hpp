// Counts of records that are in a table several times, once for each of their
// members. Each counts in as many parts as its bound has room for.
#ifndef PSEUDOSYNTH_FILE_POOLED_COUNTS_HPP
#define PSEUDOSYNTH_FILE_POOLED_COUNTS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "../count_of.hpp"
#include "pooled_tables.hpp"

namespace pseudosynth {

/// @brief What records add to a table, centred, in whole numbers.
///
/// A column's part of a member is L times the indicator of its level, less 1:
/// the inner product of two members is the product over axes of L - 1 where
/// they are alike, else of -1, times the product of all L, which is left out.
class PooledRecords {
 public:
  /// @param room squared length that a record may have, in members of whom none
  ///   are alike.
  /// @param whole parts that a record has.
  PooledRecords(const std::vector<int>& levels,
                const std::vector<std::vector<PooledAxis>>& entries,
                std::int64_t room, std::int64_t whole)
      : levels_(levels), entries_(entries), whole_(whole) {
    most_ = whole * whole * room;
    for (const int size : levels) {
      most_ *= size - 1;
      cells_ *= static_cast<std::size_t>(size);
    }
    for (const std::vector<PooledAxis>& axes : entries) {
      if (axes.size() != levels.size())
        throw std::invalid_argument("a time differs from its table in axes");
      for (std::size_t k = 0; k < axes.size(); ++k) {
        for (const int level : axes[k].level) {
          if (level != PooledAxis::kOut && (level < 0 || level >= levels[k]))
            throw std::invalid_argument(
                "an axis has a level that is not there");
        }
      }
    }
  }

  std::size_t cells() const { return cells_; }

  /// The levels of each member of record i, axis by axis.
  /// @param codes N records, column-major, levels from 1.
  /// @throw std::invalid_argument for a code that is no level.
  void read(const int* codes, std::size_t n, std::size_t i,
            std::vector<int>& members) const {
    members.clear();
    for (const std::vector<PooledAxis>& axes : entries_) {
      const std::size_t before = members.size();
      for (const PooledAxis& axis : axes) {
        const int code = codes[static_cast<std::size_t>(axis.column) * n + i];
        if (code < 1 || code > count_of(axis.level))
          throw std::invalid_argument("a code is no level of its column");
        const int level = axis.level[static_cast<std::size_t>(code) - 1];
        // A record's own column is there without a member, too
        if (level == PooledAxis::kOut) {
          members.resize(before);
          break;
        }
        members.push_back(level);
      }
    }
  }

  /// The inner product of what two records add.
  std::int64_t inner(const std::vector<int>& a,
                     const std::vector<int>& b) const {
    const std::size_t d = levels_.size();
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < a.size(); s += d) {
      for (std::size_t t = 0; t < b.size(); t += d) {
        std::int64_t product = 1;
        for (std::size_t k = 0; k < d; ++k)
          product *= a[s + k] == b[t + k] ? levels_[k] - 1 : -1;
        sum += product;
      }
    }
    return sum;
  }

  /// In how many parts a record counts: as many as there is room for.
  std::int64_t parts(const std::vector<int>& members) const {
    const std::int64_t own = std::max(inner(members, members), std::int64_t{1});
    const double root =
        std::sqrt(static_cast<double>(most_) / static_cast<double>(own));
    std::int64_t parts =
        std::min(whole_, static_cast<std::int64_t>(std::floor(root)));
    // Roots are rounded: whole numbers decide
    while (parts > 0 && parts * parts * own > most_) --parts;
    return parts;
  }

  /// Each member's cell gets `by` more.
  void add(const std::vector<int>& members, std::int64_t by,
           std::vector<std::int64_t>& counts) const {
    for (std::size_t s = 0; s < members.size(); s += levels_.size()) {
      std::size_t cell = 0, stride = 1;
      for (std::size_t k = 0; k < levels_.size(); ++k) {
        cell += stride * static_cast<std::size_t>(members[s + k]);
        stride *= static_cast<std::size_t>(levels_[k]);
      }
      counts[cell] += by;
    }
  }

 private:
  std::vector<int> levels_;
  std::vector<std::vector<PooledAxis>> entries_;
  std::int64_t whole_;
  std::int64_t most_ = 1;
  std::size_t cells_ = 1;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_POOLED_COUNTS_HPP
