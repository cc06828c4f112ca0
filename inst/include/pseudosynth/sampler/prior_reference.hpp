// The prior of a surrogate model as something to draw starts and proposals
// from: what is not normal given the hyperparameters comes from tables.
#ifndef PSEUDOSYNTH_SAMPLER_PRIOR_REFERENCE_HPP
#define PSEUDOSYNTH_SAMPLER_PRIOR_REFERENCE_HPP

#include <cmath>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "../prior/half_t.hpp"
#include "../rng.hpp"
#include "../tabulated_density.hpp"
#include "surrogate_model.hpp"

namespace pseudosynth {

/// @brief Coordinates of theta that the model's own log_prior() covers: the
/// extra parameters and, of a folded prior, the coefficients. It is a sum over
/// coordinates, each of which is tabulated.
class PriorReference {
 public:
  explicit PriorReference(SurrogateModel& model)
      : prior_(model.prior()),
        P_(model.n_columns()),
        first_(model.is_folded() ? 0 : P_) {
    Vector at = Vector::Zero(model.size());
    for (int j = first_; j < model.size(); ++j) {
      tables_.push_back(tabulated_prior([&](double x) {
        at[j] = x;
        const double value = model.log_prior(at);
        at[j] = 0.0;
        return value;
      }));
    }
  }

  /// Of the tabulated coordinates, normalised.
  double log_tabulated(const Vector& theta) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < tables_.size(); ++k)
      sum += tables_[k].log_density(theta[first_ + static_cast<int>(k)]);
    return sum;
  }
  void draw_tabulated(Vector& theta, Rng& rng) const {
    for (std::size_t k = 0; k < tables_.size(); ++k)
      theta[first_ + static_cast<int>(k)] = tables_[k].draw(rng);
  }

  /// The hierarchical prior's own hyperparameters.
  Vector draw_tau(Rng& rng) const {
    Vector tau(P_);
    for (int j = 0; j < P_; ++j) tau[j] = draw_tau_one(rng);
    return tau;
  }
  double draw_tau_one(Rng& rng) const {
    return HalfT(prior_.tau_df, prior_.tau_scale).draw(rng);
  }
  /// With the density that log_normalised() states.
  Vector draw_wide(Rng& rng) const {
    if (!prior_.hierarchical) return draw(Vector(), rng);
    Vector scales(P_);
    for (int j = 0; j < P_; ++j)
      scales[j] = prior_.tau_scale * std::sqrt(0.5 * prior_.tau_df /
                                               rng.gamma(0.5 * prior_.tau_df));
    return draw(scales, rng);
  }
  /// A draw of theta; `tau` of the hierarchical prior, whose Omega is the
  /// identity here, else not used.
  Vector draw(const Vector& tau, Rng& rng) const {
    Vector theta(P_ + count_of(tables_) - (P_ - first_));
    for (int j = 0; j < first_; ++j) {
      const double z = rng.normal();
      theta[j] = prior_.hierarchical ? tau[j] * z
                                     : prior_.location[j] + prior_.scale[j] * z;
    }
    draw_tabulated(theta, rng);
    return theta;
  }

  /// log density of the coefficients without hyperparameters, up to a constant;
  /// under the hierarchical prior one with tails as heavy as the marginal's.
  double log_coefficients(const Vector& theta) const {
    double sum = 0.0;
    for (int j = 0; j < first_; ++j)
      sum -=
          prior_.hierarchical
              ? 0.5 * (prior_.tau_df + 1.0) *
                    std::log1p(square(theta[j] / prior_.tau_scale) /
                               prior_.tau_df)
              : 0.5 * square((theta[j] - prior_.location[j]) / prior_.scale[j]);
    return sum;
  }

  /// The density of draw_wide(): under the hierarchical prior a t distribution
  /// in the place of each coefficient's marginal.
  double log_normalised(const Vector& theta) const {
    const double nu = prior_.tau_df;
    const double constant =
        prior_.hierarchical
            ? log_gamma(0.5 * (nu + 1.0)) - log_gamma(0.5 * nu) -
                  0.5 * std::log(nu * kPi) - std::log(prior_.tau_scale)
            : -kHalfLogTwoPi;
    double sum = log_coefficients(theta) + log_tabulated(theta);
    for (int j = 0; j < first_; ++j)
      sum += constant - (prior_.hierarchical ? 0.0 : std::log(prior_.scale[j]));
    return sum;
  }

  /// How wide the prior is in coordinate j.
  double scale(int j) const {
    if (j >= first_) return 3.0;
    return prior_.hierarchical ? 3.0 * prior_.tau_scale : prior_.scale[j];
  }

 private:
  SurrogatePrior prior_;
  int P_, first_;
  std::vector<TabulatedDensity> tables_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_PRIOR_REFERENCE_HPP
