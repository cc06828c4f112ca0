// Euclidean metrics of the kinetic energy and the running moments that adapt
// them (Welford 1962; regularisation as in Stan's reference manual,
// "HMC algorithm parameters").
#ifndef PSEUDOSYNTH_SAMPLER_METRIC_HPP
#define PSEUDOSYNTH_SAMPLER_METRIC_HPP

#include <cmath>

#include "../cholesky.hpp"
#include "../dense.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "nuts_constants.hpp"

namespace pseudosynth {

/// @brief Diagonal metric: kinetic energy 1/2 sum_j inverse_j p_j^2.
class DiagonalMetric {
 public:
  explicit DiagonalMetric(int n)
      : inverse_(Vector::Ones(n)),
        mean_(Vector::Zero(n)),
        squares_(Vector::Zero(n)),
        delta_(Vector::Zero(n)) {}

  /// @brief Momentum p ~ N(0, M).
  void sample(Rng& rng, Vector& p) const {
    for (Eigen::Index j = 0; j < p.size(); ++j) {
      p[j] = rng.normal() / std::sqrt(inverse_[j]);
    }
  }

  /// @brief velocity = M^-1 p; `velocity` must have the size already.
  void velocity(const Vector& p, Vector& out) const {
    out.noalias() = inverse_.cwiseProduct(p);
  }

  /// @brief Adds one warmup draw to the running moments.
  void observe(const Vector& q) {
    ++count_;
    delta_ = q - mean_;
    mean_ += delta_ / static_cast<double>(count_);
    squares_ += delta_.cwiseProduct(q - mean_);
  }

  /// @brief Sets the metric to the window's variances, shrunk towards 1e-3,
  /// and starts a new window.
  void adapt() {
    const double n = static_cast<double>(count_);
    if (count_ > 1) {
      delta_ = squares_ * (n / ((n - 1.0) * (n + NutsConstants::kPriorDraws)));
      delta_.array() +=
          NutsConstants::kUnit *
          (NutsConstants::kPriorDraws / (n + NutsConstants::kPriorDraws));
      if (delta_.allFinite()) {
        inverse_ = delta_;
      }
    }
    count_ = 0;
    mean_.setZero();
    squares_.setZero();
  }

  Vector inverse_diagonal() const { return inverse_; }

 private:
  Vector inverse_, mean_, squares_, delta_;
  long count_ = 0;
};

/// @brief Dense metric: kinetic energy 1/2 p' inverse p.
class DenseMetric {
 public:
  explicit DenseMetric(int n)
      : inverse_(Matrix::Identity(n, n)),
        factor_(inverse_),
        squares_(Matrix::Zero(n, n)),
        mean_(Vector::Zero(n)),
        delta_(Vector::Zero(n)),
        centred_(Vector::Zero(n)) {}

  /// @brief Keeps this covariance: warmup then learns none.
  /// @param covariance positive definite.
  void keep(const Matrix& covariance) {
    inverse_ = covariance;
    factor_.compute(inverse_);
    kept_ = true;
  }

  void sample(Rng& rng, Vector& p) const {
    for (Eigen::Index j = 0; j < p.size(); ++j) {
      p[j] = rng.normal();
    }
    // inverse = C C', so C^-T z has covariance inverse^-1 = M.
    factor_.solve_upper(p.data());
  }

  void velocity(const Vector& p, Vector& out) const {
    out.noalias() = inverse_ * p;
  }

  void observe(const Vector& q) {
    if (kept_) return;
    ++count_;
    delta_ = q - mean_;
    mean_ += delta_ / static_cast<double>(count_);
    centred_ = q - mean_;
    add_outer(1.0, centred_, delta_, squares_);
  }

  void adapt() {
    const double n = static_cast<double>(count_);
    if (count_ > 1) {
      Matrix covariance =
          (squares_ + squares_.transpose()) *
          (0.5 * n / ((n - 1.0) * (n + NutsConstants::kPriorDraws)));
      covariance.diagonal().array() +=
          NutsConstants::kUnit *
          (NutsConstants::kPriorDraws / (n + NutsConstants::kPriorDraws));
      // A window that gave no usable covariance leaves the metric as it was.
      if (factor_.compute(covariance))
        inverse_ = covariance;
      else
        factor_.compute(inverse_);
    }
    count_ = 0;
    mean_.setZero();
    squares_.setZero();
  }

  Vector inverse_diagonal() const { return inverse_.diagonal(); }

 private:
  Matrix inverse_;
  Cholesky factor_;  // of inverse_
  Matrix squares_;
  Vector mean_, delta_, centred_;
  long count_ = 0;
  bool kept_ = false;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_METRIC_HPP
