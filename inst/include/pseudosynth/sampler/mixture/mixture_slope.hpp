// The gradient of the mixture's log pseudo likelihood, rough and fast.
//
// A trajectory of a Hamiltonian move may follow any field of slopes that is a
// function of the point: its steps preserve volume and can be undone, and the
// exact densities at its two ends decide whether it is accepted. So slopes are
// formed in single precision, components in lanes, several times as fast as in
// double precision.
#ifndef PSEUDOSYNTH_SAMPLER_MIXTURE_SLOPE_HPP
#define PSEUDOSYNTH_SAMPLER_MIXTURE_SLOPE_HPP

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "../../count_of.hpp"
#include "../../records.hpp"
#include "mixture_slope_pass.hpp"

namespace pseudosynth {

/// Holds its work space, so one object serves one thread.
class MixtureSlope {
 public:
  MixtureSlope(const Records& records, int K)
      : K_(K),
        Kp_(K <= 8 ? 8 : (K + 15) / 16 * 16),
        P_(records.design.n_columns()),
        design_(&records.design),
        groups_(group_factors(records.design, kMaxCells)) {
    // Without factors one empty group carries the intercept.
    if (groups_.empty()) {
      groups_.emplace_back();
      groups_[0].cell.assign(static_cast<std::size_t>(design_->n_rows()), 0);
    }
    collect_entries(records);
    allocate();
  }

  /// Fills d_b (P x K), d_log_pi (pi taken as free weights) and d_log_sigma.
  void operator()(const Matrix& b, const Vector& log_pi,
                  const Vector& log_sigma, Matrix& d_b, Vector& d_log_pi,
                  Vector& d_log_sigma) {
    load(b, log_pi, log_sigma);
    detail::MixtureSlopePass pass{count_of(start_) - 1,  Kp_,
                                  start_.data(),         y_.data(),
                                  alpha_.data(),         count_of(groups_),
                                  cell_.data(),          table_at_.data(),
                                  slope_at_.data(),      design_->n_numeric(),
                                  numeric_.data(),       numeric_b_.data(),
                                  numeric_slope_.data(), offset_.data(),
                                  scale_.data(),         weight_sum_.data(),
                                  square_sum_.data(),    scratch_.data()};
    detail::mixture_slope(pass);
    collect(d_b, d_log_pi, d_log_sigma);
  }

 private:
  static constexpr int kMaxCells = 256;

  std::size_t at(int j, int k = 0) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(Kp_) +
           static_cast<std::size_t>(k);
  }

  /// Records of positive weight, by design row; equal ones are taken together.
  /// Rows go by their number of records: loops over a row's records then end
  /// where the processor expects it.
  void collect_entries(const Records& records) {
    if (design_->has_intercept()) {
      int used = 0;
      for (int i = 0; i < records.size(); ++i) {
        if (records.alpha[i] == 0.0) continue;
        centre_ += records.y[i];
        ++used;
      }
      if (used > 0) centre_ /= used;
    }
    const int rows = design_->n_rows();
    const std::vector<int>& first = design_->row_start();
    std::vector<std::vector<std::pair<float, float>>> entries(
        static_cast<std::size_t>(rows));
    std::vector<int> order;
    for (int r = 0; r < rows; ++r) {
      auto& of_row = entries[r];
      double previous = kNaN;
      for (int i = first[r]; i < first[r + 1]; ++i) {
        const float alpha = static_cast<float>(records.alpha[i]);
        if (alpha == 0.0f) continue;
        if (records.y[i] == previous) {
          of_row.back().second += alpha;
          continue;
        }
        previous = records.y[i];
        of_row.emplace_back(static_cast<float>(previous - centre_), alpha);
      }
      if (!of_row.empty()) order.push_back(r);
    }
    std::stable_sort(order.begin(), order.end(), [&](int r, int s) {
      return entries[r].size() < entries[s].size();
    });
    start_.push_back(0);
    for (int r : order) {
      for (const auto& entry : entries[r]) {
        y_.push_back(entry.first);
        alpha_.push_back(entry.second);
      }
      start_.push_back(count_of(y_));
      for (int q = 0; q < design_->n_numeric(); ++q)
        numeric_.push_back(static_cast<float>(design_->numeric_values(r)[q]));
    }
    for (FactorGroup& group : groups_) {
      std::vector<int> cell;
      for (int r : order) cell.push_back(group.cell[r]);
      group.cell.swap(cell);
    }
  }

  void allocate() {
    std::size_t cells = 0;
    for (const FactorGroup& group : groups_)
      cells += static_cast<std::size_t>(group.n_cells);
    table_.assign(cells * at(1));
    slope_.assign(cells * at(1));
    cells = 0;
    for (const FactorGroup& group : groups_) {
      cell_.push_back(group.cell.data());
      table_at_.push_back(table_.data() + cells * at(1));
      slope_at_.push_back(slope_.data() + cells * at(1));
      cells += static_cast<std::size_t>(group.n_cells);
    }
    b_.assign(at(P_));
    d_b_.assign(at(P_));
    numeric_b_.assign(at(design_->n_numeric()));
    numeric_slope_.assign(at(design_->n_numeric()));
    for (auto* buffer : {&offset_, &scale_, &weight_sum_, &square_sum_})
      buffer->assign(at(1));
    scratch_.assign(at(6));
    for (int k = K_; k < Kp_; ++k) offset_[at(0, k)] = kEmpty;
  }

  void load(const Matrix& b, const Vector& log_pi, const Vector& log_sigma) {
    for (int j = 0; j < P_; ++j)
      for (int k = 0; k < K_; ++k) b_[at(j, k)] = static_cast<float>(b(j, k));
    for (int k = 0; k < K_; ++k) {
      offset_[at(0, k)] = std::max(
          kEmpty, static_cast<float>(kLog2e * (log_pi[k] - log_sigma[k])));
      scale_[at(0, k)] =
          static_cast<float>(std::sqrt(0.5 * kLog2e) * std::exp(-log_sigma[k]));
    }
    slope_.zero();
    numeric_slope_.zero();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      float* base = table_at_[g];
      std::fill(base, base + Kp_, 0.0f);
      // Both sides less the centre, which keeps digits.
      if (g == 0 && design_->has_intercept()) {
        for (int k = 0; k < K_; ++k)
          base[k] = static_cast<float>(b(0, k) - centre_);
      }
      detail::widen_cells(groups_[g], b_.data(), Kp_, base);
    }
    for (int q = 0; q < design_->n_numeric(); ++q) {
      const float* from = b_.data() + at(design_->numeric_column(q));
      std::copy(from, from + Kp_, numeric_b_.data() + at(q));
    }
  }

  void collect(Matrix& d_b, Vector& d_log_pi, Vector& d_log_sigma) {
    d_b_.zero();
    for (std::size_t g = 0; g < groups_.size(); ++g)
      detail::collapse_cells(groups_[g], slope_at_[g], Kp_, d_b_.data());
    if (design_->has_intercept())
      std::copy(slope_at_[0], slope_at_[0] + Kp_, d_b_.data());
    for (int q = 0; q < design_->n_numeric(); ++q) {
      const float* from = numeric_slope_.data() + at(q);
      std::copy(from, from + Kp_, d_b_.data() + at(design_->numeric_column(q)));
    }
    for (int k = 0; k < K_; ++k) {
      for (int j = 0; j < P_; ++j)
        d_b(j, k) = kPerSquare * d_b_[at(j, k)] * scale_[at(0, k)];
      d_log_pi[k] = weight_sum_[at(0, k)];
      d_log_sigma[k] =
          kPerSquare * square_sum_[at(0, k)] - weight_sum_[at(0, k)];
    }
  }

  // The log weight of nothing, small in single precision too.
  static constexpr float kEmpty = -1e20f;
  static constexpr double kLog2e = 1.4426950408889634074;
  // z^2 / u^2, u the residual in the units of the pass.
  static constexpr double kPerSquare = 2.0 / kLog2e;

  int K_, Kp_, P_;
  double centre_ = 0.0;  // of the response
  const Design* design_;
  std::vector<FactorGroup> groups_;
  std::vector<int> start_;
  std::vector<float> y_, alpha_, numeric_;
  std::vector<const int*> cell_;
  std::vector<float*> table_at_, slope_at_;
  simd::FloatBuffer table_, slope_, b_, d_b_, numeric_b_, numeric_slope_,
      offset_, scale_, weight_sum_, square_sum_, scratch_;
};

}  // namespace pseudosynth

#endif
