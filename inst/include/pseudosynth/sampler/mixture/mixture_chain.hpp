// Where a chain of the mixture is: the records of positive weight, the state,
// and per record the residuals from all components and their densities. Every
// move is an object of its own that works on a chain.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_CHAIN_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_CHAIN_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../count_of.hpp"
#include "../../design/grouped_design.hpp"
#include "../../math.hpp"
#include "../../prior/half_t.hpp"
#include "../../records.hpp"
#include "../../rng.hpp"
#include "../../simd.hpp"
#include "mixture_density_pass.hpp"
#include "mixture_mass_pass.hpp"
#include "mixture_state.hpp"

namespace pseudosynth {

/// Accepted and proposed moves of each kind, for the diagnostics.
struct MixtureAcceptance {
  long coefficients[2] = {0, 0};
  long sigma[2] = {0, 0};
  long pi[2] = {0, 0};
  long level[2] = {0, 0};
  long shared[2] = {0, 0};
  long hamiltonian[2] = {0, 0};
};

class MixtureChain {
 public:
  MixtureChain(const Records& records, int K, const MixturePrior& prior,
               Rng& rng)
      : records_(&records),
        design_(records.design),
        prior_(prior),
        tau_prior_(prior.tau_df, prior.tau_scale),
        rng_(&rng),
        K_(K),
        P_(records.design.n_columns()) {
    collect_records();
    const std::size_t all = static_cast<std::size_t>(K_) * Np_;
    residual_.assign(all);
    d_.assign(all);
    for (auto* buffer : {&s_, &log_s_, &shift_, &others_, &new_log_s_})
      buffer->assign(Np_);
    eta_.assign(design().n_rows(), 0.0);
    log_term_.assign(K_, 0.0);
    pi_.setZero(K_);
    state.K = K_;
    state.P = P_;
  }

  /// sum_i alpha_i f_i at the present state.
  double log_lik() {
    refresh_densities();
    double total = 0.0;
    for (int i = 0; i < n_; ++i)
      total +=
          alpha_[i] * (log_s_[i] < kInfinity ? log_s_[i] + shift_[i]
                                             : log_sum_exp(log_terms(i), K_));
    return total;
  }

  MixtureState state;
  MixtureAcceptance accepted;

  /// Metropolis: the state stays as it has become, or is what it was at the
  /// start of a move. Its densities are refreshed either way.
  /// @param count of moves: accepted, all.
  void decide(double log_ratio, const MixtureState& start, long (&count)[2]) {
    ++count[1];
    if (std::isfinite(log_ratio) && std::log(rng_->uniform()) < log_ratio) {
      ++count[0];
      return;
    }
    state = start;
    state_changed();
    refresh_densities();
  }

  /// To be called after the coefficients were replaced from outside.
  void state_changed() {
    for (int k = 0; k < K_; ++k)
      fill_residual(state.b.col(k).data(), residual(k));
  }
  /// y - X b of all records.
  void fill_residual(const double* b, double* out) {
    design_.linear_predictor(b, eta_.data());
    for (int i = 0; i < n_; ++i) out[i] = y_[i] - eta_[row_[i]];
  }

  int n_records() const { return n_; }
  double y(int i) const { return y_[i]; }
  const std::vector<int>& rows() const { return row_; }
  double alpha(int i) const { return alpha_[i]; }
  double* residual(int k) { return residual_.data() + at(k); }
  const Design& design() const { return records_->design; }
  /// The same, for passes over many rows.
  const GroupedDesign& grouped_design() const { return design_; }
  const MixturePrior& prior() const { return prior_; }
  Rng& rng() { return *rng_; }
  /// Prior location and scale of b given the hyperparameters.
  double prior_mean(int j) const {
    return prior_.shared ? state.m[j] : prior_.m0[j];
  }
  double prior_scale(int j) const {
    return prior_.shared ? state.tau[j] : prior_.m_scale[j];
  }
  const HalfT& sigma_prior() const { return sigma_prior_; }
  const HalfT& tau_prior() const { return tau_prior_; }
  static detail::ComponentDensity component(double sigma) {
    return {-std::log(sigma) - kHalfLogTwoPi, 1.0 / sigma};
  }
  detail::ComponentDensity density(int k) const {
    return component(state.sigma[k]);
  }

  // What the moves with the indicators summed out work on: densities relative
  // to the shifts. They are of the present state from refresh_densities() on,
  // as long as every change is told.
  int n_padded() const { return Np_; }
  double total_alpha() const { return total_alpha_; }
  bool any_fractional() const { return any_fractional_; }
  double pi(int k) const { return pi_[k]; }
  const Vector& pi() const { return pi_; }
  const double* alpha() const { return alpha_.data(); }
  /// 1 - alpha
  const double* rest() const { return rest_.data(); }
  const double* shift() const { return shift_.data(); }
  double* d(int k) { return d_.data() + at(k); }
  double* sums() { return s_.data(); }
  double* log_s() { return log_s_.data(); }
  /// The sum of pi d over all components but j and k.
  void mix_others(int j, int k) {
    others_.zero();
    for (int q = 0; q < K_; ++q) {
      if (q != j && q != k)
        detail::add_scaled(Np_, pi_[q], d(q), others_.data());
    }
  }
  const double* others() const { return others_.data(); }
  /// Residuals, weight or scale of component k were changed from outside.
  void component_changed(int k) {
    pi_[k] = std::exp(state.log_pi[k]);
    detail::component_density(Np_, residual(k), density(k), pi_[k],
                              shift_.data(), d_.data() + at(k), s_.data());
  }
  void weights_changed() { pi_ = state.log_pi.array().exp(); }

  // What is done for the records whose log sums are marked: no shift, but all K
  // logs of record i, for the caller to change and to add up.
  static double log_term(double log_pi, detail::ComponentDensity c, double e) {
    const double z = e * c.inv_sigma;
    return log_pi + (c.offset - 0.5 * z * z);
  }
  /// log pi_k + log density of record i at the present state, in a buffer that
  /// the next call overwrites.
  double* log_terms(int i) {
    for (int k = 0; k < K_; ++k)
      log_term_[k] = log_term(state.log_pi[k], density(k), residual(k)[i]);
    return log_term_.data();
  }
  double* log_sums() { return new_log_s_.data(); }
  /// sum_i alpha_i log_sums()_i where some are marked: exact(i) gives the log
  /// sum from its logs, less what is the same in every call.
  template <class Exact>
  double careful_sum(Exact&& exact) {
    double total = 0.0;
    for (int i = 0; i < n_; ++i)
      total += alpha_[i] *
               (new_log_s_[i] < kInfinity ? new_log_s_[i] : exact(i) - base(i));
    return total;
  }

  /// shift, d, s and log s at the present state.
  void refresh_densities() {
    pi_ = state.log_pi.array().exp();
    std::fill(shift_.data(), shift_.data() + Np_, -kInfinity);
    s_.zero();
    for (int k = 0; k < K_; ++k)
      detail::raise_shift(Np_, residual(k), density(k), shift_.data());
    detail::drop_low_shifts(Np_, shift_.data());
    for (int k = 0; k < K_; ++k)
      detail::component_density(Np_, residual(k), density(k), pi_[k],
                                shift_.data(), d_.data() + at(k), s_.data());
    detail::log_pass(Np_, s_.data(), log_s_.data());
  }

 private:
  std::size_t at(int k) const { return static_cast<std::size_t>(k) * Np_; }
  /// What log sums are relative to.
  double base(int i) const { return shift_[i] == shift_[i] ? shift_[i] : 0.0; }

  /// An exponent above 1 is that of several equal records: each part has an
  /// indicator of its own, so that corrections stay small. They are exact for
  /// any exponent, and parts are at most twice as many as records: exponents of
  /// a mean of 1 need no more.
  void collect_records() {
    const std::vector<double>& alpha = records_->alpha;
    const int N = records_->size();
    int positive = 0;
    for (int i = 0; i < N; ++i) {
      total_alpha_ += alpha[i];
      positive += alpha[i] > 0.0 ? 1 : 0;
    }
    const double room = std::min(1.0, positive / total_alpha_);
    std::vector<double> exponent;
    for (int i = 0; i < N; ++i) {
      if (alpha[i] == 0.0) continue;
      const int parts =
          std::max(1, static_cast<int>(std::ceil(alpha[i] * room)));
      for (int part = 0; part < parts; ++part) {
        row_.push_back(records_->design.row()[i]);
        y_.push_back(records_->y[i]);
        exponent.push_back(alpha[i] / parts);
      }
      any_fractional_ = any_fractional_ || exponent.back() != 1.0;
    }
    n_ = count_of(row_);
    Np_ = std::max(8, (n_ + 7) / 8 * 8);
    alpha_.assign(Np_);
    rest_.assign(Np_);
    for (int i = 0; i < n_; ++i) {
      alpha_[i] = exponent[i];
      rest_[i] = 1.0 - exponent[i];
    }
  }

  const Records* records_;
  GroupedDesign design_;
  MixturePrior prior_;
  HalfT sigma_prior_{3.0, 1.0}, tau_prior_;
  Rng* rng_;
  int K_;
  int P_;
  int n_ = 0;   // records of positive weight, or their parts
  int Np_ = 0;  // padded to whole vectors
  bool any_fractional_ = false;
  double total_alpha_ = 0.0;

  std::vector<int> row_;
  std::vector<double> y_, eta_, log_term_;
  simd::AlignedBuffer alpha_, rest_;
  simd::AlignedBuffer residual_, d_;  // K x Np, component-major
  simd::AlignedBuffer s_, log_s_, shift_, others_, new_log_s_;
  Vector pi_;
};

}  // namespace pseudosynth

#endif
