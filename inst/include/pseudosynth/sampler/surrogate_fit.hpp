// The quadratic that stands in for a log-likelihood: found around a penalised
// mode, from differences of the exact gradient over steps as wide as the
// posterior. Infinitesimal curvature misleads where records are clipped: it
// does not see the kinks.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_FIT_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_FIT_HPP

#include <cmath>
#include <vector>

#include "../cholesky.hpp"
#include "../dense.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "penalised_mode.hpp"
#include "surrogate_constants.hpp"
#include "surrogate_model.hpp"
#include "surrogate_quadratic.hpp"

namespace pseudosynth {

/// @brief Fits Lhat to a model.
class SurrogateFit {
 public:
  SurrogateFit(SurrogateModel& model, const SurrogatePenalty& penalty, Rng& rng)
      : model_(&model), penalty_(penalty), rng_(&rng) {}

  SurrogateQuadratic lhat;
  /// Of the curvature in a round, times that of the round before. Where steps
  /// leave all that is not clipped no curvature is seen, and wider steps see
  /// less: above 0 they grow slowly.
  double least_curvature = 0.0;

  /// From the mode: statistical linearisation over points `spread` posterior
  /// standard deviations away in every direction, repeated as the posterior
  /// becomes known.
  void from_mode(const Vector& mode, const Matrix& inverse_hessian,
                 double spread = 1.0,
                 int rounds = SurrogateConstants::kFitRounds) {
    Matrix covariance = inverse_hessian;
    Vector centre = mode;
    for (int round = 0; round < rounds; ++round) {
      linearise(centre, covariance, spread);
      const Matrix precision = penalty_.add(lhat.curvature);
      const Cholesky factor(precision);
      if (!factor.positive()) break;
      const Matrix last = covariance;
      covariance = factor.inverse();
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
      if (round > 0 &&
          std::fabs(trace - n) < SurrogateConstants::kTraceMoved * n &&
          length < SurrogateConstants::kCentreMoved * limit)
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
      add_outer(weight, d, d, inner);
      add_outer(weight, gap, d, outer);
      mean_gap += weight * gap;
      total += weight;
    }
    if (!(total > 0.0)) return;
    inner /= total;
    const Cholesky prior(precision);
    if (!prior.positive()) return;
    inner += SurrogateConstants::kKeptCurvature * prior.inverse();
    const Cholesky root(inner);
    if (!root.positive()) return;
    Matrix slope = (outer / total).transpose();
    slope = root.solve(slope);
    slope.transposeInPlace();
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
    for (const Vector& point : points) {
      const Vector d = point - mean;
      add_outer(1.0 / S, d, d, covariance);
    }
    const Cholesky root(covariance);
    if (!root.positive()) return;
    const Matrix precision = root.inverse();
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
    const Cholesky root(covariance);
    const Matrix rotation = random_rotation(n, *rng_);
    const double length = spread * std::sqrt(static_cast<double>(n));
    const Matrix steps = length * product(root.lower(), rotation);
    Matrix difference(n, n);
    Vector mean = Vector::Zero(n), ahead, behind;
    int used = 0;
    for (int k = 0; k < n; ++k) {
      double shrink = 1.0;
      for (int attempt = 0; attempt < SurrogateConstants::kShorter;
           ++attempt, shrink *= 0.5) {
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
    difference.transposeInPlace();
    Matrix curvature = product(rotation, difference) / length;
    for (int j = 0; j < n; ++j) root.solve_upper(&curvature(0, j));
    curvature.transposeInPlace();
    set(centre, mean, curvature, root.inverse(), least_curvature);
  }

  /// Curvature of at least `floor` times metric, or positive semidefinite; a
  /// little more where no prior of its own will be added.
  void set(const Vector& centre, const Vector& gradient,
           const Matrix& curvature, const Matrix& metric, double floor = 0.0) {
    lhat.centre = centre;
    lhat.gradient = gradient;
    lhat.curvature = detail::floor_curvature(curvature, metric, floor);
    const int from = model_->is_folded() ? 0 : model_->n_columns();
    for (int j = from; j < model_->size(); ++j)
      lhat.curvature(j, j) += SurrogateConstants::kLeastCurvature;
  }

  SurrogateModel* model_;
  SurrogatePenalty penalty_;
  Rng* rng_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_FIT_HPP
