// What a row-form family needs of the records: sums of its statistics by design
// row, and weights of the distinct responses.
#ifndef PSEUDOSYNTH_LIKELIHOOD_ROW_SUMS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_ROW_SUMS_HPP

#include <algorithm>
#include <vector>

#include "../simd.hpp"
#include "record_cells.hpp"
#include "row_form.hpp"

namespace pseudosynth {

template <class Family, bool kAvailable = RowForm<Family>::kAvailable>
class RowSums;

/// @brief Nothing, for families that do not split by row.
template <class Family>
class RowSums<Family, false> {
 public:
  RowSums(const Records&, const RecordCells&) {}
  struct Work {
    explicit Work(const RowSums&) {}
  };
};

template <class Family>
class RowSums<Family, true> {
 public:
  using Form = RowForm<Family>;
  static constexpr int S = Form::kStatistics;

  RowSums(const Records& records, const RecordCells& cells)
      : n_rows_(padded(records.design.n_rows())) {
    find_responses(cells);
    const std::size_t n = static_cast<std::size_t>(n_rows_);
    weight_.assign(n);
    statistic0_.assign(n);
    statistic1_.assign(S > 1 ? n : 0);
    for (std::size_t c = 0; c < cells.y.size(); ++c) {
      const std::size_t r = static_cast<std::size_t>(cells.row[c]);
      const std::size_t y = static_cast<std::size_t>(response_of_[c]);
      const double alpha = cells.alpha[c];
      weight_[r] += alpha;
      statistic0_[r] += alpha * s_[y * S];
      if (S > 1) statistic1_[r] += alpha * s_[y * S + S - 1];
      response_weight_[y] += alpha;
      constant_ += alpha * fixed_[y];
    }
  }

  /// u, v by row and A by response at one draw.
  struct Work {
    explicit Work(const RowSums& of)
        : u0(static_cast<std::size_t>(of.n_rows_)),
          u1(static_cast<std::size_t>(S > 1 ? of.n_rows_ : 0)),
          v(static_cast<std::size_t>(of.n_rows_)),
          table(Form::kTable ? of.response_.size() : 0) {}
    simd::AlignedBuffer u0, u1, v, table;
  };

  void evaluate(const double* eta, const double* extra, Work& work) const {
    Form::rows(n_rows_, eta, extra, work.u0.data(), work.u1.data(),
               work.v.data());
    if (Form::kTable)
      Form::table(static_cast<int>(response_.size()), response_.data(), extra,
                  work.table.data());
  }

  /// sum of alpha f, uncensored.
  double sum(const Work& work) const {
    double total = constant_;
    // A row without weight may have an infinite v; its product is nothing.
    for (int r = 0; r < n_rows_; ++r) {
      const std::size_t at = static_cast<std::size_t>(r);
      if (weight_[at] == 0.0) continue;
      total += weight_[at] * work.v[at] + statistic0_[at] * work.u0[at];
      if (S > 1) total += statistic1_[at] * work.u1[at];
    }
    if (Form::kTable)
      for (std::size_t y = 0; y < response_weight_.size(); ++y)
        total += response_weight_[y] * work.table[y];
    return total;
  }

  /// f of every cell.
  void fill(const RecordCells& cells, const Work& work, double* f) const {
    for (std::size_t c = 0; c < cells.y.size(); ++c) {
      const std::size_t r = static_cast<std::size_t>(cells.row[c]);
      const std::size_t y = static_cast<std::size_t>(response_of_[c]);
      f[c] = fixed_[y] + s_[y * S] * work.u0[r] + work.v[r];
      if (S > 1) f[c] += s_[y * S + S - 1] * work.u1[r];
      if (Form::kTable) f[c] += work.table[y];
    }
  }

 private:
  static int padded(int n) { return (n + 7) / 8 * 8; }

  void find_responses(const RecordCells& cells) {
    std::vector<double> distinct(cells.y);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()),
                   distinct.end());
    for (double y : cells.y)
      response_of_.push_back(static_cast<int>(
          std::lower_bound(distinct.begin(), distinct.end(), y) -
          distinct.begin()));
    for (double y : distinct) {
      double s[S];
      Form::statistics(y, s);
      s_.insert(s_.end(), s, s + S);
      fixed_.push_back(Form::constant(y));
    }
    response_weight_.assign(distinct.size(), 0.0);
    response_.assign(
        static_cast<std::size_t>(padded(static_cast<int>(distinct.size()))));
    std::fill(response_.data(), response_.data() + response_.size(), 1.0);
    std::copy(distinct.begin(), distinct.end(), response_.data());
  }

  int n_rows_;
  double constant_ = 0.0;
  simd::AlignedBuffer weight_, statistic0_, statistic1_;
  std::vector<int> response_of_;  // cell -> distinct response
  std::vector<double> s_, fixed_, response_weight_;
  simd::AlignedBuffer response_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_ROW_SUMS_HPP
