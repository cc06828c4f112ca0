// Draws from an adaptive grid against closed forms: targets of one to three
// parameters with modes far apart, plateaus with sharp edges, spikes and
// funnels, which chains get lost in.

#include "pseudosynth/sampler/adaptive_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "pseudosynth/math.hpp"
#include "pseudosynth/rng.hpp"

namespace {

namespace ps = pseudosynth;
using ps::Vector;

int failures = 0;

void expect_near(const char* what, double found, double wanted, double error) {
  const double z = (found - wanted) / error;
  const bool good = std::fabs(z) < 4.0;
  if (!good) ++failures;
  std::printf("%s %s: %.5f for %.5f, z = %.2f\n", good ? "ok  " : "FAIL", what,
              found, wanted, z);
}

void expect_below(const char* what, double found, double limit) {
  const bool good = found <= limit;
  if (!good) ++failures;
  std::printf("%s %s: %.3g of at most %.3g\n", good ? "ok  " : "FAIL", what,
              found, limit);
}

double log_normal(double x, double m, double s) {
  return -0.5 * ps::square((x - m) / s) - std::log(s) - 0.5 * ps::kLogTwoPi;
}
double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

constexpr int kDraws = 20000;
const double kLimit = 2.0 / std::sqrt(static_cast<double>(kDraws));

struct Sample {
  std::vector<Vector> x;
};

using Density = ps::AdaptiveGrid::LogDensity;

Sample sample(const std::vector<ps::GridAxis>& axes, const Density& density,
              std::uint64_t seed, const char* what,
              const std::vector<Vector>& seeds = {}) {
  const ps::AdaptiveGrid grid(axes, density, seeds);
  ps::Rng rng(seed);
  ps::GridTally tally;
  Sample out;
  for (int i = 0; i < kDraws; ++i)
    out.x.push_back(grid.draw(rng, density, tally));
  std::printf("     %s: %zu cells, unresolved %.2g, accepted %.2f, above %ld\n",
              what, grid.n_cells(), grid.unresolved(),
              static_cast<double>(kDraws) / static_cast<double>(tally.tried),
              tally.above);
  expect_below("share of draws above the envelope",
               static_cast<double>(tally.above) / kDraws, 0.002);
  return out;
}

template <class Event>
double share(const Sample& s, Event&& event) {
  double n = 0.0;
  for (const Vector& x : s.x) n += event(x) ? 1.0 : 0.0;
  return n / static_cast<double>(s.x.size());
}
double error_of(double p, int n) {
  return std::sqrt(std::max(p * (1.0 - p), 1e-6) / n);
}

// Kolmogorov distance of one coordinate to a distribution function.
template <class Cdf>
double distance(const Sample& s, int j, Cdf&& cdf) {
  std::vector<double> x;
  for (const Vector& v : s.x) x.push_back(v[j]);
  std::sort(x.begin(), x.end());
  double worst = 0.0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double f = cdf(x[i]);
    worst = std::max({worst, std::fabs(f - static_cast<double>(i) / n),
                      std::fabs(f - static_cast<double>(i + 1) / n)});
  }
  return worst;
}

const ps::GridAxis kWide{-60.0, 60.0, 0.0, 1.0};

void two_modes() {
  // 1.4% of the mass in a narrow mode 30 sd from the wide one
  const Sample s = sample(
      {kWide},
      [](const Vector& x) {
        return ps::log_sum_exp(std::log(0.986) + log_normal(x[0], 0.3, 0.5),
                               std::log(0.014) + log_normal(x[0], 15.0, 0.002));
      },
      1, "two modes");
  expect_near("mass of the far mode",
              share(s, [](const Vector& x) { return x[0] > 10; }), 0.014,
              error_of(0.014, kDraws));
  expect_below("distance",
               distance(s, 0,
                        [](double x) {
                          return 0.986 * normal_cdf((x - 0.3) / 0.5) +
                                 0.014 * normal_cdf((x - 15.0) / 0.002);
                        }),
               kLimit);
}

void plateau() {
  // A box of 40 nats above a normal prior, with edges as sharp as can be
  const double gain = 40.0;
  Vector seed(2);
  seed << 1.0, -1.1;
  const Sample s = sample({kWide, kWide},
                          [=](const Vector& x) {
                            const bool inside = std::fabs(x[0] - 1.0) < 0.01 &&
                                                x[1] > -2 && x[1] < -1;
                            return log_normal(x[0], 0, 1) +
                                   log_normal(x[1], 0, 1) +
                                   (inside ? gain : 0.0);
                          },
                          2, "plateau", {seed});
  const double low = normal_cdf(-2), high = normal_cdf(-1);
  expect_below("outside of the plateau",
               share(s, [](const Vector& x) { return x[1] > -1 || x[1] < -2; }),
               0.001);
  expect_below(
      "distance along it",
      distance(s, 1,
               [=](double x) {
                 return std::min(
                     1.0, std::max(0.0, (normal_cdf(x) - low) / (high - low)));
               }),
      kLimit);
}

void funnel() {
  // u ~ N(0, 3), x | u ~ N(0, exp(u / 2)): Neal's funnel
  const Sample s = sample(
      {ps::GridAxis{-1e6, 1e6, 0.0, 0.1}, ps::GridAxis{-30.0, 30.0, 0.0, 3.0}},
      [](const Vector& x) {
        return log_normal(x[1], 0, 3) + log_normal(x[0], 0, std::exp(x[1] / 2));
      },
      3, "funnel");
  expect_below("distance of u",
               distance(s, 1, [](double x) { return normal_cdf(x / 3.0); }),
               kLimit);
}

void three() {
  // Correlated normals, one sd 1/500 of the range of another
  const Sample s = sample(
      {kWide, kWide, kWide},
      [](const Vector& x) {
        return log_normal(x[0], 1, 0.1) + log_normal(x[1], 2 * x[0], 0.05) +
               log_normal(x[2], x[0] - x[1], 0.1);
      },
      4, "three parameters");
  expect_below(
      "distance of the first",
      distance(s, 0, [](double x) { return normal_cdf((x - 1) / 0.1); }),
      kLimit);
  const double sd1 = std::sqrt(0.04 + 0.0025);
  expect_below(
      "distance of the second",
      distance(s, 1, [=](double x) { return normal_cdf((x - 2) / sd1); }),
      kLimit);
  const double sd2 = std::sqrt(0.01 + 0.0025 + 0.01);
  expect_below(
      "distance of the third",
      distance(s, 2, [=](double x) { return normal_cdf((x + 1) / sd2); }),
      kLimit);
}

void spike() {
  // Half of the mass in a spike that only its seed gives away
  const double at = 0.123456, width = 1e-7;
  Vector seed(1);
  seed[0] = at;
  const Sample s = sample({kWide},
                          [=](const Vector& x) {
                            return ps::log_sum_exp(log_normal(x[0], 0, 1),
                                                   log_normal(x[0], at, width));
                          },
                          5, "spike", {seed});
  expect_near(
      "mass of the spike",
      share(s,
            [=](const Vector& x) { return std::fabs(x[0] - at) < 10 * width; }),
      0.5, error_of(0.5, kDraws));
}

void stop() {
  int asked = 0;
  const ps::AdaptiveGrid grid(
      {kWide, kWide},
      [](const Vector& x) { return log_normal(x[0], 0, 1e-3) - x[1] * x[1]; },
      {}, {}, [&] { return ++asked > 3; });
  if (!grid.interrupted()) ++failures;
  std::printf("%s a grid can be stopped\n",
              grid.interrupted() ? "ok  " : "FAIL");
}

}  // namespace

int main() {
  two_modes();
  plateau();
  funnel();
  three();
  spike();
  stop();
  return failures == 0 ? 0 : 1;
}
