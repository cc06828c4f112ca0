// The indicators of the augmentation sampler: which component each record
// belongs to, the members of each component and sums over them.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_INDICATORS_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_INDICATORS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../count_of.hpp"
#include "../../math.hpp"
#include "../../simd.hpp"
#include "mixture_chain.hpp"

namespace pseudosynth {

class MixtureIndicators {
 public:
  /// @param chain must outlive this object.
  explicit MixtureIndicators(MixtureChain& chain)
      : chain_(&chain),
        K_(chain.state.K),
        P_(chain.state.P),
        n_(chain.n_records()),
        Np_(chain.n_padded()),
        z_(n_, 0),
        members_(K_),
        powered_count_(K_, 0.0),
        entry_row_(chain.design().n_rows(), 0),
        entry_weight_(chain.design().n_rows(), 0.0),
        entry_value_(chain.design().n_rows(), 0.0) {
    uniform_.assign(Np_);
    indicator_.assign(Np_);
  }

  MixtureChain& chain() const { return *chain_; }
  /// Are proposals corrected to the target? Else powered components are drawn.
  bool corrected() const { return corrected_; }
  void set_corrected(bool wanted) {
    // One component alone has r = 1 and h = 0.
    corrected_ = wanted && chain_->any_fractional() && K_ > 1;
  }

  /// Given the densities as they are now.
  void draw() {
    for (int i = 0; i < n_; ++i) uniform_[i] = chain_->rng().uniform();
    detail::draw_indicators(Np_, K_, chain_->d(0), chain_->pi().data(),
                            chain_->sums(), uniform_.data(), indicator_.data());
    std::fill(powered_count_.begin(), powered_count_.end(), 0.0);
    for (auto& members : members_) members.clear();
    for (int i = 0; i < n_; ++i) {
      z_[i] = chain_->log_s()[i] < kInfinity ? static_cast<int>(indicator_[i])
                                             : draw_indicator(i);
      members_[z_[i]].push_back(i);
      powered_count_[z_[i]] += chain_->alpha(i);
    }
  }

  /// The indicator of a record without a usable sum.
  int draw_indicator(int i) {
    double* term = chain_->log_terms(i);
    const double total = log_sum_exp(term, K_);
    double cumulated = 0.0;
    int k = 0;
    for (; k + 1 < K_; ++k) {
      cumulated += std::exp(term[k] - total);
      if (cumulated > uniform_[i]) break;
    }
    return k;
  }

  int count(int k) const { return count_of(members_[k]); }

  /// The members of component k by design row: their summed weights and their
  /// weighted sums of value(i). Members are in row order.
  template <class Value>
  void gather(int k, Value&& value) {
    n_entries_ = 0;
    int previous = -1;
    for (int i : members_[k]) {
      if (chain_->rows()[i] != previous) {
        previous = chain_->rows()[i];
        entry_row_[n_entries_] = previous;
        entry_weight_[n_entries_] = 0.0;
        entry_value_[n_entries_] = 0.0;
        ++n_entries_;
      }
      entry_weight_[n_entries_ - 1] += chain_->alpha(i);
      entry_value_[n_entries_ - 1] += chain_->alpha(i) * value(i);
    }
  }

  /// out = X' v for one value per record.
  template <class Value>
  void sum_over_records(Value&& value, double* out) {
    n_entries_ = 0;
    int previous = -1;
    for (int i = 0; i < n_; ++i) {
      if (chain_->rows()[i] != previous) {
        previous = chain_->rows()[i];
        entry_row_[n_entries_] = previous;
        entry_value_[n_entries_] = 0.0;
        ++n_entries_;
      }
      entry_value_[n_entries_ - 1] += value(i);
    }
    chain_->grouped_design().transpose_times(n_entries_, entry_row_.data(),
                                             entry_value_.data(), out);
  }

  /// log r_(i z_i) of a record from its logs; `term` leaves changed.
  double log_share(int i, double* term) const {
    const double own = term[z_[i]];
    for (int k = 0; k < K_; ++k) term[k] -= own;
    return -log_sum_exp(term, K_);
  }

  /// The records of a component.
  const std::vector<int>& members(int k) const { return members_[k]; }
  double powered_count(int k) const { return powered_count_[k]; }
  /// All records, as members of the first component.
  void put_together() {
    members_[0].clear();
    for (int i = 0; i < n_; ++i) members_[0].push_back(i);
  }

  /// X' A X and X' A v of the members that were gathered last.
  void cross_products(Matrix& gram) const {
    chain_->grouped_design().cross_products(n_entries_, entry_row_.data(),
                                            entry_weight_.data(), gram);
  }
  void transpose_times(double* out) const {
    chain_->grouped_design().transpose_times(n_entries_, entry_row_.data(),
                                             entry_value_.data(), out);
  }

 private:
  MixtureChain* chain_;
  int K_, P_, n_, Np_;
  bool corrected_ = false;
  std::vector<int> z_;
  std::vector<std::vector<int>> members_;
  std::vector<double> powered_count_;
  int n_entries_ = 0;  // design rows gathered for a cross product
  std::vector<int> entry_row_;
  std::vector<double> entry_weight_, entry_value_;
  simd::AlignedBuffer uniform_, indicator_;
};

}  // namespace pseudosynth

#endif
