// Uses the C++ core as another program would: no R, only Eigen and a compiler.
// Built and run by `make core`; exit status 1 if a check fails.

#include <cmath>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "pseudosynth/math.hpp"
#include "pseudosynth/rng.hpp"
#include "pseudosynth/simd.hpp"
#include "pseudosynth/simd_float.hpp"

namespace {

int failures = 0;

void expect_near(const char* what, double value, double truth, double error) {
  const bool good = std::fabs(value - truth) <= error;
  if (!good) ++failures;
  std::printf("%s %s: %.15g, expected %.15g\n", good ? "ok  " : "FAIL", what,
              value, truth);
}

// A signed number may not be shifted into its sign.
template <class Bits>
constexpr bool kMayShift =
    std::is_unsigned_v<std::decay_t<decltype(std::declval<Bits&>()[0])>>;
static_assert(kMayShift<pseudosynth::simd::Lanes<2>::Bits>);
static_assert(kMayShift<pseudosynth::simd::FloatLanes<4>::Bits>);

}  // namespace

int main() {
  for (double x : {-700.0, -1.0, 1e-3, 690.0}) {
    pseudosynth::simd::Real<2> lanes = {x, -x};
    pseudosynth::simd::exp_in_place<2>(lanes);
    expect_near("exp in lanes", lanes[0] / std::exp(x), 1.0, 1e-15);
    pseudosynth::simd::log_in_place<2>(lanes);
    expect_near("log in lanes", lanes[1], -x, 1e-13);
  }
  const double terms[] = {-1000.0, -1000.0};
  expect_near("log_sum_exp far from 0", pseudosynth::log_sum_exp(terms, 2),
              -1000.0 + std::log(2.0), 1e-12);
  expect_near("normal log density in the tail",
              pseudosynth::normal_log_density(40.0, 0.0, 1.0),
              -800.0 - 0.5 * std::log(2.0 * std::acos(-1.0)), 1e-12);

  pseudosynth::Rng one(1, 0), same(1, 0), other(1, 1);
  double sum = 0.0;
  int equal = 0, equal_to_other = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double draw = one.normal();
    sum += draw;
    equal += draw == same.normal();
    equal_to_other += draw == other.normal();
  }
  expect_near("mean of 100,000 normal draws", sum / n, 0.0, 5.0 / std::sqrt(n));
  expect_near("same seed and stream, same draws", equal, n, 0.0);
  expect_near("other stream, other draws", equal_to_other, 0.0, 0.0);
  return failures == 0 ? 0 : 1;
}
