// The mode of a log density by exact gradients, and its curvature there by
// their differences.
#ifndef PSEUDOSYNTH_SAMPLER_CLIMB_HPP
#define PSEUDOSYNTH_SAMPLER_CLIMB_HPP

#include <algorithm>
#include <cmath>

#include "../cholesky.hpp"
#include "../count_of.hpp"
#include "../dense.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "../stop.hpp"

namespace pseudosynth {

// How far differences reach in a parameter whose prior is about 1 wide.
constexpr double kDifference = 1e-3;

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

/// Minus the Hessian, not symmetrised.
/// @param evaluate the log density at a point; sets its gradient.
/// @param step of each parameter's difference.
template <class Evaluate>
Matrix difference_curvature(Evaluate&& evaluate, const Vector& step,
                            const Vector& theta) {
  const int n = static_cast<int>(theta.size());
  Matrix out = Matrix::Zero(n, n);
  Vector ahead, behind;
  for (int j = 0; j < n; ++j) {
    Vector at = theta;
    at[j] += step[j];
    evaluate(at, ahead);
    at[j] -= 2.0 * step[j];
    evaluate(at, behind);
    out.col(j) = (behind - ahead) / (2.0 * step[j]);
  }
  return out;
}

/// BFGS. `theta` is the start and becomes the mode.
/// @param evaluate as above; NaN where the density or its gradient is not
///   finite. @param step as above.
/// @return the inverse Hessian as BFGS believes it, positive definite.
template <class Evaluate>
Matrix climb(Evaluate&& evaluate, const Vector& step_of, Vector& theta,
             int max_steps = 200) {
  const int n = static_cast<int>(theta.size());
  // Differences of the gradient start the inverse Hessian.
  const Matrix hessian = difference_curvature(evaluate, step_of, theta);
  const Matrix unit = Matrix::Identity(n, n);
  Matrix inverse = unit;
  if (hessian.allFinite()) {
    const Matrix metric =
        hessian.diagonal().cwiseAbs().cwiseMax(1e-2).asDiagonal();
    const Cholesky root(detail::floor_curvature(hessian, metric, 0.02));
    if (root.positive()) inverse = root.inverse();
  }

  Vector gradient, next, next_gradient;
  double value = evaluate(theta, gradient);
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

/// The covariance that the curvature of a log density at its mode gives it;
/// empty where that is not positive definite.
/// @param model as NUTS has it (roles.hpp); one that is log-concave has one
///   mode.
template <class Model>
Matrix covariance_at_mode(Model model) {
  Rng fixed(1, 0);
  Vector theta = model.initial(fixed);
  const auto evaluate = [&](const Vector& at, Vector& d) {
    StopScope::poll(count_of(at));
    const double value = model(at, d);
    return d.allFinite() ? value : kNaN;
  };
  const Vector step = Vector::Constant(theta.size(), kDifference);
  climb(evaluate, step, theta);
  Matrix curvature = difference_curvature(evaluate, step, theta);
  symmetrise(curvature);
  const Cholesky root(curvature);
  return root.positive() ? root.inverse() : Matrix();
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_CLIMB_HPP
