// What the surrogate sampler expands, of a family.
#ifndef PSEUDOSYNTH_SAMPLER_FAMILY_SURROGATE_MODEL_HPP
#define PSEUDOSYNTH_SAMPLER_FAMILY_SURROGATE_MODEL_HPP

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "../family/registry.hpp"
#include "../likelihood/exact_fits.hpp"
#include "../likelihood/level_groups.hpp"
#include "../likelihood/likelihood_of.hpp"
#include "../likelihood/value_likelihood.hpp"
#include "surrogate_constants.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

/// @brief Copies share the records and the work space of the gradient, which a
/// set-up calls and chains do not.
template <class Family>
class FamilySurrogateModel final : public SurrogateModel {
 public:
  /// @param records must outlive this object and its copies.
  /// @param small_share of the records: the largest group with moves of its
  /// own.
  FamilySurrogateModel(const Records& records, const Family& family,
                       const SurrogatePrior& prior,
                       double small_share = kSmallShare)
      : SurrogateModel(records.design.n_columns(), E, records.size(),
                       records.censor.active, prior),
        family_(family),
        start_(fit_start(records, family, prior)),
        cells_(std::make_shared<const RecordCells>(records)),
        value_(records, family, cells_),
        gradient_(std::make_shared<Gradient>(
            LikelihoodOf<Family>::make(records, family, start_, cells_))) {
    if (prior.folded) folded_ = prior.folded->clone();
    if (records.censor.active)
      factors_ = factors_beside_intercept(records.design);
    if (records.censor.active && !prior.folded)
      groups_.emplace(records, family, small_share);
    if (records.censor.active &&
        n_columns() <= SurrogateConstants::kExactColumns) {
      exact_ = std::make_shared<const ExactFits>(
          records, scaled_response(records, family),
          prior_centre(records, prior));
    }
  }
  FamilySurrogateModel(const FamilySurrogateModel& other)
      : SurrogateModel(other),
        family_(other.family_),
        start_(other.start_),
        cells_(other.cells_),
        value_(other.value_),
        gradient_(other.gradient_),
        exact_(other.exact_),
        factors_(other.factors_),
        groups_(other.groups_),
        folded_(other.folded_ ? other.folded_->clone() : nullptr) {}

  double value(const Vector& theta) override {
    double extra[E + 1] = {};
    family_.constrain(theta.data() + n_columns(), extra);
    return value_(theta.data(), extra) + log_prior(theta);
  }

  void set_line(const Vector& theta, const Vector& step) override {
    line_ = theta;
    step_ = step;
    value_.set_line(theta.data(), step.data());
  }
  double value_on_line(double t) override {
    const Vector at = line_ + t * step_;
    double extra[E + 1] = {};
    family_.constrain(at.data() + n_columns(), extra);
    return value_.on_line(t, extra) + log_prior(at);
  }

  double log_prior(const Vector& theta) override {
    double unused[E + 1] = {};
    double sum = family_.log_prior(theta.data() + n_columns(), unused);
    if (folded_) {
      scratch_.setZero(n_columns());
      sum += folded_->log_density(theta.data(), 1, nullptr, scratch_.data(),
                                  nullptr);
    }
    return sum;
  }

  double gradient(const Vector& theta, Vector& d) override {
    double extra[E + 1] = {}, d_extra[E + 1] = {};
    const double* u = theta.data() + n_columns();
    d.setZero(size());
    family_.constrain(u, extra);
    double sum = gradient_->gradient(theta.data(), extra, d.data(), d_extra);
    family_.adjoint(u, d_extra, d.data() + n_columns());
    sum += family_.log_prior(u, d.data() + n_columns());
    if (folded_)
      sum += folded_->log_density(theta.data(), 1, nullptr, d.data(), nullptr);
    return sum;
  }

  void constrain(const Vector& theta, double* draw) const override {
    std::copy(theta.data(), theta.data() + n_columns(), draw);
    family_.constrain(theta.data() + n_columns(), draw + n_columns());
  }

  Vector start() const override {
    Vector theta = Vector::Zero(size());
    theta.head(n_columns()) = start_.anchor;
    Rng fixed(1, 0);
    family_.initial(start_.spread, fixed, theta.data() + n_columns());
    return theta;
  }

  Vector exact_fit(Rng& rng) const override {
    if (exact_ == nullptr || exact_->empty()) return start();
    Vector theta = Vector::Zero(size());
    theta.head(n_columns()) = exact_->draw(rng);
    return theta;
  }

  const std::vector<LevelGroup>& groups() const override {
    static const std::vector<LevelGroup> none;
    return groups_ ? groups_->groups() : none;
  }
  const std::vector<FactorColumns>& factors() const override {
    return factors_;
  }
  void set_group_line(int k, const Vector& theta, const Vector& step) override {
    family_.constrain(theta.data() + n_columns(), group_extra_);
    groups_->set_line(k, theta.data(), step.data());
  }
  double value_on_group_line(double t) override {
    return groups_->on_line(t, group_extra_);
  }

  std::unique_ptr<SurrogateModel> clone() const override {
    return std::make_unique<FamilySurrogateModel>(*this);
  }

 private:
  static constexpr int E = Family::kExtras;
  using Gradient = typename LikelihoodOf<Family>::Type;

  static std::vector<double> scaled_response(const Records& records,
                                             const Family& family) {
    std::vector<double> y(records.y);
    for (double& value : y) value = family.start_scale(value);
    return y;
  }
  static Vector prior_centre(const Records& records,
                             const SurrogatePrior& prior) {
    Vector centre = Vector::Zero(records.design.n_columns());
    for (Eigen::Index j = 0; j < centre.size(); ++j) {
      if (prior.folded)
        centre[j] = prior.folded->centre(static_cast<int>(j));
      else if (!prior.hierarchical)
        centre[j] = prior.location[j];
    }
    return centre;
  }
  static LeastSquares fit_start(const Records& records, const Family& family,
                                const SurrogatePrior& prior) {
    return LeastSquares(records, scaled_response(records, family),
                        prior_centre(records, prior));
  }

  Family family_;
  LeastSquares start_;
  std::shared_ptr<const RecordCells> cells_;
  ValueLikelihood<Family> value_;
  std::shared_ptr<Gradient> gradient_;
  std::shared_ptr<const ExactFits> exact_;  // or null
  std::vector<FactorColumns> factors_;
  std::optional<LevelGroups<Family>> groups_;
  double group_extra_[E + 1] = {};
  std::unique_ptr<CoefficientPrior> folded_;
  Vector scratch_, line_, step_;
};

/// @param records must outlive the model and its copies.
/// @throw std::invalid_argument if prior and design differ in columns, for a
///   family of several linear predictors, or if the family is not known.
inline std::unique_ptr<SurrogateModel> make_surrogate_model(
    const ModelKind& kind, const Records& records,
    const SurrogatePrior& prior) {
  const int P = records.design.n_columns();
  if (!prior.folded && !prior.hierarchical &&
      (prior.location.size() != P || prior.scale.size() != P))
    throw std::invalid_argument("prior and design differ in columns");
  return visit_family(
      kind, [&](const auto& family) -> std::unique_ptr<SurrogateModel> {
        using Family = std::decay_t<decltype(family)>;
        if constexpr (std::is_same_v<Family, NormalMixture> ||
                      std::is_same_v<Family, Categorical>)
          throw std::invalid_argument(
              "The surrogate sampler is for one linear predictor.");
        else
          return std::make_unique<FamilySurrogateModel<Family>>(records, family,
                                                                prior);
      });
}

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_FAMILY_SURROGATE_MODEL_HPP
