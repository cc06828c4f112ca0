// The surrogate sampler: every family and prior, clipped or not, gives finite
// draws and the same ones again; a poor stand-in for the likelihood costs time,
// not exactness; a set-up stops when it is asked to. Built and run by
// `make core` and `make sanitize`; exit status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "pseudosynth/prior/beta_mean_prior.hpp"
#include "pseudosynth/prior/hierarchical_prior.hpp"
#include "pseudosynth/pseudo_posterior.hpp"
#include "pseudosynth/sampler/family_surrogate_model.hpp"
#include "pseudosynth/sampler/run_grid_chain.hpp"
#include "pseudosynth/sampler/run_nuts_chain.hpp"
#include "pseudosynth/sampler/run_surrogate_chain.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Vector;

int failures = 0;

void expect(const std::string& what, bool good) {
  if (good) return;
  ++failures;
  std::printf("FAIL %s\n", what.c_str());
}

/// A regression on a factor of three levels and a number, weights 0 to 1.
ps::Records regression(const std::string& family, int n, bool clipped) {
  ps::Rng rng(6, 0);
  ps::Predictors x;
  x.n_records = n;
  x.n_columns = 4;
  x.n_levels = {3};
  x.factor_column = {1};
  x.numeric_column = {3};
  std::vector<double> y, alpha;
  const double level[] = {0.0, 0.8, -0.5}, weight[] = {0.0, 0.3, 0.8, 1.0};
  for (int i = 0; i < n; ++i) {
    x.codes.push_back(i % 3);
    x.numeric.push_back(std::round(10.0 * rng.normal()) / 10.0);
    alpha.push_back(weight[i % 4]);
    const double eta = level[i % 3] + 0.4 * x.numeric.back();
    if (family == "poisson")
      y.push_back(static_cast<double>(rng.poisson(std::exp(eta))));
    else if (family == "neg_binomial")
      y.push_back(static_cast<double>(
          rng.poisson(std::exp(eta + 1.0) * rng.gamma(2.0) / 2.0)));
    else if (family == "beta")
      y.push_back(ps::inv_logit(eta + 0.5 * rng.normal()));
    else if (family == "bernoulli")
      y.push_back(rng.uniform() < ps::inv_logit(eta) ? 1.0 : 0.0);
    else
      y.push_back(eta + 0.8 * rng.normal());
  }
  ps::Censor censor;
  if (clipped) {
    censor.active = true;
    censor.lower = -1.0;
    censor.upper = 1.0;
    for (double a : alpha) censor.centre.push_back(-0.6 * a);
  }
  return ps::Records(x, y, alpha, censor);
}

ps::ModelKind kind_of(const std::string& family) {
  ps::ModelKind kind;
  kind.name = family;
  return kind;
}

ps::SurrogatePrior normal_prior(int P) {
  ps::SurrogatePrior prior;
  prior.location = Vector::Zero(P);
  prior.scale = Vector::Ones(P);
  return prior;
}

ps::SurrogatePrior hierarchical_prior() {
  ps::SurrogatePrior prior;
  prior.hierarchical = true;
  prior.lkj = 2.0;
  return prior;
}

/// One chain, its repetition, and a chain that goes on from its state.
void check_chains(const std::string& what, const std::string& family,
                  const ps::Records& records, const ps::SurrogatePrior& prior) {
  const ps::SurrogateSetup setup(
      ps::make_surrogate_model(kind_of(family), records, prior), 1);
  const ps::ChainHandlers none;
  const ps::ChainLength length{30, 60, 2};
  const ps::ChainResult chain =
      ps::run_surrogate_chain(setup, length, 1, 0, none, nullptr);
  expect(what + ": finite",
         chain.completed == length.draws && chain.draws.allFinite() &&
             chain.hyper.allFinite() && chain.monitor.allFinite());
  expect(what + ": moves", chain.draws.col(0) != chain.draws.col(59));
  const ps::SurrogateSetup same(
      ps::make_surrogate_model(kind_of(family), records, prior), 1);
  expect(what + ": repeated",
         chain.draws ==
             ps::run_surrogate_chain(same, length, 1, 0, none, nullptr).draws);
  const ps::SurrogateSetup warm(
      ps::make_surrogate_model(kind_of(family), records, prior), 2,
      &chain.state);
  expect(what + ": continued",
         ps::run_surrogate_chain(warm, length, 2, 0, none, &chain.state)
             .draws.allFinite());
}

void check_families() {
  for (const std::string family : {"gaussian", "student_t", "poisson",
                                   "neg_binomial", "beta", "bernoulli"}) {
    for (const bool clipped : {false, true}) {
      const std::string what = family + (clipped ? ", clipped" : "");
      const ps::Records records = regression(family, 40, clipped);
      check_chains(what, family, records, normal_prior(4));
      check_chains(what + ", hierarchical", family, records,
                   hierarchical_prior());
    }
  }
  ps::Predictors one;
  one.n_records = 2;
  one.n_columns = 1;
  ps::SurrogatePrior folded;
  folded.folded = std::make_shared<ps::BetaMeanPrior>(0.5, 2.0);
  const ps::Records two(one, {0.2, 0.4}, {1.0, 0.5});
  check_chains("beta, folded prior", "beta", two, folded);
}

/// Mean of f(x) with its standard error by 50 batches.
struct Estimate {
  double mean = 0.0, error = 0.0;
  Estimate(const ps::ChainResult& chain, int j, int power) {
    const int batches = 50, size = chain.completed / batches;
    double squares = 0.0;
    for (int b = 0; b < batches; ++b) {
      double sum = 0.0;
      for (int s = b * size; s < (b + 1) * size; ++s)
        sum += std::pow(chain.draws(j, s), power);
      mean += sum / size / batches;
      squares += ps::square(sum / size) / batches;
    }
    error = std::sqrt((squares - mean * mean) / (batches - 1));
  }
};

void check_poor_proposals() {
  const ps::Records records = regression("neg_binomial", 60, false);
  const ps::HierarchicalPrior prior(4, 2.0, 3.0, 1.0);
  ps::NutsTuning tuning;
  tuning.draws = 8000;
  tuning.adapt_delta = 0.9;
  const ps::ChainResult nuts = ps::run_nuts_chain(
      ps::PseudoPosterior<ps::NegBinomial>(records, prior), tuning, 3, 0);
  struct Spoilt {
    double power, shift, keep;
  };
  for (const Spoilt& how : {Spoilt{0.5, 0.0, 0.0}, Spoilt{1.5, 0.1, 0.0},
                            Spoilt{1.0, 0.3, 0.6}, Spoilt{1.0, 0.3, -0.5}}) {
    ps::SurrogateSetup setup(
        ps::make_surrogate_model(kind_of("neg_binomial"), records,
                                 hierarchical_prior()),
        4);
    ps::SurrogateQuadratic lhat = setup.proposal().lhat.power(how.power);
    lhat.centre.array() += how.shift;
    setup.set_proposal(lhat, how.keep);
    const ps::ChainResult chain =
        ps::run_surrogate_chain(setup, ps::ChainLength{500, 40000, 1}, 4, 0,
                                ps::ChainHandlers(), nullptr);
    double accepted = 0.0;
    for (double a : chain.accept_stat) accepted += a / 40000.0;
    expect("the stand-in is poor indeed", accepted < 0.75);
    for (int j = 0; j < 5; ++j) {
      for (int power : {1, 2}) {
        const Estimate ours(chain, j, power), theirs(nuts, j, power);
        const double z =
            (ours.mean - theirs.mean) / std::hypot(ours.error, theirs.error);
        std::printf("power %g, shift %g, keep %g, moment %d of %d: z %.1f\n",
                    how.power, how.shift, how.keep, power, j, z);
        expect("moments under a poor stand-in", std::fabs(z) < 5.0);
      }
    }
  }
}

/// A set-up makes no evaluation once it was asked to stop.
void check_stop() {
  const ps::Records records = regression("poisson", 40, true);
  for (const int n : {1, 7, 100, 400}) {
    int asked = 0;
    bool stopped = false;
    try {
      ps::SurrogateSetup(ps::make_surrogate_model(kind_of("poisson"), records,
                                                  hierarchical_prior()),
                         1, nullptr, [&] { return ++asked >= n; });
    } catch (const ps::Interrupted&) {
      stopped = true;
    }
    expect("a set-up stops", stopped && asked == n);
  }
}

/// Nor does a grid, in its modes (30), its first cells (1,000) or later.
void check_grid_stop() {
  ps::Predictors x;
  x.n_records = 40;
  x.n_columns = 1;
  x.intercept = true;
  std::vector<double> y, alpha(40, 1.0);
  for (int i = 0; i < 40; ++i) y.push_back(i % 5);
  ps::Censor censor;
  censor.active = true;
  censor.lower = -1.0;
  censor.upper = 0.0;
  censor.centre.assign(40, 0.0);
  const ps::Records records(x, y, alpha, censor);
  for (const long n : {1L, 30L, 1000L, 2000L}) {
    long asked = 0;
    bool stopped = false;
    try {
      ps::GridSetup(ps::make_surrogate_model(kind_of("poisson"), records,
                                             normal_prior(1)),
                    40.0, 1, [&] { return ++asked >= n; });
    } catch (const ps::Interrupted&) {
      stopped = true;
    }
    expect("a grid stops", stopped && asked == n);
  }
}

void check_length() {
  const int most = std::numeric_limits<int>::max();
  const std::int64_t big = most;
  expect("iterations beyond 32 bits",
         ps::ChainLength{most, most, most}.iterations() == big + big * big);
  const ps::ChainLength length{3, 2, 2};
  std::string kept;
  for (std::int64_t i = 0; i < length.iterations(); ++i)
    kept += length.keeps(i) ? '1' : '0';
  expect("every second iteration after warmup is kept", kept == "0000101");
  bool refused = false;
  try {
    ps::validate(ps::ChainLength{0, 1, 0});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  expect("thin 0 is refused", refused);
}

void check_sweeps() {
  const auto sweeps = [](double accepted, double latest, bool explored) {
    ps::PairsSeen pairs;
    pairs.meeting = {1.0, latest};
    pairs.accepted = accepted;
    return ps::detail::sweeps_a_draw(pairs, explored, 20);
  };
  expect("easy targets take one sweep", sweeps(0.95, 2.0, true) == 1);
  expect("of many parameters two", sweeps(0.95, 2.0, false) == 2);
  expect("fewer accepted take more", sweeps(0.7, 2.0, true) == 2 &&
                                         sweeps(0.35, 2.0, true) == 3 &&
                                         sweeps(0.01, 2.0, true) == 20);
  expect("pairs that meet late take more",
         sweeps(0.95, 75.0, true) == 8 && sweeps(0.95, 95.0, false) == 3);
  expect(
      "what was never accepted, or never met, takes most",
      sweeps(0.0, 2.0, true) == 20 && sweeps(0.95, ps::kInfinity, true) == 20);
  expect("without pairs most",
         ps::detail::sweeps_a_draw(ps::PairsSeen(), true, 20) == 20);
}

void check_refusals() {
  const ps::Records records = regression("poisson", 12, false);
  int refused = 0;
  ps::ModelKind mixture = kind_of("normal_mixture");
  mixture.K = 2;
  try {
    ps::make_surrogate_model(mixture, records, normal_prior(4));
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  try {
    ps::make_surrogate_model(kind_of("poisson"), records, normal_prior(3));
  } catch (const std::invalid_argument&) {
    ++refused;
  }
  expect("mixtures and priors of another length are refused", refused == 2);
}

}  // namespace

int main() {
  check_length();
  check_refusals();
  check_sweeps();
  check_stop();
  check_grid_stop();
  check_families();
  check_poor_proposals();
  std::printf("%d checks failed\n", failures);
  return failures == 0 ? 0 : 1;
}
