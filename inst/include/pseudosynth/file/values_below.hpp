// Values given to records that each take none above an end of its own.
#ifndef PSEUDOSYNTH_FILE_VALUES_BELOW_HPP
#define PSEUDOSYNTH_FILE_VALUES_BELOW_HPP

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace pseudosynth {

/// @brief Which value each record gets: from the largest value down, of the
/// records that may have it the one that wishes for most.
///
/// Who may have a value may have all below it. So no choice stands in the way
/// of a later one, and all ends are kept if they can be. What is then left over
/// is given to the records left over, above their ends. O(n log n).
///
/// @param values sorted, as many as records.
/// @param wish,high of each record.
inline std::vector<std::size_t> values_below(const std::vector<double>& values,
                                             const std::vector<double>& wish,
                                             const std::vector<double>& high) {
  const std::size_t n = values.size();
  std::vector<std::size_t> by_end(n);
  std::iota(by_end.begin(), by_end.end(), std::size_t{0});
  std::stable_sort(
      by_end.begin(), by_end.end(),
      [&](std::size_t a, std::size_t b) { return high[a] > high[b]; });
  std::priority_queue<std::pair<double, std::size_t>> open;
  std::vector<std::size_t> given(n), left;
  std::size_t next = 0;
  for (std::size_t k = n; k-- > 0;) {
    for (; next < n && high[by_end[next]] >= values[k]; ++next)
      open.emplace(wish[by_end[next]], by_end[next]);
    if (open.empty()) {
      left.push_back(k);
    } else {
      given[open.top().second] = k;
      open.pop();
    }
  }
  for (; next < n; ++next) open.emplace(wish[by_end[next]], by_end[next]);
  for (const std::size_t k : left) {
    given[open.top().second] = k;
    open.pop();
  }
  return given;
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FILE_VALUES_BELOW_HPP
