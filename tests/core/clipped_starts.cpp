// Chains of NUTS on clipped targets start at draws of the prior: the draws have
// the prior's density, by identities that hold for it alone, and the records
// have no say in them. Chains of other targets start near the records. Exit
// status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pseudosynth/any_posterior.hpp"
#include "pseudosynth/make_posterior.hpp"
#include "pseudosynth/prior/beta_mean_prior.hpp"
#include "pseudosynth/prior/hierarchical_prior.hpp"
#include "pseudosynth/prior/level_prior.hpp"
#include "pseudosynth/prior/normal_prior.hpp"
#include "pseudosynth/prior/shared_prior.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Vector;

int failures = 0, checks = 0;

void expect(bool good, const std::string& what, double value) {
  ++checks;
  if (good) return;
  ++failures;
  std::printf("FAIL %s: %g\n", what.c_str(), value);
}

struct Case {
  std::string name;
  ps::ModelKind kind;
  int P;
  std::shared_ptr<ps::CoefficientPrior> prior;
};

ps::ModelKind kind_of(const std::string& name, int K = 1, double floor = 0.0) {
  ps::ModelKind out;
  out.name = name;
  out.K = K;
  out.sigma_floor = floor;
  return out;
}

/// A response that suits the case's family, in one of two places.
std::vector<double> response(const Case& of, bool far) {
  std::vector<double> y{0.2, 0.7, 0.4, 0.6, 0.3, 0.8};
  for (double& value : y) {
    if (of.kind.name == "beta")
      value = far ? 0.01 * value : value;
    else if (of.kind.name == "bernoulli" || of.kind.name == "categorical")
      value = far ? 1.0 : std::floor(2.0 * value);
    else
      value = std::floor(10.0 * value) + (far ? 90.0 : 0.0);
  }
  return y;
}

ps::Records make_records(const Case& of, bool far, bool clipped,
                         double weight = 1.0) {
  ps::Predictors x;
  x.n_records = 6;
  x.n_columns = of.P;
  for (int j = 1; j < of.P; ++j) {
    x.numeric_column.push_back(j);
    for (int i = 0; i < 6; ++i) x.numeric.push_back(std::sin(5.0 * i * j + j));
  }
  ps::Censor censor;
  if (clipped) {
    censor.active = true;
    censor.lower = -0.5;
    censor.upper = 0.5;
    censor.centre.assign(6, -1.0);
  }
  return ps::Records(x, response(of, far), std::vector<double>(6, weight),
                     censor);
}

struct Mean {
  double sum = 0.0, squares = 0.0;
  int n = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++n;
  }
  double z() const {
    const double mean = sum / n;
    return mean / std::sqrt((squares / n - mean * mean) / n);
  }
};

/// Of a density p with a gradient g of its log, E[h'(x) + h(x) g(x)] = 0 for
/// each coordinate x: Stein's identity. With h = x / (1 + x^2), whose products
/// have a variance where a scale comes near 0, and with h = 1 where that has
/// one, in hyperparameters and extras.
void check_law(const Case& of) {
  // Weights of 0: the posterior is the prior
  const ps::Records records = make_records(of, false, true, 0.0);
  ps::AnyPosterior model = ps::make_posterior(of.kind, records, *of.prior);
  const int n = model.size();
  const int K = of.kind.name == "normal_mixture" ? of.kind.K
                : of.kind.name == "categorical"  ? of.kind.K - 1
                                                 : 1;
  std::vector<Mean> first(static_cast<std::size_t>(n)),
      second(static_cast<std::size_t>(n));
  ps::Rng rng(31, 4);
  Vector gradient(n);
  for (int s = 0; s < 40000; ++s) {
    const Vector x = model.initial(rng);
    model(x, gradient);
    for (int j = 0; j < n; ++j) {
      const std::size_t at = static_cast<std::size_t>(j);
      const double d = 1.0 + x[j] * x[j];
      first[at].add((2.0 - d) / (d * d) + x[j] / d * gradient[j]);
      if (j >= of.P * K) second[at].add(gradient[j]);
    }
  }
  for (int j = 0; j < n; ++j) {
    const std::size_t at = static_cast<std::size_t>(j);
    const std::string what = of.name + ", parameter " + std::to_string(j);
    expect(std::fabs(first[at].z()) < 4.5, what, first[at].z());
    if (j >= of.P * K)
      expect(std::fabs(second[at].z()) < 4.5, what + ", slope", second[at].z());
  }
}

/// The same starts whatever the response is, if it is clipped.
void check_records_have_no_say(const Case& of) {
  for (const bool clipped : {true, false}) {
    const ps::Records here = make_records(of, false, clipped);
    const ps::Records there = make_records(of, true, clipped);
    ps::AnyPosterior one = ps::make_posterior(of.kind, here, *of.prior);
    ps::AnyPosterior other = ps::make_posterior(of.kind, there, *of.prior);
    // Starts of categorical() do not look at the response in any case
    const bool look = !clipped && of.kind.name != "categorical" &&
                      of.prior->n_unconstrained() == 0;
    for (int chain = 0; chain < 4; ++chain) {
      ps::Rng first(5, static_cast<std::uint64_t>(chain)), second = first;
      const Vector a = one.initial(first), b = other.initial(second);
      if (clipped) expect(a == b, of.name + ", clipped starts differ", chain);
      if (look) expect(a != b, of.name + ", starts ignore records", chain);
    }
  }
}

/// Of a target that is not clipped starts lie near the fit, of one that is as
/// far out as the prior.
void check_spread() {
  const Case wide{"wide", kind_of("gaussian"), 1,
                  std::make_shared<ps::NormalPrior>(Vector::Zero(1),
                                                    Vector::Constant(1, 50.0))};
  for (const bool clipped : {true, false}) {
    const ps::Records records = make_records(wide, false, clipped);
    ps::AnyPosterior model =
        ps::make_posterior(wide.kind, records, *wide.prior);
    ps::Rng rng(8, 2);
    double squares = 0.0;
    for (int s = 0; s < 2000; ++s)
      squares += ps::square(model.initial(rng)[0] - 5.0);
    const double spread = std::sqrt(squares / 2000.0);
    expect(clipped ? spread > 45.0 && spread < 56.0 : spread < 4.0,
           clipped ? "spread of clipped starts" : "spread of other starts",
           spread);
  }
}

}  // namespace

int main() {
  const auto normal = [](int P) {
    return std::make_shared<ps::NormalPrior>(Vector::Constant(P, 0.7),
                                             Vector::Constant(P, 1.6));
  };
  const auto hierarchical = [](int P, double lkj) {
    return std::make_shared<ps::HierarchicalPrior>(P, lkj, 3.0, 0.8);
  };
  const auto shared = std::make_shared<ps::SharedPrior>(
      3.0, 0.25, Vector::Constant(2, 0.4), Vector::Constant(2, 1.3));
  const auto levels = std::make_shared<ps::LevelPrior>(
      Vector::Constant(2, 0.3), Vector::Constant(2, 1.5));
  const auto mean = std::make_shared<ps::BetaMeanPrior>(0.6, 2.0);
  const std::vector<Case> cases{
      {"gaussian, normal", kind_of("gaussian"), 2, normal(2)},
      {"gaussian, hierarchical", kind_of("gaussian"), 3, hierarchical(3, 1.0)},
      {"neg_binomial, hierarchical", kind_of("neg_binomial"), 4,
       hierarchical(4, 6.0)},
      {"beta, mean", kind_of("beta"), 1, mean},
      {"bernoulli, normal", kind_of("bernoulli"), 3, normal(3)},
      {"categorical", kind_of("categorical", 4), 2, levels},
      {"mixture, shared", kind_of("normal_mixture", 3), 2, shared},
      {"mixture with a floor, normal", kind_of("normal_mixture", 2, 0.3), 2,
       normal(2)},
      {"mixture, hierarchical", kind_of("normal_mixture", 2), 2,
       hierarchical(2, 1.0)},
  };
  for (const Case& each : cases) {
    check_law(each);
    check_records_have_no_say(each);
  }
  check_spread();
  std::printf("%d checks, %d failed\n", checks, failures);
  return failures == 0 ? 0 : 1;
}
