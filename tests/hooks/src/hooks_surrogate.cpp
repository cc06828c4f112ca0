// What the surrogate sampler expands.
#include "posterior.h"
#include "rcpp_model.h"

namespace ps = pseudosynth;

// By value and by gradient.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_surrogate_density_(Rcpp::List spec, Rcpp::NumericVector theta) {
  using Rcpp::_;
  const ps::Records records = binding::to_records(spec);
  const auto model = binding::new_surrogate_model(
      binding::to_kind(spec), records, binding::to_surrogate_prior(spec));
  ps::Vector gradient;
  const ps::Vector at = binding::to_vector(theta);
  const double value = model->value(at);
  const double again = model->gradient(at, gradient);
  return Rcpp::List::create(_["value"] = value, _["again"] = again,
                            _["gradient"] = binding::to_r(gradient));
}
