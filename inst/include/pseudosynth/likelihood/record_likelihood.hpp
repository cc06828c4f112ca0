// sum_i clip(alpha_i f_i - a_i) and its gradient for any family of one linear
// predictor. f is evaluated once per design row and response.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP

#include <algorithm>
#include <vector>

#include "../math.hpp"
#include "../records.hpp"
#include "record_cells.hpp"

namespace pseudosynth {

/// @brief O(cells) per evaluation, O(records) at most where censored. Holds
/// work space: one object per thread.
template <class Family>
class RecordLikelihood {
 public:
  /// @param records must outlive this object.
  RecordLikelihood(const Records& records, const Family& family)
      : design_(&records.design),
        family_(family),
        cells_(records),
        eta_(static_cast<std::size_t>(cells_.n_rows)),
        d_eta_(eta_.size()) {}

  /// sum_i g_i; adds the gradient to d_b (P) and d_extra (E).
  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    constexpr int E = Family::kExtras;
    const auto at = family_.at(extra);
    design_->linear_predictor(b, 1, eta_.data());
    std::fill(d_eta_.begin(), d_eta_.end(), 0.0);
    double total = cells_.constant, d_sum[E + 1] = {}, d_one[E + 1] = {};
    double f = 0.0, d_eta = 0.0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const std::size_t r = static_cast<std::size_t>(cells_.row[c]);
      if (!cells_.repeats(c))
        f = family_.derivatives(cells_.y[c], eta_[r], at, d_eta, d_one);
      double weight = cells_.alpha[c];
      total += cells_.censored ? cells_.clipped(c, f, weight) : weight * f;
      if (weight == 0.0) continue;
      d_eta_[r] += weight * d_eta;
      for (int e = 0; e < E; ++e) d_sum[e] += weight * d_one[e];
    }
    design_->add_gradient(d_eta_.data(), 1, d_b);
    for (int e = 0; e < E; ++e) d_extra[e] += d_sum[e];
    return total;
  }

 private:
  const Design* design_;
  Family family_;
  RecordCells cells_;
  std::vector<double> eta_, d_eta_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
