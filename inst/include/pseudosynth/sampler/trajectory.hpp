// What NUTS remembers of a trajectory while it grows; allocated once a chain.
#ifndef PSEUDOSYNTH_SAMPLER_TRAJECTORY_HPP
#define PSEUDOSYNTH_SAMPLER_TRAJECTORY_HPP

#include <utility>

#include "../math.hpp"
#include "hamiltonian.hpp"

namespace pseudosynth {
namespace detail {

/// A position that may become the next draw; the momentum is not needed.
struct Candidate {
  explicit Candidate(int n) : q(Vector::Zero(n)), gradient(Vector::Zero(n)) {}
  void set(const PhasePoint& z, double h) {
    q = z.q;
    gradient = z.gradient;
    log_density = z.log_density;
    energy = h;
  }
  void store(PhasePoint& z) const {
    z.q = q;
    z.gradient = gradient;
    z.log_density = log_density;
  }
  void swap(Candidate& other) {
    q.swap(other.q);
    gradient.swap(other.gradient);
    std::swap(log_density, other.log_density);
    std::swap(energy, other.energy);
  }
  Vector q, gradient;
  double log_density = 0, energy = 0;
};

/// Momenta p and sharps M^-1 p at the two ends of the trajectory's backward
/// and forward halves: `front` is the outer end in the direction of time of
/// the half's name, `back` the end at the seam.
struct TrajectoryEnds {
  explicit TrajectoryEnds(int n)
      : p_forward_front(Vector::Zero(n)),
        p_forward_back(Vector::Zero(n)),
        p_backward_front(Vector::Zero(n)),
        p_backward_back(Vector::Zero(n)),
        sharp_forward_front(Vector::Zero(n)),
        sharp_forward_back(Vector::Zero(n)),
        sharp_backward_front(Vector::Zero(n)),
        sharp_backward_back(Vector::Zero(n)) {}
  void start(const Vector& p) {
    p_forward_front = p_forward_back = p;
    p_backward_front = p_backward_back = p;
    sharp_forward_back = sharp_forward_front;
    sharp_backward_front = sharp_backward_back = sharp_forward_front;
  }
  Vector p_forward_front, p_forward_back, p_backward_front, p_backward_back;
  Vector sharp_forward_front, sharp_forward_back, sharp_backward_front,
      sharp_backward_back;
};

/// What a subtree of depth d + 1 needs while its two halves are built.
struct SubtreeScratch {
  explicit SubtreeScratch(int n)
      : p_first_end(Vector::Zero(n)),
        sharp_first_end(Vector::Zero(n)),
        p_second_begin(Vector::Zero(n)),
        sharp_second_begin(Vector::Zero(n)),
        rho_first(Vector::Zero(n)),
        rho_second(Vector::Zero(n)),
        second(n) {}
  Vector p_first_end, sharp_first_end, p_second_begin, sharp_second_begin;
  Vector rho_first, rho_second;
  Candidate second;
};

}  // namespace detail
}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_TRAJECTORY_HPP
