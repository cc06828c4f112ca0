// The grid sampler, for models of up to three parameters.

#include <pseudosynth/sampler/run_grid_chain.hpp>

#include "rcpp_parallel.h"
#include "rcpp_posterior.h"
#include "rcpp_sample.h"

namespace binding {

namespace {

/// How far sum_i g_i can move: the intervals of all records with a weight.
double range_of(const ps::Records& records) {
  if (!records.censor.active) return ps::kInfinity;
  double n = 0.0;
  for (const double alpha : records.alpha) n += alpha > 0.0 ? 1.0 : 0.0;
  return n * (records.censor.upper - records.censor.lower);
}

}  // namespace

Sampling grid_sampling(const Rcpp::List& spec, const ps::Records& records,
                       const Control& control) {
  const auto setup = std::make_shared<const ps::GridSetup>(
      to_surrogate_model(spec, records), range_of(records), control.seed,
      InterruptPoll());
  Sampling sampling{[=](int chain, const ps::ChainHandlers& handlers) {
                      return ps::run_grid_chain(*setup, control.length,
                                                control.seed, chain, handlers);
                    },
                    control.length.draws};
  sampling.grid = [=] {
    return Rcpp::NumericVector::create(
        Rcpp::_["cells"] = static_cast<double>(setup->grid().n_cells()),
        Rcpp::_["unresolved"] = setup->grid().unresolved());
  };
  return sampling;
}

}  // namespace binding
