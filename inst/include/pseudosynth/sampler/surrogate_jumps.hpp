// Moves that cross between the modes and plateaus of a clipped target.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_JUMPS_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_JUMPS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../math.hpp"
#include "../tabulated_density.hpp"
#include "surrogate_slices.hpp"

namespace pseudosynth {

class SurrogateJumps : public SurrogateSlices {
 public:
  using SurrogateSlices::SurrogateSlices;

  /// An independence proposal, from the mixture of the prior and the surrogate
  /// posterior given the hyperparameters, and of what was explored.
  /// @return the probability with which it was accepted.
  double jump() {
    const SurrogateConditional* normal = prepare(proposal_->lhat);
    refresh_precision();
    const CrossingMoves& by = *crossing_;
    const double of_mixture = by.mixture.empty() ? 0.0 : by.mixture_weight;
    const double of_surrogate =
        normal == nullptr ? 0.0 : 1.0 - by.prior_weight - of_mixture;
    const double of_prior = 1.0 - of_mixture - of_surrogate;
    const double kind = rng_->uniform();
    Vector next = theta;
    if (kind < of_surrogate) {
      next = normal->move(theta, 0.0, *rng_);
    } else if (kind < of_surrogate + of_mixture) {
      next = by.mixture.draw(*rng_);
    } else {
      if (!model_->is_folded())
        next.head(location_.size()) = location_ + prior_noise();
      by.reference->draw_tabulated(next, *rng_);
    }
    const auto log_ratio_to_proposal = [&](const Vector& at, double log_l) {
      const double prior = log_coefficient_prior(at);
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
      log_l = evaluate(next);
      log_ratio = log_ratio_to_proposal(next, log_l) -
                  log_ratio_to_proposal(theta, log_l_);
    }
    return decide(log_ratio, next, log_l);
  }

  /// Under the hierarchical prior: theta from what was explored or from t
  /// distributions, then each tau_j given b_j nearly as the prior has it with
  /// Omega at the identity. Omega stays.
  double joint_jump() {
    const CrossingMoves& by = *crossing_;
    const Vector tau = hyper_.tau;
    const bool of_mixture = rng_->uniform() < 1.0 - by.prior_weight;
    const Vector next =
        of_mixture ? by.mixture.draw(*rng_) : by.reference->draw_wide(*rng_);
    const double here = log_joint_ratio(theta, log_l_);
    double log_ratio = -kInfinity, log_l = -kInfinity;
    bool finite_tau = true;
    if (next.allFinite()) {
      for (int j = 0; j < tau.size(); ++j)
        hyper_.tau[j] = std::exp(scale_given(next[j]).draw(*rng_));
      finite_tau = hyper_.tau.allFinite() && hyper_.tau.minCoeff() > 0.0;
      if (finite_tau) {
        log_l = evaluate(next);
        log_ratio = log_joint_ratio(next, log_l) - here;
      }
    }
    const double probability = decide(log_ratio, next, log_l);
    if (theta != next) hyper_.tau = tau;
    return probability;
  }

  /// Under the hierarchical prior: tau_j from its prior and b_j / tau_j from
  /// its own given the others.
  void redraw() {
    const int j = rng_->integer(model_->n_columns());
    const double before = hyper_.tau[j];
    const double here = theta[j];
    hyper_.tau[j] = crossing_->reference->draw_tau_one(*rng_);
    // Omega^-1 (b / tau) but for column j
    const double own = hyper_.omega_precision()(j, j);
    double others = 0.0;
    for (int k = 0; k < model_->n_columns(); ++k)
      if (k != j)
        others += hyper_.omega_precision()(k, j) * theta[k] / hyper_.tau[k];
    const double u = (rng_->normal() / std::sqrt(own)) - others / own;
    Vector next = theta;
    next[j] = u * hyper_.tau[j];
    const double log_l = std::isfinite(next[j]) ? evaluate(next) : -kInfinity;
    decide(log_l - log_l_, next, log_l);
    if (theta[j] == here) hyper_.tau[j] = before;
  }

  /// A factor's reference level and another one exchange their linear
  /// predictors: b_0 + b_k, -b_k and b_j - b_k in the place of b_0, b_k and
  /// b_j. That is its own inverse and keeps volumes.
  void exchange_level() {
    const std::vector<FactorColumns>& factors = model_->factors();
    const FactorColumns& factor = factors[static_cast<std::size_t>(
        rng_->integer(static_cast<int>(factors.size())))];
    const int k = factor.first + rng_->integer(factor.count);
    const double gap = theta[k];
    Vector next = theta;
    next[0] += gap;
    next.segment(factor.first, factor.count).array() -= gap;
    next[k] = -gap;
    refresh_precision();
    const double log_l = evaluate(next);
    decide(log_l + log_coefficient_prior(next) - log_l_ -
               log_coefficient_prior(theta),
           next, log_l);
  }

  /// An elliptical slice of b under its normal prior given the hyperparameters.
  void ellipse() {
    refresh_precision();
    const Eigen::Index P = location_.size();
    const Vector from = theta.head(P) - location_, noise = prior_noise();
    const double level = log_l_ - rng_->exponential();
    double angle = 2.0 * kPi * rng_->uniform();
    double lower = angle - 2.0 * kPi, upper = angle;
    Vector next = theta;
    while (upper - lower > 1e-12) {
      next.head(P) =
          location_ + std::cos(angle) * from + std::sin(angle) * noise;
      const double log_l = evaluate(next);
      if (log_l > level) {
        theta = next;
        log_l_ = log_l;
        return;
      }
      (angle < 0.0 ? lower : upper) = angle;
      angle = lower + (upper - lower) * rng_->uniform();
    }
  }

 private:
  /// log tau_j given b_j under the prior, Omega at the identity: what
  /// joint_jump() proposes.
  TabulatedDensity scale_given(double b) const {
    const double size = std::log(std::max(std::fabs(b), 1e-100));
    const double scale = std::log(prior_.tau_scale);
    return TabulatedDensity(
        [&](double t) {
          return hyper_.log_prior(std::exp(t)) -
                 0.5 * square(b) * std::exp(-2.0 * t);
        },
        std::min(size, scale) - 1.0, std::max(size, scale) + 2.0, 40);
  }

  /// Target over proposal of joint_jump(), at the tau in place.
  double log_joint_ratio(const Vector& at, double log_l) {
    const CrossingMoves& by = *crossing_;
    refresh_precision();
    double out = log_l + log_coefficient_prior(at);
    for (int j = 0; j < hyper_.tau.size(); ++j) {
      const double t = std::log(hyper_.tau[j]);
      out += hyper_.log_prior(hyper_.tau[j]) + t -
             scale_given(at[j]).log_density(t);
    }
    const double parts[2] = {
        std::log(by.prior_weight) + by.reference->log_normalised(at),
        std::log(1.0 - by.prior_weight) + by.mixture.log_density(at)};
    return out - log_sum_exp(parts, 2);
  }
};

}  // namespace pseudosynth

#endif
