// How often each level is met at each place of a grid: sums over records of
// anything that is linear between the places follow without the records.
#ifndef PSEUDOSYNTH_FILE_PLACED_LEVELS_HPP
#define PSEUDOSYNTH_FILE_PLACED_LEVELS_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "coded_file.hpp"

namespace pseudosynth {

/// @brief Even places from one end to the other; one place where they agree.
struct EvenGrid {
  double first, step;
  std::size_t size;

  EvenGrid(double from, double to, std::size_t n)
      : first(from), step((to - from) / static_cast<double>(n - 1)), size(n) {}

  /// @param[out] after how far on the way to the next place.
  std::size_t before(double x, double& after) const {
    after = 0.0;
    if (!(step > 0.0)) return 0;
    const double last = static_cast<double>(size - 1);
    const double along = std::clamp((x - first) / step, 0.0, last);
    const std::size_t k = std::min(static_cast<std::size_t>(along), size - 2);
    after = along - static_cast<double>(k);
    return k;
  }
};

/// @brief Records by level of each column and place.
class PlacedLevels {
 public:
  /// @param file checked codes.
  PlacedLevels(const CodedFile& file, std::size_t places)
      : file_(file), places_(places) {
    std::size_t size = 0;
    for (const int L : file.levels) {
      first_.push_back(size);
      size += static_cast<std::size_t>(L);
    }
    sums_.assign(size * places, 0.0);
  }

  /// Records `first` to `last` - 1. @param place of each record.
  /// @param should_stop asked now and then; the sums are worth nothing once it
  ///   returns true.
  template <class Stop>
  void add(const double* place, const EvenGrid& grid, std::size_t first,
           std::size_t last, Stop should_stop) {
    constexpr std::size_t kBlock = 4096;
    std::vector<std::size_t> before(kBlock);
    std::vector<double> after(kBlock);
    for (std::size_t start = first; start < last; start += kBlock) {
      if (should_stop()) return;
      const std::size_t n = std::min(kBlock, last - start);
      for (std::size_t i = 0; i < n; ++i)
        before[i] = grid.before(place[start + i], after[i]);
      for (std::size_t j = 0; j < first_.size(); ++j) {
        const int* code = file_.column(static_cast<int>(j)) + start;
        double* own = sums_.data() + first_[j] * places_;
        for (std::size_t i = 0; i < n; ++i) {
          double* at =
              own + places_ * static_cast<std::size_t>(code[i] - 1) + before[i];
          at[0] += 1.0 - after[i];
          at[1] += after[i];
        }
      }
    }
  }

  void add(const PlacedLevels& other) {
    for (std::size_t c = 0; c < sums_.size(); ++c) sums_[c] += other.sums_[c];
  }

  /// The sum of a curve over the records of each level of column j.
  /// @param curve at the places. @param[out] sums one a level.
  void read(std::size_t j, const double* curve, double* sums) const {
    for (int v = 0; v < file_.levels[j]; ++v) {
      const double* own =
          sums_.data() + places_ * (first_[j] + static_cast<std::size_t>(v));
      sums[v] = 0.0;
      for (std::size_t k = 0; k < places_; ++k) sums[v] += own[k] * curve[k];
    }
  }

 private:
  CodedFile file_;
  std::size_t places_;
  std::vector<std::size_t> first_;
  std::vector<double> sums_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_PLACED_LEVELS_HPP
