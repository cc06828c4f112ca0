// One coefficient vector against the design, fast: factors are merged into a
// few groups whose cells hold the sum of their coefficients, so a row costs one
// look-up per group instead of one per factor.
#ifndef PSEUDOSYNTH_DESIGN_GROUPED_DESIGN_HPP
#define PSEUDOSYNTH_DESIGN_GROUPED_DESIGN_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "../math.hpp"
#include "cross_tables.hpp"
#include "design.hpp"
#include "factor_group.hpp"
#include "linear_predictor.hpp"

namespace pseudosynth {

class GroupedDesign {
 public:
  explicit GroupedDesign(const Design& design)
      : design_(&design),
        predict_(design, kMaxCells),
        tables_(design),
        cells_(groups().size()) {
    collect_entries();
  }

  /// eta (n_rows) = X b.
  void linear_predictor(const double* b, double* eta) const {
    predict_(b, eta);
  }

  /// out (P) = X' v for values at some rows, `row` and `v` of length n.
  void transpose_times(int n, const int* row, const double* v,
                       double* out) const {
    const Design& design = *design_;
    std::fill(out, out + design.n_columns(), 0.0);
    for (std::size_t g = 0; g < groups().size(); ++g) {
      // Neighbouring rows often meet in a cell; taking turns on copies spares
      // each addition the wait for the last.
      const std::size_t size = static_cast<std::size_t>(groups()[g].n_cells);
      std::vector<double>& cells = cells_[g];
      cells.assign(size * kCopies, 0.0);
      const int* index = groups()[g].cell.data();
      for (int e = 0; e < n; ++e)
        cells[static_cast<std::size_t>(e % kCopies) * size + index[row[e]]] +=
            v[e];
      for (std::size_t at = 0; at < size; ++at)
        for (int copy = 1; copy < kCopies; ++copy)
          cells[at] += cells[static_cast<std::size_t>(copy) * size + at];
      add_cells(groups()[g], cells, out);
    }
    if (design.has_intercept()) {
      double total = 0.0;
      for (int e = 0; e < n; ++e) total += v[e];
      out[0] += total;
    }
    for (int q = 0; q < design.n_numeric(); ++q) {
      double total = 0.0;
      for (int e = 0; e < n; ++e)
        total += design.numeric_values(row[e])[q] * v[e];
      out[design.numeric_column(q)] += total;
    }
  }

  /// xwx (P x P, full) = X' W X with a weight at some rows.
  void cross_products(int n, const int* row, const double* weight,
                      Matrix& xwx) const {
    const int P = design_->n_columns();
    xwx.setZero(P, P);
    if (design_->n_numeric() == 0 && design_->n_factors() > 0) {
      tables_.add(n, row, weight, xwx);
    } else {
      sum_entries(n, row, weight, xwx);
    }
    for (int a = 0; a < P; ++a)
      for (int c = 0; c < a; ++c) xwx(a, c) = xwx(c, a);
  }

 private:
  static constexpr int kMaxCells = 512;
  static constexpr int kCopies = 4;

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
      entry_start_.push_back(static_cast<int>(entry_column_.size()));
    }
  }

  void add_cells(const FactorGroup& group, const std::vector<double>& cells,
                 double* out) const {
    for (int cell = 0; cell < group.n_cells; ++cell) {
      if (cells[cell] == 0.0) continue;
      int left = cell;
      for (int f = static_cast<int>(group.factors.size()) - 1; f >= 0; --f) {
        const int code = left % group.levels[f];
        left /= group.levels[f];
        if (code > 0) out[group.first[f] + code - 1] += cells[cell];
      }
    }
  }

  const std::vector<FactorGroup>& groups() const { return predict_.groups(); }

  const Design* design_;
  mutable LinearPredictor predict_;  // with its work space
  CrossTables tables_;
  std::vector<int> entry_start_, entry_column_;
  std::vector<double> entry_value_;
  // Work space: one object serves one thread.
  mutable std::vector<std::vector<double>> cells_;
};

}  // namespace pseudosynth

#endif
