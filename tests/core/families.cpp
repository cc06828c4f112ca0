// The families without R: densities at their edges, gradients against central
// differences, simulation, bounds, and the likelihood by rows against the one
// by records. Built and run by `make core`; exit status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <vector>

#include "pseudosynth/family/registry.hpp"
#include "pseudosynth/kernel/lipschitz.hpp"
#include "pseudosynth/kernel/log_lik.hpp"
#include "pseudosynth/likelihood/likelihood_of.hpp"
#include "pseudosynth/synth/predictive.hpp"

namespace ps = pseudosynth;

namespace {

int failures = 0;

void expect_near(const char* what, double value, double truth, double error) {
  const bool good =
      std::fabs(value - truth) <= error * std::fmax(1.0, std::fabs(truth));
  if (!good) ++failures;
  std::printf("%s %s: %.15g, expected %.15g\n", good ? "ok  " : "FAIL", what,
              value, truth);
}

void expect(const char* what, bool good) {
  if (!good) ++failures;
  std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
}

/// df/d eta and df/d extra of one record against central differences.
template <class Family>
void expect_derivatives(const char* name, const Family& family, double y,
                        double eta, double extra) {
  double d_eta = 0.0, d_extra[2] = {};
  const double h = 1e-5;
  auto f = [&](double x, double e) {
    return family.log_lik(y, x, family.at(&e));
  };
  family.derivatives(y, eta, family.at(&extra), d_eta, d_extra);
  expect_near(name, d_eta, (f(eta + h, extra) - f(eta - h, extra)) / (2 * h),
              1e-6);
  if (Family::kExtras > 0) {
    const double step = h * extra;
    expect_near(name, d_extra[0],
                (f(eta, extra + step) - f(eta, extra - step)) / (2 * step),
                1e-6);
  }
}

ps::Predictors two_factors(int n, ps::Rng& rng) {
  ps::Predictors x;
  x.n_records = n;
  x.n_columns = 4;
  x.n_levels = {3, 2};
  x.factor_column = {1, 3};
  for (int i = 0; i < n; ++i) x.codes.push_back(rng.integer(3));
  for (int i = 0; i < n; ++i) x.codes.push_back(rng.integer(2));
  return x;
}

/// Sums by row, cell by cell, the streamed matrix and the bounds all come from
/// the same f.
template <class Family>
void expect_consistent(const char* name, const Family& family, double extra,
                       double level) {
  ps::Rng rng(1, 0);
  const int n = 150, S = 40;
  const ps::Predictors x = two_factors(n, rng);
  const double b[] = {level, 0.3, -0.2, 0.4};
  std::vector<double> alpha, y(n, 0.5);
  for (int i = 0; i < n; ++i) alpha.push_back(i % 4 == 0 ? 0.0 : rng.uniform());
  {
    const ps::Records shape(x, y, alpha);
    std::vector<double> draw(b, b + 4);
    draw.push_back(extra);
    ps::synthesize(shape, family, draw.data(), ps::Assignment::kPrior, rng,
                   y.data());
  }
  const ps::Records records(x, y, alpha);
  const ps::LeastSquares start(records, records.y, ps::Vector::Zero(4));
  auto by_row = ps::LikelihoodOf<Family>::make(records, family, start);
  ps::RecordLikelihood<Family> by_record(records, family);
  ps::Vector d_row = ps::Vector::Zero(4), d_record = d_row;
  double e_row[2] = {}, e_record[2] = {};
  const double f_row = by_row.gradient(b, &extra, d_row.data(), e_row);
  const double f_record =
      by_record.gradient(b, &extra, d_record.data(), e_record);
  expect_near(name, f_row, f_record, 1e-11);
  expect_near(name, (d_row - d_record).norm(), 0.0, 1e-8);
  expect_near(name, e_row[0], e_record[0], 1e-9);

  std::vector<double> draws;
  for (double value : b)
    for (int s = 0; s < S; ++s) draws.push_back(value + 0.01 * s);
  if (Family::kExtras > 0)
    for (int s = 0; s < S; ++s) draws.push_back(extra * (1.0 + 0.01 * s));
  const ps::DrawMatrix view{draws.data(), S, 4 + Family::kExtras};
  const auto go_on = [] { return false; };
  std::vector<double> f(static_cast<std::size_t>(S * n));
  std::vector<double> sum(static_cast<std::size_t>(S), 0.0);
  const ps::CellRange cells = records.all_cells();
  ps::fill_log_lik(records, family, view, cells, f.data(), go_on);
  ps::sum_contributions(records, family, view, cells, sum.data(), go_on);
  expect_near(name, sum[0], f_record, 1e-11);
  ps::LipschitzBounds out;
  out.max.resize(static_cast<std::size_t>(n));
  out.min = out.max;
  out.nonfinite.assign(static_cast<std::size_t>(n), 0);
  const std::vector<double> keep = ps::keep_mask(std::vector<int>(S, 1));
  std::vector<double> draw_bound(keep.size(), 0.0);
  ps::lipschitz_block(records, family, view, keep, cells, out,
                      draw_bound.data(), go_on);
  double worst = 0.0;
  for (int i = 0; i < n; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    double high = -ps::kInfinity;
    for (int s = 0; s < S; ++s)
      high =
          std::fmax(high, alpha[at] * f[at * S + static_cast<std::size_t>(s)]);
    worst = std::fmax(worst, std::fabs(high - out.max[at]));
  }
  expect_near(name, worst, 0.0, 1e-13);
}

}  // namespace

int main() {
  expect_near("Stirling's remainder at 1e-3", ps::stirling_remainder(1e-3),
              2.5422704679670942, 1e-13);
  const ps::StirlingPair pair(2.5, std::log(2.5));
  expect_near("pair, remainder", pair.remainder, ps::stirling_remainder(2.5),
              1e-13);
  expect_near("pair, entropy", pair.entropy, ps::log_minus_digamma(2.5), 1e-13);
  expect_near("log(1 + x) - x next to 0", ps::log1p_minus(1e-9), -5e-19,
              0.0 + 1e-24);

  const ps::Poisson poisson;
  const ps::Poisson::At none = poisson.at(nullptr);
  expect("poisson is -Inf where its mean overflows",
         poisson.log_lik(3.0, 800.0, none) == -ps::kInfinity);
  expect_near("poisson where its mean underflows",
              poisson.log_lik(2.0, -1e3, none), -2e3 - ps::kLogTwo, 1e-14);
  const ps::NegBinomial counts;
  const double limit = 1e12;
  expect_near("neg_binomial next to poisson",
              counts.log_lik(7.0, 2.0, counts.at(&limit)),
              poisson.log_lik(7.0, 2.0, none), 1e-9);

  for (double size : {1e-3, 0.7, 30.0}) {
    for (double y : {0.0, 1.0, 40.0}) {
      expect_derivatives("neg_binomial", counts, y, 1.3, size);
    }
  }
  expect_derivatives("poisson", poisson, 4.0, 1.3, 0.0);
  expect_derivatives("student_t", ps::StudentT(3.0), 4.0, 1.3, 0.4);
  expect_derivatives("bernoulli", ps::Bernoulli(), 1.0, -2.0, 0.0);
  for (double precision : {0.2, 3.0, 200.0}) {
    for (double y : {0.01, 0.6}) {
      expect_derivatives("beta", ps::Beta(), y, 0.4, precision);
    }
  }

  expect_consistent("gaussian", ps::Gaussian(), 0.5, 1.0);
  expect_consistent("student_t", ps::StudentT(3.0), 0.5, 1.0);
  expect_consistent("poisson", poisson, 0.0, 1.0);
  expect_consistent("neg_binomial", counts, 2.0, 1.0);
  expect_consistent("beta", ps::Beta(), 5.0, -0.5);
  expect_consistent("bernoulli", ps::Bernoulli(), 0.0, 0.2);

  ps::ModelKind kind;
  kind.name = "no such family";
  bool refused = false;
  try {
    ps::visit_family(kind, [](const auto&) {});
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  expect("a family that is not known is refused", refused);
  return failures == 0 ? 0 : 1;
}
