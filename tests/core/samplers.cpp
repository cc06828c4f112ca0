// Runs every sampler and kernel on small awkward data: one record, no factor,
// numeric columns alone, no intercept, one component, weights 0, censoring.
// Everything that comes out must be finite. Built and run by `make core`
// and, under sanitizers, by `make sanitize`; exit status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "pseudosynth/family/gaussian.hpp"
#include "pseudosynth/kernel/lipschitz.hpp"
#include "pseudosynth/kernel/log_lik.hpp"
#include "pseudosynth/kernel/predictive_quantile.hpp"
#include "pseudosynth/mixture_posterior.hpp"
#include "pseudosynth/prior/hierarchical_prior.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/prior/shared_prior.hpp"
#include "pseudosynth/pseudo_posterior.hpp"
#include "pseudosynth/sampler/family_surrogate_model.hpp"
#include "pseudosynth/sampler/gaussian/gaussian_gibbs.hpp"
#include "pseudosynth/sampler/mixture/run_mixture_chain.hpp"
#include "pseudosynth/sampler/run_nuts_chain.hpp"
#include "pseudosynth/sampler/run_surrogate_chain.hpp"
#include "pseudosynth/synth/predictive.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Matrix;
using ps::Vector;

int failures = 0, runs = 0;

struct Case {
  std::string name;
  int n;
  bool intercept;
  std::vector<int> levels;
  int n_numeric;
  enum { kOnes, kZeros, kMixed } weights;
};

ps::Records make_records(const Case& from, bool censored, ps::Rng& rng) {
  ps::Predictors x;
  x.n_records = from.n;
  x.intercept = from.intercept;
  int column = from.intercept ? 1 : 0;
  for (std::size_t f = 0; f < from.levels.size(); ++f) {
    // Without an intercept every level of the first factor has a column.
    const int shift = !from.intercept && f == 0 ? 1 : 0;
    x.n_levels.push_back(from.levels[f] + shift);
    x.factor_column.push_back(column);
    column += from.levels[f] + shift - 1;
    for (int i = 0; i < from.n; ++i)
      x.codes.push_back(rng.integer(from.levels[f]) + shift);
  }
  for (int q = 0; q < from.n_numeric; ++q) {
    x.numeric_column.push_back(column++);
    for (int i = 0; i < from.n; ++i) x.numeric.push_back(rng.normal());
  }
  x.n_columns = column;
  const std::size_t N = static_cast<std::size_t>(from.n);
  std::vector<double> y(N), alpha(N, from.weights == Case::kZeros ? 0.0 : 1.0);
  ps::Censor censor;
  for (std::size_t i = 0; i < N; ++i) {
    y[i] = 2.0 * rng.normal();
    if (from.weights == Case::kMixed)
      alpha[i] = i % 3 == 0 ? 0.0 : rng.uniform();
  }
  if (censored) {
    censor.active = true;
    censor.lower = -1.0;
    censor.upper = 1.0;
    censor.centre.assign(N, -0.5);
  }
  return ps::Records(x, y, alpha, censor);
}

void expect_finite(const std::string& what, const Matrix& x) {
  ++runs;
  if (x.size() > 0 && x.allFinite()) return;
  ++failures;
  std::printf("FAIL %s: not finite\n", what.c_str());
}

template <class Family>
void run_kernels(const std::string& name, const ps::Records& records,
                 const Family& family, int K, const ps::ChainResult& chain) {
  const Matrix draws = chain.draws.transpose();
  const ps::DrawMatrix view{draws.data(), static_cast<int>(draws.rows()),
                            static_cast<int>(draws.cols())};
  const int N = records.size();
  const ps::CellRange all = records.all_cells();
  const auto go_on = [] { return false; };
  const std::size_t n = static_cast<std::size_t>(N);

  ps::LipschitzBounds bounds;
  bounds.max.resize(n);
  bounds.min.resize(n);
  bounds.nonfinite.assign(n, 0);
  std::vector<double> draw(static_cast<std::size_t>(ps::padded_draws(view.S)));
  for (int c = 0; c < all.last; ++c)
    ps::lipschitz_block(records, family, view, {c, c + 1}, bounds, draw.data(),
                        go_on);
  Matrix f(view.S, N);
  ps::fill_log_lik(records, family, view, all, f.data(), go_on);
  Vector total = Vector::Zero(ps::padded_draws(view.S));
  ps::sum_contributions(records, family, view, all, total.data(), go_on);
  Vector rhat(N), ess(N);
  ps::screen_records(records, family, view, 1, all, rhat.data(), ess.data(),
                     go_on);
  ps::PredictiveQuantile quantile(records.design, K);
  quantile.set(chain.draws.col(0).data());
  Vector synthetic(N), ends(2);
  ends << quantile(0.01, ps::kNaN), quantile(0.99, 0.0);
  ps::Rng rng(5, 1);
  for (auto how : {ps::Assignment::kPrior, ps::Assignment::kPosterior})
    ps::synthesize(records, family, chain.draws.col(0).data(), how, rng,
                   synthetic.data());
  expect_finite(name + " bounds",
                Eigen::Map<const Vector>(bounds.max.data(), N));
  expect_finite(name + " log_lik", f);
  expect_finite(name + " totals", total.head(view.S));
  expect_finite(name + " ess", ess);
  expect_finite(name + " quantiles", ends);
  expect_finite(name + " synthesis", synthetic);
}

/// @param K components of the mixture, 0 for the normal regression.
void keep_chain(const std::string& name, const ps::Records& records, int K,
                const ps::ChainResult& chain) {
  expect_finite(name + " draws", chain.draws);
  expect_finite(name + " state", chain.state);
  if (K == 0)
    run_kernels(name, records, ps::Gaussian(), K, chain);
  else
    run_kernels(name, records, ps::NormalMixture{K, 0.0}, K, chain);
}

void run_case(const Case& from) {
  ps::Rng rng(11, 0);
  for (const bool censored : {false, true}) {
    const ps::Records records = make_records(from, censored, rng);
    const int P = records.design.n_columns();
    const Vector zero = Vector::Zero(P), one = Vector::Ones(P);
    const std::string name = from.name + (censored ? ", censored" : "");

    ps::NutsTuning nuts;
    nuts.warmup = 40;
    nuts.draws = 10;
    nuts.max_treedepth = 5;
    const ps::ChainHandlers handlers;
    const ps::NormalPrior normal(zero, one);
    const ps::HierarchicalPrior hierarchical(P, 1.0, 3.0, 1.0);
    const ps::SharedPrior shared(3.0, 0.25, zero, one);
    for (const ps::CoefficientPrior* prior :
         std::vector<const ps::CoefficientPrior*>{&normal, &hierarchical,
                                                  &shared}) {
      nuts.dense_metric = false;
      keep_chain(
          name + ", nuts, normal", records, 0,
          ps::run_nuts_chain(ps::PseudoPosterior<ps::Gaussian>(records, *prior),
                             nuts, 1, 0, handlers, nullptr));
      nuts.dense_metric = true;
      for (const int K : {1, 3})
        keep_chain(
            name + ", nuts, mixture", records, K,
            ps::run_nuts_chain(ps::MixturePosterior(records, *prior, K, 0.1),
                               nuts, 1, 0, handlers, nullptr));
    }

    ps::SurrogatePrior of_b;
    of_b.location = zero;
    of_b.scale = one;
    for (const bool with_tau : {false, true}) {
      // With more coefficients than records, all clipped, chains under this
      // prior may get lost where no proposal is accepted.
      if (with_tau && censored && P > from.n) continue;
      of_b.hierarchical = with_tau;
      const ps::SurrogateSetup setup(
          std::make_unique<ps::FamilySurrogateModel<ps::Gaussian>>(
              records, ps::Gaussian(), of_b),
          1);
      const ps::ChainResult chain = ps::run_surrogate_chain(
          setup, ps::ChainLength{60, 20, 2}, 1, 0, handlers, nullptr);
      keep_chain(name + ", surrogate", records, 0, chain);
    }
    if (censored) continue;

    ps::RegressionPrior gibbs;
    gibbs.location = zero;
    gibbs.scale = one;
    const ps::LeastSquares sums(records, records.y, zero);
    for (const bool with_tau : {false, true}) {
      gibbs.hierarchical = with_tau;
      const ps::ChainResult chain = ps::run_gaussian_gibbs(
          sums, gibbs, ps::ChainLength{60, 20, 2}, 1, 0, handlers, nullptr);
      keep_chain(name + ", gibbs", records, 0, chain);
      keep_chain(name + ", gibbs, continued", records, 0,
                 ps::run_gaussian_gibbs(sums, gibbs, ps::ChainLength{0, 20, 1},
                                        2, 0, handlers, &chain.state));
    }

    ps::MixturePrior mixture;
    mixture.m0 = zero;
    mixture.m_scale = one;
    ps::MixtureTuning tuning;
    tuning.warmup = 20;
    tuning.draws = 10;
    tuning.sweeps = 1;
    for (const bool with_mean : {true, false}) {
      mixture.shared = with_mean;
      for (const double floor : {0.0, 0.3}) {
        mixture.sigma_floor = floor;
        for (const int K : {1, 2, 9}) {
          ps::MixtureAcceptance acceptance;
          const ps::ChainResult chain =
              ps::run_mixture_chain(records, K, mixture, tuning, 1, 0, handlers,
                                    nullptr, &acceptance);
          keep_chain(name + ", augmentation", records, K, chain);
          keep_chain(name + ", augmentation, continued", records, K,
                     ps::run_mixture_chain(records, K, mixture, tuning, 2, 0,
                                           handlers, &chain.state, nullptr));
        }
      }
    }
  }
}

}  // namespace

int main() {
  const std::vector<Case> cases{
      {"factors and numbers", 43, true, {4, 3, 2}, 2, Case::kMixed},
      {"weights 1", 30, true, {3, 2}, 0, Case::kOnes},
      {"weights 0", 20, true, {3}, 1, Case::kZeros},
      {"one record", 1, true, {2}, 1, Case::kOnes},
      {"one record, weight 0", 1, true, {}, 0, Case::kZeros},
      {"intercept alone", 17, true, {}, 0, Case::kMixed},
      {"numbers alone", 25, false, {}, 2, Case::kMixed},
      {"no intercept", 25, false, {3, 2}, 0, Case::kMixed},
      {"factors wider than one group", 40, true, {30, 25, 20}, 0, Case::kMixed},
  };
  for (const Case& from : cases) run_case(from);
  std::printf("%d results, %d not finite\n", runs, failures);
  return failures == 0 ? 0 : 1;
}
