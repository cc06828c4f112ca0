// A quadratic stand-in for a log-likelihood, and normal draws from it times a
// normal prior.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_QUADRATIC_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_QUADRATIC_HPP

#include "../cholesky.hpp"
#include "../math.hpp"
#include "../rng.hpp"

namespace pseudosynth {

/// @brief log Lhat(theta) = gradient'd - d'curvature d / 2, d = theta - centre.
/// The curvature is positive semidefinite.
struct SurrogateQuadratic {
  Vector centre, gradient;
  Matrix curvature;

  double value(const Vector& theta) const {
    const Vector d = theta - centre;
    return d.dot(gradient - 0.5 * (curvature * d));
  }
  SurrogateQuadratic power(double exponent) const {
    return {centre, exponent * gradient, exponent * curvature};
  }
};

/// @brief Lhat times N(location, precision^-1) of the leading coefficients: the
/// surrogate posterior given the hyperparameters, a normal distribution.
class SurrogateConditional {
 public:
  /// @return false if the sum of precisions is not positive definite.
  bool set(const SurrogateQuadratic& lhat, const Matrix& precision,
           const Vector& location) {
    const Eigen::Index P = location.size();
    Matrix sum = lhat.curvature;
    sum.topLeftCorner(P, P) += precision;
    if (!factor_.compute(sum)) return false;
    if (precision.diagonal().maxCoeff() < kTight) {
      Vector pull = lhat.gradient;
      pull.head(P) += precision * (location - lhat.centre.head(P));
      mean_ = lhat.centre + factor_.solve(pull);
    } else {
      // The prior's pull would leave no digit of the likelihood's: from where
      // it does not pull
      Vector middle = lhat.centre;
      middle.head(P) = location;
      const Vector pull =
          lhat.gradient - lhat.curvature * (middle - lhat.centre);
      mean_ = middle + factor_.solve(pull);
    }
    return mean_.allFinite();
  }

  const Vector& mean() const { return mean_; }

  /// mean + keep (from - mean) + sqrt(1 - keep^2) noise: reversible for the
  /// normal; keep = 0 draws anew.
  Vector move(const Vector& from, double keep, Rng& rng) const {
    Vector noise(mean_.size());
    for (Eigen::Index j = 0; j < noise.size(); ++j) noise[j] = rng.normal();
    factor_.solve_upper(noise.data());
    if (keep == 0.0) return mean_ + noise;
    return mean_ + keep * (from - mean_) + std::sqrt(1.0 - keep * keep) * noise;
  }

  /// Normalised.
  double log_density(const Vector& theta) const {
    const Vector white = factor_.upper_times(theta - mean_);
    return factor_.log_root_determinant() - 0.5 * white.squaredNorm() -
           static_cast<double>(mean_.size()) * kHalfLogTwoPi;
  }

  /// Column j of the covariance, scaled to the standard deviation of theta_j:
  /// how the others move along with theta_j.
  Vector direction(int j) const {
    Vector d = Vector::Unit(mean_.size(), j);
    factor_.solve(d.data());
    return d / std::sqrt(d[j]);
  }

 private:
  static constexpr double kTight = 1e16;

  Cholesky factor_;
  Vector mean_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_QUADRATIC_HPP
