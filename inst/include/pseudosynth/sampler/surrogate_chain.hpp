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

#include "../count_of.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "crossing_moves.hpp"
#include "surrogate_jumps.hpp"
#include "surrogate_slices.hpp"
#include "surrogate_state.hpp"

namespace pseudosynth {

class SurrogateChain {
 public:
  /// @param model, proposal must outlive this object.
  /// @param crossing null for a target that is not clipped.
  SurrogateChain(SurrogateModel& model, const SurrogateProposal& proposal,
                 Rng& rng, const CrossingMoves* crossing = nullptr)
      : at(model, proposal, rng, crossing), slices(at), jumps(at) {}
  // The moves point at the state
  SurrogateChain(const SurrogateChain&) = delete;
  SurrogateChain& operator=(const SurrogateChain&) = delete;

  SurrogateState at;
  SurrogateSlices slices;
  SurrogateJumps jumps;

  /// @return the probability with which the proposal was accepted.
  double sweep() {
    ++n_sweeps_;
    double probability = 0.0;
    // First: of coupled chains that both accept Omega alone differs, and is
    // then drawn anew by the same random numbers
    const bool joint = at.crossing != nullptr && at.prior.hierarchical &&
                       !at.crossing->mixture.empty();
    if (joint) probability = jumps.joint_jump();
    if (at.prior.hierarchical) {
      const int P = at.model->n_columns();
      at.hyper.update(at.theta.head(P), *at.rng,
                      P > 1 && (joint || n_sweeps_ % 2 == 0));
    }
    probability = std::max(probability, propose());
    if (at.crossing != nullptr && at.rng->uniform() < at.crossing->jump_share)
      probability = std::max(probability, jumps.jump());
    if (at.rng->uniform() < at.proposal->slice_share) slices.slice();
    if (at.crossing == nullptr) return probability;
    const int n_groups = count_of(at.model->groups());
    for (int k = 0; k < at.crossing->n_group_moves && n_groups > 0; ++k)
      slices.group_slice(at.rng->integer(n_groups));
    if (at.rng->uniform() < at.crossing->wide_share) slices.wide_slice();
    if (at.crossing->level_share > 0.0 && !at.model->factors().empty() &&
        at.rng->uniform() < at.crossing->level_share) {
      slices.reference_slice();
      jumps.exchange_level();
    }
    if (!at.model->is_folded() &&
        at.rng->uniform() < at.crossing->ellipse_share)
      jumps.ellipse();
    if (at.prior.hierarchical && at.crossing->n_scales > 0)
      slices.common_slice();
    for (int k = 0; at.prior.hierarchical && k < at.crossing->n_scales; ++k) {
      slices.scale_slice();
      jumps.redraw();
      jumps.redraw();
    }
    return probability;
  }

 private:
  double propose() {
    // Lhat may have too thin tails; its flat version brings chains out of them.
    const SurrogateQuadratic& lhat = at.rng->uniform() < at.proposal->flat_share
                                         ? at.proposal->flat
                                         : at.proposal->lhat;
    const Vector tau = at.hyper.tau;
    Vector next = at.theta;
    const bool hierarchical = at.prior.hierarchical;
    const bool backwards = hierarchical && !(at.rng->bits() & 1);
    if (backwards) rescale(lhat, next, true);
    const SurrogateConditional* normal = at.prepare(lhat);
    if (normal != nullptr) {
      next = normal->move(next, at.proposal->keep, *at.rng);
      if (hierarchical && !backwards) rescale(lhat, next, false);
    }
    double log_ratio = -kInfinity, log_l = -kInfinity;
    if (normal != nullptr && next.allFinite()) {
      log_l = at.evaluate(next);
      log_ratio = log_l - lhat.value(next) - at.log_l + lhat.value(at.theta);
    }
    if (std::log(at.rng->uniform()) < log_ratio) {
      at.theta = next;
      at.log_l = log_l;
    } else {
      at.hyper.tau = tau;
    }
    return log_ratio > 0.0 ? 1.0 : std::exp(log_ratio);
  }

  /// tau_j and b_j together at fixed b_j / tau_j under Lhat, one j after the
  /// other or in the opposite order.
  void rescale(const SurrogateQuadratic& lhat, Vector& to, bool backwards) {
    Vector moment = lhat.gradient - lhat.curvature * (to - lhat.centre);
    at.hyper.rescale(lhat.curvature, to, moment, *at.rng, backwards);
  }

  long n_sweeps_ = 0;
};

}  // namespace pseudosynth

#endif
