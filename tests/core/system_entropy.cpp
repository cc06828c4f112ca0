// Random bits come from the operating system, and where it has none there is an
// error, never something else in their place.

#include "pseudosynth/system_entropy.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <stdexcept>

namespace {

namespace ps = pseudosynth;

int failures = 0;

void expect(const char* what, bool good) {
  if (!good) ++failures;
  std::printf("%s %s\n", good ? "ok  " : "FAIL", what);
}

#if !defined(_WIN32)
bool gives_an_error(const char* path) {
  unsigned char bytes[8];
  try {
    ps::detail::fill_from_device(path, bytes, sizeof(bytes));
  } catch (const std::runtime_error&) {
    return true;
  }
  return false;
}
#endif

}  // namespace

int main() {
  constexpr int kWords = 20000;
  std::set<std::uint64_t> seen;
  int ones[64] = {};
  for (int n = 0; n < kWords; ++n) {
    const std::uint64_t word = ps::system_bits();
    seen.insert(word);
    for (int bit = 0; bit < 64; ++bit) ones[bit] += word >> bit & 1;
  }
  expect("no word twice", seen.size() == kWords);
  double worst = 0.0;
  for (int count : ones)
    worst = std::fmax(
        worst, std::fabs(count - 0.5 * kWords) / (0.5 * std::sqrt(kWords)));
  expect("every bit is fair", worst < 5.0);
#if !defined(_WIN32)
  unsigned char one[32] = {}, other[32] = {};
  ps::detail::fill_from_device("/dev/urandom", one, sizeof(one));
  ps::detail::fill_from_device("/dev/urandom", other, sizeof(other));
  expect("the device gives bytes", std::memcmp(one, other, sizeof(one)) != 0);
  expect("no device, an error", gives_an_error("/no/such/device"));
  expect("an empty device, an error", gives_an_error("/dev/null"));
#endif
  return failures == 0 ? 0 : 1;
}
