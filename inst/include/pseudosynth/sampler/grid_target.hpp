// What the grid sampler draws from.
#ifndef PSEUDOSYNTH_SAMPLER_GRID_TARGET_HPP
#define PSEUDOSYNTH_SAMPLER_GRID_TARGET_HPP

#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "../math.hpp"
#include "grid_constants.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

/// @brief The whole log pseudo posterior in theta = [ b | u ], the
/// hyperparameters of b integrated out. One object per thread.
class GridTarget {
 public:
  explicit GridTarget(std::unique_ptr<SurrogateModel> model)
      : model_(std::move(model)) {
    const SurrogatePrior& prior = model_->prior();
    if (!prior.hierarchical) return;
    if (model_->n_columns() > 1)
      throw std::invalid_argument(
          "a grid takes the hierarchical prior of one coefficient only");
    // tau = scale exp(t): half-t weights of the normals that are mixed
    for (int k = 0; k < GridConstants::kNodes; ++k) {
      const double t = -12.0 + 24.0 * k / (GridConstants::kNodes - 1);
      const double tau = std::exp(t);
      log_tau_.push_back(t + std::log(prior.tau_scale));
      log_weight_.push_back(t - 0.5 * (prior.tau_df + 1.0) *
                                    std::log1p(tau * tau / prior.tau_df));
    }
    work_.resize(GridConstants::kNodes);
  }

  SurrogateModel& model() { return *model_; }
  const SurrogateModel& model() const { return *model_; }
  GridTarget clone() const { return GridTarget(model_->clone()); }

  double operator()(const Vector& theta) {
    return model_->value(theta) + log_coefficient_prior(theta);
  }
  /// -Inf where the density has no value.
  double value_or_none(const Vector& theta) {
    const double value = (*this)(theta);
    return std::isfinite(value) ? value : -kInfinity;
  }
  /// What is left without the records.
  double log_prior(const Vector& theta) {
    return model_->log_prior(theta) + log_coefficient_prior(theta);
  }
  /// sum_i g_i
  double log_lik(const Vector& theta) {
    return model_->value(theta) - model_->log_prior(theta);
  }

  /// Where the prior of b_j has its middle, and how wide it is.
  double location(int j) const {
    const SurrogatePrior& prior = model_->prior();
    if (prior.folded) return prior.folded->centre(j);
    return prior.hierarchical ? 0.0 : prior.location[j];
  }
  double scale(int j) const {
    const SurrogatePrior& prior = model_->prior();
    if (prior.folded) return 1.0;
    return prior.hierarchical ? prior.tau_scale : prior.scale[j];
  }

 private:
  double log_coefficient_prior(const Vector& theta) {
    const SurrogatePrior& prior = model_->prior();
    if (prior.folded) return 0.0;
    if (prior.hierarchical) {
      const double b2 = square(theta[0]);
      for (std::size_t k = 0; k < work_.size(); ++k)
        work_[k] = log_weight_[k] - log_tau_[k] -
                   0.5 * b2 * std::exp(-2.0 * log_tau_[k]);
      return log_sum_exp(work_.data(), GridConstants::kNodes);
    }
    double sum = 0.0;
    for (int j = 0; j < model_->n_columns(); ++j)
      sum -= 0.5 * square((theta[j] - prior.location[j]) / prior.scale[j]);
    return sum;
  }

  std::unique_ptr<SurrogateModel> model_;
  std::vector<double> log_tau_, log_weight_, work_;
};

}  // namespace pseudosynth

#endif
