// The mode of a log-likelihood under a penalty: where a surrogate is expanded,
// and where an adaptive grid looks first.
#ifndef PSEUDOSYNTH_SAMPLER_PENALISED_MODE_HPP
#define PSEUDOSYNTH_SAMPLER_PENALISED_MODE_HPP

#include <algorithm>
#include <cmath>

#include "../cholesky.hpp"
#include "../dense.hpp"
#include "../math.hpp"
#include "surrogate_model.hpp"

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
  if (!from.allFinite()) return floor * metric;
  Matrix white = from;
  symmetrise(white);
  // Where nothing is below the floor there is nothing to lift.
  if (Cholesky(white - floor * metric).positive()) return white;
  const Cholesky root(metric);
  for (int pass = 0; pass < 2; ++pass) {
    for (Eigen::Index j = 0; j < white.cols(); ++j)
      root.solve_lower(&white(0, j));
    white.transposeInPlace();
  }
  symmetrise(white);
  Vector values;
  const Matrix lifted =
      product(root.lower(), symmetric_eigenvectors(white, values));
  Matrix out = Matrix::Zero(from.rows(), from.cols());
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    const Vector direction = lifted.col(j);
    add_outer(std::max(values[j], floor), direction, direction, out);
  }
  return out;
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
    const Cholesky root(detail::floor_curvature(hessian, metric, 0.02));
    if (root.positive()) inverse = root.inverse();
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
      add_outer((sy + y.dot(hy)) / (sy * sy), s, s, inverse);
      add_outer(-1.0 / sy, hy, s, inverse);
      add_outer(-1.0 / sy, s, hy, inverse);
    }
    theta = next;
    gradient = next_gradient;
    value = next_value;
  }
  if (!Cholesky(inverse).positive()) inverse = unit;
  return inverse;
}

}  // namespace pseudosynth

#endif
