// Linear predictors of one coefficient vector, sums of clipped contributions
// and values along a line, each against its plain definition. Built and run by
// `make core`; exit status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <vector>

#include "pseudosynth/design/linear_predictor.hpp"
#include "pseudosynth/family/registry.hpp"
#include "pseudosynth/likelihood/exact_fits.hpp"
#include "pseudosynth/likelihood/level_groups.hpp"
#include "pseudosynth/likelihood/likelihood_of.hpp"
#include "pseudosynth/likelihood/value_likelihood.hpp"
#include "pseudosynth/rng.hpp"

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

/// n records of `factors` factors, `numbers` numbers and an offset; n is no
/// multiple of a vector's length.
ps::Predictors predictors(int n, int factors, int numbers, ps::Rng& rng) {
  ps::Predictors x;
  x.n_records = n;
  x.n_columns = 1;
  for (int f = 0; f < factors; ++f) {
    const int levels = 2 + f % 4;
    x.n_levels.push_back(levels);
    x.factor_column.push_back(x.n_columns);
    x.n_columns += levels - 1;
    for (int i = 0; i < n; ++i) x.codes.push_back(rng.integer(levels));
  }
  for (int q = 0; q < numbers; ++q) {
    x.numeric_column.push_back(x.n_columns++);
    for (int i = 0; i < n; ++i) x.numeric.push_back(rng.normal());
  }
  for (int i = 0; i < n; ++i) x.offset.push_back(0.5 * rng.integer(3));
  return x;
}

std::vector<double> normals(int n, double scale, ps::Rng& rng) {
  std::vector<double> out;
  for (int j = 0; j < n; ++j) out.push_back(scale * rng.normal());
  return out;
}

double response(const ps::Poisson&, ps::Rng& rng) {
  return rng.poisson(3.0);
}
double response(const ps::NegBinomial&, ps::Rng& rng) {
  return rng.poisson(3.0);
}
double response(const ps::Bernoulli&, ps::Rng& rng) {
  return rng.integer(2);
}
double response(const ps::Beta&, ps::Rng& rng) {
  return rng.uniform();
}
template <class Family>
double response(const Family&, ps::Rng& rng) {
  return rng.normal();
}

void check_design(int n, int factors, int numbers) {
  ps::Rng rng(1, static_cast<std::uint64_t>(factors + 10 * numbers));
  const ps::Design design(predictors(n, factors, numbers, rng));
  ps::LinearPredictor predict(design);
  const auto b = normals(design.n_columns(), 1.0, rng);
  const std::size_t rows = static_cast<std::size_t>(design.n_rows());
  std::vector<double> eta(rows + 8), truth(rows);
  predict(b.data(), eta.data());
  design.linear_predictor(b.data(), 1, truth.data());
  double worst = 0.0;
  for (std::size_t r = 0; r < rows; ++r)
    worst = std::fmax(worst, std::fabs(eta[r] - truth[r]));
  expect_near("linear predictor", worst, 0.0, 1e-13);

  predict.times(b.data(), eta.data());
  worst = 0.0;
  for (std::size_t r = 0; r < rows; ++r)
    worst = std::fmax(worst, std::fabs(eta[r] + design.offset(r) - truth[r]));
  expect_near("its part without the offset", worst, 0.0, 1e-13);

  const auto d = normals(design.n_rows(), 1.0, rng);
  std::vector<double> back(b), expected(b);
  predict.add_gradient(d.data(), back.data());
  design.add_gradient(d.data(), 1, expected.data());
  worst = 0.0;
  for (std::size_t j = 0; j < b.size(); ++j)
    worst = std::fmax(worst, std::fabs(back[j] - expected[j]));
  expect_near("its transpose", worst, 0.0, 1e-11);
}

/// sum of contributions and its gradient record by record.
template <class Family>
double plain_sum(const Family& family, const ps::Records& records,
                 const double* b, const double* extra, double* d_b,
                 double* d_extra) {
  const std::size_t rows = static_cast<std::size_t>(records.design.n_rows());
  std::vector<double> eta(rows), d_eta(rows, 0.0);
  records.design.linear_predictor(b, 1, eta.data());
  const auto at = family.at(extra);
  double total = 0.0, d_one[2] = {};
  for (int i = 0; i < records.size(); ++i) {
    const std::size_t k = static_cast<std::size_t>(i);
    const std::size_t r = static_cast<std::size_t>(records.design.row()[k]);
    double slope = 0.0;
    const double f = family.derivatives(records.y[k], eta[r], at, slope, d_one);
    const double g = records.contribution(i, f);
    total += g;
    const double a = records.alpha[k];
    const bool inside =
        !records.censor.active || a * f - records.censor.centre[k] == g;
    if (!inside || a == 0.0) continue;
    d_eta[r] += a * slope;
    for (int e = 0; e < Family::kExtras; ++e) d_extra[e] += a * d_one[e];
  }
  records.design.add_gradient(d_eta.data(), 1, d_b);
  return total;
}

template <class Family>
void check_family(const char* name, const Family& family, bool censored) {
  ps::Rng rng(2, 0);
  const int n = 205;
  const ps::Predictors x = predictors(n, 3, 2, rng);
  std::vector<double> y, alpha;
  ps::Censor rule;
  for (int i = 0; i < n; ++i) {
    y.push_back(response(family, rng));
    alpha.push_back(0.25 * rng.integer(5));
    rule.centre.push_back(-alpha.back() - 0.1 * rng.integer(2));
  }
  rule.active = censored;
  rule.lower = -0.4;
  rule.upper = 0.3;
  const ps::Records records(x, y, alpha, censored ? rule : ps::Censor());
  const int P = records.design.n_columns();
  const std::size_t width = static_cast<std::size_t>(P);
  const auto b = normals(P, 0.3, rng), step = normals(P, 0.2, rng);
  const double extra[2] = {1.3, 0.0};

  ps::ValueLikelihood<Family> original(records, family);
  ps::ValueLikelihood<Family> value(original);
  const ps::LeastSquares sums(records, records.y, ps::Vector::Zero(P));
  auto gradient = ps::LikelihoodOf<Family>::make(records, family, sums);
  value.set_line(b.data(), step.data());
  for (double t : {-1.5, 0.0, 0.7}) {
    std::vector<double> at(b), d(width, 0.0), expected(width, 0.0);
    for (std::size_t j = 0; j < width; ++j) at[j] += t * step[j];
    double d_extra[2] = {}, expected_extra[2] = {};
    const double truth = plain_sum(family, records, at.data(), extra,
                                   expected.data(), expected_extra);
    expect_near(name, value.on_line(t, extra), truth, 1e-11);
    expect_near(name, original(at.data(), extra), truth, 1e-11);
    expect_near(name, gradient.gradient(at.data(), extra, d.data(), d_extra),
                truth, 1e-11);
    double worst = std::fabs(d_extra[0] - expected_extra[0]);
    for (std::size_t j = 0; j < width; ++j)
      worst = std::fmax(worst, std::fabs(d[j] - expected[j]));
    expect_near(name, worst, 0.0, 1e-9);
  }

  // A group's records alone tell what a line of their own changes.
  ps::LevelGroups<Family> groups(records, family, 1.0);
  for (std::size_t k = 0; k < groups.groups().size(); ++k) {
    const ps::Vector& own = groups.groups()[k].step;
    value.set_line(b.data(), own.data());
    groups.set_line(static_cast<int>(k), b.data(), own.data());
    expect_near(name, groups.on_line(0.7, extra) - groups.on_line(-0.4, extra),
                value.on_line(0.7, extra) - value.on_line(-0.4, extra), 1e-10);
  }
}

/// An intercept through one record: its response less its offset.
void check_exact_fits() {
  ps::Predictors x;
  x.n_records = 3;
  x.n_columns = 1;
  x.offset = {0.5, -2.0, 0.5};
  const ps::Records records(x, {1.0, 10.0, 100.0}, {1.0, 1.0, 1.0});
  const ps::ExactFits fits(records, records.y, ps::Vector::Zero(1));
  ps::Rng rng(3, 0);
  std::vector<bool> met(3, false);
  for (int t = 0; t < 60; ++t) {
    const double b = fits.draw(rng)[0];
    int found = 0;
    for (double truth : {0.5, 12.0, 99.5}) {
      if (std::fabs(b - truth) < 1e-12)
        met[static_cast<std::size_t>(found)] = true;
      ++found;
    }
  }
  expect_near("exact fits", met[0] + met[1] + met[2], 3.0, 0.0);
}

}  // namespace

int main() {
  for (int factors : {0, 1, 2, 3, 9})
    for (int numbers : {0, 1, 11})
      if (factors + numbers > 0) check_design(203, factors, numbers);
  for (bool censored : {false, true}) {
    check_family("gaussian", ps::Gaussian(), censored);
    check_family("student_t", ps::StudentT(3.0), censored);
    check_family("neg_binomial", ps::NegBinomial(), censored);
    check_family("poisson", ps::Poisson(), censored);
    check_family("beta", ps::Beta(), censored);
    check_family("bernoulli", ps::Bernoulli(), censored);
  }
  check_exact_fits();
  return failures == 0 ? 0 : 1;
}
