// The mode of a log-likelihood under a penalty: where a surrogate is expanded,
// and where an adaptive grid looks first.
#ifndef PSEUDOSYNTH_SAMPLER_PENALISED_MODE_HPP
#define PSEUDOSYNTH_SAMPLER_PENALISED_MODE_HPP

#include <algorithm>
#include <cmath>

#include "../math.hpp"
#include "climb.hpp"
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

/// The maximum of G + penalty by BFGS with exact gradients, which copes with
/// kinks. `theta` is the start and becomes the mode; a start without a finite
/// density moves towards the prior's location first.
/// @return the inverse Hessian as BFGS believes it, positive definite.
inline Matrix find_mode(SurrogateModel& model, const SurrogatePenalty& penalty,
                        Vector& theta) {
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
  Vector step = Vector::Constant(n, kDifference);
  for (int j = 0; j < penalty.precision.size(); ++j)
    step[j] = kDifference / std::sqrt(std::max(penalty.precision[j], 1e-2));
  return climb(evaluate, step, theta);
}

}  // namespace pseudosynth

#endif
