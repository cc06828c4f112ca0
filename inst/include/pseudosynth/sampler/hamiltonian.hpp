// The Hamiltonian system of a log density under a Euclidean metric, and its
// leapfrog integrator (Betancourt 2017, section 4).
#ifndef PSEUDOSYNTH_SAMPLER_HAMILTONIAN_HPP
#define PSEUDOSYNTH_SAMPLER_HAMILTONIAN_HPP

#include <cmath>
#include <exception>
#include <limits>

#include "../math.hpp"
#include "../rng.hpp"
#include "../roles.hpp"

namespace pseudosynth {

/// @brief A point in phase space. `gradient` is that of the log density.
struct PhasePoint {
  explicit PhasePoint(int n)
      : q(Vector::Zero(n)), p(Vector::Zero(n)), gradient(Vector::Zero(n)) {}
  Vector q, p, gradient;
  double log_density = 0;
};

/// @brief H(q, p) = -log density(q) + 1/2 p' M^-1 p.
/// @tparam Model `double operator()(const Vector& theta, Vector& gradient)`.
/// @tparam Metric see metric.hpp.
template <class Model, class Metric>
class Hamiltonian {
  static_assert(role::kOffers<role::Density, Model>,
                "a sampler needs double operator()(theta, gradient) of its "
                "model (roles.hpp)");
  static_assert(role::OfMetric<Metric>::kKept);

 public:
  Hamiltonian(Model& model, int n)
      : metric(n), model_(model), velocity_(Vector::Zero(n)) {}

  /// @brief Fills log density and gradient at z.q. A density that is not
  /// finite, or that throws, counts as log 0 and is recorded: the trajectory
  /// then ends as divergent, the chain does not.
  void evaluate(PhasePoint& z) {
    double value;
    try {
      value = model_(z.q, z.gradient);
    } catch (const std::exception&) {
      value = std::numeric_limits<double>::quiet_NaN();
    }
    if (!std::isfinite(value) || !z.gradient.allFinite()) {
      ++n_nonfinite;
      value = -std::numeric_limits<double>::infinity();
      z.gradient.setZero();
    }
    z.log_density = value;
  }

  void sample_momentum(Rng& rng, PhasePoint& z) const {
    metric.sample(rng, z.p);
  }

  /// @brief velocity = M^-1 p, the p-sharp of the U-turn criterion.
  void velocity(const PhasePoint& z, Vector& out) const {
    metric.velocity(z.p, out);
  }

  /// @brief H given M^-1 p; +inf where the density is 0.
  static double energy(const PhasePoint& z, const Vector& velocity) {
    const double h = 0.5 * z.p.dot(velocity) - z.log_density;
    return std::isnan(h) ? std::numeric_limits<double>::infinity() : h;
  }

  /// @brief One leapfrog step of size `step` (negative: backwards in time).
  /// Allocates nothing.
  void leapfrog(PhasePoint& z, double step) {
    z.p += (0.5 * step) * z.gradient;
    metric.velocity(z.p, velocity_);
    z.q += step * velocity_;
    evaluate(z);
    z.p += (0.5 * step) * z.gradient;
  }

  Metric metric;
  long n_nonfinite = 0;

 private:
  Model& model_;
  Vector velocity_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_HAMILTONIAN_HPP
