// From the prior to a clipped posterior by a population of points: the
// likelihood is raised to powers that grow from 0 to 1, points are drawn anew
// in proportion to what that changes, and moved. Points end up in every mode
// and on every plateau that a population of this size can find; proposals are
// fitted to them. Nothing here has to be exact.
// Del Moral, Doucet and Jasra (2006); moves as in ter Braak (2006).
#ifndef PSEUDOSYNTH_SAMPLER_PRIOR_EXPLORATION_HPP
#define PSEUDOSYNTH_SAMPLER_PRIOR_EXPLORATION_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../math.hpp"
#include "../rng.hpp"
#include "prior_reference.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

class PriorExploration {
 public:
  PriorExploration(SurrogateModel& model, const PriorReference& reference,
                   int n_points, Rng& rng)
      : model_(&model), reference_(&reference), rng_(&rng) {
    while (static_cast<int>(points_.size()) < n_points) {
      Vector tau;
      if (model.prior().hierarchical) tau = reference.draw_tau(rng);
      points_.push_back(measured(reference.draw(tau, rng)));
    }
    double power = 0.0;
    for (int step = 0; step < kMaxSteps && power < 1.0; ++step) {
      const double next = step + 1 < kMaxSteps ? next_power(power) : 1.0;
      resample(next - power);
      power = next;
      for (int round = 0; round < kRounds; ++round) move(power);
    }
    for (int round = 0; round < kLastRounds; ++round) move(1.0);
  }

  std::vector<Vector> points() const {
    std::vector<Vector> out;
    for (const Point& point : points_) out.push_back(point.theta);
    return out;
  }

 private:
  struct Point {
    Vector theta;
    double log_lik, log_prior;
  };
  static constexpr int kMaxSteps = 60, kRounds = 3, kLastRounds = 4;

  Point measured(const Vector& theta) const {
    const double log_prior = model_->log_prior(theta);
    const double value = model_->value(theta) - log_prior;
    return {theta, std::isfinite(value) ? value : -1e300,
            log_prior + reference_->log_coefficients(theta)};
  }

  /// Weights of the points after the power has grown by `growth`.
  std::vector<double> weights(double growth) const {
    double top = -kInfinity;
    for (const Point& point : points_) top = std::max(top, point.log_lik);
    std::vector<double> out;
    for (const Point& point : points_)
      out.push_back(std::exp(growth * (point.log_lik - top)));
    return out;
  }

  /// So far that the weights are worth half of the points.
  double next_power(double power) const {
    const auto worth = [&](double growth) {
      double sum = 0.0, squares = 0.0;
      for (const double w : weights(growth)) {
        sum += w;
        squares += w * w;
      }
      return sum * sum / squares;
    };
    const double wanted = 0.5 * static_cast<double>(points_.size());
    double low = 0.0, high = 1.0 - power;
    if (worth(high) >= wanted) return 1.0;
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = 0.5 * (low + high);
      (worth(middle) >= wanted ? low : high) = middle;
    }
    return power + high;
  }

  void resample(double growth) {
    const std::vector<double> w = weights(growth);
    double total = 0.0;
    for (const double each : w) total += each;
    std::vector<Point> next;
    const double n = static_cast<double>(points_.size());
    double at = rng_->uniform() / n, sum = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      sum += w[i] / total;
      for (; at < sum && next.size() < points_.size(); at += 1.0 / n)
        next.push_back(points_[i]);
    }
    while (next.size() < points_.size()) next.push_back(points_.back());
    points_.swap(next);
  }

  /// Along differences of other points, whole ones now and then, which cross
  /// from mode to mode.
  void move(double power) {
    const int n = static_cast<int>(points_.size());
    const double d = static_cast<double>(points_.front().theta.size());
    for (Point& point : points_) {
      const Vector& a =
          points_[static_cast<std::size_t>(rng_->integer(n))].theta;
      const Vector& b =
          points_[static_cast<std::size_t>(rng_->integer(n))].theta;
      const double kind = rng_->uniform();
      const double length = kind < 0.15
                                ? 1.0
                                : 2.38 / std::sqrt(2.0 * d) *
                                      std::pow(10.0, -1.5 * rng_->uniform());
      Vector to = point.theta + length * (a - b);
      for (Eigen::Index j = 0; j < to.size(); ++j)
        to[j] += 1e-3 * std::fabs(a[j] - b[j]) * rng_->normal();
      const Point next = measured(to);
      if (std::log(rng_->uniform()) < power * (next.log_lik - point.log_lik) +
                                          next.log_prior - point.log_prior)
        point = next;
    }
  }

  SurrogateModel* model_;
  const PriorReference* reference_;
  Rng* rng_;
  std::vector<Point> points_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_PRIOR_EXPLORATION_HPP
