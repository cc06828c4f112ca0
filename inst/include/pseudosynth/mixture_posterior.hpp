// The log pseudo posterior of the mixture of normal regressions.
#ifndef PSEUDOSYNTH_MIXTURE_POSTERIOR_HPP
#define PSEUDOSYNTH_MIXTURE_POSTERIOR_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "likelihood/mixture_likelihood.hpp"
#include "prior/dirichlet_prior.hpp"
#include "prior/half_t.hpp"
#include "pseudo_posterior.hpp"
#include "tabulated_density.hpp"
#include "transforms.hpp"

namespace pseudosynth {

namespace detail {

/// The likelihood's work space is rebuilt, not copied, with its owner.
class MixtureLikelihoodCopy {
 public:
  MixtureLikelihoodCopy(const Records& records, int K)
      : records_(&records),
        K_(K),
        likelihood_(new NormalMixtureLikelihood(records, K)) {}
  MixtureLikelihoodCopy(const MixtureLikelihoodCopy& other)
      : MixtureLikelihoodCopy(*other.records_, other.K_) {}
  MixtureLikelihoodCopy& operator=(const MixtureLikelihoodCopy&) = delete;

  NormalMixtureLikelihood* operator->() const { return likelihood_.get(); }

 private:
  const Records* records_;
  int K_;
  std::unique_ptr<NormalMixtureLikelihood> likelihood_;
};

}  // namespace detail

/// @brief theta = [ b (P K) | prior's u | stick (K - 1) | log gamma |
/// log(sigma_k - floor) (K) ]; draw = [ b | pi | sigma ],
/// hyper = [ prior's | gamma ].
///
/// sigma_k ~ half-t(3, 0, 1) truncated to sigma_k > floor. One object serves
/// one chain; copies are independent.
class MixturePosterior {
 public:
  /// @param records must outlive this object. @param floor 0 or positive.
  MixturePosterior(const Records& records, const CoefficientPrior& prior, int K,
                   double floor)
      : P_(records.design.n_columns()),
        K_(check(records, prior, K, floor)),
        H_(prior.n_unconstrained()),
        clipped_(records.censor.active),
        floor_(floor),
        prior_(prior),
        weights_prior_(K),
        sigma_prior_(3.0, 1.0),
        start_(records, records.y, detail::prior_centre(prior)),
        likelihood_(records, K),
        log_pi_(K),
        d_log_pi_(K),
        sigma_(K),
        d_sigma_(K),
        d_stick_(K) {}

  int size() const { return P_ * K_ + H_ + 2 * K_; }
  int n_draw() const { return P_ * K_ + 2 * K_; }
  int n_hyper() const { return prior_->n_stored() + 1; }

  double operator()(const Vector& theta, Vector& gradient) {
    gradient.setZero(size());
    double* d = gradient.data();
    double sum = add_log_lik(theta, gradient);
    sum += prior_->log_density(theta.data(), K_, theta.data() + hyper_at(), d,
                               d + hyper_at());
    sum += weights_prior_.log_density(log_pi_.data(), theta[gamma_at()],
                                      d_log_pi_.data(), d[gamma_at()]);
    simplex_adjoint(theta.data() + stick_at(), K_, d_log_pi_.data(),
                    d_stick_.data());
    for (int k = 0; k < K_ - 1; ++k) d[stick_at() + k] += d_stick_[k];
    for (int k = 0; k < K_; ++k) {
      const int at = sigma_at() + k;
      d[at] += d_sigma_[k] * (sigma_[k] - floor_);
      sum += sigma_prior_.log_density_above(floor_, theta[at], d[at]);
    }
    return sum + log_jacobian_;
  }

  /// sum_i g_i(theta).
  double log_lik(const Vector& theta) {
    Vector unused = Vector::Zero(size());
    return add_log_lik(theta, unused);
  }

  void constrain(const Vector& theta, double* draw, double* hyper) const {
    draw = std::copy(theta.data(), theta.data() + P_ * K_, draw);
    simplex_constrain(theta.data() + stick_at(), K_, draw);
    for (int k = 0; k < K_; ++k) {
      draw[k] = std::exp(draw[k]);
      draw[K_ + k] = floor_ + std::exp(theta[sigma_at() + k]);
    }
    prior_->constrain(theta.data() + hyper_at(), hyper);
    hyper[prior_->n_stored()] = std::exp(theta[gamma_at()]);
  }

  /// A weight stored as 0, or a sigma stored on the floor, has underflowed: it
  /// restarts at the smallest number that is not 0.
  Vector unconstrain(const double* draw, const double* hyper) const {
    constexpr double kSmallest = std::numeric_limits<double>::min();
    Vector theta(size()), log_pi(K_);
    std::copy(draw, draw + P_ * K_, theta.data());
    draw += P_ * K_;
    for (int k = 0; k < K_; ++k) {
      log_pi[k] = std::log(std::max(draw[k], kSmallest));
      theta[sigma_at() + k] =
          std::log(std::max(draw[K_ + k] - floor_, kSmallest));
    }
    simplex_unconstrain(log_pi.data(), K_, theta.data() + stick_at());
    prior_->unconstrain(hyper, theta.data() + hyper_at());
    theta[gamma_at()] = std::log(hyper[prior_->n_stored()]);
    return theta;
  }

  /// All components around the weighted fit, their first columns (intercepts)
  /// spread like the residuals. From the prior where records are clipped.
  Vector initial(Rng& rng) { return detail::chain_start(*this, clipped_, rng); }
  Vector near_records(double shrink, Rng& rng) const {
    Vector theta = Vector::Zero(size());
    for (int j = 0; j < P_; ++j) {
      const double spread =
          j == 0 ? start_.spread : 2.0 * start_.standard_error[j];
      for (int k = 0; k < K_; ++k)
        theta[j * K_ + k] = start_.anchor[j] + shrink * spread * rng.normal();
    }
    prior_->initial(theta.data(), K_, rng, theta.data() + hyper_at());
    for (int k = 0; k < K_ - 1; ++k)
      theta[stick_at() + k] = 0.5 * shrink * rng.normal();
    theta[gamma_at()] = shrink * (rng.uniform() - 0.5);
    for (int k = 0; k < K_; ++k)
      theta[sigma_at() + k] = std::log(std::max(start_.spread, 0.1)) +
                              shrink * (rng.uniform() - 0.5);
    return theta;
  }

  Vector prior_draw(Rng& rng) {
    Vector theta = Vector::Zero(size()), log_pi(K_);
    prior_->draw(K_, rng, theta.data(), theta.data() + hyper_at());
    theta[gamma_at()] = weights_prior_.draw(rng, log_pi.data());
    simplex_unconstrain(log_pi.data(), K_, theta.data() + stick_at());
    const TabulatedDensity sigma = tabulated_prior([&](double u) {
      double unused = 0.0;
      return sigma_prior_.log_density_above(floor_, u, unused);
    });
    for (int k = 0; k < K_; ++k) theta[sigma_at() + k] = sigma.draw(rng);
    return theta;
  }

 private:
  static int check(const Records& records, const CoefficientPrior& prior, int K,
                   double floor) {
    detail::check_columns(records, prior);
    if (K < 1 || !(floor >= 0.0))
      throw std::invalid_argument("a mixture needs K >= 1 and a floor >= 0");
    return K;
  }

  int hyper_at() const { return P_ * K_; }
  int stick_at() const { return P_ * K_ + H_; }
  int gamma_at() const { return P_ * K_ + H_ + K_ - 1; }
  int sigma_at() const { return P_ * K_ + H_ + K_; }

  /// sum_i g_i; adds its gradient in b, sets log_pi_, sigma_, log_jacobian_ and
  /// the gradients in them.
  double add_log_lik(const Vector& theta, Vector& gradient) {
    log_jacobian_ =
        simplex_constrain(theta.data() + stick_at(), K_, log_pi_.data());
    for (int k = 0; k < K_; ++k)
      sigma_[k] = floor_ + std::exp(theta[sigma_at() + k]);
    d_log_pi_.setZero();
    d_sigma_.setZero();
    return likelihood_->gradient(theta.data(), log_pi_.data(), sigma_.data(),
                                 gradient.data(), d_log_pi_.data(),
                                 d_sigma_.data());
  }

  int P_, K_, H_;
  bool clipped_;
  double floor_;
  PriorCopy prior_;
  DirichletPrior weights_prior_;
  HalfT sigma_prior_;
  LeastSquares start_;
  detail::MixtureLikelihoodCopy likelihood_;
  Vector log_pi_, d_log_pi_, sigma_, d_sigma_, d_stick_;
  double log_jacobian_ = 0.0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_MIXTURE_POSTERIOR_HPP
