// The weight of one component against all others, indicators summed out.
//
// Given the indicators an empty component's weight is a draw of its prior and a
// small one's follows its few records; between a weight of no consequence and
// one of several records lie many draws. Here the mass of a component moves on
// its own by a slice update of prior x prod_i s_i^alpha_i, over any distance.
// Masses are independent gamma(gamma/K), pi their shares; the total is drawn
// afresh, gamma(gamma) whatever pi is.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_MASS_MOVE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_MASS_MOVE_HPP

#include <cmath>

#include "../slice.hpp"
#include "mixture_chain.hpp"
#include "mixture_constants.hpp"
#include "mixture_mass_pass.hpp"

namespace pseudosynth {

class MixtureMassMove {
 public:
  explicit MixtureMassMove(MixtureChain& chain)
      : chain_(&chain), K_(chain.state.K) {}

  /// Needs the chain's densities as they are now, and leaves them so.
  void move() {
    if (K_ < 2) return;
    Rng& rng = chain_->rng();
    MixtureState& state = chain_->state;
    const int j = rng.integer(K_);
    const double log_total = rng.log_gamma_draw(state.gamma);
    const double shape = state.gamma / K_;
    double rest = 0.0;
    for (int k = 0; k < K_; ++k) {
      if (k != j) rest += chain_->pi(k);
    }
    // With all others empty their sum is no number to divide by; nor may the
    // move lead there.
    const double log_rest = std::log(rest);
    if (!(log_rest > -MixtureConstants::kLargestMass)) return;
    chain_->mix_others(j, j);
    auto log_density = [&](double x) {
      const double mass = std::exp(x);
      double log_lik;
      detail::mass_pass(chain_->n_padded(), chain_->others(), chain_->d(j),
                        chain_->alpha(), mass, chain_->log_sums(), log_lik);
      if (!std::isfinite(log_lik)) {
        log_lik = chain_->careful_sum([&](int i) {
          double* term = chain_->log_terms(i);
          term[j] += x - state.log_pi[j];
          return log_sum_exp(term, K_);
        });
      }
      return log_lik - chain_->total_alpha() * std::log(rest + mass) +
             shape * x - std::exp(x + log_total);
    };
    // Steps for a component of many records, or for one of none.
    const double width = rng.uniform() < 0.5 ? MixtureConstants::kMassStep
                                             : MixtureConstants::kMassLeap;
    // In units of the present total.
    const double x =
        slice_sample(rng, state.log_pi[j], log_density, width, -kInfinity,
                     log_rest + MixtureConstants::kLargestMass);
    const double log_sum = std::log(rest + std::exp(x));
    state.log_pi[j] = x;
    state.log_pi.array() -= log_sum;
    chain_->weights_changed();
  }

 private:
  MixtureChain* chain_;
  int K_;
};

}  // namespace pseudosynth

#endif
