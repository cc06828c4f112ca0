// Bindings of synth/score_sums.hpp and of the design rows that it sums over.

#include <pseudosynth/synth/score_sums.hpp>

#include "rcpp_model.h"

namespace ps = pseudosynth;

// The design row of every record (1-based) and the first record of each row.
// [[Rcpp::export(rng = false)]]
Rcpp::List design_rows_(Rcpp::List spec) {
  const ps::Design design = binding::to_records(spec).design;
  Rcpp::IntegerVector row(design.n_records());
  Rcpp::IntegerVector first(design.n_rows());
  for (int i = 0; i < design.n_records(); ++i)
    row[design.order()[i]] = design.row()[i] + 1;
  for (int r = 0; r < design.n_rows(); ++r)
    first[r] = design.order()[design.row_start()[r]] + 1;
  return Rcpp::List::create(Rcpp::_["row"] = row, Rcpp::_["first"] = first);
}

// sum_i q_i z[row_i, ]: z (rows x D) and q whole, |q_i| at most `limit`, row
// 1-based. Exact.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector score_sums_(Rcpp::NumericMatrix z, Rcpp::IntegerVector row,
                                Rcpp::NumericVector q, double limit) {
  std::vector<int> at(row.begin(), row.end());
  for (int& r : at) --r;
  const std::vector<std::int64_t> sums = ps::score_sums(
      std::vector<std::int64_t>(z.begin(), z.end()), z.nrow(), z.ncol(), at,
      std::vector<std::int64_t>(q.begin(), q.end()),
      static_cast<std::int64_t>(limit));
  return Rcpp::NumericVector(sums.begin(), sums.end());
}
