// The mixture's sampler with records far from every component and small
// weights: means against quadrature, and runs that must come to an end.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "pseudosynth/prior/half_t.hpp"
#include "pseudosynth/sampler/mixture/run_mixture_chain.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Vector;

int failures = 0;

void expect(bool good, const std::string& what) {
  if (!good) ++failures;
  std::printf("%s %s\n", good ? "ok  " : "FAIL", what.c_str());
  std::fflush(stdout);
}

ps::Records intercept_alone(const std::vector<double>& y,
                            const std::vector<double>& alpha) {
  ps::Predictors x;
  x.n_records = static_cast<int>(y.size());
  x.n_columns = 1;
  return ps::Records(x, y, alpha);
}

/// Four records around 0 and one at `distance`.
struct Case {
  double distance, weight;

  std::vector<double> y() const { return {-1.3, 1.1, 0.2, 1.9, distance}; }
  std::vector<double> alpha() const { return {0.9, 0.2, 0.5, 0.8, weight}; }
  std::string name() const {
    char out[80];
    std::snprintf(out, sizeof(out), "a record at %g, weight %g", distance,
                  weight);
    return out;
  }
};

constexpr double kFloor = 0.3;

/// b is held at 0 by its prior.
ps::MixturePrior held_prior() {
  ps::MixturePrior prior;
  prior.shared = false;
  prior.m0 = Vector::Zero(1);
  prior.m_scale = Vector::Constant(1, 1e-5);
  prior.sigma_floor = kFloor;
  return prior;
}

/// log of the prior density of logit pi_1 of two components, gamma integrated
/// out.
double log_prior_logit(double logit) {
  const double spread =
      std::fabs(logit) + 2.0 * std::log1p(std::exp(-std::fabs(logit)));
  double sum = 0.0;
  for (double v = -40.0; v < 5.0; v += 0.05) {
    const double g = std::exp(v);
    sum += std::exp(v - g - 0.5 * g * spread + ps::log_gamma(g) -
                    2.0 * ps::log_gamma(0.5 * g));
  }
  return std::log(sum);
}

/// Posterior means of log sigma, K = 2: of the larger and of the smaller
/// component; K = 1: twice the same. On a grid of the midpoints of log sigma_1,
/// log sigma_2 and asinh logit pi_1.
void quadrature(const Case& from, int K, double& larger, double& smaller) {
  constexpr double kStep = 0.08, kWeightStep = 0.25;
  const std::vector<double> y = from.y(), alpha = from.alpha();
  const std::size_t N = y.size();
  const ps::HalfT prior(3.0, 1.0);
  std::vector<double> u, log_prior;
  std::vector<std::vector<double>> log_density;
  for (double at = std::log(kFloor) + 0.5 * kStep;
       at < std::log(from.distance) + 7.0; at += kStep) {
    u.push_back(at);
    log_prior.push_back(prior.log_density_log(at));
    log_density.emplace_back();
    for (double value : y)
      log_density.back().push_back(
          ps::normal_log_density(value, 0.0, std::exp(at)));
  }
  struct Node {
    double log_first, log_second, log_mass;
  };
  std::vector<Node> nodes;
  // The larger is the first.
  for (double t = 0.5 * kWeightStep; t < 17.0 && K == 2; t += kWeightStep) {
    const double logit = std::sinh(t);
    nodes.push_back({-std::log1p(std::exp(-logit)),
                     -logit - std::log1p(std::exp(-logit)),
                     log_prior_logit(logit) + std::log(std::cosh(t))});
  }
  if (K == 1) nodes.push_back({0.0, -ps::kInfinity, 0.0});
  double total = 0.0, top = -ps::kInfinity;
  larger = smaller = 0.0;
  for (std::size_t a = 0; a < u.size(); ++a) {
    for (std::size_t b = 0; b < (K == 2 ? u.size() : 1); ++b) {
      for (const Node& node : nodes) {
        double value =
            node.log_mass + log_prior[a] + (K == 2 ? log_prior[b] : 0.0);
        for (std::size_t i = 0; i < N; ++i)
          value +=
              alpha[i] * ps::log_sum_exp(node.log_first + log_density[a][i],
                                         node.log_second + log_density[b][i]);
        if (value < top - 40.0) continue;
        if (value > top) {
          const double factor = std::exp(top - value);
          total *= factor;
          larger *= factor;
          smaller *= factor;
          top = value;
        }
        const double mass = std::exp(value - top);
        total += mass;
        larger += mass * u[a];
        smaller += mass * u[K == 2 ? b : a];
      }
    }
  }
  larger /= total;
  smaller /= total;
}

/// Mean and standard error from batch means.
void expect_mean(const std::string& what, const std::vector<double>& x,
                 double truth) {
  constexpr std::size_t kBatches = 100;
  const std::size_t length = x.size() / kBatches;
  double sum = 0.0, squares = 0.0;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    double mean = 0.0;
    for (std::size_t s = 0; s < length; ++s)
      mean += x[batch * length + s] / static_cast<double>(length);
    sum += mean;
    squares += mean * mean;
  }
  const double mean = sum / kBatches;
  const double error =
      std::sqrt((squares / kBatches - mean * mean) / (kBatches - 1));
  const double z = (mean - truth) / error;
  char line[200];
  std::snprintf(line, sizeof(line), "%s: %.4f, exact %.4f, z %.2f",
                what.c_str(), mean, truth, z);
  expect(std::fabs(z) < 4.0, line);
}

void check_means(const Case& from, int K, bool all_moves, int n) {
  double larger, smaller;
  quadrature(from, K, larger, smaller);
  const ps::Records records = intercept_alone(from.y(), from.alpha());
  ps::Rng rng(4, 2);
  ps::MixtureChain chain(records, K, held_prior(), rng);
  ps::MixtureAugmentation augmentation(chain);
  ps::MixtureHamiltonianMove hamiltonian(chain, records);
  ps::MixturePairMove pair(chain);
  ps::MixtureMassMove mass(chain);
  std::vector<double> of_larger, of_smaller;
  for (int s = -n / 20; s < n; ++s) {
    augmentation.sweep();
    if (all_moves) {
      hamiltonian.move();
      pair.move();
      mass.move();
    }
    if (s < 0) continue;
    const int large = K == 2 && chain.state.log_pi[1] > chain.state.log_pi[0];
    of_larger.push_back(std::log(chain.state.sigma[large]));
    of_smaller.push_back(std::log(chain.state.sigma[K == 2 ? 1 - large : 0]));
  }
  const std::string name = from.name() + ", K = " + std::to_string(K) +
                           (all_moves ? ", all moves" : ", sweeps");
  expect_mean(name + ", log sigma of the larger", of_larger, larger);
  if (K == 2)
    expect_mean(name + ", log sigma of the smaller", of_smaller, smaller);
}

/// A whole chain as it is run in use: it ends, and all of it is finite.
void expect_end(const std::string& what, const std::vector<double>& y,
                const std::vector<double>& alpha, int K) {
  const ps::Records records = intercept_alone(y, alpha);
  ps::MixturePrior prior;
  prior.m0 = Vector::Zero(1);
  prior.m_scale = Vector::Constant(1, 20.0);
  prior.sigma_floor = kFloor;
  ps::MixtureTuning tuning;
  tuning.warmup = 150;
  tuning.draws = 50;
  tuning.sweeps = 3;
  const ps::ChainResult chain = ps::run_mixture_chain(
      records, K, prior, tuning, 1, 0, ps::ChainHandlers(), nullptr, nullptr);
  expect(chain.completed == 50 && chain.draws.allFinite(),
         what + ": the chain ends");
}

void check_gamma() {
  for (double shape : {ps::kNaN, ps::kInfinity, -0.5}) {
    bool refused = false;
    try {
      ps::Rng(1).log_gamma_draw(shape);
    } catch (const std::domain_error&) {
      refused = true;
    }
    expect(refused, "no gamma draw of shape " + std::to_string(shape));
  }
}

}  // namespace

int main() {
  check_gamma();
  ps::Rng rng(8, 1);
  std::vector<double> y, alpha(200, 1.0);
  for (int i = 0; i < 200; ++i) y.push_back(rng.normal());
  y.push_back(1000.0);
  alpha.push_back(1e-5);
  expect_end("an outlier at 1,000 of weight 1e-5", y, alpha, 3);
  y.back() = 1e9;
  expect_end("an outlier at 1e9 of weight 1e-5", y, alpha, 3);
  // No trajectory is accepted, so that the step size goes to 0.
  for (double& value : y) value *= 1e40;
  expect_end("responses of 1e40", y, std::vector<double>(201, 1.0), 2);

  for (const Case& from :
       {Case{40.0, 0.02}, {120.0, 1e-3}, {1e3, 1e-5}, {1e6, 1e-11}}) {
    check_means(from, 1, false, 20000);
    check_means(from, 2, false, 300000);
    check_means(from, 2, true, 20000);
  }
  check_means({120.0, 0.4}, 2, false, 300000);
  return failures == 0 ? 0 : 1;
}
