// The log pseudo posterior of a family with one or several linear predictors,
//   log xi(theta) = sum_i clip(alpha_i f_i - a_i) + log prior + log |J|,
// with its gradient, on the unconstrained scale (Savitsky, Williams and Hu
// 2022, equation 1, with the censoring of Hu, Williams and Savitsky 2025).
#ifndef PSEUDOSYNTH_PSEUDO_POSTERIOR_HPP
#define PSEUDOSYNTH_PSEUDO_POSTERIOR_HPP

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "family/gaussian.hpp"
#include "likelihood/likelihood_of.hpp"
#include "math.hpp"
#include "prior/coefficient_prior.hpp"
#include "records.hpp"
#include "rng.hpp"
#include "roles.hpp"
#include "tabulated_density.hpp"

namespace pseudosynth {

namespace detail {

/// A start whose density and gradient are finite: `propose(shrink)` with
/// shrink = 1, 1/2, 1/4, .. and at last 0, where a proposal is its centre.
template <class Model, class Propose>
Vector finite_start(Model& model, Propose propose) {
  Vector theta, gradient;
  double shrink = 1.0;
  for (int attempt = 0; attempt < 40; ++attempt, shrink *= 0.5) {
    if (attempt == 39) shrink = 0.0;
    theta = propose(shrink);
    if (std::isfinite(model(theta, gradient)) && gradient.allFinite()) break;
  }
  return theta;
}

/// Where a chain starts: near what the records say, or, where they are clipped,
/// at a draw of the prior, nearer to the records if the density is not finite
/// there. Clipped targets have modes and plateaus far apart: chains that agree
/// say something of them only if they came from everywhere.
template <class Model>
Vector chain_start(Model& model, bool clipped, Rng& rng) {
  return finite_start(model, [&](double shrink) -> Vector {
    if (!clipped) return model.near_records(shrink, rng);
    if (shrink == 1.0) return model.prior_draw(rng);
    const Vector centre = model.near_records(0.0, rng);
    // 0 times a draw that overflowed is not 0
    if (shrink == 0.0) return centre;
    return centre + shrink * (model.prior_draw(rng) - centre);
  });
}

inline Vector prior_centre(const CoefficientPrior& prior) {
  Vector centre(prior.n_columns());
  for (int j = 0; j < centre.size(); ++j) centre[j] = prior.centre(j);
  return centre;
}

inline void check_columns(const Records& records,
                          const CoefficientPrior& prior) {
  if (prior.n_columns() != records.design.n_columns())
    throw std::invalid_argument("prior and design differ in columns");
}

}  // namespace detail

/// Where chains of a family of one linear predictor start.
template <class Family>
LeastSquares start_of(const Records& records, const CoefficientPrior& prior,
                      const Family& family) {
  std::vector<double> y(records.y);
  for (double& value : y) value = family.start_scale(value);
  return LeastSquares(records, y, detail::prior_centre(prior));
}

/// @brief theta = [ b (P L) | prior's u | extras' u ], L linear predictors of
/// the family; draw = [ b | extras ], hyper = what the prior stores.
///
/// One object serves one chain (it holds work space); copies are independent.
template <class Family>
class PseudoPosterior {
  static_assert(role::OfExtras<Family>::kKept);
  static_assert(role::OfLikelihood<typename LikelihoodOf<Family>::Type>::kKept);

 public:
  /// @param records must outlive this object and its copies.
  /// @throw std::invalid_argument if prior and design differ in columns.
  PseudoPosterior(const Records& records, const CoefficientPrior& prior,
                  const Family& family = Family())
      : PseudoPosterior(records, prior, family,
                        checked_start(records, prior, family)) {}

  int size() const { return B_ + H_ + E; }
  int n_draw() const { return B_ + E; }
  int n_hyper() const { return prior_->n_stored(); }

  /// log xi(theta) and its gradient; cost that of the likelihood.
  double operator()(const Vector& theta, Vector& gradient) {
    gradient.setZero(size());
    double* d_b = gradient.data();
    const double* u = theta.data() + B_ + H_;
    const double likelihood = add_log_lik(theta, gradient);
    return likelihood +
           prior_->log_density(theta.data(), L_, theta.data() + B_, d_b,
                               d_b + B_) +
           family_.log_prior(u, d_b + B_ + H_);
  }

  /// sum_i g_i(theta).
  double log_lik(const Vector& theta) {
    Vector unused = Vector::Zero(size());
    return add_log_lik(theta, unused);
  }

  void constrain(const Vector& theta, double* draw, double* hyper) const {
    std::copy(theta.data(), theta.data() + B_, draw);
    family_.constrain(theta.data() + B_ + H_, draw + B_);
    prior_->constrain(theta.data() + B_, hyper);
  }

  /// What `hyper` does not hold (correlations) starts at its centre.
  Vector unconstrain(const double* draw, const double* hyper) const {
    Vector theta(size());
    std::copy(draw, draw + B_, theta.data());
    prior_->unconstrain(hyper, theta.data() + B_);
    family_.unconstrain(draw + B_, theta.data() + B_ + H_);
    return theta;
  }

  /// Around the weighted fit, wider than the posterior; around the prior's
  /// centre where the data say nothing. From the prior where records are
  /// clipped. Finite for every proper model.
  Vector initial(Rng& rng) { return detail::chain_start(*this, clipped_, rng); }
  /// Drawn in by `shrink`, as in finite_start().
  Vector near_records(double shrink, Rng& rng) const {
    Vector theta = Vector::Zero(size());
    for (int j = 0; j < B_; ++j) {
      theta[j] = anchor_[j / L_] +
                 shrink * 2.0 * standard_error_[j / L_] * rng.normal();
    }
    prior_->initial(theta.data(), L_, rng, theta.data() + B_);
    family_.initial(spread_, rng, theta.data() + B_ + H_);
    return theta;
  }

  /// The prior of the extras is a sum over them.
  Vector prior_draw(Rng& rng) {
    Vector theta = Vector::Zero(size());
    prior_->draw(L_, rng, theta.data(), theta.data() + B_);
    for (int e = 0; e < E; ++e) {
      const TabulatedDensity table = tabulated_prior([&](double x) {
        double u[E + 1] = {}, unused[E + 1] = {};
        u[e] = x;
        return family_.log_prior(u, unused);
      });
      theta[B_ + H_ + e] = table.draw(rng);
    }
    return theta;
  }

 private:
  static constexpr int E = Family::kExtras;

  template <class Start>
  PseudoPosterior(const Records& records, const CoefficientPrior& prior,
                  const Family& family, const Start& start)
      : L_(n_predictors(family)),
        B_(prior.n_columns() * L_),
        H_(prior.n_unconstrained()),
        clipped_(records.censor.active),
        family_(family),
        prior_(prior),
        anchor_(start.anchor),
        standard_error_(start.standard_error),
        spread_(start.spread),
        likelihood_(LikelihoodOf<Family>::make(records, family, start)) {}

  static auto checked_start(const Records& records,
                            const CoefficientPrior& prior,
                            const Family& family) {
    detail::check_columns(records, prior);
    return start_of(records, prior, family);
  }

  /// sum_i g_i; adds its gradient on the unconstrained scale.
  double add_log_lik(const Vector& theta, Vector& gradient) {
    double extra[E + 1] = {}, d_extra[E + 1] = {};
    const double* u = theta.data() + B_ + H_;
    family_.constrain(u, extra);
    const double value =
        likelihood_.gradient(theta.data(), extra, gradient.data(), d_extra);
    family_.adjoint(u, d_extra, gradient.data() + B_ + H_);
    return value;
  }

  int L_, B_, H_;  // linear predictors, coefficients, prior's u
  bool clipped_;
  Family family_;
  PriorCopy prior_;
  Vector anchor_, standard_error_;  // of starts
  double spread_;
  typename LikelihoodOf<Family>::Type likelihood_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_PSEUDO_POSTERIOR_HPP
