// The no-U-turn sampler with multinomial sampling of the trajectory (Hoffman
// and Gelman 2014; Betancourt 2017, appendix A), as Stan runs it today: biased
// progressive sampling between the old and the new half of a trajectory,
// uniform sampling within a subtree, the generalised U-turn criterion on the
// summed momentum rho, and the two checks across the seam of every merge.
#ifndef PSEUDOSYNTH_SAMPLER_NUTS_HPP
#define PSEUDOSYNTH_SAMPLER_NUTS_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "../rng.hpp"
#include "chain_result.hpp"
#include "hamiltonian.hpp"
#include "nuts_constants.hpp"
#include "trajectory.hpp"

namespace pseudosynth {

/// @brief What one transition reports.
struct NutsTransition {
  bool divergent = false;
  bool interrupted = false;
  int treedepth = 0;
  int n_leapfrog = 0;
  double accept_stat = 0;
  double energy = 0;
};

template <class Model, class Metric>
class Nuts {
 public:
  /// @param n dimension. @param max_treedepth at least 1.
  Nuts(Model& model, int n, int max_treedepth, Rng& rng,
       const ChainHandlers& handlers)
      : hamiltonian(model, n),
        state(n),
        rng_(rng),
        handlers_(handlers),
        max_treedepth_(max_treedepth),
        z_(n),
        forward_(n),
        backward_(n),
        sample_(n),
        proposal_(n),
        ends_(n),
        rho_(Vector::Zero(n)),
        rho_half_(Vector::Zero(n)),
        rho_seam_(Vector::Zero(n)) {
    for (int d = 0; d < max_treedepth; ++d) {
      scratch_.emplace_back(n);
    }
  }

  /// @brief Moves `state` by one NUTS transition. If the host asks to stop,
  /// `state` stays where it was.
  NutsTransition transition() {
    result_ = NutsTransition();
    sum_metropolis_ = 0;
    hamiltonian.sample_momentum(rng_, state);
    hamiltonian.velocity(state, ends_.sharp_forward_front);
    energy_start_ = hamiltonian.energy(state, ends_.sharp_forward_front);
    ends_.start(state.p);
    forward_ = state;
    backward_ = state;
    sample_.set(state, energy_start_);
    rho_ = state.p;
    double log_weight = 0;

    while (result_.treedepth < max_treedepth_) {
      double log_weight_new = kNegativeInfinity;
      rho_half_.setZero();
      const bool go_forward = rng_.uniform() > 0.5;
      if (!extend(go_forward, log_weight_new)) {
        break;
      }
      ++result_.treedepth;
      // Biased progressive sampling: the new half is taken with probability
      // min(1, w_new / w_old), which favours distant points.
      if (log_weight_new > log_weight ||
          rng_.uniform() < std::exp(log_weight_new - log_weight)) {
        sample_.swap(proposal_);
      }
      log_weight = log_sum_exp(log_weight, log_weight_new);
      if (!continues_after_extension(go_forward)) {
        break;
      }
    }

    result_.accept_stat =
        result_.n_leapfrog > 0 ? sum_metropolis_ / result_.n_leapfrog : 0;
    if (!result_.interrupted) {
      sample_.store(state);
    }
    result_.energy = sample_.energy;
    return result_;
  }

  /// @brief Doubles or halves the step size until one step's acceptance
  /// crosses a target (Hoffman and Gelman 2014, algorithm 4).
  void find_stepsize() {
    const double log_target = std::log(NutsConstants::kFirstAcceptance);
    int direction = 0;
    while (stepsize > NutsConstants::kSmallestStep &&
           stepsize < NutsConstants::kLargestStep &&
           !handlers_.stop_requested()) {
      z_ = state;
      hamiltonian.sample_momentum(rng_, z_);
      hamiltonian.velocity(z_, rho_seam_);
      const double before = hamiltonian.energy(z_, rho_seam_);
      hamiltonian.leapfrog(z_, stepsize);
      hamiltonian.velocity(z_, rho_seam_);
      const double gain = before - hamiltonian.energy(z_, rho_seam_);
      if (direction == 0) {
        direction = gain > log_target ? 1 : -1;
        continue;
      }
      if (direction == 1 ? !(gain > log_target) : !(gain < log_target)) {
        break;
      }
      stepsize *= direction == 1 ? 2.0 : 0.5;
    }
  }

  Hamiltonian<Model, Metric> hamiltonian;
  PhasePoint state;
  double stepsize = 1.0;

 private:
  static constexpr double kNegativeInfinity =
      -std::numeric_limits<double>::infinity();

  static bool no_u_turn(const Vector& sharp_a, const Vector& sharp_b,
                        const Vector& rho) {
    return sharp_a.dot(rho) > 0 && sharp_b.dot(rho) > 0;
  }

  /// Doubles the trajectory in one direction; rho_half_ becomes the new
  /// half's rho. False if the new half is not a valid subtree.
  bool extend(bool go_forward, double& log_weight) {
    const int depth = result_.treedepth;
    detail::TrajectoryEnds& e = ends_;
    if (go_forward) {
      z_ = forward_;
      e.p_backward_back = e.p_forward_front;
      e.sharp_backward_back = e.sharp_forward_front;
      const bool valid = build_tree(depth, 1, proposal_, e.sharp_forward_back,
                                    e.sharp_forward_front, e.p_forward_back,
                                    e.p_forward_front, rho_half_, log_weight);
      forward_ = z_;
      return valid;
    }
    z_ = backward_;
    e.p_forward_back = e.p_backward_front;
    e.sharp_forward_back = e.sharp_backward_front;
    const bool valid = build_tree(depth, -1, proposal_, e.sharp_backward_back,
                                  e.sharp_backward_front, e.p_backward_back,
                                  e.p_backward_front, rho_half_, log_weight);
    backward_ = z_;
    return valid;
  }

  /// The U-turn criterion over the whole trajectory and across its seam.
  bool continues_after_extension(bool went_forward) {
    const detail::TrajectoryEnds& e = ends_;
    // On entry rho_ is the old half's rho, rho_half_ the new one's.
    const Vector& rho_backward = went_forward ? rho_ : rho_half_;
    const Vector& rho_forward = went_forward ? rho_half_ : rho_;
    rho_seam_ = rho_backward + e.p_forward_back;
    bool go_on =
        no_u_turn(e.sharp_backward_front, e.sharp_forward_back, rho_seam_);
    rho_seam_ = rho_forward + e.p_backward_back;
    go_on =
        no_u_turn(e.sharp_backward_back, e.sharp_forward_front, rho_seam_) &&
        go_on;
    rho_ += rho_half_;
    return no_u_turn(e.sharp_backward_front, e.sharp_forward_front, rho_) &&
           go_on;
  }

  /// Builds 2^depth steps from z_ in direction `sign`; adds to rho and
  /// log_weight. `begin` is the end next to the old trajectory.
  bool build_tree(int depth, int sign, detail::Candidate& proposal,
                  Vector& sharp_begin, Vector& sharp_end, Vector& p_begin,
                  Vector& p_end, Vector& rho, double& log_weight) {
    if (depth == 0) {
      return build_leaf(sign, proposal, sharp_begin, sharp_end, p_begin, p_end,
                        rho, log_weight);
    }
    detail::SubtreeScratch& s = scratch_[depth - 1];
    double log_weight_first = kNegativeInfinity;
    s.rho_first.setZero();
    if (!build_tree(depth - 1, sign, proposal, sharp_begin, s.sharp_first_end,
                    p_begin, s.p_first_end, s.rho_first, log_weight_first)) {
      return false;
    }
    double log_weight_second = kNegativeInfinity;
    s.rho_second.setZero();
    if (!build_tree(depth - 1, sign, s.second, s.sharp_second_begin, sharp_end,
                    s.p_second_begin, p_end, s.rho_second, log_weight_second)) {
      return false;
    }
    const double log_weight_both =
        log_sum_exp(log_weight_first, log_weight_second);
    log_weight = log_sum_exp(log_weight, log_weight_both);
    // Uniform (multinomial) sampling within the subtree.
    if (rng_.uniform() < std::exp(log_weight_second - log_weight_both)) {
      proposal.swap(s.second);
    }
    rho_seam_ = s.rho_first + s.p_second_begin;
    bool go_on = no_u_turn(sharp_begin, s.sharp_second_begin, rho_seam_);
    rho_seam_ = s.rho_second + s.p_first_end;
    go_on = no_u_turn(s.sharp_first_end, sharp_end, rho_seam_) && go_on;
    rho_seam_ = s.rho_first + s.rho_second;
    rho += rho_seam_;
    return no_u_turn(sharp_begin, sharp_end, rho_seam_) && go_on;
  }

  bool build_leaf(int sign, detail::Candidate& proposal, Vector& sharp_begin,
                  Vector& sharp_end, Vector& p_begin, Vector& p_end,
                  Vector& rho, double& log_weight) {
    if (handlers_.stop_requested()) {
      result_.interrupted = true;
      return false;
    }
    hamiltonian.leapfrog(z_, sign * stepsize);
    ++result_.n_leapfrog;
    hamiltonian.velocity(z_, sharp_begin);
    const double h = hamiltonian.energy(z_, sharp_begin);
    const double gain = energy_start_ - h;
    if (-gain > NutsConstants::kMaxEnergyError) {
      result_.divergent = true;
    }
    log_weight = log_sum_exp(log_weight, gain);
    sum_metropolis_ += gain > 0 ? 1.0 : std::exp(gain);
    proposal.set(z_, h);
    sharp_end = sharp_begin;
    p_begin = z_.p;
    p_end = z_.p;
    rho += z_.p;
    return !result_.divergent;
  }

  Rng& rng_;
  const ChainHandlers& handlers_;
  int max_treedepth_;
  NutsTransition result_;
  double energy_start_ = 0, sum_metropolis_ = 0;
  PhasePoint z_, forward_, backward_;
  detail::Candidate sample_, proposal_;
  detail::TrajectoryEnds ends_;
  Vector rho_, rho_half_, rho_seam_;
  std::vector<detail::SubtreeScratch> scratch_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_NUTS_HPP
