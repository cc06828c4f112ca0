// From the prior to a clipped posterior by a population of points: the
// likelihood is raised to powers that grow from 0 to 1, points are drawn anew
// in proportion to what that changes, and moved. Points end up in every mode
// and on every plateau that a population of this size can find. Others come
// from fits that are exact for a few records, where clipped likelihoods have
// modes that no path leads to. A proposal is fitted to all of them and brought
// to the posterior by importance sampling. Nothing here has to be exact.
// Del Moral, Doucet and Jasra (2006); moves as in ter Braak (2006); Cappe,
// Guillin, Marin and Robert (2004).
#ifndef PSEUDOSYNTH_SAMPLER_PRIOR_EXPLORATION_HPP
#define PSEUDOSYNTH_SAMPLER_PRIOR_EXPLORATION_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "prior_reference.hpp"
#include "slice.hpp"
#include "student_mixture.hpp"
#include "surrogate_constants.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

class PriorExploration {
 public:
  PriorExploration(SurrogateModel& model, const PriorReference& reference,
                   int n_points, Rng& rng)
      : model_(&model), reference_(&reference), rng_(&rng) {
    while (count_of(points_) < n_points) {
      Vector tau;
      if (model.prior().hierarchical) tau = reference.draw_tau(rng);
      points_.push_back(measured(reference.draw(tau, rng)));
    }
    double power = 0.0;
    for (int step = 0; step < SurrogateConstants::kMaxSteps && power < 1.0;
         ++step) {
      const double next =
          step + 1 < SurrogateConstants::kMaxSteps ? next_power(power) : 1.0;
      resample(next - power);
      power = next;
      for (int round = 0; round < SurrogateConstants::kRounds; ++round)
        move(power);
    }
    for (int round = 0; round < SurrogateConstants::kLastRounds; ++round)
      move(1.0);
    StudentMixture found;
    found.fit(points(), SurrogateConstants::kComponents, rng);
    std::vector<Point> fits{highest(model.start())};
    while (count_of(fits) < SurrogateConstants::kFits)
      fits.push_back(highest(model.exact_fit(rng)));
    follow(fits, SurrogateConstants::kKeptFits, found);
    improve(found);
    mixture_.append(found, SurrogateConstants::kFoundShare);
  }

  /// For more parameters than a population finds its way in: only what lies
  /// around exact fits that are about as high as the mode and are narrower,
  /// or have another shape. Nothing in most models.
  PriorExploration(SurrogateModel& model, const PriorReference& reference,
                   const Vector& mode, Rng& rng)
      : model_(&model), reference_(&reference), rng_(&rng) {
    const int n_extras = model.size() - model.n_columns();
    if (n_extras == 0) return;
    const double least =
        height(measured(mode)) - SurrogateConstants::kAboutAsHigh;
    std::vector<Point> fits;
    for (int k = 0; k < SurrogateConstants::kFewerFits; ++k) {
      const Point one = highest(model.exact_fit(rng));
      const Vector gap = (one.theta - mode).tail(n_extras);
      if (height(one) > least &&
          gap.cwiseAbs().maxCoeff() > SurrogateConstants::kElsewhere)
        fits.push_back(one);
    }
    follow(fits, SurrogateConstants::kFewerKept, mixture_);
  }

  const StudentMixture& mixture() const { return mixture_; }

  /// Of the posterior, and around exact fits whatever these weigh.
  std::vector<Vector> all_points() const {
    std::vector<Vector> out = points();
    out.insert(out.end(), extra_.begin(), extra_.end());
    return out;
  }

 private:
  std::vector<Vector> points() const {
    std::vector<Vector> out;
    for (const Point& point : points_) out.push_back(point.theta);
    return out;
  }

  struct Point {
    Vector theta;
    double log_lik, log_prior;
  };

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
    const double wanted =
        SurrogateConstants::kWorthKept * static_cast<double>(points_.size());
    double low = 0.0, high = 1.0 - power;
    if (worth(high) >= wanted) return 1.0;
    for (int halving = 0; halving < SurrogateConstants::kHalvings; ++halving) {
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
    const int n = count_of(points_);
    const double d = static_cast<double>(points_.front().theta.size());
    for (Point& point : points_) {
      const Vector& a = points_[rng_->integer(n)].theta;
      const Vector& b = points_[rng_->integer(n)].theta;
      const double kind = rng_->uniform();
      const double length =
          kind < SurrogateConstants::kWhole
              ? 1.0
              : SurrogateConstants::kTerBraak / std::sqrt(2.0 * d) *
                    std::pow(10.0,
                             -SurrogateConstants::kShortest * rng_->uniform());
      Vector to = point.theta + length * (a - b);
      for (Eigen::Index j = 0; j < to.size(); ++j)
        to[j] += SurrogateConstants::kNoise * std::fabs(a[j] - b[j]) *
                 rng_->normal();
      const Point next = measured(to);
      if (std::log(rng_->uniform()) < power * (next.log_lik - point.log_lik) +
                                          next.log_prior - point.log_prior)
        point = next;
    }
  }

  /// The coefficients of an exact fit at the width where it is highest.
  Point highest(Vector theta) const {
    const int P = model_->n_columns(), n = model_->size();
    Point top = measured(theta);
    for (double u = SurrogateConstants::kNarrowest;
         u < SurrogateConstants::kWidest && n > P;
         u += SurrogateConstants::kFitWidths) {
      theta.tail(n - P).setConstant(u);
      const Point next = measured(theta);
      if (height(next) > height(top)) top = next;
    }
    return top;
  }

  /// The best of them, each followed by a short chain of slices; a component
  /// for each.
  void follow(std::vector<Point> best, int most, StudentMixture& found) {
    const int n = model_->size();
    std::sort(best.begin(), best.end(), [this](const Point& a, const Point& b) {
      return height(a) > height(b);
    });
    std::vector<Point> kept;
    for (const Point& one : best) {
      if (count_of(kept) == most) break;
      const bool known =
          std::any_of(kept.begin(), kept.end(), [&](const Point& other) {
            return (one.theta - other.theta).cwiseAbs().maxCoeff() <
                   SurrogateConstants::kSame;
          });
      if (!known) kept.push_back(one);
    }
    for (Point& one : kept) {
      std::vector<Vector> around;
      for (int sweep = 0; sweep < SurrogateConstants::kAroundEach * n +
                                      SurrogateConstants::kAround;
           ++sweep) {
        for (int j = 0; j < n; ++j) slice(one, j);
        if (sweep >= n) around.push_back(one.theta);
      }
      StudentMixture local;
      local.fit(around, 1, *rng_);
      found.append(local, 1.0 / (found.size() + 1.0));
      for (std::size_t s = 0; s < around.size();
           s += SurrogateConstants::kThinned)
        extra_.push_back(around[s]);
    }
  }

  static double height(const Point& point) {
    return point.log_lik + point.log_prior;
  }

  void slice(Point& at, int j) {
    Vector theta = at.theta;
    Point last = at;
    double value = height(at);
    const double from = at.theta[j];
    slice_sample_from(
        *rng_, from, value,
        [&](double x) {
          theta[j] = x;
          last = measured(theta);
          return height(last);
        },
        SurrogateConstants::kSliceWidth * reference_->scale(j));
    if (last.theta[j] != from && height(last) == value) at = last;
  }

  /// Importance samples of what was found bring the weights of its parts to
  /// those of the posterior.
  void improve(const StudentMixture& found) {
    mixture_ = found;
    const std::size_t size = points_.size();
    for (int round = 0; round < SurrogateConstants::kImproved; ++round) {
      std::vector<Point> drawn;
      std::vector<double> log_weight;
      for (std::size_t s = 0; s < 2 * size; ++s) {
        const double kind = rng_->uniform();
        const Point one = measured(kind < SurrogateConstants::kPriorShare
                                       ? reference_->draw_wide(*rng_)
                                   : kind < 0.5 ? found.draw(*rng_)
                                                : mixture_.draw(*rng_));
        const double parts[3] = {
            std::log(SurrogateConstants::kPriorShare) +
                reference_->log_normalised(one.theta),
            std::log(0.5 - SurrogateConstants::kPriorShare) +
                found.log_density(one.theta),
            std::log(0.5) + mixture_.log_density(one.theta)};
        drawn.push_back(one);
        log_weight.push_back(height(one) - log_sum_exp(parts, 3));
      }
      const double top =
          *std::max_element(log_weight.begin(), log_weight.end());
      std::vector<double> w;
      double total = 0.0;
      for (const double each : log_weight) {
        w.push_back(std::exp(each - top));
        total += w.back();
      }
      double sum = 0.0, at = rng_->uniform() / static_cast<double>(size);
      points_.clear();
      for (std::size_t s = 0; s < drawn.size(); ++s) {
        sum += w[s] / total;
        for (; at < sum && points_.size() < size;
             at += 1.0 / static_cast<double>(size))
          points_.push_back(drawn[s]);
      }
      while (points_.size() < size) points_.push_back(drawn.back());
      move(1.0);
      move(1.0);
      mixture_.fit(points(), SurrogateConstants::kComponents, *rng_);
    }
  }

  SurrogateModel* model_;
  const PriorReference* reference_;
  Rng* rng_;
  std::vector<Point> points_;
  std::vector<Vector> extra_;
  StudentMixture mixture_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_PRIOR_EXPLORATION_HPP
