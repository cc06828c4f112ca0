// What components share, given the indicators: weights and their concentration,
// location and scale of coefficients (see mixture_augmentation.hpp).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_HYPER_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_HYPER_HPP

#include <algorithm>
#include <cmath>

#include "../../special.hpp"
#include "../slice.hpp"
#include "mixture_block.hpp"
#include "mixture_constants.hpp"
#include "mixture_correction_pass.hpp"

namespace pseudosynth {

class MixtureHyper : MixtureBlock {
 public:
  /// @param given must outlive this object.
  explicit MixtureHyper(MixtureIndicators& given) : MixtureBlock(given) {}

  void update_weights() {
    // Proposal Dirichlet(gamma/K + c), c the counts less what the correction
    // takes away at the powered mean of pi.
    Vector c(K_);
    for (int k = 0; k < K_; ++k) c[k] = given_->count(k);
    if (given_->corrected()) {
      Vector powered_mean(K_);
      for (int k = 0; k < K_; ++k)
        powered_mean[k] =
            (chain_->state.gamma / K_ + given_->powered_count(k)) /
            (chain_->state.gamma + chain_->total_alpha());
      Vector taken = Vector::Zero(K_);
      detail::weighted_responsibility(Np_, K_, chain_->d(0),
                                      powered_mean.data(), chain_->rest(),
                                      taken.data());
      if (!taken.allFinite()) taken = careful_responsibility(powered_mean);
      c = (c - taken).cwiseMax(0.0);
    } else {
      for (int k = 0; k < K_; ++k) c[k] = given_->powered_count(k);
    }
    Vector log_pi(K_);
    for (int k = 0; k < K_; ++k)
      log_pi[k] = chain_->rng().log_gamma_draw(chain_->state.gamma / K_ + c[k]);
    log_pi.array() -= log_sum_exp(log_pi.data(), K_);
    if (given_->corrected()) {
      const Vector pi = log_pi.array().exp();
      detail::mix_densities(Np_, K_, chain_->d(0), pi.data(), chain_->sums());
      detail::log_pass(Np_, chain_->sums(), chain_->log_sums());
      double difference;
      detail::weighted_difference(Np_, chain_->rest(), chain_->log_sums(),
                                  chain_->log_s(), difference);
      if (!std::isfinite(difference)) difference = careful_difference(log_pi);
      double log_ratio = -difference;
      for (int k = 0; k < K_; ++k) {
        if (given_->count(k) > 0 || c[k] > 0)
          log_ratio +=
              (given_->count(k) - c[k]) * (log_pi[k] - chain_->state.log_pi[k]);
      }
      ++chain_->accepted.pi[1];
      if (!(std::log(chain_->rng().uniform()) < log_ratio)) return;
      ++chain_->accepted.pi[0];
      std::copy(chain_->log_sums(), chain_->log_sums() + Np_, chain_->log_s());
    }
    chain_->state.log_pi = log_pi;
    chain_->weights_changed();
  }

  void update_concentration() {
    const double sum_log_pi = chain_->state.log_pi.sum();
    auto log_density = [&](double u) {
      const double gamma = std::exp(u);
      return log_gamma(gamma) - K_ * log_gamma(gamma / K_) +
             gamma / K_ * sum_log_pi - gamma + u;
    };
    chain_->state.gamma =
        std::exp(slice_sample(chain_->rng(), std::log(chain_->state.gamma),
                              log_density, MixtureConstants::kLogWidth));
  }

  void update_shared_mean() {
    for (int j = 0; j < P_; ++j) {
      const double weight = 1.0 / square(chain_->state.tau[j]);
      const double prior_weight = 1.0 / square(chain_->prior().m_scale[j]);
      const double precision = K_ * weight + prior_weight;
      const double mean = (chain_->state.b.row(j).sum() * weight +
                           chain_->prior().m0[j] * prior_weight) /
                          precision;
      chain_->state.m[j] = mean + chain_->rng().normal() / std::sqrt(precision);
    }
  }

  /// tau_j given the b_k and m, by slice sampling of u = log tau_j.
  void update_shared_scale() {
    for (int j = 0; j < P_; ++j) {
      const double squares =
          (chain_->state.b.row(j).array() - chain_->state.m[j]).square().sum();
      chain_->state.tau[j] = std::exp(slice_sample(
          chain_->rng(), std::log(chain_->state.tau[j]),
          [&](double u) {
            return chain_->tau_prior().log_density_log(u) - K_ * u -
                   0.5 * squares * std::exp(-2.0 * u);
          },
          MixtureConstants::kLogWidth));
    }
  }

 private:
  /// sum_i (1 - alpha_i) r_ik under the weights pi where densities are marked.
  Vector careful_responsibility(const Vector& pi) {
    Vector total = Vector::Zero(K_);
    for (int i = 0; i < n_; ++i) {
      if (chain_->rest()[i] == 0.0) continue;
      double sum = 0.0;
      for (int k = 0; k < K_; ++k) sum += pi[k] * chain_->d(k)[i];
      if (sum > detail::kSmallestSum && sum < detail::kLargestSum) {
        for (int k = 0; k < K_; ++k)
          total[k] += chain_->rest()[i] * pi[k] * chain_->d(k)[i] / sum;
        continue;
      }
      double* term = chain_->log_terms(i);
      for (int k = 0; k < K_; ++k)
        term[k] += std::log(pi[k]) - chain_->state.log_pi[k];
      sum = log_sum_exp(term, K_);
      for (int k = 0; k < K_; ++k)
        total[k] += chain_->rest()[i] * std::exp(term[k] - sum);
    }
    return total;
  }

  /// sum_i (1 - alpha_i) (new_log_s_i - log_s_i), new under `log_pi`, where
  /// some are marked.
  double careful_difference(const Vector& log_pi) {
    double total = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (chain_->rest()[i] == 0.0) continue;
      if (chain_->log_s()[i] < kInfinity && chain_->log_sums()[i] < kInfinity) {
        total +=
            chain_->rest()[i] * (chain_->log_sums()[i] - chain_->log_s()[i]);
        continue;
      }
      // Both relative to the present sum, so that nothing cancels.
      double* term = chain_->log_terms(i);
      const double before = log_sum_exp(term, K_);
      for (int k = 0; k < K_; ++k)
        term[k] = (term[k] - before) + (log_pi[k] - chain_->state.log_pi[k]);
      total += chain_->rest()[i] * log_sum_exp(term, K_);
    }
    return total;
  }
};

}  // namespace pseudosynth

#endif
