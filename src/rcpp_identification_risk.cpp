// Bindings of kernel/identification_risk.hpp.

#include <Rcpp.h>

#include <pseudosynth/kernel/identification_risk.hpp>

#include "rcpp_parallel.h"

namespace ps = pseudosynth;

namespace {

// Parts of the records: their number does not depend on the threads.
constexpr int kParts = 64;

std::vector<int> to_ints(const Rcpp::IntegerVector& x) {
  return std::vector<int>(x.begin(), x.end());
}

}  // namespace

// How many records of its pattern lie in each record's ball. `y`, `radius` (a
// column for each amount) and `pattern` (0-based; -1: no such pattern) describe
// the records, `values` and `value_pattern` the file that is searched: the same
// one for count weights, the historical one for frozen ones, a synthetic set
// for risks of whole records.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector count_in_ball_(Rcpp::NumericMatrix y,
                                   Rcpp::NumericMatrix radius,
                                   Rcpp::IntegerVector pattern,
                                   Rcpp::NumericMatrix values,
                                   Rcpp::IntegerVector value_pattern,
                                   int n_patterns) {
  const R_xlen_t n = pattern.size();
  if (y.nrow() != n || radius.nrow() != n || radius.ncol() != y.ncol() ||
      values.ncol() != y.ncol() || values.nrow() != value_pattern.size())
    Rcpp::stop("Expected a value and a radius of each amount per record.");
  const ps::CloseRecords file(to_ints(value_pattern), n_patterns,
                              values.begin(),
                              static_cast<std::size_t>(y.ncol()));
  Rcpp::IntegerVector out(n);
  for (R_xlen_t i = 0; i < n; ++i) {
    // Of several amounts a record is compared with many
    if (i % 128 == 0) Rcpp::checkUserInterrupt();
    if (pattern[i] < 0) continue;
    out[i] = file.count(pattern[i], y.begin() + i, radius.begin() + i,
                        static_cast<std::size_t>(n));
  }
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::List identification_risk_(Rcpp::NumericVector y,
                                Rcpp::NumericVector radius,
                                Rcpp::IntegerVector pattern, int n_patterns,
                                Rcpp::NumericMatrix synthetic, int threads) {
  using Rcpp::_;
  const int n = static_cast<int>(y.size()), m = synthetic.ncol();
  if (radius.size() != n || pattern.size() != n || synthetic.nrow() != n)
    Rcpp::stop("Expected one radius, pattern and synthetic value per record.");
  const std::vector<int> groups = to_ints(pattern);
  const ps::PatternIndex index(groups, n_patterns);
  const std::vector<int> query = ps::query_order(index, y.begin());
  const double* values = synthetic.begin();

  std::atomic<bool> stop{false};
  std::vector<std::vector<double>> sorted(static_cast<std::size_t>(m));
  binding::run_to_end(m, threads, stop, [&](int set) {
    const std::size_t at = static_cast<std::size_t>(set);
    sorted[at] =
        ps::sort_within(index, values + at * static_cast<std::size_t>(n));
  });

  ps::RecordRisk out;
  for (auto* part : {&out.risk, &out.own, &out.matches})
    part->resize(static_cast<std::size_t>(n));
  const std::vector<int> cut = binding::cut_range(n, kParts);
  const int n_parts = static_cast<int>(cut.size()) - 1;
  std::vector<std::vector<ps::MatchSums>> sums(
      static_cast<std::size_t>(n_parts));
  const double* truth = y.begin();
  const double* width = radius.begin();
  binding::run_to_end(n_parts, threads, stop, [&](int part) {
    const std::size_t at = static_cast<std::size_t>(part);
    sums[at].resize(static_cast<std::size_t>(m));
    ps::identification_risk_block(query, cut[at], cut[at + 1], groups, index,
                                  truth, width, sorted, values, out,
                                  sums[at].data());
  });

  // Added part by part, so that the result is the same on any machine
  std::vector<ps::MatchSums> total(static_cast<std::size_t>(m));
  for (const auto& part : sums)
    for (std::size_t set = 0; set < total.size(); ++set)
      total[set] += part[set];
  Rcpp::NumericVector risk(m), expected(m), unique(m), true_unique(m);
  for (int set = 0; set < m; ++set) {
    const ps::MatchSums& of = total[set];
    risk[set] = of.risk;
    expected[set] = of.expected;
    unique[set] = static_cast<double>(of.unique);
    true_unique[set] = static_cast<double>(of.true_unique);
  }
  return Rcpp::List::create(
      _["risk"] = out.risk, _["own"] = out.own, _["matches"] = out.matches,
      _["set_risk"] = risk, _["set_expected"] = expected,
      _["set_unique"] = unique, _["set_true_unique"] = true_unique);
}
