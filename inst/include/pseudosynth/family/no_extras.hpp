// Families without a parameter beside the coefficients.
#ifndef PSEUDOSYNTH_FAMILY_NO_EXTRAS_HPP
#define PSEUDOSYNTH_FAMILY_NO_EXTRAS_HPP

#include "../rng.hpp"

namespace pseudosynth {

/// @brief What such a family inherits of its interface (see roles.hpp).
struct NoExtras {
  static constexpr int kExtras = 0;

  void constrain(const double*, double*) const {}
  void unconstrain(const double*, double*) const {}
  double log_prior(const double*, double*) const { return 0.0; }
  void adjoint(const double*, const double*, double*) const {}
  void initial(double, Rng&, double*) const {}
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_FAMILY_NO_EXTRAS_HPP
