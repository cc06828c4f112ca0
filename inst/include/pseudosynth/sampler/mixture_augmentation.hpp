// Augmentation sampler for the pseudo posterior of a mixture of normal
// regressions, exact for any privacy weights.
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

#include "../cholesky.hpp"
#include "mixture_interweaving.hpp"
#include "slice.hpp"

namespace pseudosynth {

class MixtureAugmentation : public MixtureInterweaving {
 public:
  MixtureAugmentation(const Records& records, int K, const MixturePrior& prior,
                      Rng& rng)
      : MixtureInterweaving(records, K, prior, rng) {}

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

  void update_components() {
    begin_components();
    for (int k = 0; k < K_; ++k) {
      enter_component(k);
      update_coefficients(k);
      update_sigma(k);
      leave_component(k);
    }
  }

  // suffix_k = sum of pi_j d_j over j > k, prefix = over j < k: what the other
  // components give, without cancellation.
  void begin_components() {
    if (!corrected_) return;
    for (int k = K_ - 2; k >= 0; --k) {
      const double* above = suffix_.data() + at(k + 1);
      const double* d = d_.data() + at(k + 1);
      double* out = suffix_.data() + at(k);
      for (int i = 0; i < Np_; ++i) out[i] = above[i] + pi_[k + 1] * d[i];
    }
    prefix_.zero();
  }
  void enter_component(int k) {
    if (!corrected_) return;
    in_.zero();
    for (int i : members_[k]) in_[i] = 1.0;
    const double* above = suffix_.data() + at(k);
    for (int i = 0; i < Np_; ++i) others_[i] = prefix_[i] + above[i];
  }
  void leave_component(int k) {
    if (!corrected_) return;
    const double* d = d_.data() + at(k);
    for (int i = 0; i < Np_; ++i) prefix_[i] += pi_[k] * d[i];
  }

  /// b_k from its powered normal conditional, tilted; then the correction.
  void update_coefficients(int k) {
    gather_members(k, [&](int i) { return y_[i]; });
    design_.cross_products(n_entries_, entry_row_.data(), entry_weight_.data(),
                           gram_[k]);
    design_.transpose_times(n_entries_, entry_row_.data(), entry_value_.data(),
                            xy_.data());
    const double precision = 1.0 / square(state.sigma[k]);
    Matrix Q = gram_[k] * precision;
    Vector rhs = xy_ * precision;
    for (int j = 0; j < P_; ++j) {
      const double prior_precision = 1.0 / square(prior_scale(j));
      Q(j, j) += prior_precision;
      rhs[j] += prior_precision * prior_mean(j);
    }
    const Cholesky factor(Q);
    Vector mean = factor.solve(rhs);
    Vector tilt = Vector::Zero(P_);
    if (corrected_) {
      fill_residual(mean.data(), new_residual_.data());
      detail::ComponentDensity weighted = density(k);
      weighted.offset += state.log_pi[k];
      detail::correction_slope(Np_, new_residual_.data(), weighted,
                               others_.data(), shift_.data(), rest_.data(),
                               in_.data(), slope_.data());
      sum_over_records(
          [&](int i) {
            return slope_[i] == slope_[i] ? slope_[i] : careful_slope(k, i);
          },
          tilt.data());
      mean += factor.solve(tilt);
    }
    Vector noise(P_);
    for (int j = 0; j < P_; ++j) noise[j] = rng_->normal();
    factor.solve_upper(noise.data());
    const Vector proposal = mean + noise;
    fill_residual(proposal.data(), new_residual_.data());
    if (corrected_) {
      const double log_ratio =
          try_component(k, new_residual_.data(), density(k)) -
          tilt.dot(proposal - state.b.col(k));
      ++accepted.coefficients[1];
      if (!(std::log(rng_->uniform()) < log_ratio)) return;
      ++accepted.coefficients[0];
      keep_component(k);
    }
    state.b.col(k) = proposal;
    std::copy(new_residual_.data(), new_residual_.data() + Np_, residual(k));
  }

  /// sigma_k by slice sampling of its powered conditional, then the correction.
  void update_sigma(int k) {
    double squares = 0.0;
    const double* e = residual(k);
    for (int i : members_[k]) squares += alpha_[i] * e[i] * e[i];
    const double n = powered_count_[k];
    auto log_density = [&](double u) {
      return sigma_prior_.log_density_log(u) - n * u -
             0.5 * squares * std::exp(-2.0 * u);
    };
    const double lower =
        prior_.sigma_floor > 0 ? std::log(prior_.sigma_floor) : -kInfinity;
    const double width = n > 4 ? 3.0 / std::sqrt(2.0 * n) : 1.0;
    const double u = slice_sample(*rng_, std::log(state.sigma[k]), log_density,
                                  width, lower);
    const double sigma = std::max(std::exp(u), prior_.sigma_floor);
    if (corrected_) {
      const double log_ratio = try_component(k, residual(k), component(sigma));
      ++accepted.sigma[1];
      if (!(std::log(rng_->uniform()) < log_ratio)) return;
      ++accepted.sigma[0];
      keep_component(k);
    }
    state.sigma[k] = sigma;
  }

  /// Change of h if component k had this residual and density.
  double try_component(int k, const double* new_residual,
                       detail::ComponentDensity new_density) {
    detail::CorrectionPass pass{Np_,
                                pi_[k],
                                new_residual,
                                new_density,
                                residual(k),
                                density(k),
                                others_.data(),
                                shift_.data(),
                                log_s_.data(),
                                rest_.data(),
                                in_.data(),
                                new_d_.data(),
                                new_log_s_.data(),
                                0.0};
    detail::correction_pass(pass);
    if (std::isfinite(pass.change)) return pass.change;
    // Marked records from all their logs, before and after.
    double change = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (rest_[i] == 0.0) continue;
      const double e = new_residual[i];
      if (log_s_[i] < kInfinity && new_log_s_[i] < kInfinity) {
        change +=
            rest_[i] * (in_[i] * (log_term(0.0, new_density, e) -
                                  log_term(0.0, density(k), residual(k)[i])) -
                        (new_log_s_[i] - log_s_[i]));
        continue;
      }
      const double before = log_share(i, log_terms(i));
      double* term = log_terms(i);
      term[k] = log_term(state.log_pi[k], new_density, e);
      change += rest_[i] * (log_share(i, term) - before);
    }
    return change;
  }

  /// The slope of h in the linear predictor of component k at new_residual_,
  /// where the pass had no sum to divide by.
  double careful_slope(int k, int i) {
    if (rest_[i] == 0.0) return 0.0;
    const double e = new_residual_[i];
    double* term = log_terms(i);
    term[k] = log_term(state.log_pi[k], density(k), e);
    const double r = std::exp(term[k] - log_sum_exp(term, K_));
    return rest_[i] * (in_[i] - r) * e / square(state.sigma[k]);
  }

  void keep_component(int k) {
    std::copy(new_d_.data(), new_d_.data() + Np_, d_.data() + at(k));
    std::copy(new_log_s_.data(), new_log_s_.data() + Np_, log_s_.data());
  }

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
