// One state of the surrogate sampler and its sweep. The target is
//   L(theta) p(b | hyper) p(hyper),   theta = [ b | u ],
// L holding everything but the prior of b. Lhat, a quadratic on the log scale,
// stands in for L. A sweep
//   1. draws the hyperparameters given b: exact, no data;
//   2. proposes (theta, tau) by moves that are reversible for
//      Lhat(theta) p(b | hyper) p(hyper): a draw of theta given the
//      hyperparameters and a rescaling of tau_j and b_j together, in a random
//      order, which keeps the pair reversible. The prior cancels and the
//      proposal is accepted with min(1, w(theta')/w(theta)), w = L / Lhat: one
//      evaluation of the likelihood;
//      Some proposals take a power of Lhat below 1, which has wider tails;
//   3. now and then slices the exact target along a line, which reaches where
//      Lhat has no mass and leaves where it has too little.
// Every step leaves the exact posterior unchanged, however poor Lhat is.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_CHAIN_HPP

#include <algorithm>
#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"
#include "hierarchical_sweep.hpp"
#include "slice.hpp"
#include "surrogate_model.hpp"
#include "surrogate_quadratic.hpp"

namespace pseudosynth {

/// @brief What a chain needs besides the model; fixed while draws are kept.
struct SurrogateProposal {
  SurrogateQuadratic lhat;    ///< log Lhat
  SurrogateQuadratic flat;    ///< log of a power of Lhat below 1
  double flat_share = 0.25;   ///< of sweeps that propose with `flat`
  double keep = 0.0;          ///< autocorrelation of proposals, see move();
                              ///< below 0 they lie across the mean
  double slice_share = 0.15;  ///< of sweeps with a slice
};

class SurrogateChain {
 public:
  /// @param model, proposal must outlive this object.
  SurrogateChain(SurrogateModel& model, const SurrogateProposal& proposal,
                 Rng& rng)
      : model_(&model),
        prior_(model.prior()),
        proposal_(&proposal),
        rng_(&rng),
        hyper_(model.n_columns(), prior_.lkj, prior_.tau_df, prior_.tau_scale) {
    const SurrogatePrior& prior = prior_;
    const int P = model.n_columns();
    location_ = prior.location.size() == P ? prior.location : Vector::Zero(P);
    precision_ = Matrix::Zero(P, P);
    if (!prior.hierarchical && !prior.folded)
      precision_.diagonal() = prior.scale.cwiseAbs2().cwiseInverse();
  }

  Vector theta;
  const Vector& tau() const { return hyper_.tau; }
  long n_nonfinite = 0;

  /// @return false if the density at `at` is not finite.
  bool place(const Vector& at) {
    theta = at;
    log_l_ = model_->value(theta);
    for (int j = 0; j < hyper_.tau.size(); ++j)
      hyper_.tau[j] = 0.5 * prior_.tau_scale + std::fabs(theta[j]);
    return std::isfinite(log_l_);
  }
  /// sum_i g_i at the current theta.
  double log_lik() const { return log_l_ - model_->log_prior(theta); }
  void set_tau(const Vector& tau) { hyper_.tau = tau; }

  /// @return the probability with which the proposal was accepted.
  double sweep() {
    ++n_sweeps_;
    if (prior_.hierarchical) {
      const int P = model_->n_columns();
      hyper_.update(theta.head(P), *rng_, P > 1 && n_sweeps_ % 2 == 0);
    }
    const double probability = propose();
    if (rng_->uniform() < proposal_->slice_share) slice();
    return probability;
  }

  /// A slice along a line of the surrogate's covariance.
  void slice() {
    const int P = model_->n_columns();
    const SurrogateConditional* normal = prepare(proposal_->lhat);
    if (normal == nullptr) return;
    const Vector step = normal->direction(rng_->integer(model_->size()));
    const Vector shift = theta.head(P) - location_;
    const Vector pull = precision_ * step.head(P);
    const double slope = pull.dot(shift);
    const double curvature = pull.dot(step.head(P));
    model_->set_line(theta, step);
    // The last point looked at is the one that is kept.
    double last = log_l_, height = log_l_;
    const double t = slice_sample_from(
        *rng_, 0.0, height,
        [&](double x) {
          last = finite(model_->value_on_line(x));
          return last - x * (slope + 0.5 * x * curvature);
        },
        2.0);
    if (t == 0.0) return;
    theta += t * step;
    log_l_ = last;
  }

 private:
  double evaluate(const Vector& at) { return finite(model_->value(at)); }

  double finite(double value) {
    if (std::isfinite(value)) return value;
    ++n_nonfinite;
    return -kInfinity;
  }

  /// The surrogate posterior given the hyperparameters, null where it is
  /// improper. Without hyperparameters it stays what it is.
  const SurrogateConditional* prepare(const SurrogateQuadratic& lhat) {
    Conditional& of = &lhat == &proposal_->flat ? flat_ : sharp_;
    if (prior_.hierarchical || !of.ready) {
      if (prior_.hierarchical) precision_ = hyper_.precision();
      of.proper = of.normal.set(lhat, precision_, location_);
      of.ready = true;
    }
    return of.proper ? &of.normal : nullptr;
  }

  double propose() {
    // Lhat may have too thin tails; its flat version brings chains out of them.
    const SurrogateQuadratic& lhat = rng_->uniform() < proposal_->flat_share
                                         ? proposal_->flat
                                         : proposal_->lhat;
    const Vector tau = hyper_.tau;
    Vector next = theta;
    const bool hierarchical = prior_.hierarchical;
    const bool backwards = hierarchical && !(rng_->bits() & 1);
    if (backwards) rescale(lhat, next, true);
    const SurrogateConditional* normal = prepare(lhat);
    if (normal != nullptr) {
      next = normal->move(next, proposal_->keep, *rng_);
      if (hierarchical && !backwards) rescale(lhat, next, false);
    }
    double log_ratio = -kInfinity, log_l = -kInfinity;
    if (normal != nullptr && next.allFinite()) {
      log_l = evaluate(next);
      log_ratio = log_l - lhat.value(next) - log_l_ + lhat.value(theta);
    }
    if (std::log(rng_->uniform()) < log_ratio) {
      theta = next;
      log_l_ = log_l;
    } else {
      hyper_.tau = tau;
    }
    return log_ratio > 0.0 ? 1.0 : std::exp(log_ratio);
  }

  /// tau_j and b_j together at fixed b_j / tau_j under Lhat, one j after the
  /// other or in the opposite order.
  void rescale(const SurrogateQuadratic& lhat, Vector& at, bool backwards) {
    Vector moment = lhat.gradient - lhat.curvature * (at - lhat.centre);
    hyper_.rescale(lhat.curvature, at, moment, *rng_, backwards);
  }

  SurrogateModel* model_;
  SurrogatePrior prior_;
  const SurrogateProposal* proposal_;
  Rng* rng_;
  HierarchicalSweep hyper_;
  Vector location_;
  Matrix precision_;
  struct Conditional {
    SurrogateConditional normal;
    bool ready = false, proper = false;
  };
  Conditional sharp_, flat_;  // of lhat and of its flat version
  double log_l_ = 0.0;
  long n_sweeps_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_CHAIN_HPP
