// Where a chain of the surrogate sampler is: parameters, hyperparameters, the
// log likelihood there, and what its moves share.
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
  /// @param model, proposal must outlive this object.
  /// @param crossing null for a target that is not clipped.
  SurrogateState(SurrogateModel& model, const SurrogateProposal& proposal,
                 Rng& rng, const CrossingMoves* crossing = nullptr)
      : model_(&model),
        prior_(model.prior()),
        proposal_(&proposal),
        crossing_(crossing),
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
  void set_omega(const Matrix& omega) { hyper_.set_omega(omega); }
  Matrix omega() const { return hyper_.omega(); }
  bool is_where(const SurrogateState& other) const {
    return theta == other.theta &&
           (!prior_.hierarchical || hyper_.is_where(other.hyper_));
  }

 protected:
  /// Metropolis and Hastings. @return the probability of acceptance.
  double decide(double log_ratio, const Vector& next, double log_l) {
    const double height = std::log(rng_->uniform());
    if (std::isnan(log_ratio)) return 0.0;
    if (height < log_ratio) {
      theta = next;
      log_l_ = log_l;
    }
    return log_ratio > 0.0 ? 1.0 : std::exp(log_ratio);
  }

  void refresh_precision() {
    if (prior_.hierarchical) {
      precision_ = hyper_.precision();
      prior_root_.compute(precision_);
    } else if (prior_root_.size() == 0) {
      prior_root_.compute(precision_);
    }
  }
  /// b minus its location, a draw of the prior given the hyperparameters.
  Vector prior_noise() {
    Vector noise(location_.size());
    for (Eigen::Index j = 0; j < noise.size(); ++j) noise[j] = rng_->normal();
    prior_root_.solve_upper(noise.data());
    return noise;
  }
  /// Normalised; 0 where the prior is folded.
  double log_coefficient_prior(const Vector& at) const {
    if (model_->is_folded()) return 0.0;
    const Eigen::Index P = location_.size();
    const Vector white = prior_root_.upper_times(at.head(P) - location_);
    return prior_root_.log_root_determinant() - 0.5 * white.squaredNorm() -
           static_cast<double>(P) * kHalfLogTwoPi;
  }

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

  SurrogateModel* model_;
  SurrogatePrior prior_;
  const SurrogateProposal* proposal_;
  const CrossingMoves* crossing_;
  Rng* rng_;
  HierarchicalSweep hyper_;
  Vector location_;
  Matrix precision_;
  Cholesky prior_root_;  // of precision_
  struct Conditional {
    SurrogateConditional normal;
    bool ready = false, proper = false;
  };
  Conditional sharp_, flat_;  // of lhat and of its flat version
  double log_l_ = 0.0;
};

}  // namespace pseudosynth

#endif
