// A component's coefficients and scale given the indicators: proposed from the
// powered conditional and corrected (see mixture_augmentation.hpp).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_COMPONENTS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_COMPONENTS_HPP

#include <algorithm>
#include <cmath>

#include "../../cholesky.hpp"
#include "../slice.hpp"
#include "mixture_correction_pass.hpp"
#include "mixture_interweaving.hpp"

namespace pseudosynth {

class MixtureComponents : public MixtureInterweaving {
 protected:
  using MixtureInterweaving::MixtureInterweaving;

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
};

}  // namespace pseudosynth

#endif
