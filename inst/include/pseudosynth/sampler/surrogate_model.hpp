// What the surrogate sampler sees of a model: the part of the log pseudo
// posterior that it expands, in theta = [ b | u ].
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_MODEL_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_MODEL_HPP

#include <algorithm>
#include <cmath>
#include <memory>

#include "../likelihood/likelihood_of.hpp"
#include "../likelihood/value_likelihood.hpp"
#include "../prior/coefficient_prior.hpp"
#include "gaussian_gibbs.hpp"

namespace pseudosynth {

/// The prior of b: hierarchical, normal, or `folded` into what is expanded,
/// which serves any prior without hyperparameters.
struct SurrogatePrior : GaussianGibbsPrior {
  std::shared_ptr<const CoefficientPrior> folded;
};

/// @brief G(theta) = sum_i g_i + log p(u) with its Jacobian, + log p(b) where
/// the prior is folded in. One object per thread; copies share the records and
/// the work space of the gradient, which a set-up calls and chains do not.
template <class Family>
class SurrogateModel {
 public:
  static constexpr int E = Family::kExtras;

  /// @param records must outlive this object and its copies.
  SurrogateModel(const Records& records, const Family& family,
                 const SurrogatePrior& prior)
      : P_(records.design.n_columns()),
        family_(family),
        start_(fit_start(records, family, prior)),
        value_(records, family),
        gradient_(std::make_shared<Gradient>(
            LikelihoodOf<Family>::make(records, family, start_))) {
    if (prior.folded) folded_ = prior.folded->clone();
  }
  SurrogateModel(const SurrogateModel& other)
      : P_(other.P_),
        family_(other.family_),
        start_(other.start_),
        value_(other.value_),
        gradient_(other.gradient_),
        folded_(other.folded_ ? other.folded_->clone() : nullptr) {}

  int size() const { return P_ + E; }
  int n_columns() const { return P_; }
  bool is_folded() const { return folded_ != nullptr; }

  double value(const Vector& theta) {
    double extra[E + 1] = {};
    family_.constrain(theta.data() + P_, extra);
    return value_(theta.data(), extra) + log_prior(theta);
  }

  /// What value() has beside the likelihood.
  double log_prior(const Vector& theta) {
    double unused[E + 1] = {};
    double sum = family_.log_prior(theta.data() + P_, unused);
    if (folded_) {
      scratch_.setZero(P_);
      sum += folded_->log_density(theta.data(), 1, nullptr, scratch_.data(),
                                  nullptr);
    }
    return sum;
  }

  double gradient(const Vector& theta, Vector& d) {
    double extra[E + 1] = {}, d_extra[E + 1] = {};
    const double* u = theta.data() + P_;
    d.setZero(size());
    family_.constrain(u, extra);
    double sum = gradient_->gradient(theta.data(), extra, d.data(), d_extra);
    family_.adjoint(u, d_extra, d.data() + P_);
    sum += family_.log_prior(u, d.data() + P_);
    if (folded_)
      sum += folded_->log_density(theta.data(), 1, nullptr, d.data(), nullptr);
    return sum;
  }

  void constrain(const Vector& theta, double* draw) const {
    std::copy(theta.data(), theta.data() + P_, draw);
    family_.constrain(theta.data() + P_, draw + P_);
  }

  /// Near the weighted fit of start_scale(y).
  Vector start() const {
    Vector theta = Vector::Zero(size());
    theta.head(P_) = start_.anchor;
    Rng fixed(1, 0);
    family_.initial(start_.spread, fixed, theta.data() + P_);
    return theta;
  }

 private:
  using Gradient = typename LikelihoodOf<Family>::Type;

  static LeastSquares fit_start(const Records& records, const Family& family,
                                const SurrogatePrior& prior) {
    std::vector<double> y(records.y);
    for (double& value : y) value = family.start_scale(value);
    Vector centre = Vector::Zero(records.design.n_columns());
    for (Eigen::Index j = 0; j < centre.size(); ++j) {
      if (prior.folded)
        centre[j] = prior.folded->centre(static_cast<int>(j));
      else if (!prior.hierarchical)
        centre[j] = prior.location[j];
    }
    return LeastSquares(records, y, centre);
  }

  int P_;
  Family family_;
  LeastSquares start_;
  ValueLikelihood<Family> value_;
  std::shared_ptr<Gradient> gradient_;
  std::unique_ptr<CoefficientPrior> folded_;
  Vector scratch_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_MODEL_HPP
