// The augmentation sampler of the normal mixture.

#include <pseudosynth/sampler/run_mixture_chain.hpp>

#include "rcpp_sample.h"

namespace binding {

namespace {

double share(const std::vector<ps::MixtureAcceptance>& chains,
             long (ps::MixtureAcceptance::*kind)[2]) {
  double accepted = 0.0, proposed = 0.0;
  for (const auto& chain : chains) {
    accepted += static_cast<double>((chain.*kind)[0]);
    proposed += static_cast<double>((chain.*kind)[1]);
  }
  return proposed > 0 ? accepted / proposed : NA_REAL;
}

Rcpp::NumericVector acceptance_shares(
    const std::vector<ps::MixtureAcceptance>& chains) {
  using Rcpp::_;
  return Rcpp::NumericVector::create(
      _["coefficients"] = share(chains, &ps::MixtureAcceptance::coefficients),
      _["sigma"] = share(chains, &ps::MixtureAcceptance::sigma),
      _["pi"] = share(chains, &ps::MixtureAcceptance::pi),
      _["translation"] = share(chains, &ps::MixtureAcceptance::translation),
      _["scaling"] = share(chains, &ps::MixtureAcceptance::scaling),
      _["level"] = share(chains, &ps::MixtureAcceptance::level),
      _["hamiltonian"] = share(chains, &ps::MixtureAcceptance::hamiltonian));
}

}  // namespace

Sampling augmentation_sampling(const Rcpp::List& spec,
                               const ps::Records& records,
                               const Control& control) {
  const Rcpp::List prior = spec["prior"];
  const int K = n_components(spec);
  if (K == 0) Rcpp::stop("The augmentation sampler is for the normal mixture.");
  const std::string kind = Rcpp::as<std::string>(prior["kind"]);
  ps::MixturePrior from;
  from.sigma_floor = Rcpp::as<double>(spec["sigma_floor"]);
  from.m0 = to_vector(prior["location"]);
  from.shared = kind == "shared";
  if (from.shared) {
    from.m_scale = to_vector(prior["m_scale"]);
    from.tau_scale = Rcpp::as<double>(prior["scale"]);
    from.tau_df = Rcpp::as<double>(prior["df"]);
  } else if (kind == "normal") {
    from.m_scale = to_vector(prior["scale"]);
  } else {
    Rcpp::stop("The augmentation sampler knows shared and normal priors.");
  }
  if (records.censor.active)
    Rcpp::stop("The augmentation sampler is for uncensored models.");
  ps::MixtureTuning tuning;
  tuning.warmup = control.length.warmup;
  tuning.draws = control.length.draws;
  tuning.sweeps = control.length.thin;
  tuning.level_moves = control.level_moves.value_or(tuning.level_moves);
  tuning.hamiltonian_moves =
      control.hamiltonian_moves.value_or(tuning.hamiltonian_moves);
  tuning.pair_moves = control.pair_moves.value_or(tuning.pair_moves);
  // Each chain writes to its own element.
  const auto acceptance = std::make_shared<std::vector<ps::MixtureAcceptance>>(
      static_cast<std::size_t>(control.chains));
  return {[=, &records](int chain, const ps::ChainHandlers& handlers) {
            return ps::run_mixture_chain(
                records, K, from, tuning, control.seed, chain, handlers,
                control.start(chain),
                &(*acceptance)[static_cast<std::size_t>(chain)]);
          },
          static_cast<std::int64_t>(tuning.warmup) + tuning.draws,
          [=] { return acceptance_shares(*acceptance); }};
}

}  // namespace binding
