// Trajectories of the shared locations and scales, which take the coefficients
// along.
//
// Given the K coefficients of a column its m and tau hardly move where records
// say little of some of them: all must go together. Here m and tau move with
// (b_k - m) / tau fixed (Papaspiliopoulos, Roberts and Skoeld 2007, the other
// parametrisation). Then the prior of the coefficients has no say, and
// predictors are linear in 2 P numbers, so that their metric is known but for
// the overlap of components, which are summed out. Exact for any weights. tau
// may go through 0 to the other side, where with coefficients reflected about m
// all is as before.
//
// On Consumer Expenditure incomes with 3 components the slowest tau has four
// times the effective draws a sweep, and with it the slowest record.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_SHARED_MOVE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_SHARED_MOVE_HPP

#include <cmath>

#include "../../cholesky.hpp"
#include "mixture_chain.hpp"
#include "mixture_constants.hpp"
#include "mixture_slope.hpp"
#include "mixture_stepsize.hpp"

namespace pseudosynth {

class MixtureSharedMove {
 public:
  MixtureSharedMove(MixtureChain& chain, const Records& records)
      : chain_(&chain),
        K_(chain.state.K),
        P_(chain.state.P),
        slope_(records, K_),
        metric_(2 * P_, 2 * P_),
        x_(2 * P_),
        gradient_(2 * P_),
        b_(P_, K_),
        d_b_(P_, K_),
        log_sigma_(K_),
        d_log_pi_(K_),
        d_log_sigma_(K_),
        steps_(MixtureConstants::kSharedLength) {
    const GroupedDesign design(records.design);
    design.cross_products(records.size(), records.design.row().data(),
                          records.alpha.data(), gram_);
  }

  /// One trajectory; leaves the chain's densities as they are at its end. With
  /// `adapt` the step size learns from it, which only warmup may do.
  void move(bool adapt = false) {
    if (!chain_->prior().shared) return;
    Rng& rng = chain_->rng();
    const MixtureState start = chain_->state;
    read_state();
    compute_metric();
    Vector momentum(2 * P_);
    for (int j = 0; j < 2 * P_; ++j) momentum[j] = rng.normal();
    const double before =
        chain_->log_lik() + log_prior() - 0.5 * momentum.squaredNorm();
    momentum = factor_.lower_times(momentum);
    const double step = steps_.draw(rng);
    const int n_steps = steps_.draw_number(rng);
    slope();
    momentum += 0.5 * step * gradient_;
    for (int s = 1; s <= n_steps; ++s) {
      x_ += step * factor_.solve(momentum);
      slope();
      momentum += (s < n_steps ? step : 0.5 * step) * gradient_;
    }
    // The slopes are rough, the density at the end is not.
    double log_ratio =
        log_prior() - 0.5 * factor_.squared_length(momentum) - before;
    if (std::isfinite(log_ratio)) {
      write_state();
      log_ratio += chain_->log_lik();
    }
    if (adapt) steps_.learn(log_ratio);
    chain_->decide(log_ratio, start, chain_->accepted.shared);
  }

  /// Ends adaptation.
  void settle() { steps_.settle(); }

 private:
  void read_state() {
    const MixtureState& state = chain_->state;
    x_ << state.m, state.tau;
    xi_ = (state.b.colwise() - state.m).array().colwise() / state.tau.array();
    log_sigma_ = state.sigma.array().log();
  }
  void write_state() {
    place_coefficients();
    chain_->state.m = x_.head(P_);
    chain_->state.tau = x_.tail(P_).cwiseAbs();
    chain_->state.b = b_;
    chain_->state_changed();
  }
  void place_coefficients() {
    b_ = (xi_.array().colwise() * x_.tail(P_).array()).colwise() +
         x_.head(P_).array();
  }

  /// The information of records and priors about m and tau, were each record a
  /// share of one of each component: a function of what the move leaves fixed.
  void compute_metric() {
    const MixtureState& state = chain_->state;
    const MixturePrior& prior = chain_->prior();
    metric_.setZero();
    for (int k = 0; k < K_; ++k) {
      const double weight = std::exp(state.log_pi[k]) / square(state.sigma[k]);
      for (int j = 0; j < P_; ++j) {
        for (int i = 0; i < P_; ++i) {
          const double g = weight * gram_(i, j);
          metric_(P_ + i, j) += g * xi_(i, k);
          if (i < j) continue;
          metric_(i, j) += g;
          metric_(P_ + i, P_ + j) += g * xi_(i, k) * xi_(j, k);
        }
      }
    }
    // Of the half-t at 0, where it is most curved.
    const double curvature =
        (prior.tau_df + 1.0) / (prior.tau_df * square(prior.tau_scale));
    for (int j = 0; j < P_; ++j) {
      metric_(j, j) += 1.0 / square(prior.m_scale[j]);
      metric_(P_ + j, P_ + j) += curvature;
    }
    factor_.compute(metric_);
  }

  double log_prior() const {
    const MixturePrior& prior = chain_->prior();
    double value = 0.0;
    for (int j = 0; j < P_; ++j) {
      value -= 0.5 * square((x_[j] - prior.m0[j]) / prior.m_scale[j]);
      value += chain_->tau_prior().log_density(std::fabs(x_[P_ + j]));
    }
    return value;
  }

  void slope() {
    const MixturePrior& prior = chain_->prior();
    place_coefficients();
    slope_(b_, chain_->state.log_pi, log_sigma_, d_b_, d_log_pi_, d_log_sigma_);
    for (int j = 0; j < P_; ++j) {
      gradient_[j] =
          d_b_.row(j).sum() - (x_[j] - prior.m0[j]) / square(prior.m_scale[j]);
      gradient_[P_ + j] = d_b_.row(j).dot(xi_.row(j)) +
                          chain_->tau_prior().derivative(x_[P_ + j]);
    }
  }

  MixtureChain* chain_;
  int K_, P_;
  MixtureSlope slope_;
  Matrix gram_, metric_;
  Cholesky factor_{Matrix::Identity(1, 1)};
  Vector x_, gradient_;  // m, then tau
  Matrix xi_;            // (b_k - m) / tau
  Matrix b_, d_b_;
  Vector log_sigma_, d_log_pi_, d_log_sigma_;
  MixtureStepsize steps_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_MIXTURE_SHARED_MOVE_HPP
