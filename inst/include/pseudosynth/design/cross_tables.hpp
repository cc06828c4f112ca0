// X' W X of a categorical design through two-way tables of merged factors: a
// row adds its weight to one cell of each table (six for nine factors) instead
// of to every pair of its columns, and the tables are folded into X' W X once.
#ifndef PSEUDOSYNTH_DESIGN_CROSS_TABLES_HPP
#define PSEUDOSYNTH_DESIGN_CROSS_TABLES_HPP

#include <utility>
#include <vector>

#include "../count_of.hpp"
#include "design.hpp"
#include "factor_group.hpp"

namespace pseudosynth {

class CrossTables {
 public:
  /// @param groups see groups_of().
  CrossTables(const Design& design, std::vector<FactorGroup> groups)
      : intercept_(design.has_intercept()), groups_(std::move(groups)) {
    const int G = count_of(groups_);
    int size = 0;
    for (int g = 0; g < G; ++g) {
      for (int h = G == 1 ? 0 : g + 1; h < G; ++h) {
        tables_.push_back({g, h, size});
        size += groups_[g].n_cells * (g == h ? 1 : groups_[h].n_cells);
      }
    }
    cells_.assign(static_cast<std::size_t>(size), 0.0);
    for (int r = 0; r < design.n_rows(); ++r) {
      for (const Table& t : tables_) {
        const int cell = groups_[t.g].cell[r];
        index_.push_back(t.start + (t.g == t.h ? cell
                                               : cell * groups_[t.h].n_cells +
                                                     groups_[t.h].cell[r]));
      }
    }
  }

  static std::vector<FactorGroup> groups_of(const Design& design) {
    return group_factors(design, kMaxCells);
  }

  /// Do the tables of groups lie near each other in memory? A wide design has
  /// so many that pairs of its columns take less time.
  static bool worthwhile(const std::vector<FactorGroup>& groups) {
    std::size_t cells = 0, before = 0;
    for (const FactorGroup& group : groups) {
      cells += before * static_cast<std::size_t>(group.n_cells);
      before += static_cast<std::size_t>(group.n_cells);
    }
    return cells <= kMostCells;
  }

  /// Adds the upper triangle of X' W X to the zeroed xwx.
  void add(int n, const int* row, const double* weight, Matrix& xwx) const {
    std::fill(cells_.begin(), cells_.end(), 0.0);
    const int T = count_of(tables_);
    for (int e = 0; e < n; ++e) {
      const int* index = index_.data() + static_cast<std::size_t>(row[e]) * T;
      for (int t = 0; t < T; ++t) cells_[index[t]] += weight[e];
    }
    std::vector<bool> within(groups_.size(), false);
    for (const Table& t : tables_) {
      if (!within[t.g]) add_within(t, t.g, xwx);
      within[t.g] = true;
      if (t.h == t.g) continue;
      if (!within[t.h]) add_within(t, t.h, xwx);
      within[t.h] = true;
      add_between(t, xwx);
    }
  }

 private:
  static constexpr int kMaxCells = 64;
  // Of all tables: a megabyte
  static constexpr std::size_t kMostCells = std::size_t{1} << 17;

  /// Groups g < h (or g = h for a single group), cells from `start`.
  struct Table {
    int g, h, start;
  };

  static double& upper(Matrix& m, int a, int c) {
    return a < c ? m(a, c) : m(c, a);
  }

  /// Pairs of columns of one group, from the margin of a table.
  void add_within(const Table& t, int group, Matrix& xwx) const {
    const FactorGroup& g = groups_[group];
    const int inner = t.g == t.h ? 1 : groups_[t.h].n_cells;
    const double* table = cells_.data() + t.start;
    margin_.assign(static_cast<std::size_t>(g.n_cells), 0.0);
    for (int a = 0; a < groups_[t.g].n_cells; ++a)
      for (int c = 0; c < inner; ++c)
        margin_[group == t.g ? a : c] += table[a * inner + c];
    for (int cell = 0; cell < g.n_cells; ++cell) {
      const double weight = margin_[cell];
      if (weight == 0.0) continue;
      const std::vector<int>& columns = g.columns[cell];
      if (intercept_ && group == 0) xwx(0, 0) += weight;
      for (std::size_t a = 0; a < columns.size(); ++a) {
        if (intercept_) xwx(0, columns[a]) += weight;
        for (std::size_t c = 0; c <= a; ++c)
          upper(xwx, columns[c], columns[a]) += weight;
      }
    }
  }

  /// Pairs across two groups: first sum table rows by column of g, then spread
  /// them over the columns of h.
  void add_between(const Table& t, Matrix& xwx) const {
    const FactorGroup &g = groups_[t.g], &h = groups_[t.h];
    const double* table = cells_.data() + t.start;
    for (std::size_t f = 0; f < g.factors.size(); ++f) {
      sums_.assign(static_cast<std::size_t>(g.levels[f]) * h.n_cells, 0.0);
      int stride = 1;
      for (std::size_t later = f + 1; later < g.factors.size(); ++later)
        stride *= g.levels[later];
      for (int cell = 0; cell < g.n_cells; ++cell) {
        const int code = cell / stride % g.levels[f];
        if (code == 0) continue;
        double* sum = sums_.data() + static_cast<std::size_t>(code) * h.n_cells;
        const double* line = table + static_cast<std::size_t>(cell) * h.n_cells;
        for (int c = 0; c < h.n_cells; ++c) sum[c] += line[c];
      }
      for (int code = 1; code < g.levels[f]; ++code) {
        const int column = g.first[f] + code - 1;
        const double* sum =
            sums_.data() + static_cast<std::size_t>(code) * h.n_cells;
        for (int c = 0; c < h.n_cells; ++c) {
          if (sum[c] == 0.0) continue;
          for (int other : h.columns[c]) upper(xwx, column, other) += sum[c];
        }
      }
    }
  }

  bool intercept_;
  std::vector<FactorGroup> groups_;
  std::vector<Table> tables_;
  std::vector<int> index_;  // n_rows x tables
  // Work space: one object serves one thread.
  mutable std::vector<double> cells_, margin_, sums_;
};

}  // namespace pseudosynth

#endif
