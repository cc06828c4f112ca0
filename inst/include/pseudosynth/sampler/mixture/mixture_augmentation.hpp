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

#include "../../cholesky.hpp"
#include "mixture_chain.hpp"
#include "mixture_components.hpp"
#include "mixture_constants.hpp"
#include "mixture_hyper.hpp"
#include "mixture_indicators.hpp"

namespace pseudosynth {

class MixtureAugmentation {
 public:
  /// Puts the chain on a start.
  /// @param chain must outlive this object.
  explicit MixtureAugmentation(MixtureChain& chain)
      : chain_(&chain),
        K_(chain.state.K),
        P_(chain.state.P),
        given_(chain),
        components_(given_),
        hyper_(given_) {
    start();
  }
  // Its parts point at each other
  MixtureAugmentation(const MixtureAugmentation&) = delete;
  MixtureAugmentation& operator=(const MixtureAugmentation&) = delete;

  /// One sweep over all unknowns, exact for the target; or, with `corrected`
  /// false, for powered components, exp(h) left out. Chains start on these:
  /// with the corrections on from a random start they stick.
  void sweep(bool corrected = true) {
    given_.set_corrected(corrected);
    chain_->refresh_densities();
    given_.draw();
    components_.update();
    hyper_.update_weights();
    hyper_.update_concentration();
    if (chain_->prior().shared) {
      hyper_.update_shared_mean();
      hyper_.update_shared_scale();
    }
  }

 private:
  /// Over-dispersed start around the ridge regression: components differ in
  /// intercept and scale. Finite for any data on a proper prior.
  void start() {
    MixtureState& state = chain_->state;
    const MixturePrior& prior = chain_->prior();
    state.m = prior.m0;
    state.tau = Vector::Constant(P_, prior.shared ? prior.tau_scale : 1.0);
    state.gamma = 1.0;
    state.log_pi = Vector::Constant(K_, -std::log(K_));
    state.sigma.setOnes(K_);
    state.b = prior.m0.replicate(1, K_);
    if (chain_->n_records() > 0) {
      given_.put_together();
      given_.gather(0, [&](int i) { return chain_->y(i); });
      Matrix gram;
      Vector xy(P_);
      given_.cross_products(gram);
      given_.transpose_times(xy.data());
      gram.diagonal() += prior.m_scale.cwiseAbs2().cwiseInverse();
      xy += prior.m_scale.cwiseAbs2().cwiseInverse().cwiseProduct(prior.m0);
      const Vector ridge = Cholesky(gram).solve(xy);
      state.m = prior.shared ? ridge : prior.m0;
      state.b = ridge.replicate(1, K_);
      chain_->fill_residual(ridge.data(), chain_->residual(0));
      double squares = 0.0;
      for (int i = 0; i < chain_->n_records(); ++i)
        squares += chain_->alpha(i) * square(chain_->residual(0)[i]);
      const double sd = std::sqrt(squares / chain_->total_alpha()) +
                        MixtureConstants::kStartLeast;
      for (int k = 0; k < K_; ++k) {
        state.sigma[k] = prior.sigma_floor +
                         sd * std::exp(chain_->rng().normal() *
                                           MixtureConstants::kStartLogSigma -
                                       MixtureConstants::kStartNarrower);
        if (chain_->design().has_intercept())
          state.b(0, k) +=
              sd * MixtureConstants::kStartIntercept * chain_->rng().normal();
      }
    }
    chain_->state_changed();
  }

  MixtureChain* chain_;
  int K_, P_;
  MixtureIndicators given_;
  MixtureComponents components_;
  MixtureHyper hyper_;
};

}  // namespace pseudosynth

#endif
