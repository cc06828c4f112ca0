// Bindings of file/told_tables.hpp: what noisy tables tell, of all at once.

#include <algorithm>
#include <atomic>
#include <pseudosynth/file/missed_sums.hpp>
#include <pseudosynth/file/told_tables.hpp>
#include <vector>

#include "rcpp_fitting.h"
#include "rcpp_model.h"
#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

ps::MatrixView to_view(const Rcpp::NumericMatrix& x) {
  return {x.begin(), static_cast<std::size_t>(x.nrow()),
          static_cast<std::size_t>(x.ncol())};
}

/// Views: the list must live as long.
std::vector<ps::LevelAxes> to_axes(const Rcpp::List& axes) {
  std::vector<ps::LevelAxes> out;
  for (R_xlen_t j = 0; j < axes.size(); ++j) {
    const Rcpp::List one(axes[j]);
    const SEXP matrix = one["axes"], size = one["size"];
    if (!Rf_isMatrix(matrix) || TYPEOF(matrix) != REALSXP ||
        TYPEOF(size) != REALSXP || XLENGTH(size) != Rf_ncols(matrix))
      Rcpp::stop("Expected axes and a size for each.");
    out.push_back({to_view(Rcpp::NumericMatrix(matrix)), REAL_RO(size)});
  }
  return out;
}

/// Noisy tables, the axes of their columns, and the noise.
struct NoisyTables {
  std::vector<std::vector<std::size_t>> columns;
  std::vector<std::vector<ps::LevelAxes>> axes;
  std::vector<const double*> residual;
  std::vector<std::size_t> cells;
  std::vector<double> noise;

  NoisyTables(const Rcpp::List& of, const Rcpp::List& residuals,
              const Rcpp::NumericVector& variance,
              const std::vector<ps::LevelAxes>& all)
      : noise(variance.begin(), variance.end()) {
    if (of.size() != residuals.size() || of.size() != variance.size())
      Rcpp::stop("Expected a residual and a variance for each table.");
    for (R_xlen_t t = 0; t < of.size(); ++t) {
      const Rcpp::IntegerVector own(of[t]);
      const SEXP values = residuals[t];
      columns.emplace_back();
      axes.emplace_back();
      std::size_t size = 1;
      for (const int j : own) {
        if (j < 1 || j > static_cast<int>(all.size()))
          Rcpp::stop("A table names a column that is not there.");
        columns.back().push_back(static_cast<std::size_t>(j - 1));
        axes.back().push_back(all[columns.back().back()]);
        size *= axes.back().back().axes.rows;
      }
      if (TYPEOF(values) != REALSXP ||
          static_cast<std::size_t>(XLENGTH(values)) != size)
        Rcpp::stop("A residual differs from its table in size.");
      residual.push_back(REAL_RO(values));
      cells.push_back(size);
    }
  }

  std::size_t size() const { return columns.size(); }
  std::vector<double> values(std::size_t t) const {
    return {residual[t], residual[t] + cells[t]};
  }

  /// @param use of a table's number; Ctrl-C is asked for between tables.
  template <class Use>
  void each(Use use) const {
    std::atomic<bool> stop{false};
    binding::run_to_end(1, 1, stop, [&](int) {
      for (std::size_t t = 0; t < size() && !stop; ++t) use(t);
    });
  }
};

}  // namespace

// A table multiplied by a matrix along each of its columns; several tables of
// the same columns lie one after the other.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector turned_table_(Rcpp::NumericVector table, Rcpp::List by) {
  std::vector<Rcpp::NumericMatrix> kept;
  std::vector<ps::MatrixView> views;
  std::size_t size = 1;
  for (R_xlen_t k = 0; k < by.size(); ++k) {
    kept.emplace_back(Rcpp::as<Rcpp::NumericMatrix>(by[k]));
    views.push_back(to_view(kept.back()));
    size *= views.back().columns;
  }
  if (size == 0 || static_cast<std::size_t>(table.size()) % size != 0)
    Rcpp::stop("Expected a matrix for each column of the table.");
  return Rcpp::wrap(
      ps::turned_table({table.begin(), table.end()}, views, false));
}

// Residuals of a table, times the product of its levels.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector whole_residual_(Rcpp::NumericVector counts,
                                    Rcpp::IntegerVector levels) {
  double size = 1;
  for (const int l : levels) size *= l;
  if (size != static_cast<double>(counts.size()) || size < 1)
    Rcpp::stop("Expected a count for each cell.");
  return Rcpp::wrap(ps::whole_residual({counts.begin(), counts.end()},
                                       {levels.begin(), levels.end()}));
}

// What a noisy interaction tells along the axes of its columns.
// [[Rcpp::export(rng = false)]]
Rcpp::List told_of_(Rcpp::NumericVector residual, Rcpp::List axes,
                    double variance) {
  using Rcpp::_;
  const std::vector<ps::LevelAxes> all = to_axes(axes);
  std::size_t size = 1;
  for (const ps::LevelAxes& one : all) size *= one.axes.rows;
  if (static_cast<std::size_t>(residual.size()) != size)
    Rcpp::stop("A residual differs from its table in size.");
  const ps::ToldTable told =
      ps::told_table({residual.begin(), residual.end()}, all, variance);
  return Rcpp::List::create(_["t"] = told.t, _["kept"] = told.kept,
                            _["mean"] = told.mean,
                            _["variance"] = told.variance);
}

// Interactions without what is only noise.
// @param columns (list of integer, from 1) of each table.
// [[Rcpp::export(rng = false)]]
Rcpp::List shrunk_residuals_(Rcpp::List columns, Rcpp::List residuals,
                             Rcpp::List axes, Rcpp::NumericVector variance) {
  const NoisyTables tables(columns, residuals, variance, to_axes(axes));
  std::vector<std::vector<double>> shrunk(tables.size());
  tables.each([&](std::size_t t) {
    shrunk[t] =
        ps::shrunk_table(tables.values(t), tables.axes[t], tables.noise[t]);
  });
  return Rcpp::wrap(shrunk);
}

// By column: second moments of interactions along its axes, and how many
// directions of other columns they are of. Tables that are only noise tell
// none.
// @param columns (list of two integers, from 1) of each pair.
// [[Rcpp::export(rng = false)]]
Rcpp::List axis_moments_(Rcpp::List columns, Rcpp::List residuals,
                         Rcpp::List axes, Rcpp::NumericVector variance) {
  using Rcpp::_;
  const std::vector<ps::LevelAxes> all = to_axes(axes);
  const NoisyTables tables(columns, residuals, variance, all);
  std::vector<std::vector<double>> sum;
  std::vector<double> count(all.size(), 0.0);
  for (const ps::LevelAxes& one : all)
    sum.emplace_back(one.axes.columns * one.axes.columns, 0.0);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables.columns[t].size() != 2) Rcpp::stop("Expected pairs.");
  }
  tables.each([&](std::size_t t) {
    const std::vector<std::size_t>& own = tables.columns[t];
    const ps::ToldTable told =
        ps::told_table(tables.values(t), tables.axes[t], tables.noise[t]);
    if (told.t == 0.0) return;
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t j = own[side], k = own[1 - side];
      ps::add_moments(told, all[j], all[k], side == 0, sum[j].data());
      count[j] += static_cast<double>(all[k].axes.columns);
    }
  });
  Rcpp::List moments(sum.size());
  for (std::size_t j = 0; j < sum.size(); ++j) {
    const int l = static_cast<int>(all[j].axes.columns);
    Rcpp::NumericMatrix own(l, l);
    std::copy(sum[j].begin(), sum[j].end(), own.begin());
    moments[static_cast<R_xlen_t>(j)] = own;
  }
  return Rcpp::List::create(_["moments"] = moments, _["count"] = count);
}

// Of each pair: squares of its residual beside the product of two margins.
// @param centred (list of double) by column: a margin less its mean.
// @param by (double) of each pair: what the product is divided by.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector squares_beside_(Rcpp::List columns, Rcpp::List residuals,
                                    Rcpp::List centred,
                                    Rcpp::NumericVector by) {
  if (columns.size() != residuals.size() || columns.size() != by.size())
    Rcpp::stop("Expected a residual for each pair.");
  Rcpp::NumericVector out(columns.size());
  std::vector<Rcpp::NumericVector> margin;
  for (R_xlen_t j = 0; j < centred.size(); ++j)
    margin.emplace_back(Rcpp::as<Rcpp::NumericVector>(centred[j]));
  for (R_xlen_t t = 0; t < columns.size(); ++t) {
    const Rcpp::IntegerVector own(columns[t]);
    const Rcpp::NumericVector residual(residuals[t]);
    if (own.size() != 2 || own[0] < 1 || own[1] < 1 ||
        own[0] > centred.size() || own[1] > centred.size())
      Rcpp::stop("Expected pairs of columns.");
    const Rcpp::NumericVector& a = margin[own[0] - 1];
    const Rcpp::NumericVector& b = margin[own[1] - 1];
    if (residual.size() != a.size() * b.size())
      Rcpp::stop("A residual differs from its table in size.");
    double sum = 0.0;
    R_xlen_t c = 0;
    for (R_xlen_t v = 0; v < b.size(); ++v) {
      for (R_xlen_t u = 0; u < a.size(); ++u, ++c) {
        const double beside = residual[c] - a[u] * b[v] / by[t];
        sum += beside * beside;
      }
    }
    out[t] = sum;
  }
  return out;
}

// What noise in tables leaves unknown of sums, see MissedSums.
// @param tables (list of list) `columns` (integer, from 1), `axes` (a list for
// each, with a matrix `axes`) and `variance`.
// @param rows (from 1) of the set, a row of `lines` and of `by` each.
// @param lines (from 1, at most `size`) which lines a record adds to.
// @param by what it adds to them, a column for each step.
// @return the covariance of all lines' sums of the first step, the second, ..
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix missed_sums_(Rcpp::IntegerMatrix codes,
                                 Rcpp::IntegerVector levels, Rcpp::List tables,
                                 Rcpp::IntegerVector rows,
                                 Rcpp::IntegerMatrix lines, int size,
                                 Rcpp::NumericMatrix by, int threads = 1) {
  const ps::CodedFile set = binding::to_file(codes, binding::to_levels(levels));
  if (rows.size() != lines.nrow() || rows.size() != by.nrow())
    Rcpp::stop("Expected lines of each record.");
  std::vector<std::size_t> row;
  for (const int i : rows) {
    if (i < 1 || i > codes.nrow()) Rcpp::stop("Expected records of the set.");
    row.push_back(static_cast<std::size_t>(i - 1));
  }
  for (const int line : lines) {
    if (line < 1 || line > size) Rcpp::stop("There is no such line.");
  }
  std::vector<ps::UnknownTable> unknown;
  for (R_xlen_t t = 0; t < tables.size(); ++t) {
    const Rcpp::List one(tables[t]);
    ps::UnknownTable table{
        binding::to_columns(one["columns"], set.levels), {}, nullptr};
    std::size_t along = 1;
    for (const ps::LevelAxes& axes : to_axes(one["axes"])) {
      table.axes.push_back(axes.axes);
      along *= axes.axes.columns;
      const std::size_t a = table.axes.size() - 1;
      if (a >= table.columns.size() ||
          axes.axes.rows !=
              static_cast<std::size_t>(set.levels[table.columns.column[a]]))
        Rcpp::stop("Axes differ from their table.");
    }
    const SEXP variance = one["variance"];
    if (TYPEOF(variance) != REALSXP ||
        static_cast<std::size_t>(XLENGTH(variance)) != along)
      Rcpp::stop("Expected a variance for each product of axes.");
    table.variance = REAL_RO(variance);
    unknown.push_back(std::move(table));
  }
  const ps::LinePulls pulls(std::move(row), lines.begin(),
                            static_cast<std::size_t>(lines.ncol()),
                            static_cast<std::size_t>(size), to_view(by));
  const ps::MissedSums sums(set, pulls);
  // As many parts at any number of threads: sums are added in one order
  const int parts = std::min(8, static_cast<int>(unknown.size()));
  std::vector<ps::Matrix> part(static_cast<std::size_t>(parts));
  std::atomic<bool> stop{false};
  binding::run_to_end(parts, threads, stop, [&](int p) {
    const auto cut = [&](int at) {
      return unknown.size() * static_cast<std::size_t>(at) /
             static_cast<std::size_t>(parts);
    };
    part[p] =
        sums.over(unknown, cut(p), cut(p + 1), [&] { return stop.load(); });
  });
  const Eigen::Index q = static_cast<Eigen::Index>(pulls.sums());
  ps::Matrix total = ps::Matrix::Zero(q, q);
  for (const ps::Matrix& one : part) total += one;
  ps::mirror(total);
  return binding::to_r(total);
}
