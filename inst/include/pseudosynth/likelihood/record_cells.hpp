// Records that contribute the same are counted once: exact compression.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP

#include <vector>

#include "../records.hpp"

namespace pseudosynth {

/// @brief Distinct (row, y), with the sum of their weights; under censoring
/// distinct (row, y, alpha, centre), with their number. Records of weight 0 are
/// in `constant`.
struct RecordCells {
  bool censored;
  double lower, upper;
  int n_rows;
  double constant = 0.0;
  std::vector<int> row;
  std::vector<double> y, alpha;
  std::vector<double> centre, count;  // censored only

  explicit RecordCells(const Records& records)
      : censored(records.censor.active),
        lower(records.censor.lower),
        upper(records.censor.upper),
        n_rows(records.design.n_rows()) {
    const std::vector<int>& rows = records.design.row();
    // Records are sorted by row, response, weight and centre.
    for (int i = 0; i < records.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      if (records.alpha[at] == 0.0) {
        constant += records.contribution(i, 0.0);
        continue;
      }
      const bool same_cell =
          !row.empty() && row.back() == rows[at] && y.back() == records.y[at];
      if (same_cell && !censored) {
        alpha.back() += records.alpha[at];
        continue;
      }
      if (same_cell && alpha.back() == records.alpha[at] &&
          centre.back() == records.censor.centre[at]) {
        count.back() += 1.0;
        continue;
      }
      row.push_back(rows[at]);
      y.push_back(records.y[at]);
      alpha.push_back(records.alpha[at]);
      if (censored) {
        centre.push_back(records.censor.centre[at]);
        count.push_back(1.0);
      }
    }
  }

  std::size_t size() const { return y.size(); }

  double weighted_sum(const double* f) const {
    double total = 0.0;
    for (std::size_t c = 0; c < y.size(); ++c) total += alpha[c] * f[c];
    return total;
  }

  double clipped_sum(const double* f) const {
    double total = 0.0;
    for (std::size_t c = 0; c < y.size(); ++c) total += clipped(c, f[c]);
    return total;
  }

  /// The contribution of cell c, without a branch.
  double clipped(std::size_t c, double f) const {
    double g = alpha[c] * f - centre[c];
    g = g >= lower ? g : lower;  // NaN counts as lower
    g = g > upper ? upper : g;
    return count[c] * g;
  }

  /// The same; `weight` becomes the factor of its gradient, 0 strictly outside
  /// the interval, where it is flat.
  double clipped(std::size_t c, double f, double& weight) const {
    const double g = alpha[c] * f - centre[c];
    weight = 0.0;
    if (!(g >= lower)) return count[c] * lower;
    if (g > upper) return count[c] * upper;
    weight = count[c] * alpha[c];
    return count[c] * g;
  }

  /// True where f is that of cell c - 1: only weight or centre differ.
  bool repeats(std::size_t c) const {
    return c > 0 && row[c] == row[c - 1] && y[c] == y[c - 1];
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_CELLS_HPP
