// Moves that cross between the modes and plateaus of a clipped target.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_JUMPS_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_JUMPS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "../tabulated_density.hpp"
#include "surrogate_state.hpp"

namespace pseudosynth {

class SurrogateJumps {
 public:
  /// @param at must outlive this object.
  explicit SurrogateJumps(SurrogateState& at) : at_(&at) {}

  /// An independence proposal, from the mixture of the prior and the surrogate
  /// posterior given the hyperparameters, and of what was explored.
  /// @return the probability with which it was accepted.
  double jump() {
    const SurrogateConditional* normal = at_->prepare(at_->proposal->lhat);
    at_->refresh_precision();
    const CrossingMoves& by = *at_->crossing;
    const double of_mixture = by.mixture.empty() ? 0.0 : by.mixture_weight;
    const double of_surrogate =
        normal == nullptr ? 0.0 : 1.0 - by.prior_weight - of_mixture;
    const double of_prior = 1.0 - of_mixture - of_surrogate;
    const double kind = at_->rng->uniform();
    Vector next = at_->theta;
    if (kind < of_surrogate) {
      next = normal->move(at_->theta, 0.0, *at_->rng);
    } else if (kind < of_surrogate + of_mixture) {
      next = by.mixture.draw(*at_->rng);
    } else {
      if (!at_->model->is_folded())
        next.head(at_->location.size()) = at_->location + at_->prior_noise();
      by.reference->draw_tabulated(next, *at_->rng);
    }
    const auto log_ratio_to_proposal = [&](const Vector& at, double log_l) {
      const double prior = at_->log_coefficient_prior(at);
      double parts[3] = {
          std::log(of_prior) + prior + by.reference->log_tabulated(at),
          -kInfinity, -kInfinity};
      if (of_surrogate > 0.0)
        parts[1] = std::log(of_surrogate) + normal->log_density(at);
      if (of_mixture > 0.0)
        parts[2] = std::log(of_mixture) + by.mixture.log_density(at);
      return log_l + prior - log_sum_exp(parts, 3);
    };
    double log_ratio = -kInfinity, log_l = -kInfinity;
    if (next.allFinite()) {
      log_l = at_->evaluate(next);
      log_ratio = log_ratio_to_proposal(next, log_l) -
                  log_ratio_to_proposal(at_->theta, at_->log_l);
    }
    return at_->decide(log_ratio, next, log_l);
  }

  /// Under the hierarchical prior: theta from what was explored or from t
  /// distributions, then each tau_j given b_j nearly as the prior has it with
  /// Omega at the identity. Omega stays.
  double joint_jump() {
    const CrossingMoves& by = *at_->crossing;
    const Vector tau = at_->hyper.tau;
    const bool of_mixture = at_->rng->uniform() < 1.0 - by.prior_weight;
    const Vector next = of_mixture ? by.mixture.draw(*at_->rng)
                                   : by.reference->draw_wide(*at_->rng);
    const double here = log_joint_ratio(at_->theta, at_->log_l);
    double log_ratio = -kInfinity, log_l = -kInfinity;
    bool finite_tau = true;
    if (next.allFinite()) {
      for (int j = 0; j < tau.size(); ++j)
        at_->hyper.tau[j] = std::exp(scale_given(next[j]).draw(*at_->rng));
      finite_tau =
          at_->hyper.tau.allFinite() && at_->hyper.tau.minCoeff() > 0.0;
      if (finite_tau) {
        log_l = at_->evaluate(next);
        log_ratio = log_joint_ratio(next, log_l) - here;
      }
    }
    const double probability = at_->decide(log_ratio, next, log_l);
    if (at_->theta != next) at_->hyper.tau = tau;
    return probability;
  }

  /// Under the hierarchical prior: tau_j from its prior and b_j / tau_j from
  /// its own given the others.
  void redraw() {
    const int j = at_->rng->integer(at_->model->n_columns());
    const double before = at_->hyper.tau[j];
    const double here = at_->theta[j];
    at_->hyper.tau[j] = at_->crossing->reference->draw_tau_one(*at_->rng);
    // Omega^-1 (b / tau) but for column j
    const double own = at_->hyper.omega_precision()(j, j);
    double others = 0.0;
    for (int k = 0; k < at_->model->n_columns(); ++k)
      if (k != j)
        others += at_->hyper.omega_precision()(k, j) * at_->theta[k] /
                  at_->hyper.tau[k];
    const double u = (at_->rng->normal() / std::sqrt(own)) - others / own;
    Vector next = at_->theta;
    next[j] = u * at_->hyper.tau[j];
    const double log_l =
        std::isfinite(next[j]) ? at_->evaluate(next) : -kInfinity;
    at_->decide(log_l - at_->log_l, next, log_l);
    if (at_->theta[j] == here) at_->hyper.tau[j] = before;
  }

  /// A factor's reference level and another one exchange their linear
  /// predictors: b_0 + b_k, -b_k and b_j - b_k in the place of b_0, b_k and
  /// b_j. That is its own inverse and keeps volumes.
  void exchange_level() {
    const std::vector<FactorColumns>& factors = at_->model->factors();
    const FactorColumns& factor = factors[at_->rng->integer(count_of(factors))];
    const int k = factor.first + at_->rng->integer(factor.count);
    const double gap = at_->theta[k];
    Vector next = at_->theta;
    next[0] += gap;
    next.segment(factor.first, factor.count).array() -= gap;
    next[k] = -gap;
    at_->refresh_precision();
    const double log_l = at_->evaluate(next);
    at_->decide(log_l + at_->log_coefficient_prior(next) - at_->log_l -
                    at_->log_coefficient_prior(at_->theta),
                next, log_l);
  }

  /// An elliptical slice of b under its normal prior given the hyperparameters.
  void ellipse() {
    at_->refresh_precision();
    const Eigen::Index P = at_->location.size();
    const Vector from = at_->theta.head(P) - at_->location,
                 noise = at_->prior_noise();
    const double level = at_->log_l - at_->rng->exponential();
    double angle = 2.0 * kPi * at_->rng->uniform();
    double lower = angle - 2.0 * kPi, upper = angle;
    Vector next = at_->theta;
    while (upper - lower > 1e-12) {
      next.head(P) =
          at_->location + std::cos(angle) * from + std::sin(angle) * noise;
      const double log_l = at_->evaluate(next);
      if (log_l > level) {
        at_->theta = next;
        at_->log_l = log_l;
        return;
      }
      (angle < 0.0 ? lower : upper) = angle;
      angle = lower + (upper - lower) * at_->rng->uniform();
    }
  }

 private:
  /// log tau_j given b_j under the prior, Omega at the identity: what
  /// joint_jump() proposes.
  TabulatedDensity scale_given(double b) const {
    const double size = std::log(std::max(std::fabs(b), 1e-100));
    const double scale = std::log(at_->prior.tau_scale);
    return TabulatedDensity(
        [&](double t) {
          return at_->hyper.log_prior(std::exp(t)) -
                 0.5 * square(b) * std::exp(-2.0 * t);
        },
        std::min(size, scale) - 1.0, std::max(size, scale) + 2.0, 40);
  }

  /// Target over proposal of joint_jump(), at the tau in place.
  double log_joint_ratio(const Vector& at, double log_l) {
    const CrossingMoves& by = *at_->crossing;
    at_->refresh_precision();
    double out = log_l + at_->log_coefficient_prior(at);
    for (int j = 0; j < at_->hyper.tau.size(); ++j) {
      const double t = std::log(at_->hyper.tau[j]);
      out += at_->hyper.log_prior(at_->hyper.tau[j]) + t -
             scale_given(at[j]).log_density(t);
    }
    const double parts[2] = {
        std::log(by.prior_weight) + by.reference->log_normalised(at),
        std::log(1.0 - by.prior_weight) + by.mixture.log_density(at)};
    return out - log_sum_exp(parts, 2);
  }

  SurrogateState* at_;
};

}  // namespace pseudosynth

#endif
