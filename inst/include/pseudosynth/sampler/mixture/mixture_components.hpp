// A component's coefficients and scale given the indicators: proposed from the
// powered conditional and corrected (see mixture_augmentation.hpp).
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_COMPONENTS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_COMPONENTS_HPP

#include <algorithm>
#include <cmath>

#include "../../cholesky.hpp"
#include "../slice.hpp"
#include "mixture_block.hpp"
#include "mixture_constants.hpp"
#include "mixture_correction_pass.hpp"

namespace pseudosynth {

class MixtureComponents : MixtureBlock {
 public:
  /// @param given must outlive this object.
  explicit MixtureComponents(MixtureIndicators& given)
      : MixtureBlock(given), xy_(Vector::Zero(P_)) {
    suffix_.assign(static_cast<std::size_t>(K_) * Np_);
    for (auto* buffer :
         {&prefix_, &others_, &in_, &slope_, &new_residual_, &new_d_})
      buffer->assign(Np_);
  }

  void update() {
    begin();
    for (int k = 0; k < K_; ++k) {
      enter(k);
      update_coefficients(k);
      update_sigma(k);
      leave(k);
    }
  }

  // suffix_k = sum of pi_j d_j over j > k, prefix = over j < k: what the other
  // components give, without cancellation.
  void begin() {
    if (!given_->corrected()) return;
    for (int k = K_ - 2; k >= 0; --k) {
      const double* above = suffix(k + 1);
      const double* d = chain_->d(k + 1);
      double* out = suffix(k);
      for (int i = 0; i < Np_; ++i)
        out[i] = above[i] + chain_->pi(k + 1) * d[i];
    }
    prefix_.zero();
  }
  void enter(int k) {
    if (!given_->corrected()) return;
    in_.zero();
    for (int i : given_->members(k)) in_[i] = 1.0;
    const double* above = suffix(k);
    for (int i = 0; i < Np_; ++i) others_[i] = prefix_[i] + above[i];
  }
  void leave(int k) {
    if (!given_->corrected()) return;
    const double* d = chain_->d(k);
    for (int i = 0; i < Np_; ++i) prefix_[i] += chain_->pi(k) * d[i];
  }

  /// b_k from its powered normal conditional, tilted; then the correction.
  void update_coefficients(int k) {
    given_->gather(k, [&](int i) { return chain_->y(i); });
    given_->cross_products(gram_);
    given_->transpose_times(xy_.data());
    const double precision = 1.0 / square(chain_->state.sigma[k]);
    Matrix Q = gram_ * precision;
    Vector rhs = xy_ * precision;
    for (int j = 0; j < P_; ++j) {
      const double prior_precision = 1.0 / square(chain_->prior_scale(j));
      Q(j, j) += prior_precision;
      rhs[j] += prior_precision * chain_->prior_mean(j);
    }
    const Cholesky factor(Q);
    Vector mean = factor.solve(rhs);
    Vector tilt = Vector::Zero(P_);
    if (given_->corrected()) {
      chain_->fill_residual(mean.data(), new_residual_.data());
      detail::ComponentDensity weighted = chain_->density(k);
      weighted.offset += chain_->state.log_pi[k];
      detail::correction_slope(Np_, new_residual_.data(), weighted,
                               others_.data(), chain_->shift(), chain_->rest(),
                               in_.data(), slope_.data());
      given_->sum_over_records(
          [&](int i) {
            return slope_[i] == slope_[i] ? slope_[i] : careful_slope(k, i);
          },
          tilt.data());
      mean += factor.solve(tilt);
    }
    Vector noise(P_);
    for (int j = 0; j < P_; ++j) noise[j] = chain_->rng().normal();
    factor.solve_upper(noise.data());
    const Vector proposal = mean + noise;
    chain_->fill_residual(proposal.data(), new_residual_.data());
    if (given_->corrected()) {
      const double log_ratio =
          try_component(k, new_residual_.data(), chain_->density(k)) -
          tilt.dot(proposal - chain_->state.b.col(k));
      ++chain_->accepted.coefficients[1];
      if (!(std::log(chain_->rng().uniform()) < log_ratio)) return;
      ++chain_->accepted.coefficients[0];
      keep_component(k);
    }
    chain_->state.b.col(k) = proposal;
    std::copy(new_residual_.data(), new_residual_.data() + Np_,
              chain_->residual(k));
  }

  /// sigma_k by slice sampling of its powered conditional, then the correction.
  void update_sigma(int k) {
    double squares = 0.0;
    const double* e = chain_->residual(k);
    for (int i : given_->members(k)) squares += chain_->alpha(i) * e[i] * e[i];
    const double n = given_->powered_count(k);
    auto log_density = [&](double u) {
      return chain_->sigma_prior().log_density_log(u) - n * u -
             0.5 * squares * std::exp(-2.0 * u);
    };
    const double lower = chain_->prior().sigma_floor > 0
                             ? std::log(chain_->prior().sigma_floor)
                             : -kInfinity;
    const double width = n > MixtureConstants::kFewRecords
                             ? MixtureConstants::kSigmaSds / std::sqrt(2.0 * n)
                             : MixtureConstants::kLogWidth;
    const double u =
        slice_sample(chain_->rng(), std::log(chain_->state.sigma[k]),
                     log_density, width, lower);
    const double sigma = std::max(std::exp(u), chain_->prior().sigma_floor);
    if (given_->corrected()) {
      const double log_ratio =
          try_component(k, chain_->residual(k), MixtureChain::component(sigma));
      ++chain_->accepted.sigma[1];
      if (!(std::log(chain_->rng().uniform()) < log_ratio)) return;
      ++chain_->accepted.sigma[0];
      keep_component(k);
    }
    chain_->state.sigma[k] = sigma;
  }

 private:
  double* suffix(int k) {
    return suffix_.data() + static_cast<std::size_t>(k) * Np_;
  }

  /// Change of h if component k had this residual and density.
  double try_component(int k, const double* new_residual,
                       detail::ComponentDensity new_density) {
    detail::CorrectionPass pass{Np_,
                                chain_->pi(k),
                                new_residual,
                                new_density,
                                chain_->residual(k),
                                chain_->density(k),
                                others_.data(),
                                chain_->shift(),
                                chain_->log_s(),
                                chain_->rest(),
                                in_.data(),
                                new_d_.data(),
                                chain_->log_sums(),
                                0.0};
    detail::correction_pass(pass);
    if (std::isfinite(pass.change)) return pass.change;
    // Marked records from all their logs, before and after.
    double change = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (chain_->rest()[i] == 0.0) continue;
      const double e = new_residual[i];
      if (chain_->log_s()[i] < kInfinity && chain_->log_sums()[i] < kInfinity) {
        change += chain_->rest()[i] *
                  (in_[i] * (MixtureChain::log_term(0.0, new_density, e) -
                             MixtureChain::log_term(0.0, chain_->density(k),
                                                    chain_->residual(k)[i])) -
                   (chain_->log_sums()[i] - chain_->log_s()[i]));
        continue;
      }
      const double before = given_->log_share(i, chain_->log_terms(i));
      double* term = chain_->log_terms(i);
      term[k] = MixtureChain::log_term(chain_->state.log_pi[k], new_density, e);
      change += chain_->rest()[i] * (given_->log_share(i, term) - before);
    }
    return change;
  }

  /// The slope of h in the linear predictor of component k at new_residual_,
  /// where the pass had no sum to divide by.
  double careful_slope(int k, int i) {
    if (chain_->rest()[i] == 0.0) return 0.0;
    const double e = new_residual_[i];
    double* term = chain_->log_terms(i);
    term[k] =
        MixtureChain::log_term(chain_->state.log_pi[k], chain_->density(k), e);
    const double r = std::exp(term[k] - log_sum_exp(term, K_));
    return chain_->rest()[i] * (in_[i] - r) * e /
           square(chain_->state.sigma[k]);
  }

  void keep_component(int k) {
    std::copy(new_d_.data(), new_d_.data() + Np_, chain_->d(k));
    std::copy(chain_->log_sums(), chain_->log_sums() + Np_, chain_->log_s());
  }

  simd::AlignedBuffer suffix_;  // K x Np, component-major
  simd::AlignedBuffer prefix_, others_, in_, slope_, new_residual_, new_d_;
  Matrix gram_;  // of the members gathered last
  Vector xy_;
};

}  // namespace pseudosynth

#endif
