// The quadratic that stands in for a log-likelihood: found around a penalised
// mode, from differences of the exact gradient over steps as wide as the
// posterior. Infinitesimal curvature misleads where records are clipped: it
// does not see the kinks.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_FIT_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_FIT_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"
#include "surrogate_model.hpp"
#include "surrogate_quadratic.hpp"

namespace pseudosynth {

/// @brief A normal prior of the leading coefficients; hyperparameters enter as
/// a guess. It penalises the mode and sets the width of the steps.
struct SurrogatePenalty {
  Vector location, precision;  // P each

  /// Adds log N(b) to value and gradient.
  double add(const Vector& theta, Vector& gradient) const {
    const Eigen::Index P = location.size();
    const Vector pull = precision.cwiseProduct(location - theta.head(P));
    gradient.head(P) += pull;
    return -0.5 * pull.dot(location - theta.head(P));
  }
  Matrix add(Matrix curvature) const {
    curvature.diagonal().head(precision.size()) += precision;
    return curvature;
  }
};

namespace detail {

/// Symmetric, eigenvalues at least `floor` times `metric`, a positive definite
/// matrix.
inline Matrix floor_curvature(const Matrix& from, const Matrix& metric,
                              double floor) {
  const Eigen::LLT<Matrix> root(metric);
  const Matrix symmetric = 0.5 * (from + from.transpose());
  Matrix white = root.matrixL().solve(symmetric);
  white = root.matrixL().solve(white.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(
      0.5 * (white + white.transpose()));
  if (eigen.info() != Eigen::Success) return floor * metric;
  const Matrix lifted = root.matrixL() * eigen.eigenvectors();
  const Vector values = eigen.eigenvalues().cwiseMax(floor);
  return lifted * values.asDiagonal() * lifted.transpose();
}

inline bool is_positive_definite(const Matrix& x) {
  if (!x.allFinite()) return false;
  return Eigen::LLT<Matrix>(x).info() == Eigen::Success;
}

inline Matrix random_rotation(int n, Rng& rng) {
  Matrix z(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) z(i, j) = rng.normal();
  return Eigen::HouseholderQR<Matrix>(z).householderQ();
}

}  // namespace detail

/// The maximum of G + penalty by BFGS with exact gradients, which copes with
/// kinks. `theta` is the start and becomes the mode; a start without a finite
/// density moves towards the prior's location first.
/// @return the inverse Hessian as BFGS believes it, positive definite.
inline Matrix find_mode(SurrogateModel& model, const SurrogatePenalty& penalty,
                        Vector& theta, int max_steps = 200) {
  const int n = model.size();
  Vector gradient;
  auto evaluate = [&](const Vector& at, Vector& d) {
    const double value = model.gradient(at, d);
    const double total = value + penalty.add(at, d);
    return d.allFinite() ? total : kNaN;
  };
  double value = evaluate(theta, gradient);
  for (int attempt = 0; attempt < 60 && !std::isfinite(value); ++attempt) {
    const Eigen::Index P = penalty.location.size();
    theta.head(P) = 0.5 * (theta.head(P) + penalty.location);
    theta.tail(n - P) *= 0.5;
    value = evaluate(theta, gradient);
  }

  // Differences of the gradient start the inverse Hessian.
  Matrix hessian = Matrix::Zero(n, n);
  Vector ahead, behind;
  for (int j = 0; j < n; ++j) {
    const double step =
        j < penalty.precision.size()
            ? 1e-3 / std::sqrt(std::max(penalty.precision[j], 1e-2))
            : 1e-3;
    Vector at = theta;
    at[j] += step;
    evaluate(at, ahead);
    at[j] -= 2.0 * step;
    evaluate(at, behind);
    hessian.col(j) = (behind - ahead) / (2.0 * step);
  }
  const Matrix unit = Matrix::Identity(n, n);
  Matrix inverse = unit;
  if (hessian.allFinite()) {
    const Matrix metric =
        hessian.diagonal().cwiseAbs().cwiseMax(1e-2).asDiagonal();
    inverse = detail::floor_curvature(hessian, metric, 0.02).llt().solve(unit);
  }

  Vector next, next_gradient;
  for (int iteration = 0; iteration < max_steps; ++iteration) {
    Vector step = inverse * gradient;
    double gain = step.dot(gradient);
    if (!(gain > 0.0)) {
      inverse = unit;
      step = gradient;
      gain = step.squaredNorm();
    }
    if (gain < 1e-6) break;
    double length = 1.0, next_value = kNaN;
    for (int halving = 0; halving < 40; ++halving, length *= 0.5) {
      next = theta + length * step;
      next_value = evaluate(next, next_gradient);
      if (next_value >= value + 1e-4 * length * gain) break;
      next_value = kNaN;
    }
    if (!std::isfinite(next_value)) break;
    const Vector s = next - theta;
    const Vector y = gradient - next_gradient;
    const double sy = s.dot(y);
    if (sy > 1e-10) {
      const Vector hy = inverse * y;
      inverse += ((sy + y.dot(hy)) / (sy * sy)) * (s * s.transpose()) -
                 (hy * s.transpose() + s * hy.transpose()) / sy;
    }
    theta = next;
    gradient = next_gradient;
    value = next_value;
  }
  if (!detail::is_positive_definite(inverse)) inverse = unit;
  return inverse;
}

/// @brief Fits Lhat to a model.
class SurrogateFit {
 public:
  SurrogateFit(SurrogateModel& model, const SurrogatePenalty& penalty, Rng& rng)
      : model_(&model), penalty_(penalty), rng_(&rng) {}

  SurrogateQuadratic lhat;

  /// From the mode: statistical linearisation over points `spread` posterior
  /// standard deviations away in every direction, repeated as the posterior
  /// becomes known.
  void from_mode(const Vector& mode, const Matrix& inverse_hessian,
                 double spread = 1.0, int rounds = 4) {
    Matrix covariance = inverse_hessian;
    Vector centre = mode;
    for (int round = 0; round < rounds; ++round) {
      linearise(centre, covariance, spread);
      const Matrix precision = penalty_.add(lhat.curvature);
      const Eigen::LLT<Matrix> factor(precision);
      const Matrix last = covariance;
      covariance = factor.solve(Matrix::Identity(mode.size(), mode.size()));
      Vector pull = lhat.gradient;
      penalty_.add(centre, pull);
      Vector step = factor.solve(pull);
      // No further than the points that told us.
      const double length = std::sqrt(std::max(step.dot(pull), 0.0));
      const double limit = std::sqrt(static_cast<double>(mode.size()));
      if (length > limit) step *= limit / length;
      centre += step;
      // The trace is n where the covariance has stayed what it was.
      const double n = static_cast<double>(mode.size());
      const double trace = last.cwiseProduct(precision).sum();
      if (round > 0 && std::fabs(trace - n) < 0.05 * n && length < 0.1 * limit)
        break;
    }
  }

  /// From points of the posterior: the regression of the gradient on theta.
  /// Directions in which the points say little keep their curvature.
  void from_points(const std::vector<Vector>& points) {
    const int n = model_->size();
    const Matrix precision = penalty_.add(lhat.curvature);
    const double S = static_cast<double>(points.size());
    Vector mean = Vector::Zero(n);
    for (const Vector& point : points) mean += point / S;
    Matrix inner = Matrix::Zero(n, n), outer = Matrix::Zero(n, n);
    Vector mean_gap = Vector::Zero(n), gradient;
    double total = 0.0;
    for (const Vector& point : points) {
      model_->gradient(point, gradient);
      if (!gradient.allFinite()) continue;
      const Vector d = point - mean;
      // Far points of a heavy-tailed prior must not rule the fit.
      const double weight = 1.0 / (1.0 + d.dot(precision * d) / n);
      const Vector gap =
          gradient - lhat.gradient + lhat.curvature * (point - lhat.centre);
      inner += weight * d * d.transpose();
      outer += weight * gap * d.transpose();
      mean_gap += weight * gap;
      total += weight;
    }
    if (!(total > 0.0)) return;
    inner /= total;
    inner += 0.1 * precision.llt().solve(Matrix::Identity(n, n));
    const Matrix slope =
        inner.llt().solve((outer / total).transpose()).transpose();
    const Vector at_mean = lhat.gradient -
                           lhat.curvature * (mean - lhat.centre) +
                           mean_gap / total;
    set(mean, at_mean, lhat.curvature - slope, precision);
  }

  /// From points of the posterior: what times the penalty has their mean and
  /// covariance. Coarse, and good enough where gradients say nothing because
  /// most records are clipped.
  void from_moments(const std::vector<Vector>& points) {
    const int n = model_->size();
    const double S = static_cast<double>(points.size());
    Vector mean = Vector::Zero(n);
    for (const Vector& point : points) mean += point / S;
    Matrix covariance = Matrix::Zero(n, n);
    for (const Vector& point : points)
      covariance += (point - mean) * (point - mean).transpose() / S;
    const Eigen::LLT<Matrix> root(covariance);
    if (root.info() != Eigen::Success) return;
    const Matrix precision = root.solve(Matrix::Identity(n, n));
    if (!precision.allFinite()) return;
    Vector pull = Vector::Zero(n);
    penalty_.add(mean, pull);
    set(mean, -pull, precision - penalty_.add(Matrix::Zero(n, n)),
        penalty_.add(lhat.curvature));
  }

 private:
  void linearise(const Vector& centre, const Matrix& covariance,
                 double spread) {
    const int n = model_->size();
    const Eigen::LLT<Matrix> root(covariance);
    const Matrix rotation = detail::random_rotation(n, *rng_);
    Matrix steps = root.matrixL() * rotation;
    steps *= spread * std::sqrt(static_cast<double>(n));
    Matrix difference(n, n);
    Vector mean = Vector::Zero(n), ahead, behind;
    int used = 0;
    for (int k = 0; k < n; ++k) {
      double shrink = 1.0;
      for (int attempt = 0; attempt < 8; ++attempt, shrink *= 0.5) {
        model_->gradient(centre + shrink * steps.col(k), ahead);
        model_->gradient(centre - shrink * steps.col(k), behind);
        if (ahead.allFinite() && behind.allFinite()) break;
      }
      if (!ahead.allFinite() || !behind.allFinite()) {
        difference.col(k).setZero();
        continue;
      }
      difference.col(k) = (behind - ahead) / (2.0 * shrink);
      mean += 0.5 * (ahead + behind);
      ++used;
    }
    if (used > 0) mean /= used;
    // difference = curvature * steps; steps^-1 = rotation' root^-1 / length
    const Matrix curvature =
        steps.transpose().fullPivLu().solve(difference.transpose()).transpose();
    set(centre, mean, curvature, root.solve(Matrix::Identity(n, n)));
  }

  /// Curvature made positive semidefinite; a little more where no prior of its
  /// own will be added.
  void set(const Vector& centre, const Vector& gradient,
           const Matrix& curvature, const Matrix& metric) {
    lhat.centre = centre;
    lhat.gradient = gradient;
    lhat.curvature = detail::floor_curvature(curvature, metric, 0.0);
    const int from = model_->is_folded() ? 0 : model_->n_columns();
    for (int j = from; j < model_->size(); ++j) lhat.curvature(j, j) += 0.01;
  }

  SurrogateModel* model_;
  SurrogatePenalty penalty_;
  Rng* rng_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_FIT_HPP
