// What a family that splits by design row needs of the records: sums of its
// statistics by row, and weights of the distinct responses.
#ifndef PSEUDOSYNTH_LIKELIHOOD_ROW_SUMS_HPP
#define PSEUDOSYNTH_LIKELIHOOD_ROW_SUMS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "../family/forms.hpp"
#include "../simd.hpp"
#include "record_cells.hpp"
#include "row_kernels.hpp"

namespace pseudosynth {

template <class Family>
class RowSums {
 public:
  using At = typename Family::At;

  explicit RowSums(const RecordCells& cells)
      : n_(simd::whole_lanes(static_cast<std::size_t>(cells.n_rows))),
        weight_(n_),
        statistic_(S * n_) {
    find_responses(cells);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t r = static_cast<std::size_t>(cells.row[c]);
      const std::size_t y = static_cast<std::size_t>(response_of_[c]);
      const double alpha = cells.alpha[c];
      weight_[r] += alpha;
      for (std::size_t k = 0; k < S; ++k) {
        statistic_[k * n_ + r] += alpha * response_[k * m_ + y];
        cell_statistic_.push_back(response_[k * m_ + y]);
      }
      response_weight_[y] += alpha;
      constant_ += alpha * fixed_[y];
      cell_constant_.push_back(fixed_[y]);
    }
    if constexpr (kAnchors) set_anchors();
  }

  /// Rows, rounded up to whole lanes: the length of eta and d_eta below.
  std::size_t n_rows() const { return n_; }

  /// The terms of all rows and responses at one draw.
  struct Work {
    Work(const RowSums& of, bool with_gradient)
        : terms((S + 1) * of.n_ * (with_gradient ? 3 : 1)),
          table(Family::kTable ? of.m_ : 0),
          d_table(Family::kTable && with_gradient ? of.m_ : 0) {}
    simd::AlignedBuffer terms, table, d_table;
  };

  /// sum of alpha f, of clip(alpha f - a) where censored, for samplers that
  /// accept or reject: by the split, also where it loses digits, but for
  /// clipped records that would lose more than half of them.
  double value(const Family& family, const At& at, const RecordCells& cells,
               const double* eta, Work& work) const {
    return cells.censored ? clipped_value(family, at, cells, eta, work)
                          : plain_value(family, at, eta, work);
  }

  /// The same to all digits; fills d_eta, adds to d_extra.
  double gradient(const Family& family, const At& at, const RecordCells& cells,
                  const double* eta, Work& work, double* d_eta,
                  double* d_extra) const {
    return cells.censored
               ? clipped_gradient(family, at, cells, eta, work, d_eta, d_extra)
               : plain_gradient(family, at, eta, work, d_eta, d_extra);
  }

 private:
  static constexpr std::size_t S = Family::kStatistics;
  static constexpr std::size_t kResponse = Family::kResponse;
  // With a table, a row's responses have no sum that one of them stands for.
  static constexpr bool kAnchors = Family::kCancels && !Family::kTable;
  // A term of the split this large leaves a density eight digits or fewer.
  static constexpr double kManyDigits = 1e8;

  double plain_value(const Family& family, const At& at, const double* eta,
                     Work& work) const {
    detail::RowPass pass = row_pass(eta, nullptr);
    sum_rows<detail::Sum::kValue>(family, at, pass);
    return constant_ + pass.total + sum_table<false>(family, at, work, nullptr);
  }

  double plain_gradient(const Family& family, const At& at, const double* eta,
                        Work& work, double* d_eta, double* d_extra) const {
    detail::RowPass pass = row_pass(eta, d_eta);
    double constant = constant_;
    if constexpr (kAnchors) {
      if (!responses_split_ || !Family::draw_splits(at)) {
        sum_rows<detail::Sum::kAnchoredGradient>(family, at, pass);
        constant = anchored_constant_;
      } else {
        sum_rows<detail::Sum::kGradient>(family, at, pass);
      }
    } else {
      sum_rows<detail::Sum::kGradient>(family, at, pass);
    }
    if (Family::kExtras > 0) d_extra[0] += pass.d_extra;
    return constant + pass.total + sum_table<true>(family, at, work, d_extra);
  }

  double clipped_value(const Family& family, const At& at,
                       const RecordCells& cells, const double* eta,
                       Work& work) const {
    evaluate<false>(family, at, eta, work);
    const Part part(*this, work, 0);
    // In blocks: densities do not wait for the sum of those before them.
    constexpr std::size_t kBlock = 256;
    double f[kBlock];
    RecordCells::Sum sum(cells);
    for (std::size_t first = 0; first < cells.size(); first += kBlock) {
      const std::size_t n = std::min(kBlock, cells.size() - first);
      [[maybe_unused]] bool loses = false;
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t c = first + i;
        f[i] = cell_constant_[c] +
               part(cell_statistic_.data() + c * S, cells.row[c]);
        if constexpr (Family::kTable) f[i] += work.table[response_of_[c]];
        if constexpr (Family::kCancels)
          loses |= !(std::fabs(part.last[cells.row[c]]) < kManyDigits);
      }
      if constexpr (Family::kCancels) {
        for (std::size_t i = 0; loses && i < n; ++i) {
          const int row = cells.row[first + i];
          if (!(std::fabs(part.last[row]) < kManyDigits))
            f[i] = exact(family, at, response_of_[first + i], row, eta, work);
        }
      }
      sum.add(first, n, f);
    }
    return sum.total();
  }

  double clipped_gradient(const Family& family, const At& at,
                          const RecordCells& cells, const double* eta,
                          Work& work, double* d_eta, double* d_extra) const {
    evaluate<true>(family, at, eta, work);
    const Part value(*this, work, 0), by_eta(*this, work, 1),
        by_extra(*this, work, 2);
    const bool draw_splits = Family::draw_splits(at);
    std::fill(d_eta, d_eta + n_, 0.0);
    double total = 0.0, d_sum = 0.0;
    for (std::size_t first = 0; first < cells.size();) {
      const int r = cells.row[first], y = response_of_[first];
      const double* s = cell_statistic_.data() + first * S;
      double f = cell_constant_[first] + value(s, r);
      if constexpr (Family::kTable) f += work.table[y];
      if constexpr (Family::kCancels)
        if (!draw_splits || !splits_[y] || table_cancels(work, y))
          f = exact(family, at, y, r, eta, work);
      // Cells that only differ in weight and centre share f.
      double weight = 0.0;
      std::size_t c = first;
      do {
        double one;
        total += cells.clipped(c, f, one);
        weight += one;
      } while (++c < cells.size() && cells.repeats(c));
      first = c;
      if (weight == 0.0) continue;
      d_eta[r] += weight * by_eta(s, r);
      if constexpr (Family::kExtras > 0) d_sum += weight * by_extra(s, r);
      if constexpr (Family::kTable) d_sum += weight * work.d_table[y];
    }
    if (Family::kExtras > 0) d_extra[0] += d_sum;
    return total;
  }

  detail::RowPass row_pass(const double* eta, double* d_eta) const {
    return detail::RowPass{n_,
                           eta,
                           weight_.data(),
                           statistic_.data(),
                           anchor_.data(),
                           residual_.data(),
                           d_eta};
  }

  template <detail::Sum kSum>
  static void sum_rows(const Family& family, const At& at,
                       detail::RowPass& pass) {
    detail::sum_rows<Family, kSum>(family, at, pass);
    if (pass.outside != 0.0)
      detail::sum_rows_kernel<1, Family, kSum>(family, at, pass);
  }

  template <bool kGradient>
  void fill_table(const Family& family, const At& at, Work& work) const {
    if constexpr (Family::kTable)
      detail::fill_table<Family, kGradient>(family, at, m_, response_.data(),
                                            work.table.data(),
                                            work.d_table.data());
  }

  template <bool kGradient>
  double sum_table(const Family& family, const At& at, Work& work,
                   double* d_extra) const {
    double total = 0.0;
    if constexpr (Family::kTable) {
      fill_table<kGradient>(family, at, work);
      for (std::size_t y = 0; y < fixed_.size(); ++y) {
        total += response_weight_[y] * work.table[y];
        if (kGradient) d_extra[0] += response_weight_[y] * work.d_table[y];
      }
    }
    return total;
  }

  /// The terms of all rows and the table.
  template <bool kGradient>
  void evaluate(const Family& family, const At& at, const double* eta,
                Work& work) const {
    double outside;
    detail::fill_rows<Family, kGradient>(family, at, n_, eta, work.terms.data(),
                                         outside);
    if (outside != 0.0)
      detail::fill_rows_kernel<1, Family, kGradient>(
          family, at, n_, eta, work.terms.data(), outside);
    fill_table<kGradient>(family, at, work);
  }

  /// s_k times the terms of a row: f (part 0), or its derivatives in eta (1) or
  /// in the extra parameter (2).
  struct Part {
    Part(const RowSums& of, const Work& work, std::size_t part)
        : first(work.terms.data() + part * (S + 1) * of.n_),
          second(first + of.n_),
          last(first + S * of.n_) {}
    double operator()(const double* s, int row) const {
      double sum = last[row] + s[0] * first[row];
      if (S > 1) sum += s[1] * second[row];
      return sum;
    }
    const double *first, *second, *last;
  };

  double exact(const Family& family, const At& at, int y, int row,
               const double* eta, const Work& work) const {
    double r[Family::kResponse], value[S + 1], f;
    for (std::size_t k = 0; k < kResponse; ++k) r[k] = response_[k * m_ + y];
    for (std::size_t k = 0; k <= S; ++k) value[k] = work.terms[k * n_ + row];
    family.template exact<1>(r, eta[row], at, value, f);
    return f;
  }

  bool table_cancels(const Work& work, int y) const {
    if constexpr (Family::kTable)
      return !(std::fabs(work.table[y] + fixed_[y]) < Family::kLargestTable);
    return false;
  }

  void find_responses(const RecordCells& cells) {
    std::vector<double> distinct(cells.y);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()),
                   distinct.end());
    for (double y : cells.y)
      response_of_.push_back(static_cast<int>(
          std::lower_bound(distinct.begin(), distinct.end(), y) -
          distinct.begin()));
    m_ = simd::whole_lanes(distinct.size());
    response_.assign(kResponse * m_);
    response_weight_.assign(distinct.size(), 0.0);
    for (std::size_t y = 0; y < distinct.size(); ++y) {
      double r[kResponse];
      Family::response(distinct[y], r);
      for (std::size_t k = 0; k < kResponse; ++k) response_[k * m_ + y] = r[k];
      fixed_.push_back(Family::constant(r));
      splits_.push_back(Family::response_splits(r));
      responses_split_ = responses_split_ && splits_.back();
    }
  }

  void set_anchors() {
    anchor_.assign(kResponse * n_);
    residual_.assign(S * n_);
    anchored_constant_ = constant_;
    for (std::size_t row = 0; row < n_; ++row) {
      double mean[S], r[kResponse];
      // A response of any row will do where there is no weight.
      const double weight = weight_[row] > 0.0 ? weight_[row] : 1.0;
      for (std::size_t k = 0; k < S; ++k)
        mean[k] = statistic_[k * n_ + row] / weight;
      Family::response(Family::anchor(mean), r);
      for (std::size_t k = 0; k < kResponse; ++k) anchor_[k * n_ + row] = r[k];
      for (std::size_t k = 0; k < S; ++k)
        residual_[k * n_ + row] =
            statistic_[k * n_ + row] - weight_[row] * r[k];
      anchored_constant_ -= weight_[row] * Family::constant(r);
    }
  }

  std::size_t n_, m_ = 0;  // rows and distinct responses, in whole lanes
  double constant_ = 0.0, anchored_constant_ = 0.0;
  bool responses_split_ = true;
  simd::AlignedBuffer weight_, statistic_, anchor_, residual_, response_;
  std::vector<int> response_of_;  // cell -> distinct response
  std::vector<double> cell_statistic_, cell_constant_;  // of cells
  std::vector<double> fixed_, response_weight_;         // of distinct responses
  std::vector<char> splits_;
};

}  // namespace pseudosynth

#endif  // PSEUDOSYNTH_LIKELIHOOD_ROW_SUMS_HPP
