// The log pseudo posterior of the multinomial logit.
#ifndef PSEUDOSYNTH_CATEGORICAL_POSTERIOR_HPP
#define PSEUDOSYNTH_CATEGORICAL_POSTERIOR_HPP

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "likelihood/categorical_likelihood.hpp"
#include "pseudo_posterior.hpp"

namespace pseudosynth {

/// @brief theta = [ b (P (K - 1)) | prior's u ]; draw = b, hyper = what the
/// prior stores.
///
/// One object serves one chain; copies are independent.
class CategoricalPosterior {
 public:
  /// @param records must outlive this object and its copies.
  CategoricalPosterior(const Records& records, const CoefficientPrior& prior,
                       int K)
      : size_(check(records, prior, K)),
        L_(K - 1),
        clipped_(records.censor.active),
        prior_(prior),
        spread_(start_spread(records)),
        likelihood_(records, K) {}

  int size() const { return size_ + prior_->n_unconstrained(); }
  int n_draw() const { return size_; }
  int n_hyper() const { return prior_->n_stored(); }

  double operator()(const Vector& theta, Vector& gradient) {
    gradient.setZero(size());
    double* d = gradient.data();
    return likelihood_.gradient(theta.data(), d) +
           prior_->log_density(theta.data(), L_, theta.data() + size_, d,
                               d + size_);
  }

  /// sum_i g_i(theta).
  double log_lik(const Vector& theta) {
    Vector unused = Vector::Zero(size());
    return likelihood_.gradient(theta.data(), unused.data());
  }

  void constrain(const Vector& theta, double* draw, double* hyper) const {
    std::copy(theta.data(), theta.data() + size_, draw);
    prior_->constrain(theta.data() + size_, hyper);
  }

  Vector unconstrain(const double* draw, const double* hyper) const {
    Vector theta(size());
    std::copy(draw, draw + size_, theta.data());
    prior_->unconstrain(hyper, theta.data() + size_);
    return theta;
  }

  /// Around equal shares, wider than the posterior. From the prior where
  /// records are clipped.
  Vector initial(Rng& rng) {
    return detail::chain_start(
        *this, clipped_,
        [&](double shrink) { return near_records(shrink, rng); },
        [&] {
          Vector theta = Vector::Zero(size());
          prior_->draw(L_, rng, theta.data(), theta.data() + size_);
          return theta;
        });
  }

 private:
  static int check(const Records& records, const CoefficientPrior& prior,
                   int K) {
    detail::check_columns(records, prior);
    if (K < 2) throw std::invalid_argument("there must be two levels or more");
    return prior.n_columns() * (K - 1);
  }

  Vector near_records(double shrink, Rng& rng) const {
    Vector theta = Vector::Zero(size());
    for (int j = 0; j < prior_->n_columns(); ++j) {
      for (int k = 0; k < L_; ++k)
        theta[j * L_ + k] = shrink * spread_[j] * rng.normal();
    }
    prior_->initial(theta.data(), L_, rng, theta.data() + size_);
    return theta;
  }

  /// Twice the standard error that a column alone would have where levels are
  /// equally likely; at most 1.
  static Vector start_spread(const Records& records) {
    const Design& design = records.design;
    Vector information = Vector::Zero(design.n_columns());
    std::vector<int> column;
    std::vector<double> x;
    for (int r = 0; r < design.n_rows(); ++r) {
      const std::size_t at = static_cast<std::size_t>(r);
      double weight = 0.0;
      for (int i = design.row_start()[at]; i < design.row_start()[at + 1]; ++i)
        weight += records.alpha[static_cast<std::size_t>(i)];
      design.row_entries(r, column, x);
      for (std::size_t e = 0; e < column.size(); ++e)
        information[column[e]] += 0.25 * weight * x[e] * x[e];
    }
    return (2.0 / (information.array() + 4.0).sqrt()).matrix();
  }

  int size_, L_;
  bool clipped_;
  PriorCopy prior_;
  Vector spread_;
  CategoricalLikelihood likelihood_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_CATEGORICAL_POSTERIOR_HPP
