// What records are fitted to, as R has it.
#ifndef PSEUDOSYNTH_RCPP_FITTING_H
#define PSEUDOSYNTH_RCPP_FITTING_H

#include <cstdint>
#include <pseudosynth/file/amount_swaps.hpp>
#include <pseudosynth/file/annealed_fit.hpp>
#include <vector>

#include "rcpp_coded.h"

namespace binding {

/// 1-based columns as R has them.
inline pseudosynth::CrossedColumns to_columns(
    const Rcpp::IntegerVector& columns, const std::vector<int>& levels) {
  std::vector<int> zero_based;
  for (const int j : columns) zero_based.push_back(j - 1);
  return pseudosynth::CrossedColumns(zero_based, levels);
}

/// Records of 16-bit levels from 0, row by row.
inline std::vector<std::uint16_t> to_rows(const Rcpp::IntegerMatrix& codes) {
  const std::size_t n = static_cast<std::size_t>(codes.nrow());
  const std::size_t d = static_cast<std::size_t>(codes.ncol());
  std::vector<std::uint16_t> rows(n * d);
  for (std::size_t j = 0; j < d; ++j) {
    const int* column = codes.begin() + j * n;
    for (std::size_t i = 0; i < n; ++i)
      rows[i * d + j] = static_cast<std::uint16_t>(column[i] - 1);
  }
  return rows;
}

inline Rcpp::IntegerMatrix from_rows(const std::vector<std::uint16_t>& rows,
                                     std::size_t d) {
  const std::size_t n = rows.size() / d;
  Rcpp::IntegerMatrix codes(static_cast<int>(n), static_cast<int>(d));
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) codes[j * n + i] = rows[i * d + j] + 1;
  }
  return codes;
}

/// @param table `columns` (a list for each time, 1-based) and `level` (a list
/// for each time, of the axis's level, from 1, or NA, of each of a column's).
inline std::vector<std::vector<pseudosynth::PooledAxis>> to_entries(
    const Rcpp::List& table) {
  std::vector<std::vector<pseudosynth::PooledAxis>> entries;
  const Rcpp::List columns(table["columns"]), level(table["level"]);
  for (R_xlen_t e = 0; e < columns.size(); ++e) {
    const Rcpp::IntegerVector own(columns[e]);
    const Rcpp::List maps(level[e]);
    std::vector<pseudosynth::PooledAxis> axes;
    for (R_xlen_t a = 0; a < own.size(); ++a) {
      pseudosynth::PooledAxis axis{own[a] - 1, {}};
      for (const int v : Rcpp::IntegerVector(maps[a]))
        axis.level.push_back(v == NA_INTEGER ? pseudosynth::PooledAxis::kOut
                                             : v - 1);
      axes.push_back(std::move(axis));
    }
    entries.push_back(std::move(axes));
  }
  return entries;
}

/// @param table as to_entries() takes it, with `levels`, `target` and `weight`.
inline pseudosynth::PooledTable to_pooled(const Rcpp::List& table) {
  return {Rcpp::as<std::vector<int>>(table["levels"]), to_entries(table),
          Rcpp::as<std::vector<double>>(table["target"]),
          Rcpp::as<double>(table["weight"])};
}

/// @param tables list of `columns` (1-based), `target` and `weight`; with
/// `level`, see to_pooled().
/// @param rules list of `columns` and `cells` (0-based, whole numbers).
inline pseudosynth::FittingTask to_task(const std::vector<int>& levels,
                                        const Rcpp::LogicalVector& fixed,
                                        const Rcpp::List& tables,
                                        const Rcpp::List& rules) {
  pseudosynth::FittingTask task{
      levels, {}, {}, pseudosynth::ForbiddenCells(levels.size()), {}};
  if (static_cast<std::size_t>(fixed.size()) != levels.size())
    Rcpp::stop("Expected a flag for each column.");
  for (const int f : fixed) task.fixed.push_back(f != 0);
  for (R_xlen_t t = 0; t < tables.size(); ++t) {
    const Rcpp::List table(tables[t]);
    if (table.containsElementNamed("level")) {
      task.pooled.push_back(to_pooled(table));
      continue;
    }
    const Rcpp::NumericVector target(table["target"]);
    task.tables.push_back({to_columns(table["columns"], levels),
                           {target.begin(), target.end()},
                           Rcpp::as<double>(table["weight"])});
  }
  for (R_xlen_t r = 0; r < rules.size(); ++r) {
    const Rcpp::List rule(rules[r]);
    const Rcpp::NumericVector cells(rule["cells"]);
    task.forbidden.add(to_columns(rule["columns"], levels),
                       {cells.begin(), cells.end()});
  }
  return task;
}

/// A view of the fixed columns of n records.
inline pseudosynth::FixedCells to_fixed(const Rcpp::IntegerMatrix& codes, int n,
                                        const pseudosynth::FittingTask& task) {
  pseudosynth::FixedCells cells{
      codes.begin(), static_cast<std::size_t>(codes.nrow()), {}};
  std::vector<int> levels;
  for (std::size_t j = 0; j < task.levels.size(); ++j) {
    if (!task.fixed[j]) continue;
    cells.column.push_back(j);
    levels.push_back(task.levels[j]);
  }
  // A file without fixed columns says nothing of its records
  if (!levels.empty() && codes.nrow() != n)
    Rcpp::stop("Expected the fixed columns of each record.");
  to_file(codes, levels);
  return cells;
}

inline pseudosynth::AnnealingPlan to_annealing(const Rcpp::List& control) {
  const auto number = [&](const char* name) {
    return Rcpp::as<double>(control[name]);
  };
  const auto count = [&](const char* name) {
    return static_cast<std::size_t>(number(name));
  };
  pseudosynth::AnnealingPlan plan;
  plan.sweeps = Rcpp::as<int>(control["sweeps"]);
  plan.first_beta = number("first_beta");
  plan.coldest = number("coldest");
  plan.noise = number("noise");
  plan.records = number("records");
  plan.particles = count("particles");
  plan.grown_sweeps = Rcpp::as<int>(control["grown_sweeps"]);
  plan.together = count("together");
  plan.grown_together = count("grown_together");
  return plan;
}

/// What an amount of all records is fitted to, see swap_amounts_().
inline pseudosynth::AmountTask to_amount_targets(
    const Rcpp::List& tables, const Rcpp::NumericMatrix& lines,
    const Rcpp::List& control) {
  pseudosynth::AmountTask task;
  task.bins = Rcpp::as<std::size_t>(control["bins"]);
  for (R_xlen_t t = 0; t < tables.size(); ++t)
    task.tables.push_back({Rcpp::as<std::vector<double>>(tables[t]), 1.0});
  task.rows.width = static_cast<std::size_t>(lines.ncol());
  for (int g = 0; g < lines.nrow(); ++g) {
    for (int p = 0; p < lines.ncol(); ++p)
      task.rows.lines.push_back(lines(g, p));
  }
  task.score_weight = Rcpp::as<double>(control["score_weight"]);
  if (control.containsElementNamed("most_kept"))
    task.most_kept =
        static_cast<std::size_t>(Rcpp::as<double>(control["most_kept"]));
  return task;
}

}  // namespace binding

#endif
