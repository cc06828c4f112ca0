// Lets testthat drive the parts of the surrogate sampler that no R function
// shows.
#include <pseudosynth/family/registry.hpp>
#include <pseudosynth/sampler/run_surrogate_chain.hpp>

#include "rcpp_regression_prior.h"

namespace ps = pseudosynth;

namespace {

/// Calls `use` with the family of a specification that is not a mixture.
template <class Use>
Rcpp::List with_family(const Rcpp::List& spec, Use use) {
  return ps::visit_family(
      binding::to_kind(spec), [&](const auto& family) -> Rcpp::List {
        using Family = std::decay_t<decltype(family)>;
        if constexpr (std::is_same_v<Family, ps::NormalMixture>)
          Rcpp::stop("Not for mixtures.");
        else
          return use(family);
      });
}

}  // namespace

/// What the sampler expands, by value and by gradient.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_surrogate_density_(Rcpp::List spec, Rcpp::NumericVector theta) {
  const ps::Records records = binding::to_records(spec);
  return with_family(spec, [&](const auto& family) {
    using Rcpp::_;
    using Family = std::decay_t<decltype(family)>;
    ps::SurrogateModel<Family> model(records, family,
                                     binding::to_surrogate_prior(spec));
    ps::Vector gradient;
    const ps::Vector at = binding::to_vector(theta);
    const double value = model.value(at);
    const double again = model.gradient(at, gradient);
    return Rcpp::List::create(_["value"] = value, _["again"] = again,
                              _["gradient"] = Rcpp::wrap(gradient));
  });
}

/// A chain whose stand-in for the likelihood is spoilt: raised to `power` and
/// shifted by `shift` in every coordinate.
// [[Rcpp::export(rng = false)]]
Rcpp::List test_surrogate_spoilt_(Rcpp::List spec, int draws, int seed,
                                  double power, double shift, double keep) {
  const ps::Records records = binding::to_records(spec);
  return with_family(spec, [&](const auto& family) {
    using Rcpp::_;
    using Family = std::decay_t<decltype(family)>;
    const std::uint64_t word = static_cast<std::uint64_t>(seed);
    ps::SurrogateSetup<Family> setup(records, family,
                                     binding::to_surrogate_prior(spec), word);
    ps::SurrogateQuadratic lhat = setup.proposal().lhat.power(power);
    lhat.centre.array() += shift;
    setup.set_proposal(lhat, keep);
    ps::GibbsTuning tuning;
    tuning.warmup = 500;
    tuning.draws = draws;
    const ps::ChainResult chain = ps::run_surrogate_chain(
        setup, tuning, word, 0, ps::ChainHandlers(), nullptr);
    return Rcpp::List::create(
        _["draws"] = Rcpp::wrap(ps::Matrix(chain.draws.transpose())),
        _["hyper"] = Rcpp::wrap(ps::Matrix(chain.hyper.transpose())),
        _["accept_stat"] = chain.accept_stat);
  });
}
