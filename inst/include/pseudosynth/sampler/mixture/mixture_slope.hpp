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
        Kp_(K <= 4   ? 4
            : K <= 8 ? 8
                     : (K + 15) / 16 * 16),
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
    detail::MixtureSlopePass pass{Kp_,
                                  count_of(block_) - 1,
                                  block_.data(),
                                  start_.data(),
                                  y_.data(),
                                  alpha_.data(),
                                  count_of(groups_),
                                  cell_.data(),
                                  table_.data(),
                                  slope_.data(),
                                  design_->n_numeric(),
                                  numeric_.data(),
                                  numeric_b_.data(),
                                  numeric_slope_.data(),
                                  offset_.data(),
                                  scale_.data(),
                                  weight_sum_.data(),
                                  square_sum_.data(),
                                  eta_.data(),
                                  product_.data()};
    detail::mixture_slope(pass);
    collect(d_b, d_log_pi, d_log_sigma);
  }

 private:
  // Cells of a table; entries of a block, and of the vectors of which a block
  // is a whole number; the floats of the widest vector; the distance of rows
  // that come after each other.
  static constexpr int kMaxCells = 256;
  static constexpr int kBlock = 64, kWhole = 4, kLanes = 16;
  static constexpr std::size_t kSpread = 61;

  std::size_t at(int j, int k = 0) const {
    return static_cast<std::size_t>(j) * static_cast<std::size_t>(Kp_) +
           static_cast<std::size_t>(k);
  }

  /// Records of positive weight, by design row; equal ones are taken together.
  /// Rows of many are cut to what a block holds.
  struct Row {
    int of_design;
    std::vector<std::pair<float, float>> entries;  // y and alpha
  };
  std::vector<Row> collect_rows(const Records& records) {
    if (design_->has_intercept()) {
      int used = 0;
      for (int i = 0; i < records.size(); ++i) {
        if (records.alpha[i] == 0.0) continue;
        centre_ += records.y[i];
        ++used;
      }
      if (used > 0) centre_ /= used;
    }
    const std::vector<int>& first = design_->row_start();
    std::vector<Row> rows;
    for (int r = 0; r < design_->n_rows(); ++r) {
      bool open = false;  // may the last row take more of this one?
      double previous = kNaN;
      for (int i = first[r]; i < first[r + 1]; ++i) {
        const float alpha = static_cast<float>(records.alpha[i]);
        if (alpha == 0.0f) continue;
        if (open && records.y[i] == previous) {
          rows.back().entries.back().second += alpha;
          continue;
        }
        if (!open) rows.push_back({r, {}});
        previous = records.y[i];
        rows.back().entries.emplace_back(static_cast<float>(previous - centre_),
                                         alpha);
        open = rows.back().entries.size() < kBlock;
      }
    }
    return rows;
  }

  /// Rows go by their number of entries: loops over them then end where the
  /// processor expects it. Neighbours in the design share cells, whose sums
  /// would wait for each other, so that rows of one length are spread.
  void collect_entries(const Records& records) {
    std::vector<Row> rows = collect_rows(records);
    std::vector<const Row*> order;
    for (std::size_t from = 0; from < kSpread; ++from)
      for (std::size_t r = from; r < rows.size(); r += kSpread)
        order.push_back(&rows[r]);
    std::stable_sort(order.begin(), order.end(),
                     [](const Row* r, const Row* s) {
                       return r->entries.size() < s->entries.size();
                     });
    const int times = Kp_ <= 8 ? Kp_ : 1;
    auto add_entry = [&](float y, float alpha) {
      y_.insert(y_.end(), times, y);
      alpha_.insert(alpha_.end(), times, alpha);
      ++n_entries_;
    };
    int begun = 0;  // the first entry of the block
    auto end_block = [&] {
      for (; (n_entries_ - begun) % kWhole != 0; ++start_.back())
        add_entry(y_.back(), 0.0f);
      begun = n_entries_;
      block_.push_back(count_of(start_) - 1);
    };
    start_.push_back(0);
    block_.push_back(0);
    for (const Row* row : order) {
      if (n_entries_ - begun + count_of(row->entries) > kBlock) end_block();
      for (const auto& entry : row->entries)
        add_entry(entry.first, entry.second);
      start_.push_back(n_entries_);
      for (int q = 0; q < design_->n_numeric(); ++q)
        numeric_.push_back(
            static_cast<float>(design_->numeric_values(row->of_design)[q]));
    }
    if (n_entries_ > begun) end_block();
    for (const Row* row : order) {
      int first = 0;
      for (const FactorGroup& group : groups_) {
        cell_.push_back((first + group.cell[row->of_design]) * Kp_);
        first += group.n_cells;
      }
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
      table_at_.push_back(table_.data() + cells * at(1));
      slope_at_.push_back(slope_.data() + cells * at(1));
      cells += static_cast<std::size_t>(group.n_cells);
    }
    b_.assign(at(P_));
    d_b_.assign(at(P_));
    numeric_b_.assign(at(design_->n_numeric()));
    numeric_slope_.assign(at(design_->n_numeric()));
    for (auto* buffer : {&weight_sum_, &square_sum_}) buffer->assign(at(1));
    for (auto* buffer : {&offset_, &scale_})
      buffer->assign(static_cast<std::size_t>(std::max(Kp_, kLanes)));
    for (auto* buffer : {&eta_, &product_}) buffer->assign(at(kBlock));
  }

  void load(const Matrix& b, const Vector& log_pi, const Vector& log_sigma) {
    for (int j = 0; j < P_; ++j)
      for (int k = 0; k < K_; ++k) b_[at(j, k)] = static_cast<float>(b(j, k));
    for (std::size_t lane = 0; lane < scale_.size(); ++lane) {
      const int k = static_cast<int>(lane) % Kp_;
      offset_[lane] = kEmpty;
      if (k >= K_) continue;
      offset_[lane] = std::max(
          kEmpty, static_cast<float>(kLog2e * (log_pi[k] - log_sigma[k])));
      scale_[lane] =
          static_cast<float>(std::sqrt(0.5 * kLog2e) * std::exp(-log_sigma[k]));
    }
    for (auto* buffer : {&weight_sum_, &square_sum_, &slope_}) buffer->zero();
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
  std::vector<int> block_, start_, cell_;
  int n_entries_ = 0;
  std::vector<float> y_, alpha_, numeric_;
  std::vector<float*> table_at_, slope_at_;
  simd::FloatBuffer table_, slope_, b_, d_b_, numeric_b_, numeric_slope_,
      offset_, scale_, weight_sum_, square_sum_, eta_, product_;
};

}  // namespace pseudosynth

#endif
