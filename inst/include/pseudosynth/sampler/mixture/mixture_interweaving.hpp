// Interweaving for the mixture (Yu and Meng 2011): moves of the shared
// hyperparameters that take the coefficients along, so that m and tau do not
// wait for K coefficient vectors to follow one by one.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_INTERWEAVING_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_INTERWEAVING_HPP

#include "../../cholesky.hpp"
#include "../slice.hpp"
#include "mixture_workspace.hpp"

namespace pseudosynth {

class MixtureInterweaving : public MixtureWorkspace {
 protected:
  using MixtureWorkspace::MixtureWorkspace;

  /// Moves m and all b_k together. Given z the powered conditional of the move
  /// is normal; tilted and corrected like a component.
  void translate() {
    Matrix Q = Matrix::Zero(P_, P_);
    Vector rhs(P_);
    for (int j = 0; j < P_; ++j) {
      const double weight = 1.0 / square(prior_.m_scale[j]);
      Q(j, j) = weight;
      rhs[j] = -weight * (state.m[j] - prior_.m0[j]);
    }
    for (int k = 0; k < K_; ++k) {
      if (count(k) > 0) Q += gram_[k] / square(state.sigma[k]);
    }
    Vector score(P_);
    sum_over_records(
        [&](int i) {
          const int k = z_[i];
          return alpha_[i] * residual_[at(k) + i] / square(state.sigma[k]);
        },
        score.data());
    rhs += score;
    const Cholesky factor(Q);
    Vector mean = factor.solve(rhs);
    Vector tilt = Vector::Zero(P_);
    if (corrected_) {
      tilt = translation_slope(mean);
      mean += factor.solve(tilt);
    }
    Vector noise(P_);
    for (int j = 0; j < P_; ++j) noise[j] = rng_->normal();
    factor.solve_upper(noise.data());
    const Vector move = mean + noise;
    design_.linear_predictor(move.data(), eta_.data());
    if (corrected_) {
      ++accepted.translation[1];
      const double before = correction_sum();
      shift_residuals(1.0);
      refresh_densities();
      const double log_ratio = correction_sum() - before - tilt.dot(move);
      if (!(std::log(rng_->uniform()) < log_ratio)) {
        shift_residuals(-1.0);
        // The densities are formed anew at the start of the next sweep.
        return;
      }
      ++accepted.translation[0];
    } else {
      shift_residuals(1.0);
    }
    state.m += move;
    state.b.colwise() += move;
  }

  void shift_residuals(double sign) {
    for (int k = 0; k < K_; ++k) {
      double* e = residual(k);
      for (int i = 0; i < n_; ++i) e[i] -= sign * eta_[row_[i]];
    }
  }

  /// log r_(i z_i) of a record from its logs; `term` leaves changed.
  double log_share(int i, double* term) const {
    const double own = term[z_[i]];
    for (int k = 0; k < K_; ++k) term[k] -= own;
    return -log_sum_exp(term, K_);
  }

  /// h at the present densities.
  double correction_sum() {
    double h = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (rest_[i] == 0.0) continue;
      if (!(log_s_[i] < kInfinity)) {
        h += rest_[i] * log_share(i, log_terms(i));
        continue;
      }
      const int k = z_[i];
      const detail::ComponentDensity c = density(k);
      const double z = residual_[at(k) + i] * c.inv_sigma;
      h += rest_[i] *
           (state.log_pi[k] + c.offset - 0.5 * z * z - shift_[i] - log_s_[i]);
    }
    return h;
  }

  /// Gradient of h in a common move of all b_k, at move = `where`.
  Vector translation_slope(const Vector& where) {
    design_.linear_predictor(where.data(), eta_.data());
    const std::vector<double>& eta = eta_;
    others_.zero();
    slope_.zero();
    // sum_k r_ik e_ik / sigma_k^2, with r at the moved state.
    for (int k = 0; k < K_; ++k) {
      double* e = residual(k);
      for (int i = 0; i < n_; ++i) new_residual_[i] = e[i] - eta[row_[i]];
      detail::component_density(Np_, new_residual_.data(), density(k), pi_[k],
                                shift_.data(), new_d_.data(), others_.data());
      const double factor = pi_[k] / square(state.sigma[k]);
      for (int i = 0; i < Np_; ++i)
        slope_[i] += factor * new_d_[i] * new_residual_[i];
    }
    Vector out(P_);
    sum_over_records(
        [&](int i) {
          if (rest_[i] == 0.0) return 0.0;
          const int k = z_[i];
          const double move = eta[row_[i]];
          const double own =
              (residual_[at(k) + i] - move) / square(state.sigma[k]);
          const bool usable = others_[i] > detail::kSmallestSum &&
                              others_[i] < detail::kLargestSum;
          return rest_[i] * (own - (usable ? slope_[i] / others_[i]
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
          log_term(state.log_pi[k], density(k), residual(k)[i] - move);
    const double total = log_sum_exp(log_term_.data(), K_);
    double score = 0.0;
    for (int k = 0; k < K_; ++k)
      score += std::exp(log_term_[k] - total) * (residual(k)[i] - move) /
               square(state.sigma[k]);
    return score;
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
      std::swap(columns[j], columns[rng_->integer(j + 1)]);
    if (!corrected_) {
      rescale_columns(columns);
      return;
    }
    columns.resize(std::min(P_, kRescaled));
    const Matrix b = state.b;
    const Vector tau = state.tau;
    refresh_densities();
    const double before = correction_sum();
    rescale_columns(columns);
    refresh_densities();
    ++accepted.scaling[1];
    if (std::log(rng_->uniform()) < correction_sum() - before) {
      ++accepted.scaling[0];
      return;
    }
    state.b = b;
    state.tau = tau;
    // The densities are formed anew at the start of the next sweep.
    refresh_all_residuals();
  }

  // Columns a corrected move takes on.
  static constexpr int kRescaled = 16;

  void rescale_columns(const std::vector<int>& columns) {
    // score_k = X_k' A_k e_k / sigma_k^2 by component.
    Matrix score(P_, K_);
    for (int k = 0; k < K_; ++k) {
      if (count(k) == 0) {
        score.col(k).setZero();
        continue;
      }
      const double* e = residual(k);
      gather_members(k, [&](int i) { return e[i]; });
      design_.transpose_times(n_entries_, entry_row_.data(),
                              entry_value_.data(), score.col(k).data());
      score.col(k) /= square(state.sigma[k]);
    }
    for (int j : columns) {
      const double tau = state.tau[j];
      double curvature = 0.0, slope = 0.0;
      Vector xi(K_);
      for (int k = 0; k < K_; ++k) {
        xi[k] = (state.b(j, k) - state.m[j]) / tau;
        if (count(k) == 0) continue;
        curvature += square(xi[k]) * gram_[k](j, j) / square(state.sigma[k]);
        slope += xi[k] * score(j, k);
      }
      const double fresh = std::exp(slice_sample(
          *rng_, std::log(tau),
          [&](double u) {
            const double change = std::exp(u) - tau;
            return tau_prior_.log_density_log(u) + slope * change -
                   0.5 * curvature * change * change;
          },
          1.0));
      state.tau[j] = fresh;
      for (int k = 0; k < K_; ++k) {
        const double move = xi[k] * (fresh - tau);
        state.b(j, k) += move;
        if (count(k) > 0)
          score.col(k) -= gram_[k].col(j) * (move / square(state.sigma[k]));
      }
    }
    refresh_all_residuals();
  }
};

}  // namespace pseudosynth

#endif
