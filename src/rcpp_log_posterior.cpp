// Bindings of the log pseudo posterior on the unconstrained scale, for tests
// and benchmarks. `model_()` prepares it once; an external pointer never enters
// an object that users save.

#include <pseudosynth/family/gaussian.hpp>
#include <pseudosynth/mixture_posterior.hpp>
#include <pseudosynth/pseudo_posterior.hpp>

#include "rcpp_model.h"

namespace ps = pseudosynth;

namespace {

/// One interface over the models of all families.
class Model {
 public:
  virtual ~Model() = default;
  virtual int size() const = 0;
  virtual double evaluate(const ps::Vector& theta, ps::Vector& gradient) = 0;
  virtual Rcpp::NumericVector constrain(const ps::Vector& theta) const = 0;
};

template <class Posterior>
class ModelOf : public Model {
 public:
  template <class... Arguments>
  explicit ModelOf(std::unique_ptr<ps::Records> records,
                   Arguments&&... arguments)
      : records_(std::move(records)),
        posterior_(*records_, std::forward<Arguments>(arguments)...) {}

  int size() const override { return posterior_.size(); }
  double evaluate(const ps::Vector& theta, ps::Vector& gradient) override {
    return posterior_(theta, gradient);
  }
  Rcpp::NumericVector constrain(const ps::Vector& theta) const override {
    Rcpp::NumericVector draw(posterior_.n_draw());
    std::vector<double> hyper(static_cast<std::size_t>(posterior_.n_hyper()));
    posterior_.constrain(theta, draw.begin(), hyper.data());
    return draw;
  }

 private:
  std::unique_ptr<ps::Records> records_;
  Posterior posterior_;
};

std::unique_ptr<Model> make_model(const Rcpp::List& spec) {
  auto records = std::make_unique<ps::Records>(binding::to_records(spec));
  const auto prior = binding::to_prior(spec);
  const int K = binding::n_components(spec);
  if (K == 0)
    return std::make_unique<ModelOf<ps::PseudoPosterior<ps::Gaussian>>>(
        std::move(records), *prior);
  return std::make_unique<ModelOf<ps::MixturePosterior>>(
      std::move(records), *prior, K, Rcpp::as<double>(spec["sigma_floor"]));
}

}  // namespace

// [[Rcpp::export(rng = false)]]
SEXP model_(Rcpp::List spec) {
  return Rcpp::XPtr<Model>(make_model(spec).release(), true);
}

// [[Rcpp::export(rng = false)]]
Rcpp::List model_evaluate_(SEXP model, Rcpp::NumericVector theta) {
  using Rcpp::_;
  const Rcpp::XPtr<Model> target(model);
  if (theta.size() != target->size())
    Rcpp::stop("Expected %d parameters, not %d.", target->size(), theta.size());
  const ps::Vector at = binding::to_vector(theta);
  ps::Vector gradient(target->size());
  const double value = target->evaluate(at, gradient);
  return Rcpp::List::create(_["value"] = value, _["gradient"] = gradient);
}

// [[Rcpp::export(rng = false)]]
int unconstrained_size_(Rcpp::List spec) {
  return make_model(spec)->size();
}

// [[Rcpp::export(rng = false)]]
Rcpp::List log_posterior_(Rcpp::List spec, Rcpp::NumericVector theta) {
  return model_evaluate_(model_(spec), theta);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector constrain_(Rcpp::List spec, Rcpp::NumericVector theta) {
  return make_model(spec)->constrain(binding::to_vector(theta));
}
