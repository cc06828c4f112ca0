// Bindings of the log pseudo posterior on the unconstrained scale, for tests
// and benchmarks. `model_()` prepares it once; an external pointer never enters
// an object that users save.

#include <pseudosynth/any_posterior.hpp>

#include "rcpp_model.h"

namespace ps = pseudosynth;

namespace {

/// The model and the records that it points to.
struct Model {
  explicit Model(const Rcpp::List& spec)
      : records(binding::to_records(spec)),
        posterior(ps::make_posterior(binding::to_kind(spec), records,
                                     *binding::to_prior(spec))) {}
  Model(const Model&) = delete;

  ps::Records records;
  ps::AnyPosterior posterior;
};

}  // namespace

// [[Rcpp::export(rng = false)]]
SEXP model_(Rcpp::List spec) {
  return Rcpp::XPtr<Model>(new Model(spec), true);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List model_evaluate_(SEXP model, Rcpp::NumericVector theta) {
  using Rcpp::_;
  const Rcpp::XPtr<Model> target(model);
  ps::AnyPosterior& posterior = target->posterior;
  if (theta.size() != posterior.size())
    Rcpp::stop("Expected %d parameters, not %d.", posterior.size(),
               theta.size());
  const ps::Vector at = binding::to_vector(theta);
  ps::Vector gradient(posterior.size());
  const double value = posterior(at, gradient);
  return Rcpp::List::create(_["value"] = value, _["gradient"] = gradient);
}

// [[Rcpp::export(rng = false)]]
int unconstrained_size_(Rcpp::List spec) {
  return Model(spec).posterior.size();
}

// [[Rcpp::export(rng = false)]]
Rcpp::List log_posterior_(Rcpp::List spec, Rcpp::NumericVector theta) {
  return model_evaluate_(model_(spec), theta);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector constrain_(Rcpp::List spec, Rcpp::NumericVector theta) {
  const Model model(spec);
  Rcpp::NumericVector draw(model.posterior.n_draw());
  std::vector<double> hyper(
      static_cast<std::size_t>(model.posterior.n_hyper()));
  model.posterior.constrain(binding::to_vector(theta), draw.begin(),
                            hyper.data());
  return draw;
}
