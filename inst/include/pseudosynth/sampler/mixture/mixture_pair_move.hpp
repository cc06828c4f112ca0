// Exchange between two components with the indicators summed out.
//
// A component that grows beside another must narrow as it does: with few
// records its coefficients roam over their prior, with many they are nearly
// fixed. Updates of one block at a time creep along this funnel. This move goes
// along it: for components j and k it holds fixed pi_j + pi_k, the mean
// m = w b_j + (1 - w) b_k with w = pi_j / (pi_j + pi_k), and
// (w (1 - w))^c (b_j - b_k), and moves logit w; then the length of b_j - b_k,
// sigma_j and sigma_k. Each is a slice update of the pseudo posterior itself,
// prior x prod_i s_i^alpha_i, so that the move is exact for any weights.
//
// In (logit w, m, b_j - b_k) the volume of (pi_j, b_j, b_k) at a fixed sum of
// weights is w (1 - w); a factor f on all P elements of b_j - b_k adds f^P.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_PAIR_MOVE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_PAIR_MOVE_HPP

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "../../count_of.hpp"
#include "../slice.hpp"
#include "mixture_chain.hpp"
#include "mixture_constants.hpp"
#include "mixture_mass_pass.hpp"

namespace pseudosynth {

class MixturePairMove {
 public:
  explicit MixturePairMove(MixtureChain& chain)
      : chain_(&chain), K_(chain.state.K), P_(chain.state.P) {}

  /// Two components in proportion to pi_j + pi_k, which the move does not
  /// change, the lower first. Which of them was drawn first depends on their
  /// weights; did the steps go by that order, which take j before k, the move
  /// would not leave the posterior as it is.
  static std::pair<int, int> choose(const Vector& pi, Rng& rng) {
    const int K = count_of(pi);
    double u = rng.uniform();
    int j = 0;
    while (j + 1 < K && u > pi[j]) u -= pi[j++];
    int k = rng.integer(K - 1);
    if (k >= j) ++k;
    return {std::min(j, k), std::max(j, k)};
  }

  /// Needs the chain's densities as they are now, and leaves them so.
  void move() {
    if (K_ < 2) return;
    std::tie(j_, k_) = choose(chain_->pi(), chain_->rng());
    MixtureState& state = chain_->state;
    const double logit = state.log_pi[j_] - state.log_pi[k_];
    // Beside a component that is all but empty nothing can be exchanged.
    if (!(std::fabs(logit) < MixtureConstants::kWidestPair)) return;
    load(logit);
    Place at{logit, 0.0, std::log(state.sigma[j_]), std::log(state.sigma[k_])};
    Rng& rng = chain_->rng();
    const double power = MixtureConstants::kLargestPower * rng.uniform();
    const double tie = log_product(logit);
    auto along = [&](double x) {
      Place to = at;
      to.logit = x;
      to.log_length = power * (tie - log_product(x));
      return to;
    };
    double value = log_density(at);
    at = along(slice_sample_from(
        rng, logit, value, [&](double x) { return log_density(along(x)); },
        MixtureConstants::kLogWidth, -MixtureConstants::kWidestPair,
        MixtureConstants::kWidestPair));
    // One number of `at` after the other.
    auto update = [&](double Place::*part, double lower) {
      at.*part = slice_sample_from(
          rng, at.*part, value,
          [&](double x) {
            Place to = at;
            to.*part = x;
            return log_density(to);
          },
          MixtureConstants::kPairWidth, lower);
    };
    const double floor = chain_->prior().sigma_floor;
    const double lowest = floor > 0 ? std::log(floor) : -kInfinity;
    update(&Place::log_length, -kInfinity);
    update(&Place::log_sigma_j, lowest);
    update(&Place::log_sigma_k, lowest);
    apply(at);
  }

 private:
  struct Place {
    double logit, log_length, log_sigma_j, log_sigma_k;
  };

  /// log w (1 - w).
  static double log_product(double logit) {
    return -log1p_exp(-logit) - log1p_exp(logit);
  }

  void load(double logit) {
    const MixtureState& state = chain_->state;
    const double larger = std::max(state.log_pi[j_], state.log_pi[k_]);
    log_sum_ = larger + log1p_exp(-std::fabs(logit));
    mean_weight_ = std::exp(-log1p_exp(-logit));
    mean_ =
        mean_weight_ * state.b.col(j_) + (1.0 - mean_weight_) * state.b.col(k_);
    difference_ = state.b.col(j_) - state.b.col(k_);
    slope_ = curvature_ = 0.0;
    for (int j = 0; j < P_; ++j) {
      const double precision = 1.0 / square(chain_->prior_scale(j));
      slope_ += precision * (mean_[j] - chain_->prior_mean(j)) * difference_[j];
      curvature_ += precision * square(difference_[j]);
    }
    chain_->mix_others(j_, k_);
  }

  /// b_j = mean + first difference, b_k = mean + second difference.
  static double first(const Place& at) {
    return std::exp(at.log_length - log1p_exp(at.logit));
  }
  static double second(const Place& at) {
    return -std::exp(at.log_length - log1p_exp(-at.logit));
  }

  double log_density(const Place& at) const {
    const double f = first(at), s = second(at);
    detail::PairPass pass{chain_->n_padded(),
                          chain_->others(),
                          chain_->shift(),
                          chain_->alpha(),
                          chain_->residual(j_),
                          chain_->residual(k_),
                          mean_weight_,
                          f,
                          s,
                          MixtureChain::component(std::exp(at.log_sigma_j)),
                          MixtureChain::component(std::exp(at.log_sigma_k)),
                          chain_->log_sums(),
                          0.0};
    pass.density_j.offset += log_sum_ - log1p_exp(-at.logit);
    pass.density_k.offset += log_sum_ - log1p_exp(at.logit);
    detail::pair_pass(pass);
    if (!std::isfinite(pass.log_lik)) {
      pass.log_lik = chain_->careful_sum([&](int i) {
        const double difference = pass.residual_j[i] - pass.residual_k[i];
        const double e = pass.residual_k[i] + mean_weight_ * difference;
        double* term = chain_->log_terms(i);
        term[j_] =
            MixtureChain::log_term(0.0, pass.density_j, e + f * difference);
        term[k_] =
            MixtureChain::log_term(0.0, pass.density_k, e + s * difference);
        return log_sum_exp(term, K_);
      });
    }
    return pass.log_lik - (f + s) * slope_ -
           0.5 * (f * f + s * s) * curvature_ + P_ * at.log_length +
           chain_->state.gamma / K_ * log_product(at.logit) +
           chain_->sigma_prior().log_density_log(at.log_sigma_j) +
           chain_->sigma_prior().log_density_log(at.log_sigma_k);
  }

  void apply(const Place& at) {
    MixtureState& state = chain_->state;
    const double floor = chain_->prior().sigma_floor;
    const double f = first(at), s = second(at);
    state.log_pi[j_] = log_sum_ - log1p_exp(-at.logit);
    state.log_pi[k_] = log_sum_ - log1p_exp(at.logit);
    state.sigma[j_] = std::max(std::exp(at.log_sigma_j), floor);
    state.sigma[k_] = std::max(std::exp(at.log_sigma_k), floor);
    state.b.col(j_) = mean_ + f * difference_;
    state.b.col(k_) = mean_ + s * difference_;
    double *j = chain_->residual(j_), *k = chain_->residual(k_);
    for (int i = 0; i < chain_->n_padded(); ++i) {
      const double e = mean_weight_ * j[i] + (1.0 - mean_weight_) * k[i];
      const double difference = j[i] - k[i];
      j[i] = e + f * difference;
      k[i] = e + s * difference;
    }
    chain_->component_changed(j_);
    chain_->component_changed(k_);
  }

  MixtureChain* chain_;
  int K_, P_;
  int j_ = 0, k_ = 0;
  double log_sum_ = 0.0;      // log(pi_j + pi_k)
  double mean_weight_ = 0.0;  // w at the start
  Vector mean_, difference_;
  // Of the log prior in the multiples of `difference_`.
  double slope_ = 0.0, curvature_ = 0.0;
};

}  // namespace pseudosynth

#endif
