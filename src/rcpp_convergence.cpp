// Binding of kernel/convergence.hpp.

#include <Rcpp.h>

#include <pseudosynth/kernel/convergence.hpp>

#include "rcpp_parallel.h"

namespace ps = pseudosynth;

// [[Rcpp::export(rng = false)]]
Rcpp::List convergence_(Rcpp::NumericMatrix values, int chains, int threads) {
  using Rcpp::_;
  const int S = values.nrow(), n = values.ncol();
  if (chains < 1 || S < 1 || S % chains != 0)
    Rcpp::stop("Expected as many draws in each of %d chains.", chains);
  const double* from = values.begin();
  std::vector<ps::Convergence> found(static_cast<std::size_t>(n));
  std::atomic<bool> stop{false};
  const std::vector<int> cut = binding::cut_range(n, threads);
  const int n_blocks = static_cast<int>(cut.size()) - 1;
  const auto block = [&](int b) {
    ps::ConvergenceKernel figures(chains, S / chains);
    for (int j = cut[b]; j < cut[static_cast<std::size_t>(b) + 1] && !stop; ++j)
      found[j] = figures(from + static_cast<std::size_t>(j) * S);
  };
  if (binding::run_tasks(n > 0 ? n_blocks : 0, threads, stop, block))
    throw Rcpp::internal::InterruptedException();
  Rcpp::NumericVector rhat(n), bulk(n), tail(n);
  const auto or_missing = [](double x) { return std::isnan(x) ? NA_REAL : x; };
  for (int j = 0; j < n; ++j) {
    const ps::Convergence& of = found[j];
    rhat[j] = or_missing(of.rhat);
    bulk[j] = or_missing(of.ess_bulk);
    tail[j] = or_missing(of.ess_tail);
  }
  return Rcpp::List::create(_["rhat"] = rhat, _["ess_bulk"] = bulk,
                            _["ess_tail"] = tail);
}
