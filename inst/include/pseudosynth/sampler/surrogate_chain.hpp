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
  /// @param crossing null for a target that is not clipped.
  SurrogateChain(SurrogateModel& model, const SurrogateProposal& proposal,
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
  bool is_where(const SurrogateChain& other) const {
    return theta == other.theta &&
           (!prior_.hierarchical || hyper_.is_where(other.hyper_));
  }

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

  /// An independence proposal, from the mixture of the prior and the surrogate
  /// posterior given the hyperparameters, and of what was explored.
  /// @return the probability with which it was accepted.
  double jump() {
    const SurrogateConditional* normal = prepare(proposal_->lhat);
    refresh_precision();
    const CrossingMoves& by = *crossing_;
    const double of_mixture = by.mixture.empty() ? 0.0 : by.mixture_weight;
    const double of_surrogate =
        normal == nullptr ? 0.0 : 1.0 - by.prior_weight - of_mixture;
    const double of_prior = 1.0 - of_mixture - of_surrogate;
    const double kind = rng_->uniform();
    Vector next = theta;
    if (kind < of_surrogate) {
      next = normal->move(theta, 0.0, *rng_);
    } else if (kind < of_surrogate + of_mixture) {
      next = by.mixture.draw(*rng_);
    } else {
      if (!model_->is_folded())
        next.head(location_.size()) = location_ + prior_noise();
      by.reference->draw_tabulated(next, *rng_);
    }
    const auto log_ratio_to_proposal = [&](const Vector& at, double log_l) {
      const double prior = log_coefficient_prior(at);
      double parts[3] = {
          std::log(of_prior) + prior + by.reference->log_tabulated(at),
          -kInfinity, -kInfinity};
      if (of_surrogate > 0.0)
        parts[1] = std::log(of_surrogate) + normal->log_density(at);
      if (of_mixture > 0.0)
        parts[2] = std::log(of_mixture) + by.mixture.log_density(at);
      return log_l + prior - log_sum_exp(parts, 3);
    };
    double log_ratio = -kInfinity, log_l = -kInfinity;
    if (next.allFinite()) {
      log_l = evaluate(next);
      log_ratio = log_ratio_to_proposal(next, log_l) -
                  log_ratio_to_proposal(theta, log_l_);
    }
    return decide(log_ratio, next, log_l);
  }

  /// Under the hierarchical prior: theta from what was explored or from t
  /// distributions, then each tau_j given b_j nearly as the prior has it with
  /// Omega at the identity. Omega stays.
  double joint_jump() {
    const CrossingMoves& by = *crossing_;
    const Vector tau = hyper_.tau;
    const bool of_mixture = rng_->uniform() < 1.0 - by.prior_weight;
    const Vector next =
        of_mixture ? by.mixture.draw(*rng_) : by.reference->draw_wide(*rng_);
    const double here = log_joint_ratio(theta, log_l_);
    double log_ratio = -kInfinity, log_l = -kInfinity;
    bool finite_tau = true;
    if (next.allFinite()) {
      for (int j = 0; j < tau.size(); ++j)
        hyper_.tau[j] = std::exp(scale_given(next[j]).draw(*rng_));
      finite_tau = hyper_.tau.allFinite() && hyper_.tau.minCoeff() > 0.0;
      if (finite_tau) {
        log_l = evaluate(next);
        log_ratio = log_joint_ratio(next, log_l) - here;
      }
    }
    const double probability = decide(log_ratio, next, log_l);
    if (theta != next) hyper_.tau = tau;
    return probability;
  }

  /// A slice of the log of a factor of all b and tau, under the exact
  /// likelihood: clipped ones often say little about it.
  void common_slice() {
    const int P = model_->n_columns();
    Vector step = Vector::Zero(model_->size());
    step.head(P) = theta.head(P);
    model_->set_line(theta, step);
    const auto log_prior = [&](double x) {
      double sum = P * x;
      for (int j = 0; j < P; ++j)
        sum += hyper_.log_prior(std::exp(x) * hyper_.tau[j]);
      return sum;
    };
    double last = log_l_, height = log_l_ + log_prior(0.0);
    const double x = slice_sample_from(
        *rng_, 0.0, height,
        [&](double t) {
          last = finite(model_->value_on_line(std::expm1(t)));
          return last + log_prior(t);
        },
        1.0);
    if (x == 0.0) return;
    theta += std::expm1(x) * step;
    hyper_.tau *= std::exp(x);
    log_l_ = last;
  }

  /// Under the hierarchical prior: tau_j from its prior and b_j / tau_j from
  /// its own given the others.
  void redraw() {
    const int j = rng_->integer(model_->n_columns());
    const double before = hyper_.tau[j];
    const double here = theta[j];
    hyper_.tau[j] = crossing_->reference->draw_tau_one(*rng_);
    // Omega^-1 (b / tau) but for column j
    const double own = hyper_.omega_precision()(j, j);
    double others = 0.0;
    for (int k = 0; k < model_->n_columns(); ++k)
      if (k != j)
        others += hyper_.omega_precision()(k, j) * theta[k] / hyper_.tau[k];
    const double u = (rng_->normal() / std::sqrt(own)) - others / own;
    Vector next = theta;
    next[j] = u * hyper_.tau[j];
    const double log_l = std::isfinite(next[j]) ? evaluate(next) : -kInfinity;
    decide(log_l - log_l_, next, log_l);
    if (theta[j] == here) hyper_.tau[j] = before;
  }

  /// A slice along an axis as wide as the prior, or along the line through two
  /// explored points.
  void wide_slice() {
    const int n = model_->size();
    const std::size_t S = crossing_->points.size();
    Vector step = Vector::Zero(n);
    if (S > 1 && (rng_->bits() & 1)) {
      const auto any = [&]() -> const Vector& {
        return crossing_->points[static_cast<std::size_t>(
            rng_->integer(static_cast<int>(S)))];
      };
      step = any() - any();
      if (!(step.squaredNorm() > 0.0)) return;
    } else {
      // The extra parameters as often as all coefficients together: nothing
      // else moves them out into the tails of their priors
      const int P = model_->n_columns();
      const int j = n > P && (rng_->bits() & 1) ? P + rng_->integer(n - P)
                                                : rng_->integer(P);
      step[j] = crossing_->reference->scale(j);
    }
    refresh_precision();
    slice_along(step, 1.0);
  }

  /// A slice as wide as the prior along the line of a factor's reference level:
  /// the intercept goes up by what all the factor's coefficients go down, as
  /// where most levels stand apart from the one in the intercept.
  void reference_slice() {
    const std::vector<FactorColumns>& factors = model_->factors();
    const FactorColumns& factor = factors[static_cast<std::size_t>(
        rng_->integer(static_cast<int>(factors.size())))];
    Vector step = Vector::Zero(model_->size());
    step.head(model_->n_columns()) =
        reference_level_step(factor, model_->n_columns());
    refresh_precision();
    slice_along(step, crossing_->reference->scale(0));
  }

  /// A factor's reference level and another one exchange their linear
  /// predictors: b_0 + b_k, -b_k and b_j - b_k in the place of b_0, b_k and
  /// b_j. That is its own inverse and keeps volumes.
  void exchange_level() {
    const std::vector<FactorColumns>& factors = model_->factors();
    const FactorColumns& factor = factors[static_cast<std::size_t>(
        rng_->integer(static_cast<int>(factors.size())))];
    const int k = factor.first + rng_->integer(factor.count);
    const double gap = theta[k];
    Vector next = theta;
    next[0] += gap;
    next.segment(factor.first, factor.count).array() -= gap;
    next[k] = -gap;
    refresh_precision();
    const double log_l = evaluate(next);
    decide(log_l + log_coefficient_prior(next) - log_l_ -
               log_coefficient_prior(theta),
           next, log_l);
  }

  /// An elliptical slice of b under its normal prior given the hyperparameters.
  void ellipse() {
    refresh_precision();
    const Eigen::Index P = location_.size();
    const Vector from = theta.head(P) - location_, noise = prior_noise();
    const double level = log_l_ - rng_->exponential();
    double angle = 2.0 * kPi * rng_->uniform();
    double lower = angle - 2.0 * kPi, upper = angle;
    Vector next = theta;
    while (upper - lower > 1e-12) {
      next.head(P) =
          location_ + std::cos(angle) * from + std::sin(angle) * noise;
      const double log_l = evaluate(next);
      if (log_l > level) {
        theta = next;
        log_l_ = log_l;
        return;
      }
      (angle < 0.0 ? lower : upper) = angle;
      angle = lower + (upper - lower) * rng_->uniform();
    }
  }

  /// A slice of log tau_j at fixed b_j / tau_j, under the exact likelihood.
  void scale_slice() { scale_slice(rng_->integer(model_->n_columns()), kAll); }

  /// @param group the one that column j moves, or kAll.
  void scale_slice(int j, int group) {
    const double before = hyper_.tau[j];
    const Vector step = theta[j] / before * Vector::Unit(model_->size(), j);
    set_line(step, group);
    double last = log_l_;
    double height = log_l_ + hyper_.log_prior(before) + std::log(before);
    const double x = slice_sample_from(
        *rng_, std::log(before), height,
        [&](double t) {
          const double tau = std::exp(t);
          last = on_line(tau - before);
          return last + hyper_.log_prior(tau) + t;
        },
        2.0);
    if (x == std::log(before)) return;
    hyper_.tau[j] = std::exp(x);
    theta += (hyper_.tau[j] - before) * step;
    log_l_ = last;
  }

  /// A slice along a line of the surrogate's covariance.
  void slice() {
    const SurrogateConditional* normal = prepare(proposal_->lhat);
    if (normal == nullptr) return;
    slice_along(normal->direction(rng_->integer(model_->size())), 2.0);
  }

  /// A slice as wide as the prior along the line of a small group, and of the
  /// scale of its coefficient. The likelihood lets go of few records, so that
  /// their coefficients have the prior's tails, which no quadratic reaches.
  void group_slice(int k) {
    const LevelGroup& group = model_->groups()[static_cast<std::size_t>(k)];
    const int P = model_->n_columns();
    Vector pull = Vector::Zero(P);
    if (prior_.hierarchical) {
      for (int j = 0; j < P; ++j)
        if (group.step[j] != 0.0)
          pull +=
              group.step[j] / hyper_.tau[j] * hyper_.omega_precision().col(j);
      pull = pull.cwiseQuotient(hyper_.tau);
    } else {
      pull = precision_.diagonal().cwiseProduct(group.step);
    }
    Vector step = Vector::Zero(model_->size());
    step.head(P) = group.step;
    slice_along(step, crossing_->reference->scale(std::max(group.column, 0)),
                pull, k);
    if (prior_.hierarchical && group.column >= 0) scale_slice(group.column, k);
  }

 private:
  static constexpr int kAll = -1;  // in the place of a group

  void slice_along(const Vector& step, double width) {
    slice_along(step, width, precision_ * step.head(model_->n_columns()), kAll);
  }

  /// @param pull the prior's precision times the step of the coefficients.
  /// @param group the one that the step moves, or kAll.
  void slice_along(const Vector& step, double width, const Vector& pull,
                   int group) {
    const int P = model_->n_columns();
    const Vector shift = theta.head(P) - location_;
    const double slope = pull.dot(shift);
    const double curvature = pull.dot(step.head(P));
    set_line(step, group);
    // The last point looked at is the one that is kept.
    double last = log_l_, height = log_l_;
    const double t = slice_sample_from(
        *rng_, 0.0, height,
        [&](double x) {
          last = on_line(x);
          return last - x * (slope + 0.5 * x * curvature);
        },
        width);
    if (t == 0.0) return;
    theta += t * step;
    log_l_ = last;
  }

  /// theta + t step, on which on_line() is log L.
  void set_line(const Vector& step, int group) {
    line_group_ = group;
    if (group == kAll) {
      model_->set_line(theta, step);
    } else {
      model_->set_group_line(group, theta, step);
      others_ = log_l_ - model_->value_on_group_line(0.0);
    }
  }
  double on_line(double t) {
    return finite(line_group_ == kAll
                      ? model_->value_on_line(t)
                      : others_ + model_->value_on_group_line(t));
  }

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

  /// log tau_j given b_j under the prior, Omega at the identity: what
  /// joint_jump() proposes.
  TabulatedDensity scale_given(double b) const {
    const double size = std::log(std::max(std::fabs(b), 1e-100));
    const double scale = std::log(prior_.tau_scale);
    return TabulatedDensity(
        [&](double t) {
          return hyper_.log_prior(std::exp(t)) -
                 0.5 * square(b) * std::exp(-2.0 * t);
        },
        std::min(size, scale) - 1.0, std::max(size, scale) + 2.0, 40);
  }

  /// Target over proposal of joint_jump(), at the tau in place.
  double log_joint_ratio(const Vector& at, double log_l) {
    const CrossingMoves& by = *crossing_;
    refresh_precision();
    double out = log_l + log_coefficient_prior(at);
    for (int j = 0; j < hyper_.tau.size(); ++j) {
      const double t = std::log(hyper_.tau[j]);
      out += hyper_.log_prior(hyper_.tau[j]) + t -
             scale_given(at[j]).log_density(t);
    }
    const double parts[2] = {
        std::log(by.prior_weight) + by.reference->log_normalised(at),
        std::log(1.0 - by.prior_weight) + by.mixture.log_density(at)};
    return out - log_sum_exp(parts, 2);
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
  int line_group_ = kAll;
  double others_ = 0.0;  // log_l_ but for the group on the line
  double log_l_ = 0.0;
  long n_sweeps_ = 0;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_SAMPLER_SURROGATE_CHAIN_HPP
