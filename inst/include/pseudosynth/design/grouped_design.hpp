// One coefficient vector against the design, fast: factors are merged into a
// few groups whose cells hold the sum of their coefficients, so a row costs one
// look-up per group instead of one per factor.
#ifndef PSEUDOSYNTH_DESIGN_GROUPED_DESIGN_HPP
#define PSEUDOSYNTH_DESIGN_GROUPED_DESIGN_HPP

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "../count_of.hpp"
#include "../math.hpp"
#include "cross_tables.hpp"
#include "design.hpp"
#include "linear_predictor.hpp"

namespace pseudosynth {

class GroupedDesign {
 public:
  explicit GroupedDesign(const Design& design)
      : design_(&design), predict_(design, kMaxCells) {
    if (design.n_factors() > 0 && design.n_numeric() == 0) {
      std::vector<FactorGroup> groups = CrossTables::groups_of(design);
      if (CrossTables::worthwhile(groups))
        tables_.emplace(design, std::move(groups));
    }
    collect_entries();
  }

  /// eta (n_rows) = X b, for models without an offset.
  void linear_predictor(const double* b, double* eta) const {
    predict_.times(b, eta);
  }

  /// out (P) = X' v for values at some rows, `row` and `v` of length n.
  void transpose_times(int n, const int* row, const double* v,
                       double* out) const {
    std::fill(out, out + design_->n_columns(), 0.0);
    predict_.add_transpose(
        n, [row](int e) { return row[e]; }, v, out);
  }

  /// out (n_rows) = x' A x of every row; A symmetric.
  void quadratic_forms(const Matrix& a, double* out) const {
    for (int r = 0; r < design_->n_rows(); ++r) {
      const int first = entry_start_[r], last = entry_start_[r + 1];
      double sum = 0.0;
      for (int e = first; e < last; ++e) {
        const double* column = &a(0, entry_column_[e]);
        double line = 0.5 * column[entry_column_[e]] * entry_value_[e];
        for (int c = first; c < e; ++c)
          line += column[entry_column_[c]] * entry_value_[c];
        sum += entry_value_[e] * line;
      }
      out[r] = 2.0 * sum;
    }
  }

  /// May threads ask for cross products at once?
  bool shares_cross_products() const { return !tables_; }

  /// xwx (P x P, full) = X' W X with a weight at some rows.
  void cross_products(int n, const int* row, const double* weight,
                      Matrix& xwx) const {
    const int P = design_->n_columns();
    xwx.setZero(P, P);
    if (tables_) {
      tables_->add(n, row, weight, xwx);
    } else {
      sum_entries(n, row, weight, xwx);
    }
    for (int a = 0; a < P; ++a)
      for (int c = 0; c < a; ++c) xwx(a, c) = xwx(c, a);
  }

 private:
  static constexpr int kMaxCells = 512;

  /// Upper triangle of X' W X entry by entry.
  void sum_entries(int n, const int* row, const double* weight,
                   Matrix& xwx) const {
    for (int e = 0; e < n; ++e) {
      const int first = entry_start_[row[e]], last = entry_start_[row[e] + 1];
      for (int a = first; a < last; ++a) {
        const double wx = weight[e] * entry_value_[a];
        // Columns ascend within a row.
        for (int c = first; c <= a; ++c)
          xwx(entry_column_[c], entry_column_[a]) += wx * entry_value_[c];
      }
    }
  }

  void collect_entries() {
    std::vector<int> column;
    std::vector<double> x;
    std::vector<std::pair<int, double>> sorted;
    entry_start_.push_back(0);
    for (int r = 0; r < design_->n_rows(); ++r) {
      design_->row_entries(r, column, x);
      sorted.clear();
      for (std::size_t a = 0; a < column.size(); ++a)
        sorted.emplace_back(column[a], x[a]);
      // Ascending columns keep every product in the lower triangle.
      std::sort(sorted.begin(), sorted.end());
      for (const auto& entry : sorted) {
        entry_column_.push_back(entry.first);
        entry_value_.push_back(entry.second);
      }
      entry_start_.push_back(count_of(entry_column_));
    }
  }

  const Design* design_;
  mutable LinearPredictor predict_;  // work space: one object, one thread
  std::optional<CrossTables> tables_;
  std::vector<int> entry_start_, entry_column_;
  std::vector<double> entry_value_;
};

}  // namespace pseudosynth

#endif
