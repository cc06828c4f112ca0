// Slices of the exact target along lines: of the surrogate, of small groups of
// records, and as wide as the prior.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_SLICES_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_SLICES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../math.hpp"
#include "slice.hpp"
#include "surrogate_state.hpp"

namespace pseudosynth {

class SurrogateSlices : public SurrogateState {
 public:
  using SurrogateState::SurrogateState;

  /// A slice of log tau_j at fixed b_j / tau_j, under the exact likelihood.
  void scale_slice() { scale_slice(rng_->integer(model_->n_columns()), kAll); }

  /// @param group the one that column j moves, or kAll.
  void scale_slice(int j, int group) {
    const double before = hyper_.tau[j];
    const Vector step = theta[j] / before * Vector::Unit(model_->size(), j);
    set_line(step, group);
    double last = log_l_;
    double height = log_l_ + hyper_.log_prior(before) + std::log(before);
    const double x = slice_sample_from(
        *rng_, std::log(before), height,
        [&](double t) {
          const double tau = std::exp(t);
          last = on_line(tau - before);
          return last + hyper_.log_prior(tau) + t;
        },
        2.0);
    if (x == std::log(before)) return;
    hyper_.tau[j] = std::exp(x);
    theta += (hyper_.tau[j] - before) * step;
    log_l_ = last;
  }

  /// A slice along a line of the surrogate's covariance.
  void slice() {
    const SurrogateConditional* normal = prepare(proposal_->lhat);
    if (normal == nullptr) return;
    slice_along(normal->direction(rng_->integer(model_->size())), 2.0);
  }

  /// A slice as wide as the prior along the line of a small group, and of the
  /// scale of its coefficient. The likelihood lets go of few records, so that
  /// their coefficients have the prior's tails, which no quadratic reaches.
  void group_slice(int k) {
    const LevelGroup& group = model_->groups()[static_cast<std::size_t>(k)];
    const int P = model_->n_columns();
    Vector pull = Vector::Zero(P);
    if (prior_.hierarchical) {
      for (int j = 0; j < P; ++j)
        if (group.step[j] != 0.0)
          pull +=
              group.step[j] / hyper_.tau[j] * hyper_.omega_precision().col(j);
      pull = pull.cwiseQuotient(hyper_.tau);
    } else {
      pull = precision_.diagonal().cwiseProduct(group.step);
    }
    Vector step = Vector::Zero(model_->size());
    step.head(P) = group.step;
    slice_along(step, crossing_->reference->scale(std::max(group.column, 0)),
                pull, k);
    if (prior_.hierarchical && group.column >= 0) scale_slice(group.column, k);
  }

  /// A slice along an axis as wide as the prior, or along the line through two
  /// explored points.
  void wide_slice() {
    const int n = model_->size();
    const std::size_t S = crossing_->points.size();
    Vector step = Vector::Zero(n);
    if (S > 1 && (rng_->bits() & 1)) {
      const auto any = [&]() -> const Vector& {
        return crossing_->points[static_cast<std::size_t>(
            rng_->integer(static_cast<int>(S)))];
      };
      step = any() - any();
      if (!(step.squaredNorm() > 0.0)) return;
    } else {
      // The extra parameters as often as all coefficients together: nothing
      // else moves them out into the tails of their priors
      const int P = model_->n_columns();
      const int j = n > P && (rng_->bits() & 1) ? P + rng_->integer(n - P)
                                                : rng_->integer(P);
      step[j] = crossing_->reference->scale(j);
    }
    refresh_precision();
    slice_along(step, 1.0);
  }

  /// A slice as wide as the prior along the line of a factor's reference level:
  /// the intercept goes up by what all the factor's coefficients go down, as
  /// where most levels stand apart from the one in the intercept.
  void reference_slice() {
    const std::vector<FactorColumns>& factors = model_->factors();
    const FactorColumns& factor = factors[static_cast<std::size_t>(
        rng_->integer(static_cast<int>(factors.size())))];
    Vector step = Vector::Zero(model_->size());
    step.head(model_->n_columns()) =
        reference_level_step(factor, model_->n_columns());
    refresh_precision();
    slice_along(step, crossing_->reference->scale(0));
  }

  /// A slice of the log of a factor of all b and tau, under the exact
  /// likelihood: clipped ones often say little about it.
  void common_slice() {
    const int P = model_->n_columns();
    Vector step = Vector::Zero(model_->size());
    step.head(P) = theta.head(P);
    model_->set_line(theta, step);
    const auto log_prior = [&](double x) {
      double sum = P * x;
      for (int j = 0; j < P; ++j)
        sum += hyper_.log_prior(std::exp(x) * hyper_.tau[j]);
      return sum;
    };
    double last = log_l_, height = log_l_ + log_prior(0.0);
    const double x = slice_sample_from(
        *rng_, 0.0, height,
        [&](double t) {
          last = finite(model_->value_on_line(std::expm1(t)));
          return last + log_prior(t);
        },
        1.0);
    if (x == 0.0) return;
    theta += std::expm1(x) * step;
    hyper_.tau *= std::exp(x);
    log_l_ = last;
  }

 private:
  static constexpr int kAll = -1;  // in the place of a group

  void slice_along(const Vector& step, double width) {
    slice_along(step, width, precision_ * step.head(model_->n_columns()), kAll);
  }

  /// @param pull the prior's precision times the step of the coefficients.
  /// @param group the one that the step moves, or kAll.
  void slice_along(const Vector& step, double width, const Vector& pull,
                   int group) {
    const int P = model_->n_columns();
    const Vector shift = theta.head(P) - location_;
    const double slope = pull.dot(shift);
    const double curvature = pull.dot(step.head(P));
    set_line(step, group);
    // The last point looked at is the one that is kept.
    double last = log_l_, height = log_l_;
    const double t = slice_sample_from(
        *rng_, 0.0, height,
        [&](double x) {
          last = on_line(x);
          return last - x * (slope + 0.5 * x * curvature);
        },
        width);
    if (t == 0.0) return;
    theta += t * step;
    log_l_ = last;
  }

  /// theta + t step, on which on_line() is log L.
  void set_line(const Vector& step, int group) {
    line_group_ = group;
    if (group == kAll) {
      model_->set_line(theta, step);
    } else {
      model_->set_group_line(group, theta, step);
      others_ = log_l_ - model_->value_on_group_line(0.0);
    }
  }
  double on_line(double t) {
    return finite(line_group_ == kAll
                      ? model_->value_on_line(t)
                      : others_ + model_->value_on_group_line(t));
  }

  int line_group_ = kAll;
  double others_ = 0.0;  // log_l_ but for the group on the line
};

}  // namespace pseudosynth

#endif
