// Exact noise has its distribution and stays in 64 bits at either end of its
// range; whole sums are exact and refuse what could overflow.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <stdexcept>

#include "pseudosynth/rng.hpp"
#include "pseudosynth/synth/discrete_gaussian.hpp"
#include "pseudosynth/synth/score_sums.hpp"

namespace {

namespace ps = pseudosynth;

int failures = 0;

void expect(const char* what, bool good) {
  if (!good) ++failures;
  std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
}

template <class Error>
bool throws(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error&) {
    return true;
  }
  return false;
}

/// Bits that are all ones, then those of a stream: the far end of every draw.
struct OnesFirst {
  int ones;
  ps::Rng rng{3};
  std::uint64_t bits() { return ones-- > 0 ? UINT64_MAX - 7 : rng.bits(); }
};

}  // namespace

int main() {
  ps::Rng rng(1);
  const ps::DiscreteGaussian<ps::Rng> narrow(1);
  constexpr int kDraws = 400000;
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < kDraws; ++i) ++counts[narrow(rng)];
  double total = 0;
  for (int x = -40; x <= 40; ++x) total += std::exp(-0.5 * x * x);
  double chi_square = 0;
  for (int x = -3; x <= 3; ++x) {
    const double expected = kDraws * std::exp(-0.5 * x * x) / total;
    chi_square += std::pow(counts[x] - expected, 2) / expected;
  }
  // 7 cells: exceeded with probability 1e-6 at 41
  expect("sigma 1 has its masses", chi_square < 41);

  const std::uint64_t widest = ps::DiscreteGaussian<ps::Rng>::kLargest;
  const ps::DiscreteGaussian<ps::Rng> wide(widest);
  double sum = 0, squares = 0;
  constexpr int kWide = 100000;
  for (int i = 0; i < kWide; ++i) {
    const double z =
        static_cast<double>(wide(rng)) / static_cast<double>(widest);
    sum += z;
    squares += z * z;
  }
  expect("the widest noise has mean 0", std::fabs(sum / kWide) < 0.016);
  expect("the widest noise has variance 1",
         std::fabs(squares / kWide - 1) < 0.023);

  bool finite = true;
  for (int ones = 0; ones < 200; ++ones) {
    OnesFirst source{ones};
    const ps::DiscreteGaussian<OnesFirst> far(widest);
    const std::int64_t x = far(source);
    finite = finite && std::llabs(x) < (std::int64_t{1} << 45);
  }
  expect("the far end of every draw stays in range", finite);

  using Gaussian = ps::DiscreteGaussian<ps::Rng>;
  expect("sigma 0 is refused",
         throws<std::invalid_argument>([] { Gaussian noise(0); }));
  expect("too wide a sigma is refused",
         throws<std::invalid_argument>([&] { Gaussian noise(widest + 1); }));

  expect("sums are exact",
         ps::score_sums({(std::int64_t{1} << 40) + 1, 5}, 2, 1, {0, 1, 0},
                        {1, -1, 1}, 1)[0] == (std::int64_t{1} << 41) - 3);
  expect("sums that could leave 2^52 are refused",
         throws<std::overflow_error>([] {
           ps::score_sums({std::int64_t{1} << 52}, 1, 1, {0, 0}, {1, 1}, 1);
         }));
  return failures == 0 ? 0 : 1;
}
