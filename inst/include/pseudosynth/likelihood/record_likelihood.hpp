// sum_i clip(alpha_i f_i - a_i) and its gradient for any family of one linear
// predictor. f is evaluated once per cell: records that share design row and
// response.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP

#include <algorithm>
#include <vector>

#include "../math.hpp"
#include "../records.hpp"

namespace pseudosynth {

/// @brief O(cells) per evaluation, O(records) at most where censored. Holds
/// work space: one object per thread.
template <class Family>
class RecordLikelihood {
 public:
  /// @param records must outlive this object.
  RecordLikelihood(const Records& records, const Family& family)
      : records_(&records),
        family_(family),
        eta_(static_cast<std::size_t>(records.design.n_rows())),
        d_eta_(eta_.size()),
        constant_(0.0) {
    for (int c = 0; c < records.n_cells(); ++c) {
      const int first = records.cell_start[static_cast<std::size_t>(c)];
      const int last = records.cell_start[static_cast<std::size_t>(c) + 1];
      double weight = 0.0;
      for (int i = first; i < last; ++i)
        weight += records.alpha[static_cast<std::size_t>(i)];
      weight_.push_back(weight);
      if (records.censor.active) find_groups(first, last);
      group_start_.push_back(static_cast<int>(groups_.size()));
    }
  }

  /// sum_i g_i; adds the gradient to d_b (P) and d_extra (E).
  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    constexpr int E = Family::kExtras;
    const Records& records = *records_;
    const auto at = family_.at(extra);
    records.design.linear_predictor(b, 1, eta_.data());
    double total = constant_, d_sum[E + 1] = {}, d_one[E + 1] = {};
    for (std::size_t r = 0; r < eta_.size(); ++r) {
      double d_row = 0.0;
      for (int c = records.row_cell[r]; c < records.row_cell[r + 1]; ++c) {
        const std::size_t cell = static_cast<std::size_t>(c);
        // f may be infinite where no record has weight; 0 times it stays 0.
        if (weight_[cell] == 0.0) continue;
        const double y =
            records.y[static_cast<std::size_t>(records.cell_start[cell])];
        double d_eta = 0.0;
        const double f = family_.derivatives(y, eta_[r], at, d_eta, d_one);
        double weight = weight_[cell];
        total +=
            records.censor.active ? clipped_sum(cell, f, weight) : weight * f;
        if (weight == 0.0) continue;
        d_row += weight * d_eta;
        for (int e = 0; e < E; ++e) d_sum[e] += weight * d_one[e];
      }
      d_eta_[r] = d_row;
    }
    records.design.add_gradient(d_eta_.data(), 1, d_b);
    for (int e = 0; e < E; ++e) d_extra[e] += d_sum[e];
    return total;
  }

 private:
  /// Records of a cell that share weight and centre.
  struct Group {
    double alpha, centre, count;
  };

  void find_groups(int first, int last) {
    const Records& records = *records_;
    for (int i = first; i < last; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      if (records.alpha[at] == 0.0) {
        constant_ += records.contribution(i, 0.0);
        continue;
      }
      const Group next{records.alpha[at], records.censor.centre[at], 1.0};
      const bool same = static_cast<int>(groups_.size()) > last_group_start() &&
                        groups_.back().alpha == next.alpha &&
                        groups_.back().centre == next.centre;
      if (same)
        groups_.back().count += 1.0;
      else
        groups_.push_back(next);
    }
  }

  int last_group_start() const {
    return group_start_.empty() ? 0 : group_start_.back();
  }

  /// sum of clip(alpha f - a) over a cell; `weight` becomes the sum of alpha
  /// over what is not clipped: strictly outside the interval it is flat.
  double clipped_sum(std::size_t cell, double f, double& weight) const {
    const Censor& censor = records_->censor;
    const int first = cell == 0 ? 0 : group_start_[cell - 1];
    double total = 0.0;
    weight = 0.0;
    for (int k = first; k < group_start_[cell]; ++k) {
      const Group& group = groups_[static_cast<std::size_t>(k)];
      const double g = group.alpha * f - group.centre;
      if (!(g >= censor.lower)) {  // NaN counts as lower
        total += group.count * censor.lower;
      } else if (g > censor.upper) {
        total += group.count * censor.upper;
      } else {
        total += group.count * g;
        weight += group.count * group.alpha;
      }
    }
    return total;
  }

  const Records* records_;
  Family family_;
  std::vector<double> eta_, d_eta_;
  double constant_;               // of the records of weight 0
  std::vector<double> weight_;    // sum of alpha, per cell
  std::vector<Group> groups_;     // where censored
  std::vector<int> group_start_;  // end of each cell's groups
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
