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
//      Lhat has no mass and leaves where it has too little;
//   4. where records are clipped, slices along lines that move a small group of
//      records alone: these few are enough for them;
//   5. there, too, makes moves that cross between modes and
//      plateaus: independence proposals from a mixture of the prior, Lhat and
//      what was explored, elliptical slices of the prior (Murray, Adams and
//      MacKay 2010), slices as wide as the prior, also of a factor's reference
//      level, which changes places with another level, too, and scales tau_j
//      that take their b_j along.
// Every step leaves the exact posterior unchanged, however poor Lhat is.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_CHAIN_HPP

#include <algorithm>
#include <cmath>

#include "../math.hpp"
#include "../rng.hpp"
#include "crossing_moves.hpp"
#include "surrogate_jumps.hpp"

namespace pseudosynth {

class SurrogateChain : public SurrogateJumps {
 public:
  /// @param model, proposal must outlive this object.
  /// @param crossing null for a target that is not clipped.
  SurrogateChain(SurrogateModel& model, const SurrogateProposal& proposal,
                 Rng& rng, const CrossingMoves* crossing = nullptr)
      : SurrogateJumps(model, proposal, rng, crossing) {}

  /// @return the probability with which the proposal was accepted.
  double sweep() {
    ++n_sweeps_;
    double probability = 0.0;
    // First: of coupled chains that both accept Omega alone differs, and is
    // then drawn anew by the same random numbers
    const bool joint = crossing_ != nullptr && prior_.hierarchical &&
                       !crossing_->mixture.empty();
    if (joint) probability = joint_jump();
    if (prior_.hierarchical) {
      const int P = model_->n_columns();
      hyper_.update(theta.head(P), *rng_,
                    P > 1 && (joint || n_sweeps_ % 2 == 0));
    }
    probability = std::max(probability, propose());
    if (crossing_ != nullptr && rng_->uniform() < crossing_->jump_share)
      probability = std::max(probability, jump());
    if (rng_->uniform() < proposal_->slice_share) slice();
    if (crossing_ == nullptr) return probability;
    const int n_groups = static_cast<int>(model_->groups().size());
    for (int k = 0; k < crossing_->n_group_moves && n_groups > 0; ++k)
      group_slice(rng_->integer(n_groups));
    if (rng_->uniform() < crossing_->wide_share) wide_slice();
    if (crossing_->level_share > 0.0 && !model_->factors().empty() &&
        rng_->uniform() < crossing_->level_share) {
      reference_slice();
      exchange_level();
    }
    if (!model_->is_folded() && rng_->uniform() < crossing_->ellipse_share)
      ellipse();
    if (prior_.hierarchical && crossing_->n_scales > 0) common_slice();
    for (int k = 0; prior_.hierarchical && k < crossing_->n_scales; ++k) {
      scale_slice();
      redraw();
      redraw();
    }
    return probability;
  }

 private:
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

  long n_sweeps_ = 0;
};

}  // namespace pseudosynth

#endif
