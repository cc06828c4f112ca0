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
#include "pseudosynth/likelihood/value_likelihood.hpp"
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
  std::vector<double> draw_bound(static_cast<std::size_t>(ps::padded_draws(S)),
                                 0.0);
  ps::lipschitz_block(records, family, view, cells, out, draw_bound.data(),
                      go_on);
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

/// At linear predictors far out, in lanes and out of their range: tiles, sums
/// by row, clipped sums and values alone agree with f of one record.
template <class Family>
void expect_edges(const char* name, const Family& family, double extra,
                  const std::vector<double>& response) {
  const std::vector<double> centres = {-900.0, -300.0, -30.0, -2.0, 0.0,
                                       2.0,    14.0,   30.0,  300.0};
  const int n = static_cast<int>(response.size());
  ps::Predictors x;
  x.n_records = n;
  x.n_columns = 1;
  const std::vector<double> alpha(response.size(), 0.7);
  ps::Censor none, clip;
  clip.active = true;
  clip.lower = -1e3;
  clip.upper = 1.0;
  clip.centre.assign(response.size(), -3.0);
  const int S = static_cast<int>(centres.size());
  std::vector<double> draws(centres), f(static_cast<std::size_t>(S * n));
  if (Family::kExtras > 0) draws.resize(2 * centres.size(), extra);
  const ps::DrawMatrix view{draws.data(), S, 1 + Family::kExtras};
  double worst_tile = 0.0, worst_sum = 0.0, worst_slope = 0.0;
  const auto compare = [](double value, double truth, double scale,
                          double& worst) {
    if (value != truth)
      worst = std::fmax(worst, std::fabs(value - truth) / scale);
  };
  for (const ps::Censor& rule : {none, clip}) {
    const ps::Records records(x, response, alpha, rule);
    ps::fill_log_lik(records, family, view, records.all_cells(), f.data(),
                     [] { return false; });
    const ps::LeastSquares start(records, records.y, ps::Vector::Zero(1));
    auto likelihood = ps::LikelihoodOf<Family>::make(records, family, start);
    const auto copy = likelihood;
    ps::ValueLikelihood<Family> value(records, family);
    for (int s = 0; s < S; ++s) {
      const double eta = centres[static_cast<std::size_t>(s)];
      const auto at = family.at(&extra);
      double sum = 0.0, slope = 0.0, scale = 1.0, slope_scale = 1.0;
      for (int i = 0; i < n; ++i) {
        const double y = response[static_cast<std::size_t>(i)];
        double d_eta, d_extra[2];
        const double truth = family.derivatives(y, eta, at, d_eta, d_extra);
        compare(f[static_cast<std::size_t>(i * S + s)], truth,
                std::fmax(1.0, std::fabs(truth)), worst_tile);
        double g = 0.7 * truth;
        scale += std::fabs(g) + std::fabs(y * eta);
        slope_scale += std::fabs(d_eta);
        if (rule.active) {
          g += 3.0;
          if (g > clip.upper || !(g >= clip.lower)) d_eta = 0.0;
          g = g >= clip.lower ? std::fmin(g, clip.upper) : clip.lower;
        }
        sum += g;
        slope += 0.7 * d_eta;
      }
      double d_b = 0.0, d_extra[2] = {};
      auto own = copy;
      compare(own.gradient(&eta, &extra, &d_b, d_extra), sum, scale, worst_sum);
      compare(d_b, slope, slope_scale, worst_slope);
      compare(value(&eta, &extra), sum, scale * (1.0 + extra), worst_sum);
    }
  }
  expect_near(name, worst_tile, 0.0, 1e-12);
  expect_near(name, worst_sum, 0.0, 1e-12);
  expect_near(name, worst_slope, 0.0, 1e-12);
}

/// A draw that gives some record no finite f has no bound, clipped or not.
void expect_nonfinite_bounds() {
  ps::Predictors x;
  x.n_records = 2;
  x.n_columns = 1;
  const std::vector<double> draws = {0.0, ps::kNaN, 0.5, 1.0, 1.0, 1.0};
  const ps::DrawMatrix view{draws.data(), 3, 2};
  for (bool clipped : {false, true}) {
    ps::Censor rule;
    rule.active = clipped;
    rule.lower = -1.0;
    rule.upper = 1.0;
    rule.centre.assign(2, 0.0);
    const ps::Records records(x, {1.0, 2.0}, {1.0, 0.0}, rule);
    ps::LipschitzBounds out;
    out.max.resize(2);
    out.min = out.max;
    out.nonfinite.assign(2, 0);
    std::vector<double> bound(static_cast<std::size_t>(ps::padded_draws(3)),
                              0.0);
    ps::lipschitz_block(records, ps::Gaussian(), view, records.all_cells(), out,
                        bound.data(), [] { return false; });
    expect("a NaN log-likelihood makes its draw's bound infinite",
           bound[1] == ps::kInfinity && std::isfinite(bound[0]) &&
               std::isfinite(bound[2]));
    expect("and is counted for records with weight alone",
           out.nonfinite[0] == 1 && out.nonfinite[1] == 0);
  }
}

}  // namespace

int main() {
  expect_near("Stirling's remainder at 1e-3", ps::stirling_remainder(1e-3),
              2.5422704679670942, 1e-13);
  for (double x : {1e-100, 2.5, 10.0, 700.0}) {
    double remainder, entropy;
    ps::simd::stirling<1>(x, std::log(x), remainder, entropy);
    expect_near("Stirling's remainder from a logarithm", remainder,
                ps::stirling_remainder(x), 1e-13);
    expect_near("its entropy", entropy, x * (std::log(x) - ps::digamma(x)),
                1e-12);
  }
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

  expect_edges("poisson", poisson, 0.0, {0.0, 1.0, 199.0, 201.0, 1e6});
  for (double size : {1e-6, 0.7, 30.0, 1e4, 1e9})
    expect_edges("neg_binomial", counts, size, {0.0, 1.0, 40.0, 3000.0, 1e6});
  for (double precision : {0.1, 5.0, 499.0, 501.0, 1e6})
    expect_edges("beta", ps::Beta(), precision, {1e-12, 0.3, 1.0 - 1e-9});
  expect_edges("bernoulli", ps::Bernoulli(), 0.0, {0.0, 1.0});
  expect_edges("student_t", ps::StudentT(3.0), 0.4, {-2.0, 0.0, 1e150});

  expect_nonfinite_bounds();

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
