// One coefficient vector against the design, fast: factors are merged into a
// few groups whose cells hold the sum of their coefficients, so a row costs one
// look-up per group instead of one per factor.
#ifndef PSEUDOSYNTH_DESIGN_GROUPED_DESIGN_HPP
#define PSEUDOSYNTH_DESIGN_GROUPED_DESIGN_HPP

#include <vector>

#include "cross_tables.hpp"
#include "design.hpp"
#include "factor_group.hpp"

namespace pseudosynth {

class GroupedDesign {
 public:
  explicit GroupedDesign(const Design& design)
      : design_(&design),
        groups_(group_factors(design, kMaxCells)),
        tables_(design),
        cells_(groups_.size()) {
    collect_entries();
  }

  /// eta (n_rows) = X b.
  void linear_predictor(const double* b, double* eta) const {
    const Design& design = *design_;
    const int rows = design.n_rows();
    const double intercept = design.has_intercept() ? b[0] : 0.0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      fill_cells(groups_[g], b, g == 0 ? intercept : 0.0, cells_[g]);
    std::size_t g = 0;
    // Three look-ups at a time: fewer passes over eta.
    if (groups_.size() >= 3) {
      const double *c0 = cells_[0].data(), *c1 = cells_[1].data(),
                   *c2 = cells_[2].data();
      const int *i0 = groups_[0].cell.data(), *i1 = groups_[1].cell.data(),
                *i2 = groups_[2].cell.data();
      for (int r = 0; r < rows; ++r) eta[r] = c0[i0[r]] + c1[i1[r]] + c2[i2[r]];
      g = 3;
    } else {
      std::fill(eta, eta + rows, groups_.empty() ? intercept : 0.0);
    }
    for (; g < groups_.size(); ++g) {
      const double* c = cells_[g].data();
      const int* index = groups_[g].cell.data();
      for (int r = 0; r < rows; ++r) eta[r] += c[index[r]];
    }
    for (int q = 0; q < design.n_numeric(); ++q) {
      const double slope = b[design.numeric_column(q)];
      for (int r = 0; r < rows; ++r)
        eta[r] += design.numeric_values(r)[q] * slope;
    }
  }

  /// out (P) = X' v for values at some rows, `row` and `v` of length n.
  void transpose_times(int n, const int* row, const double* v,
                       double* out) const {
    const Design& design = *design_;
    std::fill(out, out + design.n_columns(), 0.0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      // Neighbouring rows often meet in a cell; taking turns on copies spares
      // each addition the wait for the last.
      const std::size_t size = static_cast<std::size_t>(groups_[g].n_cells);
      std::vector<double>& cells = cells_[g];
      cells.assign(size * kCopies, 0.0);
      const int* index = groups_[g].cell.data();
      for (int e = 0; e < n; ++e)
        cells[static_cast<std::size_t>(e % kCopies) * size + index[row[e]]] +=
            v[e];
      for (std::size_t at = 0; at < size; ++at)
        for (int copy = 1; copy < kCopies; ++copy)
          cells[at] += cells[static_cast<std::size_t>(copy) * size + at];
      add_cells(groups_[g], cells, out);
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

  /// Cell values, `base` plus the coefficients that the cell switches on.
  void fill_cells(const FactorGroup& group, const double* b, double base_value,
                  std::vector<double>& cells) const {
    cells.assign(1, base_value);
    std::vector<double>& wider = wider_;
    for (std::size_t f = 0; f < group.factors.size(); ++f) {
      wider.clear();
      for (double base : cells) {
        wider.push_back(base);
        for (int code = 1; code < group.levels[f]; ++code)
          wider.push_back(base + b[group.first[f] + code - 1]);
      }
      cells.swap(wider);
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

  const Design* design_;
  std::vector<FactorGroup> groups_;
  CrossTables tables_;
  std::vector<int> entry_start_, entry_column_;
  std::vector<double> entry_value_;
  // Work space: one object serves one thread.
  mutable std::vector<std::vector<double>> cells_;
  mutable std::vector<double> wider_;
};

}  // namespace pseudosynth

#endif
