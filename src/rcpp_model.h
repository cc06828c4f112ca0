// The model specification list of R (see R/fit_synthesizer.R) as objects of the
// core. Every binding reads it here and nowhere else.
#ifndef PSEUDOSYNTH_RCPP_MODEL_H
#define PSEUDOSYNTH_RCPP_MODEL_H

#include <Rcpp.h>

#include <algorithm>
#include <memory>
#include <pseudosynth/family/registry.hpp>
#include <pseudosynth/kernel/draw_tile.hpp>
#include <pseudosynth/prior/coefficient_prior.hpp>
#include <pseudosynth/records.hpp>
#include <pseudosynth/sampler/mixture/mixture_state.hpp>
#include <pseudosynth/sampler/surrogate_model.hpp>
#include <vector>

namespace binding {

namespace ps = pseudosynth;

inline ps::Vector to_vector(const Rcpp::NumericVector& x) {
  return Eigen::Map<const ps::Vector>(x.begin(), x.size());
}
inline Rcpp::NumericVector to_r(const ps::Vector& x) {
  return Rcpp::NumericVector(x.data(), x.data() + x.size());
}
inline Rcpp::NumericMatrix to_r(const ps::Matrix& x) {
  return Rcpp::NumericMatrix(static_cast<int>(x.rows()),
                             static_cast<int>(x.cols()), x.data());
}

/// Family and public constants; an unknown name is an error.
ps::ModelKind to_kind(const Rcpp::List& spec);
/// Components of the mixture, 0 for every other family.
int n_components(const Rcpp::List& spec);

/// Codes of factors, one column each: bytes or integers of R.
ps::Codes to_codes(SEXP x);
ps::Predictors to_predictors(const Rcpp::List& spec, int n_records);
ps::Records to_records(const Rcpp::List& spec);
/// The design rows of records alone, without responses and weights.
ps::Records to_rows(const Rcpp::List& spec);

std::unique_ptr<ps::CoefficientPrior> to_prior(const Rcpp::List& spec);
/// The normal and hierarchical priors as the Gibbs sampler takes them.
ps::RegressionPrior to_regression_prior(const Rcpp::List& spec);
ps::SurrogatePrior to_surrogate_prior(const Rcpp::List& spec);
/// The shared and normal priors as the augmentation sampler takes them.
ps::MixturePrior to_mixture_prior(const Rcpp::List& spec);

/// The draws of R (S x D) without a copy.
ps::DrawMatrix to_draws(const Rcpp::NumericMatrix& draws,
                        const ps::Records& records, const ps::ModelKind& kind);

std::uint64_t to_seed(const Rcpp::NumericVector& words);

/// Blocks of about `size` cells; the cut does not depend on threads.
std::vector<ps::CellRange> cut_cells(const ps::Records& records, int size);

}  // namespace binding

#endif
