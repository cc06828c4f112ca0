// sum_i clip(alpha_i f_i - a_i) of the multinomial logit and its gradient. The
// levels' shares are worked out once per design row, in lanes of rows; without
// a clip the records of a row and level are one weight.
#ifndef PSEUDOSYNTH_LIKELIHOOD_CATEGORICAL_LIKELIHOOD_HPP
#define PSEUDOSYNTH_LIKELIHOOD_CATEGORICAL_LIKELIHOOD_HPP

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../design/linear_predictor.hpp"
#include "../family/categorical.hpp"
#include "../prior/coefficient_prior.hpp"
#include "../records.hpp"
#include "../simd_special.hpp"
#include "likelihood_of.hpp"
#include "record_cells.hpp"

namespace pseudosynth {
namespace detail {

/// Rows and K levels. Arrays of several numbers a row have one number of all
/// rows first; n rows, a multiple of every lane count.
struct LevelRows {
  std::size_t n;
  int K;
  const double* eta;        // K - 1 numbers a row
  double* share;            // K: the levels' probabilities
  double *high, *log_rest;  // as in LevelSum
  const double* weight;     // K: of the records of each level
  const double* all;        // their sum
  double* slope;            // K - 1, out: weight less all times share
  double total = 0.0;       // out: sum of weight times log share
};

/// As LevelSum, with each level's share.
template <int W>
PSEUDOSYNTH_INLINE void level_shares_kernel(LevelRows& p) {
  typedef simd::Real<W> R;
  const R zero{};
  const std::size_t levels = static_cast<std::size_t>(p.K);
  for (std::size_t r = 0; r < p.n; r += W) {
    R top = zero, rest = zero, seen = zero, line, one;
    simd::fill<W>(1.0, one);
    for (std::size_t k = 1; k < levels; ++k) {
      simd::load<W>(p.eta + (k - 1) * p.n + r, line);
      top = line > top ? line : top;
    }
    // The first of the highest is no part of the rest
    for (std::size_t k = 0; k < levels; ++k) {
      line = zero;
      if (k > 0) simd::load<W>(p.eta + (k - 1) * p.n + r, line);
      const R below = line - top;
      R ratio = below;
      simd::exp_in_place<W>(ratio);
      rest += (below < zero ? ratio : seen) + (ratio - ratio);  // NaN stays
      seen = below < zero ? seen : one;
      simd::store<W>(ratio, p.share + k * p.n + r);
    }
    const R scale = one / (one + rest);
    for (std::size_t k = 0; k < levels; ++k) {
      R share;
      simd::load<W>(p.share + k * p.n + r, share);
      share *= scale;
      simd::store<W>(share, p.share + k * p.n + r);
    }
    simd::log1p_in_place<W>(rest);
    simd::store<W>(top, p.high + r);
    simd::store<W>(rest, p.log_rest + r);
  }
}
PSEUDOSYNTH_DISPATCH(level_shares, (LevelRows & p), (p))

/// The weighted sum and its slopes in each linear predictor.
template <int W>
PSEUDOSYNTH_INLINE void level_slopes_kernel(LevelRows& p) {
  typedef simd::Real<W> R;
  const R zero{};
  R total = zero;
  for (std::size_t r = 0; r < p.n; r += W) {
    R all, high, log_rest;
    simd::load<W>(p.all + r, all);
    simd::load<W>(p.high + r, high);
    simd::load<W>(p.log_rest + r, log_rest);
    for (int k = 0; k < p.K; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * p.n + r;
      R weight, share, line = zero;
      simd::load<W>(p.weight + at, weight);
      simd::load<W>(p.share + at, share);
      if (k > 0) simd::load<W>(p.eta + at - p.n, line);
      const R f = (line - high) - log_rest;
      // A weight of 0 is not to make the sum infinite
      total += weight > zero ? weight * f : zero;
      if (k == 0) continue;
      const R slope = weight - (all > zero ? all * share : zero);
      simd::store<W>(slope, p.slope + at - p.n);
    }
  }
  p.total = simd::sum<W>(total);
}
PSEUDOSYNTH_DISPATCH(level_slopes, (LevelRows & p), (p))

}  // namespace detail

/// @brief Copies share the compressed records; each has its own work space.
class CategoricalLikelihood {
 public:
  /// @param records must outlive this object and its copies.
  /// @throw std::invalid_argument for a response that is no level.
  CategoricalLikelihood(const Records& records, int K)
      : CategoricalLikelihood(std::make_shared<const RecordCells>(records),
                              LinearPredictor(records.design),
                              records.design.n_columns(), K) {
    for (double y : records.y) {
      if (!(y >= 0.0 && y < K && y == std::floor(y)))
        throw std::invalid_argument("a response must be one of the levels");
    }
    count();
  }
  CategoricalLikelihood(const CategoricalLikelihood& other)
      : CategoricalLikelihood(other.cells_, other.predict_,
                              static_cast<int>(other.b_.size()), other.K_) {
    count();
  }

  /// The sum at b (P x (K - 1), b[j * (K - 1) + k]); adds its gradient to d_b.
  /// There are no extra parameters.
  double gradient(const double* b, const double*, double* d_b, double*) {
    const std::size_t L = lines(), P = b_.size();
    for (std::size_t k = 0; k < L; ++k) {
      for (std::size_t j = 0; j < P; ++j) b_[j] = b[j * L + k];
      predict_(b_.data(), eta_.data() + k * n_rows_);
    }
    detail::LevelRows rows{n_rows_,        K_,           eta_.data(),
                           share_.data(),  high_.data(), log_rest_.data(),
                           weight_.data(), all_.data(),  slope_.data()};
    detail::level_shares(rows);
    double total = 0.0;
    if (cells_->censored) total = clip();
    detail::level_slopes(rows);
    if (!cells_->censored) total = rows.total;
    for (std::size_t k = 0; k < L; ++k) {
      std::fill(b_.begin(), b_.end(), 0.0);
      predict_.add_gradient(slope_.data() + k * n_rows_, b_.data());
      for (std::size_t j = 0; j < P; ++j) d_b[j * L + k] += b_[j];
    }
    return cells_->constant + total;
  }

 private:
  CategoricalLikelihood(std::shared_ptr<const RecordCells> cells,
                        const LinearPredictor& predict, int P, int K)
      : cells_(std::move(cells)),
        predict_(predict),
        K_(K),
        n_rows_(simd::whole_lanes(static_cast<std::size_t>(cells_->n_rows))),
        b_(static_cast<std::size_t>(P)),
        eta_(lines() * n_rows_),
        slope_(eta_.size()),
        share_(levels() * n_rows_),
        weight_(share_.size()),
        high_(n_rows_),
        log_rest_(n_rows_),
        all_(n_rows_) {}

  std::size_t levels() const { return static_cast<std::size_t>(K_); }
  std::size_t lines() const { return levels() - 1; }

  /// The weights of rows and levels, which no clip changes.
  void count() {
    if (cells_->censored) return;
    for (std::size_t c = 0; c < cells_->size(); ++c)
      add_weight(c, cells_->alpha[c]);
  }

  void add_weight(std::size_t c, double weight) {
    const std::size_t r = static_cast<std::size_t>(cells_->row[c]);
    weight_[static_cast<std::size_t>(cells_->y[c]) * n_rows_ + r] += weight;
    all_[r] += weight;
  }

  /// The clipped sum; weights become those that the clip does not hold.
  double clip() {
    weight_.zero();
    all_.zero();
    double total = 0.0;
    for (std::size_t c = 0; c < cells_->size(); ++c) {
      const std::size_t r = static_cast<std::size_t>(cells_->row[c]);
      const std::size_t level = static_cast<std::size_t>(cells_->y[c]);
      const double line = level == 0 ? 0.0 : eta_[(level - 1) * n_rows_ + r];
      double weight;
      total += cells_->clipped(c, (line - high_[r]) - log_rest_[r], weight);
      add_weight(c, weight);
    }
    return total;
  }

  std::shared_ptr<const RecordCells> cells_;
  LinearPredictor predict_;
  int K_;
  std::size_t n_rows_;
  // Work space
  std::vector<double> b_;
  simd::AlignedBuffer eta_, slope_, share_, weight_, high_, log_rest_, all_;
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
