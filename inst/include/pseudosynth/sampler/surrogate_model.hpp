// What the surrogate sampler sees of a model: the part of the log pseudo
// posterior that it expands, in theta = [ b | u ]. Abstract, so that the
// sampler is compiled once for all families; see family_surrogate_model.hpp.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_MODEL_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_MODEL_HPP

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "../likelihood/level_groups.hpp"
#include "../math.hpp"
#include "../prior/coefficient_prior.hpp"
#include "../rng.hpp"
#include "chain_result.hpp"
#include "regression_prior.hpp"

namespace pseudosynth {

/// The prior of b: hierarchical, normal, or `folded` into what is expanded,
/// which serves any prior without hyperparameters.
struct SurrogatePrior : RegressionPrior {
  std::shared_ptr<const CoefficientPrior> folded;
};

/// @brief G(theta) = sum_i g_i + log p(u) with its Jacobian, + log p(b) where
/// the prior is folded in. One object per thread.
class SurrogateModel {
 public:
  virtual ~SurrogateModel() = default;
  SurrogateModel& operator=(const SurrogateModel&) = delete;

  int size() const { return size_; }
  int n_columns() const { return P_; }
  const SurrogatePrior& prior() const { return prior_; }
  bool is_folded() const { return prior_.folded != nullptr; }
  /// True if contributions of records are clipped.
  bool is_clipped() const { return clipped_; }
  int n_records() const { return n_records_; }

  virtual double value(const Vector& theta) = 0;
  /// The line theta + t step, on which value_on_line() then moves.
  virtual void set_line(const Vector& theta, const Vector& step) = 0;
  /// value(theta + t step).
  virtual double value_on_line(double t) = 0;
  /// What value() has beside the likelihood.
  virtual double log_prior(const Vector& theta) = 0;
  /// value(theta); d becomes its gradient.
  virtual double gradient(const Vector& theta, Vector& d) = 0;
  virtual void constrain(const Vector& theta, double* draw) const = 0;
  /// Near the weighted fit of the family's start_scale(y).
  virtual Vector start() const = 0;
  /// Through a few records at random, the extra parameters at 0; start() where
  /// nothing is clipped or there are too many columns.
  virtual Vector exact_fit(Rng& rng) const = 0;
  /// Small groups of records with a line of their own; none where nothing is
  /// clipped or the prior is folded.
  virtual const std::vector<LevelGroup>& groups() const = 0;
  /// Factors whose reference level is in the intercept; none where nothing is
  /// clipped.
  virtual const std::vector<FactorColumns>& factors() const = 0;
  /// The line theta + t step of columns that move group k alone.
  virtual void set_group_line(int k, const Vector& theta,
                              const Vector& step) = 0;
  /// What the records of the group add to value(theta + t step).
  virtual double value_on_group_line(double t) = 0;
  virtual std::unique_ptr<SurrogateModel> clone() const = 0;

 protected:
  SurrogateModel(int P, int n_extras, int n_records, bool clipped,
                 SurrogatePrior prior)
      : P_(P),
        size_(P + n_extras),
        n_records_(n_records),
        clipped_(clipped),
        prior_(std::move(prior)) {}
  SurrogateModel(const SurrogateModel&) = default;

 private:
  int P_, size_, n_records_;
  bool clipped_;
  SurrogatePrior prior_;
};

/// @brief A model that throws Interrupted at an evaluation once its host asks
/// to stop, so that what evaluates it needs no polling of its own.
class StoppableSurrogateModel final : public SurrogateModel {
 public:
  /// @param model must outlive this object.
  StoppableSurrogateModel(SurrogateModel& model,
                          std::function<bool()> should_stop)
      : SurrogateModel(model),
        model_(&model),
        should_stop_(std::move(should_stop)) {}

  double value(const Vector& theta) override {
    poll();
    return model_->value(theta);
  }
  void set_line(const Vector& theta, const Vector& step) override {
    model_->set_line(theta, step);
  }
  double value_on_line(double t) override {
    poll();
    return model_->value_on_line(t);
  }
  double log_prior(const Vector& theta) override {
    return model_->log_prior(theta);
  }
  double gradient(const Vector& theta, Vector& d) override {
    poll();
    return model_->gradient(theta, d);
  }
  void constrain(const Vector& theta, double* draw) const override {
    model_->constrain(theta, draw);
  }
  Vector start() const override { return model_->start(); }
  Vector exact_fit(Rng& rng) const override { return model_->exact_fit(rng); }
  const std::vector<LevelGroup>& groups() const override {
    return model_->groups();
  }
  const std::vector<FactorColumns>& factors() const override {
    return model_->factors();
  }
  void set_group_line(int k, const Vector& theta, const Vector& step) override {
    model_->set_group_line(k, theta, step);
  }
  double value_on_group_line(double t) override {
    poll();
    return model_->value_on_group_line(t);
  }
  std::unique_ptr<SurrogateModel> clone() const override {
    return model_->clone();
  }

 private:
  void poll() const {
    if (should_stop_ && should_stop_()) throw Interrupted();
  }

  SurrogateModel* model_;
  std::function<bool()> should_stop_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_MODEL_HPP
