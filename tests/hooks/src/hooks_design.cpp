// Designs, and the pieces that kernels are made of.
#include <pseudosynth/design/grouped_design.hpp>
#include <pseudosynth/family/normal_mixture.hpp>
#include <pseudosynth/kernel/log_lik.hpp>
#include <pseudosynth/kernel/predictive_quantile.hpp>

#include "rcpp_model.h"

namespace {

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

Matrix dense_model_matrix(const ps::Design& design) {
  Matrix x = Matrix::Zero(design.n_rows(), design.n_columns());
  std::vector<int> column;
  std::vector<double> value;
  for (int r = 0; r < design.n_rows(); ++r) {
    design.row_entries(r, column, value);
    for (std::size_t e = 0; e < column.size(); ++e) x(r, column[e]) += value[e];
  }
  return x;
}

}  // namespace

// Everything a design does, beside its dense matrix. b is P x K, d_eta is
// n_rows x K; `row` (0-based, ascending) and `weight` pick rows for the sums.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_design_(Rcpp::List spec, Rcpp::NumericMatrix b,
                        Rcpp::NumericMatrix d_eta, Rcpp::IntegerVector row,
                        Rcpp::NumericVector weight) {
  using Rcpp::_;
  const ps::Records records = binding::to_records(spec);
  const ps::Design& design = records.design;
  const ps::GroupedDesign grouped(design);
  const int K = b.ncol(), P = design.n_columns(), R = design.n_rows();
  const int n = static_cast<int>(row.size());
  // b[j * K + k]
  const Matrix flat_b = Rcpp::as<Matrix>(b).transpose();
  Matrix eta(K, R), gradient = Matrix::Zero(K, P), xwx;
  design.linear_predictor(flat_b.data(), K, eta.data());
  if (d_eta.nrow() == R) {
    const Matrix flat_eta = Rcpp::as<Matrix>(d_eta).transpose();
    design.add_gradient(flat_eta.data(), K, gradient.data());
  }
  Matrix grouped_eta(R, K);
  for (int k = 0; k < K; ++k)
    grouped.linear_predictor(b.begin() + static_cast<std::size_t>(k) * P,
                             grouped_eta.col(k).data());
  Vector xv(P);
  grouped.transpose_times(n, row.begin(), weight.begin(), xv.data());
  grouped.cross_products(n, row.begin(), weight.begin(), xwx);
  return Rcpp::List::create(
      _["matrix"] = dense_model_matrix(design), _["order"] = design.order(),
      _["row"] = design.row(), _["row_start"] = design.row_start(),
      _["eta"] = Matrix(eta.transpose()),
      _["gradient"] = Matrix(gradient.transpose()),
      _["grouped_eta"] = grouped_eta, _["transpose_times"] = xv,
      _["cross_products"] = xwx);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_screen_series_(Rcpp::NumericVector x, int chains) {
  double rhat, ess;
  ps::screen_series(x.begin(), chains, static_cast<int>(x.size()) / chains,
                    rhat, ess);
  return Rcpp::NumericVector::create(rhat, ess);
}

// S x length(p).
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix test_predictive_quantile_(Rcpp::List spec,
                                              Rcpp::NumericMatrix draws,
                                              Rcpp::NumericVector p) {
  const ps::Records records = binding::to_records(spec);
  ps::PredictiveQuantile quantile(records.design, binding::n_components(spec));
  Rcpp::NumericMatrix out(draws.nrow(), static_cast<int>(p.size()));
  for (int s = 0; s < draws.nrow(); ++s) {
    const Rcpp::NumericVector draw = draws(s, Rcpp::_);
    quantile.set(draw.begin());
    for (int q = 0; q < out.ncol(); ++q) out(s, q) = quantile(p[q], ps::kNaN);
  }
  return out;
}

// f of records with response y at one set of linear predictors.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector test_normal_mixture_log_lik_(Rcpp::NumericVector y,
                                                 Rcpp::NumericVector eta,
                                                 Rcpp::NumericVector log_pi,
                                                 Rcpp::NumericVector sigma) {
  Rcpp::NumericVector out(y.size());
  for (R_xlen_t i = 0; i < y.size(); ++i)
    out[i] =
        ps::normal_mixture_log_lik(y[i], eta.begin(), log_pi.begin(),
                                   sigma.begin(), static_cast<int>(eta.size()));
  return out;
}
