// The core's sampler, log-likelihood and simulation for Laplace errors.
// [[Rcpp::depends(RcppEigen, pseudosynth)]]
// [[Rcpp::plugins(cpp17)]]
#include "laplace.hpp"

#include <RcppEigen.h>

#include <pseudosynth/kernel/log_lik.hpp>
#include <pseudosynth/prior/normal_prior.hpp>
#include <pseudosynth/pseudo_posterior.hpp>
#include <pseudosynth/sampler/run_nuts_chain.hpp>
#include <pseudosynth/synth/predictive.hpp>

namespace ps = pseudosynth;

// x: N x Q without the column of ones.
ps::Records make_records(const Rcpp::NumericMatrix& x,
                         const Rcpp::NumericVector& y,
                         const Rcpp::NumericVector& alpha) {
  ps::Predictors predictors;
  predictors.n_records = x.nrow();
  predictors.n_columns = 1 + x.ncol();
  predictors.intercept = true;
  predictors.numeric.assign(x.begin(), x.end());
  for (int q = 0; q < x.ncol(); ++q) predictors.numeric_column.push_back(1 + q);
  return ps::Records(predictors, Rcpp::as<std::vector<double>>(y),
                     Rcpp::as<std::vector<double>>(alpha));
}

std::uint64_t make_seed(const Rcpp::NumericVector& words) {
  return (static_cast<std::uint64_t>(words[0]) << 32) |
         static_cast<std::uint64_t>(words[1]);
}

// [[Rcpp::export]]
Rcpp::List sample_laplace_(Rcpp::NumericMatrix x, Rcpp::NumericVector y,
                           Rcpp::NumericVector alpha, Eigen::VectorXd location,
                           Eigen::VectorXd scale, int chains, int warmup,
                           int draws, Rcpp::NumericVector seed) {
  const ps::Records records = make_records(x, y, alpha);
  const ps::NormalPrior prior(location, scale);
  const ps::PseudoPosterior<Laplace> posterior(records, prior);
  ps::NutsTuning tuning;
  tuning.warmup = warmup;
  tuning.draws = draws;

  Eigen::MatrixXd kept(chains * draws, posterior.n_draw());
  int divergent = 0;
  for (int chain = 0; chain < chains; ++chain) {
    Rcpp::checkUserInterrupt();
    const ps::ChainResult result = ps::run_nuts_chain(
        posterior, tuning, make_seed(seed), static_cast<std::uint64_t>(chain));
    kept.middleRows(chain * draws, draws) = result.draws.transpose();
    for (bool one : result.divergent) divergent += one;
  }

  // f of every record at every draw: unweighted.
  Eigen::MatrixXd log_lik(kept.rows(), records.size());
  const ps::DrawMatrix rows{kept.data(), static_cast<int>(kept.rows()),
                            static_cast<int>(kept.cols())};
  ps::fill_log_lik(records, Laplace(), rows, records.all_cells(),
                   log_lik.data(), [] { return false; });
  return Rcpp::List::create(Rcpp::Named("draws") = kept,
                            Rcpp::Named("log_lik") = log_lik,
                            Rcpp::Named("divergent") = divergent);
}

// One synthetic response a record from one draw.
// [[Rcpp::export]]
Rcpp::NumericVector simulate_laplace_(Rcpp::NumericMatrix x,
                                      Rcpp::NumericVector draw,
                                      Rcpp::NumericVector seed) {
  const Rcpp::NumericVector none(x.nrow());
  const ps::Records records = make_records(x, none, none);
  Rcpp::NumericVector out(x.nrow());
  ps::Rng rng(make_seed(seed), 0);
  ps::synthesize(records, Laplace(), draw.begin(), ps::Assignment::kPrior, rng,
                 out.begin());
  return out;
}
