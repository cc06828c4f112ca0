// Augmentation sampler for the pseudo posterior of a mixture of normal
// regressions, exact for any privacy weights.
//
// The target raises the marginal density s_i = sum_k w_ik, w_ik = pi_k N_ik, to
// alpha_i. With an indicator z_i per record it becomes
//   prior x prod_i s_i^(alpha_i - 1) w_(i z_i),
// for summing z_i out gives s_i^alpha_i back. Then z_i ~ r_i = w_i / s_i, and
// for everything else the target is the conditional of an ordinary mixture with
// powered records, prod_(z_i = k) w_ik^alpha_i, times exp(h) with
//   h = sum_i (1 - alpha_i) log r_(i z_i).
// Each block is proposed from its powered conditional, tilted by the slope of h
// at that conditional's mean, and accepted on what is left of h. Where all
// weights are 1, h = 0 and this is plain Gibbs sampling.
// Records of weight 0 take no part.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_AUGMENTATION_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_AUGMENTATION_HPP

#include <cmath>
#include <vector>

#include "../design/grouped_design.hpp"
#include "../records.hpp"
#include "../rng.hpp"
#include "../simd.hpp"
#include "mixture_passes.hpp"
#include "mixture_state.hpp"
#include "slice.hpp"

namespace pseudosynth {

/// Accepted and proposed moves of each kind, for the diagnostics.
struct MixtureAcceptance {
  long coefficients[2] = {0, 0};
  long sigma[2] = {0, 0};
  long pi[2] = {0, 0};
  long translation[2] = {0, 0};
  long level[2] = {0, 0};
};

class MixtureAugmentation {
 public:
  MixtureAugmentation(const Records& records, int K, const MixturePrior& prior,
                      Rng& rng)
      : records_(&records),
        design_(records.design),
        prior_(prior),
        rng_(&rng),
        K_(K),
        P_(records.design.n_columns()) {
    collect_records();
    allocate();
    start();
  }

  /// One sweep over all unknowns, exact for the target; or, with `corrected`
  /// false, for powered components, exp(h) left out. Chains start on these:
  /// with the corrections on from a random start they stick.
  void sweep(bool corrected = true) {
    corrected_ = corrected && any_fractional_;
    refresh_densities();
    draw_indicators();
    update_components();
    update_pi();
    update_gamma();
    if (prior_.shared) {
      update_shared_mean();
      update_tau();
      // Interweaving moves what the block updates already reach, only further;
      // now and then is enough.
      if (++n_sweeps_ % kInterweave == 0) {
        translate();
        if (!corrected_) rescale();
      }
    }
  }

  /// sum_i alpha_i f_i at the present state.
  double log_lik() {
    refresh_densities();
    double total = 0.0;
    for (int i = 0; i < n_; ++i) total += alpha_[i] * (log_s_[i] + shift_[i]);
    return total;
  }

  MixtureState state;
  MixtureAcceptance accepted;

  /// To be called after the state was replaced from outside.
  void state_changed() { refresh_all_residuals(); }

  // What the level moves work on.
  int n_records() const { return n_; }
  const std::vector<int>& rows() const { return row_; }
  double alpha(int i) const { return alpha_[i]; }
  double* residual(int k) { return residual_.data() + at(k); }
  const Design& design() const { return records_->design; }
  const MixturePrior& prior() const { return prior_; }
  Rng& rng() { return *rng_; }
  /// Prior location and scale of b given the hyperparameters.
  double prior_mean(int j) const { return prior_.shared ? state.m[j] : prior_.m0[j]; }
  double prior_scale(int j) const {
    return prior_.shared ? state.tau[j] : prior_.m_scale[j];
  }
  detail::ComponentDensity density(int k) const {
    return component(state.sigma[k]);
  }

 private:
  std::size_t at(int k) const { return static_cast<std::size_t>(k) * Np_; }

  static detail::ComponentDensity component(double sigma) {
    return {-std::log(sigma) - kHalfLogTwoPi, 1.0 / sigma};
  }

  void collect_records() {
    const int N = records_->size();
    for (int i = 0; i < N; ++i) {
      if (records_->alpha[i] == 0.0) continue;
      row_.push_back(records_->design.row()[i]);
      y_.push_back(records_->y[i]);
      any_fractional_ = any_fractional_ || records_->alpha[i] < 1.0;
    }
    n_ = static_cast<int>(row_.size());
    Np_ = std::max(8, (n_ + 7) / 8 * 8);
    alpha_.assign(Np_);
    rest_.assign(Np_);
    int kept = 0;
    for (int i = 0; i < N; ++i) {
      const double a = records_->alpha[i];
      if (a == 0.0) continue;
      alpha_[kept] = a;
      rest_[kept++] = 1.0 - a;
      total_alpha_ += a;
    }
  }

  void allocate() {
    const std::size_t all = static_cast<std::size_t>(K_) * Np_;
    residual_.assign(all);
    d_.assign(all);
    suffix_.assign(all);
    for (auto* buffer :
         {&s_, &log_s_, &shift_, &uniform_, &indicator_, &in_, &others_,
          &prefix_, &new_residual_, &new_d_, &new_log_s_, &slope_})
      buffer->assign(Np_);
    z_.assign(n_, 0);
    const int rows = design().n_rows();
    eta_.assign(rows, 0.0);
    entry_row_.assign(rows, 0);
    entry_weight_.assign(rows, 0.0);
    entry_value_.assign(rows, 0.0);
    xy_.setZero(P_);
    gram_.assign(K_, Matrix::Zero(P_, P_));
    members_.resize(K_);
    powered_count_.assign(K_, 0.0);
    pi_.setZero(K_);
  }

  /// Over-dispersed start around the ridge regression: components differ in
  /// intercept and scale. Finite for any data on a proper prior.
  void start() {
    state.K = K_;
    state.P = P_;
    state.m = prior_.m0;
    state.tau = Vector::Constant(P_, prior_.shared ? prior_.tau_scale : 1.0);
    state.gamma = 1.0;
    state.log_pi = Vector::Constant(K_, -std::log(K_));
    state.sigma.setOnes(K_);
    state.b = prior_.m0.replicate(1, K_);
    if (n_ > 0) {
      for (int i = 0; i < n_; ++i) members_[0].push_back(i);
      gather_members(0, [&](int i) { return y_[i]; });
      Matrix gram;
      Vector xy(P_);
      design_.cross_products(n_entries_, entry_row_.data(),
                             entry_weight_.data(), gram);
      design_.transpose_times(n_entries_, entry_row_.data(),
                              entry_value_.data(), xy.data());
      gram.diagonal() += prior_.m_scale.cwiseAbs2().cwiseInverse();
      xy += prior_.m_scale.cwiseAbs2().cwiseInverse().cwiseProduct(prior_.m0);
      const Vector ridge = gram.ldlt().solve(xy);
      state.m = prior_.shared ? ridge : prior_.m0;
      state.b = ridge.replicate(1, K_);
      design_.linear_predictor(ridge.data(), eta_.data());
      double squares = 0.0;
      for (int i = 0; i < n_; ++i)
        squares += alpha_[i] * square(y_[i] - eta_[row_[i]]);
      const double sd = std::sqrt(squares / total_alpha_) + 1e-8;
      for (int k = 0; k < K_; ++k) {
        state.sigma[k] =
            prior_.sigma_floor + sd * std::exp(rng_->normal() * 0.5 - 0.7);
        if (design().has_intercept()) state.b(0, k) += sd * 0.7 * rng_->normal();
      }
    }
    refresh_all_residuals();
  }

  void fill_residual(const double* b, double* out) {
    design_.linear_predictor(b, eta_.data());
    for (int i = 0; i < n_; ++i) out[i] = y_[i] - eta_[row_[i]];
  }
  void refresh_all_residuals() {
    for (int k = 0; k < K_; ++k) fill_residual(state.b.col(k).data(), residual(k));
  }

  /// shift, d, s and log s at the present state.
  void refresh_densities() {
    pi_ = state.log_pi.array().exp();
    std::fill(shift_.data(), shift_.data() + Np_, -kInfinity);
    s_.zero();
    for (int k = 0; k < K_; ++k)
      detail::raise_shift(Np_, residual(k), density(k), shift_.data());
    for (int k = 0; k < K_; ++k)
      detail::component_density(Np_, residual(k), density(k), pi_[k],
                                shift_.data(), d_.data() + at(k), s_.data());
    detail::log_pass(Np_, s_.data(), log_s_.data());
  }

  void draw_indicators() {
    for (int i = 0; i < n_; ++i) uniform_[i] = rng_->uniform();
    detail::draw_indicators(Np_, K_, d_.data(), pi_.data(), s_.data(),
                            uniform_.data(), indicator_.data());
    std::fill(powered_count_.begin(), powered_count_.end(), 0.0);
    for (auto& members : members_) members.clear();
    for (int i = 0; i < n_; ++i) {
      z_[i] = static_cast<int>(indicator_[i]);
      members_[z_[i]].push_back(i);
      powered_count_[z_[i]] += alpha_[i];
    }
  }

  int count(int k) const { return static_cast<int>(members_[k].size()); }

  void update_components() {
    if (corrected_) {
      // suffix_k = sum of pi_j d_j over j > k, prefix = over j < k: what the
      // other components give, without cancellation.
      for (int k = K_ - 2; k >= 0; --k) {
        const double* above = suffix_.data() + at(k + 1);
        const double* d = d_.data() + at(k + 1);
        double* out = suffix_.data() + at(k);
        for (int i = 0; i < Np_; ++i) out[i] = above[i] + pi_[k + 1] * d[i];
      }
      prefix_.zero();
    }
    for (int k = 0; k < K_; ++k) {
      if (corrected_) {
        in_.zero();
        for (int i : members_[k]) in_[i] = 1.0;
        const double* above = suffix_.data() + at(k);
        for (int i = 0; i < Np_; ++i) others_[i] = prefix_[i] + above[i];
      }
      update_coefficients(k);
      update_sigma(k);
      if (corrected_) {
        const double* d = d_.data() + at(k);
        for (int i = 0; i < Np_; ++i) prefix_[i] += pi_[k] * d[i];
      }
    }
  }

  /// The members of component k by design row: their summed weights and their
  /// weighted sums of value(i). Members are in row order.
  template <class Value>
  void gather_members(int k, Value&& value) {
    n_entries_ = 0;
    int previous = -1;
    for (int i : members_[k]) {
      if (row_[i] != previous) {
        previous = row_[i];
        entry_row_[n_entries_] = previous;
        entry_weight_[n_entries_] = 0.0;
        entry_value_[n_entries_] = 0.0;
        ++n_entries_;
      }
      entry_weight_[n_entries_ - 1] += alpha_[i];
      entry_value_[n_entries_ - 1] += alpha_[i] * value(i);
    }
  }

  /// out = X' v for one value per record.
  template <class Value>
  void sum_over_records(Value&& value, double* out) {
    n_entries_ = 0;
    int previous = -1;
    for (int i = 0; i < n_; ++i) {
      if (row_[i] != previous) {
        previous = row_[i];
        entry_row_[n_entries_] = previous;
        entry_value_[n_entries_] = 0.0;
        ++n_entries_;
      }
      entry_value_[n_entries_ - 1] += value(i);
    }
    design_.transpose_times(n_entries_, entry_row_.data(), entry_value_.data(),
                            out);
  }

  /// b_k from its powered normal conditional, tilted; then the correction.
  void update_coefficients(int k) {
    gather_members(k, [&](int i) { return y_[i]; });
    design_.cross_products(n_entries_, entry_row_.data(), entry_weight_.data(),
                           gram_[k]);
    design_.transpose_times(n_entries_, entry_row_.data(), entry_value_.data(),
                            xy_.data());
    const double precision = 1.0 / square(state.sigma[k]);
    Matrix Q = gram_[k] * precision;
    Vector rhs = xy_ * precision;
    for (int j = 0; j < P_; ++j) {
      const double prior_precision = 1.0 / square(prior_scale(j));
      Q(j, j) += prior_precision;
      rhs[j] += prior_precision * prior_mean(j);
    }
    const Eigen::LLT<Matrix> factor(Q);
    Vector mean = factor.solve(rhs);
    Vector tilt = Vector::Zero(P_);
    if (corrected_) {
      fill_residual(mean.data(), new_residual_.data());
      detail::correction_slope(Np_, pi_[k], new_residual_.data(), density(k),
                               others_.data(), shift_.data(), rest_.data(),
                               in_.data(), slope_.data());
      sum_over_records([&](int i) { return slope_[i]; }, tilt.data());
      mean += factor.solve(tilt);
    }
    Vector noise(P_);
    for (int j = 0; j < P_; ++j) noise[j] = rng_->normal();
    const Vector proposal = mean + factor.matrixU().solve(noise);
    fill_residual(proposal.data(), new_residual_.data());
    if (corrected_) {
      const double log_ratio =
          try_component(k, new_residual_.data(), density(k)) -
          tilt.dot(proposal - state.b.col(k));
      ++accepted.coefficients[1];
      if (!(std::log(rng_->uniform()) < log_ratio)) return;
      ++accepted.coefficients[0];
      keep_component(k);
    }
    state.b.col(k) = proposal;
    std::copy(new_residual_.data(), new_residual_.data() + Np_, residual(k));
  }

  /// sigma_k by slice sampling of its powered conditional, then the correction.
  void update_sigma(int k) {
    double squares = 0.0;
    const double* e = residual(k);
    for (int i : members_[k]) squares += alpha_[i] * e[i] * e[i];
    const double n = powered_count_[k];
    // On u = log sigma; the Jacobian is u.
    auto log_density = [&](double u) {
      const double sigma = std::exp(u);
      return -(n - 1.0) * u - 0.5 * squares / (sigma * sigma) -
             2.0 * std::log1p(sigma * sigma / 3.0);
    };
    const double lower =
        prior_.sigma_floor > 0 ? std::log(prior_.sigma_floor) : -kInfinity;
    const double width = n > 4 ? 3.0 / std::sqrt(2.0 * n) : 1.0;
    const double u = slice_sample(*rng_, std::log(state.sigma[k]), log_density,
                                  width, lower);
    const double sigma = std::max(std::exp(u), prior_.sigma_floor);
    if (corrected_) {
      const double log_ratio = try_component(k, residual(k), component(sigma));
      ++accepted.sigma[1];
      if (!(std::log(rng_->uniform()) < log_ratio)) return;
      ++accepted.sigma[0];
      keep_component(k);
    }
    state.sigma[k] = sigma;
  }

  /// Change of h if component k had this residual and density.
  double try_component(int k, const double* new_residual,
                       detail::ComponentDensity new_density) {
    detail::CorrectionPass pass{Np_,
                                pi_[k],
                                new_residual,
                                new_density,
                                residual(k),
                                density(k),
                                others_.data(),
                                shift_.data(),
                                log_s_.data(),
                                rest_.data(),
                                in_.data(),
                                new_d_.data(),
                                new_log_s_.data(),
                                0.0};
    detail::correction_pass(pass);
    return pass.change;
  }
  void keep_component(int k) {
    std::copy(new_d_.data(), new_d_.data() + Np_, d_.data() + at(k));
    std::copy(new_log_s_.data(), new_log_s_.data() + Np_, log_s_.data());
  }

  void update_pi() {
    // Proposal Dirichlet(gamma/K + c), c the counts less what the correction
    // takes away at the powered mean of pi.
    Vector c(K_);
    for (int k = 0; k < K_; ++k) c[k] = count(k);
    if (corrected_) {
      Vector powered_mean(K_);
      for (int k = 0; k < K_; ++k)
        powered_mean[k] = (state.gamma / K_ + powered_count_[k]) /
                          (state.gamma + total_alpha_);
      Vector taken = Vector::Zero(K_);
      detail::weighted_responsibility(Np_, K_, d_.data(), powered_mean.data(),
                                      rest_.data(), taken.data());
      c = (c - taken).cwiseMax(0.0);
    } else {
      for (int k = 0; k < K_; ++k) c[k] = powered_count_[k];
    }
    Vector log_pi(K_);
    for (int k = 0; k < K_; ++k)
      log_pi[k] = rng_->log_gamma_draw(state.gamma / K_ + c[k]);
    log_pi.array() -= log_sum_exp(log_pi.data(), K_);
    if (corrected_) {
      const Vector pi = log_pi.array().exp();
      detail::mix_densities(Np_, K_, d_.data(), pi.data(), s_.data());
      detail::log_pass(Np_, s_.data(), new_log_s_.data());
      double difference;
      detail::weighted_difference(Np_, rest_.data(), new_log_s_.data(),
                                  log_s_.data(), difference);
      double log_ratio = -difference;
      for (int k = 0; k < K_; ++k) {
        if (count(k) > 0 || c[k] > 0)
          log_ratio += (count(k) - c[k]) * (log_pi[k] - state.log_pi[k]);
      }
      ++accepted.pi[1];
      if (!(std::log(rng_->uniform()) < log_ratio)) return;
      ++accepted.pi[0];
      std::copy(new_log_s_.data(), new_log_s_.data() + Np_, log_s_.data());
    }
    state.log_pi = log_pi;
    pi_ = state.log_pi.array().exp();
  }

  void update_gamma() {
    const double sum_log_pi = state.log_pi.sum();
    auto log_density = [&](double u) {
      const double gamma = std::exp(u);
      return log_gamma(gamma) - K_ * log_gamma(gamma / K_) +
             gamma / K_ * sum_log_pi - gamma + u;
    };
    state.gamma = std::exp(
        slice_sample(*rng_, std::log(state.gamma), log_density, 1.0));
  }

  void update_shared_mean() {
    for (int j = 0; j < P_; ++j) {
      const double weight = 1.0 / square(state.tau[j]);
      const double prior_weight = 1.0 / square(prior_.m_scale[j]);
      const double precision = K_ * weight + prior_weight;
      const double mean =
          (state.b.row(j).sum() * weight + prior_.m0[j] * prior_weight) /
          precision;
      state.m[j] = mean + rng_->normal() / std::sqrt(precision);
    }
  }

  /// tau_j given the b_k and m, by slice sampling of u = log tau_j.
  void update_tau() {
    for (int j = 0; j < P_; ++j) {
      const double squares = (state.b.row(j).array() - state.m[j]).square().sum();
      state.tau[j] = std::exp(slice_sample(
          *rng_, std::log(state.tau[j]),
          [&](double u) {
            return log_tau_prior(u) - K_ * u - 0.5 * squares * std::exp(-2.0 * u);
          },
          1.0));
    }
  }
  /// log density of u = log tau, half-t with tau_df degrees of freedom.
  double log_tau_prior(double u) const {
    const double z = std::exp(u) / prior_.tau_scale;
    return u - 0.5 * (prior_.tau_df + 1.0) * std::log1p(z * z / prior_.tau_df);
  }

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
    const Eigen::LLT<Matrix> factor(Q);
    Vector mean = factor.solve(rhs);
    Vector tilt = Vector::Zero(P_);
    if (corrected_) {
      tilt = translation_slope(mean);
      mean += factor.solve(tilt);
    }
    Vector noise(P_);
    for (int j = 0; j < P_; ++j) noise[j] = rng_->normal();
    const Vector move = mean + factor.matrixU().solve(noise);
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

  /// h at the present densities.
  double correction_sum() const {
    double h = 0.0;
    for (int i = 0; i < n_; ++i) {
      if (rest_[i] == 0.0) continue;
      const int k = z_[i];
      const detail::ComponentDensity c = density(k);
      const double z = residual_[at(k) + i] * c.inv_sigma;
      h += rest_[i] * (state.log_pi[k] + c.offset - 0.5 * z * z - shift_[i] -
                       log_s_[i]);
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
          const double own = (residual_[at(k) + i] - eta[row_[i]]) /
                             square(state.sigma[k]);
          return rest_[i] * (own - slope_[i] / (others_[i] + 1e-300));
        },
        out.data());
    return out;
  }

  /// tau_j and all b_kj - m_j scaled together (interweaving; used where h = 0):
  /// with xi_kj = (b_kj - m_j) / tau_j fixed the likelihood is normal in tau_j.
  void rescale() {
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
    for (int j = 0; j < P_; ++j) {
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
            return log_tau_prior(u) + slope * change -
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

  static constexpr int kInterweave = 3;

  const Records* records_;
  GroupedDesign design_;
  MixturePrior prior_;
  Rng* rng_;
  int K_;
  int P_;
  int n_ = 0;   // records of positive weight
  int Np_ = 0;  // padded to whole vectors
  bool any_fractional_ = false;
  bool corrected_ = false;
  long n_sweeps_ = 0;
  double total_alpha_ = 0.0;

  std::vector<int> row_, z_;
  std::vector<std::vector<int>> members_;  // records of each component
  std::vector<double> y_, eta_, powered_count_;
  int n_entries_ = 0;  // design rows gathered for a cross product
  std::vector<int> entry_row_;
  std::vector<double> entry_weight_, entry_value_;
  simd::AlignedBuffer alpha_, rest_;
  simd::AlignedBuffer residual_, d_, suffix_;  // K x Np, component-major
  simd::AlignedBuffer s_, log_s_, shift_, uniform_, indicator_, in_, others_,
      prefix_, new_residual_, new_d_, new_log_s_, slope_;
  std::vector<Matrix> gram_;  // X_k' A_k X_k
  Vector xy_, pi_;
};

}  // namespace pseudosynth

#endif
