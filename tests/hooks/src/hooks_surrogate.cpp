// Parts of the surrogate sampler.
#include <pseudosynth/sampler/run_surrogate_chain.hpp>

#include "rcpp_posterior.h"

namespace ps = pseudosynth;

// What the sampler expands, by value and by gradient.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_surrogate_density_(Rcpp::List spec, Rcpp::NumericVector theta) {
  using Rcpp::_;
  const ps::Records records = binding::to_records(spec);
  const auto model = binding::to_surrogate_model(spec, records);
  ps::Vector gradient;
  const ps::Vector at = binding::to_vector(theta);
  const double value = model->value(at);
  const double again = model->gradient(at, gradient);
  return Rcpp::List::create(_["value"] = value, _["again"] = again,
                            _["gradient"] = Rcpp::wrap(gradient));
}

// A chain whose stand-in for the likelihood is spoilt: raised to `power` and
// shifted by `shift` in every coordinate.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_surrogate_spoilt_(Rcpp::List spec, int draws, int seed,
                                  double power, double shift, double keep) {
  using Rcpp::_;
  const ps::Records records = binding::to_records(spec);
  const std::uint64_t word = static_cast<std::uint64_t>(seed);
  ps::SurrogateSetup setup(binding::to_surrogate_model(spec, records), word);
  ps::SurrogateQuadratic lhat = setup.proposal().lhat.power(power);
  lhat.centre.array() += shift;
  setup.set_proposal(lhat, keep);
  const ps::ChainResult chain =
      ps::run_surrogate_chain(setup, ps::ChainLength{500, draws, 1}, word, 0,
                              ps::ChainHandlers(), nullptr);
  return Rcpp::List::create(
      _["draws"] = Rcpp::wrap(ps::Matrix(chain.draws.transpose())),
      _["hyper"] = Rcpp::wrap(ps::Matrix(chain.hyper.transpose())),
      _["accept_stat"] = chain.accept_stat);
}

// How many evaluations a set-up makes when it is asked to stop at the n-th.
// [[Rcpp::export(rng = false)]]
int test_surrogate_stop_(Rcpp::List spec, int n) {
  const ps::Records records = binding::to_records(spec);
  int asked = 0;
  try {
    ps::SurrogateSetup(binding::to_surrogate_model(spec, records), 1, nullptr,
                       [&] { return ++asked >= n; });
  } catch (const ps::Interrupted&) {
    return asked;
  }
  return -asked;
}
