// What the augmentation sampler of the mixture adds to the densities:
// indicators, the members of each component and sums over them.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_WORKSPACE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_WORKSPACE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../../cholesky.hpp"
#include "../../math.hpp"
#include "../../simd.hpp"
#include "mixture_densities.hpp"

namespace pseudosynth {

class MixtureWorkspace : public MixtureDensities {
 public:
  MixtureWorkspace(const Records& records, int K, const MixturePrior& prior,
                   Rng& rng)
      : MixtureDensities(records, K, prior, rng) {
    suffix_.assign(static_cast<std::size_t>(K_) * Np_);
    for (auto* buffer : {&uniform_, &indicator_, &in_, &prefix_, &new_residual_,
                         &new_d_, &slope_})
      buffer->assign(Np_);
    z_.assign(n_, 0);
    const int rows = design().n_rows();
    entry_row_.assign(rows, 0);
    entry_weight_.assign(rows, 0.0);
    entry_value_.assign(rows, 0.0);
    xy_.setZero(P_);
    gram_.assign(K_, Matrix::Zero(P_, P_));
    members_.resize(K_);
    powered_count_.assign(K_, 0.0);
    start();
  }

 protected:
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
      const Vector ridge = Cholesky(gram).solve(xy);
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
        if (design().has_intercept())
          state.b(0, k) += sd * 0.7 * rng_->normal();
      }
    }
    refresh_all_residuals();
  }

  void draw_indicators() {
    for (int i = 0; i < n_; ++i) uniform_[i] = rng_->uniform();
    detail::draw_indicators(Np_, K_, d_.data(), pi_.data(), s_.data(),
                            uniform_.data(), indicator_.data());
    std::fill(powered_count_.begin(), powered_count_.end(), 0.0);
    for (auto& members : members_) members.clear();
    for (int i = 0; i < n_; ++i) {
      z_[i] = log_s_[i] < kInfinity ? static_cast<int>(indicator_[i])
                                    : draw_indicator(i);
      members_[z_[i]].push_back(i);
      powered_count_[z_[i]] += alpha_[i];
    }
  }

  /// The indicator of a record without a usable sum.
  int draw_indicator(int i) {
    double* term = log_terms(i);
    const double total = log_sum_exp(term, K_);
    double cumulated = 0.0;
    int k = 0;
    for (; k + 1 < K_; ++k) {
      cumulated += std::exp(term[k] - total);
      if (cumulated > uniform_[i]) break;
    }
    return k;
  }

  int count(int k) const { return static_cast<int>(members_[k].size()); }

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

  bool corrected_ = false;
  std::vector<int> z_;
  std::vector<std::vector<int>> members_;  // records of each component
  std::vector<double> powered_count_;
  int n_entries_ = 0;  // design rows gathered for a cross product
  std::vector<int> entry_row_;
  std::vector<double> entry_weight_, entry_value_;
  simd::AlignedBuffer suffix_;  // K x Np, component-major
  simd::AlignedBuffer uniform_, indicator_, in_, prefix_, new_residual_, new_d_,
      slope_;
  std::vector<Matrix> gram_;  // X_k' A_k X_k
  Vector xy_;
};

}  // namespace pseudosynth

#endif
