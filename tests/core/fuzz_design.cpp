// Designs from arbitrary bytes: either refused by std::invalid_argument, or the
// linear predictors, gradients and rows of a plain loop. Built and run by
// `make core` and, under sanitizers, by `make sanitize`; libFuzzer drives it by
//
//   clang++ -std=c++17 -O1 -g -fsanitize=fuzzer,address,undefined
//     -DPSEUDOSYNTH_LIBFUZZER -I inst/include -I <Eigen>
//     tests/core/fuzz_design.cpp
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include "pseudosynth/design/design.hpp"
#include "pseudosynth/design/linear_predictor.hpp"
#include "pseudosynth/rng.hpp"

namespace ps = pseudosynth;

namespace {

/// Takes numbers off a string of bytes; zeros after its end.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size)
      : data_(data), left_(size) {}

  int below(int n) { return byte() % n; }

  /// Mostly small, seldom far out of range.
  int code(int n) {
    const int kind = byte();
    if (kind == 255) return std::numeric_limits<int>::max();
    if (kind == 254) return std::numeric_limits<int>::min();
    if (kind == 253) return -1;
    return n > 0 ? kind % n : kind;
  }

  double number() {
    const int kind = byte();
    if (kind == 255) return std::numeric_limits<double>::quiet_NaN();
    if (kind == 254) return std::numeric_limits<double>::infinity();
    if (kind == 253) return -0.0;
    return (kind % 16) - 8.0;
  }

 private:
  int byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  const std::uint8_t* data_;
  std::size_t left_;
};

ps::Predictors predictors_from(Bytes& bytes) {
  ps::Predictors out;
  out.n_records = bytes.code(40);
  out.n_columns = bytes.code(12);
  out.intercept = bytes.below(4) != 0;
  const int factors = bytes.below(5), numbers = bytes.below(4);
  // Without predictors any number of records is one row: as much memory as
  // asked for
  if (factors + numbers == 0 && out.n_records > 64) out.n_records = 64;
  for (int f = 0; f < factors; ++f) {
    out.n_levels.push_back(bytes.code(7));
    out.factor_column.push_back(bytes.code(12));
  }
  for (int q = 0; q < numbers; ++q)
    out.numeric_column.push_back(bytes.code(12));
  const int records =
      out.n_records < 0 || out.n_records > 64 ? bytes.below(64) : out.n_records;
  // Seldom of another length than the rest says
  const int short_by = bytes.below(32) == 31 ? 1 : 0;
  for (int f = 0; f < factors; ++f)
    for (int i = short_by; i < records; ++i)
      out.codes.push_back(bytes.code(out.n_levels[f]));
  for (int q = 0; q < numbers; ++q)
    for (int i = 0; i < records; ++i) out.numeric.push_back(bytes.number());
  if (bytes.below(4) == 3)
    for (int i = short_by; i < records; ++i)
      out.offset.push_back(bytes.number());
  return out;
}

/// X of one record, by the definition.
std::vector<double> plain_row(const ps::Predictors& from, int i) {
  std::vector<double> x(static_cast<std::size_t>(from.n_columns), 0.0);
  if (from.intercept) x[0] += 1.0;
  for (std::size_t f = 0; f < from.n_levels.size(); ++f) {
    const int code = from.codes[f * from.n_records + i];
    if (code > 0) x[from.factor_column[f] + code - 1] += 1.0;
  }
  for (std::size_t q = 0; q < from.numeric_column.size(); ++q)
    x[from.numeric_column[q]] += from.numeric[q * from.n_records + i];
  return x;
}

void require(bool good, const char* what) {
  if (good) return;
  std::printf("FAIL %s\n", what);
  std::abort();
}

bool differ(double x, double y) {
  return std::fabs(x - y) > 1e-9 * (1.0 + std::fabs(y));
}

/// @return whether the design was one.
bool try_design(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const ps::Predictors from = predictors_from(bytes);
  try {
    const ps::Design design(from);
    if (from.n_columns > 4096) return true;  // as much memory as asked for
    const std::size_t P = static_cast<std::size_t>(from.n_columns);
    std::vector<double> b(P), eta(static_cast<std::size_t>(design.n_rows()));
    for (std::size_t j = 0; j < P; ++j) b[j] = 0.25 + 0.5 * j;
    design.linear_predictor(b.data(), 1, eta.data());
    std::vector<double> fast(eta.size());
    ps::LinearPredictor predictor(design, 1 + bytes.below(64));
    predictor(b.data(), fast.data());
    std::vector<double> slope(P, 0.0), plain_slope(P, 0.0);
    std::vector<double> ones(eta.size());
    for (int i = 0; i < design.n_records(); ++i) {
      const int r = design.row()[i];
      const std::vector<double> x = plain_row(from, design.order()[i]);
      double sum = from.offset.empty() ? 0.0 : from.offset[design.order()[i]];
      for (std::size_t j = 0; j < P; ++j) {
        sum += x[j] * b[j];
        plain_slope[j] += x[j];
      }
      require(!differ(eta[r], sum), "linear predictor");
      require(!differ(fast[r], sum), "linear predictor by cells");
      ones[r] += 1.0;
    }
    design.add_gradient(ones.data(), 1, slope.data());
    for (std::size_t j = 0; j < P; ++j)
      require(!differ(slope[j], plain_slope[j]), "gradient");
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

#ifdef PSEUDOSYNTH_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  try_design(data, size);
  return 0;
}
#else
int main() {
  ps::Rng rng(1, 0);
  int designs = 0;
  const int tries = 100000;
  std::vector<std::uint8_t> data;
  for (int i = 0; i < tries; ++i) {
    data.resize(static_cast<std::size_t>(400 * rng.uniform()));
    // Some strings hold no byte that means "out of range"
    const double top = rng.uniform() < 0.8 ? 253.0 : 256.0;
    for (std::uint8_t& byte : data)
      byte = static_cast<std::uint8_t>(top * rng.uniform());
    designs += try_design(data.data(), data.size());
  }
  std::printf("%d of %d strings were designs\n", designs, tries);
  return designs > tries / 20 ? 0 : 1;
}
#endif
