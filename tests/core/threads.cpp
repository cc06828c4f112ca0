// Chains of one model at once: they share its records and set-up, and give the
// draws that they give one after the other. Built and run by `make core`; by
// `make sanitize` under the thread sanitizer, too, which sees two threads that
// write to what they share. Exit status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "pseudosynth/mixture_posterior.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/prior/shared_prior.hpp"
#include "pseudosynth/pseudo_posterior.hpp"
#include "pseudosynth/sampler/family_surrogate_model.hpp"
#include "pseudosynth/sampler/run_grid_chain.hpp"
#include "pseudosynth/sampler/run_nuts_chain.hpp"
#include "pseudosynth/sampler/run_surrogate_chain.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Vector;

int failures = 0;

/// On a factor of three levels, or on an intercept alone.
ps::Records regression(bool clipped, bool with_factor) {
  ps::Rng rng(6, 0);
  ps::Predictors x;
  x.n_records = 80;
  x.n_columns = with_factor ? 3 : 1;
  if (with_factor) {
    x.n_levels = {3};
    x.factor_column = {1};
  }
  std::vector<double> y, alpha;
  for (int i = 0; i < x.n_records; ++i) {
    if (with_factor) x.codes.push_back(i % 3);
    alpha.push_back(i % 4 == 0 ? 0.5 : 1.0);
    y.push_back(0.5 * (i % 3) + rng.normal());
  }
  ps::Censor censor;
  if (clipped) {
    censor.active = true;
    censor.lower = -1.0;
    censor.upper = 1.0;
    for (double a : alpha) censor.centre.push_back(-1.2 * a);
  }
  return ps::Records(x, y, alpha, censor);
}

/// @param run gives the draws of a chain, by its number.
void check(const std::string& what,
           const std::function<ps::ChainResult(int)>& run) {
  const int n = 3;
  std::vector<ps::ChainResult> one_by_one, at_once(n);
  for (int chain = 0; chain < n; ++chain) one_by_one.push_back(run(chain));
  std::vector<std::thread> threads;
  for (int chain = 0; chain < n; ++chain)
    threads.emplace_back([&, chain] { at_once[chain] = run(chain); });
  for (std::thread& thread : threads) thread.join();
  for (int chain = 0; chain < n; ++chain) {
    const bool same = one_by_one[chain].draws == at_once[chain].draws &&
                      at_once[chain].draws.allFinite();
    if (!same) ++failures;
    std::printf("%s %s, chain %d\n", same ? "ok  " : "FAIL", what.c_str(),
                chain);
  }
}

}  // namespace

int main() {
  const ps::ChainHandlers none;
  const ps::ChainLength length{30, 40, 1};
  ps::ModelKind kind;
  kind.name = "gaussian";
  ps::SurrogatePrior prior;
  prior.location = Vector::Zero(3);
  prior.scale = Vector::Ones(3);
  for (const bool clipped : {false, true}) {
    const ps::Records records = regression(clipped, true);
    const std::string how = clipped ? ", clipped" : "";
    const ps::SurrogateSetup setup(
        ps::make_surrogate_model(kind, records, prior), 1);
    check("surrogate" + how, [&](int chain) {
      return ps::run_surrogate_chain(setup, length, 1, chain, none, nullptr);
    });
    const ps::NormalPrior normal(prior.location, prior.scale);
    ps::NutsTuning tuning;
    tuning.warmup = 30;
    tuning.draws = 40;
    const ps::PseudoPosterior<ps::Gaussian> target(records, normal);
    check("NUTS" + how, [&](int chain) {
      return ps::run_nuts_chain(target, tuning, 1,
                                static_cast<std::uint64_t>(chain), none);
    });
    const ps::SharedPrior shared(3.0, 0.25, prior.location, prior.scale);
    const ps::MixturePosterior mixture(records, shared, 2, 0.1);
    check("NUTS, mixture" + how, [&](int chain) {
      return ps::run_nuts_chain(mixture, tuning, 1,
                                static_cast<std::uint64_t>(chain), none);
    });
    ps::SurrogatePrior of_level;
    of_level.location = Vector::Zero(1);
    of_level.scale = Vector::Ones(1);
    const ps::Records few = regression(clipped, false);
    const ps::GridSetup grid(ps::make_surrogate_model(kind, few, of_level),
                             160.0, 1, [] { return false; });
    check("grid" + how, [&](int chain) {
      return ps::run_grid_chain(grid, length, 1, chain, none);
    });
  }
  return failures > 0;
}
