// What noisy tables tell, and moves of records that are fitted to tables,
// alone.
#include <pseudosynth/file/told_tables.hpp>
#include <pseudosynth/rng.hpp>

#include "rcpp_fitting.h"
#include "rcpp_model.h"

namespace ps = pseudosynth;

// `sweeps` sweeps of records at one inverse temperature: the move alone.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_sweep_records_(Rcpp::IntegerMatrix codes,
                               Rcpp::IntegerVector levels,
                               Rcpp::LogicalVector fixed, Rcpp::List tables,
                               Rcpp::List rules, double beta, int sweeps,
                               Rcpp::NumericVector seed) {
  const ps::CodedFile file =
      binding::to_file(codes, binding::to_levels(levels));
  const ps::FittingTask task =
      binding::to_task(file.levels, fixed, tables, rules);
  ps::FittedRecords fitted(task, binding::to_rows(codes), 1.0);
  ps::Rng rng(binding::to_seed(seed), 0);
  Rcpp::NumericVector energy(sweeps);
  for (int s = 0; s < sweeps; ++s) {
    fitted.sweep(beta, rng, nullptr);
    energy[s] = fitted.energy();
  }
  return Rcpp::List::create(
      Rcpp::_["codes"] = binding::from_rows(fitted.rows(), file.levels.size()),
      Rcpp::_["energy"] = energy);
}

// The likeliest size of normal numbers beside noise.
// [[Rcpp::export(rng = false)]]
double test_likeliest_size_(Rcpp::NumericVector squares,
                            Rcpp::NumericVector varies, double noise) {
  if (squares.size() != varies.size()) Rcpp::stop("Expected as many of each.");
  return ps::likeliest_size({squares.begin(), squares.end()},
                            {varies.begin(), varies.end()}, noise);
}
