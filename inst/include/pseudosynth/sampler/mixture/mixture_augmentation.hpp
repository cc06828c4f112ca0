// Augmentation sampler for the pseudo posterior of a mixture of normal
// regressions, exact for any exponents: privacy weights, times survey weights
// if there are any.
//
// The target raises the marginal density s_i = sum_k w_ik, w_ik = pi_k N_ik, to
// alpha_i. With an indicator z_i per record it becomes
//   prior x prod_i s_i^(alpha_i - 1) w_(i z_i),
// for summing z_i out gives s_i^alpha_i back. Then z_i ~ r_i = w_i / s_i, and
// for everything else the target is the conditional of an ordinary mixture with
// powered records, prod_(z_i = k) w_ik^alpha_i, times exp(h) with
//   h = sum_i (1 - alpha_i) log r_(i z_i).
// Each block is proposed from its powered conditional, tilted by the slope of h
// at that conditional's mean, and accepted on what is left of h. Where all
// weights are 1, h = 0 and this is plain Gibbs sampling.
// Records of weight 0 take no part.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_AUGMENTATION_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_AUGMENTATION_HPP

#include <cmath>

#include "../slice.hpp"
#include "mixture_components.hpp"

namespace pseudosynth {

class MixtureAugmentation : public MixtureComponents {
 public:
  MixtureAugmentation(const Records& records, int K, const MixturePrior& prior,
                      Rng& rng)
      : MixtureComponents(records, K, prior, rng) {}

  /// One sweep over all unknowns, exact for the target; or, with `corrected`
  /// false, for powered components, exp(h) left out. Chains start on these:
  /// with the corrections on from a random start they stick.
  void sweep(bool corrected = true) {
    // One component alone has r = 1 and h = 0.
    corrected_ = corrected && any_fractional_ && K_ > 1;
    refresh_densities();
    draw_indicators();
    update_components();
    update_pi();
    update_gamma();
    if (prior_.shared) {
      update_shared_mean();
      update_tau();
      // Interweaving moves what the block updates already reach, only further;
      // now and then is enough.
      if (++n_sweeps_ % kInterweave == 0) {
        translate();
        rescale();
      }
    }
  }

 protected:
  static constexpr int kInterweave = 3;

  void update_pi() {
    // Proposal Dirichlet(gamma/K + c), c the counts less what the correction
    // takes away at the powered mean of pi.
    Vector c(K_);
    for (int k = 0; k < K_; ++k) c[k] = count(k);
    if (corrected_) {
      Vector powered_mean(K_);
      for (int k = 0; k < K_; ++k)
        powered_mean[k] = (state.gamma / K_ + powered_count_[k]) /
                          (state.gamma + total_alpha_);
      Vector taken = Vector::Zero(K_);
      detail::weighted_responsibility(Np_, K_, d_.data(), powered_mean.data(),
                                      rest_.data(), taken.data());
      if (!taken.allFinite()) taken = careful_responsibility(powered_mean);
      c = (c - taken).cwiseMax(0.0);
    } else {
      for (int k = 0; k < K_; ++k) c[k] = powered_count_[k];
    }
    Vector log_pi(K_);
    for (int k = 0; k < K_; ++k)
      log_pi[k] = rng_->log_gamma_draw(state.gamma / K_ + c[k]);
    log_pi.array() -= log_sum_exp(log_pi.data(), K_);
    if (corrected_) {
      const Vector pi = log_pi.array().exp();
      detail::mix_densities(Np_, K_, d_.data(), pi.data(), s_.data());
      detail::log_pass(Np_, s_.data(), new_log_s_.data());
      double difference;
      detail::weighted_difference(Np_, rest_.data(), new_log_s_.data(),
                                  log_s_.data(), difference);
      if (!std::isfinite(difference)) difference = careful_difference(log_pi);
      double log_ratio = -difference;
      for (int k = 0; k < K_; ++k) {
        if (count(k) > 0 || c[k] > 0)
          log_ratio += (count(k) - c[k]) * (log_pi[k] - state.log_pi[k]);
      }
      ++accepted.pi[1];
      if (!(std::log(rng_->uniform()) < log_ratio)) return;
      ++accepted.pi[0];
      std::copy(new_log_s_.data(), new_log_s_.data() + Np_, log_s_.data());
    }
    state.log_pi = log_pi;
    pi_ = state.log_pi.array().exp();
  }

  /// sum_i (1 - alpha_i) r_ik under the weights pi where densities are marked.
  Vector careful_responsibility(const Vector& pi) {
    Vector total = Vector::Zero(K_);
    for (int i = 0; i < n_; ++i) {
      if (rest_[i] == 0.0) continue;
      double sum = 0.0;
      for (int k = 0; k < K_; ++k) sum += pi[k] * d(k)[i];
      if (sum > detail::kSmallestSum && sum < detail::kLargestSum) {
        for (int k = 0; k < K_; ++k)
          total[k] += rest_[i] * pi[k] * d(k)[i] / sum;
        continue;
      }
      double* term = log_terms(i);
      for (int k = 0; k < K_; ++k) term[k] += std::log(pi[k]) - state.log_pi[k];
      sum = log_sum_exp(term, K_);
      for (int k = 0; k < K_; ++k)
        total[k] += rest_[i] * std::exp(term[k] - sum);
    }
    return total;
  }

  /// sum_i (1 - alpha_i) (new_log_s_i - log_s_i), new under `log_pi`, where
  /// some are marked.
  double careful_difference(const Vector& log_pi) {
    double total = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (rest_[i] == 0.0) continue;
      if (log_s_[i] < kInfinity && new_log_s_[i] < kInfinity) {
        total += rest_[i] * (new_log_s_[i] - log_s_[i]);
        continue;
      }
      // Both relative to the present sum, so that nothing cancels.
      double* term = log_terms(i);
      const double before = log_sum_exp(term, K_);
      for (int k = 0; k < K_; ++k)
        term[k] = (term[k] - before) + (log_pi[k] - state.log_pi[k]);
      total += rest_[i] * log_sum_exp(term, K_);
    }
    return total;
  }

  void update_gamma() {
    const double sum_log_pi = state.log_pi.sum();
    auto log_density = [&](double u) {
      const double gamma = std::exp(u);
      return log_gamma(gamma) - K_ * log_gamma(gamma / K_) +
             gamma / K_ * sum_log_pi - gamma + u;
    };
    state.gamma =
        std::exp(slice_sample(*rng_, std::log(state.gamma), log_density, 1.0));
  }

  void update_shared_mean() {
    for (int j = 0; j < P_; ++j) {
      const double weight = 1.0 / square(state.tau[j]);
      const double prior_weight = 1.0 / square(prior_.m_scale[j]);
      const double precision = K_ * weight + prior_weight;
      const double mean =
          (state.b.row(j).sum() * weight + prior_.m0[j] * prior_weight) /
          precision;
      state.m[j] = mean + rng_->normal() / std::sqrt(precision);
    }
  }

  /// tau_j given the b_k and m, by slice sampling of u = log tau_j.
  void update_tau() {
    for (int j = 0; j < P_; ++j) {
      const double squares =
          (state.b.row(j).array() - state.m[j]).square().sum();
      state.tau[j] = std::exp(slice_sample(
          *rng_, std::log(state.tau[j]),
          [&](double u) {
            return tau_prior_.log_density_log(u) - K_ * u -
                   0.5 * squares * std::exp(-2.0 * u);
          },
          1.0));
    }
  }

 private:
  long n_sweeps_ = 0;
};

}  // namespace pseudosynth

#endif
