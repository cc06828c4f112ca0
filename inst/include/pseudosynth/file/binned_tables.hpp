// How far tables of a column's levels by an amount's bins are from their
// targets, laid out for two records that swap their amounts.
#ifndef PSEUDOSYNTH_FILE_BINNED_TABLES_HPP
#define PSEUDOSYNTH_FILE_BINNED_TABLES_HPP

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "numbered_levels.hpp"

namespace pseudosynth {

/// A table of a column and the bins that records are fitted to.
struct BinnedTarget {
  /// Levels x bins, the level fastest; none where the column has no table.
  std::vector<double> target;
  double weight = 1.0;
};

/// @brief Counts less targets of all tables, as floats. A bin's cells of all
/// columns are neighbours.
class BinnedTables {
 public:
  /// @param levels those of columns with a table come first.
  /// @param targets one for each column with a table, in that order.
  BinnedTables(const NumberedLevels& levels,
               const std::vector<BinnedTarget>& targets, std::size_t bins)
      : cells_(levels.first(targets.size())),
        wanted_(cells_ * bins),
        miss_(cells_ * bins) {
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const std::size_t first = levels.first(t);
      const std::size_t L = levels.first(t + 1) - first;
      if (targets[t].target.size() != L * bins)
        throw std::invalid_argument("a target differs from its table in size");
      weight_.push_back(targets[t].weight);
      for (std::size_t b = 0; b < bins; ++b) {
        for (std::size_t l = 0; l < L; ++l)
          wanted_[b * cells_ + first + l] = targets[t].target[b * L + l];
      }
    }
  }

  /// Of n records alone.
  /// @param record, bin (functions of i) Levels and the amount's bin.
  template <class Record, class Bin>
  void count(std::size_t n, Record record, Bin bin) {
    std::vector<std::uint32_t> counts(wanted_.size());
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t* own = counts.data() + bin(i) * cells_;
      const std::uint32_t* level = record(i);
      for (std::size_t t = 0; t < weight_.size(); ++t) ++own[level[t]];
    }
    for (std::size_t c = 0; c < counts.size(); ++c)
      miss_[c] = static_cast<float>(counts[c] - wanted_[c]);
  }

  /// Sum over tables of weight |counts - targets|^2 / 2.
  double energy(const NumberedLevels& levels) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < weight_.size(); ++t) {
      double squared = 0.0;
      for (std::size_t start = 0; start < miss_.size(); start += cells_) {
        for (std::size_t g = levels.first(t); g < levels.first(t + 1); ++g)
          squared += static_cast<double>(miss_[start + g]) * miss_[start + g];
      }
      sum += weight_[t] * squared / 2.0;
    }
    return sum;
  }

  /// What the energy would change by if a record with an amount in bin `own`
  /// swapped it with another that has its own in `others`.
  double change(const std::uint32_t* one, std::size_t own,
                const std::uint32_t* other, std::size_t others) const {
    if (own == others) return 0.0;
    const float* from = miss_.data() + own * cells_;
    const float* to = miss_.data() + others * cells_;
    double sum = 0.0;
    for (std::size_t t = 0; t < weight_.size(); ++t) {
      const std::size_t g = one[t], h = other[t];
      // Four cells, each moved by one: half of the square of each; none of
      // them where the levels are the same, and the difference is then 0
      const float moved = g == h ? 0.0f : 2.0f;
      sum += weight_[t] * (((to[g] - from[g]) - (to[h] - from[h])) + moved);
    }
    return sum;
  }

  /// They do.
  void swap(const std::uint32_t* one, std::size_t own,
            const std::uint32_t* other, std::size_t others) {
    if (own == others) return;
    float* from = miss_.data() + own * cells_;
    float* to = miss_.data() + others * cells_;
    for (std::size_t t = 0; t < weight_.size(); ++t) {
      const std::size_t g = one[t], h = other[t];
      if (g == h) continue;
      from[g] -= 1.0f;
      to[g] += 1.0f;
      from[h] += 1.0f;
      to[h] -= 1.0f;
    }
  }

 private:
  /// Of a bin, in all tables.
  std::size_t cells_;
  std::vector<double> weight_;
  std::vector<double> wanted_;
  std::vector<float> miss_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_BINNED_TABLES_HPP
