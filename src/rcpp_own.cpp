// Bindings of file/own_vectors.hpp: rows of records from lines of their levels,
// and sums of their whole vectors.

#include <atomic>
#include <pseudosynth/file/own_vectors.hpp>

#include "rcpp_coded.h"
#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

/// @param lines (1 + all levels) x P.
ps::LevelRows to_level_rows(const Rcpp::IntegerMatrix& codes,
                            const Rcpp::IntegerVector& levels,
                            const Rcpp::NumericMatrix& lines) {
  const std::size_t width = static_cast<std::size_t>(lines.ncol());
  std::vector<double> by_line;
  by_line.reserve(static_cast<std::size_t>(lines.size()));
  for (int g = 0; g < lines.nrow(); ++g) {
    for (int p = 0; p < lines.ncol(); ++p) by_line.push_back(lines(g, p));
  }
  return {binding::to_file(codes, binding::to_levels(levels)), by_line, width};
}

ps::VectorLimit to_limit(const Rcpp::List& limit) {
  return {Rcpp::as<double>(limit["kappa"]), Rcpp::as<double>(limit["unit"]),
          static_cast<std::int64_t>(Rcpp::as<double>(limit["longest"])),
          Rcpp::as<bool>(limit["absolute"])};
}

void check_scale(const ps::LevelRows& rows, const Rcpp::NumericVector& scale) {
  if (static_cast<std::size_t>(scale.size()) != rows.n_records())
    Rcpp::stop("Expected a scale for each record.");
}

/// In parts of the records, on some threads.
template <class Part>
void in_parts(const ps::LevelRows& rows, int threads, Part part) {
  const std::vector<int> cut =
      binding::cut_range(static_cast<int>(rows.n_records()), 4 * threads);
  std::atomic<bool> stop{false};
  binding::run_to_end(static_cast<int>(cut.size()) - 1, threads, stop,
                      [&](int p) {
                        part(p, static_cast<std::size_t>(cut[p]),
                             static_cast<std::size_t>(cut[p + 1]), stop);
                      });
}

}  // namespace

// What one line each adds up to for every record: a linear predictor.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector line_sums_(Rcpp::IntegerMatrix codes,
                               Rcpp::IntegerVector levels,
                               Rcpp::NumericVector lines, int threads = 1) {
  const Rcpp::NumericMatrix column(static_cast<int>(lines.size()), 1,
                                   lines.begin());
  const ps::LevelRows rows = to_level_rows(codes, levels, column);
  std::vector<double> out(rows.n_records());
  in_parts(rows, threads,
           [&](int, std::size_t first, std::size_t last, std::atomic<bool>&) {
             for (std::size_t i = first; i < last; ++i) out[i] = rows.single(i);
           });
  return Rcpp::NumericVector(out.begin(), out.end());
}

// Whole vectors, N x P. @param limit `kappa`, `unit`, `longest`.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix own_vectors_(Rcpp::IntegerMatrix codes,
                                 Rcpp::IntegerVector levels,
                                 Rcpp::NumericMatrix lines,
                                 Rcpp::NumericVector scale, Rcpp::List limit) {
  const ps::LevelRows rows = to_level_rows(codes, levels, lines);
  check_scale(rows, scale);
  const ps::VectorLimit own = to_limit(limit);
  ps::RowReader reader(rows);
  Rcpp::NumericMatrix out(codes.nrow(), lines.ncol());
  for (int i = 0; i < codes.nrow(); ++i) {
    const double* z =
        reader.own_vector(static_cast<std::size_t>(i), scale[i], own);
    for (int p = 0; p < lines.ncol(); ++p) out(i, p) = z[p];
  }
  return out;
}

// sum_i q_i z_i of the same vectors, q whole and its absolute values at most
// 2^41 in all: exact, and the same at any number of threads.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector own_sums_(Rcpp::IntegerMatrix codes,
                              Rcpp::IntegerVector levels,
                              Rcpp::NumericMatrix lines,
                              Rcpp::NumericVector scale, Rcpp::NumericVector q,
                              Rcpp::List limit, int threads = 1) {
  const ps::LevelRows rows = to_level_rows(codes, levels, lines);
  check_scale(rows, scale);
  check_scale(rows, q);
  const ps::VectorLimit own = to_limit(limit);
  double total = 0.0;
  for (const double one : q) {
    total += std::fabs(one);
    if (one != std::trunc(one)) Rcpp::stop("Expected whole scores.");
  }
  if (!(total <= 2199023255552.0)) Rcpp::stop("Sums would be inexact.");
  const std::size_t most = static_cast<std::size_t>(4 * threads) + 1;
  const std::size_t P = rows.width();
  std::vector<std::vector<std::int64_t>> parts(most,
                                               std::vector<std::int64_t>(P, 0));
  in_parts(
      rows, threads,
      [&](int p, std::size_t first, std::size_t last, std::atomic<bool>& stop) {
        ps::add_own_vectors(
            rows, scale.begin(), q.begin(), own, first, last,
            [&] { return stop.load(); }, parts.at(static_cast<std::size_t>(p)));
      });
  Rcpp::NumericVector sums(static_cast<R_xlen_t>(P));
  for (std::size_t p = 0; p < P; ++p) {
    std::int64_t sum = 0;
    for (const std::vector<std::int64_t>& part : parts) sum += part[p];
    sums[static_cast<R_xlen_t>(p)] = static_cast<double>(sum);
  }
  return sums;
}
