// Slices of the exact target along lines: of the surrogate, of small groups of
// records, and as wide as the prior.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_SLICES_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_SLICES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "slice.hpp"
#include "surrogate_state.hpp"

namespace pseudosynth {

class SurrogateSlices {
 public:
  /// @param at must outlive this object.
  explicit SurrogateSlices(SurrogateState& at) : at_(&at) {}

  /// A slice of log tau_j at fixed b_j / tau_j, under the exact likelihood.
  void scale_slice() {
    scale_slice(at_->rng->integer(at_->model->n_columns()), kAll);
  }

  /// @param group the one that column j moves, or kAll.
  void scale_slice(int j, int group) {
    const double before = at_->hyper.tau[j];
    const Vector step =
        at_->theta[j] / before * Vector::Unit(at_->model->size(), j);
    set_line(step, group);
    double last = at_->log_l;
    double height =
        at_->log_l + at_->hyper.log_prior(before) + std::log(before);
    const double x = slice_sample_from(
        *at_->rng, std::log(before), height,
        [&](double t) {
          const double tau = std::exp(t);
          last = on_line(tau - before);
          return last + at_->hyper.log_prior(tau) + t;
        },
        2.0);
    if (x == std::log(before)) return;
    at_->hyper.tau[j] = std::exp(x);
    at_->theta += (at_->hyper.tau[j] - before) * step;
    at_->log_l = last;
  }

  /// A slice along a line of the surrogate's covariance.
  void slice() {
    const SurrogateConditional* normal = at_->prepare(at_->proposal->lhat);
    if (normal == nullptr) return;
    slice_along(normal->direction(at_->rng->integer(at_->model->size())), 2.0);
  }

  /// A slice as wide as the prior along the line of a small group, and of the
  /// scale of its coefficient. The likelihood lets go of few records, so that
  /// their coefficients have the prior's tails, which no quadratic reaches.
  void group_slice(int k) {
    const LevelGroup& group = at_->model->groups()[k];
    const int P = at_->model->n_columns();
    Vector pull = Vector::Zero(P);
    if (at_->prior.hierarchical) {
      for (int j = 0; j < P; ++j)
        if (group.step[j] != 0.0)
          pull += group.step[j] / at_->hyper.tau[j] *
                  at_->hyper.omega_precision().col(j);
      pull = pull.cwiseQuotient(at_->hyper.tau);
    } else {
      pull = at_->precision.diagonal().cwiseProduct(group.step);
    }
    Vector step = Vector::Zero(at_->model->size());
    step.head(P) = group.step;
    slice_along(step,
                at_->crossing->reference->scale(std::max(group.column, 0)),
                pull, k);
    if (at_->prior.hierarchical && group.column >= 0)
      scale_slice(group.column, k);
  }

  /// A slice along an axis as wide as the prior, or along the line through two
  /// explored points.
  void wide_slice() {
    const int n = at_->model->size();
    const std::size_t S = at_->crossing->points.size();
    Vector step = Vector::Zero(n);
    if (S > 1 && (at_->rng->bits() & 1)) {
      const auto any = [&]() -> const Vector& {
        return at_->crossing->points[at_->rng->integer(static_cast<int>(S))];
      };
      step = any() - any();
      if (!(step.squaredNorm() > 0.0)) return;
    } else {
      // The extra parameters as often as all coefficients together: nothing
      // else moves them out into the tails of their priors
      const int P = at_->model->n_columns();
      const int j = n > P && (at_->rng->bits() & 1)
                        ? P + at_->rng->integer(n - P)
                        : at_->rng->integer(P);
      step[j] = at_->crossing->reference->scale(j);
    }
    at_->refresh_precision();
    slice_along(step, 1.0);
  }

  /// A slice as wide as the prior along the line of a factor's reference level:
  /// the intercept goes up by what all the factor's coefficients go down, as
  /// where most levels stand apart from the one in the intercept.
  void reference_slice() {
    const std::vector<FactorColumns>& factors = at_->model->factors();
    const FactorColumns& factor = factors[at_->rng->integer(count_of(factors))];
    Vector step = Vector::Zero(at_->model->size());
    step.head(at_->model->n_columns()) =
        reference_level_step(factor, at_->model->n_columns());
    at_->refresh_precision();
    slice_along(step, at_->crossing->reference->scale(0));
  }

  /// A slice of the log of a factor of all b and tau, under the exact
  /// likelihood: clipped ones often say little about it.
  void common_slice() {
    const int P = at_->model->n_columns();
    Vector step = Vector::Zero(at_->model->size());
    step.head(P) = at_->theta.head(P);
    at_->model->set_line(at_->theta, step);
    const auto log_prior = [&](double x) {
      double sum = P * x;
      for (int j = 0; j < P; ++j)
        sum += at_->hyper.log_prior(std::exp(x) * at_->hyper.tau[j]);
      return sum;
    };
    double last = at_->log_l, height = at_->log_l + log_prior(0.0);
    const double x = slice_sample_from(
        *at_->rng, 0.0, height,
        [&](double t) {
          last = at_->finite(at_->model->value_on_line(std::expm1(t)));
          return last + log_prior(t);
        },
        1.0);
    if (x == 0.0) return;
    at_->theta += std::expm1(x) * step;
    at_->hyper.tau *= std::exp(x);
    at_->log_l = last;
  }

 private:
  static constexpr int kAll = -1;  // in the place of a group

  void slice_along(const Vector& step, double width) {
    slice_along(step, width,
                at_->precision * step.head(at_->model->n_columns()), kAll);
  }

  /// @param pull the prior's precision times the step of the coefficients.
  /// @param group the one that the step moves, or kAll.
  void slice_along(const Vector& step, double width, const Vector& pull,
                   int group) {
    const int P = at_->model->n_columns();
    const Vector shift = at_->theta.head(P) - at_->location;
    const double slope = pull.dot(shift);
    const double curvature = pull.dot(step.head(P));
    set_line(step, group);
    // The last point looked at is the one that is kept.
    double last = at_->log_l, height = at_->log_l;
    const double t = slice_sample_from(
        *at_->rng, 0.0, height,
        [&](double x) {
          last = on_line(x);
          return last - x * (slope + 0.5 * x * curvature);
        },
        width);
    if (t == 0.0) return;
    at_->theta += t * step;
    at_->log_l = last;
  }

  /// theta + t step, on which on_line() is log L.
  void set_line(const Vector& step, int group) {
    line_group_ = group;
    if (group == kAll) {
      at_->model->set_line(at_->theta, step);
    } else {
      at_->model->set_group_line(group, at_->theta, step);
      others_ = at_->log_l - at_->model->value_on_group_line(0.0);
    }
  }
  double on_line(double t) {
    return at_->finite(line_group_ == kAll
                           ? at_->model->value_on_line(t)
                           : others_ + at_->model->value_on_group_line(t));
  }

  SurrogateState* at_;
  int line_group_ = kAll;
  double others_ = 0.0;  // log_l_ but for the group on the line
};

}  // namespace pseudosynth

#endif
