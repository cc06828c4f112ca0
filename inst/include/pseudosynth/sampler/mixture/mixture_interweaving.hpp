// Interweaving for the mixture (Yu and Meng 2011): moves of the shared
// hyperparameters that take the coefficients along, so that m and tau do not
// wait for K coefficient vectors to follow one by one.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_INTERWEAVING_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_INTERWEAVING_HPP

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../cholesky.hpp"
#include "../slice.hpp"
#include "mixture_block.hpp"
#include "mixture_constants.hpp"

namespace pseudosynth {

class MixtureInterweaving : MixtureBlock {
 public:
  /// @param given must outlive this object.
  explicit MixtureInterweaving(MixtureIndicators& given)
      : MixtureBlock(given),
        eta_(chain_->design().n_rows(), 0.0),
        log_term_(K_, 0.0) {
    for (auto* buffer : {&mixed_, &slope_, &new_residual_, &new_d_})
      buffer->assign(Np_);
  }

  /// Moves m and all b_k together. Given z the powered conditional of the move
  /// is normal; tilted and corrected like a component.
  void translate() {
    Matrix Q = Matrix::Zero(P_, P_);
    Vector rhs(P_);
    for (int j = 0; j < P_; ++j) {
      const double weight = 1.0 / square(chain_->prior().m_scale[j]);
      Q(j, j) = weight;
      rhs[j] = -weight * (chain_->state.m[j] - chain_->prior().m0[j]);
    }
    for (int k = 0; k < K_; ++k) {
      if (given_->count(k) > 0)
        Q += given_->gram(k) / square(chain_->state.sigma[k]);
    }
    Vector score(P_);
    given_->sum_over_records(
        [&](int i) {
          const int k = given_->component(i);
          return chain_->alpha(i) * chain_->residual(k)[i] /
                 square(chain_->state.sigma[k]);
        },
        score.data());
    rhs += score;
    const Cholesky factor(Q);
    Vector mean = factor.solve(rhs);
    Vector tilt = Vector::Zero(P_);
    if (given_->corrected()) {
      tilt = translation_slope(mean);
      mean += factor.solve(tilt);
    }
    Vector noise(P_);
    for (int j = 0; j < P_; ++j) noise[j] = chain_->rng().normal();
    factor.solve_upper(noise.data());
    const Vector move = mean + noise;
    chain_->grouped_design().linear_predictor(move.data(), eta_.data());
    if (given_->corrected()) {
      ++chain_->accepted.translation[1];
      const double before = correction_sum();
      shift_residuals(1.0);
      chain_->refresh_densities();
      const double log_ratio = correction_sum() - before - tilt.dot(move);
      if (!(std::log(chain_->rng().uniform()) < log_ratio)) {
        shift_residuals(-1.0);
        // The densities are formed anew at the start of the next sweep.
        return;
      }
      ++chain_->accepted.translation[0];
    } else {
      shift_residuals(1.0);
    }
    chain_->state.m += move;
    chain_->state.b.colwise() += move;
  }

  /// tau_j and all b_kj - m_j scaled together, column by column: with
  /// xi_kj = (b_kj - m_j) / tau_j fixed the powered likelihood is normal in
  /// tau_j. Columns come in random order, which makes the whole reversible, as
  /// the correction requires; where there is one, only a few at a time, so that
  /// it accepts them.
  void rescale() {
    std::vector<int> columns(P_);
    for (int j = 0; j < P_; ++j) columns[j] = j;
    for (int j = P_ - 1; j > 0; --j)
      std::swap(columns[j], columns[chain_->rng().integer(j + 1)]);
    if (!given_->corrected()) {
      rescale_columns(columns);
      return;
    }
    columns.resize(std::min(P_, MixtureConstants::kRescaled));
    const Matrix b = chain_->state.b;
    const Vector tau = chain_->state.tau;
    chain_->refresh_densities();
    const double before = correction_sum();
    rescale_columns(columns);
    chain_->refresh_densities();
    ++chain_->accepted.scaling[1];
    if (std::log(chain_->rng().uniform()) < correction_sum() - before) {
      ++chain_->accepted.scaling[0];
      return;
    }
    chain_->state.b = b;
    chain_->state.tau = tau;
    // The densities are formed anew at the start of the next sweep.
    chain_->state_changed();
  }

 private:
  void rescale_columns(const std::vector<int>& columns) {
    // score_k = X_k' A_k e_k / sigma_k^2 by component.
    Matrix score(P_, K_);
    for (int k = 0; k < K_; ++k) {
      if (given_->count(k) == 0) {
        score.col(k).setZero();
        continue;
      }
      const double* e = chain_->residual(k);
      given_->gather(k, [&](int i) { return e[i]; });
      given_->transpose_times(score.col(k).data());
      score.col(k) /= square(chain_->state.sigma[k]);
    }
    for (int j : columns) {
      const double tau = chain_->state.tau[j];
      double curvature = 0.0, slope = 0.0;
      Vector xi(K_);
      for (int k = 0; k < K_; ++k) {
        xi[k] = (chain_->state.b(j, k) - chain_->state.m[j]) / tau;
        if (given_->count(k) == 0) continue;
        curvature += square(xi[k]) * given_->gram(k)(j, j) /
                     square(chain_->state.sigma[k]);
        slope += xi[k] * score(j, k);
      }
      const double fresh = std::exp(slice_sample(
          chain_->rng(), std::log(tau),
          [&](double u) {
            const double change = std::exp(u) - tau;
            return chain_->tau_prior().log_density_log(u) + slope * change -
                   0.5 * curvature * change * change;
          },
          MixtureConstants::kLogWidth));
      chain_->state.tau[j] = fresh;
      for (int k = 0; k < K_; ++k) {
        const double move = xi[k] * (fresh - tau);
        chain_->state.b(j, k) += move;
        if (given_->count(k) > 0)
          score.col(k) -=
              given_->gram(k).col(j) * (move / square(chain_->state.sigma[k]));
      }
    }
    chain_->state_changed();
  }

  void shift_residuals(double sign) {
    for (int k = 0; k < K_; ++k) {
      double* e = chain_->residual(k);
      for (int i = 0; i < n_; ++i) e[i] -= sign * eta_[chain_->rows()[i]];
    }
  }

  /// h at the present densities.
  double correction_sum() {
    double h = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (chain_->rest()[i] == 0.0) continue;
      if (!(chain_->log_s()[i] < kInfinity)) {
        h += chain_->rest()[i] * given_->log_share(i, chain_->log_terms(i));
        continue;
      }
      const int k = given_->component(i);
      const detail::ComponentDensity c = chain_->density(k);
      const double z = chain_->residual(k)[i] * c.inv_sigma;
      h += chain_->rest()[i] *
           (chain_->state.log_pi[k] + c.offset - 0.5 * z * z -
            chain_->shift()[i] - chain_->log_s()[i]);
    }
    return h;
  }

  /// Gradient of h in a common move of all b_k, at move = `where`.
  Vector translation_slope(const Vector& where) {
    chain_->grouped_design().linear_predictor(where.data(), eta_.data());
    const std::vector<double>& eta = eta_;
    mixed_.zero();
    slope_.zero();
    // sum_k r_ik e_ik / sigma_k^2, with r at the moved state.
    for (int k = 0; k < K_; ++k) {
      double* e = chain_->residual(k);
      for (int i = 0; i < n_; ++i)
        new_residual_[i] = e[i] - eta[chain_->rows()[i]];
      detail::component_density(Np_, new_residual_.data(), chain_->density(k),
                                chain_->pi(k), chain_->shift(), new_d_.data(),
                                mixed_.data());
      const double factor = chain_->pi(k) / square(chain_->state.sigma[k]);
      for (int i = 0; i < Np_; ++i)
        slope_[i] += factor * new_d_[i] * new_residual_[i];
    }
    Vector out(P_);
    given_->sum_over_records(
        [&](int i) {
          if (chain_->rest()[i] == 0.0) return 0.0;
          const int k = given_->component(i);
          const double move = eta[chain_->rows()[i]];
          const double own =
              (chain_->residual(k)[i] - move) / square(chain_->state.sigma[k]);
          const bool usable = mixed_[i] > detail::kSmallestSum &&
                              mixed_[i] < detail::kLargestSum;
          return chain_->rest()[i] * (own - (usable ? slope_[i] / mixed_[i]
                                                    : moved_score(i, move)));
        },
        out.data());
    return out;
  }

  /// sum_k r_ik e_ik / sigma_k^2 of a record from its logs, the residuals less
  /// `move`.
  double moved_score(int i, double move) {
    for (int k = 0; k < K_; ++k)
      log_term_[k] =
          MixtureChain::log_term(chain_->state.log_pi[k], chain_->density(k),
                                 chain_->residual(k)[i] - move);
    const double total = log_sum_exp(log_term_.data(), K_);
    double score = 0.0;
    for (int k = 0; k < K_; ++k)
      score += std::exp(log_term_[k] - total) *
               (chain_->residual(k)[i] - move) / square(chain_->state.sigma[k]);
    return score;
  }

  std::vector<double> eta_, log_term_;
  simd::AlignedBuffer mixed_, slope_, new_residual_, new_d_;
};

}  // namespace pseudosynth

#endif
