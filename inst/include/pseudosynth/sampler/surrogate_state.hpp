// Where a chain of the surrogate sampler is: parameters, hyperparameters, the
// log likelihood there, and what its moves share. The moves are objects of
// their own, which work on a state.
#ifndef PSEUDOSYNTH_SAMPLER_SURROGATE_STATE_HPP
#define PSEUDOSYNTH_SAMPLER_SURROGATE_STATE_HPP

#include <cmath>

#include "../cholesky.hpp"
#include "../math.hpp"
#include "../rng.hpp"
#include "crossing_moves.hpp"
#include "hierarchical_sweep.hpp"
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

class SurrogateState {
 public:
  /// @param of, by must outlive this object.
  /// @param moves null for a target that is not clipped.
  SurrogateState(SurrogateModel& of, const SurrogateProposal& by, Rng& random,
                 const CrossingMoves* moves = nullptr)
      : model(&of),
        prior(of.prior()),
        proposal(&by),
        crossing(moves),
        rng(&random),
        hyper(of.n_columns(), prior.lkj, prior.tau_df, prior.tau_scale) {
    const int P = of.n_columns();
    location = prior.location.size() == P ? prior.location : Vector::Zero(P);
    precision = Matrix::Zero(P, P);
    if (!prior.hierarchical && !prior.folded)
      precision.diagonal() = prior.scale.cwiseAbs2().cwiseInverse();
  }

  Vector theta;
  const Vector& tau() const { return hyper.tau; }
  long n_nonfinite = 0;

  /// @return false if the density at `at` is not finite.
  bool place(const Vector& at) {
    theta = at;
    log_l = model->value(theta);
    for (int j = 0; j < hyper.tau.size(); ++j)
      hyper.tau[j] = 0.5 * prior.tau_scale + std::fabs(theta[j]);
    return std::isfinite(log_l);
  }
  /// sum_i g_i at the current theta.
  double log_lik() const { return log_l - model->log_prior(theta); }
  void set_tau(const Vector& tau) { hyper.tau = tau; }
  void set_omega(const Matrix& omega) { hyper.set_omega(omega); }
  Matrix omega() const { return hyper.omega(); }
  bool is_where(const SurrogateState& other) const {
    return theta == other.theta &&
           (!prior.hierarchical || hyper.is_where(other.hyper));
  }

  /// Metropolis and Hastings. @return the probability of acceptance.
  double decide(double log_ratio, const Vector& next, double value) {
    const double height = std::log(rng->uniform());
    if (std::isnan(log_ratio)) return 0.0;
    if (height < log_ratio) {
      theta = next;
      log_l = value;
    }
    return log_ratio > 0.0 ? 1.0 : std::exp(log_ratio);
  }

  void refresh_precision() {
    if (prior.hierarchical) {
      precision = hyper.precision();
      prior_root.compute(precision);
    } else if (prior_root.size() == 0) {
      prior_root.compute(precision);
    }
  }
  /// b minus its location, a draw of the prior given the hyperparameters.
  Vector prior_noise() {
    Vector noise(location.size());
    for (Eigen::Index j = 0; j < noise.size(); ++j) noise[j] = rng->normal();
    prior_root.solve_upper(noise.data());
    return noise;
  }
  /// Normalised; 0 where the prior is folded.
  double log_coefficient_prior(const Vector& at) const {
    if (model->is_folded()) return 0.0;
    const Eigen::Index P = location.size();
    const Vector white = prior_root.upper_times(at.head(P) - location);
    return prior_root.log_root_determinant() - 0.5 * white.squaredNorm() -
           static_cast<double>(P) * kHalfLogTwoPi;
  }

  double evaluate(const Vector& at) { return finite(model->value(at)); }

  double finite(double value) {
    if (std::isfinite(value)) return value;
    ++n_nonfinite;
    return -kInfinity;
  }

  /// The surrogate posterior given the hyperparameters, null where it is
  /// improper. Without hyperparameters it stays what it is.
  const SurrogateConditional* prepare(const SurrogateQuadratic& lhat) {
    Conditional& of = &lhat == &proposal->flat ? flat_ : sharp_;
    if (prior.hierarchical || !of.ready) {
      if (prior.hierarchical) precision = hyper.precision();
      of.proper = of.normal.set(lhat, precision, location);
      of.ready = true;
    }
    return of.proper ? &of.normal : nullptr;
  }

  SurrogateModel* model;
  SurrogatePrior prior;
  const SurrogateProposal* proposal;
  const CrossingMoves* crossing;
  Rng* rng;
  HierarchicalSweep hyper;
  Vector location;
  Matrix precision;
  Cholesky prior_root;  // of precision_
  double log_l = 0.0;   // of all but the prior of b

 private:
  struct Conditional {
    SurrogateConditional normal;
    bool ready = false, proper = false;
  };
  Conditional sharp_, flat_;  // of lhat and of its flat version
};

}  // namespace pseudosynth

#endif
