// Records that contribute the same are counted once: exact compression.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP

#include <algorithm>
#include <numeric>
#include <vector>

#include "../records.hpp"

namespace pseudosynth {

/// @brief Distinct (row, y), with the sum of their weights; under censoring
/// distinct (row, y, alpha, centre), with their number. Records of weight 0 are
/// in `constant`.
struct RecordCells {
  bool censored;
  double lower, upper;
  double constant = 0.0;
  std::vector<int> row;
  std::vector<double> y, alpha;
  std::vector<double> centre, count;  // censored only

  explicit RecordCells(const Records& records)
      : censored(records.censor.active),
        lower(records.censor.lower),
        upper(records.censor.upper) {
    std::vector<int> order(static_cast<std::size_t>(records.size()));
    std::iota(order.begin(), order.end(), 0);
    const std::vector<int>& rows = records.design.row();
    auto less = [&](int a, int b) {
      const std::size_t i = static_cast<std::size_t>(a);
      const std::size_t j = static_cast<std::size_t>(b);
      if (rows[i] != rows[j]) return rows[i] < rows[j];
      if (records.y[i] != records.y[j]) return records.y[i] < records.y[j];
      if (!censored) return false;
      if (records.alpha[i] != records.alpha[j])
        return records.alpha[i] < records.alpha[j];
      return records.censor.centre[i] < records.censor.centre[j];
    };
    std::stable_sort(order.begin(), order.end(), less);
    int last = -1;
    for (int i : order) {
      const std::size_t at = static_cast<std::size_t>(i);
      if (records.alpha[at] == 0.0) {
        constant += records.contribution(i, 0.0);
        continue;
      }
      if (last >= 0 && !less(last, i)) {
        if (censored)
          count.back() += 1.0;
        else
          alpha.back() += records.alpha[at];
        continue;
      }
      last = i;
      row.push_back(rows[at]);
      y.push_back(records.y[at]);
      alpha.push_back(records.alpha[at]);
      if (censored) {
        centre.push_back(records.censor.centre[at]);
        count.push_back(1.0);
      }
    }
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP
