// The log pseudo posterior on the unconstrained scale, for tests and
// benchmarks. `model_()` prepares it once; an external pointer never enters an
// object that users save.

#include "rcpp_posterior.h"

namespace ps = pseudosynth;

namespace {

/// The model and the records that it points to.
struct Model {
  explicit Model(const Rcpp::List& spec)
      : records(binding::to_records(spec)),
        posterior(binding::to_posterior(spec, records)) {}
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

// What theta stands for, and the way back from there.
// [[Rcpp::export(rng = false)]]
Rcpp::List posterior_parts_(Rcpp::List spec, Rcpp::NumericVector theta) {
  using Rcpp::_;
  Model model(spec);
  const ps::Vector at = binding::to_vector(theta);
  Rcpp::NumericVector draw(model.posterior.n_draw());
  Rcpp::NumericVector hyper(model.posterior.n_hyper());
  model.posterior.constrain(at, draw.begin(), hyper.begin());
  return Rcpp::List::create(
      _["log_lik"] = model.posterior.log_lik(at), _["draw"] = draw,
      _["hyper"] = hyper,
      _["back"] = model.posterior.unconstrain(draw.begin(), hyper.begin()));
}

// Where a chain starts.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector posterior_start_(Rcpp::List spec, int seed) {
  Model model(spec);
  ps::Rng rng(static_cast<std::uint64_t>(seed), 0);
  return Rcpp::wrap(model.posterior.initial(rng));
}
