// sum_i clip(alpha_i f_i - a_i) of the multinomial logit and its gradient. The
// levels' shares are worked out once per design row, f once per cell.
#ifndef PSEUDOSYNTH_LIKELIHOOD_CATEGORICAL_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_CATEGORICAL_LIKELIHOOD_HPP

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "../family/categorical.hpp"
#include "../prior/coefficient_prior.hpp"
#include "../records.hpp"
#include "likelihood_of.hpp"

namespace pseudosynth {

/// @brief Holds work space: one object serves one thread.
class CategoricalLikelihood {
 public:
  /// @param records must outlive this object and its copies.
  /// @throw std::invalid_argument for a response that is no level.
  CategoricalLikelihood(const Records& records, int K)
      : records_(&records),
        K_(K),
        eta_(static_cast<std::size_t>(records.design.n_rows()) * (K - 1)),
        d_eta_(eta_.size()),
        weight_(static_cast<std::size_t>(K)) {
    for (double y : records.y) {
      if (!(y >= 0.0 && y < K && y == std::floor(y)))
        throw std::invalid_argument("a response must be one of the levels");
    }
  }

  /// The sum at b (P x (K - 1), b[j * (K - 1) + k]); adds its gradient to d_b.
  /// There are no extra parameters.
  double gradient(const double* b, const double*, double* d_b, double*) {
    const Records& records = *records_;
    const Design& design = records.design;
    const int L = K_ - 1;
    design.linear_predictor(b, L, eta_.data());
    double total = 0.0;
    for (int r = 0; r < design.n_rows(); ++r) {
      const std::size_t at = static_cast<std::size_t>(r);
      const double* eta = eta_.data() + at * L;
      const LevelSum sum(eta, K_);
      std::fill(weight_.begin(), weight_.end(), 0.0);
      double all = 0.0;
      for (int c = records.row_cell[at]; c < records.row_cell[at + 1]; ++c) {
        const int level = static_cast<int>(records.cell_response(c));
        const double f = sum.log_share(level_line(level, eta));
        double pulling = 0.0;
        for (int i = records.cell_begin(c); i < records.cell_begin(c + 1); ++i)
          total += add_record(i, f, pulling);
        weight_[level] += pulling;
        all += pulling;
      }
      for (int k = 0; k < L; ++k) {
        d_eta_[at * L + k] = weight_[static_cast<std::size_t>(k) + 1] -
                             all * std::exp(sum.log_share(eta[k]));
      }
    }
    design.add_gradient(d_eta_.data(), L, d_b);
    return total;
  }

 private:
  /// g of a record; its weight is added where the clip does not hold it.
  double add_record(int i, double f, double& pulling) const {
    const Records& records = *records_;
    const std::size_t at = static_cast<std::size_t>(i);
    const double alpha = records.alpha[at];
    bool free = alpha > 0.0;
    if (free && records.censor.active) {
      const double g = alpha * f - records.censor.centre[at];
      free = g >= records.censor.lower && g <= records.censor.upper;
    }
    if (free) pulling += alpha;
    return records.contribution(i, f);
  }

  const Records* records_;
  int K_;
  std::vector<double> eta_, d_eta_, weight_;
};

/// @brief Around equal shares; at most one wide.
struct LevelStart {
  Vector anchor, standard_error;
  double spread = 1.0;

  /// The standard error that a column alone would have where levels are equally
  /// likely.
  explicit LevelStart(const Records& records)
      : anchor(Vector::Zero(records.design.n_columns())) {
    const Design& design = records.design;
    Vector information = anchor;
    std::vector<int> column;
    std::vector<double> x;
    for (int r = 0; r < design.n_rows(); ++r) {
      const std::size_t at = static_cast<std::size_t>(r);
      double weight = 0.0;
      for (int i = design.row_start()[at]; i < design.row_start()[at + 1]; ++i)
        weight += records.alpha[i];
      design.row_entries(r, column, x);
      for (std::size_t e = 0; e < column.size(); ++e)
        information[column[e]] += 0.25 * weight * x[e] * x[e];
    }
    standard_error = (1.0 / (information.array() + 4.0).sqrt()).matrix();
  }
};

/// @throw std::invalid_argument for fewer than two levels.
inline LevelStart start_of(const Records& records, const CoefficientPrior&,
                           const Categorical& family) {
  if (family.K < 2)
    throw std::invalid_argument("there must be two levels or more");
  return LevelStart(records);
}

template <>
struct LikelihoodOf<Categorical> {
  using Type = CategoricalLikelihood;

  static Type make(const Records& records, const Categorical& family,
                   const LevelStart&) {
    return Type(records, family.K);
  }
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_CATEGORICAL_LIKELIHOOD_HPP
