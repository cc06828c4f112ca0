// sum_i clip(alpha_i f_i - a_i) and its gradient, record by record, for any
// family of one linear predictor.
#ifndef PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP

#include <algorithm>
#include <vector>

#include "../math.hpp"
#include "../records.hpp"

namespace pseudosynth {

/// @brief O(N) per evaluation. Holds work space: one object per thread.
template <class Family>
class RecordLikelihood {
 public:
  /// @param records must outlive this object.
  RecordLikelihood(const Records& records, const Family& family)
      : records_(&records),
        family_(family),
        eta_(static_cast<std::size_t>(records.design.n_rows())),
        d_eta_(eta_.size()) {}

  /// sum_i g_i; adds the gradient to d_b (P) and d_extra (E).
  double gradient(const double* b, const double* extra, double* d_b,
                  double* d_extra) {
    constexpr int E = Family::kExtras;
    const Design& design = records_->design;
    const auto at = family_.at(extra);
    design.linear_predictor(b, 1, eta_.data());
    double total = 0.0, d_sum[E + 1] = {}, d_one[E + 1] = {};
    for (std::size_t r = 0; r < eta_.size(); ++r) {
      double d_row = 0.0;
      for (int i = design.row_start()[r]; i < design.row_start()[r + 1]; ++i) {
        const std::size_t at_i = static_cast<std::size_t>(i);
        const double alpha = records_->alpha[at_i];
        if (alpha == 0.0) {
          // f may be infinite here; 0 times it must stay 0.
          total += records_->contribution(i, 0.0);
          continue;
        }
        double d_eta = 0.0;
        const double f =
            family_.derivatives(records_->y[at_i], eta_[r], at, d_eta, d_one);
        total += records_->contribution(i, f);
        if (clipped(at_i, alpha * f)) continue;
        d_row += alpha * d_eta;
        for (int e = 0; e < E; ++e) d_sum[e] += alpha * d_one[e];
      }
      d_eta_[r] = d_row;
    }
    design.add_gradient(d_eta_.data(), 1, d_b);
    for (int e = 0; e < E; ++e) d_extra[e] += d_sum[e];
    return total;
  }

 private:
  /// True strictly outside the interval: the contribution is flat there.
  bool clipped(std::size_t i, double weighted) const {
    const Censor& censor = records_->censor;
    if (!censor.active) return false;
    const double g = weighted - censor.centre[i];
    return g < censor.lower || g > censor.upper;
  }

  const Records* records_;
  Family family_;
  std::vector<double> eta_, d_eta_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_RECORD_LIKELIHOOD_HPP
